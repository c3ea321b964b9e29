"""The icons: there, of one style, tinted, sharp; and the desktop entry that names one of them."""

from __future__ import annotations

import configparser
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from importlib.resources import files
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon, QImage, QPalette
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from stepfast_desktop.qt.icons import icon, names
from stepfast_desktop.qt.palette import dark, light

FOLDER = Path(str(files("stepfast_resources") / "icons"))
ENTRY = Path(str(files("stepfast_resources") / "stepfast.desktop"))
WANTED = {"new", "pause", "resume", "cancel", "retry", "remove", "search", "details", "folder", "copy"}
SVG = "{http://www.w3.org/2000/svg}"


def drawn(made: QIcon, size: int, mode: QIcon.Mode = QIcon.Mode.Normal) -> QImage:
    return made.pixmap(QSize(size, size), 1.0, mode).toImage()


def is_drawn_in(image: QImage, colour: QColor) -> bool:
    """Whether all pixels that are covered whole have this colour, but for what blending rounds."""
    pixels = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    solid = [pixel for pixel in pixels if pixel.alpha() == 255]
    return bool(solid) and all(
        abs(pixel.red() - colour.red()) <= 2
        and abs(pixel.green() - colour.green()) <= 2
        and abs(pixel.blue() - colour.blue()) <= 2
        for pixel in solid
    )


def test_every_action_has_its_icon() -> None:
    assert set(names()) >= WANTED
    assert "stepfast" not in names()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.svg")), ids=lambda path: path.stem)
def test_an_icon_is_sound(path: Path) -> None:
    assert QSvgRenderer(str(path)).isValid()
    root = ElementTree.parse(path).getroot()
    assert root.tag == f"{SVG}svg"
    # Nothing that is fetched, and nothing that runs.
    allowed = {"svg", "path", "circle", "rect", "defs", "linearGradient", "stop"}
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= allowed


@pytest.mark.parametrize("name", sorted(WANTED))
def test_action_icons_are_of_one_style(name: str) -> None:
    root = ElementTree.parse(FOLDER / f"{name}.svg").getroot()
    style = {key: root.get(key) for key in ("viewBox", "fill", "stroke", "stroke-width", "stroke-linecap")}
    assert style == {
        "viewBox": "0 0 24 24",
        "fill": "none",
        "stroke": "currentColor",
        "stroke-width": "1.75",
        "stroke-linecap": "round",
    }
    assert [each for each in root.iter() if each.get("stroke")] == [root]


@pytest.mark.parametrize("name", sorted(WANTED))
@pytest.mark.parametrize("palette", [light, dark], ids=["light", "dark"])
def test_an_icon_has_the_colour_of_the_text_beside_it(qapp: QApplication, name: str, palette: object) -> None:
    colours: QPalette = palette()  # type: ignore[operator]
    made = icon(name, colours)
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    for mode, colour in (
        (QIcon.Mode.Normal, colours.color(role.ButtonText)),
        (QIcon.Mode.Disabled, colours.color(group.Disabled, role.ButtonText)),
        (QIcon.Mode.Selected, colours.color(role.HighlightedText)),
    ):
        assert is_drawn_in(drawn(made, 48, mode), colour)


@pytest.mark.parametrize("size", [16, 24, 32, 48, 72])
def test_an_icon_is_drawn_for_each_size_and_not_scaled(qapp: QApplication, size: int) -> None:
    """A screen of twice the density asks for twice the pixels."""
    assert QSize(size, size) in icon("retry").availableSizes()
    assert drawn(icon("retry"), size).size() == QSize(size, size)


def test_the_same_icon_is_drawn_once(qapp: QApplication) -> None:
    assert icon("new", light()).cacheKey() == icon("new", light()).cacheKey()


def test_without_a_palette_it_is_the_applications(qapp: QApplication) -> None:
    assert is_drawn_in(drawn(icon("new"), 48), qapp.palette().color(QPalette.ColorRole.ButtonText))


def test_the_programs_icon_is_there_in_every_size(qapp: QApplication) -> None:
    made = icon("stepfast")
    for size in (16, 32, 64, 256):
        image = drawn(made, size)
        assert image.size() == QSize(size, size)
        assert image.pixelColor(0, 0).alpha() == 0
        assert image.pixelColor(size // 2, size // 8).blue() > image.pixelColor(size // 2, size // 8).red()


def test_an_icon_that_is_not_there_is_an_error(qapp: QApplication) -> None:
    with pytest.raises(FileNotFoundError):
        icon("nothing")


def test_the_desktop_entry_starts_the_program_under_its_icon() -> None:
    parser = configparser.ConfigParser(interpolation=None, delimiters="=")
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(ENTRY.read_text("utf-8"))
    entry = parser["Desktop Entry"]
    assert entry["Exec"].split()[0] == "stepfast"
    assert (FOLDER / f"{entry['Icon']}.svg").exists()
    assert entry["Terminal"] == "false"
    assert entry["StartupWMClass"] == "stepfast"


def test_the_desktop_entry_is_valid() -> None:
    validator = shutil.which("desktop-file-validate")
    if validator is None:
        pytest.skip("desktop-file-utils is not installed")
    done = subprocess.run([validator, str(ENTRY)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
