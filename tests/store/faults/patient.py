"""An engine to be hurt: workflows whose effects leave a trace elsewhere, and notes of what is said."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

from stepfast import Engine, Run, SystemClock, Transaction, workflow
from stepfast.health import Condition
from stepfast.interfaces import Signal
from stepfast.system.clock import LONGEST_WAIT

# What a step does is written here, on a disk that is well: once for each time that an effect has run.
ledger: dict[str, Path] = {}
gates: dict[str, asyncio.Event] = {}


def done(what: str) -> None:
    with ledger["file"].open("a") as file:
        file.write(what + "\n")


async def effect(id: str, number: int, size: int) -> str:
    done(f"{id}:{number}")
    return "x" * size


async def waits(id: str, number: int, size: int) -> str:
    gates["reached"].set()
    await gates["open"].wait()
    return await effect(id, number, size)


@workflow("chain")
async def chain(run: Run, steps: int = 3, size: int = 10, gate: bool = False) -> int:
    """Steps in a row; with `gate`, the effect of the first is under way until the gate opens."""
    for number in range(steps):
        does = waits if gate and number == 0 else effect
        await run.step(f"step-{number}", does, run.id, number, size)
    return steps


@workflow("gated")
async def gated(run: Run, size: int = 10) -> int:
    """A step, one whose effect is under way until the gate opens, a transacted one, another step."""
    await run.step("step-0", effect, run.id, 0, size)
    run.log("before the gate")
    await run.step("step-1", waits, run.id, 1, size)
    run.log("behind the gate")
    await run.transact("booked", lambda transaction: book(transaction, run.id))
    await run.step("step-2", effect, run.id, 2, size)
    return 3


def book(transaction: Transaction, id: str) -> str:
    transaction.execute("CREATE TABLE IF NOT EXISTS booked (id TEXT)")
    transaction.execute("INSERT INTO booked VALUES (?)", (id,))
    return id


SOON = 3600.0


class Leaping(SystemClock):
    """The machine's clock, until a test sets it forward; whoever waits looks at it anew then."""

    def __init__(self) -> None:
        self._ahead = 0.0
        self._waits: set[asyncio.Timeout] = set()

    def time(self) -> float:
        return super().time() + self._ahead

    def leap(self) -> None:
        """What was started with `soon` is due."""
        self._ahead += SOON
        for each in self._waits:
            with suppress(RuntimeError):  # it is over by now
                each.reschedule(asyncio.get_running_loop().time())

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, min(seconds, LONGEST_WAIT))) as limit:
                self._waits.add(limit)
                try:
                    await event.wait()
                finally:
                    self._waits.discard(limit)


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@dataclass
class Patient:
    """An engine, what its listeners were told of its health, and what it logged (warnings and worse)."""

    engine: Engine
    clock: Leaping
    told: list[tuple[str, ...]] = field(default_factory=list)
    _log: _Lines = field(default_factory=_Lines)
    _heard: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def path(self) -> Path:
        assert self.engine.path is not None
        return self.engine.path

    @property
    def log(self) -> list[str]:
        return self._log.lines

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(each.kind for each in self.engine.health.conditions)

    def hear(self, signal: Signal) -> None:
        if signal.condition:
            self.told.append(self.kinds)
            self._heard.set()

    async def until(self, so: Callable[[], bool], seconds: float = 60) -> None:
        """Wait for a listener to be told that it is so."""
        async with asyncio.timeout(seconds):
            while not so():
                self._heard.clear()
                await self._heard.wait()

    async def has(self, kind: str) -> Condition:
        await self.until(lambda: self.engine.health.has(kind))
        return next(each for each in self.engine.health.conditions if each.kind == kind)

    async def well(self, seconds: float = 60) -> None:
        await self.until(lambda: not self.engine.health.conditions, seconds)

    async def in_the_middle(self, id: str = "middle", size: int = 10) -> None:
        """Start a workflow, and wait until its second effect is under way."""
        await self.engine.start(gated(size), id=id)
        await gates["reached"].wait()

    async def finishes(self, id: str = "middle", value: int = 3, seconds: float = 60) -> None:
        async with asyncio.timeout(seconds):
            assert await self.engine.handle(id).result() == value

    def ran(self) -> Counter[str]:
        """How often each effect has run."""
        return Counter(ledger["file"].read_text().split() if ledger["file"].exists() else ())


@asynccontextmanager
async def patient(
    path: Path, elsewhere: Path, *, gate_open: bool = False, **options: Any
) -> AsyncIterator[Patient]:
    """An engine on `path`, which begins well; `elsewhere` is a folder on another disk."""
    ledger["file"] = elsewhere / "ledger"
    gates["reached"], gates["open"] = asyncio.Event(), asyncio.Event()
    if gate_open:
        gates["open"].set()
    logger, clock = logging.getLogger("stepfast"), Leaping()
    # Nobody keeps house meanwhile, however long it takes: it would be put off by what is wrong, and say so.
    with mock.patch("stepfast.workers.housekeeping.FIRST_SECONDS", 86_400.0):
        async with Engine.open(path, [chain, gated], clock=clock, **options) as engine:
            await engine.until_idle()
            made = Patient(engine, clock)
            logger.addHandler(made._log)
            stop = engine.durable.listen(made.hear)
            try:
                yield made
            finally:
                logger.removeHandler(made._log)
                stop()


async def takes_nothing(patient: Patient, id: str) -> None:
    """A workflow that falls due while something is wrong is left alone; it was started with `soon`."""
    patient.clock.leap()
    await asyncio.sleep(0.5)
    assert not any(line.startswith(f"{id}:") for line in patient.ran())


async def soon(patient: Patient, id: str) -> None:
    """Have a workflow fall due when the clock leaps, and no sooner, however long that takes."""
    await patient.engine.start(chain(2), id=id, at=timedelta(seconds=SOON))


def as_is(path: Path) -> dict[str, bytes]:
    """The bytes of a database and its log.

    Read by another process: closing the file in this one would drop the locks that SQLite has on it.
    """
    files = [path.with_name(path.name + suffix) for suffix in ("", "-wal")]
    return {
        each.name: subprocess.run(["cat", each], check=True, capture_output=True).stdout
        for each in files
        if each.exists()
    }


def booked(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [id for (id,) in connection.execute("SELECT id FROM booked ORDER BY id")]


def whole(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        return bool(connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)])


def records(path: Path, id: str) -> list[str]:
    """The names of a workflow's steps as they are in the file, in order."""
    with closing(sqlite3.connect(path)) as connection:
        sql = """
        SELECT r.name FROM stepfast_records r JOIN stepfast_workflows w ON w.key = r.workflow
         WHERE w.id = ? AND r.kind = 'step' ORDER BY r.position
        """
        return [name for (name,) in connection.execute(sql, (id,))]
