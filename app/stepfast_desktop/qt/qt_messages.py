"""What Qt itself has to say, in the log, and each message once.

Qt writes its warnings to stderr, where nobody looks who started the program from a menu; and when the X
server is gone it writes the same one at every turn of the loop: 80,000 lines in the five seconds in which
what runs is parked, and a desktop keeps them in its journal.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

__all__ = ["qt_messages_in_log"]

logger = logging.getLogger("stepfast.qt")

MOST = 200  # different messages that are kept in mind

LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


@contextmanager
def qt_messages_in_log() -> Iterator[None]:
    """Meanwhile, what Qt says goes to the logger "stepfast.qt", and nothing is said twice."""
    said: set[str] = set()

    def say(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        if text in said:
            return
        if len(said) >= MOST:
            said.clear()
        said.add(text)
        logger.log(LEVELS.get(kind, logging.WARNING), "%s", text)

    before = qInstallMessageHandler(say)
    try:
        yield
    finally:
        qInstallMessageHandler(before)
