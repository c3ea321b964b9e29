"""The icons: drawn from `stepfast_resources/icons`, in the colours of the palette and sharp on every screen.

The action icons are strokes of one colour, `currentColor`, which is filled in here: a window that hears of
another palette (`QEvent.Type.PaletteChange`) asks for its icons again.

    button.setIcon(icon("retry"))
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QImage, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

__all__ = ["icon", "names"]

APP = "stepfast"
# In pixels of the screen: a toolbar's 16, 20 and 24 at one, one and a half, two and three times.
SIZES = (16, 20, 24, 32, 48, 72)
APP_SIZES = (16, 24, 32, 48, 64, 128, 256)


def names() -> list[str]:
    """The action icons there are."""
    found = (each.name.removesuffix(".svg") for each in _folder().iterdir() if each.name.endswith(".svg"))
    return sorted(name for name in found if name != APP)


def icon(name: str, palette: QPalette | None = None) -> QIcon:
    """The action icon of that name, in the colour of a button's text; or "stepfast", the program's own.

    Args:
        name: the file's, without its suffix.
        palette: whose colours; the application's by default.

    Raises:
        FileNotFoundError: there is no such icon.
    """
    if name == APP:
        return _app_icon()
    palette = palette or QApplication.palette()
    group, role = QPalette.ColorGroup, QPalette.ColorRole
    return _icon(
        name,
        palette.color(group.Active, role.ButtonText).name(),
        palette.color(group.Disabled, role.ButtonText).name(),
        palette.color(group.Active, role.HighlightedText).name(),
    )


@cache
def _app_icon() -> QIcon:
    made = QIcon()
    for size in APP_SIZES:
        made.addPixmap(_drawn(_source(APP), size))
    return made


@cache
def _icon(name: str, normal: str, disabled: str, selected: str) -> QIcon:
    source, made, mode = _source(name), QIcon(), QIcon.Mode
    for colour, modes in (
        (normal, (mode.Normal, mode.Active)),
        (disabled, (mode.Disabled,)),
        (selected, (mode.Selected,)),
    ):
        tinted = source.replace("currentColor", colour)
        for size in SIZES:
            drawn = _drawn(tinted, size)
            for each in modes:
                made.addPixmap(drawn, each)
    return made


def _drawn(source: str, size: int) -> QPixmap:
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(source.encode())).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return QPixmap.fromImage(image)


def _source(name: str) -> str:
    return (_folder() / f"{name}.svg").read_text("utf-8")


def _folder() -> Traversable:
    return files("stepfast_resources") / "icons"
