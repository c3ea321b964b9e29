"""The window's event loop: asyncio's own behaviour, with Qt doing the waiting.

`asyncio.run_forever` calls `_run_once` until the loop is to stop, and `_run_once` waits in `select`. Here one
`_run_once` is one stay in Qt, which calls for a turn (`turn.py`) whenever there may be something to do: a
timer is due, a file descriptor is ready, another thread rang. Everything else, tasks, transports,
subprocesses, signal handlers, the end, is asyncio's code as it stands. So this class takes from qasync, which
it extends, the completion port of Windows and the name that programs ask for, and puts asyncio's methods back
where qasync replaced them with something else: a Qt timer for each handle, callbacks that lose their context,
an executor that loses exceptions. `tests/gui` has a test for each of these.

`stop` leaves Qt after the turn, closing nested loops with it, and without `aboutToQuit`, which Qt would else
send at the end of each `run_until_complete`. Closing the last window does not end the loop, nor does a
`QEventLoopLocker`; `QApplication.quit()` is `on_quit`'s affair, and without one the same as `stop`.

The loop runs on the thread of the application, and in no loop of Qt's that runs already.
"""

from __future__ import annotations

import asyncio
import contextvars
import selectors
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import qasync  # type: ignore[import-untyped]
from PySide6.QtCore import QCoreApplication, QSocketNotifier, QThread
from PySide6.QtGui import QGuiApplication

from stepfast_desktop.qt.loop.alarm import NOW
from stepfast_desktop.qt.loop.signals import hear_at_once, heard_at_once, raised_to
from stepfast_desktop.qt.loop.threads import DaemonThreads
from stepfast_desktop.qt.loop.turn import SLOTS, Turns

__all__ = ["Loop"]

# The platform's own loop, which `Loop` inherits from by way of qasync.
Native: Any = asyncio.SelectorEventLoop
if sys.platform == "win32":
    Native = asyncio.ProactorEventLoop

ELSEWHERE = "the loop is made and run on the thread of the application"

if qasync.QtModuleName != "PySide6":
    raise ImportError(f"qasync took {qasync.QtModuleName} for its Qt: import stepfast_desktop.qt before it")


