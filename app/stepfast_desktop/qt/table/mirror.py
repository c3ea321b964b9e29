"""Qt's selection as a mirror of the view model's, which is the one that counts.

It is given to Qt as ranges. Where very many lie apart, as after thousands were sorted anew, Qt would take a
tenth of a second for them all: then it has those around what is visible, and others as one scrolls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set

from PySide6.QtCore import (
    QAbstractItemModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
)

from stepfast_desktop.viewmodels.table.table import TableViewModel

__all__ = ["MirroredSelection"]

MOST_RANGES = 400
AROUND = 200

Flag = QItemSelectionModel.SelectionFlag
Chosen = QItemSelection | QModelIndex | QPersistentModelIndex


class MirroredSelection(QItemSelectionModel):
    """What a person selects goes to the view model; `mirror` brings back what that holds."""

    def __init__(
        self, model: QAbstractItemModel, table: TableViewModel, visible: Callable[[], tuple[int, int]]
    ) -> None:
        """`visible` gives the first and the last row that can be seen."""
        super().__init__(model)
        self._table = table
        self._visible = visible
        self._window: tuple[int, int] | None = None
        """The rows of which Qt knows whether they are selected; None where it knows of all."""
        self._mirroring = False

    def select(self, what: Chosen, command: QItemSelectionModel.SelectionFlag) -> None:
        super().select(what, command)
        if self._mirroring:
            return
        selection = self._table.selection
        before = selection.held
        if selection.everything and not command & Flag.Clear:
            # What Qt has not selected now are the exceptions, whatever was done: a click, keys, or a drag
            # that grows and shrinks again.
            exceptions = [*self._out_of_sight(selection.exceptions), *self._others()]
            selection.select_all()
            selection.take_away(exceptions)
        else:
            kept = () if command & Flag.Clear else self._out_of_sight(selection.chosen)
            selection.replace([*kept, *self._keys(self.selection())])
        if selection.held != before:  # for one key that is pressed, Qt selects the same three times
            self._table.selection_changed.emit()

    def select_all(self) -> None:
        """All that match, read or not."""
        self._table.selection.select_all()
        self.mirror()
        self._table.selection_changed.emit()

    def forget(self) -> None:
        """Take every row out of Qt's selection, and out of nobody else's."""
        self._quietly(QItemSelection(), Flag.Clear)

    def mirror(self) -> None:
        """Show what the view model has selected, as ranges."""
        model = self.model()
        ranges = QItemSelection()
        last_column = model.columnCount() - 1
        found = [*self._ranges()]
        self._window = None
        if len(found) > MOST_RANGES:
            first_seen, last_seen = self._visible()
            low, high = self._window = max(0, first_seen - AROUND), last_seen + AROUND
            found = [(max(a, low), min(b, high)) for a, b in found if b >= low and a <= high]
        for first, last in found:
            ranges.select(model.index(first, 0), model.index(last, last_column))
        self._quietly(ranges, Flag.ClearAndSelect)

    def look(self) -> None:
        """Other rows can be seen: Qt must know of those too."""
        if self._window is not None:
            first, last = self._visible()
            if first < self._window[0] or last > self._window[1]:
                self.mirror()

    def _others(self) -> Iterator[int]:
        """The keys of the rows that Qt has not selected, of those that it knows of."""
        keys = self._table.keys
        done, end = (0, len(keys)) if self._window is None else (self._window[0], self._window[1] + 1)
        ranges = self.selection()
        taken = sorted((each.top(), each.bottom()) for each in map(ranges.at, range(ranges.count())))
        for first, last in taken:
            yield from keys[done:first]
            done = max(done, last + 1)
        yield from keys[done:end]

    def _out_of_sight(self, keys: Iterable[int]) -> list[int]:
        """Those of these keys of which Qt does not know."""
        if self._window is None:
            return []
        low, high = self._window
        seen = {*self._table.keys[low : high + 1]}
        return [key for key in keys if key not in seen]

    def _quietly(self, what: QItemSelection, command: QItemSelectionModel.SelectionFlag) -> None:
        self._mirroring = True
        try:
            super().select(what, command)
        finally:
            self._mirroring = False

    def _ranges(self) -> Iterator[tuple[int, int]]:
        table = self._table
        count = min(len(table.keys), self.model().rowCount())
        if table.selection.everything:
            # Between the exceptions, of which there are few: not a list of all the others.
            start = 0
            for index in [*self._indexes(table.selection.exceptions), count]:
                if start < min(index, count):
                    yield start, min(index, count) - 1
                start = index + 1
            return
        first = previous = -2
        for index in self._indexes(table.selection.chosen):
            if index != previous + 1:
                if previous >= 0:
                    yield first, previous
                first = index
            previous = index
        if previous >= 0:
            yield first, previous

    def _indexes(self, keys: Set[int]) -> Iterable[int]:
        return self._table.places(keys).values()

    def _keys(self, what: Chosen) -> Iterator[int]:
        keys = self._table.keys
        if not isinstance(what, QItemSelection):
            if what.row() < len(keys):
                yield keys[what.row()]
            return
        for place in range(what.count()):
            each = what.at(place)
            yield from keys[each.top() : each.bottom() + 1]
