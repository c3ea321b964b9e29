"""Every schema that was ever released opens for ever, with everything that was in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from stepfast import Engine, Run, workflow
from stepfast.sqlite.schema import CURRENT
from stepfast.state import AnswerWait, Cancelled, Completed, Failed, MessageWait, Paused, Sleeping, Waiting

DATA = Path(__file__).parents[1] / "data"
FROZEN = sorted(DATA.glob("schema-*.db"))


@pytest.fixture(params=FROZEN, ids=lambda path: path.stem)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copy(request.param, tmp_path / "work.db"))


def test_there_is_a_frozen_database_for_every_schema() -> None:
    assert [path.stem for path in FROZEN] == [f"schema-{version}" for version in range(1, CURRENT + 1)]


async def test_each_state_is_read_as_it_was_written(file: Path) -> None:
    async with Engine.open(file, work=False) as engine:
        rows = {row.id: row for row in await engine.list()}
        assert set(rows) == {
            "sleeping until a start",
            "sleeping",
            "waiting",
            "completed",
            "failed",
            "cancelled",
            "paused",
            "interrupted",
            "queued",
        }
        assert isinstance(rows["sleeping until a start"].state, Sleeping)
        assert isinstance(rows["sleeping"].state, Sleeping)
        match rows["waiting"].state:
            case Waiting((AnswerWait("who", form), MessageWait("mail"), _)):
                assert form == '{"type":"string"}'
            case other:
                pytest.fail(f"read as {other}")
        assert isinstance(rows["completed"].state, Completed)
        assert rows["completed"].problems == 1
        assert isinstance(rows["failed"].state, Failed)
        assert isinstance(rows["cancelled"].state, Cancelled)
        assert isinstance(rows["paused"].state, Paused)
        assert rows["interrupted"].step == "second"
        assert rows["interrupted"].priority == 7
        assert (await engine.counts())["completed"] == 1


async def test_values_failures_and_logs_are_read_as_they_were_written(file: Path) -> None:
    async with Engine.open(file, work=False) as engine:
        completed = await engine.get("completed")
        assert completed.result["$dollar"] == (1, 2)
        assert [problem.about for problem in completed.problems] == ["a file"]
        failed = await engine.get("failed")
        assert failed.failure is not None
        assert (failed.failure.type, failed.failure.step) == ("builtins.OSError", "second")
        assert [record.name for record in await engine.history("interrupted")] == ["first", "nap", "who"]
        assert [line.text for line in await engine.log("interrupted")] == ["hello"]


async def test_what_was_interrupted_and_what_was_queued_carries_on(file: Path) -> None:
    ran: list[str] = []

    @workflow("frozen", version=1)
    async def frozen(run: Run, number: int = 0) -> str:
        first = await run.step("first", lambda: ran.append(run.id) or "new")
        return str(first)

    async with Engine.open(file, [frozen]) as engine:
        assert await engine.handle("interrupted").result() == "one"
        assert await engine.handle("queued").result() == "new"
        assert ran == ["queued"], "the recorded step did not run again"
        assert await engine.changes(0) is not None
