"""The storage of the machine: engines that die alone or all at once, and what a disk keeps of a crash.

A crash of everything leaves the files as they were after some commit: the database, and of its write-ahead
log everything up to a byte that the disk chose. What is not whole there is no commit
(https://sqlite.org/fileformat2.html#walformat), so what opens again is what was there after the last whole
commit. How far the database itself has been written from the log the disk cannot take back.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import struct
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Protocol
from unittest import mock

from test_sequences import ILLEGAL

from stepfast.body.run import Transaction
from stepfast.interfaces import Durable
from stepfast.memory import Memory, MemoryDurable
from stepfast.sqlite import SqliteDurable, connect
from stepfast.sqlite.engines import neighbours, owners
from stepfast.testing import VirtualClock

__all__ = ["Cut", "MemoryStorage", "Place", "SqliteStorage", "Storage"]

TABLE = "CREATE TABLE facts (place INTEGER PRIMARY KEY, workflow TEXT, name TEXT, text TEXT)"
HEADER, FRAME = 32, 24


@dataclass(frozen=True)
class Place:
    """A place in the log: which log (its salt), and the byte behind its last commit."""

    log: bytes
    end: int


@dataclass(frozen=True)
class Cut:
    """What a crash of everything leaves.

    `lost`: how many commits are, and `torn`: how much of the first of them is there all the same, in tenths;
    `rest`: what is behind that byte. `reboot`: the machine was started again since, as it always was where
    something is lost, and all are dead whatever their locks say; else their locks are free, as after SIGKILL.
    """

    lost: int
    torn: int
    rest: str
    reboot: bool


class Storage(Protocol):
    """One storage, and engines over it.

    - `place` is how far what is on disk goes now.
    - `crash` kills the living, and goes on with what the disk kept; gives the place up to which that goes.
    - `glance` opens a copy of what a disk would have kept, while all others live on.
    - `check` holds the files to what is true of them whatever was written.
    """

    leases: bool
    clock: VirtualClock

    async def open(self) -> Durable: ...
    async def kill(self, durable: Any) -> None: ...
    def place(self) -> Place: ...
    async def crash(self, cut: Cut, living: Iterable[Any]) -> Place: ...
    async def glance(self, cut: Cut) -> tuple[Durable, Place]: ...
    def check(self, durable: Any = None) -> None: ...
    async def close(self) -> None: ...


async def _with_table(durable: Durable) -> None:
    """Make the table that effects write to."""
    await durable.start("table", "job", 1, "null")
    claim = await durable.checkpointer.claim("table")
    assert claim is not None

    def make(transaction: Transaction) -> str:
        transaction.execute(TABLE)
        return "null"

    await durable.checkpointer.transact(claim, "table", make, 0.0)
    await durable.checkpointer.release(claim)
    await durable.delete("table")


class MemoryStorage:
    leases = False

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self._memory = Memory()
        self._new = True

    async def open(self) -> MemoryDurable:
        durable = MemoryDurable(memory=self._memory, clock=self.clock)
        if self._new:
            self._new = False
            await _with_table(durable)
        return durable

    async def kill(self, durable: MemoryDurable) -> None:
        durable.die()

    def place(self) -> Place:
        return Place(b"", 0)

    async def crash(self, cut: Cut, living: Iterable[Any]) -> Place:
        raise NotImplementedError("there is no disk")

    async def glance(self, cut: Cut) -> tuple[Durable, Place]:
        raise NotImplementedError("there is no disk")

    def check(self, durable: Any = None) -> None:
        pass

    async def close(self) -> None:
        self._memory.tables.close()


# What is lost is chosen here and not by a disk, so no commit need wait for one.
_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@cache
def _template() -> bytes:
    """A file with the table of the effects in it, as it is when nobody has it open."""

    async def make(path: Path) -> None:
        durable = await connect(path, clock=VirtualClock())
        await _with_table(durable)
        await durable.close()

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "work.db"
        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(make(path))
        finally:
            loop.close()
        assert not path.with_name("work.db-wal").exists()
        return path.read_bytes()


class SqliteStorage:
    leases = True

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self._folder = Path(tempfile.mkdtemp(prefix="stepfast-model-", dir=_MEMORY))
        self._dice = Random(0)
        self._files = _Files()
        self._opened: list[SqliteDurable] = []
        self._boots = 0
        self.path = self._new_path()
        self.path.write_bytes(_template())
        self._patches = ExitStack()
        for module in (owners, neighbours):
            self._patches.enter_context(mock.patch.object(module, "boot_id", self._boot))

    def _boot(self) -> str:
        return f"boot {self._boots}"

    def _new_path(self) -> Path:
        folder = self._folder / str(len([*self._folder.iterdir()]))
        folder.mkdir()
        return folder / "work.db"

    async def open(self) -> SqliteDurable:
        durable = await connect(self.path, clock=self.clock)
        self._opened.append(durable)
        return durable

    async def kill(self, durable: SqliteDurable) -> None:
        # What the kernel does for a process: its locks are gone, its rows stay, its threads are no more.
        store = durable._store
        if store._presence is not None:
            store._presence._lock.release()
        store._presence = store._owner = None
        await durable.close()

    def place(self) -> Place:
        log = self._files.log(self.path)
        return Place(log.salt, log.ends[-1] if log.ends else 0)

    async def crash(self, cut: Cut, living: Iterable[SqliteDurable]) -> Place:
        path, place, lost = self._copy(cut)
        folder = owners.owners_folder(self.path)
        if cut.reboot or lost:
            self._boots += 1  # what was written is lost with the machine only, never with its processes
        elif folder.exists():
            shutil.copytree(folder, owners.owners_folder(path))
        for durable in living:
            await self.kill(durable)
        self.path = path
        return place

    async def glance(self, cut: Cut) -> tuple[SqliteDurable, Place]:
        path, place, _ = self._copy(cut)
        durable = await connect(path, clock=self.clock)
        self._opened.append(durable)
        return durable, place

    def _copy(self, cut: Cut) -> tuple[Path, Place, bool]:
        """Copy the files, cut off somewhere; gives the place up to which they go, and is anything lost?"""
        new = self._new_path()
        # The database before its log: what is written to it meanwhile is in the log too.
        new.write_bytes(self._files.read(self.path))
        log = self._files.log(self.path)
        if not log.ends:
            return new, Place(log.salt, 0), False
        frame = FRAME + log.page
        ends = [HEADER, *log.ends]
        whole = max(0, len(ends) - 1 - cut.lost)
        end = ends[whole]
        if whole + 1 < len(ends):
            end += (ends[whole + 1] - end) * cut.torn // 10
        # What the database has already been written from, the disk cannot take back.
        end = max(end, HEADER + log.copied * frame)
        behind = {"zeros": bytes(2 * frame), "noise": self._dice.randbytes(2 * frame)}
        # Where nothing is lost, what an earlier use of the log left behind is there still.
        kept = log.data if end == ends[-1] else log.data[:end] + behind.get(cut.rest, b"")
        new.with_name("work.db-wal").write_bytes(kept)
        return new, Place(log.salt, max(each for each in (0, *log.ends) if each <= end)), end < ends[-1]

    def check(self, durable: SqliteDurable | None = None) -> None:
        """Is the file whole, and each of its rows legal?"""
        path = self.path if durable is None else durable.path
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            for what, condition in ILLEGAL.items():
                found = connection.execute(f"SELECT * FROM stepfast_workflows WHERE {condition}").fetchall()
                assert found == [], f"{what}: {found}"

    async def close(self) -> None:
        try:
            for durable in self._opened:
                presence = durable._store._presence
                await durable.close()
                if presence is not None:
                    presence._lock.release()  # of one that was closed and kept alive
            self._files.close()
        finally:
            self._patches.close()
            shutil.rmtree(self._folder)


@dataclass(frozen=True)
class _Log:
    """A write-ahead log: its commits end at `ends`; `copied` frames may be in the database already."""

    data: bytes
    salt: bytes
    page: int
    ends: tuple[int, ...]
    copied: int


class _Files:
    """Reads files that SQLite has open. Closing any descriptor of one drops the locks of this process on it,
    SQLite's too, so what is opened here stays open until all is over."""

    def __init__(self) -> None:
        self._open: dict[tuple[int, int], int] = {}

    def read(self, path: Path) -> bytes:
        try:
            there = path.stat()
        except FileNotFoundError:
            return b""
        key = (there.st_dev, there.st_ino)
        if key not in self._open:
            self._open[key] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        return os.pread(self._open[key], there.st_size, 0)

    def log(self, path: Path) -> _Log:
        index = self.read(path.with_name(path.name + "-shm"))
        data = self.read(path.with_name(path.name + "-wal"))
        if len(data) < HEADER or len(index) < 136:
            return _Log(data, b"", 0, (), 0)
        page, salt = int.from_bytes(data[8:12], "big"), data[16:24]
        ends = []
        for start in range(HEADER, len(data) - FRAME - page + 1, FRAME + page):
            if data[start + 8 : start + 16] != salt:
                break
            if data[start + 4 : start + 8] != bytes(4):
                ends.append(start + FRAME + page)
        # nBackfill and nBackfillAttempted (https://sqlite.org/walformat.html#the_wal_index_file_format).
        done, *_, attempted = struct.unpack("=9I", index[96:132])
        return _Log(data, salt, page, tuple(ends), max(done, attempted))

    def close(self) -> None:
        for descriptor in self._open.values():
            os.close(descriptor)
        self._open.clear()
