"""What tests of the write-ahead log share: an engine of their own, and what is done to its log."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from stepfast import SystemClock
from stepfast.health import Health
from stepfast.interfaces import Signal
from stepfast.sqlite.file.opening import reading_connection, writing_connection
from stepfast.sqlite.file.place import Place
from stepfast.sqlite.log.checkpoints import Checkpoints, Copied
from stepfast.sqlite.log.due import Due
from stepfast.sqlite.reading.readers import Readers
from stepfast.sqlite.reading.snapshots import Snapshots
from stepfast.sqlite.schema import CURRENT
from stepfast.sqlite.writing.calls import WriteTurn
from stepfast.sqlite.writing.writer import Writer
from stepfast.system.threads import once

Quick = Callable[..., None]

SECONDS = 60
READS = """
import sqlite3
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN")
say(database.execute("SELECT count(*) FROM mine").fetchone()[0])
wait()
"""


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

    async def write(self, calls: int, size: int = 3000, *, at_once: int = 50) -> None:
        def insert(turn: WriteTurn) -> None:
            turn.execute("INSERT INTO mine (text) VALUES (?)", ("x" * size,))

        for start in range(0, calls, at_once):
            await asyncio.gather(*(self.writer.do(insert) for _ in range(min(at_once, calls - start))))

    async def close(self) -> None:
        await once(self.readers.close)
        await once(self.writer.close)
        self.wal.let_go()


class Watched:
    """Notes what is done to the log, and lets a test wait for it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done: list[tuple[str, Copied]] = []
        self._something = threading.Condition()
        for name in ("most", "rest", "cut"):
            monkeypatch.setattr(Checkpoints, name, self._noting(name, getattr(Checkpoints, name)))
        real = Due.copied

        def all_copied(due: Due, found: Copied, written: float) -> None:
            real(due, found, written)
            self._note("all", found)

        monkeypatch.setattr(Due, "copied", all_copied)

    def _noting(self, name: str, real: Callable[..., Copied]) -> Callable[..., Copied]:
        def act(*given: object) -> Copied:
            copied = real(*given)
            self._note(name, copied)
            return copied

        return act

    def _note(self, name: str, copied: Copied) -> None:
        with self._something:
            self.done.append((name, copied))
            self._something.notify_all()

    async def until(self, so: Callable[[], bool]) -> None:
        def wait() -> None:
            with self._something:
                assert self._something.wait_for(so, SECONDS), self.done

        await once(wait)

    async def until_all_is_copied(self, engine: Engine) -> None:
        """Wait until all that was written so far is in the file; perhaps it was copied before, in pieces."""
        await self.until(lambda: self.count("all") > 0 and not engine.wal._due.uncopied)

    def last(self, name: str) -> Copied | None:
        return next((copied for each, copied in reversed(self.done) if each == name), None)

    def count(self, name: str) -> int:
        return [each for each, _ in self.done].count(name)


def size(path: Path) -> int:
    try:
        return path.with_name(path.name + "-wal").stat().st_size
    except FileNotFoundError:
        return 0


def count(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        ((rows,),) = connection.execute("SELECT count(*) FROM mine")
        return int(rows)