class Loop(Turns, qasync.QEventLoop):  # type: ignore[misc]  # qasync has no types
    """asyncio on Qt's event loop.

    Attributes:
        on_quit: called when somebody ended Qt's loop (`QApplication.quit()`, "Quit" in the menu of macOS);
            this loop then goes on. None: `run_forever` returns, as after `stop`.
        announce_quit: let Qt send `aboutToQuit` when the loop stops the next time.
    """

    _closed = True  # until asyncio's __init__ says otherwise: a loop that was never made needs no closing

    def __init__(self, application: QCoreApplication | None = None) -> None:
        """Made on the application's thread.

        Args:
            application: by default the one there is. Its windows will not end it any more.

        Raises:
            RuntimeError: there is no application yet, or this is not its thread.
        """
        application = application or QCoreApplication.instance()
        if application is None:
            raise RuntimeError("there is no QApplication yet: make it first, and keep it as long as the loop")
        if QThread.currentThread() != application.thread():
            raise RuntimeError(ELSEWHERE)
        if isinstance(application, QGuiApplication):
            application.setQuitOnLastWindowClosed(False)
        application.setQuitLockEnabled(False)  # the same by way of QEventLoopLocker
        Turns.__init__(self)
        self.on_quit: Callable[[], None] | None = None
        self.announce_quit = False
        self._application = application
        self._raised: BaseException | None = None  # for `_run_once` to raise
        self._ending_nested = False  # Qt comes back to `_run_once` only to go on
        # Past qasync's __init__: it makes a signal whose connection would keep the loop for ever.
        if sys.platform == "win32":
            super(qasync._QEventLoop, self).__init__()
        else:
            selector = selectors.DefaultSelector()
            Native.__init__(self, selector)
            # An epoll or kqueue is itself a file that is readable when one of its own is ready: so one
            # notifier is enough, and asyncio's add_reader and remove_reader stay as they are.
            self._notifier = QSocketNotifier(selector.fileno(), QSocketNotifier.Type.Read)
            self._notifier.setEnabled(False)
            self._notifier.activated.connect(self._on_files)

    # ------------------------------------------------------------------------------------- from outside

    def call_soon(
        self, callback: Callable[..., object], *args: Any, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        """As asyncio's; on another thread it is wrong too, but no wakeup is lost by it."""
        if self._closed:
            self._check_closed()
        if self._debug:
            self._check_thread()
            self._check_callback(callback, "call_soon")
        handle = asyncio.Handle(callback, args, self, context)
        if handle._source_traceback:  # type: ignore[attr-defined]
            del handle._source_traceback[-1]  # type: ignore[attr-defined]
        self._ready.append(handle)
        if self._alarm.at > NOW:
            self._wake()
        return handle

    def call_at(
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        """As asyncio's: never called before `when` by `time()`, but for the resolution of its clock."""
        timer: asyncio.TimerHandle = Native.call_at(self, when, callback, *args, context=context)
        if timer._source_traceback:  # type: ignore[attr-defined]
            del timer._source_traceback[-1]  # type: ignore[attr-defined]
        if when < self._alarm.at:
            if threading.get_ident() == self._thread_id:
                self._alarm.set(when, self.time())
            else:
                self._write_to_self()
        return timer

    def stop(self) -> None:
        """Leave `run_forever` once the handles that are ready now have run."""
        self._stopping = True
        self._wake()

    def end_nested(self) -> None:
        """Close the loops of Qt's that coroutines run: `dialog.exec()` returns there, as if rejected."""
        if self._suspended:
            self._ending_nested = True
            self._exit()

    def close(self) -> None:
        """Never waits for a thread: end the executor with `shutdown_default_executor` before."""
        if self.is_running():
            raise RuntimeError("Cannot close a running event loop")
        if self._closed:
            return
        if self._notifier is not None:  # before the descriptor that it watches is closed
            self._notifier.activated.disconnect()
            self._notifier = None
        Native.close(self)
        self._alarm.close()
        self._bell.ignore(self._on_bell)
        self._deferred.clear()

    def remove_signal_handler(self, sig: int) -> bool:
        removed: bool = Native.remove_signal_handler(self, sig)
        # With its last handler asyncio takes the descriptor away too, and Qt would hear no signal any more.
        if threading.get_ident() == self._thread_id and not self._has_signal_handlers():
            hear_at_once(self._csock.fileno())
        return removed

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        """As asyncio's; the default is `DaemonThreads`, so what ends programs arrives as a `ThreadExit`."""
        self._check_closed()
        if executor is None:
            self._check_default_executor()
            if self._default_executor is None:
                self._default_executor: Any = DaemonThreads()
        future: asyncio.Future[Any] = Native.run_in_executor(self, executor, func, *args)
        return future

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Wait until the threads of `run_in_executor(None, ...)` have ended, and take no more calls.

        Args:
            timeout: seconds; what is busy for longer is left behind, with a RuntimeWarning. None: no limit.
        """
        self._executor_shutdown_called = True
        executor = self._default_executor
        if executor is None:
            return
        ended = self.create_future()

        def end() -> None:
            try:
                executor.shutdown(wait=True)
            finally:
                try:
                    self.call_soon_threadsafe(lambda: ended.done() or ended.set_result(None))
                except RuntimeError:
                    pass  # the loop is closed: nobody waits any more

        threading.Thread(target=end, name="loop-shutdown", daemon=True).start()
        try:
            async with asyncio.timeout(timeout):
                await ended
        except TimeoutError:
            warnings.warn(
                f"The executor did not finish joining its threads within {timeout} seconds.",
                RuntimeWarning,
                stacklevel=2,
            )

    # ----------------------------------------------------------------------------------- the stay in Qt

    def _run_once(self) -> None:
        """One stay in Qt, until `stop`, an exception that ends the loop, or `QApplication.quit()`."""
        here = QThread.currentThread()
        if here != self._application.thread():
            raise RuntimeError(ELSEWHERE)
        if here.loopLevel():
            raise RuntimeError("Qt's event loop is running already: run the program from this loop instead")
        self._ending_nested, self._raised = False, None
        self._begin()
        self._before_run_forever()  # on Windows, qasync's thread that polls the completion port
        try:
            with (
                raised_to(self._fail, SLOTS),
                heard_at_once(self._csock.fileno(), self._has_signal_handlers),
            ):
                if self._notifier is not None:
                    self._notifier.setEnabled(True)
                self._alarm.set_now()
                self._application.exec()
        finally:
            self._alarm.off()
            if self._notifier is not None:
                self._notifier.setEnabled(False)
            self._after_run_forever()
        raised, self._raised = self._raised, None
        if raised is not None:
            try:
                raise raised
            finally:
                del raised  # it holds this frame
        if self._leaving:
            return
        if self._ending_nested:
            self._ending_nested = False
            return
        self.announce_quit = False  # Qt has
        if self.on_quit is None:
            self._stopping = True
        else:
            self.on_quit()

    def _leave(self) -> None:
        self._leaving = True
        announce, self.announce_quit = self.announce_quit, False
        self._exit(announce)

    def _exit(self, announce: bool = False) -> None:
        """Make Qt return to `_run_once`, out of nested loops too."""
        blocked = self._application.blockSignals(not announce)  # `exit` sends aboutToQuit then and there
        try:
            self._application.exit()
        finally:
            self._application.blockSignals(blocked)

    def _fail(self, error: BaseException) -> None:
        if self._raised is None:
            self._raised = error
        self._leave()

    def _has_signal_handlers(self) -> bool:
        return bool(getattr(self, "_signal_handlers", None))


# What asyncio's loop of this platform does itself, and qasync in another way.
for _name in (
    "run_forever",
    "run_until_complete",
    "is_running",
    "call_later",
    "time",
    "call_soon_threadsafe",
    "set_default_executor",
    "set_exception_handler",
    "default_exception_handler",
    "call_exception_handler",
    "get_debug",
    "set_debug",
    "_add_callback",
    "_add_reader",
    "_add_writer",
    "_remove_reader",
    "_remove_writer",
):
    if hasattr(Native, _name):
        setattr(Loop, _name, getattr(Native, _name))
