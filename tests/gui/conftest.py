"""Tests on the window's loop, with real windows on Qt's offscreen platform.

An async test here runs on `stepfast_desktop.qt.loop.loop.Loop`; marked `@pytest.mark.asyncio(loop_factories=[
"window", "asyncio"])` it runs on asyncio's own loop as well, which says what is right.

Every test fails on what else would pass in silence (`lapses`): an exception in a task that nobody awaited,
a line logged at WARNING or above, a warning of Qt's, a timer that still runs when the test is over. Never
call `qtbot.wait*` in an async test: it hangs where not even pytest-timeout ends it.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
from collections.abc import Callable, Iterator, Mapping

# Before anything makes a QApplication. A person may set it to `xcb` to watch.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Nor may a test notify the person who runs it, or keep their computer awake.
os.environ["DBUS_SESSION_BUS_ADDRESS"] = os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/nonexistent"

import pytest
import shiboken6
from PySide6.QtCore import QMessageLogContext, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from stepfast_desktop.qt.loop.loop import Loop

# What the offscreen platform says about itself, word for word, and when. Reviewed: none of it is a fault of
# ours. Whoever adds a line says which call brings it about.
OFFSCREEN = {
    "This plugin does not support raise()": "QWidget.raise_, showing a dialog",
    "This plugin does not support propagateSizeHints()": "showing a window of fixed or least size",
    "This plugin does not support grabbing the keyboard": "opening a menu",
    "This plugin does not support setting window masks": "showing a tooltip",
    "This plugin does not support setting window opacity": "showing a tooltip",
}
FAULTS = (QtMsgType.QtWarningMsg, QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg)


class WatchedLoop(Loop):
    """Remembers the calls that were still to come when it was closed."""

    dangling: list[str] = []  # noqa: RUF012  (of all loops of a test)

    def close(self) -> None:
        if not self.is_closed():
            self.dangling.extend(repr(handle) for handle in self._scheduled if not handle.cancelled())
        super().close()


def window_loop() -> Loop:
    return WatchedLoop(QApplication.instance())


FACTORIES: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "window": window_loop,
    "asyncio": asyncio.new_event_loop,
}


def pytest_asyncio_loop_factories(
    item: pytest.Item,
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    marker = item.get_closest_marker("asyncio")
    if marker is not None and marker.kwargs.get("loop_factories"):
        return FACTORIES
    return {"window": window_loop}


class Lapses(logging.Handler):
    """What went wrong in a test without failing it, and what was expected to."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: list[str] = []
        self._expected: list[str] = []

    def expect(self, text: str) -> None:
        """Some line that is logged, or a message of Qt's, will contain `text`; it must come."""
        self._expected.append(text)

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        self.found.append(f"{record.name} logged: {record.getMessage()}" + (f" ({error!r})" if error else ""))

    def qt(self, kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if kind in FAULTS and text not in OFFSCREEN:
            self.found.append(f"Qt said: {text}")

    def check(self) -> None:
        missing = [text for text in self._expected if not any(text in line for line in self.found)]
        unexpected = [line for line in self.found if not any(text in line for text in self._expected)]
        if missing or unexpected:
            pytest.fail(
                "\n".join(
                    [*unexpected, *(f"never said, though expected: {text}" for text in missing)],
                ),
                pytrace=False,
            )


def running_timers() -> list[QTimer]:
    return [
        each
        for each in gc.get_objects()
        if issubclass(type(each), QTimer) and shiboken6.isValid(each) and each.isActive()
    ]


@pytest.fixture(autouse=True)
def lapses(qapp: QApplication) -> Iterator[Lapses]:
    """Set up before the test's loop is made and checked after it is closed; see the module's notes."""
    lapses = Lapses()
    before = set(map(id, running_timers()))
    WatchedLoop.dangling.clear()
    logging.getLogger().addHandler(lapses)
    handler = qInstallMessageHandler(lapses.qt)
    try:
        yield lapses
        gc.collect()  # a task that failed says so when it is collected
    finally:
        qInstallMessageHandler(handler)
        logging.getLogger().removeHandler(lapses)
    lapses.found.extend(
        f"a timer still runs: {each!r}" for each in running_timers() if id(each) not in before
    )
    lapses.found.extend(f"a timer was still set: {each}" for each in WatchedLoop.dangling)
    lapses.check()


@pytest.fixture(autouse=True)
def _only_told(only_told: None) -> None:
    """What is waited for here has to be told, and may take its time."""


@pytest.fixture
def offscreen_texts() -> Mapping[str, str]:
    return OFFSCREEN


@pytest.fixture(params=sorted(FACTORIES))
def factory(request: pytest.FixtureRequest) -> Callable[[], asyncio.AbstractEventLoop]:
    """Makes a loop, of each kind in turn, for tests that run and close it themselves."""
    return FACTORIES[request.param]


@pytest.fixture
def loop(factory: Callable[[], asyncio.AbstractEventLoop]) -> Iterator[asyncio.AbstractEventLoop]:
    """A loop of each kind in turn, not running."""
    loop = factory()
    yield loop
    loop.close()


@pytest.fixture
def window() -> Iterator[Loop]:
    """The window's loop, not running."""
    loop = window_loop()
    yield loop
    loop.close()
