"""What a person prefers is kept, told, and never something that is not allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepfast_desktop.settings import Settings
from stepfast_desktop.viewmodels.preferences import PREFERENCES, Preferences


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path, tmp_path / "settings.json")


def test_every_default_is_allowed(settings: Settings) -> None:
    preferences = Preferences(settings)
    for each in PREFERENCES.values():
        assert each.allows(each.default), each.name
        assert preferences[each.name] == each.default


def test_what_is_set_is_kept_and_told_once(settings: Settings) -> None:
    preferences = Preferences(settings)
    told: list[str] = []
    preferences.changed.connect(told.append)
    preferences.set("keep_awake", "always")
    preferences.set("keep_awake", "always")
    assert told == ["keep_awake"]
    assert Preferences(settings)["keep_awake"] == "always"


@pytest.mark.parametrize(
    ("name", "value"), [("long_minutes", -1), ("long_minutes", True), ("closing", "maybe")]
)
def test_what_is_not_allowed_is_refused_and_as_good_as_none(
    settings: Settings, name: str, value: object
) -> None:
    with pytest.raises(ValueError, match=name):
        Preferences(settings).set(name, value)
    settings.put(name, value)
    assert Preferences(settings)[name] == PREFERENCES[name].default
