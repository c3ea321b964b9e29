"""Bringing rows before a person's eyes: from a notification, the tray, a notice, a question or a start."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.table.table import TableViewModel

__all__ = ["Revealing"]


MOST_UNFOLDED = 20
"""Rows whose parents are unfolded for them; of more, nobody sees them all at once."""


class Revealing:
    """Selects rows of the table, with its filter taken off, as soon as the table has them."""

    def __init__(self, table: TableViewModel) -> None:
        self.asked: Event[[]] = Event()
        """The window is to be brought to the front, without a filter."""
        self.revealed: Event[[int]] = Event()
        """The row of this key is to be scrolled to and made the current one."""
        self._table = table
        self._wanted: tuple[int, ...] = ()
        self._soon: asyncio.Handle | None = None
        self._disconnect = table.reordered.connect(self._look)

    def close(self) -> None:
        """Nothing more is revealed."""
        self._disconnect()
        if self._soon is not None:
            self._soon.cancel()

    def reveal(self, keys: Sequence[int]) -> None:
        """Select these rows, and go to the first; without any the window is only brought to the front."""
        self._wanted = tuple(keys)
        self.asked.emit()
        if keys:
            filtered = self._table.filtered
            self._table.show_all()
            for key in keys[:MOST_UNFOLDED]:
                self._table.reveal(key)
            if not filtered:  # else the table has the rows of its filter, until it has read the others
                self._look()

    def go(self, key: int) -> None:
        """Select this row alone, and go to it where it stands; out of a filter that hides it, if need be."""
        if self._table.index(key) is None:
            self.reveal([key])
        else:
            self._show([key])

    def reveal_states(self, states: Iterable[str]) -> None:
        """Show all that are in one of these states, and no others."""
        self._wanted = ()
        self.asked.emit()
        self._table.filter(states=states, text="", removed=False, needs_answer=False, problems=False)

    def _look(self) -> None:
        there = [*self._table.places({*self._wanted})]
        if not there or self._table.filtered:
            return
        self._show(there)

    def _show(self, keys: list[int]) -> None:
        """Select these, in the order in which they are shown."""
        self._wanted = ()
        self._table.selection.replace(keys)
        self._table.selection_changed.emit()
        # Whoever shows the table hears of the same change of its keys, and perhaps after this.
        self._soon = asyncio.get_running_loop().call_soon(self.revealed.emit, keys[0])
