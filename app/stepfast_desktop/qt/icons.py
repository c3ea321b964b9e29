"""The icons: drawn from `stepfast_resources/icons`, in the colours of the palette and sharp on every screen.

The action icons are strokes of one colour, `currentColor`, which is filled in here: a window that hears of
another palette (`QEvent.Type.PaletteChange`) asks for its icons again.

    button.setIcon(icon("retry"))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QImage, QPainter, QPalette, QPixmap
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
    return QIcon(_Engine(_source(APP), {}, APP_SIZES))


@cache
def _icon(name: str, normal: str, disabled: str, selected: str) -> QIcon:
    mode = QIcon.Mode
    colours = {mode.Normal: normal, mode.Active: normal, mode.Disabled: disabled, mode.Selected: selected}
    return QIcon(_Engine(_source(name), colours, SIZES))


class _Engine(QIconEngine):
    """Draws what is asked for, when it is: of all that an icon may look like, a window shows one or two."""

    def __init__(self, source: str, colours: Mapping[QIcon.Mode, str], sizes: Sequence[int]) -> None:
        super().__init__()
        self._source = source
        self._colours = colours
        self._sizes = sizes
        self._made: dict[tuple[int, int, str], QPixmap] = {}

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        colour = self._colours.get(mode, "")
        key = (size.width(), size.height(), colour)
        if key not in self._made:
            self._made[key] = _drawn(self._source.replace("currentColor", colour), size)
        return self._made[key]

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        ratio = painter.device().devicePixelRatio()
        painter.drawPixmap(rect, self.pixmap(rect.size() * ratio, mode, state))

    def clone(self) -> QIconEngine:
        return _Engine(self._source, self._colours, self._sizes)

    def availableSizes(
        self, mode: QIcon.Mode = QIcon.Mode.Normal, state: QIcon.State = QIcon.State.Off
    ) -> list[QSize]:
        return [QSize(each, each) for each in self._sizes]


def _drawn(source: str, size: QSize) -> QPixmap:
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    side = min(size.width(), size.height())
    box = QRectF((size.width() - side) / 2, (size.height() - side) / 2, side, side)
    QSvgRenderer(QByteArray(source.encode())).render(painter, box)
    painter.end()
    return QPixmap.fromImage(image)


def _source(name: str) -> str:
    return (_folder() / f"{name}.svg").read_text("utf-8")


def _folder() -> Traversable:
    return files("stepfast_resources") / "icons"
