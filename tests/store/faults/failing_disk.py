"""What happens on a disk that fails, each in a process of its own that has `failing.c` preloaded.

python failing_disk.py SCENARIO FOLDER
"""

from __future__ import annotations

import asyncio
import errno
import functools
import mmap
import os
import re
import sqlite3
import struct
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from patient import booked, chain, gated, gates, patient, records, soon, takes_nothing, whole

from stepfast import SystemClock, migrate
from stepfast.errors import DiskFailing, DiskFull, OutcomeUnknown, StoreError
from stepfast.health import Health
from stepfast.interfaces import Signal
from stepfast.sqlite.file.opening import reading_connection, writing_connection
from stepfast.sqlite.file.place import Place
from stepfast.sqlite.log import wal
from stepfast.sqlite.schema import CURRENT
from stepfast.sqlite.writing.calls import Insert, WriteTurn
from stepfast.sqlite.writing.effects import WRITING, GuardedConnection
from stepfast.sqlite.writing.transacting import Fate, Transacting
from stepfast.sqlite.writing.writer import Writer

PASS, FAIL, ERRNO, FAILED = range(4)
COMMITS = 7  # of one workflow of these, at an engine that is idle


class Disk:
    """Tells the preloaded library what is to fail."""

    def __init__(self) -> None:
        with open(os.environ["STEPFAST_TEST_FAULTS"], "r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)

    def syncs_fail(self, times: int = -1, *, after: int = 0) -> None:
        self._put(0, after, times, errno.EIO)

    def writes_fail(self, times: int = -1, *, after: int = 0, error: int = errno.EIO) -> None:
        self._put(1, after, times, error)

    def heal(self) -> None:
        self._put(0, 0, 0, 0)
        self._put(1, 0, 0, 0)

    @contextmanager
    def well(self) -> Iterator[None]:
        """Nothing fails for a moment."""
        told, mended = self._map[:], bytearray(self._map[:])
        for row in (0, 1):
            mended[16 * row + 4 * FAIL : 16 * row + 4 * FAIL + 4] = bytes(4)
        self._map[:] = bytes(mended)
        yield
        self._map[:] = told

    @property
    def failed(self) -> int:
        """How many calls have failed."""
        return self._get(0, FAILED) + self._get(1, FAILED)

    def _put(self, row: int, *ints: int) -> None:
        for place, value in enumerate(ints):
            at = 4 * (4 * row + place)
            self._map[at : at + 4] = struct.pack("i", value)

    def _get(self, row: int, place: int) -> int:
        at = 4 * (4 * row + place)
        number: int = struct.unpack("i", self._map[at : at + 4])[0]
        return number


Scenario = Callable[[Disk, Path], Awaitable[None]]
SCENARIOS: dict[str, Scenario] = {}


def scenario(function: Scenario) -> Scenario:
    SCENARIOS[function.__name__] = function
    return function


# --- an engine ------------------------------------------------------------------------------------


@scenario
async def a_sync_that_fails_once_is_not_noticed_by_anybody(disk: Disk, folder: Path) -> None:
    path = folder / "work.db"
    async with patient(path, folder) as ill:
        await ill.in_the_middle()
        for number in range(5):
            disk.syncs_fail(1)
            await ill.engine.start(chain(), id=f"chain-{number}")
            await ill.finishes(f"chain-{number}")
        assert disk.failed == 5
        gates["open"].set()
        await ill.finishes()
        # Each of the commits of a workflow: the start and its claim, steps, the transacted one, settlement.
        for after in range(COMMITS):
            disk.syncs_fail(1, after=after)
            await ill.engine.start(gated(), id=f"gated-{after}")
            await ill.finishes(f"gated-{after}")
            disk.heal()
        assert disk.failed == 5 + COMMITS
        assert ill.kinds == () and ill.told == []
        assert set(ill.ran().values()) == {1}
        assert ill.log and all("reported an error at a commit" in line for line in ill.log), ill.log
    for id in ("middle", *(f"gated-{after}" for after in range(COMMITS))):
        assert records(path, id) == ["step-0", "step-1", "booked", "step-2"]
    assert booked(path) == [*(f"gated-{after}" for after in range(COMMITS)), "middle"] and whole(path)


async def goes_on(disk: Disk, folder: Path, hurt: Callable[[], None], error: type[StoreError]) -> None:
    """A disk that fails until it is mended: nothing is taken, what is in hand is kept, and all goes on."""
    path = folder / "work.db"
    async with patient(path, folder) as ill:
        await ill.in_the_middle()
        await soon(ill, "due")
        hurt()
        gates["open"].set()
        condition = await ill.has("full" if error is DiskFull else "failing")
        assert condition.stops_work and str(path) in condition.message
        with pytest.raises(error, match=re.escape(str(path))):
            await ill.engine.start(chain(), id="refused")
        await takes_nothing(ill, "due")
        disk.heal()
        await ill.well()
        await ill.finishes()
        await ill.finishes("due", 2)
        assert disk.failed > 0
        assert set(ill.ran().values()) == {1}, ill.ran()
        assert len(ill.log) == 2 and "going on" in ill.log[1], ill.log
    assert records(path, "middle") == ["step-0", "step-1", "booked", "step-2"]
    assert booked(path) == ["middle"] and whole(path)


@scenario
async def syncs_that_fail_for_a_while(disk: Disk, folder: Path) -> None:
    await goes_on(disk, folder, disk.syncs_fail, OutcomeUnknown)


@scenario
async def writes_that_fail_for_a_while(disk: Disk, folder: Path) -> None:
    await goes_on(disk, folder, disk.writes_fail, OutcomeUnknown)


@scenario
async def writes_that_are_not_allowed_for_a_while(disk: Disk, folder: Path) -> None:
    await goes_on(disk, folder, lambda: disk.writes_fail(error=errno.EROFS), OutcomeUnknown)


@scenario
async def writes_for_which_there_is_no_room_for_a_while(disk: Disk, folder: Path) -> None:
    await goes_on(disk, folder, lambda: disk.writes_fail(error=errno.ENOSPC), DiskFull)


@scenario
async def killed(disk: Disk, folder: Path) -> None:
    """Says that the disk fails, and is killed then; the test looks what the file has."""
    async with patient(folder / "work.db", folder) as ill:
        await ill.in_the_middle()
        disk.syncs_fail()
        gates["open"].set()
        await ill.has("failing")
        print("failing", flush=True)
        await asyncio.Event().wait()


# --- the truth ------------------------------------------------------------------------------------


@dataclass
class Told:
    """What callers were told of the rows that they wrote."""

    written: list[int] = field(default_factory=list)
    unknown: list[int] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)

    async def note(self, row: int, asked: Awaitable[Any]) -> None:
        try:
            assert await asked == row
        except OutcomeUnknown:
            self.unknown.append(row)
        except StoreError:
            self.refused.append(row)
        else:
            self.written.append(row)

    def check(self, copy: Path, about: str) -> None:
        """Look with the eyes of a process that opens the file after everybody has died."""
        with closing(sqlite3.connect(copy)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)], about
            there = [n for (n,) in connection.execute("SELECT n FROM mine ORDER BY n")]
        for suffix in ("", "-wal", "-shm"):
            Path(f"{copy}{suffix}").unlink(missing_ok=True)
        assert set(self.written) <= set(there), f"{about}: lost {set(self.written) - set(there)}"
        assert not set(self.refused) & set(there), f"{about}: refused, and there: {self.refused}"
        assert len(there) == len(set(there)), f"{about}: twice"
        assert set(there) <= set(self.written + self.unknown), about


