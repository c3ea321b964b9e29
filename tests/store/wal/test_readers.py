"""Who reads keeps the log from being started anew: that is said, and it shrinks when they are gone."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from children import Starter, hears, kill
from watching_log import READS, SECONDS, Engine, Quick, Watched, count, size

from stepfast.sqlite.file.opening import WAL_KEPT, reading_connection
from stepfast.sqlite.log import wal
from stepfast.system.threads import once

pytestmark = pytest.mark.usefixtures("quiet_loop")


# --- readers that come and go, and those that stay ------------------------------------------------


async def test_a_log_that_is_read_all_the_while_is_started_anew(engine: Engine, path: Path) -> None:
    """Each reader begins before the last one has ended, so there is no moment without any by itself."""
    reading = 0
    overlapped = 0
    over = False

    def read(connection: sqlite3.Connection) -> None:
        nonlocal reading, overlapped
        reading += 1
        overlapped += reading > 1
        connection.execute("SELECT sum(length(text)) FROM (SELECT text FROM mine LIMIT 1000)").fetchall()
        reading -= 1

    async def read_on() -> None:
        while not over:
            await engine.readers.run(read)

    readers = [asyncio.create_task(read_on()) for _ in range(3)]
    largest = 0
    for _ in range(60):
        await engine.write(250)
        largest = max(largest, size(path))
    over = True
    await asyncio.gather(*readers)
    assert overlapped
    assert largest < 48 * 1024 * 1024
    assert count(path) == 15_000


@pytest.mark.parametrize("large", [False, True], ids=["for long", "and the log is large"])
@pytest.mark.parametrize("copied", [False, True], ids=["of what was in the log", "of what was in the file"])
async def test_a_foreign_reader_that_stays_is_named_and_when_it_is_gone_the_log_shrinks(
    path: Path, starter: Starter, quick: Quick, watched: Watched, large: bool, copied: bool
) -> None:
    quick(idle=0.05, first_try=0.05, last_try=0.2, old=1000 if large else 0.2, old_if_large=0.1)
    engine = Engine(path)
    await engine.write(10)
    if copied:
        await watched.until_all_is_copied(engine)
    reader = starter(READS, path)
    assert hears(reader) == "10"
    await engine.write(6000 if large else 10)
    await engine.until(lambda: engine.health.has("old-reader"))
    (condition,) = engine.health.conditions
    assert not condition.stops_work
    assert str(path) in condition.message and "has been reading" in condition.message
    if sys.platform == "linux":
        assert f"(process {reader.pid})" in condition.message
        assert Path(sys.executable).name in condition.message
        assert f"(process {os.getpid()})" not in condition.message
    kill(reader)
    await engine.until(lambda: not engine.health.conditions)
    await watched.until(lambda: size(path) <= WAL_KEPT)
    assert len(set(engine.messages)) == 1, "said once, and not each time that it was tried"
    await engine.close()
    assert count(path) == (6010 if large else 20)
    assert [each.name for each in path.parent.iterdir()] == [path.name]


async def test_tries_are_further_and_further_apart_while_a_reader_stays(
    path: Path, quick: Quick, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(idle=0.01, first_try=0.01, last_try=0.08, old=1000)
    pauses: list[float] = []
    enough = asyncio.Event()
    loop = asyncio.get_running_loop()
    real = wal.Wal._later

    def later(self: wal.Wal) -> None:
        real(self)
        if self._pause == 0.01 and len(pauses) < 6:
            pauses.clear()  # the first since all was copied
        pauses.append(self._pause)
        if len(pauses) == 6:
            loop.call_soon_threadsafe(enough.set)

    monkeypatch.setattr(wal.Wal, "_later", later)
    engine = Engine(path)
    await engine.write(10)
    with closing(reading_connection(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM mine").fetchall()
        await engine.write(10)
        async with asyncio.timeout(SECONDS):
            await enough.wait()
    assert pauses[:6] == [0.01, 0.02, 0.04, 0.08, 0.08, 0.08]
    await engine.close()


async def test_a_reader_of_this_program_outside_stepfast_is_said_to_be_one(
    engine: Engine, path: Path
) -> None:
    await engine.write(10)
    with closing(reading_connection(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM mine").fetchall()
        await engine.write(10)
        await engine.until(lambda: engine.health.has("old-reader"))
    (condition,) = engine.health.conditions
    if sys.platform == "linux":
        assert f"this program itself (process {os.getpid()})" in condition.message
    await engine.until(lambda: not engine.health.conditions)


async def test_a_query_that_does_not_end_is_said_to_be_one(engine: Engine) -> None:
    await engine.write(10)
    entered, go_on = threading.Event(), threading.Event()

    def query(transaction: Any) -> int:
        rows = transaction.execute("SELECT * FROM mine").fetchall()
        entered.set()
        go_on.wait(SECONDS)
        return len(rows)

    querying = asyncio.ensure_future(engine.readers.run_theirs(query))
    await once(entered.wait)
    await engine.write(10)
    await engine.until(lambda: engine.health.has("old-reader"))
    (condition,) = engine.health.conditions
    assert "a query of this program's own (run.query)" in condition.message
    go_on.set()
    assert await querying == 10
    await engine.until(lambda: not engine.health.conditions)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGSTOP")
async def test_another_engine_that_was_stopped_while_it_copied_is_a_reader_that_stays(
    engine: Engine, path: Path, starter: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepfast.sqlite.log.checkpoints.PATIENCE", 0.1)
    await engine.write(10)
    stopped = starter(
        """
from pathlib import Path
from stepfast.sqlite.log.checkpoints import Checkpoints, Engines
from stepfast.sqlite.file.opening import writing_connection
path = Path(sys.argv[1])
with Engines(path).one(), Checkpoints(path, lambda: writing_connection(path))._guarded():
    say("copying")
    os.kill(os.getpid(), signal.SIGSTOP)
""",
        path,
    )
    assert hears(stopped) == "copying"
    await engine.write(10)
    await engine.until(lambda: engine.health.has("old-reader"))
    if sys.platform == "linux":
        assert f"(process {stopped.pid})" in engine.health.conditions[0].message
    kill(stopped)
    await engine.until(lambda: not engine.health.conditions)
