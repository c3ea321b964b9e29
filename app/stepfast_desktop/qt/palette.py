"""The colours: a light and a dark palette of our own, and the colours of states in each.

Where the platform has a style of its own (Windows, macOS, KDE) that style and its palette stay. Where Qt has
only Fusion, whose own palette is dark or light by nobody's choice on some platforms, `apply_palette` applies
one of ours, explicitly, and again when the system changes its mind.

Each pair of colours that is read has the contrast that WCAG 2.2 AA asks for: 4.5 for text, 3 for a bar or a
dot or the edge of a field (w3.org/TR/WCAG22, 1.4.3 and 1.4.11). A test computes them all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QToolTip

from stepfast_desktop.viewmodels.format import Tone

__all__ = [
    "Scheme",
    "ToneColours",
    "apply_palette",
    "dark",
    "edge",
    "is_dark",
    "light",
    "quiet",
    "tone_colours",
    "trough",
]

Scheme = Literal["system", "light", "dark"]

_Group = QPalette.ColorGroup
_Role = QPalette.ColorRole

_LIGHT = {
    _Role.Window: "#f4f5f7",
    _Role.WindowText: "#1b1f24",
    _Role.Base: "#ffffff",
    _Role.AlternateBase: "#f7f8fa",
    _Role.Text: "#1b1f24",
    _Role.PlaceholderText: "#59626e",
    _Role.Button: "#fbfbfc",
    _Role.ButtonText: "#1b1f24",
    _Role.BrightText: "#b3261e",
    _Role.ToolTipBase: "#1b1f24",
    _Role.ToolTipText: "#f4f5f7",
    _Role.Highlight: "#1f5fbf",
    _Role.HighlightedText: "#ffffff",
    _Role.Accent: "#1f5fbf",
    _Role.Link: "#1a56b0",
    _Role.LinkVisited: "#6b3fa0",
    _Role.Light: "#ffffff",
    _Role.Midlight: "#e9ebef",
    _Role.Mid: "#c3c8d0",
    _Role.Dark: "#9aa1ac",
    _Role.Shadow: "#6b7480",
}
_DARK = {
    _Role.Window: "#1f2227",
    _Role.WindowText: "#e6e8eb",
    _Role.Base: "#17191d",
    _Role.AlternateBase: "#1c1f24",
    _Role.Text: "#e6e8eb",
    _Role.PlaceholderText: "#a0a8b3",
    _Role.Button: "#2b2f36",
    _Role.ButtonText: "#e6e8eb",
    _Role.BrightText: "#ff9a91",
    _Role.ToolTipBase: "#e6e8eb",
    _Role.ToolTipText: "#1b1f24",
    _Role.Highlight: "#2a66c4",
    _Role.HighlightedText: "#ffffff",
    _Role.Accent: "#4f8cf0",
    _Role.Link: "#84b4ff",
    _Role.LinkVisited: "#c9a6ff",
    _Role.Light: "#454b55",
    _Role.Midlight: "#353a43",
    _Role.Mid: "#3a4049",
    _Role.Dark: "#101215",
    _Role.Shadow: "#000000",
}
# What differs while another window is in front, or where a widget is disabled.
_INACTIVE = {
    "light": {_Role.Highlight: "#c9d8f0", _Role.HighlightedText: "#1b1f24"},
    "dark": {_Role.Highlight: "#33435c", _Role.HighlightedText: "#e6e8eb"},
}
_DISABLED = {
    "light": dict.fromkeys((_Role.WindowText, _Role.Text, _Role.ButtonText), "#8b929d")
    | {_Role.Highlight: "#d9dce2", _Role.HighlightedText: "#59626e", _Role.PlaceholderText: "#a4abb5"},
    "dark": dict.fromkeys((_Role.WindowText, _Role.Text, _Role.ButtonText), "#717a86")
    | {_Role.Highlight: "#3a4049", _Role.HighlightedText: "#a0a8b3", _Role.PlaceholderText: "#5d6570"},
}


@dataclass(frozen=True)
class ToneColours:
    """How a state looks: `text` on a view or a window, `fill` of a bar or a dot, `on_fill` for text there."""

    text: QColor
    fill: QColor
    on_fill: QColor


# The edges of what one can fill in or tick. Fusion draws them in the colour of the window, made darker by
# two fifths: too faint for 1.4.11 beside a light window, and hardly there in a dark one. So these widgets,
# which draw nothing else in that colour, are told of another window.
_EDGES = {"light": "#747b86", "dark": "#767e8a"}
# The rings and boxes of what one ticks are drawn thinner, so that they need more.
_TICKED = ("QCheckBox", "QRadioButton")
_TICK_EDGES = {"light": "#666d78", "dark": "#a0a8b3"}
_EDGED = (
    "QLineEdit",
    "QAbstractSpinBox",
    "QComboBox",
    "QPlainTextEdit",
    "QTextEdit",
    "QListWidget",
    "QTreeWidget",
)
_DARKENED = 1.4
# The edge of the one that has the keyboard is drawn in the colour of what is selected, darker by a fifth.
_IN_FIELDS: dict[str, dict[_Role, str]] = {
    "light": {},
    "dark": {_Role.Highlight: "#4f8cf0", _Role.HighlightedText: "#101215"},
}

_TONES: dict[str, dict[Tone, tuple[str, str, str]]] = {
    "light": {
        "quiet": ("#59626e", "#6b7480", "#ffffff"),
        "active": ("#1a56b0", "#2a6bd0", "#ffffff"),
        "asking": ("#6b3fa0", "#7d4fb8", "#ffffff"),
        "good": ("#1a6b35", "#25803f", "#ffffff"),
        "uneven": ("#855300", "#9a6200", "#ffffff"),
        "bad": ("#b3261e", "#c2352b", "#ffffff"),
    },
    "dark": {
        "quiet": ("#a0a8b3", "#8a939f", "#101215"),
        "active": ("#84b4ff", "#5b97f2", "#101215"),
        "asking": ("#c9a6ff", "#ae84f0", "#101215"),
        "good": ("#7bd397", "#4fb673", "#101215"),
        "uneven": ("#f0b968", "#d99a3a", "#101215"),
        "bad": ("#ff9a91", "#f0766b", "#101215"),
    },
}
_TROUGH = {"light": "#e3e6eb", "dark": "#30353d"}


_SCHEMES = {
    "system": Qt.ColorScheme.Unknown,
    "light": Qt.ColorScheme.Light,
    "dark": Qt.ColorScheme.Dark,
}


def light() -> QPalette:
    """Our palette for a light desktop."""
    return _palette(_LIGHT, "light")


def dark() -> QPalette:
    """Our palette for a dark desktop."""
    return _palette(_DARK, "dark")


def is_dark(palette: QPalette) -> bool:
    """Is this palette, ours or anybody's, light text on dark?"""
    return palette.color(_Role.Base).lightness() < palette.color(_Role.Text).lightness()


