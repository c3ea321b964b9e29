"""The table's state, over a real engine: order, filter, changes, selection, actions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine, Run, workflow
from stepfast.views import Filter, Listing
from stepfast_desktop.viewmodels.feed import Changed, Feed
from stepfast_desktop.viewmodels.table.actions import ACTIONS
from stepfast_desktop.viewmodels.table.doing import DoingViewModel
from stepfast_desktop.viewmodels.table.table import TableViewModel

ACTION = {each.name: each for each in ACTIONS}


@workflow("quick")
async def quick(run: Run, number: int = 0) -> int:
    return number


@workflow("asking")
async def asking(run: Run) -> str:
    return await run.awaiting("word", into=str)


@workflow("failing")
async def failing(run: Run) -> None:
    raise ValueError("no")


DEFINITIONS = [quick, asking, failing]


class Bench:
    """An engine, a feed and a table over one file."""

    def __init__(self, engine: Engine, feed: Feed, table: TableViewModel) -> None:
        self.engine = engine
        self.feed = feed
        self.table = table
        self.doing = DoingViewModel(engine, feed, table)
        self.said: list[str] = []
        self.doing.message.connect(self.said.append)
        table.message.connect(self.said.append)

    def ids(self) -> list[str]:
        """What is shown, as far as it is read."""
        rows = [self.table.row(index) for index in range(len(self.table.keys))]
        return ["..." if row is None else row.id for row in rows]

    async def caught_up(self) -> None:
        """Wait until the table was told of everything that has happened so far."""
        at = max(row.change for row in await self.engine.list(limit=1000))
        await self.until(lambda: self.feed.at >= at)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait, told by the table's own events, until something holds; fails with what is shown."""
        changed = asyncio.Event()
        events = (
            self.table.reordered,
            self.table.rows_changed,
            self.table.counts_changed,
            self.table.selection_changed,
            self.table.message,
            self.doing.message,
            self.feed.changed,
        )
        stops = [event.connect(lambda *_: changed.set()) for event in events]
        try:
            async with asyncio.timeout(60):
                while not holds():
                    changed.clear()
                    await changed.wait()
        except TimeoutError:
            pytest.fail(f"never came; shown is {self.ids()}, said was {self.said}")
        finally:
            for stop in stops:
                stop()


@asynccontextmanager
async def opened(path: Path, *, work: bool = True) -> AsyncIterator[Bench]:
    async with Engine.open(path, DEFINITIONS, work=work) as engine:
        feed = Feed(engine)
        table = TableViewModel(engine, feed)
        bench = Bench(engine, feed, table)
        await feed.start()
        await table.start()
        try:
            yield bench
        finally:
            await bench.doing.close()
            await table.close()
            await feed.close()


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with opened(tmp_path / "work.db") as made:
        yield made


async def test_a_file_without_workflows_is_empty_and_a_filter_without_matches_is_not(bench: Bench) -> None:
    assert bench.table.empty
    bench.table.filter(text="nothing like it")
    assert not bench.table.empty and bench.table.filtered


async def test_what_starts_appears_and_what_finishes_moves_below_what_is_pending(bench: Bench) -> None:
    await bench.engine.start(asking(), id="a")
    await bench.engine.start(quick(1), id="b")
    await bench.until(lambda: bench.ids() == ["a", "b"])
    assert bench.table.counts["completed"] == 1
    await bench.engine.arrive("a", "word", "yes")
    await bench.until(lambda: bench.ids() == ["b", "a"])


async def test_a_row_that_was_told_of_only_after_it_came_back_is_shown(bench: Bench) -> None:
    await bench.engine.start(quick(1), id="a")
    await bench.until(lambda: bench.ids() == ["a"] and bench.table.counts.get("completed") == 1)
    await bench.caught_up()
    at, key = bench.feed.at, bench.table.keys[0]
    await bench.feed.close()  # so that the table reads its keys between the two, and hears of both after them
    await bench.engine.bulk("remove", [key])
    bench.table.sort("id", descending=True)
    await bench.until(lambda: bench.table.empty)
    await bench.engine.bulk("restore", [key])
    assert bench.feed.at == at
    await bench.feed._tell()
    await bench.until(lambda: bench.ids() == ["a"])


async def test_a_place_read_while_a_row_was_another_is_mended_once_it_is_quiet(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path / "work.db", work=False) as bench:
        for id in ("a", "b"):
            await bench.engine.start(quick(), id=id)
        bench.table.sort("state", descending=False)
        await bench.until(lambda: sorted(bench.ids()) == ["a", "b"] and bench.table.counts.get("queued") == 2)
        await bench.caught_up()
        await bench.feed.close()
        await bench.engine.pause("b")
        bench.table.sort("state", descending=True)
        await bench.until(lambda: bench.table.counts.get("paused") == 1)
        await bench.engine.resume("b")
        await bench.feed._tell()
        await bench.until(lambda: not bench.table.counts.get("paused"))


