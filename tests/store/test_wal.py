"""The write-ahead log: nobody waits for it, it stays small, and what keeps it from that is said."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from children import Starter, children, hears, kill

from stepfast import SystemClock, migrate
from stepfast.errors import Damaged
from stepfast.health import Health
from stepfast.interfaces import Signal
from stepfast.sqlite import wal
from stepfast.sqlite.calls import WriteTurn
from stepfast.sqlite.checkpoints import Checkpoints, Copied
from stepfast.sqlite.opening import WAL_KEPT, reading_connection, writing_connection
from stepfast.sqlite.owners import owners_folder
from stepfast.sqlite.place import Place
from stepfast.sqlite.readers import Readers
from stepfast.sqlite.schema import CURRENT
from stepfast.sqlite.snapshots import Snapshots
from stepfast.sqlite.writer import Writer
from stepfast.threads import once

pytestmark = pytest.mark.usefixtures("quiet_loop")

Quick = Callable[..., None]

SECONDS = 60
READS = """
import sqlite3
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN")
say(database.execute("SELECT count(*) FROM mine").fetchone()[0])
wait()
"""


@pytest.fixture
def starter() -> Iterator[Starter]:
    with children("") as start:
        yield start


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "work.db"
    migrate(file)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE mine (n INTEGER PRIMARY KEY, text TEXT)")
    return file


class Engine:
    """A writer and its readers, with an event for each change of its health."""

    def __init__(self, path: Path, open_connection: Callable[[], sqlite3.Connection] | None = None) -> None:
        def ignore(_signal: Signal) -> None:
            pass

        self.path = path
        self.loop = asyncio.get_running_loop()
        self.told = asyncio.Event()
        self.messages: list[str] = []
        self.snapshots = Snapshots(path)
        self.health = Health(SystemClock().time, lambda: self.loop.call_soon_threadsafe(self._changed))
        self.writer = Writer(
            Place(path),
            open_connection or (lambda: writing_connection(path)),
            SystemClock(),
            CURRENT,
            ignore,
            self.health,
            snapshots=self.snapshots,
        )
        self.wal = self.writer.wal
        self.readers = Readers(path, lambda: reading_connection(path), snapshots=self.snapshots)

    def _changed(self) -> None:
        self.messages += [each.message for each in self.health.conditions]
        self.told.set()

    async def until(self, so: Callable[[], bool]) -> None:
        """Wait until a change of health has made it so."""
        async with asyncio.timeout(SECONDS):
            while not so():
                self.told.clear()
                await self.told.wait()

    async def write(self, calls: int, size: int = 3000) -> None:
        def insert(turn: WriteTurn) -> None:
            turn.execute("INSERT INTO mine (text) VALUES (?)", ("x" * size,))

        for start in range(0, calls, 50):
            await asyncio.gather(*(self.writer.do(insert) for _ in range(min(50, calls - start))))

    async def close(self) -> None:
        await once(self.readers.close)
        await once(self.writer.close)
        self.wal.let_go()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Quick:
    """Less time for everything; may be changed."""
    real = wal.Pace

    def change(**seconds: float) -> None:
        pace = real(**seconds)
        monkeypatch.setattr(wal, "Pace", lambda: pace)

    change(idle=0.05, first_try=0.05, last_try=0.2, old=0.3, old_if_large=0.1)
    return change


@pytest.fixture
async def engine(path: Path, quick: Quick) -> Any:
    made = Engine(path)
    yield made
    await made.close()


class Watched:
    """Notes what is done to the log, and lets a test wait for it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done: list[tuple[str, Copied]] = []
        self._something = threading.Condition()
        for name in ("most", "rest", "cut"):
            monkeypatch.setattr(Checkpoints, name, self._noting(name, getattr(Checkpoints, name)))

    def _noting(self, name: str, real: Callable[[Checkpoints], Copied]) -> Callable[[Checkpoints], Copied]:
        def act(checkpoints: Checkpoints) -> Copied:
            copied = real(checkpoints)
            with self._something:
                self.done.append((name, copied))
                self._something.notify_all()
            return copied

        return act

    async def until(self, so: Callable[[], bool]) -> None:
        def wait() -> None:
            with self._something:
                assert self._something.wait_for(so, SECONDS), self.done

        await once(wait)

    def last(self, name: str) -> Copied | None:
        return next((copied for each, copied in reversed(self.done) if each == name), None)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(monkeypatch)


def size(path: Path) -> int:
    try:
        return path.with_name(path.name + "-wal").stat().st_size
    except FileNotFoundError:
        return 0


def count(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        ((rows,),) = connection.execute("SELECT count(*) FROM mine")
        return int(rows)


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
    await watched.until(lambda: bool((rest := watched.last("rest")) and rest.all))
    thread = engine.wal._thread
    assert thread is not None
    # It sleeps until somebody writes: no time is set.
    async with asyncio.timeout(SECONDS):
        while not engine.wal._asleep:
            await asyncio.sleep(0.001)
    assert engine.wal._seconds_to_wait() is None
    before = list(watched.done)
    await engine.write(1)
    await watched.until(lambda: watched.done[len(before) :][-1:] != [] and watched.done[-1][0] == "rest")
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
    await engine.write(1, 20_000_000)
    assert size(path) > 2 * WAL_KEPT
    await watched.until(lambda: watched.last("cut") == Copied(0, 0))
    assert size(path) == 0
    assert count(path) == 1


async def test_another_program_that_writes_all_the_while_only_delays_it(
    engine: Engine, path: Path, watched: Watched
) -> None:
    await engine.write(10)
    with closing(sqlite3.connect(path, isolation_level=None, timeout=SECONDS)) as other:
        other.execute("BEGIN IMMEDIATE")
        await watched.until(lambda: watched.last("most") is not None)
        other.execute("INSERT INTO mine (text) VALUES ('other')")
        other.execute("COMMIT")
    await watched.until(lambda: bool((rest := watched.last("rest")) and rest.all))
    assert count(path) == 11


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
        await watched.until(lambda: bool((rest := watched.last("rest")) and rest.all))
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
    monkeypatch.setattr("stepfast.sqlite.checkpoints.PATIENCE", 0.1)
    await engine.write(10)
    stopped = starter(
        """
from pathlib import Path
from stepfast.sqlite.checkpoints import Checkpoints, Engines
from stepfast.sqlite.opening import writing_connection
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


# --- the end --------------------------------------------------------------------------------------


async def test_after_closing_the_file_is_whole_and_alone(path: Path) -> None:
    engine = Engine(path)
    await engine.write(700)
    await engine.close()
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert count(path) == 700


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
from contextlib import closing
from pathlib import Path
from stepfast import SystemClock, migrate
from stepfast.health import Health
from stepfast.sqlite.opening import writing_connection
from stepfast.sqlite.place import Place
from stepfast.sqlite.schema import CURRENT
from stepfast.sqlite.writer import Writer

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
