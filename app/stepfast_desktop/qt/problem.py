"""Saying why there is no window, and what can be done about it.

By `open` and a future: `exec` in a coroutine would turn a second loop inside the first.
"""

from __future__ import annotations

import asyncio

from PySide6.QtWidgets import QMessageBox

from stepfast_desktop.qt.bare_buttons import bare_buttons
from stepfast_desktop.viewmodels.words import translate

__all__ = ["offer_backup", "show_problem"]


async def show_problem(text: str) -> None:
    """Show a box with `text` until a person has closed it."""
    box = QMessageBox(QMessageBox.Icon.Critical, "Stepfast", text, QMessageBox.StandardButton.Close)
    await _closed(box)


async def offer_backup(path: str, made_at: str, workflows: int) -> bool:
    """Say that the file at `path` is damaged; True where a person wants its last good backup in its place.

    Args:
        made_at: when the backup was made, as a person says it.
        workflows: how many are in it.
    """
    box = QMessageBox(QMessageBox.Icon.Critical, "Stepfast", "", QMessageBox.StandardButton.Close)
    box.setText(translate("Problem", "The file of your workflows is damaged. Nothing was written to it."))
    box.setInformativeText(
        translate(
            "Problem",
            "There is a backup of {made_at}, with %n workflow(s). What was done since then is not in it. The "
            "damaged file is kept beside it:\n{path}",
            None,
            workflows,
        ).format(made_at=made_at, path=path)
    )
    text = translate("Problem", "Open the backup of {made_at}").format(made_at=made_at)
    button = box.addButton(text, QMessageBox.ButtonRole.AcceptRole)
    # What a person presses without reading must not be what changes something.
    box.setDefaultButton(QMessageBox.StandardButton.Close)
    box.setEscapeButton(QMessageBox.StandardButton.Close)
    await _closed(box)
    return box.clickedButton() is button


async def _closed(box: QMessageBox) -> None:
    done: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def finished(result: int) -> None:
        if not done.done():
            done.set_result(result)

    bare_buttons(box)
    box.finished.connect(finished)
    box.open()
    await done
