"""`exec()` and `processEvents()` inside a coroutine or a callback: harmless, if not to be recommended.

With qasync every other task stopped for good.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer
from PySide6.QtWidgets import QDialog, QPushButton

from stepfast_desktop.qt.loop.loop import Loop
from stepfast_desktop.qt.loop.turn import BLIND_POLL, MOST_NESTED

posix = pytest.mark.skipif(sys.platform == "win32", reason="the proactor has no readers, and os.kill ends")


class Ticker:
    """A task that goes on and on; `ticks` says how far."""

    def __init__(self) -> None:
        self.ticks = 0
        self.task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while True:
            self.ticks += 1
            await asyncio.sleep(0.001)

    async def stop(self) -> None:
        self.task.cancel()
        await asyncio.wait({self.task})


def until(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    """A loop of Qt's, inside whatever runs, until `condition` holds; whether it came to that."""
    nested = QEventLoop()
    end = time.monotonic() + seconds

    def look() -> None:
        if condition() or time.monotonic() > end:
            nested.exit()

    timer = QTimer(interval=1)
    timer.timeout.connect(look)
    timer.start()
    nested.exec()
    timer.stop()
    return bool(condition())


async def test_other_tasks_go_on_while_a_coroutine_is_in_a_dialog() -> None:
    ticker = Ticker()
    dialog = QDialog()

    async def accept() -> None:
        while ticker.ticks <= 5:
            await asyncio.sleep(0.001)
        dialog.accept()

    accepting = asyncio.create_task(accept())
    otherwise = QTimer(interval=60_000)  # of Qt's alone, should no task go on
    otherwise.timeout.connect(dialog.reject)
    otherwise.start()
    assert dialog.exec() == QDialog.DialogCode.Accepted
    otherwise.stop()
    await accepting
    before = ticker.ticks
    await asyncio.sleep(0.02)
    assert ticker.ticks > before  # and afterwards
    await ticker.stop()


async def test_other_tasks_go_on_while_a_coroutine_processes_events() -> None:
    ticker = Ticker()
    end = time.monotonic() + 60
    while ticker.ticks < 10 and time.monotonic() < end:
        QCoreApplication.processEvents()
    assert ticker.ticks >= 10
    await ticker.stop()


@pytest.mark.parametrize("started_by", ["call_soon", "call_later", "slot", "a done callback"])
async def test_other_tasks_go_on_whatever_started_the_nested_loop(started_by: str) -> None:
    loop = asyncio.get_running_loop()
    ticker = Ticker()
    came: asyncio.Future[bool] = loop.create_future()

    def nest(*_: object) -> None:
        came.set_result(until(lambda: ticker.ticks >= 10))

    match started_by:
        case "call_soon":
            loop.call_soon(nest)
        case "call_later":
            loop.call_later(0.001, nest)
        case "slot":
            QTimer.singleShot(1, nest)
        case _:
            asyncio.create_task(asyncio.sleep(0)).add_done_callback(nest)
    assert await came
    await ticker.stop()


async def test_the_task_in_the_nested_loop_is_not_entered_again_and_is_current_afterwards() -> None:
    mine = asyncio.current_task()
    others: list[object] = []
    steps: list[str] = []

    async def other() -> None:
        others.append(asyncio.current_task())
        assert steps == ["before"]
        mine.cancel("while it is on the stack")  # type: ignore[union-attr]

    task = asyncio.create_task(other())
    steps.append("before")
    assert until(task.done)
    steps.append("after")
    assert asyncio.current_task() is mine
    assert others == [task]
    with pytest.raises(asyncio.CancelledError):
        await asyncio.sleep(1000)  # the cancellation comes here, as on asyncio
    mine.uncancel()  # type: ignore[union-attr]
    await task


async def test_what_was_ready_with_the_coroutine_runs_in_the_nested_loop_and_once() -> None:
    loop = asyncio.get_running_loop()
    order: list[str] = []
    over = loop.create_future()

    def nest() -> None:
        order.append("in")
        assert until(lambda: "third" in order)
        order.append("out")
        over.set_result(None)

    loop.call_soon(nest)
    loop.call_soon(order.append, "second")
    loop.call_soon(order.append, "third")
    await over
    assert order == ["in", "second", "third", "out"]


async def test_nested_loops_nest() -> None:
    ticker = Ticker()
    order: list[str] = []

    async def inner() -> None:
        order.append("inner in")
        assert until(lambda: ticker.ticks >= 10)
        order.append("inner out")
        await asyncio.sleep(0)
        order.append("inner done")

    async def outer() -> None:
        order.append("outer in")
        task = asyncio.create_task(inner())
        assert until(task.done)
        order.append("outer out")
        await task

    await outer()
    assert order == ["outer in", "inner in", "inner out", "inner done", "outer out"]
    await ticker.stop()


async def test_many_tasks_that_process_events_do_not_pile_up() -> None:
    """Each would run the next one inside itself, as deep as there are tasks: too deep for Python."""
    done = 0
    depth = deepest = 0

    async def one() -> None:
        nonlocal done, depth, deepest
        for _ in range(3):
            depth += 1
            deepest = max(deepest, depth)
            QCoreApplication.processEvents()
            depth -= 1
            await asyncio.sleep(0)
        done += 1

    await asyncio.gather(*(one() for _ in range(1000)))
    assert done == 1000
    assert 2 < deepest <= MOST_NESTED + 1


async def test_threads_timeouts_and_slots_reach_the_nested_loop() -> None:
    async def thread() -> str:
        return await asyncio.to_thread(str, "thread")

    async def timeout() -> None:
        async with asyncio.timeout(0.001):
            await asyncio.sleep(1000)

    button = QPushButton()
    clicked: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    button.clicked.connect(lambda: clicked.set_result("clicked"))
    QTimer.singleShot(1, button.click)
    tasks = [asyncio.ensure_future(each) for each in (thread(), timeout(), clicked)]
    assert until(lambda: all(each.done() for each in tasks))
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [results[0], type(results[1]), results[2]] == ["thread", TimeoutError, "clicked"]


