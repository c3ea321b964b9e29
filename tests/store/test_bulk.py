"""Asking very many at once: in small commits, beside others, and through the death of the process."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from children import STORE

from stepfast import SqliteDurable, connect
from stepfast.errors import StoreClosed
from stepfast.interfaces import Signal
from stepfast.sqlite.moves import asking
from stepfast.views import ACTIONS, EVERYTHING, Filter

MANY = 1000


def fill(path: Path, count: int, state: str = "queued") -> None:
    """Put so many workflows there, faster than they could be started."""
    finished = 1e9 if state in ("completed", "failed", "cancelled") else None
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        ((counter,),) = connection.execute("SELECT counter FROM stepfast_meta").fetchall()
        connection.executemany(
            "INSERT INTO stepfast_workflows (key, id, name, version, state, place, receipt, created_at,"
            " finished_at, change)"
            " VALUES (:key, 'w' || :key, 'job', 1, :state, :key, :key, 1e9, :finished, :key)",
            ({"key": counter + n, "state": state, "finished": finished} for n in range(1, count + 1)),
        )
        connection.execute(
            "INSERT INTO stepfast_payloads (workflow, input) SELECT key, '1' FROM stepfast_workflows"
        )
        connection.execute("UPDATE stepfast_meta SET counter = counter + ?", (count,))
        connection.execute("COMMIT")


async def states(durable: SqliteDurable) -> dict[str, int]:
    return {state: n for state, n in (await durable.catalogue.counts()).items() if n}


async def test_other_calls_are_served_between_the_commits(tmp_path: Path) -> None:
    durable = await connect(tmp_path / "work.db")
    fill(durable.path, MANY)
    commits: list[frozenset[int]] = []
    first = asyncio.Event()

    def hear(signal: Signal) -> None:
        if signal.keys:
            commits.append(signal.keys)
            first.set()

    durable.listen(hear)
    asking_all = asyncio.ensure_future(durable.bulk("cancel", EVERYTHING))
    await first.wait()
    started = await durable.start("in between", "job", 1, "null")
    assert not asking_all.done()
    came = await asking_all

    assert len(came.done) == MANY
    assert max(map(len, commits)) <= asking.AT_ONCE
    place = commits.index(frozenset([started.key]))
    assert place <= 3, "it waited for no more than what was on its way"
    assert await states(durable) == {"cancelled": MANY, "queued": 1}
    await durable.close()


async def test_more_than_a_statement_can_have_parameters_are_asked_by_key(tmp_path: Path) -> None:
    durable = await connect(tmp_path / "work.db")
    fill(durable.path, 40_000, "completed")
    keys = (await durable.catalogue.listing(order="created")).keys
    removed = await durable.bulk("remove", keys)
    assert removed.done == keys and removed.left == {}
    assert await states(durable) == {}
    assert len((await durable.bulk("restore", removed.done[:39_999])).done) == 39_999
    assert await states(durable) == {"completed": 39_999}
    await durable.close()


KILLED = """
import asyncio, os, signal, sys
from stepfast import connect
from stepfast.views import EVERYTHING

