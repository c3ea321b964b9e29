"""What puts texts together, and what takes them apart."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stepfast_desktop.viewmodels import words
from stepfast_desktop.viewmodels.words import (
    as_written,
    know,
    known,
    labelled,
    listed,
    sentences,
    translate,
    without_mnemonic,
)

COLON = "\N{FULLWIDTH COLON}"
CHINESE = {
    ", ": "、",
    ". ": "。",
    "{label}: {text}": f"{{label}}{COLON}{{text}}",
    "Copy a folder": "复制文件夹",
    "{n} of {m} files, {rest}": "{m} 个文件中的 {n} 个\N{FULLWIDTH COMMA}{rest}",
    "{x} of {y} {unit}": "{x} / {y} {unit}",
    "Cannot be read: {names}.": "无法读取\N{FULLWIDTH COLON}{names}。",
}


@pytest.fixture
def chinese() -> Iterator[None]:
    words.use(lambda context, text, disambiguation, n: CHINESE.get(text, text))
    yield
    words.use(None)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("&File", "File"),
        ("New workflow ...", "New workflow ..."),
        ("设置(&S)", "设置"),
        ("设置 (&S) ...", "设置 ..."),
        ("Bread && &butter", "Bread & butter"),
        ("A (b) c", "A (b) c"),
    ],
)
def test_a_text_without_its_mnemonic(text: str, shown: str) -> None:
    assert without_mnemonic(text) == shown


def test_things_are_put_together_as_in_english() -> None:
    assert listed(["a", "", "b"]) == "a, b"
    assert sentences(["One", "", "Two"]) == "One. Two"
    assert labelled("State", "Running") == "State: Running"


@pytest.mark.usefixtures("chinese")
def test_things_are_put_together_with_the_marks_of_the_language() -> None:
    assert listed(["a", "b"]) == "a、b"
    assert sentences(["One", "Two"]) == "One。Two"
    assert labelled("State", "Running") == f"State{COLON}Running"


@pytest.mark.usefixtures("chinese")
def test_what_is_for_those_who_mend_the_program_stays_as_written() -> None:
    with as_written():
        assert translate("Any", "Copy a folder") == "Copy a folder"
        assert listed(["a", "b"]) == "a, b"
    assert translate("Any", "Copy a folder") == "复制文件夹"


@pytest.mark.usefixtures("chinese")
def test_what_a_definition_of_our_own_says_is_translated_and_the_rest_is_not() -> None:
    assert known("Copy a folder") == "复制文件夹"
    assert known("Bake a cake") == "Bake a cake"
    assert known("") == ""


@pytest.mark.usefixtures("chinese")
def test_a_text_with_values_in_it_is_translated_part_by_part() -> None:
    said = "1,002 of 2,000 files, 3.1 of 6.0 GB"
    assert known(said) == said
    try:
        know(PHRASES)
        assert known(said) == "2,000 个文件中的 1,002 个\N{FULLWIDTH COMMA}3.1 / 6.0 GB"
        assert known("1 of 2 files, and so on") == "2 个文件中的 1 个\N{FULLWIDTH COMMA}and so on"
        # Names are nobody's phrases.
        assert known("Cannot be read: 1 of 2 GB.") == "无法读取\N{FULLWIDTH COLON}1 of 2 GB。"
    finally:
        know(())


def test_in_english_nothing_is_looked_for() -> None:
    know(PHRASES)
    assert known("1002 of 2000 files, 3.10 of 6 GB") == "1002 of 2000 files, 3.10 of 6 GB"
    know(())


PHRASES = ("{n} of {m} files, {rest}", "{x} of {y} {unit}", "Cannot be read: {names}.")
