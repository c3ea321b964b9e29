"""What is done to the log at the end, and with a file or a disk that is not sound."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from children import Starter, hears
from watching_log import SECONDS, Engine, count, size

from stepfast.errors import Damaged
from stepfast.sqlite.engines.owners import owners_folder
from stepfast.sqlite.file.opening import reading_connection
from stepfast.sqlite.log.checkpoints import LOCK_FILE
from stepfast.sqlite.writing.calls import WriteTurn

pytestmark = pytest.mark.usefixtures("quiet_loop")


# --- the end --------------------------------------------------------------------------------------


async def test_after_closing_the_file_is_whole_and_alone(path: Path) -> None:
    engine = Engine(path)
    await engine.write(700)
    await engine.close()
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert count(path) == 700


async def test_closing_takes_away_what_one_that_was_killed_while_it_copied_has_left(path: Path) -> None:
    """Also where it comes to copy nothing itself, as one that does little."""
    folder = owners_folder(path)
    folder.mkdir()
    (folder / LOCK_FILE).touch()
    engine = Engine(path)
    await engine.close()
    assert [each.name for each in path.parent.iterdir()] == [path.name]


async def test_closing_waits_for_no_reader_and_leaves_the_log_to_it(path: Path) -> None:
    engine = Engine(path)
    await engine.write(10)
    with closing(reading_connection(path)) as reader:
        reader.execute("BEGIN")
        assert len(reader.execute("SELECT * FROM mine").fetchall()) == 10
        await engine.write(10)
        async with asyncio.timeout(SECONDS):
            await engine.close()
        assert size(path) > 0
        assert len(reader.execute("SELECT * FROM mine").fetchall()) == 10
    assert count(path) == 20


# --- damage ---------------------------------------------------------------------------------------


def state(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size


async def test_a_damaged_file_is_not_copied_into_not_even_when_it_is_closed(path: Path) -> None:
    engine = Engine(path)
    before = state(path)

    def insert(turn: WriteTurn) -> None:
        turn.execute("INSERT INTO mine (text) VALUES ('in the log')")
        # Found at this moment by somebody who reads, say; from here on nothing is copied.
        engine.writer.recovery.report(Damaged("pages are not what SQLite wrote"))

    await engine.writer.do(insert)
    engine.wal.checkpoint()
    await engine.close()
    assert state(path) == before
    assert size(path) > 0
    assert count(path) == 1


FULL_OF_ERRORS = """
import asyncio, resource, sqlite3, time
from contextlib import closing, contextmanager
from pathlib import Path
from stepfast import SystemClock, migrate
from stepfast.health import Health
from stepfast.sqlite.file.opening import writing_connection
from stepfast.sqlite.file.place import Place
from stepfast.sqlite.schema import CURRENT
from stepfast.sqlite.writing.writer import Writer

path = Path(sys.argv[1])

async def main():
    loop = asyncio.get_running_loop()
    told = asyncio.Event()
    health = Health(time.time, lambda: loop.call_soon_threadsafe(told.set))
    connect, clock = lambda: writing_connection(path), SystemClock()
    writer = Writer(Place(path), connect, clock, CURRENT, lambda signal: None, health)
    # From here on nothing can be written behind the first 8 MB of any file: the log is smaller than that.
    limit = 8 * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    await writer.do(lambda turn: turn.execute("UPDATE mine SET text = 'kept' WHERE n % 100 = 0"))
    async with asyncio.timeout(60):
        while not health.has("uncopied"):
            told.clear()
            await told.wait()
    say(*health.conditions[0].message.split())
    tried = writer.wal._tried_at
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await writer.do(lambda turn: turn.execute("UPDATE mine SET text = 'too' WHERE n = 1"))
    writer.wal.checkpoint()
    writer.close()
    assert writer.wal._tried_at == tried
    writer.wal.let_go()
    say("closed")

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a limit on what may be written is Linux's here")
async def test_after_an_error_of_the_disk_nothing_more_is_copied_and_the_next_one_has_all(
    path: Path, starter: Starter
) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executemany("INSERT INTO mine (text) VALUES (?)", [("x" * 3000,)] * 6000)
        connection.commit()
    before = path.stat().st_size
    assert before > 16 * 1024 * 1024
    failing = starter(FULL_OF_ERRORS, path)
    said = hears(failing)
    assert "the disk reported an error while" in said and "start this program again" in said
    assert hears(failing) == "closed"
    assert failing.wait() == 0
    assert size(path) > 0
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM mine WHERE text = 'kept'").fetchone() == (60,)
        assert connection.execute("SELECT text FROM mine WHERE n = 1").fetchone() == ("too",)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert size(path) == 0
    assert count(path) == 6000