async def main():
    durable = await connect(sys.argv[1])
    commits = []

    def hear(signalled):
        if signalled.keys:
            commits.append(signalled)
        if len(commits) == 2:
            os.kill(os.getpid(), signal.SIGKILL)

    durable.listen(hear)
    await durable.bulk(sys.argv[2], EVERYTHING, upto=int(sys.argv[3]))

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("action", "state"), [("cancel", "queued"), ("remove", "failed"), ("retry", "failed")]
)
async def test_a_kill_in_the_middle_leaves_each_done_or_not_and_asking_again_does_the_rest(
    tmp_path: Path, action: str, state: str
) -> None:
    path = tmp_path / "work.db"
    await (await connect(path)).close()
    fill(path, MANY, state)
    with closing(sqlite3.connect(path)) as connection:
        ((upto,),) = connection.execute("SELECT counter FROM stepfast_meta").fetchall()
    child = subprocess.run(
        [sys.executable, "-c", KILLED, path, action, str(upto)], env={"PYTHONPATH": STORE}, timeout=60
    )
    assert child.returncode == -signal.SIGKILL

    durable = await connect(path)
    before = await states(durable)
    done = MANY - before.get(state, 0)
    assert 2 * asking.AT_ONCE <= done < MANY and done % asking.AT_ONCE == 0, before
    counts = {state: n for state, n in before.items() if n}
    again = await durable.bulk(action, EVERYTHING, upto=upto)
    assert len(again.done) == MANY - done, "those that were done before are not done twice"
    assert sum(again.left.values()) == sum(counts.values()) - (MANY - done)
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT state, removed_at IS NULL, count(*), count(DISTINCT change) FROM stepfast_workflows"
            " GROUP BY 1, 2"
        ).fetchall()
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    expected = {"cancel": ("cancelled", 1), "remove": ("failed", 0), "retry": ("queued", 1)}[action]
    assert rows == [(*expected, MANY, MANY)]
    await durable.close()


async def test_one_that_is_cancelled_stops_between_two_commits(tmp_path: Path) -> None:
    durable = await connect(tmp_path / "work.db")
    fill(durable.path, MANY)
    first = asyncio.Event()
    durable.listen(lambda signal: first.set())
    working = asyncio.ensure_future(durable.bulk("pause", EVERYTHING))
    await first.wait()
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    rest = await durable.bulk("pause", EVERYTHING)  # behind what was on its way, which is committed
    paused = rest.left["paused"]
    assert 0 < paused < MANY and paused % asking.AT_ONCE == 0
    assert len(rest.done) == MANY - paused
    await durable.close()


async def test_one_that_is_on_its_way_when_the_store_is_closed_says_so(tmp_path: Path) -> None:
    durable = await connect(tmp_path / "work.db")
    fill(durable.path, MANY)
    writer, first, go_on = durable._store.writer, asyncio.Event(), threading.Event()

    def hear(_signal: Signal) -> None:
        if not first.is_set():
            first.set()
            writer.do(lambda _turn: go_on.wait(100))  # so that it does not come to its end meanwhile

    durable.listen(hear)
    working = asyncio.ensure_future(durable.bulk("pause", EVERYTHING))
    await first.wait()
    closing_it = asyncio.ensure_future(durable.close())
    while not writer._closed:
        await asyncio.sleep(0.001)
    go_on.set()
    await closing_it
    with pytest.raises(StoreClosed):
        await working


async def test_the_rows_are_found_by_their_keys(tmp_path: Path) -> None:
    durable = await connect(tmp_path / "work.db")
    row = {"keys": json.dumps([1, 2]), "first": 5, "now": 1.0, "upto": 9, "ids": '["a"]'}
    moves = [move.sql for action in ACTIONS for move in asking.MOVES[action].moves]
    others = [asking.CLEAR_RESULTS, asking.CLEAR_PROBLEMS, asking.LEFT, asking.KEYS_OF]
    with closing(sqlite3.connect(durable.path)) as connection:
        for sql in (*moves, *others):
            plan = [line[3] for line in connection.execute(f"EXPLAIN QUERY PLAN {sql}", row)]
            for line in plan:
                assert not line.startswith("SCAN") or line.split()[1] in ("each", "json_each"), (sql, plan)
            if sql in moves:
                assert "SEARCH w USING INTEGER PRIMARY KEY (rowid=?)" in plan, (sql, plan)
    await durable.close()


async def test_a_filter_with_a_text_is_asked_as_it_is_listed(tmp_path: Path) -> None:
    durable = await connect(tmp_path / "work.db")
    for id in ("Ärzte", "other", "ÄRMEL"):
        await durable.start(id, "job", 1, "null")
    came = await durable.bulk("pause", Filter(text="är"))
    assert [row.id for row in await durable.catalogue.rows(came.done)] == ["Ärzte", "ÄRMEL"]
    await durable.close()
