"""What the window says above everything: one line each, with what can be done about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.words import translate

__all__ = ["Notice", "Notices", "Severity", "severity_name"]

Severity = Literal["info", "warning", "error"]
_GRAVEST_FIRST = {"error": 0, "warning": 1, "info": 2}


@dataclass(frozen=True, slots=True)
class Notice:
    """Something said above the table.

    Args:
        key: what it is about; a notice shown under the key of another takes its place.
        text: what a person reads: plain text, a sentence or two.
        buttons: what can be done, each a label and what is called without arguments.
        severity: how grave it is; the gravest are shown first.
        stays: it goes only by `Notices.hide`, as what it speaks of does: a person cannot close it, and a
            button that was pressed leaves it.
        closed: called when a person has closed it without pressing a button.
    """

    key: str
    text: str
    buttons: tuple[tuple[str, Callable[[], object]], ...] = ()
    severity: Severity = "info"
    stays: bool = False
    closed: Callable[[], object] | None = None


class Notices:
    """The notices of one window. `changed` says that others are to be shown."""

    def __init__(self) -> None:
        self.changed: Event[[]] = Event()
        self._shown: dict[str, Notice] = {}

    @property
    def shown(self) -> tuple[Notice, ...]:
        """Those there are, the gravest first, otherwise in the order in which they came."""
        return tuple(sorted(self._shown.values(), key=lambda each: _GRAVEST_FIRST[each.severity]))

    def __contains__(self, key: str) -> bool:
        return key in self._shown

    def show(self, notice: Notice) -> None:
        """Show this one, in the place of that with the same key where there is one."""
        if self._shown.get(notice.key) != notice:
            self._shown[notice.key] = notice
            self.changed.emit()

    def hide(self, key: str) -> None:
        """Show it no more; nothing happens where it is not shown."""
        if self._shown.pop(key, None) is not None:
            self.changed.emit()

    def close(self, key: str) -> None:
        """A person has closed it."""
        notice = self._shown.get(key)
        if notice is not None and not notice.stays:
            self.hide(key)
            if notice.closed is not None:
                notice.closed()

    def press(self, key: str, place: int) -> None:
        """A person has pressed the button at `place`, from 0 on: the notice has done what it was for."""
        notice = self._shown.get(key)
        if notice is not None:
            if not notice.stays:
                self.hide(key)
            notice.buttons[place][1]()


def severity_name(severity: Severity) -> str:
    """How a screen reader names it."""
    match severity:
        case "info":
            return translate("Notices", "Notice")
        case "warning":
            return translate("Notices", "Warning")
        case "error":
            return translate("Notices", "Error")
