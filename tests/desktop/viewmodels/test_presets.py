"""What is kept of inputs: what was started last, and what a person saved under a name."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import pytest

from stepfast import Engine, Run, Secret, workflow
from stepfast.testing import MemoryKeeper
from stepfast_desktop.settings import Settings
from stepfast_desktop.viewmodels.starting.new_workflow import NewWorkflowViewModel
from stepfast_desktop.viewmodels.starting.presets import Presets, Remembered


@workflow("send", title="Send a file")
async def send(
    run: Run, file: Path, token: Secret, day: datetime, how: Literal["fast", "safe"] = "safe", times: int = 1
) -> str:
    """Send it somewhere."""
    return how


@workflow("other")
async def other(run: Run, text: str = "") -> None: ...


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path, tmp_path / "settings.json")


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    async with Engine.open(tmp_path / "s.db", [send, other], secrets=MemoryKeeper()) as engine:
        yield engine


def filled_in(view_model: NewWorkflowViewModel) -> None:
    form = view_model.form
    assert form is not None
    form.set("file", "/a")
    form.set("token", "hunter2")
    form.set("how", "fast")


async def test_the_next_form_has_what_was_used_last_but_no_secret_and_no_moment(
    engine: Engine, settings: Settings, tmp_path: Path
) -> None:
    view_model = NewWorkflowViewModel(engine, settings)
    filled_in(view_model)
    assert view_model.form is not None
    view_model.form.set("day", "2031-01-02T03:04")
    assert await view_model.start() is not None
    assert "hunter2" not in (tmp_path / "settings.json").read_text()
    assert "2031" not in (tmp_path / "settings.json").read_text()
    again = NewWorkflowViewModel(engine, settings)  # as after a restart
    assert again.form is not None
    assert again.form.field("file").value == Path("/a")
    assert again.form.field("how").value == "fast"
    assert again.form.field("token").text == ""
    assert "2031" not in again.form.field("day").text
    assert not any(each.error for each in again.form.fields)
    again.reset()
    assert again.form.field("file").text == ""
    assert again.form.field("how").value == "safe"


async def test_a_preset_is_saved_chosen_renamed_and_deleted(engine: Engine, settings: Settings) -> None:
    view_model = NewWorkflowViewModel(engine, settings)
    filled_in(view_model)
    view_model.save_preset("  To the   office ")
    assert (view_model.preset, view_model.presets) == ("To the office", ["To the office"])
    listed = [(each.name, each.title, each.summary, each.preset) for each in view_model.choices]
    assert listed[1] == ("send", "To the office", "A preset of “Send a file”", "To the office")
    assert view_model.cards[1] == ("send", "To the office", "A preset of “Send a file”", "To the office")

    again = NewWorkflowViewModel(engine, settings)
    again.choose("other")
    again.choose("send", "To the office")
    assert again.form is not None and again.form.field("file").value == Path("/a")
    assert again.form.field("token").text == ""
    assert again.note == ""
    again.rename_preset("Home")
    assert (again.preset, again.presets) == ("Home", ["Home"])
    again.delete_preset()
    assert (again.preset, again.presets) == ("", [])
    assert again.form.field("file").value == Path("/a"), "what is filled in stays"
    assert NewWorkflowViewModel(engine, settings).presets == []
    with pytest.raises(KeyError):
        again.choose("send", "Home")


async def test_a_preset_begins_from_defaults_and_not_from_what_was_typed(engine: Engine) -> None:
    view_model = NewWorkflowViewModel(engine)
    view_model.save_preset("Empty")
    filled_in(view_model)
    view_model.choose("send", "Empty")
    assert view_model.form is not None
    assert view_model.form.field("file").text == ""
    assert view_model.form.field("how").value == "safe"


async def test_a_preset_of_another_signature_fills_in_what_fits_and_says_what_does_not(
    engine: Engine,
) -> None:
    kept = Remembered()
    old: dict[str, Any] = {"file": {"$path": "/a"}, "how": "slow", "gone": 1, "times": 3}
    kept.put("presets", {"send": {"Old": old}})
    view_model = NewWorkflowViewModel(engine, kept)
    view_model.choose("send", "Old")
    assert view_model.form is not None
    assert view_model.form.field("file").value == Path("/a")
    assert view_model.form.field("times").value == 3
    assert view_model.form.field("how").value == "safe"
    assert view_model.note == "Of this preset, this does not fit any more: how, gone."
    view_model.choose("other")
    assert view_model.note == ""


@pytest.mark.parametrize(
    "nonsense", [5, [], "text", {"send": 5}, {"send": {"a": 5}}, {"send": {"a": {"file": {"$x": 1}}}}]
)
async def test_settings_that_are_none_are_as_good_as_none(engine: Engine, nonsense: Any) -> None:
    kept = Remembered()
    for name in ("presets", "last_values", "limits"):
        kept.put(name, nonsense)
    view_model = NewWorkflowViewModel(engine, kept)
    for title in view_model.presets:
        view_model.choose("send", title)
    assert view_model.form is not None
    assert view_model.form.field("file").text == ""


def test_values_that_plain_json_has_no_word_for_come_back(tmp_path: Path) -> None:
    settings = Settings(tmp_path, tmp_path / "settings.json")
    values = {
        "path": Path("/ö"),
        "many": [Path("/a"), Path("/b")],
        "none": None,
        "text": "a\nb",
        "set": {1, 2},
    }
    Presets(settings).save("send", "one", values)
    assert Presets(settings).values("send", "one") == values
    json.loads((tmp_path / "settings.json").read_text())


async def test_tasks_are_found_by_the_words_of_what_they_are_for(engine: Engine) -> None:
    view_model = NewWorkflowViewModel(engine)
    assert [each.name for each in view_model.matching("SOME send")] == ["send"]
    assert [each.name for each in view_model.matching("")] == ["send", "other"]
    assert view_model.matching("nothing of that kind") == []
