"""What ends the loop and what does not; `run`, and what is left when the program is over."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from stepfast_desktop.qt.loop.loop import Loop
from stepfast_desktop.qt.loop.running import run


@pytest.fixture
def about_to_quit(qapp: QApplication) -> Iterator[list[str]]:
    """A line for each `aboutToQuit`; tests add their own."""
    events: list[str] = []

    def heard() -> None:
        events.append("aboutToQuit")

    qapp.aboutToQuit.connect(heard)
    yield events
    qapp.aboutToQuit.disconnect(heard)


# --------------------------------------------------------------------------------------------- windows


@pytest.mark.parametrize("kind", [QWidget, QDialog])
async def test_closing_the_last_window_ends_nothing(kind: Callable[[], QWidget]) -> None:
    """With qasync it ended the loop under a running future, after a lone dialog too."""
    loop = asyncio.get_running_loop()
    window = kind()
    window.show()
    loop.call_later(0.005, window.close)
    closed = loop.create_future()
    QGuiApplication.instance().lastWindowClosed.connect(lambda: closed.set_result(None))  # type: ignore[union-attr]
    await closed
    QGuiApplication.instance().lastWindowClosed.disconnect()  # type: ignore[union-attr]
    await asyncio.sleep(0.01)


async def test_the_application_never_quits_by_itself(qapp: QApplication) -> None:
    assert not qapp.quitOnLastWindowClosed()
    assert not qapp.isQuitLockEnabled()  # else the last QEventLoopLocker, a network reply's say, ends it


def test_quit_ends_the_loop_like_stop(window: Loop, qapp: QApplication) -> None:
    async def main() -> None:
        QTimer.singleShot(5, qapp.quit)
        await asyncio.sleep(60)

    QTimer.singleShot(5, qapp.quit)
    window.run_forever()
    with pytest.raises(RuntimeError, match="stopped before Future completed"):
        window.run_until_complete(main())
    for handle in window._scheduled:
        handle.cancel()


def test_quit_can_be_somebody_elses_affair(window: Loop, qapp: QApplication) -> None:
    asked: list[str] = []
    over = asyncio.Event()

    def ask() -> None:
        asked.append("to quit")
        if len(asked) == 1:
            QTimer.singleShot(5, qapp.quit)
        else:
            window.call_later(0.05, over.set)  # a third would have come by then

    async def main() -> str:
        QTimer.singleShot(5, qapp.quit)
        await over.wait()
        return "done"

    window.on_quit = ask
    assert window.run_until_complete(main()) == "done"
    assert asked == ["to quit"] * 2


def test_about_to_quit_is_not_sent_when_a_coroutine_ends(window: Loop, about_to_quit: list[str]) -> None:
    """With qasync it came three or four times, once for each `run_until_complete` of the end."""
    with asyncio.Runner(loop_factory=Loop) as runner:
        runner.run(asyncio.sleep(0.001))
        runner.run(asyncio.to_thread(int))
    window.run_until_complete(asyncio.sleep(0))
    assert about_to_quit == []


# ------------------------------------------------------------------------------------------------- run


def test_run_returns_what_main_returns_and_quits_once_after_it(
    qapp: QApplication, about_to_quit: list[str]
) -> None:
    async def left_behind() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            about_to_quit.append("task ended")

    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            await asyncio.sleep(0)
            about_to_quit.append("generator closed")

    left: list[object] = []

    async def main() -> str:
        generator = numbers()
        left.extend([asyncio.create_task(left_behind()), generator])
        await anext(generator)
        asyncio.get_running_loop().run_in_executor(None, time.sleep, 0.05)
        try:
            return "returned"
        finally:
            about_to_quit.append("main ended")

    assert run(main(), qapp) == "returned"
    assert about_to_quit == ["main ended", "task ended", "generator closed", "aboutToQuit"]
    # They were told to end; how soon the system lets them is the system's affair.
    for thread in [each for each in threading.enumerate() if each.name.startswith("loop-")]:
        thread.join(60)
        assert not thread.is_alive()


def test_run_raises_what_main_raises(qapp: QApplication, about_to_quit: list[str]) -> None:
    for error in (ValueError("one"), SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError()):
        about_to_quit.clear()
        ended: list[str] = []

        async def left_behind(ended: list[str]) -> None:
            try:
                await asyncio.sleep(60)
            finally:
                ended.append("task ended")

        async def main(error: BaseException = error, ended: list[str] = ended) -> None:
            task = asyncio.create_task(left_behind(ended))
            await asyncio.sleep(0.001)
            assert not task.done()
            raise error

        with pytest.raises(type(error)):
            run(main(), qapp)
        assert ended == ["task ended"]
        assert about_to_quit == ["aboutToQuit"]


def test_quit_asks_main_to_end_once(qapp: QApplication, about_to_quit: list[str]) -> None:
    async def main() -> None:
        QTimer.singleShot(5, qapp.quit)
        try:
            await asyncio.sleep(60)
        finally:
            about_to_quit.append("cleaning up")
            QTimer.singleShot(5, qapp.quit)  # impatient, and of no use
            while about_to_quit.count("aboutToQuit") < 2:
                await asyncio.sleep(0.001)
            about_to_quit.append("cleaned up")

    with pytest.raises(SystemExit) as caught:
        run(main(), qapp)
    assert caught.value.code == 0
    # Qt sends it whenever somebody quits; the loop adds none.
    assert about_to_quit == ["aboutToQuit", "cleaning up", "aboutToQuit", "cleaned up"]


def test_a_dialog_that_is_open_does_not_keep_run_from_ending(qapp: QApplication) -> None:
    results: list[int] = []

    opens = asyncio.Event()

    def slot() -> None:
        opens.set()
        results.append(QDialog().exec())

    async def main() -> str:
        QTimer.singleShot(1, slot)
        await opens.wait()  # else the slot might come when nothing ends its dialog any more
        return "returned"

    assert run(main(), qapp) == "returned"
    assert results == [0]


def test_what_does_not_end_is_left_behind_and_named(
    qapp: QApplication, caplog: pytest.LogCaptureFixture, lapses: Any
) -> None:
    gate = threading.Event()
    stop = False

    async def stubborn() -> None:
        while not stop:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                pass

    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            await asyncio.sleep(60)

    left: list[Any] = []

    async def main() -> str:
        generator = numbers()
        await anext(generator)
        left.extend([generator, asyncio.create_task(stubborn(), name="stubborn one")])
        asyncio.get_running_loop().run_in_executor(None, gate.wait)
        await asyncio.sleep(0.001)
        return "returned"

    for text in (
        "left behind, since they ignore their cancellation: stubborn one",
        "left behind: asynchronous generators that do not close",
        "left behind, since they are still busy: loop-thread-1",
        "Task was destroyed but it is pending",
    ):
        lapses.expect(text)
    began = time.monotonic()
    with caplog.at_level(logging.WARNING):
        assert run(main(), qapp, patience=0.05) == "returned"
    assert time.monotonic() - began < 45
    gate.set()
    stop = True
    del left[:]


def test_a_task_that_fails_at_the_end_is_reported(qapp: QApplication, lapses: Any) -> None:
    async def fails() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            raise ValueError("at the end")

    async def main() -> asyncio.Task[None]:
        task = asyncio.create_task(fails())
        await asyncio.sleep(0.001)
        return task

    lapses.expect("unhandled exception in a task that was cancelled at the end")
    run(main(), qapp)


def test_run_keeps_the_handlers_of_signals_that_others_have_set(qapp: QApplication) -> None:
    import signal

    before = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    seen: list[object] = []

    async def main() -> None:
        seen.append(signal.getsignal(signal.SIGTERM))

    run(main(), qapp)
    seen.append(signal.getsignal(signal.SIGTERM))
    signal.signal(signal.SIGTERM, before)
    assert seen == [signal.SIG_IGN] * 2


# ----------------------------------------------------------------------------------------- what is freed


def test_a_loop_that_is_closed_is_freed_without_the_collector(qapp: QApplication) -> None:
    """Its Qt objects are in no cycle: they end when it is closed, on the thread that closes it."""
    gc.collect()
    gc.disable()
    try:
        loop = Loop(qapp)
        loop.call_later(0.001, int)
        loop.run_until_complete(asyncio.to_thread(int))
        loop.run_until_complete(loop.shutdown_default_executor())
        for thread in threading.enumerate():
            if thread.name.startswith("loop-"):
                thread.join(60)  # until then it holds on to the loop that it has told
        ended: list[str] = []
        for held in (loop._alarm._timer, loop._notifier):
            if held is not None:
                held.destroyed.connect(lambda: ended.append("destroyed"))
        held = None
        expected = 1 if loop._notifier is None else 2
        loop.close()
        assert len(ended) == expected
        reference = weakref.ref(loop)
        del loop
        assert reference() is None
    finally:
        gc.enable()
