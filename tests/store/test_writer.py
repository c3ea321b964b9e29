"""The writer: batches of calls, one commit each, and nobody told what has not happened."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from stepfast import Newer, SystemClock, migrate
from stepfast.errors import StoreClosed, StoreUnavailable
from stepfast.health import Health
from stepfast.interfaces import Signal
from stepfast.sqlite.file.opening import writing_connection
from stepfast.sqlite.file.place import Place
from stepfast.sqlite.schema import CURRENT
from stepfast.sqlite.writing.calls import LAST_SEQUENCE, Insert
from stepfast.sqlite.writing.recovering import Recovery
from stepfast.sqlite.writing.transacting import Fate, Transacting
from stepfast.sqlite.writing.writer import MOST_CALLS, Writer, WriteTurn
from stepfast.system.threads import once

pytestmark = pytest.mark.usefixtures("quiet_loop")

Open = Callable[[], sqlite3.Connection]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "work.db"
    migrate(file)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE mine (n INTEGER PRIMARY KEY, text TEXT)")
        connection.execute("CREATE TABLE cursed (n INTEGER)")
        connection.execute(
            "CREATE TRIGGER curse BEFORE INSERT ON cursed BEGIN SELECT RAISE(ROLLBACK, 'cursed'); END"
        )
    return file


class Traced:
    """Makes write connections, and notes the statements that run on them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.statements: list[str] = []

    def __call__(self) -> sqlite3.Connection:
        connection = writing_connection(self.path)
        connection.set_trace_callback(self.statements.append)
        return connection

    @property
    def commits(self) -> int:
        return self.statements.count("COMMIT")


@pytest.fixture
def traced(path: Path) -> Traced:
    return Traced(path)


@pytest.fixture
def writer(path: Path, traced: Traced) -> Iterator[Writer]:
    made = write(path, traced)
    yield made
    made.close()


def write(path: Path, open_connection: Open | None = None) -> Writer:
    def ignore(_signal: Signal) -> None:
        pass

    clock = SystemClock()
    return Writer(
        Place(path),
        open_connection or (lambda: writing_connection(path)),
        clock,
        CURRENT,
        ignore,
        Health(clock.time, lambda: None),
    )


def insert(n: int, text: str = "") -> Callable[[WriteTurn], int]:
    def act(turn: WriteTurn) -> int:
        turn.execute("INSERT INTO mine VALUES (?, ?)", (n, text))
        return n

    return act


def numbers(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as connection:
        return [n for (n,) in connection.execute("SELECT n FROM mine ORDER BY n")]


def wal_size(path: Path) -> int:
    return path.with_name(path.name + "-wal").stat().st_size


class Held:
    """Keeps the writer's thread in a call, so that what follows is one batch."""

    def __init__(self, writer: Writer) -> None:
        self._go_on = threading.Event()
        entered = threading.Event()

        def hold(_turn: WriteTurn) -> None:
            entered.set()
            self._go_on.wait(100)

        self.future = writer.do(hold)
        entered.wait(60)

    def let_go(self) -> None:
        self._go_on.set()


# --- batches --------------------------------------------------------------------------------------


async def test_calls_that_wait_together_share_one_commit(writer: Writer, traced: Traced, path: Path) -> None:
    held = Held(writer)
    calls = [writer.do(insert(n)) for n in range(MOST_CALLS)]
    held.let_go()
    await held.future
    before = traced.commits
    assert await asyncio.gather(*calls) == list(range(MOST_CALLS))
    assert traced.commits - before <= 1
    assert numbers(path) == list(range(MOST_CALLS))


async def test_of_very_many_the_first_do_not_wait_for_the_last(writer: Writer, traced: Traced) -> None:
    held = Held(writer)
    before = traced.commits
    calls = [writer.do(insert(n)) for n in range(2 * MOST_CALLS)]
    held.let_go()
    await calls[0]
    assert not calls[-1].done()
    await asyncio.gather(*calls)
    assert traced.commits - before == 3, "that of who held it up is the first"


async def test_large_values_are_not_all_in_one_commit(writer: Writer, traced: Traced, path: Path) -> None:
    """However many wait: the write-ahead log has to hold a commit whole."""
    held = Held(writer)
    calls = [writer.do(insert(n, "x" * 1_000_000), size=1_000_000) for n in range(40)]
    held.let_go()
    await held.future
    before = traced.commits
    await asyncio.gather(*calls)
    assert traced.commits - before >= 4
    assert wal_size(path) < 48_000_000
    assert numbers(path) == list(range(40))


async def test_a_call_that_breaks_a_constraint_fails_alone(writer: Writer, path: Path) -> None:
    held = Held(writer)
    calls = [writer.do(insert(n)) for n in (1, 2, 2, 3)]
    held.let_go()
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(each) for each in results] == [int, int, sqlite3.IntegrityError, int]
    assert numbers(path) == [1, 2, 3]


