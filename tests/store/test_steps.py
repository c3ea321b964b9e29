"""What a body's calls record, hand back and refuse."""

from __future__ import annotations

import asyncio
import enum
import functools
import sqlite3
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from stepfast import Completed, EffectRefused, Failed, Run, Suspended, Transaction
from stepfast.errors import DefinitionError

pytestmark = pytest.mark.usefixtures("quiet_loop")


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Item:
    name: str
    colour: Colour


def value_of(outcome: object) -> Any:
    assert isinstance(outcome, Completed), outcome
    return outcome.value


def failure_of(outcome: object) -> Any:
    assert isinstance(outcome, Failed), outcome
    return outcome.failure


async def nothing() -> None:
    pass


# --- names ----------------------------------------------------------------------------------------


async def test_a_name_used_twice_in_a_pass_is_refused_for_every_pair_of_calls(bench: Any) -> None:
    def calls(run: Run) -> dict[str, Any]:
        return {
            "step": lambda: run.step("same", nothing),
            "transact": lambda: run.transact("same", lambda _: None),
        }

    for number, (first, second) in enumerate(
        (a, b) for a in ("step", "transact") for b in ("step", "transact")
    ):

        async def body(run: Run, first: str = first, second: str = second) -> None:
            await calls(run)[first]()
            await calls(run)[second]()

        for _ in range(2):  # replayed, it is refused as it was at first
            failure = failure_of(await bench.make(body, f"w{number}"))
            assert failure.type.endswith("DuplicateStep") and "'same'" in failure.message


async def test_a_name_used_twice_at_once_is_refused(bench: Any) -> None:
    async def body(run: Run) -> None:
        await asyncio.gather(run.step("same", nothing), run.step("same", nothing))

    assert failure_of(await bench.make(body)).type.endswith("DuplicateStep")


async def test_a_wait_used_twice_is_refused(bench: Any) -> None:
    async def twice(run: Run) -> None:
        await run.sleep("s", timedelta(0))
        await run.sleep("s", timedelta(0))

    assert failure_of(await bench.make(twice)).type.endswith("DuplicateStep")


async def test_kinds_of_one_name_are_apart(bench: Any) -> None:
    async def body(run: Run) -> list[Any]:
        await run.sleep("x", timedelta(0))
        return [await run.awaiting("x"), await run.step("x", make), await run.receive("x")]

    async def make() -> str:
        return "made"

    await bench.durable.start("w", "job", 1, "null")
    await bench.durable.arrive("w", "x", '"answer"')
    await bench.durable.deliver("w", '"message"')
    assert value_of(await bench.make(body)) == ["answer", "made", "message"]


@pytest.mark.parametrize("name", ["", "x" * 501, "a\0b", "\ud800", None, 7])
async def test_a_name_that_cannot_be_stored_is_refused_before_the_effect_runs(bench: Any, name: Any) -> None:
    ran: list[bool] = []

    async def effect() -> None:
        ran.append(True)

    async def body(run: Run) -> None:
        await run.step(name, effect)

    assert failure_of(await bench.make(body)).type.endswith("UnstorableValue")
    assert ran == []


# --- values ---------------------------------------------------------------------------------------


async def test_what_the_body_sees_first_is_what_it_will_see_again(bench: Any) -> None:
    made: list[Any] = []
    seen: list[Any] = []

    async def make() -> dict[str, Any]:
        value = {"path": Path("a"), "when": datetime(2026, 1, 1, tzinfo=UTC), "pair": (1, 2.0), "list": [1]}
        made.append(value)
        return value

    async def body(run: Run) -> None:
        seen.append(await run.step("make", make))
        await run.awaiting("go")

    assert isinstance(await bench.make(body), Suspended)
    assert isinstance(await bench.make(body), Suspended)
    assert len(made) == 1 and seen[0] == seen[1] == made[0]
    assert seen[0] is not made[0] and seen[0]["list"] is not made[0]["list"]


async def test_an_answer_of_another_type_fails_with_what_helps_for_a_retry_does_not(bench: Any) -> None:
    async def body(run: Run) -> bool:
        return await run.awaiting("sure", into=bool)

    assert isinstance(await bench.make(body), Suspended)
    await bench.durable.arrive("w", "sure", '"yes"')
    failure = failure_of(await bench.make(body))
    assert failure.type.endswith("InvalidInput")
    assert failure.message.startswith("the answer 'sure' is 'yes', which is not of type bool; ")
    assert "rerun the workflow from an earlier step" in failure.message


