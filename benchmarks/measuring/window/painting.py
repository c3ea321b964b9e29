"""When a window has been painted, and whether what it shows is read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from stepfast_desktop.qt.main_window import MainWindow

__all__ = ["Painted", "rows_shown"]

PATIENCE = 30.0


def rows_shown(window: MainWindow) -> bool:
    """Is every row that can be seen read?"""
    table = window.table
    first, last = table.rowAt(0), table.rowAt(table.viewport().height() - 1)
    count = len(window.view_model.table.keys)
    if first < 0 or not count:
        return False
    last = count - 1 if last < 0 else last
    return all(window.view_model.table.row(index) is not None for index in range(first, last + 1))


class Painted(QObject):
    """Waits until a widget has been painted at a moment when something held, and the loop is back."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.paints = 0
        self._holds: Callable[[], bool] | None = None
        self._done = asyncio.Event()
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.paints += 1
            if self._holds is not None and self._holds():
                self._holds = None
                # Not before the rest of this turn, in which it is painted and sent to the screen.
                asyncio.get_running_loop().call_soon(self._done.set)
        return False

    async def after(self, do: Callable[[], object], holds: Callable[[], bool] = lambda: True) -> float:
        """Do something and wait for it to be painted.

        Returns:
            Milliseconds from just before `do` to the end of the turn of the loop that painted it.

        Raises:
            TimeoutError: it was not painted within half a minute.
        """
        loop = asyncio.get_running_loop()
        self._done.clear()
        began = loop.time()
        self._holds = holds
        do()
        async with asyncio.timeout(PATIENCE):
            await self._done.wait()
        return (loop.time() - began) * 1000
