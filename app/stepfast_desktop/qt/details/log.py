"""The log of a workflow on the screen: its rows as they are scrolled to, levels, and a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication, QHideEvent, QKeyEvent, QKeySequence, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.details.rows import RowColumn, RowsModel, RowsView
from stepfast_desktop.qt.labels import quiet_label
from stepfast_desktop.qt.palette import quiet, tone_colours
from stepfast_desktop.qt.slots import start
from stepfast_desktop.viewmodels.details.log import Levels, LogViewModel
from stepfast_desktop.viewmodels.details.newest_lines import LogRow
from stepfast_desktop.viewmodels.format import Tone
from stepfast_desktop.viewmodels.words import translate

__all__ = ["LogPage"]

TIME_CHARACTERS = 9
TONES: dict[str, Tone] = {"debug": "quiet", "warning": "uneven", "error": "bad"}
SEARCH_MILLISECONDS = 200
HIT_SHARE = 0.15

Index = QModelIndex | QPersistentModelIndex


class LogModel(RowsModel[LogRow]):
    """Rows by index, read when they are asked for."""

    def __init__(self, log: LogViewModel, parent: QObject | None = None) -> None:
        columns: Sequence[RowColumn[LogRow]] = [
            RowColumn("", lambda row: row.time, TIME_CHARACTERS),
            RowColumn("", lambda row: row.text, None),
        ]
        super().__init__(columns, _colour, parent)
        self._log = log
        self._count = len(log)
        self._disconnect = [
            log.reset.connect(self._reset),
            log.added.connect(self._added),
            log.read.connect(self._read),
            log.found.connect(self.refresh),
        ]

    def let_go(self) -> None:
        """Listen no more."""
        for each in self._disconnect:
            each()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else self._count

    def row(self, index: int) -> LogRow | None:
        return self._log.row(index) if index < len(self._log) else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.BackgroundRole:
            return _hit_colour() if index.row() < len(self._log) and self._log.is_hit(index.row()) else None
        return super().data(index, role)

    def refresh(self) -> None:
        if self._count:
            self._read(0, self._count - 1)

    def _reset(self) -> None:
        self.beginResetModel()
        self._count = 0
        self.endResetModel()

    def _added(self, front: int, back: int) -> None:
        nowhere = QModelIndex()
        if front:
            self.beginInsertRows(nowhere, 0, front - 1)
            self._count += front
            self.endInsertRows()
        if back:
            self.beginInsertRows(nowhere, self._count, self._count + back - 1)
            self._count += back
            self.endInsertRows()

    def _read(self, first: int, last: int) -> None:
        if first < self._count:
            self.dataChanged.emit(self.index(first, 0), self.index(min(last, self._count - 1), 1))


class LogView(RowsView):
    """Keeps what is read in its place while earlier lines are found in front of it."""

    def __init__(self, log: LogViewModel, model: LogModel) -> None:
        super().__init__(translate("Details", "Log"), model, header=False)
        self._log = log
        model.rowsInserted.connect(self._after_earlier)

    def copy(self) -> None:
        """The selected lines to the clipboard, read or not."""
        selection = self.selectionModel().selection()
        ranges = sorted((selection.at(n).top(), selection.at(n).bottom()) for n in range(selection.count()))
        if ranges:
            start(self._copy(ranges))

    async def _copy(self, ranges: list[tuple[int, int]]) -> None:
        QGuiApplication.clipboard().setText(await self._log.text(ranges))

    def _after_earlier(self, _parent: QModelIndex, first: int, last: int) -> None:
        if first == 0 and not self._at_end:
            self.updateGeometries()
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + (last + 1) * self.verticalHeader().defaultSectionSize())

    def make_room(self, first: int, last: int) -> None:
        """For the longest time that was read: one of another day has its day beside it."""
        rows = [self._log.row(index) for index in (first, last)]
        characters = max((len(row.time) for row in rows if row is not None), default=0)
        width = self.fontMetrics().horizontalAdvance("0") * characters + self.fontMetrics().height()
        if width > self.columnWidth(0):
            self.resize_column(0, characters)


class LogPage(QWidget):
    """Levels and search above, the log below. It is read while this is visible."""

    def __init__(self, log: LogViewModel) -> None:
        super().__init__()
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._log = log
        self._model = LogModel(log, self)
        self.view = LogView(log, self._model)
        self._make_bar()
        self.nothing = quiet_label()
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.nothing)
        self._stack.addWidget(self.view)
        layout = QVBoxLayout(self)
        unit = self.fontMetrics().height()
        layout.setContentsMargins(unit // 2, unit // 4, 0, 0)
        layout.setSpacing(unit // 4)
        bar = QHBoxLayout()
        bar.setContentsMargins(0, 0, unit // 2, 0)
        for each in (self.levels, self.search, self.previous, self.next, self.hits):
            bar.addWidget(each, 1 if each is self.search else 0)
        bar.addStretch(1)
        layout.addLayout(bar)
        layout.addWidget(self._stack, 1)
        self._disconnect = [
            log.reset.connect(self._show_rows),
            log.added.connect(lambda _front, _back: self._show_rows()),
            log.found.connect(self._show_hits),
            log.read.connect(self.view.make_room),
            log.message.connect(self._show_message),
        ]
        self._message = ""
        widgets: list[QWidget] = [self.view, self.search, self.levels]
        for widget in widgets:
            widget.installEventFilter(self)
        self._show_rows()
        self._show_hits()

    def _make_bar(self) -> None:
        self.levels = QComboBox()
        self.levels.setAccessibleName(translate("Log", "Which lines"))
        self._levels: list[Levels] = ["all", "info", "warning", "error"]
        self.levels.addItems(
            [
                translate("Log", "All lines"),
                translate("Log", "Without debug lines"),
                translate("Log", "Warnings and errors"),
                translate("Log", "Errors"),
            ]
        )
        self.levels.activated.connect(lambda index: self._log.filter(self._levels[index]))
        self.search = QLineEdit()
        self.search.setPlaceholderText(translate("Log", "Search in the log"))
        self.search.setAccessibleName(translate("Log", "Search in the log"))
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(self.fontMetrics().averageCharWidth() * 40)
        self._searching = QTimer(self, singleShot=True, interval=SEARCH_MILLISECONDS)
        self._searching.timeout.connect(lambda: self._log.search(self.search.text()))
        self.search.textEdited.connect(lambda _text: self._searching.start())
        self.search.textChanged.connect(self._cleared)
        self.search.returnPressed.connect(self.go_to_hit)
        self.previous = _arrow(Qt.ArrowType.UpArrow, translate("Log", "The one before (Shift+F3)"))
        self.previous.clicked.connect(lambda _checked=False: self.go_to_hit(back=True))
        self.next = _arrow(Qt.ArrowType.DownArrow, translate("Log", "The next one (F3)"))
        self.next.clicked.connect(lambda _checked=False: self.go_to_hit())
        self.hits = quiet_label()

    def let_go(self) -> None:
        """Listen no more."""
        self._searching.stop()
        self._model.let_go()
        for each in self._disconnect:
            each()

    def go_to_hit(self, *, back: bool = False) -> None:
        """To the next line that has what is looked for, or to the one before."""
        if self._searching.isActive() or self.search.text() != self._log.sought:
            self._searching.stop()
            self._log.search(self.search.text())
        current = self.view.currentIndex().row() if self.view.selectionModel().hasSelection() else -1
        index = self._log.next_hit(current, back=back)
        if index is not None:
            self.view.selectRow(index)
            self.view.scrollTo(self._model.index(index, 0), RowsView.ScrollHint.PositionAtCenter)

    # --- showing ----------------------------------------------------------------------------------

    def _show_rows(self) -> None:
        self._stack.setCurrentIndex(int(len(self._log) > 0))
        text = translate("Details", "Nothing was logged.")
        if not self._log.complete:
            text = translate("Log", "Reading ...")
        elif self._log.levels != "all":
            text = translate("Log", "No line of this kind was logged.")
        self.nothing.setText(self._message or text)

    def _show_hits(self) -> None:
        self.hits.setText(self._log.hits_text)
        for each in (self.previous, self.next):
            each.setEnabled(bool(self._log.hits))
        if not self._log.sought and not self._searching.isActive() and self.search.text():
            self.search.clear()  # of another workflow

    def _show_message(self, text: str) -> None:
        self._message = text
        self._show_rows()

    def _cleared(self, text: str) -> None:
        if not text:
            self._searching.stop()
            if self._log.sought:
                self._log.search("")

    def refresh(self) -> None:
        """The colours are others now."""
        self._model.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._log.show(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._log.show(False)

    # --- keys that mean something else in the rest of the window ----------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and self._key(event, event.type() == QEvent.Type.KeyPress):
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent, pressed: bool) -> bool:
        """Is it one of ours? While it might be a shortcut of the window's, it is only claimed."""
        if event.type() not in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
            return False
        keys = QKeySequence.StandardKey
        if event.matches(keys.Find):
            if pressed:
                self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
                self.search.selectAll()
            return True
        for key, back in ((keys.FindNext, False), (keys.FindPrevious, True)):
            if event.matches(key):
                if pressed:
                    self.go_to_hit(back=back)
                return True
        return False


def _arrow(arrow: Qt.ArrowType, name: str) -> QToolButton:
    made = QToolButton()
    made.setArrowType(arrow)
    made.setToolTip(name)
    made.setAccessibleName(name)
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    made.setAutoRaise(True)
    return made


def _colour(row: LogRow, column: int) -> QColor | None:
    palette = QApplication.palette()
    if column == 0:
        return quiet(palette)
    tone = TONES.get(row.level)
    return None if tone is None else tone_colours(tone, palette).text


def _hit_colour() -> QColor:
    """Near the page's, so that all text is read on it as well, and another than what is selected has."""
    palette = QApplication.palette()
    base, mark = palette.color(QPalette.ColorRole.Base), tone_colours("asking", palette).fill
    pairs = ((base.red(), mark.red()), (base.green(), mark.green()), (base.blue(), mark.blue()))
    return QColor(*(round(one + (other - one) * HIT_SHARE) for one, other in pairs))
