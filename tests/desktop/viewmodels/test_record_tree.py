"""What is recorded, as a tree: which values are read, and what is said of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine, Run, workflow
from stepfast.interfaces import Kind
from stepfast.views import RecordOutline
from stepfast_desktop.viewmodels.details import record_tree
from stepfast_desktop.viewmodels.details.page import StepRow
from stepfast_desktop.viewmodels.details.record_tree import Node, RecordTree

MOMENT = datetime(2026, 11, 30, 12, tzinfo=UTC)


@workflow("making")
async def making(run: Run) -> None:
    values: dict[str, Any] = {
        "scan": {"files": ["a", "b"], "deep": {"place": Path("/somewhere"), "at": MOMENT}, "empty": []},
        "text": "x" * 5000,
        "none": None,
        "many": list(range(3000)),
        "large": ["y" * 200_000],
    }
    for name, value in values.items():
        await run.step(name, lambda value=value: value)
    await run.sleep("a moment", timedelta(seconds=0.01))


class Desk:
    def __init__(self, engine: Engine) -> None:
        self.engine, self.tree = engine, RecordTree(engine)
        self.told: list[str] = []
        self.tree.reset.connect(lambda: self.told.append("reset"))
        self.tree.adding.connect(lambda count: self.told.append(f"adding {count}"))
        self.tree.opening.connect(lambda node, count: self.told.append(f"opening {node.name} {count}"))

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(60):
            while not holds():
                await asyncio.sleep(0.005)

    async def seen(self, place: int) -> Node:
        node = self.tree.records[place]
        self.tree.look_at(node)
        await self.until(lambda: node.read)
        return node


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with Engine.open(tmp_path / "work.db", [making]) as engine:
        await (await engine.start(making(), id="one")).result()
        desk = Desk(engine)
        desk.tree.show("one", await engine.outline("one"))
        yield desk
        await desk.tree.close()


async def test_a_record_has_its_parts_once_somebody_looks_at_it(desk: Desk) -> None:
    records = desk.tree.records
    assert [node.name for node in records] == ["scan", "text", "none", "many", "large", "a moment"]
    assert [node.kind for node in records] == ["step"] * 5 + ["sleep"]
    assert not any(node.read for node in records)
    scan = await desk.seen(0)
    assert scan.text == "{3} files: [2], deep: {2}, empty: [0]" and desk.told == ["reset", "opening scan 3"]
    files, deep, empty = scan.open()
    assert [(node.name, node.text, node.opens) for node in (files, deep, empty)] == [
        ("files", "[2] a, b", True),
        ("deep", deep.text, True),
        ("empty", "[0]", False),
    ]
    assert [(node.name, node.text) for node in files.open()] == [("0", "a"), ("1", "b")]
    assert [node.name for node in deep.open()] == ["place", "at"]
    assert deep.open()[0].text == "/somewhere" and deep.open()[0].parent is deep
    none = await desk.seen(2)
    assert not none.opens


async def test_what_is_large_is_shortened_and_copied_whole(desk: Desk) -> None:
    text = await desk.seen(1)
    assert len(text.text) == 201 and text.text.endswith("…")
    assert await desk.tree.copied(text) == "x" * 5000
    many = await desk.seen(3)
    assert many.text == "[3,000] 0, 1, 2, 3, 4, 5, 6, 7, …"
    parts = many.open()
    assert len(parts) == 1001 and parts[-1].name == "and 2,000 more"
    assert json.loads(await desk.tree.copied(many)) == list(range(3000))
    scan = await desk.seen(0)
    assert json.loads(await desk.tree.copied(scan.open()[1]))["place"] == "/somewhere"


async def test_a_large_value_is_read_when_it_is_opened(desk: Desk) -> None:
    large = desk.tree.records[4]
    desk.tree.look_at(large)
    await asyncio.sleep(0.05)
    assert not large.read and large.opens and large.text == "200 kB"
    desk.tree.open(large)
    await desk.until(lambda: large.read)
    assert large.text.startswith("[1] yyy") and len(large.open()) == 1
    assert len(await desk.tree.copied(large.open()[0])) == 200_000


async def test_records_are_added_and_another_workflow_is_another_tree(desk: Desk) -> None:
    outlines = await desk.engine.outline("one")
    desk.tree.show("two", outlines[:2])
    assert desk.told == ["reset", "reset"]
    desk.tree.show("two", outlines)
    assert desk.told[2:] == ["adding 4"] and [node.row for node in desk.tree.records] == [*range(6)]
    desk.tree.show("two", outlines)
    assert len(desk.told) == 3
    desk.tree.show(None, ())
    assert desk.tree.records == []


async def test_many_records_come_as_somebody_gets_to_them(desk: Desk) -> None:
    (outline, *_) = await desk.engine.outline("one")
    many = [replace(outline, name=f"step:{n}") for n in range(1200)]
    desk.tree.show("many", many[:1100])
    assert len(desk.tree.records) == 500 and desk.tree.has_more
    desk.tree.show("many", many)
    assert len(desk.tree.records) == 500, "those that came are behind others that nobody has seen"
    for there in (1000, 1200, 1200):
        desk.tree.more()
        assert len(desk.tree.records) == there
    assert not desk.tree.has_more
    assert [node.row for node in desk.tree.records] == [*range(1200)]


@pytest.mark.parametrize(
    ("kind", "name"), [(Kind.ATTEMPT, "pay: attempt 2"), (Kind.BEGUN, "pay: begun"), (Kind.STEP, "2:pay")]
)
def test_a_record_is_called_the_same_in_the_records_and_in_the_steps(kind: str, name: str) -> None:
    now = datetime.now(UTC)
    outline = RecordOutline(kind, "2:pay", 1, now, now, 1, 2)
    row = StepRow(1, kind, "2:pay", now, 0.0, 1, "")
    assert record_tree._name_of(outline) == row.name == name
