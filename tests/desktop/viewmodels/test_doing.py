"""What is asked of selected workflows, over a real engine: whom it hits, what is agreed to, what is said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from stepfast import Engine, Filter, Run, Summary, workflow
from stepfast_desktop.viewmodels.feed import Feed
from stepfast_desktop.viewmodels.table import doing
from stepfast_desktop.viewmodels.table.agreeing import Question
from stepfast_desktop.viewmodels.table.doing import DoingViewModel
from stepfast_desktop.viewmodels.table.table import TableViewModel


@workflow("quick")
async def quick(run: Run, number: int = 0) -> int:
    return number


@workflow("asking")
async def asking(run: Run) -> str:
    return await run.awaiting("word", into=str)


@workflow("tidying")
async def tidying(run: Run) -> str:
    return await run.awaiting("word", into=str)


@tidying.on_cancel
async def tidied(run: Run) -> None:
    await run.awaiting("tidy", into=str)


@workflow("lasting")
async def lasting(run: Run) -> None:
    await run.step("last", asyncio.sleep, 60)


class Bench:
    """A table, what is done with it, and what came of that."""

    def __init__(self, engine: Engine, feed: Feed, table: TableViewModel, doing: DoingViewModel) -> None:
        self.engine, self.feed, self.table, self.doing = engine, feed, table, doing
        self.said: list[str] = []
        self.questions: list[Question] = []
        self.copied: list[str] = []
        doing.message.connect(self.said.append)
        doing.asked.connect(self.questions.append)
        doing.copied.connect(self.copied.append)

    def ids(self) -> list[str]:
        """What is shown, as far as it is read."""
        rows = [self.table.row(index) for index in range(len(self.table.keys))]
        return ["..." if row is None else row.id for row in rows]

    async def shows(self, *ids: str) -> None:
        await self.until(lambda: self.ids() == [*ids])
        await self.caught_up()

    async def caught_up(self) -> None:
        """Wait until the table was told of everything that has happened so far."""
        rows = [*await self.engine.list(limit=1000), *await self.engine.list(Filter(removed=True))]
        at = max((row.change for row in rows), default=0)
        await self.until(lambda: self.feed.at >= at)

    def select(self, *ids: str) -> None:
        """As a person does who clicks on these rows."""
        self.table.selection.replace(
            key for key, id in zip(self.table.keys, self.ids(), strict=True) if id in ids
        )
        self.table.selection_changed.emit()

    async def says(self, *texts: str) -> None:
        await self.until(lambda: self.said == [*texts])
        self.said.clear()

    async def counts(self, counts: dict[str, int]) -> None:
        """Wait until so many are known to be in each state."""
        await self.until(lambda: {state: n for state, n in self.table.counts.items() if n} == counts)

    async def state(self, id: str) -> str:
        return (await self.engine.summary(id)).state.name

    async def until(self, holds: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(60):
                while not holds():
                    await asyncio.sleep(0.005)
        except TimeoutError:
            pytest.fail(f"never came; shown is {self.ids()}, said was {self.said}")


@asynccontextmanager
async def opened(path: Path, *, work: bool = True, concurrency: int = 256) -> AsyncIterator[Bench]:
    async with Engine.open(
        path, [quick, asking, tidying, lasting], work=work, concurrency=concurrency
    ) as engine:
        feed = Feed(engine)
        table = TableViewModel(engine, feed)
        doing = DoingViewModel(engine, feed, table)
        await feed.start()
        await table.start()
        try:
            yield Bench(engine, feed, table, doing)
        finally:
            await doing.close()
            await table.close()
            await feed.close()


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with opened(tmp_path / "work.db") as made:
        yield made


@pytest.fixture
async def still(tmp_path: Path) -> AsyncIterator[Bench]:
    """One over an engine that runs nothing, so that all stays queued."""
    async with opened(tmp_path / "work.db", work=False) as made:
        yield made


# --- whom it hits, and what it is called ----------------------------------------------------------


async def test_who_was_selected_when_the_menu_opened_is_hit(still: Bench) -> None:
    for id in ("a", "b", "c"):
        await still.engine.start(asking(), id=id)
    await still.shows("c", "b", "a")
    still.select("a")
    still.doing.take_aim()
    still.table.sort("id", descending=False)
    await still.shows("a", "b", "c")
    still.select("b", "c")
    assert still.doing.label("pause") == "Pause", "an open menu goes on saying what it said"

    still.doing.perform("pause")
    await still.says("1 workflow paused")
    assert [await still.state(id) for id in "abc"] == ["paused", "queued", "queued"]

    still.doing.drop_aim()
    assert still.doing.label("pause") == "Pause 2 workflows"


async def test_labels_have_the_number_of_those_it_fits(bench: Bench) -> None:
    for id in ("one", "two"):
        await bench.engine.start(asking(), id=id)
    await bench.engine.start(quick(), id="done")
    await bench.counts({"waiting": 2, "completed": 1})
    await bench.shows("two", "one", "done")
    doing = bench.doing

    bench.select("one", "two", "done")
    assert doing.label("cancel") == "Cancel 2 workflows"
    assert doing.label("remove") == "Remove 1 workflow"
    assert doing.label("retry") == "Retry"
    bench.table.selection.select_all()
    bench.table.selection_changed.emit()
    assert doing.label("cancel") == "Cancel 2 workflows"
    bench.table.filter(text="two")
    await bench.shows("two")
    bench.table.selection.select_all()
    bench.table.selection_changed.emit()
    assert doing.label("cancel") == "Cancel", "one that matches is one"
    bench.table.filter(text="one")
    await bench.shows("one", "done")
    bench.table.selection.select_all()
    bench.table.selection_changed.emit()
    assert doing.label("cancel") == "Cancel all that match", "the counts know nothing of a text"


async def test_a_hint_says_why_nothing_can_be_done(bench: Bench) -> None:
    await bench.engine.start(asking(), id="a")
    await bench.counts({"waiting": 1})
    await bench.shows("a")
    assert bench.doing.hint("remove") == "Nothing is selected"
    bench.select("a")
    assert "cancel it first" in bench.doing.hint("remove")
    assert bench.doing.hint("pause") == "Stop for now; it goes on where it was"


async def test_it_is_said_how_many_were_left_and_why(still: Bench) -> None:
    for id in ("a", "b", "c"):
        await still.engine.start(asking(), id=id)
    await still.shows("c", "b", "a")
    still.select("a", "b", "c")
    still.doing.take_aim()
    await still.feed.close()  # so that the table hears of neither before
    await still.engine.cancel("b")
    await still.engine.delete("c")

    still.doing.perform("pause")

    await still.says("1 workflow paused. 1 left, finished meanwhile. 1 left, deleted meanwhile")


# --- asking first ---------------------------------------------------------------------------------


async def test_only_many_are_asked_for_before_they_are_cancelled(still: Bench) -> None:
    for id in ("a", "b", "c"):
        await still.engine.start(asking(), id=id)
    await still.shows("c", "b", "a")
    still.select("a")
    still.doing.perform("cancel")
    await still.says("1 workflow cancelled")
    assert still.questions == []

    still.select("a", "b", "c")
    await still.until(lambda: still.doing.label("cancel") == "Cancel 2 workflows")
    still.doing.perform("cancel")
    await still.until(lambda: len(still.questions) == 1)
    (question,) = still.questions
    assert question.text == "Cancel 2 workflows?"
    assert await still.state("b") == "queued", "nothing is done before it is agreed to"
    still.select("a")
    question.go_on()
    await still.says("2 workflows cancelled")
    assert [await still.state(id) for id in "bc"] == ["cancelled"] * 2


async def test_a_question_about_all_that_match_has_their_number(still: Bench) -> None:
    for number in range(30):
        await still.engine.start(asking(), id=f"job-{number}")
    still.table.filter(text="job-1")
    await still.until(lambda: len(still.table.keys) == 11)
    await still.caught_up()
    still.table.selection.select_all()
    still.table.selection.take_away(still.table.keys[:1])

    still.doing.perform("cancel")
    await still.until(lambda: len(still.questions) == 1)
    assert still.questions[0].text == "Cancel 10 workflows?"
    still.questions[0].go_on()
    await still.says("10 workflows cancelled")


# --- removing, and taking it back -----------------------------------------------------------------


async def test_removals_are_taken_back_one_after_the_other(bench: Bench) -> None:
    for id in ("a", "b", "c"):
        await bench.engine.start(quick(), id=id)
    await bench.counts({"completed": 3})
    await bench.shows("c", "b", "a")
    bench.select("a", "b")
    bench.doing.perform("remove")
    await bench.says("2 workflows removed")
    await bench.shows("c")
    bench.select("c")
    bench.doing.perform("remove")
    await bench.says("1 workflow removed")
    await bench.shows()

    assert bench.doing.undo_label == "Undo: bring c back"
    bench.doing.undo()
    await bench.says("c brought back")
    assert bench.doing.undo_label == "Undo: bring 2 workflows back"
    bench.doing.undo()
    await bench.says("2 workflows brought back")
    await bench.shows("c", "b", "a")
    assert not bench.doing.can_undo


async def test_what_is_removed_is_brought_back_or_deleted_and_nothing_else(bench: Bench) -> None:
    for id in ("a", "b", "c"):
        await bench.engine.start(quick(), id=id)
    await bench.counts({"completed": 3})
    await bench.shows("c", "b", "a")
    bench.table.selection.select_all()
    bench.doing.perform("remove")
    await bench.says("3 workflows removed")
    await bench.shows()
    bench.table.filter(removed=True)
    await bench.until(lambda: sorted(bench.ids()) == ["a", "b", "c"])

    names = ("pause", "cancel", "retry", "remove", "cancel-remove", "first", "high", "restore", "delete")
    bench.select("a", "b")
    assert [name for name in names if bench.doing.enabled(name)] == ["restore", "delete"]
    assert bench.doing.label("delete") == "Delete 2 workflows for good ..."
    bench.select("a")
    bench.doing.perform("delete")
    await bench.until(lambda: len(bench.questions) == 1)
    bench.questions[0].go_on()
    await bench.says("1 workflow deleted for good")
    await bench.until(lambda: sorted(bench.ids()) == ["b", "c"])
    bench.select("b")
    bench.doing.perform("restore")
    await bench.says("1 workflow brought back")
    await bench.until(lambda: bench.ids() == ["c"])
    bench.doing.undo()
    await bench.says("1 workflow brought back")  # c alone: b is back already, and a gone
    assert [row.id for row in await bench.engine.list()] == ["c", "b"]


async def test_what_was_brought_back_meanwhile_is_not_deleted(bench: Bench) -> None:
    await bench.engine.start(quick(), id="a")
    await bench.counts({"completed": 1})
    await bench.engine.remove(["a"])
    bench.table.filter(removed=True)
    await bench.shows("a")
    bench.select("a")
    bench.doing.perform("delete")
    await bench.until(lambda: len(bench.questions) == 1)
    await bench.engine.restore(["a"])
    bench.questions[0].go_on()
    await bench.says("0 workflows deleted for good. 1 left, changed meanwhile")
    assert await bench.state("a") == "completed"


async def test_what_is_cancelled_and_removed_goes_as_soon_as_it_has_stopped(bench: Bench) -> None:
    await bench.engine.start(tidying(), id="slow")
    await bench.engine.start(asking(), id="soon")
    await bench.counts({"waiting": 2})
    await bench.shows("soon", "slow")
    bench.select("slow", "soon")
    bench.doing.perform("cancel-remove")
    await bench.until(lambda: len(bench.questions) == 1)
    bench.questions[0].go_on()

    await bench.says("2 workflows cancelled. 1 removed. 1 still stopping, and removed then")
    await bench.shows("slow")
    assert bench.doing.undo_label == "Undo: bring 1 workflow back"
    await bench.engine.arrive("slow", "tidy", "done")
    await bench.says("1 workflow stopped and removed")
    await bench.shows()
    bench.doing.undo()
    await bench.says("2 workflows brought back")
    assert {row.id: row.state.name for row in await bench.engine.list()} == {
        "slow": "cancelled",
        "soon": "cancelled",
    }


async def test_what_is_told_of_while_it_is_looked_at_is_said_with_the_others(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bench.engine.start(asking(), id="one")
    await bench.counts({"waiting": 1})
    await bench.shows("one")

    async def rows(keys: Sequence[int]) -> list[Summary]:
        found = await bench.engine.rows(keys)
        await bench.caught_up()
        return found

    late = SimpleNamespace(rows=rows, bulk=bench.engine.bulk)
    monkeypatch.setattr(bench.doing.removing, "_engine", late)
    bench.select("one")
    bench.doing.perform("cancel-remove")
    await bench.says("1 workflow cancelled. 1 removed")


async def test_undo_while_it_still_stops_leaves_it_on_the_list(bench: Bench) -> None:
    for id in ("slow", "soon"):
        await bench.engine.start(tidying() if id == "slow" else asking(), id=id)
    await bench.counts({"waiting": 2})
    await bench.shows("soon", "slow")
    bench.select("slow", "soon")
    bench.doing.perform("cancel-remove")
    await bench.until(lambda: len(bench.questions) == 1)
    bench.questions[0].go_on()
    await bench.until(lambda: bool(bench.said))
    bench.doing.undo()
    await bench.until(lambda: "brought back" in bench.said[-1])
    await bench.engine.arrive("slow", "tidy", "done")
    await bench.counts({"cancelled": 2})
    await bench.caught_up()
    assert len(await bench.engine.list()) == 2


async def test_what_has_finished_is_removed_together_and_taken_back(bench: Bench) -> None:
    for id in ("done-1", "done-2", "other"):
        await bench.engine.start(quick(), id=id)
    await bench.engine.start(asking(), id="done-not")
    await bench.counts({"completed": 3, "waiting": 1})
    assert bench.doing.finished_count == 3
    bench.table.filter(text="done")
    await bench.shows("done-not", "done-2", "done-1")
    assert bench.doing.finished_count is None, "the counts know nothing of a text"
    bench.doing.remove_finished()
    await bench.says("2 workflows removed")
    await bench.shows("done-not")
    bench.doing.undo()
    await bench.shows("done-not", "done-2", "done-1")


# --- the queue, priorities, names -----------------------------------------------------------------


async def test_queued_rows_move_by_one_or_to_an_end(still: Bench) -> None:
    for id in ("a", "b", "c", "d"):
        await still.engine.start(asking(), id=id)
    still.table.sort("queue", descending=False)
    await still.shows("a", "b", "c", "d")
    for selected, name, shown in (
        ("c", "up", "acbd"),
        ("a", "down", "cabd"),
        ("d", "first", "dcab"),
        ("cd", "last", "abdc"),
        ("dc", "up", "adcb"),
    ):
        still.select(*selected)
        still.doing.perform(name)
        await still.says(f"{len(selected)} workflow{'s' * (len(selected) > 1)} moved")
        await still.shows(*shown)
    still.select("a")
    still.doing.perform("up")
    await still.says("It is at the top of the queue")
    still.select("b")
    still.doing.perform("down")
    await still.says("It is at the end of the queue")


async def test_rows_are_dropped_between_others(still: Bench) -> None:
    for id in ("a", "b", "c", "d"):
        await still.engine.start(asking(), id=id)
    await still.engine.pause("d")
    still.table.sort("queue", descending=False)
    await still.shows("a", "b", "c", "d")
    for selected, index, shown in (("c", 0, "cabd"), ("c", 3, "abcd"), ("ab", 3, "cabd"), ("c", 1, "cabd")):
        still.select(*selected)
        still.doing.move_to(index)
        await still.says(f"{len(selected)} workflow{'s' * (len(selected) > 1)} moved")
        await still.shows(*shown)
    still.select("c")
    still.doing.move_to(4)
    still.doing.perform("copy")
    await still.says("1 name copied")
    assert still.ids() == ["c", "a", "b", "d"], "behind what is paused is nowhere in the queue"


async def test_what_has_begun_meanwhile_is_no_place_to_drop_at(still: Bench, tmp_path: Path) -> None:
    for id in ("a", "b", "c"):
        await still.engine.start(asking(), id=id)
    still.table.sort("queue", descending=False)
    await still.shows("a", "b", "c")
    still.select("c")
    await still.engine.pause("a")
    still.doing.move_to(0)
    await still.says("0 workflows moved. 1 left, changed meanwhile")


async def test_priorities_are_given_by_name(still: Bench) -> None:
    for id in ("a", "b", "c"):
        await still.engine.start(asking(), id=id)
    await still.shows("c", "b", "a")
    still.select("a", "b")
    assert still.doing.has_priority("normal")
    assert still.doing.label("high") == "High, for 2 workflows"
    still.doing.perform("high")
    await still.says("2 workflows with a high priority now")
    await still.until(lambda: still.doing.has_priority("high"))
    still.table.sort("queue", descending=False)
    await still.shows("a", "b", "c")


async def test_names_are_copied_each_on_a_line(still: Bench) -> None:
    for number in range(3):
        await still.engine.start(asking(), id=f"w{number}")
    await still.shows("w2", "w1", "w0")
    still.table.selection.select_all()
    still.table.selection.take_away([still.table.keys[1]])
    still.doing.perform("copy")
    await still.says("2 names copied")
    assert still.copied == ["w0\nw2"]


async def test_all_that_match_are_paused_though_others_begin_in_the_place_of_those_that_stop(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path / "work.db", concurrency=3) as bench:
        for number in range(220):
            await bench.engine.start(lasting(), id=f"w{number}")
        await bench.counts({"running": 3, "queued": 217})
        await bench.caught_up()
        bench.table.selection.select_all()
        bench.doing.perform("pause")
        await bench.says("220 workflows paused")
        await bench.until(lambda: bench.table.counts.get("paused") == 220)


@pytest.mark.parametrize("chosen", ["all that match", "each by itself"])
async def test_what_is_asked_while_something_else_is_done_comes_after_it(still: Bench, chosen: str) -> None:
    await asyncio.gather(*(still.engine.start(lasting(), id=f"w{number}") for number in range(1200)))
    await still.counts({"queued": 1200})
    await still.caught_up()
    if chosen == "all that match":
        still.table.selection.select_all()
    else:
        still.table.selection.replace(still.table.keys)
    still.doing.perform("pause")
    await still.until(lambda: still.doing.enabled("resume"))
    still.doing.perform("resume")
    await still.until(lambda: any("resumed" in each for each in still.said))
    await still.counts({"queued": 1200})
    still.said.clear()


async def test_what_was_just_done_from_here_spares_nobody_where_the_table_lags(
    still: Bench,
) -> None:
    for number in range(3):
        await still.engine.start(lasting(), id=f"w{number}")
    await still.counts({"queued": 3})
    await still.caught_up()
    still.table.selection.select_all()
    still.doing.take_aim()  # what the table knows now, and no more
    still.doing.perform("pause")
    await still.says("3 workflows paused")
    still.doing.perform("resume")
    await still.says("3 workflows resumed")
    await still.counts({"queued": 3})


async def test_what_takes_long_is_said_meanwhile(still: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doing, "WHILE", 0.0)
    at_work: list[str] = []
    still.doing.at_work.connect(at_work.append)
    await asyncio.gather(*(still.engine.start(lasting(), id=f"w{number}") for number in range(300)))
    await still.counts({"queued": 300})
    await still.until(lambda: len(still.table.keys) == 300)
    still.table.selection.select_all()
    still.doing.perform("pause")
    await still.says("300 workflows paused")
    assert set(at_work) == {"At work on 300 workflows ..."}
    at_work.clear()
    await asyncio.sleep(0.05)
    assert at_work == []


async def test_all_that_is_selected_is_all_that_is_shown_whatever_the_feed_has_told(still: Bench) -> None:
    await still.engine.start(lasting(), id="told")
    await still.shows("told")
    await still.feed.close()
    await still.engine.start(lasting(), id="read")
    still.table.filter(states=["queued"])
    await still.until(lambda: sorted(still.ids()) == ["read", "told"])
    still.table.selection.select_all()
    await still.engine.start(lasting(), id="after")
    still.doing.perform("pause")
    await still.says("2 workflows paused. 1 left, changed meanwhile")
    assert await still.state("after") == "queued"


async def test_what_began_while_the_question_was_read_is_cancelled_too(tmp_path: Path) -> None:
    async with opened(tmp_path / "work.db", concurrency=1) as bench:
        for id in ("a", "b", "c"):
            await bench.engine.start(lasting(), id=id)
        await bench.counts({"running": 1, "queued": 2})
        await bench.caught_up()
        bench.table.selection.select_all()
        bench.doing.perform("cancel")
        await bench.until(lambda: bool(bench.questions))
        await bench.engine.bulk("cancel", [min(bench.table.keys)])
        await bench.counts({"cancelled": 1, "running": 1, "queued": 1})
        bench.questions.pop().go_on()
        await bench.says("2 workflows cancelled. 1 left, finished meanwhile")
