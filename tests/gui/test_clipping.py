"""Every window in other languages: nothing is cut off, and nothing is said that no translator has seen."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLabel, QPushButton, QVBoxLayout, QWidget

from stepfast_desktop.qt.starting.new_workflow import NewWorkflowDialog
from stepfast_desktop.qt.translation import install_translation
from stepfast_desktop.viewmodels import regional, words
from stepfast_desktop.workflows.phrases import PHRASES

sys.path.insert(0, str(Path(__file__).parent))

import accessible
from clipping import clipped, pseudo, texts, too_large, untranslated
from showing import asking, choose, closed, dialogs, each_tab, failing, lasting, opened, opening, until

sys.path.pop(0)

LANGUAGES = ("en", "pseudo", "de", "zh_CN")

# What a person, a program or the system named, and so no text of ours; keys, versions, places.
NAMES = re.compile(
    r"""Stepfast|a|b|word|one|one\ line|Word|ValueError:(\ no)?|English|Deutsch|简体中文
    |\(?((Ctrl|Shift|Alt)\+)+(\w+|,)\)?|\(?(Del|F\d+)\)?
    |Python|SQLite|PySide6|(Linux|Windows|macOS)-.*|\d+\.\d.*|/.*|\w:\\.*
    |asking|copy-folder|failing|asking,\ copy-folder,\ failing,\ lasting|lasting""",
    re.VERBOSE,
)

Look = Callable[[QWidget], list[str]]


@pytest.fixture(params=LANGUAGES)
def look(
    request: pytest.FixtureRequest, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Look]:
    """Says what is wrong with a window in a language that the program speaks meanwhile."""
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))
    installed = []
    if request.param == "pseudo":
        words.use(pseudo)
    elif request.param != "en":
        installed = install_translation(qapp, QLocale(request.param))
        assert len(installed) == 2
    words.know(PHRASES)

    def look(window: QWidget) -> list[str]:
        QApplication.sendPostedEvents()
        found = clipped(window) + too_large(window) + accessible.bad_letters(window)
        return found + (untranslated(window, NAMES) if request.param == "pseudo" else [])

    yield look
    for each in installed:
        qapp.removeTranslator(each)
    words.know(())
    words.use(None)
    regional.use(None)


async def tabs_of(window: QWidget, look: Look) -> list[str]:
    """What is wrong with a window, with each tab of it in front and all of it loaded."""
    found = []
    async for tab in each_tab(window):
        await still(window)
        found += [f"{each} (tab {tab!r})" if tab else each for each in look(window)]
    return [*dict.fromkeys(found)]


async def still(window: QWidget) -> None:
    """Wait until it says the same for a while: what it shows it may have to read."""
    said: list[tuple[str, str]] = []
    for _ in range(100):
        before, said = said, [*texts(window)]
        if said == before:
            return
        await asyncio.sleep(0.05)


async def test_the_first_window_has_room_for_its_texts(tmp_path: Path, look: Look) -> None:
    async with opened(tmp_path) as window:
        await until(lambda: window.welcome.cards, "cards")
        assert "\n".join(await tabs_of(window, look)) == ""


async def test_the_window_with_its_details_has_room_for_its_texts(tmp_path: Path, look: Look) -> None:
    async with opened(tmp_path) as window:
        engine = window.view_model.engine
        await engine.start(asking(), id="a")
        await engine.start(failing(), id="b")
        await until(lambda: window.view_model.table.counts.get("failed") == 1, "a failure")
        found = []
        for id in ("a", "b"):
            await choose(window, id)
            found += await tabs_of(window, look)
        assert "\n".join(dict.fromkeys(found)) == ""
        assert accessible.bad_shortcuts(window) == []


async def test_every_dialog_has_room_for_its_texts(tmp_path: Path, look: Look) -> None:
    async with opened(tmp_path) as window:
        await window.view_model.engine.start(failing(), id="b")
        await until(lambda: window.view_model.table.counts.get("failed") == 1, "a failure")
        await choose(window, "b")
        seen, wrong = [], []
        async for name, dialog in dialogs(window):
            if not isinstance(dialog, QFileDialog) and name != "bug-report":  # Qt's, and English for us
                wrong += [f"{name}: {each}" for each in await tabs_of(dialog, look)]
            seen.append(name)
        print(seen)
        assert "new" in seen
        assert "\n".join(wrong) == ""


async def test_the_form_of_a_copy_has_room_for_its_texts(tmp_path: Path, look: Look) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "file").write_bytes(b"1234")
    async with opened(tmp_path / "data") as window:
        dialog = await opening(window.commands["new"].trigger, "new")
        assert isinstance(dialog, NewWorkflowDialog)
        window.view_model.new_workflow.choose("copy-folder")
        form = window.view_model.new_workflow.form
        assert form is not None
        form.set("source", source)
        form.set("destination", tmp_path / "new" / "copy")
        dialog.form.unfold()
        await until(lambda: form.findings and not form.looking, "what is found")
        assert "\n".join(await tabs_of(dialog, look)) == ""
        assert len(dialog.findings.lines) == 1
        form.set("source", tmp_path / "missing")
        form.leave("source")
        await until(lambda: form.findings and not form.looking, "what is wrong")
        assert "\n".join(await tabs_of(dialog, look)) == ""
        dialog.close()


async def test_the_question_before_quitting_has_room_for_its_texts(tmp_path: Path, look: Look) -> None:
    async with opened(tmp_path) as window:
        await window.view_model.engine.start(lasting(), id="a")
        await until(lambda: window.view_model.table.counts.get("running") == 1, "one that runs")
        question = await opening(window.close, "quit")
        assert "\n".join(await tabs_of(question, look)) == ""
        await closed(question)


async def test_the_smallest_window_has_room_for_its_texts(tmp_path: Path, look: Look) -> None:
    async with opened(tmp_path) as window:
        await window.view_model.engine.start(asking(), id="a")
        await choose(window, "a")
        window.resize(1, 1)
        assert "\n".join(await tabs_of(window, look)) == ""


# --- that each fault is found ---------------------------------------------------------------------


def test_a_dialog_full_of_faults_is_told_of_each(qapp: QApplication) -> None:
    dialog = QDialog()
    dialog.setWindowTitle("[Fàùlts]")
    long = pseudo("Test", "A text that is much longer than there is room for it here")
    button, label, wrapped = QPushButton(long), QLabel(long), QLabel(long)
    wrapped.setWordWrap(True)
    box = QVBoxLayout(dialog)
    for each in (button, label, wrapped, QLabel("[[Ôné], [twô]] and three")):
        box.addWidget(each)
    for each in (button, label, wrapped):
        each.setMaximumSize(40, 20)
    dialog.show()
    found = "\n".join(clipped(dialog))
    assert f"QPushButton {long!r} is 40 wide" in found
    assert f"QLabel {long!r} is 40 wide" in found
    assert f"QLabel {long!r} is 20 high" in found
    assert untranslated(dialog, NAMES) == ["QLabel says '[[Ôné], [twô]] and three'"]
    dialog.setMinimumWidth(2000)
    assert "2000 x" in "\n".join(too_large(dialog))
    dialog.close()


def test_a_pseudo_text_keeps_what_a_translation_keeps() -> None:
    assert pseudo("Test", "&Open {name} ...") == "[&Opéñ {name}~~] ..."
    assert pseudo("Test", "%n file(s)", None, 3) == "[3 fîlé(s)~~~]"
    assert pseudo("Test", ", ") == ", "
