"""What a window does for a launch of the program, the first one or one that was handed over."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QApplication, QDialog

from stepfast_desktop.qt.away.raising import raise_window, use_token
from stepfast_desktop.qt.main_window import MainWindow
from stepfast_desktop.qt.slots import start
from stepfast_desktop.viewmodels.words import listed, translate

__all__ = ["obey", "raise_boxes"]


def obey(
    window: MainWindow,
    *,
    paths: Sequence[Path] = (),
    show: str | None = None,
    new_loads: Sequence[str] = (),
    raised: bool = True,
    token: str = "",
) -> None:
    """Come to the front, and do what was asked.

    Args:
        window: the window.
        paths: files or folders that a new workflow is to be about; its form opens, filled in.
        show: the id of a workflow whose row and details are to be shown.
        new_loads: what `--load` named and is not loaded here.
        raised: whether it is to come to the front at all.
        token: see `use_token`.
    """
    if raised:
        use_token(token)
        raise_window(window)
    if new_loads:
        text = translate("Window", "{names}: loaded the next time that Stepfast is started")
        window.say(text.format(names=listed(new_loads)))
    if show is not None:
        start(_show(window, show))
    if paths:
        start(window.drop([*paths]))


def raise_boxes() -> None:
    """Bring what is asked or said before there is a window to the front."""
    for each in QApplication.topLevelWidgets():
        if isinstance(each, QDialog) and each.isVisible():
            raise_window(each)


async def _show(window: MainWindow, id: str) -> None:
    if said := await window.view_model.show(id):
        window.say(said)