def tone_colours(tone: Tone, palette: QPalette) -> ToneColours:
    """The colours of a state, for what is drawn with `palette`."""
    return ToneColours(*map(QColor, _TONES[_key(palette)][tone]))


def trough(palette: QPalette) -> QColor:
    """What lies under the bars that are not full."""
    return QColor(_TROUGH[_key(palette)])


def quiet(palette: QPalette) -> QColor:
    """Text that stands back: labels, hints, what there is to say of nothing."""
    return palette.color(_Role.PlaceholderText)


def edge(palette: QPalette) -> QColor:
    """The edge of a field."""
    return QColor(_EDGES[_key(palette)])


def apply_palette(app: QApplication, scheme: Scheme = "system") -> Callable[[], None]:
    """Give the application its colours, and follow the system where it is asked to; called again, anew.

    Args:
        scheme: what the person chose; "system" is the desktop's own light or dark.

    Returns:
        What ends the following.
    """
    _Following.stop()
    hints = app.styleHints()
    if app.style().name().lower() != "fusion":
        # Asked for only where it is chosen, or was: some platforms warn that they cannot.
        if scheme != "system" or _Following.chosen:
            hints.setColorScheme(_SCHEMES[scheme])
        _Following.chosen = scheme != "system"
        return _nothing

    def apply(_changed: object = None) -> None:
        system_is_dark = hints.colorScheme() is Qt.ColorScheme.Dark
        palette = dark() if scheme == "dark" or (scheme == "system" and system_is_dark) else light()
        app.setPalette(palette)  # it also forgets those of classes, for whose names the stubs ask for bytes
        for name in _EDGED:
            app.setPalette(_with_edges(palette, edge(palette)), name)  # type: ignore[arg-type]
        for name in _TICKED:
            colour = QColor(_TICK_EDGES[_key(palette)])
            app.setPalette(_with_edges(palette, colour), name)  # type: ignore[arg-type]
        QToolTip.setPalette(palette)

    apply()
    if scheme != "system":
        return _nothing
    hints.colorSchemeChanged.connect(apply)

    def stop() -> None:
        if _Following.stop is stop:
            _Following.stop = _nothing
            hints.colorSchemeChanged.disconnect(apply)

    _Following.stop = stop
    return stop


def _nothing() -> None:
    pass


class _Following:
    """Of the one application: what ends its following the system, and whether a person chose a scheme."""

    stop: Callable[[], None] = staticmethod(_nothing)
    chosen = False


def _key(palette: QPalette) -> str:
    return "dark" if is_dark(palette) else "light"


def _with_edges(palette: QPalette, colour: QColor) -> QPalette:
    """The same for widgets with an edge; what is disabled has a faint one, as its text is faint."""
    made = QPalette(palette)
    parts = (colour.red(), colour.green(), colour.blue())
    window = QColor(*(min(255, round(each * _DARKENED)) for each in parts))
    for group in (_Group.Active, _Group.Inactive):
        made.setColor(group, _Role.Window, window)
    for role, name in _IN_FIELDS[_key(palette)].items():
        made.setColor(_Group.Active, role, QColor(name))
    return made


def _palette(colours: dict[_Role, str], key: str) -> QPalette:
    made = QPalette()
    for group, over in (
        (_Group.Active, {}),
        (_Group.Inactive, _INACTIVE[key]),
        (_Group.Disabled, _DISABLED[key]),
    ):
        for role, colour in {**colours, **over}.items():
            made.setColor(group, role, QColor(colour))
    return made
