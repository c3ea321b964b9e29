"""What the settings say of how long finished workflows are kept, and what a settings file may get wrong."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from stepfast import Retention
from stepfast_desktop.settings import RETENTION, Settings


def settings(tmp_path: Path, retention: Any) -> Settings:
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({str(tmp_path.resolve()): {"retention": retention}}))
    return Settings(tmp_path, file)


def test_without_a_word_half_a_year_is_kept(tmp_path: Path) -> None:
    assert Settings(tmp_path, tmp_path / "none.json").retention == RETENTION
    assert Retention(age=timedelta(days=180), keep=100_000) == RETENTION


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ({"days": 30, "keep": 10}, Retention(age=timedelta(days=30), keep=10)),
        ({"days": 0.5}, Retention(age=timedelta(hours=12), keep=100_000)),
        ({"days": None, "keep": None}, Retention()),
        ({}, RETENTION),
    ],
)
def test_what_is_said_is_meant(tmp_path: Path, said: Any, meant: Retention) -> None:
    assert settings(tmp_path, said).retention == meant


@pytest.mark.parametrize(
    "said", [7, "a week", [], {"days": "7"}, {"days": -1}, {"days": 1e300}, {"keep": 1.5}, {"weeks": 2}]
)
def test_what_cannot_be_meant_deletes_nothing(
    tmp_path: Path, said: Any, caplog: pytest.LogCaptureFixture
) -> None:
    assert settings(tmp_path, said).retention == Retention()
    assert '{"days": 180, "keep": 100000}' in caplog.text


UNREADABLE = ["{", "[]", "7", "\x00", "[" * 100_000, '{"a": "\udc80"}']


@pytest.mark.parametrize("text", UNREADABLE)
def test_a_file_that_cannot_be_read_is_said_once_and_stays_as_it_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    file = tmp_path / "settings.json"
    file.write_text(text, encoding="utf-8", errors="surrogateescape")
    before = file.read_bytes()
    settings = Settings(tmp_path, file)
    assert [settings.get("limits") for _ in range(3)] == [None] * 3
    settings.put("limits", {"a": 1})
    assert len(caplog.records) == 1
    assert file.read_bytes() == before
    assert settings.trouble is not None and settings.trouble.kind == "unread"
    # It may say that everything is kept.
    assert settings.retention == Retention()


def test_however_many_read_it_in_a_program_it_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "settings.json"
    file.write_text("{", "utf-8")
    first = Settings(tmp_path, file)
    for each in (first, Settings(tmp_path, file), Settings(tmp_path / "another", file)):
        assert each.get("limits") is None and each.trouble is not None
    assert len(caplog.records) == 1
    file.write_text("{}", "utf-8")
    first.get("limits")
    file.write_text("{", "utf-8")
    assert Settings(tmp_path, file).loads == ()
    assert len(caplog.records) == 2, "it was well in between"


def test_a_file_that_cannot_be_read_is_set_aside_when_a_person_says_so(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("{")
    settings = Settings(tmp_path, file)
    told: list[object] = []
    settings.troubled.connect(lambda: told.append(settings.trouble))
    assert settings.get("limits") is None
    settings.begin_anew()
    settings.put("limits", {"a": 1})
    assert settings.get("limits") == {"a": 1} and settings.trouble is None and told[-1] is None
    (aside,) = tmp_path.glob("settings.json.damaged-*")
    assert aside.read_text() == "{"


def test_a_file_that_was_mended_counts_again(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("{")
    settings = Settings(tmp_path, file)
    assert settings.get("limits") is None and settings.trouble is not None
    file.write_text(json.dumps({str(tmp_path.resolve()): {"limits": {"a": 1}}, "/other": 7}))
    assert settings.get("limits") == {"a": 1} and settings.trouble is None
    settings.put("at_once", 2)
    assert json.loads(file.read_text())["/other"] == 7


def test_what_is_kept_for_a_folder_and_is_no_object_is_no_hindrance(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({str(tmp_path.resolve()): [1, 2]}))
    settings = Settings(tmp_path, file)
    settings.put("at_once", 2)
    assert settings.get("at_once") == 2


def test_what_cannot_be_written_is_said_until_it_can_and_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "settings.json").mkdir()  # no file takes the place of a folder, whoever may write
    settings = Settings(tmp_path, folder / "settings.json")
    assert settings.get("a") is None and settings.trouble is not None
    assert settings.trouble.kind == "unread"
    (folder / "settings.json").rmdir()
    folder.rmdir()
    folder.write_text("a file is in its place")
    settings.put("a", 1)
    settings.put("a", 2)
    assert settings.trouble is not None and settings.trouble.kind == "unwritten"
    folder.unlink()
    settings.put("a", 3)
    assert settings.trouble is None and settings.get("a") == 3
    assert [each.name for each in folder.iterdir()] == ["settings.json"]
