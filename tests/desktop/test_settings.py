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