async def test_all_of_a_call_that_fails_halfway_is_undone_beside_others_and_alone(
    writer: Writer, path: Path
) -> None:
    def halfway(turn: WriteTurn) -> None:
        turn.execute("INSERT INTO mine VALUES (100, '')")
        raise ValueError("halfway")

    held = Held(writer)
    calls = [writer.do(insert(1)), writer.do(halfway), writer.do(insert(2))]
    held.let_go()
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert isinstance(results[1], ValueError) and results[::2] == [1, 2]
    with pytest.raises(ValueError):
        await writer.do(halfway)
    assert numbers(path) == [1, 2]


ROLLBACKS = {
    "or-rollback": "INSERT OR ROLLBACK INTO mine VALUES (1, '')",
    "trigger": "INSERT INTO cursed VALUES (1)",
}


@pytest.mark.parametrize("sql", ROLLBACKS.values(), ids=ROLLBACKS.keys())
@pytest.mark.parametrize("place", [0, 1, 2, 3])
async def test_a_call_that_rolls_the_whole_batch_back_costs_its_neighbours_nothing(
    writer: Writer, path: Path, sql: str, place: int
) -> None:
    await writer.do(insert(1))

    def culprit(turn: WriteTurn) -> None:
        turn.execute(sql)

    held = Held(writer)
    acts: list[Any] = [insert(2), insert(3), insert(4)]
    acts.insert(place, culprit)
    calls = [writer.do(act) for act in acts]
    held.let_go()
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert isinstance(results.pop(place), sqlite3.IntegrityError)
    assert results == [2, 3, 4]
    assert numbers(path) == [1, 2, 3, 4]


async def test_numbers_rise_whatever_is_rolled_back(writer: Writer, path: Path) -> None:
    given: list[int] = []

    def number(turn: WriteTurn) -> None:
        given.append(turn.number())

    def number_and_fail(turn: WriteTurn) -> None:
        number(turn)
        raise ValueError

    def number_and_curse(turn: WriteTurn) -> None:
        turn.number()
        turn.execute("INSERT INTO cursed VALUES (1)")

    for _ in range(5):
        held = Held(writer)
        acts = (number, number_and_fail, number, number_and_curse, number)
        calls = [writer.do(act) for act in acts]
        held.let_go()
        await asyncio.gather(*calls, return_exceptions=True)
    with closing(sqlite3.connect(path)) as connection:
        ((counter,),) = connection.execute("SELECT counter FROM stepfast_meta")
    assert counter >= max(given)


def rows_of_mine(count: int) -> str:
    """An insert that fails where one of the rows is there already; the text of each is its position."""
    rows = ", ".join(f"(?{5 + n}, {n})" for n in range(count))
    return f"""
    INSERT INTO mine SELECT column1, coalesce(?2, counter) << 20 | (?3 + column2)
      FROM (VALUES {rows}), stepfast_meta WHERE ?1 > 0 LIMIT ?4
    """


class Row(Insert[Any]):
    """One row of `rows_of_mine`, or else `function`."""

    statement = staticmethod(rows_of_mine)

    def __init__(self, n: int, function: Callable[[WriteTurn], Any]) -> None:
        super().__init__(function)
        self.row = (n,)
        self.inserted = n