async def test_a_socket_reaches_the_nested_loop() -> None:
    loop = asyncio.get_running_loop()
    one, other = socket.socketpair()
    one.setblocking(False)
    other.setblocking(False)
    received = asyncio.create_task(loop.sock_recv(other, 10))
    QTimer.singleShot(5, lambda: one.send(b"hello"))
    assert until(received.done)
    assert await received == b"hello"
    one.close()
    other.close()


@posix
async def test_a_signal_reaches_the_nested_loop() -> None:
    heard: list[int] = []
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, heard.append, 1)
    QTimer.singleShot(5, lambda: os.kill(os.getpid(), signal.SIGUSR1))
    assert until(lambda: heard)
    loop.remove_signal_handler(signal.SIGUSR1)


async def test_a_task_that_shares_its_context_with_the_one_on_the_stack_goes_on_afterwards() -> None:
    """A context cannot be entered twice: its handle must wait, and must not be lost."""
    context = contextvars.copy_context()
    order: list[str] = []
    loop = asyncio.get_running_loop()

    async def shares() -> None:
        order.append("shares")
        await asyncio.sleep(0)
        order.append("shares, again")

    async def nests() -> None:
        task = loop.create_task(shares(), context=context)
        loop.call_soon(order.append, "another")
        turns = loop.create_task(asyncio.sleep(0.02))
        assert until(turns.done)
        assert order == ["another"]
        order.append("out")
        await task

    await loop.create_task(nests(), context=context)
    assert order == ["another", "out", "shares", "shares, again"]


@posix
async def test_a_callback_of_a_file_is_not_called_inside_itself_and_the_others_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop = asyncio.get_running_loop()
    pairs = [socket.socketpair() for _ in range(2)]
    for pair in pairs:
        for end in pair:
            end.setblocking(False)
    inside = 0
    deepest = 0
    received: list[bytes] = []
    done = loop.create_future()
    turns = 0
    turn = Loop._run_ready

    def counted(self: Loop) -> None:
        nonlocal turns
        turns += 1
        turn(self)

    monkeypatch.setattr(Loop, "_run_ready", counted)

    def nests() -> None:
        """Its file stays ready while the nested loop runs."""
        nonlocal inside, deepest
        inside += 1
        deepest = max(deepest, inside)
        other = asyncio.ensure_future(loop.sock_recv(pairs[1][1], 10))
        pairs[1][0].send(b"other")
        before, began = turns, time.monotonic()
        assert until(other.done)
        end = time.monotonic() + 0.1
        assert until(lambda: time.monotonic() > end)
        looks = (time.monotonic() - began) / BLIND_POLL
        assert turns - before < 20 + 2 * looks  # it does not go round and round meanwhile
        received.append(other.result())
        received.append(pairs[0][1].recv(10))
        inside -= 1
        if len(received) == 4:
            done.set_result(None)
        else:
            # It is heard as before, later; never within the first, which would read both at once.
            QTimer.singleShot(5, lambda: pairs[0][0].send(b"second"))

    loop.add_reader(pairs[0][1], nests)
    pairs[0][0].send(b"first")
    await done
    loop.remove_reader(pairs[0][1])
    for pair in pairs:
        for end in pair:
            end.close()
    assert deepest == 1
    assert received == [b"other", b"first", b"other", b"second"]


def test_stop_in_a_nested_loop_closes_it(window: Loop) -> None:
    """A dialog that is open does not keep the program from ending."""
    results: list[int] = []

    async def asks() -> None:
        results.append(QDialog().exec())
        results.append(QDialog().exec())  # nothing opens any more

    async def main() -> str:
        task = asyncio.create_task(asks())
        await asyncio.sleep(0.01)
        assert not results
        del task
        return "done"

    assert window.run_until_complete(main()) == "done"
    assert results == [0, 0]
    window.run_until_complete(asyncio.sleep(0.001))


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()])
def test_what_ends_programs_in_a_nested_loop_ends_the_loop(window: Loop, error: BaseException) -> None:
    order: list[str] = []

    def fail() -> None:
        order.append("fails")
        raise error

    async def main() -> None:
        window.call_later(0.005, fail)
        QDialog().exec()
        order.append("out")

    with pytest.raises(type(error)):
        window.run_until_complete(main())
    assert order == ["fails", "out"]


async def test_an_error_in_a_nested_loop_is_reported_and_ends_nothing(lapses: Any) -> None:
    lapses.expect("ZeroDivisionError")
    ticker = Ticker()
    asyncio.get_running_loop().call_soon(lambda: 1 / 0)
    assert until(lambda: ticker.ticks >= 10)
    await ticker.stop()


async def test_debug_mode_names_the_right_handle_after_a_nested_loop(
    lapses: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    # By a clock of which only that handle takes much, however long the machine takes for the others.
    clock, passed = loop.time, 0.0
    monkeypatch.setattr(loop, "time", lambda: clock() + passed)
    loop.set_debug(True)
    loop.slow_callback_duration = 500.0
    lapses.expect("the_one_with_the_nested_loop")

    def the_one_with_the_nested_loop() -> None:
        nonlocal passed
        ran: list[int] = []
        loop.call_later(0.001, ran.append, 1)
        assert until(lambda: ran)
        passed = 1000.0
        over.set_result(None)

    over = loop.create_future()
    loop.call_soon(the_one_with_the_nested_loop)
    await over
    await asyncio.sleep(0)
    loop.set_debug(False)