async def test_into_gives_the_rich_type_on_every_pass(bench: Any) -> None:
    seen: list[Any] = []

    def make() -> list[Item]:
        return [Item("a", Colour.RED)]

    async def body(run: Run) -> None:
        seen.append(await run.step("make", make, into=list[Item]))
        seen.append(await run.transact("again", lambda _: Item("b", Colour.RED), into=Item))
        await run.awaiting("go")

    for _ in range(2):
        assert isinstance(await bench.make(body), Suspended)
    assert seen == [[Item("a", Colour.RED)], Item("b", Colour.RED)] * 2


async def test_a_value_that_cannot_be_kept_fails_the_step_and_says_which_and_what_helps(bench: Any) -> None:
    ran: list[bool] = []

    async def make() -> object:
        ran.append(True)
        return Item("a", Colour.RED)

    async def body(run: Run) -> None:
        await run.step("make", make)

    failure = failure_of(await bench.make(body))
    assert failure.type.endswith("UnstorableValue") and failure.step == "make"
    assert "'make'" in failure.message and "into=" in failure.message
    assert ran == [True] and await bench.recorded() == []


async def test_an_effect_whose_value_cannot_be_kept_is_not_run_again_by_a_later_pass(bench: Any) -> None:
    ran: list[bool] = []

    async def send() -> object:
        ran.append(True)
        return object()

    async def body(run: Run) -> None:
        try:
            await run.step("send", send)
        except Exception:
            pass
        await run.awaiting("go")

    if isinstance(await bench.make(body), Suspended):  # one that has failed makes no further pass
        await bench.make(body)
    assert ran == [True]


# --- coroutine functions where there must be none -------------------------------------------------


async def coroutine(*_: object) -> None:
    pass


@pytest.mark.parametrize(
    "effect",
    [coroutine, functools.partial(coroutine), lambda *_: coroutine()],
    ids=["plain", "partial", "lambda"],
)
@pytest.mark.parametrize("where", ["transact", "prepare", "query"])
async def test_a_coroutine_function_is_refused_where_a_plain_one_is_needed(
    bench: Any, where: str, effect: Any
) -> None:
    async def body(run: Run) -> Any:
        match where:
            case "transact":
                return await run.transact("x", effect)
            case "prepare":
                return await run.transact("x", lambda _transaction, _prepared: None, prepare=effect)
            case _:
                return await run.query(effect)

    failure_of(await bench.make(body))
    assert await bench.recorded() == []


async def test_a_plain_function_that_returns_a_coroutine_is_refused_by_step(bench: Any) -> None:
    def hides_it() -> Any:
        return coroutine()

    async def body(run: Run) -> None:
        await run.step("x", hides_it)

    assert failure_of(await bench.make(body)).type.endswith("DefinitionError")


# --- bookmark, progress, log, problem -------------------------------------------------------------


async def test_a_bookmark_set_on_a_thread_is_there_in_the_next_pass_and_gone_with_the_record(
    bench: Any,
) -> None:
    found: list[object] = []
    begun = threading.Event()

    def copy(run: Run) -> str:
        found.append(run.bookmark.get())
        if len(found) == 1:
            run.bookmark.set({"at": 64})
            run.log("half way")
            run.progress(1, 2, "half")
            begun.set()
            raise OSError("unplugged")
        return "copied"

    async def body(run: Run) -> str:
        return await run.step("copy", copy, run)

    assert failure_of(await bench.make(body)).step == "copy"
    assert value_of(await bench.make(body)) == "copied"
    assert found == [None, {"at": 64}]
    assert bench.rows("SELECT count(*) FROM stepfast_bookmarks") == [(0,)]
    lines = await bench.durable.catalogue.log("w")
    assert [(each.step, each.text) for each in lines] == [("copy", "half way")]
    progress = (await bench.durable.catalogue.summary("w")).progress
    assert progress is not None and (progress.done, progress.total, progress.text) == (1.0, 2.0, "half")


async def test_bookmarks_of_steps_at_once_are_apart(bench: Any) -> None:
    async def copy(run: Run, name: str) -> object:
        run.bookmark.set(name)
        await asyncio.sleep(0)
        return run.bookmark.get()

    async def body(run: Run) -> list[Any]:
        return list(await asyncio.gather(*(run.step(each, copy, run, each) for each in "abc")))

    assert value_of(await bench.make(body)) == ["a", "b", "c"]


