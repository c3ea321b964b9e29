"""What lists cost: which tables they read, and by which indexes."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from stepfast import Progress, SqliteDurable, Summary, connect
from stepfast.interfaces import Notes, Offered, Settlement
from stepfast.passes.outcome import Failure, Problem
from stepfast.sqlite.file.opening import reading_connection
from stepfast.sqlite.reading import list_statements
from stepfast.sqlite.reading.list_runs import Group
from stepfast.sqlite.reading.list_statements import Cursor, groups, select
from stepfast.sqlite.reading.search import Found
from stepfast.state import FINISHED, STATES, Completed
from stepfast.views import EVERYTHING, ORDERS, Changes, Filter

VALUES = {"payloads", "records", "messages", "bookmarks", "log", "attempts", "problems"}
# As in a large file: half a million have finished, and a few thousand are in each other state.
COUNTS = {
    (state, name): 500_000 if state == "completed" else 4_000 for state in STATES for name in ("a", "b")
}
INDEXED = [order for order, each in ORDERS.items() if each.indexed]
FILTERS = [
    EVERYTHING,
    Filter(["completed"]),
    Filter(["completed", "failed"]),
    Filter(["queued"]),
    Filter(["queued", "running", "completed"]),
    Filter(STATES),
    Filter(top=True),
    Filter(["completed"], top=True),
]


class Watched:
    """A store whose readers tell which tables they read."""

    def __init__(self) -> None:
        self.tables: set[str] = set()

    def connect(self, path: Path, *, unopened: bool = False) -> sqlite3.Connection:
        connection = reading_connection(path, unopened=unopened)
        connection.set_authorizer(self._authorize)
        return connection

    def _authorize(self, action: int, table: Any, _column: Any, _schema: Any, _trigger: Any) -> int:
        if action == sqlite3.SQLITE_READ:
            self.tables.add(table.removeprefix("stepfast_"))
        return sqlite3.SQLITE_OK


@pytest.fixture
async def empty(tmp_path: Path) -> AsyncIterator[SqliteDurable]:
    durable = await connect(tmp_path / "work.db")
    yield durable
    await durable.close()


@pytest.fixture
def plain(empty: SqliteDurable) -> Iterator[sqlite3.Connection]:
    """What another program sees of the file."""
    with closing(sqlite3.connect(empty.path)) as connection:
        yield connection


async def test_lists_read_no_inputs_results_records_or_log_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched()
    monkeypatch.setattr("stepfast.sqlite.store.reading_connection", watched.connect)
    durable = await connect(tmp_path / "work.db")
    await durable.start("one", "job", 1, "null")
    (one,) = await durable.begin([Offered("job", 1)], 1)
    await durable.checkpointer.note(one.claim, Notes(step="s", progress=Progress(1, 2, "")))
    failure, problems = Failure("E", "m", step="s"), (Problem("a", "b"),)
    await durable.settle(one.claim, one.receipt, Settlement("failed", failure=failure, problems=problems))
    await durable.start("two", "job", 1, "null")
    catalogue = durable.catalogue
    watched.tables.clear()

    for order, descending in product(ORDERS, (False, True)):
        others = (Filter(names=["job"]), Filter(text="o"), Filter(removed=True), Filter(top=True))
        for filter in (*FILTERS, *others, Filter(parents=[1])):
            keys = (await catalogue.listing(filter, order=order, descending=descending)).keys
            rows = await catalogue.rows(keys)
            page = await catalogue.list(filter, order=order, descending=descending, limit=1)
            assert page == rows[:1]
            await catalogue.list(filter, order=order, descending=descending, after=page[-1] if page else None)
    await catalogue.summary("one")
    await catalogue.counts()
    await catalogue.families([row.key for row in await catalogue.list()])
    await catalogue.changes(0)

    assert watched.tables & {"workflows", "counts", "findable"}
    assert not watched.tables & VALUES
    await catalogue.get("one")
    assert watched.tables & VALUES == {"payloads", "problems"}, "reading them is noticed"
    await durable.close()


def plan(connection: sqlite3.Connection, sql: str, row: dict[str, Any]) -> list[str]:
    return [line[3] for line in connection.execute(f"EXPLAIN QUERY PLAN {sql}", row)]


def cursors(group: Group) -> list[Cursor | None]:
    match group.by:
        case None:
            return [None, Cursor(7)]
        case "w.id" | "w.name":
            return [None, Cursor(7, "n")]
        case _:
            return [None, Cursor(7, 1e9), Cursor(7, None), Cursor(7, 1e9, exact=False)]


@pytest.mark.parametrize("order", INDEXED)
@pytest.mark.parametrize("limit", [None, 100])
async def test_an_indexed_order_is_read_from_an_index_and_never_sorted(
    plain: sqlite3.Connection, order: str, limit: int | None
) -> None:
    # What is pending has one index for all its states, and ids have one for everything: where very little of
    # that is wanted, sorting it is less work.
    little = [Filter(["queued"]), Filter(["queued", "running", "completed"])]
    filters = [each for each in FILTERS if each not in little or (limit and order != "id")]
    seen = 0
    for group, filter, descending in product(groups(order), filters, (False, True)):
        for after in cursors(group) if limit else [None]:
            asked = select(group, filter, COUNTS, None, descending=descending, after=after, limit=limit)
            if asked is None:
                assert not group.states & (filter.states or group.states)
                continue
            lines = plan(plain, asked.sql, asked.row)
            seen += 1
            for line in lines:
                assert "TEMP B-TREE" not in line, (asked.sql, lines)
                if line.startswith(("SCAN stepfast", "SCAN w", "SEARCH stepfast", "SEARCH w")):
                    assert "INDEX" in line or "PRIMARY KEY" in line, (asked.sql, lines)
            if after is not None:
                assert not any(line.startswith("SCAN w") for line in lines), (
                    "a page begins at its place, without what lies before it",
                    asked.sql,
                    lines,
                )
    assert seen


@pytest.mark.parametrize("order", ORDERS)
async def test_only_what_sorts_all_there_are_goes_through_the_table_itself(
    plain: sqlite3.Connection, order: str
) -> None:
    some, nearly_all = Found("t", "[1,2]", 2, 2), Found("t", "[1,2]", 2, 1_000_000, others=True)
    filters = (
        *FILTERS,
        Filter(names=["a"]),
        Filter(["completed"], ["a", "b"]),
        Filter(names=map(str, range(50))),
        Filter(["failed"], removed=True),
        Filter(top=True),
        Filter(["failed"], ["a"], top=True),
        Filter(parents=[1, 2]),
        Filter(["failed"], problems=True),
        Filter(problems=True, removed=True),
        Filter(["failed"], parents=[1], removed=True),
    )
    for group, filter, found in product(groups(order), filters, (None, some, nearly_all)):
        everything = (
            not filter.names
            and not filter.removed
            and {state for state, _ in COUNTS} <= (filter.states or set(STATES))
        )
        sorts = order in ("version", "priority", "problems", "attempts") and everything
        for limit in (None, 100):
            asked = select(group, filter, COUNTS, found, descending=False, limit=limit)
            if asked is None:
                continue
            for line in plan(plain, asked.sql, asked.row):
                if line.startswith(("SCAN", "SEARCH")) and "stepfast" in asked.sql:
                    target = line.split()[1]
                    if target in ("w", "p", "stepfast_workflows", "stepfast_progress"):
                        assert sorts or "INDEX" in line or "PRIMARY KEY" in line, (asked.sql, line)


async def test_rows_counts_and_changes_are_looked_up(plain: sqlite3.Connection) -> None:
    row = {"keys": "[1,2]", "id": "one", "after": 5, "limit": 100}
    everything = (list_statements.SUMMARIES, list_statements.SUMMARY, list_statements.CHANGES)
    for sql in (*everything, list_statements.FAMILIES):
        lines = plan(plain, sql, row)
        assert sql == list_statements.FAMILIES or not any("TEMP B-TREE" in line for line in lines), lines
        for table in ("w", "p", "stepfast_workflows", "stepfast_progress", "stepfast_tombstones"):
            assert not any(line.startswith(f"SCAN {table}") for line in lines), lines


async def test_a_few_among_very_many_are_sorted_and_not_looked_for_all_through_an_order(
    plain: sqlite3.Connection,
) -> None:
    counts = {**COUNTS, ("failed", "a"): 3, ("failed", "b"): 0}
    (group,) = groups("id")
    asked = select(group, Filter(["failed"]), counts, None, descending=False, limit=100)
    assert asked is not None
    assert any("stepfast_listed (state=?)" in line for line in plan(plain, asked.sql, asked.row))
    everything = select(group, EVERYTHING, counts, None, descending=False, limit=100)
    assert everything is not None
    assert any("autoindex" in line for line in plan(plain, everything.sql, everything.row))


async def test_a_page_after_a_row_that_is_gone_goes_on_in_its_microsecond(empty: SqliteDurable) -> None:
    # Moments in the file are finer than those of Python, in which a page gives them.
    moments = [1_764_403_200.1234561, 1_764_403_200.1234564, 1_764_403_200.1234567, 1_764_403_200.2]
    for n in range(4):
        await empty.start(f"w{n}", "job", 1, "null")
        (one,) = await empty.begin([Offered("job", 1)], 1)
        await empty.settle(one.claim, one.receipt, Settlement("completed", result="1"))
    with closing(sqlite3.connect(empty.path, isolation_level=None)) as connection:
        for n, moment in enumerate(moments):
            connection.execute("UPDATE stepfast_workflows SET started_at = ? WHERE id = ?", (moment, f"w{n}"))
    for descending, expected in ((False, ["w2", "w3"]), (True, ["w0"])):
        whole = await empty.catalogue.list(order="started", descending=descending)
        assert len({row.started_at for row in whole}) < 4
        place = next(n for n, row in enumerate(whole) if row.id == "w1")
        rest = await empty.catalogue.list(order="started", descending=descending, after=whole[place])
        assert [row.id for row in rest] == expected, "exactly, while it is there"
    row = await empty.catalogue.summary("w1")
    await empty.delete("w1")
    rest = await empty.catalogue.list(order="started", after=row)
    assert [row.id for row in rest] == ["w2", "w3"]


async def test_what_a_list_says_of_a_row_is_what_was_written(empty: SqliteDurable) -> None:
    odd = {"done": 0.1 + 0.2, "total": 1e22 / 3, "text": 'a "quoted" line\n\t\x07 of ünïcode 👩'}
    await empty.start('o\'ne "two"', "jöb", 3, "null", priority=-5)
    (one,) = await empty.begin([Offered("jöb", 3)], 1)
    await empty.checkpointer.note(one.claim, Notes(step="s\\t", progress=Progress(**odd)))
    at = datetime(2026, 11, 29, 12, 30, 15, 123456, UTC)
    due = Settlement("sleeping", due=at.timestamp())
    await empty.settle(one.claim, one.receipt, due)

    (row,) = await empty.catalogue.list()

    assert (row.id, row.name, row.version, row.priority) == ('o\'ne "two"', "jöb", 3, -5)
    assert row.progress == Progress(**odd)
    assert row.step == "s\\t"
    assert row.state.until == at  # type: ignore[union-attr]
    assert row == await empty.catalogue.summary(row.id)
    with closing(sqlite3.connect(empty.path, isolation_level=None)) as connection:
        connection.execute(
            "UPDATE stepfast_workflows SET state = 'completed', due = NULL, finished_at = ?",
            (at.timestamp() + 1e-7,),
        )
    (row,) = await empty.catalogue.list()
    assert row.state == Completed(at, 0)
    assert row.finished_at is not None and row.finished_at - at < timedelta(microseconds=1)


async def test_counts_are_of_any_number_of_definitions(empty: SqliteDurable) -> None:
    for name in ("a", "b", "c"):
        for n in range(3):
            await empty.start(f"{name}{n}", name, 1, "null")
    await empty.cancel("b1")
    await empty.delete("c2")
    assert {state: n for state, n in (await empty.catalogue.counts()).items() if n} == {
        "queued": 7,
        "cancelled": 1,
    }


@pytest.mark.parametrize("rows", [1500, pytest.param(6000, marks=pytest.mark.campaign)])
async def test_the_keys_of_many_are_those_of_all_pages(empty: SqliteDurable, rows: int) -> None:
    """Of so many that every way to read them is taken by some filter: in pages of a sixth, 545 statements of
    the 549 that four times as many need.
    """
    with closing(sqlite3.connect(empty.path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        for n in range(rows):
            state = STATES[n * n % 9] if n % 3 else "completed"
            finished = None if state not in FINISHED else 1e9 + n * 7919 % 6000
            connection.execute(
                "INSERT INTO stepfast_workflows (key, id, name, version, state, priority, place, receipt,"
                " token, owner, created_at, started_at, finished_at, removed_at, change, parent)"
                " VALUES (:key, :id, :name, 1, :state, :priority, :key, :key, :token, :token, 1e9, :started,"
                " :finished, :removed, :key, :parent)",
                {
                    "key": n + 1,
                    "id": f"{n * 4001 % 6000:05}",
                    "name": "abc"[n % 7 % 3],
                    "state": state,
                    "priority": n % 4,
                    "token": 1 if state == "running" else None,
                    "started": None if n % 5 == 0 else 1e9 + n * 3571 % 500,
                    "finished": finished,
                    "removed": 2e9 if finished and n % 11 == 0 else None,
                    "parent": n // 2 if n % 5 == 1 else None,
                },
            )
        connection.execute("UPDATE stepfast_meta SET counter = 10000")
        connection.execute(
            "INSERT INTO stepfast_findable SELECT key, id || char(31) || name FROM stepfast_workflows"
        )
        connection.execute("COMMIT")
    catalogue = empty.catalogue
    filters = (
        *FILTERS,
        Filter(["failed"]),
        Filter(["running"], ["c"]),
        Filter(names=["a", "b"]),
        Filter(text="1"),
        Filter(["completed"], text="9"),
        Filter(text="0"),
        Filter(removed=True),
        Filter(["failed"], top=True),
        Filter(text="1", top=True),
        Filter(parents=range(rows // 3)),
        Filter(top=True, parents=range(0, rows // 3, 7)),
    )
    for order, filter in product(ORDERS, filters):
        keys = (await catalogue.listing(filter, order=order)).keys
        assert len(set(keys)) == len(keys)
        paged = array("q")
        last: Summary | None = None
        while page := await catalogue.list(filter, order=order, after=last, limit=rows // 6 + 1):
            paged.extend(row.key for row in page)
            last = page[-1]
        assert paged == keys, (order, filter)


async def test_a_page_of_changes_is_small_however_much_has_changed(empty: SqliteDurable) -> None:
    for n in range(30):
        await empty.start(f"w{n}", "job", 1, "null")
    await empty.bulk("cancel", EVERYTHING)
    for n in range(0, 30, 2):
        await empty.delete(f"w{n}")
    everything = ({f"w{n}" for n in range(1, 30, 2)}, {f"w{n}" for n in range(0, 30, 2)})
    at, rows, gone = 0, set(), set()
    for limit in (0, -5, 1, 3, 10, 10, 10, 100):
        feed = await empty.catalogue.changes(at, limit=limit)
        assert isinstance(feed, Changes)
        assert len(feed.rows) + len(feed.deleted) <= 2 * max(1, limit)
        assert feed.at > at or (rows, gone) == everything
        at = feed.at
        rows |= {row.id for row in feed.rows}
        gone |= set(feed.deleted)
    assert (rows, gone) == everything


def test_the_page_about_lists_has_every_order_and_says_which_are_sorted() -> None:
    page = (Path(__file__).parents[2] / "docs" / "lists.md").read_text("utf-8")
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    said = {name.strip(" |`"): "index" in row[2] for row in rows for name in row[0].split(",")}
    assert said == {name: order.indexed for name, order in ORDERS.items()}
