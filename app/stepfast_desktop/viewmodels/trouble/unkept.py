"""That settings cannot be read, or not kept, said above the table for as long as it is so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.notices import Notice, Notices
from stepfast_desktop.viewmodels.trouble.mishaps import Desktop
from stepfast_desktop.viewmodels.words import translate

__all__ = ["Troubled", "UnkeptSettings"]

KEY = "settings"


class Trouble(Protocol):
    """What is wrong: `kind` is "unread" or "unwritten"."""

    @property
    def kind(self) -> str: ...

    @property
    def file(self) -> Path: ...

    @property
    def reason(self) -> str: ...


class Troubled(Protocol):
    """Settings that say what is wrong with them."""

    troubled: Event[[]]

    @property
    def trouble(self) -> Trouble | None: ...

    def begin_anew(self) -> None: ...


class UnkeptSettings:
    """Shows it as a notice."""

    def __init__(self, settings: Troubled, notices: Notices, desktop: Desktop) -> None:
        self._settings = settings
        self._notices = notices
        self._desktop = desktop
        self.close = settings.troubled.connect(self._show)
        """Says no more."""
        self._show()

    def _show(self) -> None:
        trouble = self._settings.trouble
        if trouble is None:
            self._notices.hide(KEY)
            return
        buttons: list[tuple[str, Callable[[], object]]] = [
            (translate("Settings", "Open folder"), lambda: self._desktop.open(trouble.file.parent))
        ]
        if trouble.kind == "unread":
            text = translate(
                "Settings",
                "The settings in {file} cannot be read, so the usual ones count, and what you change is not "
                "kept: {reason}",
            )
            buttons.append((translate("Settings", "Set the file aside"), self._settings.begin_anew))
        else:
            text = translate("Settings", "The settings cannot be kept in {file}: {reason}")
        text = text.format(file=trouble.file, reason=trouble.reason)
        self._notices.show(Notice(KEY, text, tuple(buttons), severity="warning"))
