"""A workflow run again: its form with the inputs that it had; and the folder that is opened for one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stepfast import Engine, Run, Secret, workflow
from stepfast.testing.keepers import MemoryKeeper
from stepfast_desktop.viewmodels.details.folders_of import folder_of
from stepfast_desktop.viewmodels.starting.new_workflow import NewWorkflowViewModel


@workflow("send")
async def send(run: Run, target: Path, password: Secret, tags: list[str], times: int = 1) -> None:
    await run.awaiting("word", into=str)


@workflow("send", version=2, accepts=[1])
async def send_anew(run: Run, target: Path, tags: int, loud: bool = True) -> None:
    await run.awaiting("word", into=str)


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    async with Engine.open(tmp_path / "s.db", [send], secrets=MemoryKeeper()) as engine:
        yield engine


async def test_the_inputs_are_filled_in_but_for_secrets(engine: Engine, tmp_path: Path) -> None:
    await engine.start(send(tmp_path, Secret("hush"), ["one", "two"], 7), id="a")
    view_model = NewWorkflowViewModel(engine)
    assert view_model.form is not None
    view_model.form.set("times", "99")

    assert await view_model.again("a") is None

    form = view_model.form
    assert form is not None
    values = [form.field(name).value for name in ("target", "tags", "times")]
    assert values == [tmp_path, ["one", "two"], 7]
    assert form.field("password").text == ""
    assert not form.valid, "it asks for the password"
    assert "hush" not in repr(vars(view_model))


async def test_what_does_not_fit_a_newer_version_is_left_as_it_begins(engine: Engine, tmp_path: Path) -> None:
    await engine.start(send(tmp_path, Secret("hush"), ["one"], 7), id="a")
    async with Engine.open(tmp_path / "s.db", [send_anew], work=False) as newer:
        view_model = NewWorkflowViewModel(newer)
        assert await view_model.again("a") is None
        form = view_model.form
        assert form is not None
        assert form.field("target").value == tmp_path
        assert (form.field("tags").text, form.field("loud").value) == ("", True)


async def test_what_is_not_known_here_or_gone_is_said(engine: Engine) -> None:
    await engine.durable.start("a", "elsewhere", 1, "null")
    view_model = NewWorkflowViewModel(engine)
    assert await view_model.again("a") == "“elsewhere” is not known here, so it cannot be started anew."
    said = await view_model.again("gone")
    assert said is not None
    assert "gone" in said


async def test_the_folder_is_what_is_there_of_what_it_names(engine: Engine, tmp_path: Path) -> None:
    there, away = tmp_path / "there", tmp_path / "disk" / "away"
    there.mkdir()
    await engine.start(send(there, Secret("hush"), []), id="there")
    await engine.start(send(away, Secret("hush"), []), id="away")
    await engine.durable.start("none", "elsewhere", 1, "null")
    assert await folder_of(engine, "there") == there
    assert await folder_of(engine, "away") == f"“{away}” is not there now"
    assert await folder_of(engine, "none") == "Neither its inputs nor its result name a folder"
    assert "gone" in str(await folder_of(engine, "gone"))
