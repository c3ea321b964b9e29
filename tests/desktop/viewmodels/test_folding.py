"""Children under their parents, over a real engine; and rows that keep still while somebody looks at them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from stepfast import Engine, Run, workflow
from stepfast_desktop.viewmodels.feed import Feed
from stepfast_desktop.viewmodels.table import table as table_module
from stepfast_desktop.viewmodels.table.folding import Family
from stepfast_desktop.viewmodels.table.table import TableViewModel


@workflow("leaf", title="A leaf")
async def leaf(run: Run) -> str:
    return await run.awaiting("word", into=str)


@workflow("broken")
async def broken(run: Run) -> None:
    raise ValueError("no")


@workflow("tree")
async def tree(run: Run, depth: int = 1) -> None:
    below = tree(depth - 1) if depth > 1 else leaf()
    await asyncio.gather(run.child("one", below), run.child("two", leaf()))


@workflow("unlucky")
async def unlucky(run: Run) -> None:
    try:
        await run.child("one", broken())
    except Exception:
        await run.awaiting("word", into=str)


@workflow("torn")
async def torn(run: Run) -> None:
    async def fail() -> None:
        await run.awaiting("fail")
        raise ValueError("no")

    await asyncio.gather(run.child("one", leaf()), run.child("two", leaf()), fail())


@workflow("busy")
async def busy(run: Run) -> None:
    await run.step("work", asyncio.sleep, 600)


@workflow("pair")
async def pair(run: Run) -> None:
    await asyncio.gather(run.child("one", busy()), run.child("two", busy()))


@workflow("asking")
async def asking(run: Run) -> str:
    return await run.awaiting("word", into=str)


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    async with Engine.open(
        tmp_path / "work.db", [leaf, broken, tree, unlucky, torn, pair, busy, asking]
    ) as engine:
        yield engine


@pytest.fixture
async def table(engine: Engine) -> AsyncIterator[TableViewModel]:
    feed = Feed(engine)
    table = TableViewModel(engine, feed)
    await feed.start()
    await table.start()
    yield table
    await table.close()
    await feed.close()


async def until(holds: Callable[[], bool], shown: Callable[[], object]) -> None:
    try:
        async with asyncio.timeout(60):
            while not holds():
                await asyncio.sleep(0.01)
    except TimeoutError:
        pytest.fail(f"never came; shown is {shown()}")


def names(table: TableViewModel) -> list[str]:
    """The rows by name, each as far in as it stands."""
    rows = [table.row(index) for index in range(len(table.keys))]
    return ["..." if r is None else "  " * table.folding.depth(r.key) + table.name_of(r) for r in rows]


def key(table: TableViewModel, name: str) -> int:
    return table.keys[names(table).index(name)]


async def shows(table: TableViewModel, *expected: str) -> None:
    await until(lambda: names(table) == [*expected], lambda: names(table))


async def test_children_are_folded_and_unfold_level_by_level(engine: Engine, table: TableViewModel) -> None:
    await engine.start(asking(), id="old")
    await engine.start(tree(2), id="t")
    await engine.start(asking(), id="new")
    await shows(table, "new", "t", "old")
    await until(lambda: table.family(key(table, "t")) == Family({"waiting": 2}), lambda: names(table))
    assert table.family(key(table, "old")) is None

    table.fold(key(table, "t"), unfold=True)
    await shows(table, "new", "t", "  two", "  one", "old")
    await until(lambda: table.family(key(table, "  one")) is not None, lambda: names(table))
    table.fold(key(table, "  one"), unfold=True)
    await shows(table, "new", "t", "  two", "  one", "    two", "    one", "old")
    assert table.below(key(table, "t")) == (2, 6)

    table.sort("id", descending=False)
    await shows(table, "new", "old", "t", "  one", "    one", "    two", "  two")
    table.fold(key(table, "t"), unfold=False)
    await shows(table, "new", "old", "t")
    table.fold(key(table, "t"), unfold=True)
    await shows(table, "new", "old", "t", "  one", "    one", "    two", "  two")


async def test_what_a_filter_picks_out_is_shown_as_it_is(engine: Engine, table: TableViewModel) -> None:
    await engine.start(tree(), id="t")
    await shows(table, "t")
    table.filter(text="one")
    await shows(table, "t/one")
    row = table.row(0)
    assert row is not None and row.parent_id == "t" and not table.folds
    table.filter(text="", states=["waiting"])
    await shows(table, "t/two", "t/one", "t")
    table.filter(states=())
    await shows(table, "t")


async def test_the_queue_has_children_in_their_places(engine: Engine, table: TableViewModel) -> None:
    engine.limit("busy", 1)
    await engine.start(pair(), id="p")
    await shows(table, "p")
    await until(lambda: table.counts.get("queued") == 1, lambda: table.counts)
    table.sort("queue", descending=False)
    await shows(table, "p/two", "p/one", "p")
    assert [*await engine.keys(table.matching, order="queue")] == [*table.keys]
    table.selection.replace(table.keys)
    table.sort("pending", descending=False)
    await shows(table, "p")
    assert table.selected_count == 0, "what is folded away is selected no more"


async def test_a_parent_tells_that_a_child_failed(engine: Engine, table: TableViewModel) -> None:
    await engine.start(unlucky(), id="u")
    await shows(table, "u")
    await until(lambda: table.family(table.keys[0]) == Family({"failed": 1}), lambda: names(table))
    family = table.family(table.keys[0])
    assert family is not None and family.short == "(1, 1 failed)"
    assert family.words == "1 child workflow, 1 finished, 1 failed"
    await engine.delete("u/one")
    await until(lambda: table.family(table.keys[0]) is None, lambda: names(table))


async def test_what_is_folded_away_is_selected_no_more(engine: Engine, table: TableViewModel) -> None:
    await engine.start(tree(), id="t")
    await engine.start(asking(), id="a")
    await shows(table, "a", "t")
    table.fold(key(table, "t"), unfold=True)
    await shows(table, "a", "t", "  two", "  one")
    table.selection.replace(table.keys)
    table.fold(key(table, "t"), unfold=False)
    assert table.selected_count == 2
    await shows(table, "a", "t")


async def test_what_matches_is_what_one_sees_and_no_more(engine: Engine, table: TableViewModel) -> None:
    await engine.start(tree(), id="t")
    await engine.start(tree(), id="u")
    await shows(table, "u", "t")
    assert sorted(await engine.keys(table.matching)) == sorted(table.keys)
    table.fold(key(table, "t"), unfold=True)
    await shows(table, "u", "t", "  two", "  one")
    assert sorted(await engine.keys(table.matching)) == sorted(table.keys)


async def test_a_child_that_goes_on_where_its_parent_failed_stands_on_top_until_it_ends(
    engine: Engine, table: TableViewModel
) -> None:
    await engine.start(torn(), id="t")
    await shows(table, "t")
    table.fold(key(table, "t"), unfold=True)
    await shows(table, "t", "  two", "  one")
    await engine.arrive("t", "fail", "now")
    await shows(table, "t/two", "t/one", "t")
    await until(lambda: table.family(key(table, "t")) is None, lambda: names(table))
    assert sorted(await engine.keys(table.matching)) == sorted(table.keys)

    await engine.arrive("t/one", "word", "enough")
    await shows(table, "t/two", "t", "  one")
    await until(lambda: table.family(key(table, "t")) == Family({"completed": 1}), lambda: names(table))
    table.fold(key(table, "t"), unfold=False)
    await shows(table, "t/two", "t")


async def test_children_go_and_come_back_with_their_parent(engine: Engine, table: TableViewModel) -> None:
    await engine.start(tree(), id="t")
    await shows(table, "t")
    await engine.cancel("t")
    await until(lambda: table.counts.get("cancelled") == 3, lambda: table.counts)
    await engine.remove(["t"])
    await until(lambda: table.empty, lambda: names(table))
    table.filter(removed=True)
    await shows(table, "t/two", "t/one", "t")
    await engine.restore(["t"])
    table.filter(removed=False)
    await shows(table, "t")


async def test_a_kind_is_called_as_where_one_starts_it(engine: Engine, table: TableViewModel) -> None:
    await engine.start(leaf(), id="l")
    await engine.start(asking(), id="a")
    await shows(table, "a", "l")
    rows = [table.row(index) for index in range(2)]
    assert [table.kind_of(row) for row in rows if row] == ["Asking", "A leaf"]


async def test_a_row_that_finishes_under_the_pointer_stays_until_it_leaves(
    engine: Engine, table: TableViewModel
) -> None:
    for id in ("a", "b", "c"):
        await engine.start(asking(), id=id)
    await shows(table, "c", "b", "a")
    table.hover(key(table, "b"))
    for id in ("b", "c"):
        await engine.cancel(id)
    await engine.start(asking(), id="d")
    await shows(table, "d", "b", "a", "c")
    table.hover(key(table, "a"))
    await shows(table, "d", "a", "c", "b")

    table.hover(key(table, "c"))  # one that had finished before moves as it likes
    await engine.cancel("d")
    await shows(table, "a", "d", "c", "b")


async def test_a_row_under_the_pointer_stays_in_a_filter_that_it_leaves(
    engine: Engine, table: TableViewModel
) -> None:
    await engine.start(asking(), id="a")
    await engine.start(asking(), id="b")
    table.filter(states=["waiting"])
    await shows(table, "b", "a")
    table.hover(key(table, "b"))
    await engine.cancel("b")
    await until(lambda: table.counts.get("cancelled") == 1, lambda: table.counts)
    await shows(table, "b", "a")
    table.hover(None)
    await shows(table, "a")


async def test_an_order_by_what_changes_all_the_time_is_read_now_and_then(
    engine: Engine, table: TableViewModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_module, "BETWEEN_VOLATILE", 3600.0)
    await engine.start(asking(), id="a")
    await shows(table, "a")
    reads: list[object] = []
    ask = engine.listing

    async def counted(*args: object, **options: object) -> object:
        reads.append(options["order"])
        return await ask(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "listing", counted)
    table.sort("state", descending=False)
    # Whether something has changed since then is another matter: that waits, as it should.
    await until(lambda: "state" in reads, lambda: names(table))
    await asyncio.sleep(0.1)
    before = len(reads)
    for number in range(20):
        await engine.start(leaf(), id=f"n{number}", at=timedelta(hours=1))
        await asyncio.sleep(0.02)
    assert len(reads) - before <= 1, "under load the order waits"
    table.filter(text="n1")  # what a person asks for comes at once
    await until(lambda: len(table.keys) == 11, lambda: names(table))
