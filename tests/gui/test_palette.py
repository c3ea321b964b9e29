"""The colours: what is read has the contrast of WCAG 2.2 AA, in light and in dark."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import get_args

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

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
