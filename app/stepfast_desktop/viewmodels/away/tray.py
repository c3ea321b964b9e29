"""What the tray icon says: one of four states, a tooltip, and what runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from stepfast import Summary
from stepfast_desktop.viewmodels.away.pending import Pending
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.format import percent_text, progress_text, readable, share_of
from stepfast_desktop.viewmodels.words import translate

__all__ = ["MOST_SHOWN", "TrayEntry", "TrayState", "TrayViewModel"]

TrayState = Literal["idle", "running", "asking", "failed"]

MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class TrayEntry:
    """One workflow of the menu: the key of its row, and what the menu says of it."""

    key: int
    text: str


class TrayViewModel:
    """What failed counts until somebody looks: `looked_at` is told when the window is in front.

    Args:
        pending: what runs and what asks.
        seen: is the window in front of a person now?
    """

    def __init__(self, pending: Pending, seen: Callable[[], bool]) -> None:
        self.changed: Event[[]] = Event()
        self._pending = pending
        self._seen = seen
        self._failed: set[int] = set()
        self._shown: object = None
        self._disconnect = [
            pending.changed.connect(self._look),
            pending.ended.connect(self._ended),
        ]

    def close(self) -> None:
        """Listen no more."""
        for each in self._disconnect:
            each()

    @property
    def state(self) -> TrayState:
        """A failure nobody has seen comes before a question, and that before what runs."""
        if self._failed:
            return "failed"
        if self._pending.asking:
            return "asking"
        return "running" if self._pending.running else "idle"

    @property
    def tooltip(self) -> str:
        """A line for the program, and one for each thing there is to say."""
        running, asking, failed = self._pending.running, len(self._pending.asking), len(self._failed)
        lines = [translate("Tray", "Stepfast")]
        if failed:
            lines.append(translate("Tray", "%n workflow(s) failed", None, failed))
        if asking:
            lines.append(translate("Tray", "%n workflow(s) waiting for you", None, asking))
        if running:
            text = translate("Tray", "%n workflow(s) running", None, len(running))
            shares = [share for row in running.values() if (share := share_of(row.progress)) is not None]
            if shares:
                percent = percent_text(sum(shares) / len(shares))
                text = translate("Tray", "{running}, {percent}").format(running=text, percent=percent)
            lines.append(text)
        if len(lines) == 1:
            lines.append(translate("Tray", "Nothing is running"))
        return "\n".join(lines)

    @property
    def entries(self) -> tuple[TrayEntry, ...]:
        """What runs, the longest first, as many as the menu shows."""
        rows = sorted(
            self._pending.running.values(), key=lambda row: (row.started_at is None, row.started_at)
        )
        return tuple(TrayEntry(row.key, _entry_text(row)) for row in rows[:MOST_SHOWN])

    @property
    def more(self) -> str:
        """How many more run than the menu shows; empty where it shows all."""
        left = len(self._pending.running) - MOST_SHOWN
        return translate("Tray", "and %n more", None, left) if left > 0 else ""

    def looked_at(self) -> None:
        """Somebody looks at the window, where what failed is to be seen."""
        if self._failed:
            self._failed.clear()
            self._look()

    def _ended(self, rows: tuple[Summary, ...]) -> None:
        if not self._seen():
            self._failed.update(row.key for row in rows if row.state.name == "failed")

    def _look(self) -> None:
        shown = (self.state, self.tooltip)
        if shown != self._shown:
            self._shown = shown
            self.changed.emit()


def _entry_text(row: Summary) -> str:
    said = progress_text(row)
    if not said:
        return readable(row.id)
    return translate("Tray", "{name}: {progress}").format(name=readable(row.id), progress=said)
