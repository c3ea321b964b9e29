"""The texts: every one is found for translators, and what they wrote is what is said."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pytest
from PySide6.QtCore import QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from stepfast_desktop.qt.region import use_region
from stepfast_desktop.qt.translation import install_translation
from stepfast_desktop.viewmodels import regional, words
from stepfast_desktop.viewmodels.format import clock_text, count_text, number_text, size_text
from stepfast_desktop.viewmodels.starting.said import said_by
from stepfast_desktop.viewmodels.words import known, translate
from stepfast_desktop.workflows import ALL
from stepfast_desktop.workflows.copy_folder.preview import look
from stepfast_desktop.workflows.phrases import PHRASES

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "packaging" / "translations.py"
FOLDER = ROOT / "resources" / "stepfast_resources" / "translations"
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


def all_texts() -> set[Text]:
    definitions = [*PHRASES, *(text for each in ALL for text in said_by(each))]
    return {
        *(text_of(call) for _, call in calls()),
        *(("Workflows", text, "", False) for text in definitions if text),
    }


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
    said = all_texts()
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


# --- what is shipped ----------------------------------------------------------------------------------


class Shipped(NamedTuple):
    """A message of a translation that is shipped; `forms` are one text, or one for each plural."""

    context: str
    source: str
    comment: str
    plural: bool
    forms: list[str]
    finished: bool


def shipped(language: str) -> list[Shipped]:
    return [
        Shipped(
            context.findtext("name", ""),
            message.findtext("source", ""),
            message.findtext("comment", ""),
            message.get("numerus") == "yes",
            [each.text or "" for each in found.iter("numerusform")] or [found.text or ""],
            found.get("type") is None,
        )
        for context in ElementTree.parse(FOLDER / f"stepfast_{language}.ts").getroot().iter("context")
        for message in context.iter("message")
        if (found := message.find("translation")) is not None
    ]


PLURALS = {"de": 2, "zh_CN": 1}
PLACEHOLDER = re.compile(r"\{[a-z_]*\}|%n")
MNEMONIC = re.compile(r"&(?=[^&\s])")


@pytest.mark.parametrize("language", sorted(PLURALS))
def test_every_text_is_translated_whole(language: str) -> None:
    messages = shipped(language)
    assert len(messages) > 800
    wrong = []
    for each in messages:
        forms = PLURALS[language] if each.plural else 1
        if not each.finished or len(each.forms) != forms or not all(form.strip() for form in each.forms):
            wrong.append((each.source, "is not finished"))
        for form in each.forms:
            if sorted(PLACEHOLDER.findall(each.source)) != sorted(PLACEHOLDER.findall(form)):
                wrong.append((each.source, f"has other places to fill in: {form}"))
            if len(MNEMONIC.findall(each.source)) != len(MNEMONIC.findall(form)):
                wrong.append((each.source, f"has another number of mnemonics: {form}"))
            if each.source.endswith("\n") != form.endswith("\n"):
                wrong.append((each.source, "ends otherwise"))
    assert wrong == []


def test_the_files_of_the_translators_have_every_text() -> None:
    """Where this fails: python3 packaging/translations.py update, translate, and release."""
    said = all_texts()
    for language in PLURALS:
        assert texts_in(FOLDER / f"stepfast_{language}.ts") == said


@pytest.mark.parametrize("language", sorted(PLURALS))
def test_what_the_program_reads_is_what_the_translators_wrote(language: str) -> None:
    """Where this fails: python3 packaging/translations.py release."""
    translator = QTranslator()
    assert translator.load(str(FOLDER / f"stepfast_{language}.qm"))
    assert translator.language() == language
    wrong = []
    for each in shipped(language):
        numbers = (1, 2)[: len(each.forms)] if each.plural else (-1,)
        for n, form in zip(numbers, each.forms, strict=True):
            if translator.translate(each.context, each.source, each.comment or None, n) != form:
                wrong.append((each.source, form))
    assert wrong == []


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
    regional.use(None)


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


# --- what the definitions say ---------------------------------------------------------------------------


def test_every_phrase_is_one_that_the_workflows_say() -> None:
    """Its words between its places stand together in some text of theirs."""
    said = set()
    for path in (ROOT / "app" / "stepfast_desktop" / "workflows" / "copy_folder").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                said.add(node.value)
    everything = "\0".join(said)
    lost = [
        phrase
        for phrase in PHRASES
        for part in re.split(r"\{[a-z]+\}", phrase)
        for words in re.split(r" and | is | are | free | of | on | “|[.,;:] ", part)
        if len(words) > 12 and words.strip(" .") not in everything
    ]
    assert [*dict.fromkeys(lost)] == []


@pytest.fixture
def german(qapp: QApplication, installed: list[QTranslator]) -> Iterator[None]:
    installed += install_translation(qapp, QLocale("de_DE"))
    words.know(PHRASES)
    yield
    words.know(())


@pytest.mark.usefixtures("german")
def test_what_a_copy_finds_and_says_is_german(tmp_path: Path) -> None:
    source = tmp_path / "from"
    source.mkdir()
    for name in ("1 file", "b"):
        (source / name).write_bytes(bytes(1500))
    found = [*look(source, tmp_path / "to", "skip", None)]
    assert re.fullmatch(r"2 Dateien, 3,0 kB\. [\d.,]+ GB frei auf .*\.", known(found[-1].text))
    progress = known("1 of 1,204 files, 3.1 of 16.0 GB, 9.5 MB/s")
    assert progress == "1 von 1.204 Dateien, 3,1 von 16,0 GB, 9,5 MB/s"
    assert known("could not be read: no permission") == "nicht lesbar: keine Berechtigung"
    missing = known(next(look(tmp_path / "1 file", tmp_path / "to", "skip", None)).text)
    assert missing.startswith(f"Es gibt keinen Ordner {tmp_path}/1 file.")
    assert known("Where I bake cakes, 2 of 3 are eaten") == "Where I bake cakes, 2 of 3 are eaten"


AT = datetime(2026, 11, 30, 14, 5, 33).astimezone()


@pytest.mark.parametrize(
    ("locale", "texts"),
    [
        ("C", ("1,234,567", "1,234.5", "16.8 MB", "0.25", "14:05:33")),
        ("en_GB", ("1,234,567", "1,234.5", "16.8 MB", "0.25", "14:05:33")),
        ("en_US", ("1,234,567", "1,234.5", "16.8 MB", "0.25", "2:05:33 PM")),
        ("de_DE", ("1.234.567", "1.234,5", "16,8 MB", "0,25", "14:05:33")),
        ("zh_CN", ("1,234,567", "1,234.5", "16.8 MB", "0.25", "14:05:33")),
    ],
)
def test_numbers_and_times_are_those_of_the_region(
    installed: list[QTranslator], locale: str, texts: tuple[str, ...]
) -> None:
    use_region(QLocale(locale))
    said = (
        number_text(1234567),
        number_text(1234.5, 1),
        size_text(16_800_000),
        count_text(0.25),
        clock_text(AT, AT),
    )
    # Between a time and its PM stands a narrow space, in newer data.
    assert tuple(" ".join(each.split()) for each in said) == texts


def test_a_large_number_of_things_is_written_as_in_the_region(
    qapp: QApplication, compiled: Path, installed: list[QTranslator]
) -> None:
    installed += install_translation(qapp, QLocale("de_DE"), compiled)
    assert translate("Test", "%n file(s)", None, 12345) == "12.345 Dateien"
    assert translate("Elsewhere", "%n folder(s)", None, 12345) == "12.345 folders"


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
    qapp: QApplication, compiled: Path, installed: list[QTranslator], locale: str
) -> None:
    assert install_translation(qapp, QLocale(locale), compiled) == []
    assert translate("Test", "Hello") == "Hello"
    assert translate("Test", "%n file(s)", None, 1) == "1 file"


def test_where_nothing_was_made_there_is_nothing_to_load(
    qapp: QApplication, installed: list[QTranslator], tmp_path: Path
) -> None:
    assert install_translation(qapp, QLocale("de_DE"), tmp_path) == []
    assert translate("Test", "Hello") == "Hello"


def test_a_damaged_file_is_as_good_as_none(
    qapp: QApplication, installed: list[QTranslator], tmp_path: Path
) -> None:
    (tmp_path / "stepfast_de.qm").write_bytes(b"no translation")
    assert install_translation(qapp, QLocale("de_DE"), tmp_path) == []


def test_who_reads_english_better_gets_english(
    qapp: QApplication, compiled: Path, installed: list[QTranslator], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Both(QLocale):
        def uiLanguages(self, *_arguments: object) -> list[str]:
            return ["en-GB", "en", "de-DE", "de"]

    assert install_translation(qapp, Both("en_GB"), compiled) == []


# --- the whole program ---------------------------------------------------------------------------------

SPEAKING = """
import json, sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication, QLocale
from stepfast_desktop import bootstrap
from stepfast_desktop.settings import Settings
from stepfast_desktop.viewmodels.format import number_text
from stepfast_desktop.viewmodels.preferences import Preferences
from stepfast_desktop.viewmodels.words import known, translate

