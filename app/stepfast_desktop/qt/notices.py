"""The bar above the table: a line for each notice, made when there is one (`notice_line.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from stepfast_desktop.viewmodels.notices import Notice, Notices

if TYPE_CHECKING:
    from stepfast_desktop.qt.notice_line import NoticeLine

__all__ = ["NoticeBar"]


class NoticeBar(QWidget):
    """Shows the notices of a window, the gravest on top; without any it takes no room."""

    def __init__(self, notices: Notices) -> None:
        super().__init__()
        self._notices = notices
        self._lines: dict[str, NoticeLine] = {}
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._disconnect = notices.changed.connect(self._show)
        self._show()

    @property
    def lines(self) -> list[NoticeLine]:
        """Those that are shown, from the top."""
        return [self._lines[each.key] for each in self._notices.shown]

    def line(self, key: str) -> NoticeLine | None:
        """The one of this key, None where it is not shown."""
        return self._lines.get(key)

    def let_go(self) -> None:
        """Listen no more."""
        self._disconnect()

    def _show(self) -> None:
        shown = self._notices.shown
        focus_was_here = self.isAncestorOf(focus) if (focus := QApplication.focusWidget()) else False
        for key in {*self._lines} - {each.key for each in shown}:
            self._drop(key)
        for place, notice in enumerate(shown):
            line = self._lines.get(notice.key)
            if line is not None and not _same_but_for_text(line.notice, notice):
                self._drop(notice.key)
                line = None
            new = line is None
            if line is None:
                # Most windows open without a notice.
                from stepfast_desktop.qt.notice_line import NoticeLine

                line = self._lines[notice.key] = NoticeLine(notice, self._notices)
            elif line.notice.text != notice.text:
                line.say(notice.text)
            line.notice = notice
            if self._layout.indexOf(line) != place:
                self._layout.insertWidget(place, line)
            if new:
                line.show()
                line.speak()
        self.setVisible(bool(shown))
        self._order()
        if focus_was_here and shown and not self.isAncestorOf(QApplication.focusWidget() or self):
            self._take_focus(self.lines[0])

    def _order(self) -> None:
        """Tab goes from the top down, wherever the newest was put."""
        last: QWidget = self
        for line in self.lines:
            for each in line.stops:
                self.setTabOrder(last, each)
                last = each

    def _take_focus(self, line: NoticeLine) -> None:
        for each in line.stops[:1]:
            each.setFocus(Qt.FocusReason.OtherFocusReason)

    def _drop(self, key: str) -> None:
        line = self._lines.pop(key)
        line.hide()  # the focus goes on from here, as the style wants
        self._layout.removeWidget(line)
        line.deleteLater()  # it may be one of its own buttons that is being pressed


def _same_but_for_text(one: Notice, other: Notice) -> bool:
    return (
        one.severity == other.severity
        and one.stays == other.stays
        and [label for label, _ in one.buttons] == [label for label, _ in other.buttons]
    )
