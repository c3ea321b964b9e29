"""Running, stopping and closing the loop, and what only Qt can bring about."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable

import pytest
import qasync  # type: ignore[import-untyped]
from PySide6.QtCore import QCoreApplication, QTimer

from stepfast_desktop.qt.loop.loop import Loop

Factory = Callable[[], asyncio.AbstractEventLoop]
both = pytest.mark.asyncio(loop_factories=["window", "asyncio"])


def test_stop_lets_the_turn_finish_and_no_more(loop: asyncio.AbstractEventLoop) -> None:
    order: list[str] = []

    def first() -> None:
        loop.stop()
        loop.call_soon(order.append, "of the next turn")

    loop.call_soon(first)
    loop.call_soon(order.append, "of the same turn")
    loop.run_forever()
    assert order == ["of the same turn"]
    loop.stop()  # before it runs: one turn
    loop.run_forever()
    assert order == ["of the same turn", "of the next turn"]


def test_stop_lets_a_turn_finish_that_is_too_long_for_one_event(loop: asyncio.AbstractEventLoop) -> None:
    ran: list[int] = []

    def first() -> None:
        loop.stop()
        loop.call_soon(ran.append, -1)

    loop.call_soon(first)
    for number in range(10):
        loop.call_soon(time.sleep, 0.005)
        loop.call_soon(ran.append, number)
    loop.run_forever()
    assert ran == list(range(10))


def test_a_future_that_is_not_done_when_the_loop_stops_is_an_error(loop: asyncio.AbstractEventLoop) -> None:
    loop.call_soon(loop.stop)
    with pytest.raises(RuntimeError, match="stopped before Future completed"):
        loop.run_until_complete(loop.create_future())


def test_a_loop_does_not_run_inside_itself(loop: asyncio.AbstractEventLoop) -> None:
    async def main() -> None:
        coroutine = asyncio.sleep(0)
        with pytest.raises(RuntimeError):
            loop.run_until_complete(coroutine)
        coroutine.close()
        with pytest.raises(RuntimeError):
            loop.close()

    loop.run_until_complete(main())


def test_a_closed_loop_refuses_work(factory: Factory) -> None:
    loop = factory()
    loop.call_soon(print, "never")
    loop.close()
    loop.close()
    assert loop.is_closed()
    for call in (loop.call_soon, loop.call_soon_threadsafe, lambda it: loop.call_later(1, it)):
        with pytest.raises(RuntimeError, match="closed"):
            call(int)
    with pytest.raises(RuntimeError, match="closed"):
        loop.run_forever()
    with pytest.raises(RuntimeError, match="closed"):
        loop.run_in_executor(None, int)


def test_a_runner_runs_several_coroutines_and_closes_what_they_left(factory: Factory) -> None:
    ended: list[str] = []

    async def generator() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            await asyncio.sleep(0)
            ended.append("generator")

    async def forever() -> None:
        try:
            await asyncio.sleep(1000)
        finally:
            ended.append("task")

    left: list[object] = []

    async def main() -> str:
        numbers = generator()
        left.extend([numbers, asyncio.create_task(forever())])
        await anext(numbers)
        return "main"

    with asyncio.Runner(loop_factory=factory) as runner:
        assert runner.run(main()) == "main"
        assert runner.run(asyncio.sleep(0, "again")) == "again"
        loop = runner.get_loop()
    assert loop.is_closed()
    assert sorted(ended) == ["generator", "task"]


@both
async def test_a_generator_that_is_dropped_is_closed_by_the_loop() -> None:
    closed = asyncio.get_running_loop().create_future()

    async def generator() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            await asyncio.sleep(0)
            closed.set_result(True)

    async for _ in generator():
        break
    async with asyncio.timeout(60):
        assert await closed


# -------------------------------------------------------------------------------- what only Qt can bring


async def test_a_slot_of_qts_reaches_a_waiting_task() -> None:
    loop = asyncio.get_running_loop()
    heard: asyncio.Future[object] = loop.create_future()
    QTimer.singleShot(1, lambda: heard.set_result(asyncio.get_running_loop()))
    async with asyncio.timeout(60):
        assert await heard is loop


async def test_a_call_from_the_wrong_thread_is_not_lost() -> None:
    """It is a fault of the caller's; but on asyncio it runs with the next turn, and so it does here."""
    loop = asyncio.get_running_loop()
    heard: asyncio.Future[None] = loop.create_future()
    threading.Thread(target=loop.call_soon, args=(heard.set_result, None)).start()
    async with asyncio.timeout(60):
        await heard
    heard = loop.create_future()
    threading.Thread(target=loop.call_later, args=(0.001, heard.set_result, None)).start()
    async with asyncio.timeout(60):
        await heard


