"""When the log is copied, and whom that holds up: nobody who leaves a gap."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from watching_log import SECONDS, Engine, Quick, Watched, count, size

from stepfast.sqlite.engines.owners import owners_folder
from stepfast.sqlite.file.opening import WAL_KEPT, writing_connection
from stepfast.sqlite.log import wal
from stepfast.sqlite.log.checkpoints import Checkpoints, Copied
from stepfast.sqlite.log.due import MOST_PAGES, Due
from stepfast.sqlite.writing.calls import WriteTurn
from stepfast.system.threads import once

pytestmark = pytest.mark.usefixtures("quiet_loop")


# --- when -----------------------------------------------------------------------------------------


async def test_commits_are_made_while_the_log_is_copied(path: Path) -> None:
    """A copy that is under way waits for commits here, and gets them."""
    loop = asyncio.get_running_loop()
    copying, go_on = asyncio.Event(), threading.Event()

    def during(statement: str) -> None:
        if "wal_checkpoint" in statement and threading.current_thread().name == "stepfast-wal":
            loop.call_soon_threadsafe(copying.set)
            assert go_on.wait(SECONDS)

    def open_connection() -> sqlite3.Connection:
        connection = writing_connection(path)
        connection.set_trace_callback(during)
        return connection

    engine = Engine(path, open_connection)
    try:
        await engine.write(1000)
        async with asyncio.timeout(SECONDS):
            await copying.wait()
            await engine.write(200)
        assert not go_on.is_set()
    finally:
        go_on.set()
        await engine.close()
    assert count(path) == 1200


async def test_what_is_written_is_copied_when_nothing_more_comes_and_then_nothing_is_done(
    engine: Engine, watched: Watched
) -> None:
    await engine.write(10)
    await watched.until_all_is_copied(engine)
    thread = engine.wal._thread
    assert thread is not None
    # It sleeps until somebody writes: no time is set.
    async with asyncio.timeout(SECONDS):
        while not engine.wal._asleep:
            await asyncio.sleep(0.001)
    assert engine.wal._seconds_to_wait() is None
    before = watched.count("all")
    await engine.write(1)
    await watched.until(lambda: watched.count("all") == before + 1)
    assert thread.is_alive()


async def test_who_writes_nothing_has_neither_thread_nor_connections_for_it(path: Path) -> None:
    opened = 0

    def open_connection() -> sqlite3.Connection:
        nonlocal opened
        opened += 1
        return writing_connection(path)

    engine = Engine(path, open_connection)
    await engine.readers.run(lambda connection: connection.execute("SELECT * FROM mine").fetchall())
    await engine.close()
    assert opened == 1 and engine.wal._thread is None
    assert not owners_folder(path).exists()


async def test_a_log_that_one_large_value_has_made_large_shrinks_by_itself(
    engine: Engine, path: Path, watched: Watched
) -> None:
    await engine.write(1, 3 * WAL_KEPT)
    assert size(path) > 2 * WAL_KEPT
    await watched.until(lambda: watched.last("cut") == Copied(0, 0))
    assert size(path) == 0
    assert count(path) == 1


async def test_another_program_that_holds_the_write_lock_does_not_keep_it_from_being_copied(
    engine: Engine, path: Path, watched: Watched
) -> None:
    await engine.write(10)
    with closing(sqlite3.connect(path, isolation_level=None, timeout=SECONDS)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("INSERT INTO mine (text) VALUES ('other')")
        await watched.until_all_is_copied(engine)
        other.execute("COMMIT")
    assert count(path) == 11


# --- whom it holds up -----------------------------------------------------------------------------


def generation(path: Path) -> bytes:
    """The salts of the log's header: others whenever it is started anew (sqlite.org/fileformat.html)."""
    with path.with_name(path.name + "-wal").open("rb") as log:
        return log.read(24)[16:]


def count_in_file(path: Path) -> int:
    """Without what is in the log alone."""
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as connection:
        ((rows,),) = connection.execute("SELECT count(*) FROM mine")
        return int(rows)


