"""Whoever has written is answered before the thread that writes does anything else that may take its time."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from stepfast import SystemClock, migrate
from stepfast.health import Health
from stepfast.sqlite.file.opening import writing_connection
from stepfast.sqlite.file.place import Place
from stepfast.sqlite.log.checkpoints import NOTHING, Copied
from stepfast.sqlite.schema import CURRENT
from stepfast.sqlite.writing.writer import Writer, WriteTurn
from stepfast.system.mailbox import Mailbox
from stepfast.system.threads import once

SECONDS = 20


class Engine:
    """A writer with a mailbox, and what it does behind its commits stands still once it has written."""

    def __init__(self, path: Path) -> None:
        migrate(path)
        clock = SystemClock()
        self.health = Health(clock.time, lambda: None)
        self.mailbox = Mailbox(asyncio.get_running_loop())
        self.mailbox.open()
        self.path = path
        self.behind: Callable[[], object] = lambda: None
        self.written, self.let_go, self.stood = threading.Event(), threading.Event(), threading.Event()
        self.writer = Writer(
            Place(path),
            lambda: writing_connection(path),
            clock,
            CURRENT,
            lambda _signal: None,
            self.health,
            mailbox=self.mailbox,
            finish=self.stand,
        )

    def stand(self) -> None:
        if self.written.is_set():
            self.stood.set()
            assert self.let_go.wait(SECONDS)

    def write(self, turn: WriteTurn) -> str:
        turn.execute("UPDATE stepfast_meta SET mark = mark")
        self.written.set()
        self.behind()
        return "written"

    async def close(self) -> None:
        self.let_go.set()
        await once(self.writer.close)
        self.mailbox.close()


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    made = Engine(tmp_path / "work.db")
    yield made
    await made.close()


def copies(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """It copies what is left over of the log: once it has the lock, which takes no time here."""
    wal = engine.writer.wal

    def rest(begins: Callable[[], None]) -> Copied:
        begins()
        engine.stand()
        return NOTHING

    monkeypatch.setattr(wal._checkpoints, "rest", rest)
    engine.behind = lambda: setattr(wal, "_asked", True)


def waits_for_the_lock(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `copies`, where another program has the lock."""
    wal = engine.writer.wal
    monkeypatch.setattr("stepfast.sqlite.log.checkpoints.LOCK_MILLISECONDS", SECONDS * 1000)
    other = sqlite3.connect(engine.path, isolation_level=None, check_same_thread=False)
    real = wal._checkpoints.rest

    def rest(begins: Callable[[], None]) -> Copied:
        other.execute("BEGIN IMMEDIATE")
        engine.stood.set()
        threading.Thread(target=lambda: (engine.let_go.wait(SECONDS), other.close()), daemon=True).start()
        return real(begins)

    real()  # its connections are open from now on
    monkeypatch.setattr(wal._checkpoints, "rest", rest)
    engine.behind = lambda: setattr(wal, "_asked", True)


def probes(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.writer, "_probe", engine.stand)
    engine.health.report("failing", "a disk", stops_work=True)


def ends(engine: Engine, _monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes now is the last that the writer does."""
    writer, go_on = engine.writer, threading.Event()

    def keep_busy(_turn: WriteTurn) -> None:
        assert go_on.wait(SECONDS)

    def close() -> None:
        while not writer._calls:
            time.sleep(0.001)
        threading.Thread(target=writer.close, daemon=True).start()
        while not writer._closed:
            time.sleep(0.001)
        go_on.set()

    writer.do(keep_busy)
    while writer._calls:
        time.sleep(0.001)  # until it is carried out
    threading.Thread(target=close, daemon=True).start()


@pytest.mark.parametrize("behind", [copies, waits_for_the_lock, probes, ends])
async def test_what_follows_a_commit_holds_up_nobody_who_was_in_it(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, behind: Callable[[Engine, pytest.MonkeyPatch], None]
) -> None:
    async with asyncio.timeout(SECONDS):
        await engine.writer.do(lambda turn: turn.now)  # so it is awake no more than for what comes now
        behind(engine, monkeypatch)
        assert await engine.writer.do(engine.write) == "written"
        assert await once(lambda: engine.stood.wait(SECONDS)), "it did follow"


async def test_one_after_the_other_are_answered_whatever_each_comes_to(engine: Engine) -> None:
    async with asyncio.timeout(SECONDS):
        for number in range(300):
            match number % 3:
                case 0:
                    assert await engine.writer.do(lambda turn: "a turn") == "a turn"
                case 1:
                    with pytest.raises(KeyError):
                        await engine.writer.do(lambda turn: {}["nothing"])
                case 2:
                    assert await engine.writer.alone(lambda turn: "alone", last=number % 2 == 0) == "alone"


async def test_what_is_left_over_of_the_log_is_copied_behind_a_commit_and_not_in_the_middle_of_a_gap(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever writes next has most time then."""
    order: list[str] = []
    wal = engine.writer.wal

    def rest(begins: Callable[[], None]) -> Copied:
        begins()
        order.append("copied")
        return NOTHING

    monkeypatch.setattr(wal._checkpoints, "rest", rest)
    for name in ("GAP_SECONDS", "QUIET_SECONDS"):  # it is none, however long it takes here
        monkeypatch.setattr(f"stepfast.sqlite.log.wal.{name}", SECONDS)
    rests = threading.Event()
    seconds = engine.writer._seconds_to_look
    monkeypatch.setattr(engine.writer, "_seconds_to_look", lambda: (rests.set(), seconds())[1])
    async with asyncio.timeout(SECONDS):
        await engine.writer.do(lambda turn: rests.clear())
        await once(rests.wait)  # what is asked for before is copied behind the commit that was just made
        copied = once(wal._ask_for_rest)
        while not wal._asked:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.05)  # in which it could be copied
        await engine.writer.do(lambda turn: order.append("written"))
        await copied
    assert order == ["written", "copied"]
    monkeypatch.setattr("stepfast.sqlite.log.wal.GAP_SECONDS", 0.001)
    async with asyncio.timeout(SECONDS):
        await once(wal._ask_for_rest)
    assert order == ["written", "copied", "copied"], "and where nobody writes, at once"
