"""The texts: every one is found for translators, and what they wrote is what is said."""

from __future__ import annotations

import ast
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from stepfast_desktop.qt.translation import install_translation
from stepfast_desktop.viewmodels import words
from stepfast_desktop.viewmodels.words import translate

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "packaging" / "translations.py"
GERMAN = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Test</name>
    <message><source>Hello</source><translation>Hallo</translation></message>
    <message><source>Open</source><comment>adjective</comment><translation>Offen</translation></message>
    <message><source>Open</source><comment>verb</comment><translation>Öffnen</translation></message>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation><numerusform>%n Datei</numerusform><numerusform>%n Dateien</numerusform></translation>
    </message>
    <message><source>Later</source><translation type="unfinished"></translation></message>
</context>
</TS>
"""

Text = tuple[str, str, str, bool]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=100)


def calls() -> Iterator[tuple[str, ast.Call]]:
    for path in sorted((ROOT / "app").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "translate":
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node


def text_of(call: ast.Call) -> Text:
    """Context, text, disambiguation, and whether it has a plural."""
    given = [ast.literal_eval(each) for each in call.args[:3]]
    return given[0], given[1], (given[2:] or [None])[0] or "", len(call.args) > 3


def texts_in(file: Path) -> set[Text]:
    return {
        (
            context.findtext("name", ""),
            message.findtext("source", ""),
            message.findtext("comment", ""),
            message.get("numerus") == "yes",
        )
        for context in ElementTree.parse(file).getroot().iter("context")
        for message in context.iter("message")
    }


def test_every_text_is_written_out_where_it_is_translated() -> None:
    """A text that is put together at run time is one that no translator ever sees."""
    wrong = []
    for place, call in calls():
        literal = all(isinstance(each, ast.Constant) for each in call.args[:3])
        if not literal or call.keywords or not 2 <= len(call.args) <= 4:
            wrong.append(place)
    assert wrong == []


def test_a_plural_has_its_number_and_a_number_its_plural() -> None:
    wrong = [
        place
        for place, call in calls()
        if (isinstance(text := call.args[1], ast.Constant) and "%n" in str(text.value))
        is not (len(call.args) == 4)
    ]
    assert wrong == []


def test_every_text_is_found_for_the_translators(tmp_path: Path) -> None:
    done = run("update", tmp_path)
    assert done.returncode == 0, done.stderr
    said = {text_of(call) for _, call in calls()}
    assert len(said) > 100
    for language in ("de", "zh_CN"):
        assert texts_in(tmp_path / f"stepfast_{language}.ts") == said


def test_what_was_translated_stays_translated(tmp_path: Path) -> None:
    assert run("update", tmp_path).returncode == 0
    file = tmp_path / "stepfast_de.ts"
    tree = ElementTree.parse(file)
    message = next(each for each in tree.iter("message") if each.get("numerus") != "yes")
    translation = message.find("translation")
    assert translation is not None
    translation.text = "so"
    translation.attrib.pop("type")
    tree.write(file, encoding="utf-8", xml_declaration=True)
    assert run("update", tmp_path).returncode == 0
    assert "<translation>so</translation>" in file.read_text("utf-8")


def test_the_files_of_the_translators_are_there_and_sound() -> None:
    folder = ROOT / "resources" / "stepfast_resources" / "translations"
    for language in ("de", "zh_CN"):
        root = ElementTree.parse(folder / f"stepfast_{language}.ts").getroot()
        assert root.get("language") == language


@pytest.fixture
def compiled(tmp_path: Path) -> Path:
    (tmp_path / "stepfast_de.ts").write_text(GERMAN, "utf-8")
    done = run("release", tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "stepfast_de.qm").exists()
    return tmp_path


@pytest.fixture
def installed(qapp: QApplication) -> Iterator[list[QTranslator]]:
    """What a test puts in here is taken out of the application again."""
    installed: list[QTranslator] = []
    yield installed
    for each in installed:
        qapp.removeTranslator(each)
    words.use(None)


def test_a_translation_is_what_is_said(
    qapp: QApplication, compiled: Path, installed: list[QTranslator]
) -> None:
    installed += install_translation(qapp, QLocale("de_AT"), compiled)
    assert translate("Test", "Hello") == "Hallo"
    assert translate("Test", "Open", "verb") == "Öffnen"
    assert translate("Test", "Open", "adjective") == "Offen"
    assert [translate("Test", "%n file(s)", None, n) for n in (0, 1, 2)] == [
        "0 Dateien",
        "1 Datei",
        "2 Dateien",
    ]


def test_what_a_translation_lacks_is_said_as_it_is_written(
    qapp: QApplication, compiled: Path, installed: list[QTranslator]
) -> None:
    installed += install_translation(qapp, QLocale("de_DE"), compiled)
    assert translate("Test", "Later") == "Later"
    assert translate("Elsewhere", "Hello") == "Hello"
    assert [translate("Test", "%n folder(s)", None, n) for n in (1, 2)] == ["1 folder", "2 folders"]


def test_the_texts_of_qt_are_in_the_same_language(
    qapp: QApplication, compiled: Path, installed: list[QTranslator]
) -> None:
    installed += install_translation(qapp, QLocale("de_DE"), compiled)
    if len(installed) < 2:
        pytest.skip("this Qt has no German texts of its own")
    assert qapp.translate("QPlatformTheme", "Cancel") == "Abbrechen"


@pytest.mark.parametrize("locale", ["en_GB", "fr_FR", "C"])
def test_where_there_is_no_translation_all_is_as_written(
    qapp: QApplication, compiled: Path, locale: str
) -> None:
    assert install_translation(qapp, QLocale(locale), compiled) == []
    assert translate("Test", "Hello") == "Hello"
    assert translate("Test", "%n file(s)", None, 1) == "1 file"


def test_in_a_checkout_there_is_nothing_to_load(qapp: QApplication, tmp_path: Path) -> None:
    assert install_translation(qapp, QLocale("de_DE"), tmp_path) == []
    assert translate("Test", "Hello") == "Hello"


def test_a_damaged_file_is_as_good_as_none(qapp: QApplication, tmp_path: Path) -> None:
    (tmp_path / "stepfast_de.qm").write_bytes(b"no translation")
    assert install_translation(qapp, QLocale("de_DE"), tmp_path) == []


def test_who_reads_english_better_gets_english(
    qapp: QApplication, compiled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Both(QLocale):
        def uiLanguages(self, *_arguments: object) -> list[str]:
            return ["en-GB", "en", "de-DE", "de"]

    assert install_translation(qapp, Both("en_GB"), compiled) == []
