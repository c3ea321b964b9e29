"""The page of an empty table: the tasks there are, as cards, and how little can go wrong."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QFont,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.icons import icon
from stepfast_desktop.qt.message import Message
from stepfast_desktop.qt.starting.dropping import paths_of
from stepfast_desktop.viewmodels.starting.new_workflow import Card, NewWorkflowViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["CardButton", "Welcome"]


class CardButton(QPushButton):
    """A push button that says what it starts, and in a sentence what that does."""

    dropped = Signal(object, object)
    """Its card, and the list of the files and folders that were dropped on it."""

    def __init__(self, card: Card) -> None:
        super().__init__()
        self.card = card
        self._takes = False
        self.setAcceptDrops(True)
        unit = self.fontMetrics().height()
        self._radius = unit * 0.4
        title = QLabel(translate("Welcome", "{title} ...").format(title=card.title))
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setWordWrap(True)
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.15)
        font.setWeight(QFont.Weight.DemiBold)
        title.setFont(font)
        title.setForegroundRole(QPalette.ColorRole.WindowText)
        self.summary = Message()
        self.summary.say(card.summary)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(unit, unit * 3 // 4, unit, unit * 3 // 4)
        layout.setSpacing(unit // 4)
        layout.addWidget(title)
        layout.addWidget(self.summary)
        # Only now: what is shown before it is in something is a window of its own, for a moment.
        self.summary.setVisible(bool(card.summary))
        layout.addStretch(1)
        for each in (title, self.summary):
            each.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(card.title)
        self.setAccessibleDescription(card.summary)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().averageCharWidth() * 44
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.minimumHeight())

    def heightForWidth(self, width: int) -> int:
        layout = self.layout()
        return layout.totalHeightForWidth(width) if layout is not None else -1

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
            self._take(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._take(False)

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self._take(False)
        self.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)  # Qt forgets to, and it stayed lit
        self.dropped.emit(self.card, paths_of(event.mimeData()))

    def _take(self, takes: bool) -> None:
        """Show that what is dragged would be dropped here, or that it would not."""
        self._takes = takes
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette, role = self.palette(), QPalette.ColorRole
        base = palette.color(role.Base)
        border = palette.color(role.Mid)
        width = 1.0
        if self.isDown() or self._takes:
            base = _between(base, palette.color(role.Highlight), 0.16)
        elif self.underMouse() and self.isEnabled():
            base = _between(base, palette.color(role.Highlight), 0.07)
            border = palette.color(role.Accent)
        if self.hasFocus() or self._takes:
            border, width = palette.color(role.Accent), 2.0
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(base)
        painter.setPen(QPen(border, width))
        inset = width / 2
        around = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        painter.drawRoundedRect(around, self._radius, self._radius)
        painter.end()


class Welcome(QWidget):
    """What there is to start. `chosen` is told the name of the task that a person wants."""

    chosen = Signal(str)
    preset_chosen = Signal(str, str)
    """The same of a preset: with its title."""
    dropped = Signal(object, object)
    """The `Card` that files or folders were dropped on, and the list of them."""

    def __init__(self, view_model: NewWorkflowViewModel) -> None:
        super().__init__()
        self._view_model = view_model
        self._shown: list[Card] = []
        self.cards: list[CardButton] = []
        unit = self.fontMetrics().height()
        heading = QLabel(translate("Welcome", "What would you like to do?"))
        font = heading.font()
        font.setPointSizeF(font.pointSizeF() * 1.6)
        font.setWeight(QFont.Weight.DemiBold)
        heading.setFont(font)
        heading.setWordWrap(True)
        picture = QLabel()
        picture.setPixmap(icon("stepfast").pixmap(QSize(unit * 4, unit * 4), self.devicePixelRatioF()))
        self.drop_hint = Message()
        self.drop_hint.say(translate("Welcome", "or drop a folder here"))
        self.promise = QLabel(translate("Welcome", "Quit or crash whenever you like: it carries on."))
        self.promise.setWordWrap(True)
        for each in (picture, heading, self.drop_hint, self.promise):
            each.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._grid = QGridLayout()
        self._grid.setSpacing(unit * 3 // 4)
        column = QVBoxLayout()
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(picture)
        column.addSpacing(unit)
        column.addWidget(heading)
        column.addSpacing(unit * 3 // 2)
        column.addLayout(self._grid)
        column.addSpacing(unit * 3 // 2)
        column.addWidget(self.drop_hint)
        column.addSpacing(unit * 2)
        column.addWidget(self.promise)
        self._middle = QWidget()
        self._middle.setLayout(column)
        page = QWidget()
        whole = QVBoxLayout(page)
        whole.setContentsMargins(unit * 2, unit * 2, unit * 2, unit * 2)
        whole.addStretch(2)
        whole.addWidget(self._middle, 0, Qt.AlignmentFlag.AlignHCenter)
        whole.addStretch(3)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)
        stop = view_model.changed.connect(self._refresh)
        self.destroyed.connect(stop)
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _refresh(self) -> None:
        cards = self._view_model.cards
        if cards == self._shown:
            return
        self._shown = cards
        for old in self.cards:
            self._grid.removeWidget(old)
            old.deleteLater()
        self.cards = [CardButton(each) for each in cards]
        for each in self.cards:
            each.clicked.connect(self._clicked)
            each.dropped.connect(self.dropped)
        self._place()

    def _clicked(self) -> None:
        card = self.sender()
        if isinstance(card, CardButton):
            if card.card.preset:
                self.preset_chosen.emit(card.card.name, card.card.preset)
            else:
                self.chosen.emit(card.card.name)

    def _place(self) -> None:
        """One column, or two where there is room and something to fill them."""
        unit = self.fontMetrics().averageCharWidth()
        columns = 2 if len(self.cards) > 1 and self.width() > unit * 110 else 1
        whole = min(unit * (60 if columns == 1 else 104), max(self.width() - unit * 10, unit * 20))
        self._middle.setFixedWidth(whole)
        gap = self._grid.spacing()
        width = (whole - gap * (columns - 1)) // columns
        for first in range(0, len(self.cards), columns):
            row = self.cards[first : first + columns]
            # By hand: a grid in a scroll area never asks a button how high it is at a width.
            height = max(each.heightForWidth(width) for each in row)
            for at, each in enumerate(row):
                each.setFixedSize(width, height)
                self._grid.addWidget(each, first // columns, at)


def _between(one: QColor, other: QColor, share: float) -> QColor:
    """A colour that has `share` of the other."""
    return QColor(
        *(
            round(a + (b - a) * share)
            for a, b in (
                (one.red(), other.red()),
                (one.green(), other.green()),
                (one.blue(), other.blue()),
            )
        )
    )