class Held:
    """Keeps the writer's thread inside a call, so that what follows is one batch, or nothing is written."""

    def __init__(self, made: Writer) -> None:
        self._go_on = threading.Event()
        self._entered = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self.future = made.do(self._hold)

    def _hold(self, _turn: WriteTurn) -> None:
        self._loop.call_soon_threadsafe(self._entered.set)
        self._go_on.wait(100)

    async def entered(self) -> None:
        entering = asyncio.ensure_future(self._entered.wait())
        await asyncio.wait({entering, self.future}, return_when=asyncio.FIRST_COMPLETED)
        entering.cancel()

    async def let_go(self) -> None:
        self._go_on.set()
        with suppress(StoreError):
            await self.future


async def copied(made: Writer, path: Path, copy: Path) -> Path:
    """The file as it would be found if everybody died now."""
    held = Held(made)
    await held.entered()
    for suffix in ("-shm", "", "-wal"):
        Path(f"{copy}{suffix}").unlink(missing_ok=True)
    for suffix in ("", "-wal"):
        if Path(f"{path}{suffix}").exists():
            # By another process: closing the file in this one would drop the locks that SQLite has on it.
            subprocess.run(["cp", f"{path}{suffix}", f"{copy}{suffix}"], check=True)
    await held.let_go()
    return copy


