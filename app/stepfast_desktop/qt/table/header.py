"""The header of the table: which columns there are, in which order, how wide, and by which one sorts.

What is remembered is kept by the names of columns: Qt's own state counts them, so that a version with one
more would bring back the wrong ones, or none.
"""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtCore import QByteArray, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QContextMenuEvent
from PySide6.QtWidgets import QHeaderView, QMenu, QWidget

from stepfast_desktop.viewmodels.table.columns import COLUMNS, NAME, Column, column
from stepfast_desktop.viewmodels.table.table import TableViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["TableHeader"]

USUAL_ORDER, QUEUE_ORDER = "pending", "queue"
"""Orders that no column shows."""


class TableHeader(QHeaderView):
    """Columns that a person moves, resizes, hides and sorts by."""

    arranged = Signal()
    """Something of it is other than it was."""

    def __init__(self, table: TableViewModel, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._table = table
        self._sorted_by = ""
        self.setSectionsMovable(True)
        self.setHighlightSections(False)
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter)
        self.setSectionsClickable(True)
        self.setMinimumSectionSize(self.fontMetrics().horizontalAdvance("nnn"))
        self.sectionClicked.connect(self._clicked)
        self.sectionResized.connect(lambda *_: self.arranged.emit())
        self.sectionMoved.connect(lambda *_: self.arranged.emit())

    def lay_out(self) -> None:
        """As at the first start; to be called once the header has its model."""
        self.setStretchLastSection(True)
        width = self.fontMetrics().horizontalAdvance("n")
        for place, each in enumerate(COLUMNS):
            self.moveSection(self.visualIndex(place), place)
            self.setSectionHidden(place, each.hidden)
            self.resizeSection(place, max(width * each.width, self.sectionSizeHint(place)))
        self.arranged.emit()

    # --- columns ----------------------------------------------------------------------------------

    def columns_menu(self, parent: QWidget) -> QMenu:
        """A menu with a tick for each column. The name stays: a row must be called something."""
        menu = self._menu(translate("Table", "Columns"), parent)
        for place, each in enumerate(COLUMNS):
            action = menu.addAction(each.title())
            action.setCheckable(True)
            action.setEnabled(each.name != NAME)
            action.setData(place)
            action.toggled.connect(lambda shown, place=place: self.show_column(place, shown=shown))
        menu.addSeparator()
        reset = menu.addAction(translate("Table", "Reset columns"))
        reset.triggered.connect(lambda _checked=False: self.lay_out())
        menu.aboutToShow.connect(lambda: self._tick(menu))
        return menu

    def _tick(self, menu: QMenu) -> None:
        for action in menu.actions():
            if action.isCheckable():
                action.blockSignals(True)
                action.setChecked(not self.isSectionHidden(action.data()))
                action.blockSignals(False)

    def show_column(self, place: int, *, shown: bool) -> None:
        """Show a column of `COLUMNS`, or hide it; the name is always shown."""
        self.setSectionHidden(place, not shown and COLUMNS[place].name != NAME)
        self.arranged.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.columns_menu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        keyboard = event.reason() is QContextMenuEvent.Reason.Keyboard
        menu.popup(self.mapToGlobal(QPoint(0, self.height())) if keyboard else event.globalPos())

    def _menu(self, title: str, parent: QWidget) -> QMenu:
        """A menu; while it is open, no row moves."""
        menu = QMenu(title, parent)
        menu.aboutToShow.connect(self._table.hold)
        menu.aboutToHide.connect(self._table.let_go)
        return menu

    # --- order ------------------------------------------------------------------------------------

    def order_menu(self, parent: QWidget) -> QMenu:
        """A menu with what one can sort by: what a click on the header does, for the keyboard."""
        menu = self._menu(translate("Table", "Sort by"), parent)
        group = QActionGroup(menu)
        choices: list[tuple[str, str, Column | None]] = [
            (translate("Table", "Pending first"), USUAL_ORDER, None),
            (translate("Table", "As they will run"), QUEUE_ORDER, None),
            *((each.title(), each.order, each) for each in COLUMNS if each.order and each.name != "id"),
        ]
        for title, order, by in choices:
            action = menu.addAction(title)
            action.setCheckable(True)
            action.setData(order)
            group.addAction(action)
            name = "" if by is None else by.name
            action.triggered.connect(
                lambda _checked=False, order=order, name=name: self.sort(order, name, descending=False)
            )
        menu.addSeparator()
        backwards = menu.addAction(translate("Table", "In reverse"))
        backwards.setCheckable(True)
        backwards.triggered.connect(
            lambda checked: self.sort(self._table.order, self._sorted_by, descending=checked)
        )
        menu.aboutToShow.connect(lambda: self._tick_order(menu, backwards))
        return menu

    def _tick_order(self, menu: QMenu, backwards: QAction) -> None:
        for action in menu.actions():
            if action.isCheckable() and action is not backwards:
                action.setChecked(action.data() == self._table.order)
        backwards.setChecked(self._table.descending)

    def sort(self, order: str, name: str, *, descending: bool) -> None:
        """Sort by one of `stepfast.views.ORDERS`; `name` is the column that shows it, empty for none."""
        self._sorted_by = name
        self._table.sort(order, descending=descending)
        self.setSortIndicatorShown(bool(name))
        if name:
            way = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
            self.setSortIndicator(column(name), way)
        self.arranged.emit()

    def _clicked(self, place: int) -> None:
        by = COLUMNS[place]
        if by.order is None:
            # Qt has moved the indicator already.
            self.sort(self._table.order, self._sorted_by, descending=self._table.descending)
        elif self._sorted_by != by.name:
            self.sort(by.order, by.name, descending=False)
        elif not self._table.descending:
            self.sort(by.order, by.name, descending=True)
        else:  # the third click brings the usual order back
            self.sort(USUAL_ORDER, "", descending=False)

    # --- remembered -------------------------------------------------------------------------------

    def arrangement(self) -> QByteArray:
        """What there is to remember."""
        shown = [place for place in self._in_order() if not self.isSectionHidden(place)]
        columns: list[dict[str, Any]] = []
        for place in self._in_order():
            kept: dict[str, Any] = {"name": COLUMNS[place].name, "shown": not self.isSectionHidden(place)}
            if place in shown[:-1]:  # the last one is as wide as there is room
                kept["width"] = self.sectionSize(place)
            columns.append(kept)
        sort = {"order": self._table.order, "column": self._sorted_by, "descending": self._table.descending}
        return QByteArray(json.dumps({"columns": columns, "sort": sort}).encode())

    def arrange(self, kept: QByteArray) -> None:
        """Bring back what `arrangement` gave, also another version's; what is no such thing is left out."""
        try:
            known = json.loads(bytes(kept.data()).decode() or "{}")
            columns, sort = known.get("columns", []), known.get("sort", {})
            self._restore_columns([(each["name"], each) for each in columns])
            self._restore_order(
                sort.get("order"), sort.get("column"), descending=bool(sort.get("descending"))
            )
        except (ValueError, TypeError, KeyError, AttributeError):
            return

    def _restore_columns(self, columns: list[tuple[str, dict[str, Any]]]) -> None:
        names = [each.name for each in COLUMNS]
        known = [(names.index(name), kept) for name, kept in columns if name in names]
        for visual, (place, kept) in enumerate(known):
            self.moveSection(self.visualIndex(place), visual)
            self.setSectionHidden(place, not kept.get("shown", True) and names[place] != NAME)
            if isinstance(width := kept.get("width"), int) and width > 0:
                self.resizeSection(place, width)

    def _restore_order(self, order: object, name: object, *, descending: bool) -> None:
        for each in COLUMNS:
            if each.order is not None and (each.order, each.name) == (order, name):
                self.sort(each.order, each.name, descending=descending)
        if order in (USUAL_ORDER, QUEUE_ORDER) and not name:
            self.sort(str(order), "", descending=descending)

    def _in_order(self) -> list[int]:
        return [self.logicalIndex(visual) for visual in range(self.count())]
