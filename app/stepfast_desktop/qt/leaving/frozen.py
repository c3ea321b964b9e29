"""Saying that a window is open already and does not answer, and what can be done about it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar

from PySide6.QtWidgets import QMessageBox

from stepfast_desktop.viewmodels.words import translate

__all__ = ["Choice", "ask_about_frozen"]

T = TypeVar("T")

Choice = Literal["look", "end", "close"]


async def ask_about_frozen(
    folder: str, can_end: bool, comes_back: Callable[[], Awaitable[T]]
) -> Choice | tuple[T]:
    """Ask what is to be done; the box goes by itself once the other window answers again, or is gone.

    Args:
        folder: the data folder.
        can_end: whether it is known for certain which process it is.
        comes_back: returns once the other one answers, or is gone; cancelled when a person has chosen, which
            counts only if it has not returned by then.

    Returns:
        The choice, or in a tuple what `comes_back` returned.
    """
    box = QMessageBox(QMessageBox.Icon.Warning, "Stepfast", "")
    box.setText(translate("Frozen", "Stepfast is open already, but does not answer."))
    box.setInformativeText(
        translate(
            "Frozen",
            "It may be busy, or stuck; waiting costs nothing, and this goes away by itself when it answers. "
            "Ending it loses nothing that its steps have recorded. Read-only, you can look at everything, "
            "and nothing is started or changed.\n\n{folder}",
        ).format(folder=folder)
    )
    look = box.addButton(translate("Frozen", "Open read-only"), QMessageBox.ButtonRole.AcceptRole)
    end = None
    if can_end:
        end = box.addButton(translate("Frozen", "End the frozen one"), QMessageBox.ButtonRole.DestructiveRole)
    wait = box.addButton(translate("Frozen", "Do not open"), QMessageBox.ButtonRole.RejectRole)
    # What a person presses without reading must not be what ends something.
    box.setDefaultButton(look)
    box.setEscapeButton(wait)
    pressed: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def finished(result: int) -> None:
        if not pressed.done():
            pressed.set_result(result)

    box.finished.connect(finished)
    waiting = asyncio.ensure_future(comes_back())
    box.open()
    try:
        either: set[asyncio.Future[Any]] = {pressed, waiting}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        await asyncio.wait({waiting})
        if not waiting.cancelled():
            return (waiting.result(),)  # just now, perhaps: then there is nothing to be chosen any more
        if box.clickedButton() is look:
            return "look"
        return "end" if end is not None and box.clickedButton() is end else "close"
    finally:
        waiting.cancel()
        box.close()
        box.deleteLater()