place, language = Path(sys.argv[1]), sys.argv[2]
Preferences(Settings(place)).set("language", language)

async def main(reports):
    print(json.dumps([
        translate("Table", "Name"),
        known("Copy a folder"),
        known("2 of 3 files"),
        QCoreApplication.translate("QPlatformTheme", "Cancel"),
        number_text(1234.5, 1),
        QLocale().toString(1234.5, "f", 1),
    ]))
    return 0

sys.exit(bootstrap._begun(place, main))
"""
ENGLISH = ["Name", "Copy a folder", "2 of 3 files", "Cancel"]
GERMAN_TEXTS = ["Name", "Ordner kopieren", "2 von 3 Dateien", "Abbrechen"]
CHINESE = ["名称", "复制文件夹", "2 / 3 个文件", "取消"]


@pytest.mark.parametrize(
    ("system", "language", "said", "number"),
    [
        ("de_DE.UTF-8", "", GERMAN_TEXTS, "1.234,5"),
        ("de_DE.UTF-8", "en", ENGLISH, "1,234.5"),
        ("en_GB.UTF-8", "de", GERMAN_TEXTS, "1.234,5"),
        ("de_CH.UTF-8", "de", GERMAN_TEXTS, "1'234.5"),
        ("C", "zh_CN", CHINESE, "1,234.5"),
        ("zh_CN.UTF-8", "", CHINESE, "1,234.5"),
        ("fr_FR.UTF-8", "en", ENGLISH, "1,234.5"),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no variable says what the system speaks")
def test_the_program_speaks_the_language_that_was_chosen_or_the_systems(
    tmp_path: Path, system: str, language: str, said: list[str], number: str
) -> None:
    home = {name: str(tmp_path / name) for name in ("STEPFAST_CONFIG", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")}
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    done = subprocess.run(
        [sys.executable, "-c", SPEAKING, str(tmp_path), language],
        env={**kept, **home, "LANG": system},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    # As newer data of regions have it in Switzerland.
    printed = json.loads(done.stdout.replace("\\u2019", "'"))
    assert printed == [*said, number, number]
