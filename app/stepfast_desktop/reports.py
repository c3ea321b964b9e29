"""What goes wrong in the program itself: a log file that is kept small, and what a crash leaves behind.

    with Reports(log_folder()) as reports:
        reports.tell(show)          # each kind of exception once, on whichever thread it came up
        reports.crashed             # what the last one died of, if it did

Exceptions that nobody handles (of a slot, a task, a thread, a destructor) are written to the log, and the
program goes on. What kills it, `faulthandler` writes to a file that is found at the next start. The log has
what the program says of itself, never a value of an input or a secret.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import logging
import logging.handlers
import os
import sys
import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from stepfast_desktop.viewmodels.trouble.mishaps import Crash, Mishap

__all__ = ["Reports", "log_folder"]

LOG = "stepfast.log"
LOG_BYTES = 1_000_000
LOGS_KEPT = 3
CRASHES_KEPT = 5
LOGGERS = ("stepfast", "stepfast_desktop")

logger = logging.getLogger("stepfast")


def log_folder(environment: Mapping[str, str] | None = None, system: str = sys.platform) -> Path:
    """Where the log is: XDG_STATE_HOME on Linux, LOCALAPPDATA on Windows, Library/Logs on macOS."""
    given = os.environ if environment is None else environment
    home = Path.home()
    if system == "win32":
        local = given.get("LOCALAPPDATA")
        return (Path(local) if local else home / "AppData" / "Local") / "Stepfast" / "Logs"
    if system == "darwin":
        return home / "Library" / "Logs" / "Stepfast"
    state = given.get("XDG_STATE_HOME", "")
    return (Path(state) if os.path.isabs(state) else home / ".local" / "state") / "stepfast" / "log"


class _File(logging.handlers.RotatingFileHandler):
    """A log that cannot be written (a full disk) stops nobody, and is not told on a terminal line by line."""

    def handleError(self, record: logging.LogRecord) -> None:
        pass

    def close(self) -> None:
        with contextlib.suppress(OSError):  # what could not be written is tried once more
            super().close()


class Reports:
    """The log and the hooks of one process; a context within which they are in place.

    Args:
        folder: where the files go; made where it is not there.
        level: from which level on lines are kept: "debug", "info", "warning" or "error".
    """

    def __init__(self, folder: Path, level: str = "info") -> None:
        self.folder = folder
        self.log = folder / LOG
        self.crashed: Crash | None = None
        self._level = level
        self._listener: Callable[[Mishap], object] | None = None
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()
        self._undo = contextlib.ExitStack()
        self._handler: logging.Handler | None = None

    def __enter__(self) -> Reports:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.crashed = self._find_crash()
            self._keep_log()
            self._keep_crashes()
        except OSError as error:
            logger.warning("no log is kept in %s: %s", self.folder, error)
        self._hook()
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    # --- the log ----------------------------------------------------------------------------------

    def set_level(self, level: str) -> None:
        """Keep lines from this level on, from now on."""
        self._level = level
        if self._handler is not None:
            number = logging.getLevelNamesMapping()[level.upper()]
            self._handler.setLevel(number)
            for name in LOGGERS:
                logging.getLogger(name).setLevel(number)

    def _keep_log(self) -> None:
        handler = _File(
            self.log,
            maxBytes=LOG_BYTES,
            backupCount=LOGS_KEPT,
            encoding="utf-8",
            delay=True,
            errors="replace",
        )
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s"))
        before = {name: logging.getLogger(name).level for name in LOGGERS}
        self._handler = handler
        self.set_level(self._level)
        logging.getLogger().addHandler(handler)

        def undo() -> None:
            logging.getLogger().removeHandler(handler)
            handler.close()
            for name, level in before.items():
                logging.getLogger(name).setLevel(level)

        self._undo.callback(undo)
        logger.info("%s begins, process %d", about(), os.getpid())

    # --- exceptions -------------------------------------------------------------------------------

    def tell(self, listener: Callable[[Mishap], object] | None) -> None:
        """Tell of each kind of exception once, on the thread where it was raised; None to tell nobody."""
        self._listener = listener

    def handle(self, error: BaseException, where: str = "") -> None:
        """An exception that nobody has handled. Each kind is logged whole when it comes first.

        Args:
            where: what it came from, for the log.
        """
        mishap = Mishap.of(error, where, about())
        with self._lock:
            count = self._counts[mishap.kind] = self._counts.get(mishap.kind, 0) + 1
        if count == 1:
            logger.error("%s\n%s", where or "an exception that nobody handled", mishap.details)
            if self._listener is not None:
                self._listener(mishap)
        elif count in (10, 100) or count % 1000 == 0:
            logger.error("for the %dth time: %s", count, mishap.summary)

    def of_loop(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """A handler for `loop.set_exception_handler`."""
        error = context.get("exception")
        if error is not None:
            self.handle(error, str(context.get("message", "")))
        else:
            loop.default_exception_handler(context)

    def _hook(self) -> None:
        before = sys.excepthook, threading.excepthook, sys.unraisablehook

        def of_program(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
            if isinstance(error, Exception):
                self.handle(error.with_traceback(trace))
            before[0](kind, error, trace)

        def of_thread(given: threading.ExceptHookArgs) -> None:
            if isinstance(given.exc_value, Exception):
                self.handle(given.exc_value, f"in the thread {given.thread and given.thread.name}")
            before[1](given)

        def of_nobody(given: Any) -> None:
            if isinstance(given.exc_value, Exception):
                self.handle(given.exc_value, given.err_msg or "where no exception can be raised")
            before[2](given)

        sys.excepthook, threading.excepthook, sys.unraisablehook = of_program, of_thread, of_nobody

        def undo() -> None:
            sys.excepthook, threading.excepthook, sys.unraisablehook = before

        self._undo.callback(undo)

    # --- crashes ----------------------------------------------------------------------------------

    def _keep_crashes(self) -> None:
        path = self.folder / f"crash-{os.getpid()}.txt"
        file = path.open("w", encoding="utf-8")
        file.write(f"{about()}\nstarted {datetime.now().astimezone():%Y-%m-%d %H:%M:%S %z}\n\n")
        file.flush()
        was_on = faulthandler.is_enabled()
        faulthandler.enable(file)

        def undo() -> None:
            faulthandler.disable()
            if was_on and sys.__stderr__ is not None:
                with contextlib.suppress(OSError, ValueError):
                    faulthandler.enable(sys.__stderr__)
            file.close()
            # Nobody is told of a program that ended well.
            with contextlib.suppress(OSError):
                path.unlink()

        self._undo.callback(undo)

    def _find_crash(self) -> Crash | None:
        """What the last program here died of. It is found once: its file gets another name."""
        found: Crash | None = None
        for path in sorted(self.folder.glob("crash-*.txt"), key=_changed):
            try:
                text = path.read_text("utf-8", "replace")
                if not text.partition("\n\n")[2].strip():
                    # One that runs, or was killed, which says nothing.
                    if not _lives(path):
                        with contextlib.suppress(OSError):  # on Windows: another window has it open
                            path.unlink()
                    continue
                at = datetime.fromtimestamp(path.stat().st_mtime).astimezone()
                kept = path.with_name(f"crashed-{at:%Y-%m-%dT%H-%M-%S}.txt")
                os.replace(path, kept)
                found = Crash(kept, at, text)
            except OSError as error:
                logger.warning("%s cannot be looked at: %s", path, error)
        for old in sorted(self.folder.glob("crashed-*.txt"))[:-CRASHES_KEPT]:
            with contextlib.suppress(OSError):
                old.unlink()
        return found


def about() -> str:
    """The versions, as a line at the beginning of a report."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    try:
        ours = version("stepfast")
    except PackageNotFoundError:
        ours = "from its source"
    qt: Any = sys.modules.get("PySide6")
    with_qt = f", PySide6 {qt.__version__}" if qt is not None else ""
    return f"Stepfast {ours}, Python {platform.python_version()}{with_qt}, {platform.platform()}"


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _lives(path: Path) -> bool:
    """Is there a process of the number that the file is named by? A wrong yes keeps an empty file."""
    number = path.stem.partition("-")[2]
    if not number.isdecimal() or os.name == "nt":  # there, one that is open cannot be deleted anyway
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return int(number) != os.getpid()
