"""Qt's selection as a mirror of the view model's, which is the one that counts."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import (
    QAbstractItemModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
)

from stepfast_desktop.viewmodels.table import TableViewModel

__all__ = ["MirroredSelection"]

Flag = QItemSelectionModel.SelectionFlag
Chosen = QItemSelection | QModelIndex | QPersistentModelIndex


class MirroredSelection(QItemSelectionModel):
    """What a person selects goes to the view model; `mirror` brings back what that holds."""

    def __init__(self, model: QAbstractItemModel, table: TableViewModel) -> None:
        super().__init__(model)
        self._table = table
        self._mirroring = False

    def select(self, what: Chosen, command: QItemSelectionModel.SelectionFlag) -> None:
        super().select(what, command)
        if self._mirroring:
            return
        selection = self._table.selection
        if selection.everything and not command & Flag.Clear:
            for key in self._keys(what):
                if selection.has(key):
                    selection.take_away([key])
                else:
                    selection.add([key])
        else:
            selection.replace(self._keys(self.selection()))
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
        for first, last in self._ranges():
            ranges.select(model.index(first, 0), model.index(last, last_column))
        self._quietly(ranges, Flag.ClearAndSelect)

    def _quietly(self, what: QItemSelection, command: QItemSelectionModel.SelectionFlag) -> None:
        self._mirroring = True
        try:
            super().select(what, command)
        finally:
            self._mirroring = False

    def _ranges(self) -> Iterator[tuple[int, int]]:
        table = self._table
        count = min(len(table.keys), self.model().rowCount())
        if table.selection.everything and table.selected_count == len(table.keys) and count:
            yield 0, count - 1
            return
        first = previous = -2
        for index in sorted(self._selected_indexes()):
            if index != previous + 1:
                if previous >= 0:
                    yield first, previous
                first = index
            previous = index
        if previous >= 0:
            yield first, previous

    def _selected_indexes(self) -> list[int]:
        table = self._table
        selection = table.selection
        selected = selection.among(table.keys) if selection.everything else selection.chosen
        return [index for key in selected if (index := table.index(key)) is not None]

    def _keys(self, what: Chosen) -> Iterator[int]:
        keys = self._table.keys
        if not isinstance(what, QItemSelection):
            if what.row() < len(keys):
                yield keys[what.row()]
            return
        for place in range(what.count()):
            each = what.at(place)
            yield from keys[each.top() : each.bottom() + 1]