async def test_a_bookmark_outside_a_step_is_refused(bench: Any) -> None:
    async def body(run: Run) -> None:
        with pytest.raises(DefinitionError):
            run.bookmark.get()

    value_of(await bench.make(body))


async def test_what_threads_say_is_all_kept_whatever_it_holds(bench: Any) -> None:
    def talk(run: Run, number: int) -> None:
        for line in range(100):
            run.log(f"{number}-{line} \ud800 \0", "debug")
            run.progress(line, float("nan") if line % 2 else None, "\ud800")

    async def body(run: Run) -> None:
        await asyncio.gather(*(run.step(f"talk-{each}", talk, run, each) for each in range(8)))
        run.problem("a\ud800", "b\0")

    outcome = await bench.make(body)
    value_of(outcome)
    assert len(await bench.durable.catalogue.log("w")) == 800


async def test_what_is_said_by_the_megabyte_is_cut(bench: Any) -> None:
    much = "x" * 5_000_000

    async def body(run: Run) -> None:
        run.log(much)
        run.progress(1, 2, much)
        run.problem("a.txt", much)

    outcome = await bench.make(body)
    (line,) = await bench.durable.catalogue.log("w")
    assert line.text == "x" * 20_000 + " ... and 4980000 more"
    assert (await bench.durable.catalogue.summary("w")).progress.text == "x" * 1_000 + " ... and 4999000 more"
    assert isinstance(outcome, Completed) and outcome.problems[0].message == line.text


async def test_problems_are_those_of_the_pass_that_finished(bench: Any) -> None:
    async def body(run: Run) -> None:
        run.problem("a.txt", "unreadable")
        await run.awaiting("go")

    await bench.make(body)
    await bench.durable.arrive("w", "go", "1")
    outcome = await bench.make(body)
    assert isinstance(outcome, Completed) and [each.about for each in outcome.problems] == ["a.txt"]


# --- transact and query ---------------------------------------------------------------------------


def keep(transaction: Transaction, prepared: int = 1) -> int:
    transaction.execute("CREATE TABLE IF NOT EXISTS mine (n INTEGER)")
    transaction.execute("INSERT INTO mine VALUES (?)", (prepared,))
    return prepared


async def test_transact_prepares_once_on_a_thread_and_commits_rows_and_record_together(bench: Any) -> None:
    prepared_on: list[str] = []

    def prepare() -> int:
        prepared_on.append(threading.current_thread().name)
        return 7

    async def body(run: Run) -> int:
        value: int = await run.transact("keep", keep, prepare=prepare)
        await run.awaiting("go")
        return value

    for _ in range(2):
        assert isinstance(await bench.make(body), Suspended)
    assert len(prepared_on) == 1 and prepared_on[0] != threading.current_thread().name
    assert bench.rows("SELECT n FROM mine") == [(7,)]


@pytest.mark.parametrize("kind", [ValueError, sqlite3.IntegrityError, SystemExit])
async def test_nothing_of_an_effect_that_raises_is_kept(bench: Any, kind: type[BaseException]) -> None:
    def effect(transaction: Transaction) -> None:
        keep(transaction)
        raise kind("no")

    async def body(run: Run) -> None:
        await run.transact("keep", effect)

    failure_of(await bench.make(body))
    assert await bench.recorded() == []
    assert bench.rows("SELECT name FROM sqlite_master WHERE name = 'mine'") == []


async def test_a_value_that_cannot_be_kept_undoes_the_transaction(bench: Any) -> None:
    def effect(transaction: Transaction) -> object:
        keep(transaction)
        return object()

    async def body(run: Run) -> None:
        await run.transact("keep", effect)

    assert failure_of(await bench.make(body)).type.endswith("UnstorableValue")
    assert bench.rows("SELECT name FROM sqlite_master WHERE name = 'mine'") == []


async def test_a_query_reads_what_was_written_and_can_write_nothing(bench: Any) -> None:
    async def body(run: Run) -> Any:
        await run.transact("keep", keep)
        for sql in ("INSERT INTO mine VALUES (2)", "DELETE FROM mine", "CREATE TABLE other (n)"):
            with pytest.raises((EffectRefused, sqlite3.Error)):
                await run.query(lambda view, sql=sql: view.execute(sql))  # type: ignore[misc]
        return await run.query(lambda view: view.execute("SELECT n FROM mine").fetchall())

    assert value_of(await bench.make(body, returns=list[Any])) == [(1,)]
