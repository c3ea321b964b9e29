"""Signals are seen at once though Qt waits in the kernel, where Python would see them seconds later.

"At once" is: long before anything else wakes the loop, which in these tests nothing does for a minute.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import QTimer

from stepfast_desktop.qt.loop.loop import Loop

Factory = Callable[[], asyncio.AbstractEventLoop]
both = pytest.mark.asyncio(loop_factories=["window", "asyncio"])
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="os.kill ends the process there")
ASKING = [signal.SIGINT, signal.SIGTERM]
# The function that is innermost while a loop waits: in Qt the window's, in its selector asyncio's own.
WAITING = {"_run_once", "select"}
LOOKS, BETWEEN_LOOKS = 20, 0.002
AT_ONCE = 45.0  # seconds; a busy machine may take its time, but not a minute


@pytest.fixture(autouse=True)
def handlers_as_they_were() -> Iterator[None]:
    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGUSR1]
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
    # A loop that is closed and whose descriptor is used again would write its bytes into somebody's file.
    assert signal.set_wakeup_fd(-1) == -1


def send(number: int, loop: asyncio.AbstractEventLoop | None = None) -> None:
    """From another thread and to the process, as `kill` does it: while the loop waits.

    Once the loop has run what is ready and waits, and never before: on a busy machine the signal would come
    first, and what its handler raises end whatever comes between, pytest too.
    """
    runs = threading.Event()
    main = threading.get_ident()

    def kill() -> None:
        if runs.wait(60):
            # Seen once, it may be on its way into the kernel, and a signal that comes then does not wake
            # asyncio's own: it has been in one place for a while, in which it had the lock if it wanted it.
            looks, last = 0, None
            while looks < LOOKS:
                frame = sys._current_frames()[main]
                place = (frame, frame.f_lasti) if frame.f_code.co_name in WAITING else None
                looks, last = looks + 1 if place is not None and place == last else 0, place
                time.sleep(BETWEEN_LOOKS)
            os.kill(os.getpid(), number)

    threading.Thread(target=kill, daemon=True).start()
    (loop or asyncio.get_running_loop()).call_soon(runs.set)


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(AT_ONCE):
        while not holds():
            await asyncio.sleep(0.001)


def idle() -> asyncio.Handle:
    """Keeps the loop from being woken by anything but what the test is about."""
    return asyncio.get_running_loop().call_later(60, int)


@both
@pytest.mark.parametrize("number", [*ASKING, signal.SIGUSR1])
async def test_a_signal_handler_is_called_at_once(number: int) -> None:
    loop = asyncio.get_running_loop()
    heard: asyncio.Future[str] = loop.create_future()
    loop.add_signal_handler(number, heard.set_result, "heard")
    alarm = idle()
    began = time.monotonic()
    send(number)
    assert await heard == "heard"
    assert time.monotonic() - began < AT_ONCE
    assert loop.remove_signal_handler(number)
    assert not loop.remove_signal_handler(number)
    alarm.cancel()


@both
async def test_many_signals_are_all_heard() -> None:
    loop = asyncio.get_running_loop()
    heard: list[int] = []
    for number in ASKING:
        loop.add_signal_handler(number, heard.append, number)
    sent: list[int] = []
    for _ in range(5):
        for number in ASKING:
            sent.append(number)
            os.kill(os.getpid(), number)
            await until(lambda: sorted(heard) == sorted(sent))
    await asyncio.sleep(0.01)
    assert sorted(heard) == sorted(ASKING * 5), "and none twice"
    for number in ASKING:
        loop.remove_signal_handler(number)


@both
async def test_a_handler_can_be_replaced_and_refused() -> None:
    loop = asyncio.get_running_loop()
    heard: list[str] = []
    loop.add_signal_handler(signal.SIGUSR1, heard.append, "first")
    loop.add_signal_handler(signal.SIGUSR1, heard.append, "second")
    os.kill(os.getpid(), signal.SIGUSR1)
    await until(lambda: heard)
    assert heard == ["second"]
    loop.remove_signal_handler(signal.SIGUSR1)
    with pytest.raises(ValueError, match="invalid signal"):
        loop.add_signal_handler(1000, print)
    with pytest.raises(RuntimeError, match="cannot be caught"):
        loop.add_signal_handler(signal.SIGKILL, print)


@both
async def test_it_is_seen_at_once_in_a_turn_that_qt_woke() -> None:
    """`signal.signal`, without the loop's own handlers: what asyncio.Runner and pytest-timeout use."""
    loop = asyncio.get_running_loop()
    heard: asyncio.Future[str] = loop.create_future()

    def handler(*_: object) -> None:
        loop.call_soon_threadsafe(heard.set_result, "heard")

    signal.signal(signal.SIGUSR1, handler)
    alarm = idle()
    began = time.monotonic()
    send(signal.SIGUSR1)
    assert await heard == "heard"
    assert time.monotonic() - began < AT_ONCE
    alarm.cancel()