def positions(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as connection:
        return [
            int(text) for (text,) in connection.execute("SELECT text FROM mine WHERE n < 1000 ORDER BY n")
        ]


@pytest.mark.parametrize("beside", [False, True])
async def test_inserts_that_wait_together_are_one_statement_whose_positions_rise(
    writer: Writer, traced: Traced, path: Path, beside: bool
) -> None:
    held = Held(writer)
    calls = [writer.put(Row(n, insert(n))) for n in range(100)]
    if beside:
        calls.append(writer.do(insert(1000)))
    traced.statements.clear()
    held.let_go()
    assert await asyncio.gather(*calls) == [*range(100), 1000][: len(calls)]
    assert sum("INSERT" in each for each in traced.statements) == 1 + beside
    assert traced.commits == 1 + beside, (
        "besides the call that they waited for: by themselves they are a commit that needs no other statement"
    )
    assert numbers(path) == [*range(100), 1000][: len(calls)]
    assert positions(path) == sorted(set(positions(path))), "in the order in which they were asked for"


async def test_one_insert_among_many_that_does_not_go_in_leaves_each_its_own_answer(
    writer: Writer, path: Path
) -> None:
    await writer.do(insert(7, "before"))

    def there(n: int) -> Callable[[WriteTurn], str]:
        def act(turn: WriteTurn) -> str:
            turn.execute("INSERT INTO mine VALUES (?, 'late') ON CONFLICT DO NOTHING", (n,))
            ((text,),) = turn.execute("SELECT text FROM mine WHERE n = ?", (n,))
            return str(text)

        return act

    held = Held(writer)
    calls = [writer.put(Row(n, there(n))) for n in (5, 6, 7, 8)]
    held.let_go()
    assert await asyncio.gather(*calls) == ["late", "late", "before", "late"]
    assert numbers(path) == [5, 6, 7, 8]


async def test_positions_go_on_rising_where_the_writers_own_numbers_begin_anew(
    writer: Writer, path: Path
) -> None:
    writer.transacting.numbers.sequence = LAST_SEQUENCE - 2
    given: list[int] = []

    def act(turn: WriteTurn) -> None:
        given.append(turn.record_position())

    await writer.do(lambda turn: given.append(turn.position()))
    for _ in range(5):
        await writer.do(act)
    await writer.do(lambda turn: given.append(turn.position()))
    assert given == sorted(set(given))


async def test_a_cancelled_caller_frees_nothing_early_and_its_neighbours_are_answered(
    writer: Writer, path: Path
) -> None:
    held = Held(writer)
    calls = [writer.do(insert(n)) for n in range(10)]
    for each in calls[::2]:
        each.cancel()
    held.let_go()
    assert await asyncio.gather(*calls[1::2]) == [1, 3, 5, 7, 9]
    await writer.do(insert(10))
    assert numbers(path) == list(range(11))


# --- other programs -------------------------------------------------------------------------------


async def test_a_file_that_a_newer_program_migrated_is_not_written_to(writer: Writer, path: Path) -> None:
    await writer.do(insert(1))
    with closing(sqlite3.connect(path)) as newer:
        newer.execute("UPDATE stepfast_meta SET version = 99")
        newer.commit()
    for act in (insert(2), insert(3)):
        with pytest.raises(Newer):
            await writer.do(act)
    assert numbers(path) == [1]


async def test_a_foreign_writer_is_waited_for(writer: Writer, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as foreign:
        foreign.execute("BEGIN IMMEDIATE")
        calls = [writer.do(insert(n)) for n in range(3)]
        for _ in range(100):
            await asyncio.sleep(0)
        assert not any(each.done() for each in calls)
        foreign.execute("INSERT INTO mine VALUES (50, '')")
        foreign.execute("COMMIT")
        assert await asyncio.gather(*calls) == [0, 1, 2]
    assert numbers(path) == [0, 1, 2, 50]


# --- the WAL --------------------------------------------------------------------------------------


async def test_the_wal_stays_bounded_under_20000_writes_with_readers_that_come_and_go(path: Path) -> None:
    writer = write(path)
    sizes: list[int] = []
    for round in range(20):
        reader = sqlite3.connect(path, isolation_level=None) if round % 4 == 1 else None
        if reader is not None:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM mine").fetchone()
        for start in range(round * 1000, (round + 1) * 1000, 25):
            await asyncio.gather(*(writer.do(insert(n, "x" * 200)) for n in range(start, start + 25)))
        if reader is not None:
            reader.close()
        sizes.append(wal_size(path))
    assert max(sizes[3:]) < 24 * 1024 * 1024
    writer.close()
    assert numbers(path) == list(range(20_000))


@pytest.mark.parametrize("alone", [False, True], ids=["calls", "transactions of their own"])
async def test_the_wal_stays_bounded_when_each_call_writes_much(path: Path, alone: bool) -> None:
    writer = write(path)
    theirs = writing_connection(path)

    def much(turn: WriteTurn) -> None:
        connection = theirs if alone else turn.connection
        if alone:
            writer.transacting.begin(connection.execute)
        connection.execute("INSERT INTO mine (text) VALUES (?)", ("x" * 1_000_000,))
        if alone:
            writer.transacting.commit(connection.execute, moved=True)

    # Where the thread that copies gets no time, the log is larger at first; it does not grow along for ever.
    written = 0
    while written < 80 or (wal_size(path) > written / 2 * 1_000_000 and written < 400):
        await (writer.alone(much) if alone else writer.do(much))
        written += 1
    writer.close()
    theirs.close()
    assert written < 400


async def test_what_cannot_be_checkpointed_for_want_of_a_connection_does_not_end_the_writer(
    path: Path,
) -> None:
    opened = 0

    def open_once() -> sqlite3.Connection:
        nonlocal opened
        opened += 1
        if opened > 1:
            raise StoreUnavailable("no file descriptor is left")
        return writing_connection(path)

    writer = write(path, open_once)
    async with asyncio.timeout(60):
        for start in range(0, 4000, 100):
            await asyncio.gather(*(writer.do(insert(n, "x" * 3000)) for n in range(start, start + 100)))
    assert opened > 1
    await once(writer.close)
    assert numbers(path) == list(range(4000))


async def test_a_second_connection_checkpoints_nothing_by_itself(path: Path) -> None:
    with closing(writing_connection(path)) as first:
        for n in range(1500):
            first.execute("INSERT INTO mine VALUES (?, ?)", (n, "x" * 3000))
        before = path.stat().st_size, path.stat().st_mtime_ns
        assert wal_size(path) > 1000 * 4096
        with closing(writing_connection(path)):
            assert (path.stat().st_size, path.stat().st_mtime_ns) == before


# --- the end --------------------------------------------------------------------------------------


async def test_closing_finishes_what_is_queued_and_refuses_what_comes_after(path: Path) -> None:
    writer = write(path)
    held = Held(writer)
    calls = [writer.do(insert(n)) for n in range(600)]
    closing_it = once(writer.close)
    held.let_go()
    await closing_it
    assert await asyncio.gather(*calls) == list(range(600))
    with pytest.raises(StoreClosed):
        writer.do(insert(1000))
    with pytest.raises(StoreClosed):
        writer.alone(insert(1000))
    writer.close()
    assert numbers(path) == list(range(600))


async def test_every_call_made_while_the_writer_closes_is_carried_out_or_refused(path: Path) -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        n = 0
        for _ in range(150):
            writer = write(path)
            closing_it = once(writer.close)
            calls = []
            with suppress(StoreClosed):
                for _ in range(5000):  # or for as long as that thread takes to begin
                    calls.append(writer.do(insert(n)))
                    n += 1
            await closing_it
            async with asyncio.timeout(60):
                await asyncio.gather(*calls)
    finally:
        sys.setswitchinterval(interval)


# --- a commit that failed, and what became of it ------------------------------------------------------


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("another_wrote", [False, True])
def test_of_a_commit_that_failed_nobody_can_tell_what_became_once_another_program_has_written(
    path: Path, held: bool, another_wrote: bool
) -> None:
    health, place = Health(SystemClock().time, lambda: None), Place(path)
    transacting = Transacting(
        path, lambda: writing_connection(path), CURRENT, health, Recovery(place, health)
    )
    execute = transacting.connected().execute

    def fails_to_commit(sql: str, *given: Any) -> Any:
        if sql == "COMMIT":
            raise sqlite3.OperationalError("disk I/O error")
        return execute(sql, *given)

    transacting.begin(execute)
    transacting.numbers.next()
    with pytest.raises(sqlite3.OperationalError):
        transacting.commit(fails_to_commit, moved=True)
    execute("COMMIT" if held else "ROLLBACK")
    if another_wrote:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE stepfast_meta SET counter = counter + 1, mark = 77")
    known = Fate.HELD if held else Fate.LOST
    assert transacting.fate() is (Fate.UNKNOWN if another_wrote else known)
    transacting.drop()