async def test_what_another_engine_does_is_shown_too(bench: Bench, tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "work.db", work=False) as other:
        await other.start(asking(), id="theirs")
        await bench.until(lambda: bench.ids() == ["theirs"])
        await other.cancel("theirs")
        await bench.until(lambda: bench.table.counts.get("cancelled") == 1)


async def test_the_filter_and_the_order_are_the_stores(bench: Bench) -> None:
    for id in ("b", "a", "c"):
        await bench.engine.start(asking(), id=id)
    await bench.engine.cancel("c")
    await bench.until(lambda: bench.ids() == ["a", "b", "c"])
    bench.table.sort("id", descending=True)
    await bench.until(lambda: bench.ids() == ["c", "b", "a"])
    bench.table.filter(states=["cancelled"])
    await bench.until(lambda: bench.ids() == ["c"])
    bench.table.filter(states=(), text="b")
    await bench.until(lambda: bench.ids() == ["b"])


async def test_a_search_gives_up_the_one_that_still_runs(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for id in ("photos", "music"):
        await bench.engine.start(asking(), id=id)
    await bench.until(lambda: sorted(bench.ids()) == ["music", "photos"])
    await bench.caught_up()
    listing, begun = bench.engine.listing, asyncio.Event()

    async def endless(of: Filter, **order: Any) -> Listing:
        if of.text == "p":
            begun.set()
            await asyncio.Event().wait()
        return await listing(of, **order)

    monkeypatch.setattr(bench.engine, "listing", endless)
    bench.table.filter(text="p")
    await begun.wait()
    bench.table.filter(text="ph")
    await bench.until(lambda: bench.ids() == ["photos"])


@pytest.mark.parametrize("turns", range(4))
async def test_it_ends_while_a_search_begins(tmp_path: Path, turns: int) -> None:
    async with asyncio.timeout(60), opened(tmp_path / "work.db", work=False) as bench:
        bench.table.sort("id", descending=True)
        while bench.table._asked.is_set() or bench.table._reading is not None:
            await asyncio.sleep(0)  # until it has read, and pauses
        bench.table.filter(text="x")
        for _ in range(turns):
            await asyncio.sleep(0)


async def test_no_row_moves_while_one_is_held_and_cells_change_all_the_same(bench: Bench) -> None:
    await bench.engine.start(asking(), id="a")
    await bench.until(lambda: bench.ids() == ["a"] and bench.table.counts.get("waiting") == 1)
    bench.table.hold()
    await bench.engine.start(asking(), id="b")
    await bench.engine.cancel("a")

    def cancelled() -> bool:
        row = bench.table.row(0)
        return row is not None and row.state.name == "cancelled"

    await bench.until(cancelled)
    assert bench.ids() == ["a"], "its cells are new, and nothing came above it"
    bench.table.let_go()
    await bench.until(lambda: bench.ids() == ["b", "a"])


async def test_an_action_is_enabled_only_where_it_can_do_something(bench: Bench) -> None:
    await bench.engine.start(asking(), id="asking")
    await bench.engine.start(quick(), id="done")
    await bench.until(lambda: bench.ids() == ["asking", "done"] and bench.table.counts.get("waiting") == 1)

    def enabled() -> set[str]:
        return {name for name in ACTION if bench.doing.enabled(name)}

    pending = {"pause", "cancel", "cancel-remove", "high", "normal", "low"}
    one = {"again", "folder", "copy"}
    assert enabled() == set()
    bench.table.selection.replace([bench.table.keys[0]])
    bench.table.selection_changed.emit()
    await bench.until(lambda: enabled() == {*pending, *one})
    bench.table.selection.replace([bench.table.keys[1]])
    bench.table.selection_changed.emit()
    await bench.until(lambda: enabled() == {"remove", *one})
    bench.table.selection.select_all()
    bench.table.selection_changed.emit()
    assert enabled() == {*pending, "remove", "copy"}


async def test_an_action_on_many_says_how_many_it_was_done_to(bench: Bench) -> None:
    for number in range(250):
        await bench.engine.start(asking(), id=f"w{number}")
    await bench.engine.start(quick(), id="done")
    await bench.until(lambda: bench.table.counts.get("waiting") == 250)
    await bench.caught_up()
    bench.table.selection.select_all()
    bench.doing.perform("pause")
    await bench.until(lambda: bench.said == ["250 workflows paused"])
    assert (await bench.engine.counts())["paused"] == 250
    await bench.caught_up()
    bench.doing.perform("resume")
    await bench.until(lambda: bench.said[-1] == "250 workflows resumed")


async def test_an_action_on_everything_spares_exceptions_and_what_nobody_has_seen_yet(bench: Bench) -> None:
    for id in ("a", "b", "c"):
        await bench.engine.start(asking(), id=id)
    await bench.until(lambda: bench.table.counts.get("waiting") == 3 and bench.ids() == ["c", "b", "a"])
    await bench.caught_up()
    bench.table.selection.select_all()
    bench.table.selection.take_away([bench.table.keys[0]])
    bench.doing.asked.connect(lambda question: question.go_on())

    # On one turn of the loop, so that the table cannot have been told.
    started = asyncio.ensure_future(bench.engine.start(asking(), id="new"))
    bench.doing.perform("cancel")
    await started

    await bench.until(lambda: bool(bench.said))
    assert bench.said == ["2 workflows cancelled"], "the question was about no more than that"
    states = {row.id: row.state.name for row in await bench.engine.list()}
    assert states["b"] == states["a"] == "cancelled" and states["c"] == "waiting"
    assert states["new"] != "cancelled"


async def test_removing_is_taken_back_by_undo(bench: Bench) -> None:
    await bench.engine.start(quick(), id="done")
    await bench.until(lambda: bench.table.counts.get("completed") == 1 and bench.ids() == ["done"])
    bench.table.selection.replace(bench.table.keys)
    bench.doing.perform("remove")
    await bench.until(lambda: bench.table.empty and bench.doing.can_undo)
    bench.doing.undo()
    await bench.until(lambda: bench.ids() == ["done"])
    assert bench.said == ["1 workflow removed", "done brought back"]


async def test_a_failed_workflow_can_be_taken_up_again(bench: Bench) -> None:
    await bench.engine.start(failing(), id="bad")
    await bench.until(lambda: bench.table.counts.get("failed") == 1 and bench.ids() == ["bad"])
    bench.table.selection.replace(bench.table.keys)
    assert bench.doing.enabled("retry")
    bench.doing.perform("retry")
    await bench.until(lambda: bench.said == ["1 workflow taken up again"])
    await bench.until(lambda: bench.table.counts.get("failed") == 1)


async def test_only_what_is_looked_at_is_read(tmp_path: Path) -> None:
    # Started before anybody looks: while they come, the first page is another one from moment to moment.
    async with Engine.open(tmp_path / "work.db", DEFINITIONS, work=False) as engine:
        await asyncio.gather(*(engine.start(asking(), id=f"w{n:04}") for n in range(1000)))
    async with opened(tmp_path / "work.db", work=False) as bench:
        assert len(bench.table.keys) == 1000
        assert bench.table.row(0) is not None, "what one looks at first comes with its place"
        assert bench.table.row(500) is None
        await bench.until(lambda: bench.table.row(500) is not None)
        row = bench.table.row(500)
        assert row is not None and row.key == bench.table.keys[500]
        assert bench.table.row(900) is None, "the page of another place was not read"
        await bench.until(lambda: bench.table.row(900) is not None)


async def test_changes_that_come_together_are_told_together(bench: Bench) -> None:
    told: list[Changed] = []
    bench.feed.changed.connect(told.append)
    await asyncio.gather(*(bench.engine.start(asking(), id=f"w{n}") for n in range(300)))
    await bench.until(lambda: bench.table.counts.get("waiting") == 300)
    assert len(told) < 60
    assert {row.id for changed in told for row in changed.rows} == {f"w{n}" for n in range(300)}


@workflow("elsewhere", title="What is done elsewhere")
async def elsewhere(run: Run) -> str:
    return await run.awaiting("word", into=str)


async def test_a_row_that_nobody_alive_can_run_says_so_and_what_would_help(
    bench: Bench, tmp_path: Path
) -> None:
    await bench.engine.start(elsewhere(), id="a")

    def state() -> str:
        row = bench.table.row(0) if bench.table.keys else None
        return "" if row is None else bench.table.state_of(row)

    def kind() -> str:
        row = bench.table.row(0) if bench.table.keys else None
        return "" if row is None else bench.table.kind_of(row)

    await bench.until(lambda: state() == "Queued: nothing running can do this")
    row = bench.table.row(0)
    assert row is not None and "stepfast work --load" in bench.table.advice(row)

    async with Engine.open(tmp_path / "work.db", [elsewhere], command="myprogram work"):
        # With its title comes its command, which is remembered.
        await bench.until(lambda: state() == "Asks: Word" and kind() == "What is done elsewhere")
        await bench.engine.start(elsewhere(), id="b", at=timedelta(hours=1))
    await bench.engine.pause("a")
    await bench.engine.resume("a")
    await bench.until(lambda: bench.ids()[-1:] == ["a"])

    def advised() -> bool:
        row = next((each for each in map(bench.table.row, range(2)) if each and each.id == "a"), None)
        return row is not None and "myprogram work" in bench.table.advice(row)

    await bench.until(advised)