async def test_signals_are_still_heard_after_the_last_handler_is_removed() -> None:
    """asyncio takes its descriptor away with it; its own `select` needs none."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, print)
    loop.remove_signal_handler(signal.SIGTERM)
    heard: asyncio.Future[str] = loop.create_future()
    signal.signal(signal.SIGUSR1, lambda *_: loop.call_soon_threadsafe(heard.set_result, "heard"))
    alarm = idle()
    began = time.monotonic()
    send(signal.SIGUSR1)
    assert await heard == "heard"
    assert time.monotonic() - began < AT_ONCE
    alarm.cancel()


def test_ctrl_c_ends_the_loop_by_default(loop: asyncio.AbstractEventLoop) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    loop.call_later(60, int)
    began = time.monotonic()
    send(signal.SIGINT, loop)
    with pytest.raises(KeyboardInterrupt):
        loop.run_forever()
    assert time.monotonic() - began < AT_ONCE
    for handle in loop._scheduled:  # type: ignore[attr-defined]
        handle.cancel()
    assert loop.run_until_complete(asyncio.to_thread(str, "again")) == "again"


def test_ctrl_c_cancels_the_main_task_of_a_runner(factory: Factory) -> None:
    ended: list[str] = []
    signal.signal(signal.SIGINT, signal.default_int_handler)

    async def main() -> None:
        send(signal.SIGINT)
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("main")
            await asyncio.to_thread(int)
            ended.append("cleaned up")

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), asyncio.Runner(loop_factory=factory) as runner:
        runner.run(main())
    assert ended == ["main", "cleaned up"]
    assert time.monotonic() - began < AT_ONCE


class Failed(BaseException):
    """As pytest's own: no `Exception`."""


@pytest.mark.parametrize("error", [Failed, ValueError, KeyboardInterrupt])
def test_what_a_handler_raises_comes_out_of_an_idle_loop(
    loop: asyncio.AbstractEventLoop, error: type[BaseException]
) -> None:
    def handler(*_: object) -> None:
        raise error("a handler's")

    signal.signal(signal.SIGUSR1, handler)
    loop.call_later(60, int)
    send(signal.SIGUSR1, loop)
    with pytest.raises(error, match="a handler's"):
        loop.run_forever()
    for handle in loop._scheduled:  # type: ignore[attr-defined]
        handle.cancel()
    # No flag is left standing that says a wakeup is on its way.
    assert loop.run_until_complete(asyncio.to_thread(str, "again")) == "again"
    assert loop.run_until_complete(asyncio.sleep(0.001, "again")) == "again"


@pytest.mark.parametrize("error", [Failed, KeyboardInterrupt])
def test_what_a_handler_raises_in_a_slot_comes_out_too(window: Loop, error: type[BaseException]) -> None:
    """The slot is busy when the signal comes; PySide prints what is raised and goes on."""

    def handler(*_: object) -> None:
        raise error("a handler's")

    signal.signal(signal.SIGUSR1, handler)
    reached: list[str] = []

    def slot() -> None:
        os.kill(os.getpid(), signal.SIGUSR1)
        while True:
            time.sleep(0.001)

    async def main() -> None:
        # Not before this has begun: a coroutine that never does is one that was never awaited.
        QTimer.singleShot(1, slot)
        await asyncio.sleep(60)

    hook = sys.excepthook
    with pytest.raises(error, match="a handler's"):
        window.run_until_complete(main())
    assert sys.excepthook is hook
    assert not reached
    for handle in window._scheduled:
        handle.cancel()


def test_the_descriptor_for_signals_is_given_back(window: Loop) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer)
    seen: list[int] = []

    async def main() -> None:
        seen.append(signal.set_wakeup_fd(window._csock.fileno()))

    window.run_until_complete(main())
    assert seen == [window._csock.fileno()]
    assert signal.set_wakeup_fd(-1) == writer
    os.close(reader)
    os.close(writer)


def test_handlers_last_from_one_run_to_the_next(loop: asyncio.AbstractEventLoop) -> None:
    heard: list[str] = []
    loop.add_signal_handler(signal.SIGUSR1, heard.append, "heard")
    loop.run_until_complete(asyncio.sleep(0))
    os.kill(os.getpid(), signal.SIGUSR1)  # between two runs
    loop.run_until_complete(until(lambda: heard))
    assert heard == ["heard"]
    loop.remove_signal_handler(signal.SIGUSR1)


# ------------------------------------------------------------------------------- programs of their own

PROGRAM = """
import asyncio, signal, sys, threading, time
from PySide6.QtWidgets import QApplication, QWidget, QDialog
from stepfast_desktop.qt.loop.running import run

async def main(how):
    window = QWidget()
    window.show()
    print("ready", flush=True)
    try:
        if how == "blocks":
            time.sleep(60)
        if how == "dialog":
            QDialog(window).exec()
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        if how == "returns":
            return "returned"
        print("cleaning up", flush=True)
        if how == "takes long":
            await asyncio.sleep(60)
        await asyncio.sleep(0.01)
        raise
    finally:
        print("ended", flush=True)

application = QApplication([])
print(run(main(sys.argv[1]), application))
"""


@pytest.fixture
def program() -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    processes: list[subprocess.Popen[str]] = []

    def begin(how: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, how],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        )
        processes.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [*ASKING, signal.SIGHUP])
@pytest.mark.parametrize("how", ["waits", "dialog"])
def test_a_program_that_is_asked_to_end_cleans_up_and_says_why(program: Any, number: int, how: str) -> None:
    process = program(how)
    began = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == ("cleaning up\nended\n", "", 128 + number)
    assert time.monotonic() - began < AT_ONCE


def test_a_program_may_return_when_it_is_asked_to_end(program: Any) -> None:
    process = program("returns")
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == ("ended\nreturned\n", "", 0)


@pytest.mark.parametrize("number", ASKING)
def test_a_second_signal_ends_a_program_there_and_then(program: Any, number: int) -> None:
    process = program("takes long")
    process.send_signal(number)
    assert process.stdout.readline() == "cleaning up\n"
    process.send_signal(number)
    assert process.wait(60) == -number


def test_a_second_signal_ends_a_program_that_blocks_its_loop(program: Any) -> None:
    process = program("blocks")
    process.send_signal(signal.SIGINT)
    # The first is heard between two instructions, though `time.sleep` goes on; how soon, nobody can tell.
    end = time.monotonic() + AT_ONCE
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
    assert process.wait(60) == -signal.SIGINT