@contextmanager
def writer(path: Path) -> Iterator[Writer]:
    def ignore(_signal: Signal) -> None:
        pass

    clock = SystemClock()
    health = Health(clock.time, lambda: None)
    made = Writer(Place(path), lambda: writing_connection(path), clock, CURRENT, ignore, health)
    yield made
    made.close()
    made.wal.let_go()


def insert(row: int) -> Callable[[WriteTurn], int]:
    def act(turn: WriteTurn) -> int:
        turn.number()
        turn.execute("INSERT INTO mine (n, text) VALUES (?, ?)", (row, "x" * 3000))
        return row

    return act


def idempotent(row: int) -> Callable[[WriteTurn], int]:
    """Takes no number, so it may be carried out twice."""

    def act(turn: WriteTurn) -> int:
        turn.execute("INSERT INTO mine (n, text) VALUES (?, ?) ON CONFLICT DO NOTHING", (row, "x" * 3000))
        return row

    return act


async def tell_truth(disk: Disk, folder: Path, hurt: Callable[[], None], about: str) -> int:
    """Rows by every road while something fails; returns how many callers were told that nobody knows."""
    path, copy = folder / "truth.db", folder / "copy.db"
    migrate(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE IF EXISTS mine")
        connection.execute("CREATE TABLE mine (n INTEGER PRIMARY KEY, text TEXT)")
    told = Told()
    row = 0
    with writer(path) as made:
        for kind in ("lone", "batch", "single", "several", "idempotent", "guarded"):
            rows = range(row, row + (4 if kind in ("batch", "several", "idempotent") else 1))
            row += len(rows) + 1
            held = Held(made)
            await held.entered()
            asked = [ask(made, path, kind, each) for each in rows]
            hurt()
            await held.let_go()
            await asyncio.gather(*(told.note(n, each) for n, each in zip(rows, asked, strict=True)))
            with disk.well():
                told.check(await copied(made, path, copy), f"{about}, {kind}, while it fails")
            disk.heal()
            await told.note(row - 1, made.do(insert(row - 1)))
            assert row - 1 in told.written, f"{about}, {kind}: mended, and it does not go on"
            told.check(await copied(made, path, copy), f"{about}, {kind}, mended")
    told.check(path, f"{about}, closed")
    return len(told.unknown)


def rows_of_mine(count: int) -> str:
    rows = ", ".join(f"(?{3 + 3 * n}, ?{4 + 3 * n}, ?{5 + 3 * n})" for n in range(count))
    wanted = "?1 > 0 AND coalesce(?2, 0) >= 0 AND column1 IS NOT NULL"
    return f"INSERT INTO mine (n, text) SELECT column1, column2 FROM (VALUES {rows}) WHERE {wanted}"


class Row(Insert[int]):
    """One row of `rows_of_mine`, or else `idempotent`."""

    statement = staticmethod(rows_of_mine)

    def __init__(self, n: int) -> None:
        super().__init__(idempotent(n))
        self.row = (n, "x" * 3000, n)
        self.inserted = n


def ask(made: Writer, path: Path, kind: str, row: int) -> asyncio.Future[Any]:
    match kind:
        case "lone" | "batch":
            return made.do(insert(row))
        case "single" | "several":
            return made.put(Row(row))
        case "idempotent":
            return made.do(idempotent(row))
        case _:
            return made.alone(lambda turn: alone(made, path, turn, row))


def alone(made: Writer, path: Path, turn: WriteTurn, row: int) -> int:
    """A transaction on a connection of its own, without what `Store` makes of a failed commit."""
    guarded = GuardedConnection(writing_connection(path), WRITING)
    try:
        made.transacting.begin(guarded.ours)
        insert(row)(WriteTurn(turn._numbers, guarded.connection, turn.now))
        try:
            made.transacting.commit(guarded.ours, moved=True)
        except sqlite3.Error as error:
            raise made.transacting.unknown(error) from error
    except BaseException:
        if guarded.connection.in_transaction:
            guarded.ours("ROLLBACK")
        raise
    finally:
        guarded.close()
    return row


async def truth(
    disk: Disk, folder: Path, faults: list[tuple[str, Callable[[], None]]], alone: bool
) -> Counter[str]:
    unknown = 0
    fates: Counter[str] = Counter()
    asked = Transacting.fate

    def fate(self: Transacting) -> Fate:
        found = asked(self)
        fates[found.name] += 1
        return found

    Transacting.fate = fate  # type: ignore[method-assign]
    for about, hurt in faults:
        others = []
        if not alone:
            migrate(folder / "truth.db")
            others.append(reading_connection(folder / "truth.db"))
            others[0].execute("SELECT * FROM stepfast_meta").fetchall()
        before = disk.failed
        unknown += await tell_truth(disk, folder, hurt, about)
        for each in others:
            each.close()
        assert disk.failed > before, f"{about}: nothing has failed"
    print(f"{len(faults)} faults, {disk.failed} calls failed, {unknown} were told that nobody knows; {fates}")
    return fates


def syncs(disk: Disk) -> list[tuple[str, Callable[[], None]]]:
    return [
        (f"{times} syncs after {after}", lambda times=times, after=after: disk.syncs_fail(times, after=after))  # type: ignore[misc]
        for times in (1, 2, 3, 4, 6, -1)
        for after in range(2)
    ]


def writes(disk: Disk, error: int) -> list[tuple[str, Callable[[], None]]]:
    return [
        (
            f"{times} writes after {after} ({errno.errorcode[error]})",
            lambda times=times, after=after: disk.writes_fail(times, after=after, error=error),  # type: ignore[misc]
        )
        for times in (1, 3, -1)
        for after in range(0, 8, 2 if times == 1 else 3)
    ]


@scenario
async def nobody_is_told_otherwise_when_syncs_fail(disk: Disk, folder: Path) -> None:
    assert (await truth(disk, folder, syncs(disk), alone=False)).keys() == {"LOST", "UNKNOWN"}


@scenario
async def nobody_is_told_otherwise_when_syncs_fail_and_no_other_has_it_open(disk: Disk, folder: Path) -> None:
    # Where nobody else has it open, the log is read anew, and what failed is found in it.
    assert (await truth(disk, folder, syncs(disk), alone=True)).keys() == {"HELD", "LOST", "UNKNOWN"}


@scenario
async def nobody_is_told_otherwise_when_writes_fail(disk: Disk, folder: Path) -> None:
    await truth(disk, folder, writes(disk, errno.EIO), alone=False)


@scenario
async def nobody_is_told_otherwise_when_writes_fail_and_no_other_has_it_open(
    disk: Disk, folder: Path
) -> None:
    await truth(disk, folder, writes(disk, errno.EIO), alone=True)


@scenario
async def nobody_is_told_otherwise_when_there_is_no_room(disk: Disk, folder: Path) -> None:
    await truth(disk, folder, writes(disk, errno.ENOSPC), alone=False)


if __name__ == "__main__":
    assert DiskFailing.kind == "failing"
    # On a slow machine a second without writes may be over just when the disk begins to fail. Then the copy
    # of the log fails, after which none is made until the program is started again (`wal/test_ending.py`).
    wal.Pace = functools.partial(wal.Pace, idle=1000.0)  # type: ignore[misc, assignment]
    asyncio.run(SCENARIOS[sys.argv[1]](Disk(), Path(sys.argv[2])))  # type: ignore[arg-type]
