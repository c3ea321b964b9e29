"""Saying why there is no window."""

from __future__ import annotations

import asyncio

from PySide6.QtWidgets import QMessageBox

__all__ = ["show_problem"]


async def show_problem(text: str) -> None:
    """Show a box with `text` until a person has closed it.

    By `open` and a future: `exec` in a coroutine would turn a second loop inside the first.
    """
    box = QMessageBox(QMessageBox.Icon.Critical, "Stepfast", text, QMessageBox.StandardButton.Close)
    done: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def finished(result: int) -> None:
        if not done.done():
            done.set_result(result)

    box.finished.connect(finished)
    box.open()
    await done