async def test_whoever_leaves_gaps_is_never_held_up_and_the_log_is_started_anew(
    path: Path, quick: Quick, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(idle=1000)
    monkeypatch.setattr(wal, "QUIET_SECONDS", 1000.0)
    engine = Engine(path)
    generations = set()
    for _ in range(3):
        while not engine.wal._due.in_a_gap:
            await engine.write(20)
        await watched.until_all_is_copied(engine)
        assert count_in_file(path) == count(path)
        generations.add(generation(path))
    assert watched.count("rest") == 0, "nobody held the write lock"
    assert len(generations) == 3
    assert size(path) <= WAL_KEPT
    await engine.close()


async def test_whoever_leaves_none_is_held_up_when_the_log_would_outgrow_what_is_kept(
    path: Path, quick: Quick, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(idle=1000)
    engine = Engine(path)
    tried_at: list[float] = []
    real = Checkpoints.most

    def most(checkpoints: Checkpoints, *before: Copied) -> Copied:
        tried_at.append(engine.wal._due.written)
        return real(checkpoints, *before)

    monkeypatch.setattr(Checkpoints, "most", most)
    go_on = threading.Event()
    held = engine.writer.alone(lambda _turn: go_on.wait(SECONDS))
    writes = asyncio.ensure_future(engine.write(2 * MOST_PAGES, at_once=2 * MOST_PAGES))
    await asyncio.sleep(0)
    go_on.set()  # from here to the last of them, the thread that writes has always something to do
    await asyncio.gather(held, writes)
    assert tried_at[0] >= MOST_PAGES
    assert watched.count("rest") <= engine.wal._due.written / MOST_PAGES
    assert size(path) < 2 * WAL_KEPT
    await engine.close()
    assert count(path) == 2 * MOST_PAGES


async def test_what_is_committed_while_the_log_is_copied_is_not_taken_for_copied(
    path: Path, watched: Watched, monkeypatch: pytest.MonkeyPatch, quick: Quick
) -> None:
    loop = asyncio.get_running_loop()
    engine = Engine(path)
    real, left = Checkpoints._guarded, 5

    @contextmanager
    def guarded(checkpoints: Checkpoints) -> Iterator[sqlite3.Connection]:
        nonlocal left
        with real(checkpoints) as copier:
            yield copier
            if left:
                left -= 1
                asyncio.run_coroutine_threadsafe(engine.write(1), loop).result(SECONDS)

    monkeypatch.setattr(Checkpoints, "_guarded", guarded)
    await engine.write(10)
    await watched.until_all_is_copied(engine)
    assert left == 0
    assert count_in_file(path) == 15
    await engine.close()


async def test_a_writer_that_is_busy_with_one_call_holds_up_no_reader(
    engine: Engine, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log is large, and the thread that writes does not come around to copy what is left over."""
    monkeypatch.setattr(wal, "TURN_SECONDS", 0.05)
    entered, go_on = threading.Event(), threading.Event()

    def hold(_turn: WriteTurn) -> None:
        entered.set()
        go_on.wait(SECONDS)

    await engine.write(1, 20_000_000)
    held = engine.writer.alone(hold)
    await once(entered.wait)
    for _ in range(100):
        await engine.readers.run(lambda connection: connection.execute("SELECT n FROM mine").fetchall())
    go_on.set()
    await held
    assert engine.snapshots.oldest is None


@pytest.mark.skipif(sys.platform == "win32", reason="the size is asked for in the usual way there")
def test_how_large_the_log_is_is_found_without_asking_for_its_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked for, they are written by the next commit, which takes half as long again."""
    due, log = Due(tmp_path / "work.db"), tmp_path / "work.db-wal"
    due.note_size()
    assert due.size == 0, "there is none"
    log.write_bytes(b"x" * 5000)
    asked: list[str] = []
    real = os.stat

    def stat(path: Any, *arguments: Any, **more: Any) -> os.stat_result:
        asked.append(os.fspath(path))
        return real(path, *arguments, **more)

    monkeypatch.setattr(os, "stat", stat)
    due.note_size()
    assert not due.at_once and due.size == 5000
    assert str(log) not in asked
