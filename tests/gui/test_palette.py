"""The colours: what is read has the contrast of WCAG 2.2 AA, in light and in dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import get_args

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDateTimeEdit,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QRadioButton,
    QSpinBox,
    QStyleFactory,
    QTextEdit,
    QTreeWidget,
    QVBoxLayout,
    QWidget,
)

from stepfast_desktop.qt.palette import apply_palette, dark, is_dark, light, quiet, tone_colours, trough
from stepfast_desktop.viewmodels.format import Tone

TEXT, GRAPHIC = 4.5, 3.0
PALETTES = {"light": light, "dark": dark}
GROUPS = {"active": QPalette.ColorGroup.Active, "inactive": QPalette.ColorGroup.Inactive}
Role = QPalette.ColorRole

# What is written on what.
READ = [
    (Role.WindowText, Role.Window),
    (Role.Text, Role.Base),
    (Role.Text, Role.AlternateBase),
    (Role.Text, Role.Window),
    (Role.ButtonText, Role.Button),
    (Role.PlaceholderText, Role.Base),
    (Role.PlaceholderText, Role.AlternateBase),
    (Role.PlaceholderText, Role.Window),
    (Role.HighlightedText, Role.Highlight),
    (Role.ToolTipText, Role.ToolTipBase),
    (Role.Link, Role.Base),
    (Role.Link, Role.Window),
    (Role.LinkVisited, Role.Base),
    (Role.BrightText, Role.Window),
]


def contrast(one: QColor, other: QColor) -> float:
    """w3.org/TR/WCAG22, the contrast ratio: from 1 to 21."""

    def luminance(colour: QColor) -> float:
        parts = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in (colour.redF(), colour.greenF(), colour.blueF())
        )
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))

    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_computed_as_the_standard_does() -> None:
    assert contrast(QColor("#000"), QColor("#fff")) == pytest.approx(21)
    assert contrast(QColor("#777"), QColor("#fff")) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize(("text", "ground"), READ, ids=lambda role: role.name)
@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("scheme", PALETTES)
def test_text_can_be_read(scheme: str, group: str, text: Role, ground: Role) -> None:
    palette = PALETTES[scheme]()
    assert contrast(palette.color(GROUPS[group], text), palette.color(GROUPS[group], ground)) >= TEXT


@pytest.mark.parametrize("tone", get_args(Tone))
@pytest.mark.parametrize("scheme", PALETTES)
def test_states_can_be_told_on_every_ground(scheme: str, tone: Tone) -> None:
    palette = PALETTES[scheme]()
    colours = tone_colours(tone, palette)
    assert contrast(colours.on_fill, colours.fill) >= TEXT
    for ground in (Role.Base, Role.AlternateBase, Role.Window):
        assert contrast(colours.text, palette.color(ground)) >= TEXT
        assert contrast(colours.fill, palette.color(ground)) >= GRAPHIC
    assert contrast(colours.fill, trough(palette)) >= GRAPHIC


@pytest.mark.parametrize("scheme", PALETTES)
def test_the_edge_of_what_has_the_focus_can_be_seen(scheme: str) -> None:
    palette = PALETTES[scheme]()
    for ground in (Role.Base, Role.Window, Role.Button):
        assert contrast(palette.color(Role.Accent), palette.color(ground)) >= GRAPHIC


@pytest.mark.parametrize("scheme", PALETTES)
def test_every_role_is_ours(scheme: str) -> None:
    """What is not set would come from the platform, whose colours may be of the other scheme."""
    palette = PALETTES[scheme]()
    for group, role in product((*GROUPS.values(), QPalette.ColorGroup.Disabled), Role):
        if role not in (Role.NoRole, Role.NColorRoles):
            assert palette.isBrushSet(group, role), (group, role)


@pytest.mark.parametrize("scheme", PALETTES)
def test_what_is_disabled_looks_so(scheme: str) -> None:
    palette, disabled = PALETTES[scheme](), QPalette.ColorGroup.Disabled
    for text, ground in ((Role.Text, Role.Base), (Role.ButtonText, Role.Button)):
        faint = contrast(palette.color(disabled, text), palette.color(disabled, ground))
        assert 2.5 <= faint < contrast(palette.color(text), palette.color(ground))


def test_a_palette_of_anybodys_is_light_or_dark() -> None:
    assert is_dark(dark())
    assert not is_dark(light())
    assert is_dark(QPalette(QColor("#222")))
    assert not is_dark(QPalette(QColor("#eee")))
    assert quiet(light()) == QColor("#59626e")


@pytest.fixture
def dressed(qapp: QApplication) -> Iterator[QApplication]:
    before, style = qapp.palette(), qapp.style().name()
    yield qapp
    qapp.setStyle(style)
    qapp.setPalette(before)


@pytest.mark.parametrize("scheme", PALETTES)
def test_a_scheme_that_was_chosen_is_applied(dressed: QApplication, scheme: str) -> None:
    dressed.setStyle("fusion")
    apply_palette(dressed, "light" if scheme == "light" else "dark")
    assert dressed.palette().color(Role.Base) == PALETTES[scheme]().color(Role.Base)


def test_the_system_is_followed_until_one_stops(dressed: QApplication) -> None:
    dressed.setStyle("fusion")
    stop = apply_palette(dressed)
    mine = QPalette(QColor("#123456"))
    dressed.setPalette(mine)
    hints = dressed.styleHints()
    # As the platform does when the desktop changes; the offscreen one never does.
    hints.colorSchemeChanged.emit(hints.colorScheme())
    assert dressed.palette().color(Role.Base) == light().color(Role.Base)
    stop()
    dressed.setPalette(mine)
    hints.colorSchemeChanged.emit(hints.colorScheme())
    assert dressed.palette().color(Role.Button) == mine.color(Role.Button)


def test_a_style_of_the_platform_keeps_its_palette(dressed: QApplication) -> None:
    styles = QStyleFactory.keys()
    others = [name for name in styles if name.lower() != "fusion"]
    if not others:
        pytest.skip("there is only Fusion here")
    dressed.setStyle(others[0])
    mine = QPalette(QColor("#123456"))
    dressed.setPalette(mine)
    apply_palette(dressed)
    assert dressed.palette().color(Role.Button) == mine.color(Role.Button)


# --- what is drawn on what is not plain ground ------------------------------------------------------


@pytest.mark.parametrize("tone", get_args(Tone))
@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("scheme", PALETTES)
def test_a_spot_on_a_selected_row_can_be_seen(scheme: str, group: str, tone: Tone) -> None:
    """The spot has a ring in the colour of the text there; the ring tells it from the ground."""
    palette = PALETTES[scheme]()
    ground, ring = (palette.color(GROUPS[group], role) for role in (Role.Highlight, Role.HighlightedText))
    fill = tone_colours(tone, palette).fill
    assert contrast(ring, ground) >= GRAPHIC or contrast(fill, ground) >= GRAPHIC


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("scheme", PALETTES)
def test_a_bar_on_a_selected_row_can_be_told_from_what_it_has_to_fill(scheme: str, group: str) -> None:
    """It is drawn in the colour of the text there, on the same colour, thin."""
    palette = PALETTES[scheme]()
    ground = palette.color(GROUPS[group], Role.Highlight)
    text = palette.color(GROUPS[group], Role.HighlightedText)
    rest = mixed(text, ground, 70 / 255)
    assert contrast(text, ground) >= GRAPHIC
    assert contrast(text, rest) >= GRAPHIC


@pytest.mark.parametrize("tone", get_args(Tone))
@pytest.mark.parametrize("scheme", PALETTES)
def test_a_notice_can_be_read(scheme: str, tone: Tone) -> None:
    """A bar above everything: its text on the ground of views, a stripe in the colour of what it means."""
    palette = PALETTES[scheme]()
    ground = palette.color(Role.Base)
    assert contrast(palette.color(Role.Text), ground) >= TEXT
    assert contrast(palette.color(Role.Link), ground) >= TEXT
    assert contrast(tone_colours(tone, palette).fill, ground) >= GRAPHIC


@pytest.mark.parametrize("share", [0.07, 0.16], ids=["under the pointer", "pressed"])
@pytest.mark.parametrize("scheme", PALETTES)
def test_a_card_can_be_read_while_it_is_used(scheme: str, share: float) -> None:
    palette = PALETTES[scheme]()
    ground = mixed(palette.color(Role.Highlight), palette.color(Role.Base), share)
    for role in (Role.WindowText, Role.PlaceholderText):
        assert contrast(palette.color(role), ground) >= TEXT


@pytest.mark.parametrize("scheme", PALETTES)
def test_links_can_be_told_from_the_text_around_them(scheme: str) -> None:
    """They are underlined too; the colour alone need not tell them."""
    palette = PALETTES[scheme]()
    assert palette.color(Role.Link) != palette.color(Role.Text)
    for role in (Role.Link, Role.LinkVisited):
        for ground in (Role.Base, Role.AlternateBase, Role.Window):
            assert contrast(palette.color(role), palette.color(ground)) >= TEXT


FIELDS: dict[str, Callable[[], QWidget]] = {
    "line": QLineEdit,
    "number": QSpinBox,
    "moment": QDateTimeEdit,
    "choice": QComboBox,
    "tick": QCheckBox,
    "one of several": QRadioButton,
    "lines": QPlainTextEdit,
    "text": QTextEdit,
    "list": QListWidget,
    "tree": QTreeWidget,
}


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("scheme", PALETTES)
def test_the_edge_of_a_field_can_be_seen(dressed: QApplication, scheme: str, field: str) -> None:
    """As it is drawn: somewhere on the way in from the left there is a line that differs from both sides."""
    dressed.setStyle("fusion")
    apply_palette(dressed, "light" if scheme == "light" else "dark")
    window = QWidget()
    made = FIELDS[field]()
    QVBoxLayout(window).addWidget(made)
    window.resize(200, 100)
    window.show()
    picture = window.grab().toImage()
    window.close()
    ratio = picture.devicePixelRatio()
    middle = round(made.geometry().center().y() * ratio)
    first = round(made.geometry().left() * ratio)
    ground = picture.pixelColor(max(0, first - 2), middle)
    inside = PALETTES[scheme]().color(Role.Base)
    edges = [picture.pixelColor(x, middle) for x in range(first, first + round(24 * ratio))]
    assert max(min(contrast(each, ground), contrast(each, inside)) for each in edges) >= GRAPHIC


@pytest.mark.parametrize("scheme", PALETTES)
def test_the_field_with_the_keyboard_can_be_told_and_what_is_selected_in_it_read(
    dressed: QApplication, scheme: str
) -> None:
    dressed.setStyle("fusion")
    apply_palette(dressed, "light" if scheme == "light" else "dark")
    palette, plain = QApplication.palette(QLineEdit()), PALETTES[scheme]()
    edge = palette.color(Role.Highlight).darker(125)  # as Fusion draws it
    for ground in (Role.Base, Role.Window):
        assert contrast(edge, plain.color(ground)) >= GRAPHIC
    assert contrast(palette.color(Role.HighlightedText), palette.color(Role.Highlight)) >= TEXT


@pytest.mark.parametrize("scheme", PALETTES)
def test_what_is_disabled_has_a_faint_edge(dressed: QApplication, scheme: str) -> None:
    dressed.setStyle("fusion")
    apply_palette(dressed, "light" if scheme == "light" else "dark")
    palette = QApplication.palette(QLineEdit())
    disabled = QPalette.ColorGroup.Disabled
    assert palette.color(disabled, Role.Window) == PALETTES[scheme]().color(disabled, Role.Window)


def mixed(one: QColor, other: QColor, share: float) -> QColor:
    """`share` of the first on the other, as a painter mixes them."""
    parts = ((a, b) for a, b in zip(one.getRgb()[:3], other.getRgb()[:3], strict=True))
    return QColor(*(round(a * share + b * (1 - share)) for a, b in parts))
