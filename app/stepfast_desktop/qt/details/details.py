"""The details pane: one workflow, whole. It shows what `DetailsViewModel` says.

Until a workflow is shown there is one line, and nothing is imported or made of the rest (`parts.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from stepfast_desktop.qt.labels import quiet_label
from stepfast_desktop.qt.tab_order import order_each
from stepfast_desktop.viewmodels.details.details import DetailsViewModel, Section
from stepfast_desktop.viewmodels.words import translate

if TYPE_CHECKING:
    from stepfast_desktop.qt.details.parts import DetailsParts

__all__ = ["DetailsPane"]


class DetailsPane(QWidget):
    """What there is of the workflow that is selected, or a line that says why there is nothing."""

    started = Signal(object)
    """The key of a workflow that was started from here."""
    answered = Signal()
    """The last question was answered from here, so the keyboard has to go somewhere else."""
    retry_asked = Signal()
    """What was a problem is to be tried again."""

    def __init__(self, details: DetailsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._details = details
        self._parts: DetailsParts | None = None
        self.setAccessibleName(translate("Details", "Details of the workflow"))
        self.nothing = quiet_label()
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setWordWrap(True)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.nothing)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._stack)
        self._disconnect = details.changed.connect(self._hear)
        self._hear("workflow")

    def let_go(self) -> None:
        """Listen no more."""
        self._disconnect()
        if self._parts is not None:
            self._parts.let_go()

    def sizeHint(self) -> QSize:
        return QSize(640, self.fontMetrics().height() * 16)

    def _hear(self, section: Section) -> None:
        if section == "workflow" and self._details.state is None:
            self.nothing.setText(self._details.message)
            self._stack.setCurrentWidget(self.nothing)
        elif section == "workflow":
            # First as large as they will be: what is asked takes its room from what there is.
            self.parts.resize(self._stack.size())
            self._stack.setCurrentWidget(self.parts)
        if self._parts is not None:
            self._parts.show_changed(section)

    # --- the parts --------------------------------------------------------------------------------

    @property
    def parts(self) -> DetailsParts:
        """All that there is of a workflow; made when it is first wanted."""
        if self._parts is None:
            from stepfast_desktop.qt.details.parts import DetailsParts

            self._parts = parts = DetailsParts(self._details)
            self._stack.addWidget(parts)
            # Tab comes to what is made last after all that stands below.
            order_each(self.nothing, parts.way)
            parts.started.connect(self.started)
            parts.questions.answered.connect(self.answered)
            parts.overview.retry_these.clicked.connect(lambda _checked=False: self.retry_asked.emit())
        return self._parts
