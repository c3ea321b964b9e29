"""Every workflow as a line of JSON, from any store, into a file that is there whole or not at all."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine, MemoryDurable, Run, StoreError, connect, workflow
from stepfast.definitions.definition import Registry
from stepfast.errors import InvalidInput
from stepfast.exporting import PAGE, export_lines
from stepfast.interfaces import Durable
from stepfast.system.clock import SystemClock
from stepfast.workers.worker import Worker

pytestmark = pytest.mark.usefixtures("quiet_loop")

MOMENT = datetime(2026, 11, 29, 3, 15, tzinfo=UTC)


@workflow("job")
async def job(run: Run, number: int = 0, when: datetime = MOMENT) -> object:
    await run.step("first", lambda: {"b": b"\xff", "t": (1, 2)})
    who = await run.awaiting("who") if number == 1 else None
    run.problem("a file", "could not be read")
    run.log("日本")
    if number == 2:
        raise ValueError("no: \ud800")
    return {"when": when, "who": who}


@pytest.fixture(params=["sqlite", "memory"])
async def durable(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Durable]:
    made: Any = await connect(tmp_path / "work.db") if request.param == "sqlite" else MemoryDurable()
    yield made
    await made.close()


async def lines_of(durable: Durable) -> list[Any]:
    return [json.loads(line) async for line in export_lines(durable.catalogue)]


async def start(durable: Durable, number: int) -> str:
    request = job(number=number)
    definition = request.definition
    return (await durable.start(f"w{number}", definition.name, definition.version, request.text)).id


async def test_a_line_has_all_that_is_known_of_a_workflow(durable: Durable) -> None:
    for number in range(4):
        await start(durable, number)
    await durable.arrive("w1", "who", '"Ada"')
    await durable.cancel("w3")
    worker = Worker(durable, Registry([job]))
    working = asyncio.ensure_future(worker.run())
    await worker.until_idle()
    await worker.stop(timedelta(seconds=5))
    await working
    await durable.remove(["w0"])
    lines = await lines_of(durable)
    assert [line["id"] for line in lines] == ["w3", "w2", "w1", "w0"], (
        "the newest first, then what is removed"
    )
    cancelled, failed, answered, removed = lines
    assert (cancelled["state"], cancelled["records"], cancelled["started_at"]) == ("cancelled", [], None)
    assert (failed["state"], failed["error"]["type"]) == ("failed", "ValueError")
    assert failed["error"]["message"].startswith("no: ")
    assert answered["result"] == {"when": {"$datetime": "2026-11-29T03:15:00+00:00"}, "who": "Ada"}
    assert answered["input"]["number"] == 1
    kinds = [(each["kind"], each["name"], each["value"]) for each in answered["records"]]
    assert ("answer", "who", "Ada") in kinds
    assert ("step", "first", {"b": {"$bytes": "/w=="}, "t": {"$tuple": [1, 2]}}) in kinds
    assert answered["problems"] == [{"about": "a file", "message": "could not be read"}]
    assert answered["log"][0]["text"] == "日本"
    assert removed["removed_at"] and not answered["removed_at"]
    assert removed["finished_at"].endswith("Z")


async def test_there_are_as_many_lines_as_workflows_whatever_is_deleted_meanwhile(durable: Durable) -> None:
    many = 2 * PAGE + 7
    for number in range(many):
        await start(durable, number)
    seen = []
    async for line in export_lines(durable.catalogue):
        seen.append(json.loads(line)["id"])
        if len(seen) == 3:
            await durable.delete(f"w{many - 5}")
            await start(durable, many)
    expected = [f"w{number}" for number in reversed(range(many)) if number != many - 5]
    assert seen == expected, "without what is gone, and what has come since"


async def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "all.jsonl"
    async with Engine.open(tmp_path / "work.db", [job], work=False) as engine:
        for number in range(PAGE + 1):
            await engine.start(job(number=number), id=f"w{number}")
        assert await engine.export(target) == PAGE + 1
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
        text = target.read_text("ascii")
        assert text.endswith("}\n") and len(text.splitlines()) == PAGE + 1
        with pytest.raises(InvalidInput, match="nothing is overwritten"):
            await engine.export(target)
        with pytest.raises(StoreError, match="cannot be written"):
            await engine.export(tmp_path / "missing" / "all.jsonl")
        other = asyncio.ensure_future(engine.export(str(tmp_path / "other.jsonl")))
        while not list(tmp_path.glob(".other*")):
            await asyncio.sleep(0)
        other.cancel()
        with pytest.raises(asyncio.CancelledError):
            await other
        assert not list(tmp_path.glob("*other*"))


async def test_an_engine_over_another_store_exports_too(tmp_path: Path) -> None:
    engine = Engine(MemoryDurable(), Registry([job]), SystemClock())
    await engine.start(job(number=5), id="w5")
    assert await engine.export(tmp_path / "all.jsonl") == 1