def test_qts_own_loop_between_two_runs_runs_nothing(window: Loop) -> None:
    ran: list[int] = []
    window.call_soon(ran.append, 1)
    window.call_later(0, ran.append, 2)
    window.call_soon_threadsafe(ran.append, 3)
    for _ in range(10):
        QCoreApplication.processEvents()
    assert ran == []
    window.run_until_complete(asyncio.sleep(0.01))
    assert sorted(ran) == [1, 2, 3]


def test_it_refuses_to_run_inside_a_loop_of_qts(window: Loop, qapp: QCoreApplication) -> None:
    errors: list[str] = []

    def slot() -> None:
        try:
            window.run_forever()
        except RuntimeError as error:
            errors.append(str(error))
        qapp.exit()

    QTimer.singleShot(0, slot)
    qapp.exec()
    assert errors == ["Qt's event loop is running already: run the program from this loop instead"]


def test_it_refuses_to_run_on_another_thread(window: Loop) -> None:
    errors: list[str] = []

    def elsewhere() -> None:
        for refused in (window.run_forever, Loop):
            try:
                refused()
            except RuntimeError as error:
                errors.append(str(error))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert errors == ["the loop is made and run on the thread of the application"] * 2


def python(script: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", script]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, env=environment)


def test_without_an_application_it_says_so() -> None:
    done = python("from stepfast_desktop.qt.loop.loop import Loop; Loop()")
    assert done.stderr.splitlines()[-1] == (
        "RuntimeError: there is no QApplication yet: make it first, and keep it as long as the loop"
    )
    assert "Exception ignored" not in done.stderr


def test_it_runs_with_an_application_that_has_no_windows() -> None:
    done = python(
        "import asyncio\n"
        "from PySide6.QtCore import QCoreApplication\n"
        "from stepfast_desktop.qt.loop.loop import Loop\n"
        "application = QCoreApplication([])\n"
        "with asyncio.Runner(loop_factory=Loop) as runner:\n"
        "    print(runner.run(asyncio.sleep(0.01, 'done')))\n"
    )
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)


def test_it_is_a_loop_of_qasyncs_in_which_nothing_of_qasyncs_is_left(window: Loop) -> None:
    """A method that a later qasync adds needs a look: it counts on an `__init__` that does not run here."""
    assert isinstance(window, qasync.QEventLoop)
    kept = {"__enter__", "__exit__"}  # stop and close
    private = "_QEventLoop__"
    theirs = [
        each
        for each, value in vars(qasync._QEventLoop).items()
        if callable(value) and not each.startswith(private) and each not in kept
    ]
    left = [each for each in theirs if getattr(Loop, each) is getattr(qasync._QEventLoop, each)]
    assert theirs
    assert left == []


def test_a_closed_loop_leaves_nothing_of_qts_behind(window: Loop) -> None:
    window.run_until_complete(asyncio.to_thread(int))
    window.close()
    for held in ("_timer", "_notifier"):
        assert getattr(window, held, None) is None
    assert not hasattr(window._alarm, "_timer")


def test_a_turn_takes_no_reference_to_none_away(window: Loop) -> None:
    """PySide6 6.12.0 on Python 3.11 does, until there is none left; there 20,000 turns would show."""

    async def turns(count: int) -> None:
        for _ in range(count):
            await asyncio.sleep(0)

    window.run_until_complete(turns(100))
    before = sys.getrefcount(None)
    window.run_until_complete(turns(20_000))
    assert abs(sys.getrefcount(None) - before) < 1000


def test_the_logger_is_asyncios(window: Loop, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="asyncio"):
        window.set_debug(True)
        window.close()
    assert any(record.name == "asyncio" and "Close" in record.getMessage() for record in caplog.records)
