"""Lists whose rows have as much air as those of the table."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem

__all__ = ["make_roomy"]


def make_roomy(view: QAbstractItemView) -> None:
    """Draw the rows of a list or a tree a little higher than their text."""
    view.setItemDelegate(_Roomy(view))


class _Roomy(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        size = super().sizeHint(option, index)
        return QSize(size.width(), max(size.height(), option.fontMetrics.height() * 3 // 2))
