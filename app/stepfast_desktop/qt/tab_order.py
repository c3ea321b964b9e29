"""The way of the Tab key through what is made after what stands below it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

__all__ = ["all_of", "order_each", "order_tabs"]


def order_tabs(before: QWidget, made: Iterable[QWidget]) -> None:
    """Have Tab go from `before` to what is in `made`, where by itself it would come there last."""
    # All of it, also what Tab does not stop at: what is left where it was leads back here from there.
    order_each(before, (part for each in made for part in all_of(each)))


def all_of(widget: QWidget) -> list[QWidget]:
    """A widget and all that is in it."""
    return [widget, *widget.findChildren(QWidget)]


def order_each(before: QWidget, widgets: Iterable[QWidget]) -> None:
    """Have Tab go from `before` to each of these, where it is named first; `before` need not have a focus."""
    window = before.window()
    parts = [part for part in dict.fromkeys(widgets) if part.window() is window]
    # Qt moves nothing that has no focus of its own, and takes what hands it on for one with its parts.
    kept = [(part, part.focusProxy(), part.focusPolicy()) for part in (before, *parts)]
    for part, proxy, policy in kept:
        if proxy is not None:
            part.setFocusProxy(None)  # type: ignore[arg-type]  # as Qt has it
        if policy == Qt.FocusPolicy.NoFocus:
            part.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    for part in parts:
        QWidget.setTabOrder(before, part)
        before = part
    for part, proxy, policy in kept:
        if policy == Qt.FocusPolicy.NoFocus:
            part.setFocusPolicy(policy)
        if proxy is not None:
            part.setFocusProxy(proxy)
