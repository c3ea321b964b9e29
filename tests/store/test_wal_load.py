"""The write-ahead log under load: how large it gets, and what is there after everybody was killed.

An hour's worth of writes is taken by number, not by time: at 2,000 records a second it is 7.2 million, which
is 20,000 times around the log. Nothing is carried from one time around to the next but a log that could not
be started anew, so what becomes of its size is seen in some hundreds of them: 200,000 records in the campaign
(STEPFAST_TEST_RECORDS for another number). A thousand tell nothing of the size: a log that nobody copies gets
to 15 MB in them. That it stays small then is in `wal/` and `test_writer.py`.
"""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from children import STORE

from stepfast.sqlite.engines.owners import owners_folder

PROGRAM = Path(__file__).with_name("wal_program.py")
MEGABYTE = 1024 * 1024
LARGEST = 64 * MEGABYTE
LOOK = 0.01
LARGE_VALUE = 1_000_000


class Load:
    """Engines in processes of their own on one file."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "work.db"
        self.folder = folder
        self.largest = 0
        self.looks = 0
        self._running: list[subprocess.Popen[str]] = []

    def begin(self, records: int, size: int) -> subprocess.Popen[str]:
        ledger = self.folder / f"ledger-{len(list(self.folder.iterdir()))}-{random.randrange(2**32)}"
        arguments = [self.path, ledger, records, size, random.randrange(2**32)]
        process = subprocess.Popen(
            [sys.executable, "-W", "error", str(PROGRAM), *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": STORE},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._running.append(process)
        return process

    def watch(self, until: float | None = None) -> None:
        """Look how large the log is until all have ended, or that moment."""
        log = f"{self.path}-wal"
        while any(each.poll() is None for each in self._running):
            try:
                self.largest = max(self.largest, os.stat(log).st_size)
            except FileNotFoundError:
                pass
            self.looks += 1
            if until is not None and time.monotonic() >= until:
                return
            time.sleep(LOOK)

    def end(self) -> None:
        """All have ended by themselves, and well."""
        self.watch()
        for each in self._running:
            said, _ = each.communicate()
            assert each.returncode == 0, said
        self._running.clear()

    def kill(self, process: subprocess.Popen[str]) -> None:
        process.kill()
        process.communicate()
        self._running.remove(process)

    def kill_all(self) -> None:
        for each in list(self._running):
            self.kill(each)

    @property
    def acknowledged(self) -> set[str]:
        lines = [each.read_text() for each in self.folder.glob("ledger-*")]
        return {line for text in lines for line in text.splitlines()}

    def check(self) -> None:
        """Everything that was acknowledged is there, once, and the file is whole."""
        with closing(sqlite3.connect(self.path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            completed = "SELECT id FROM stepfast_workflows WHERE state = 'completed'"
            there = {id for (id,) in connection.execute(completed)}
            mine = [id for (id,) in connection.execute("SELECT id FROM mine")]
            ten = "SELECT count(*) FROM stepfast_records GROUP BY workflow"
            finished = connection.execute(f"SELECT count(*) FROM ({ten} HAVING count(*) = 10)").fetchone()
        assert self.acknowledged <= there
        assert there <= set(mine) and len(mine) == len(set(mine))
        assert finished[0] >= len(there)


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    made = Load(tmp_path)
    yield made
    made.kill_all()


@pytest.mark.parametrize("engines", [1, 2])
@pytest.mark.parametrize("size", [30, LARGE_VALUE], ids=["small values", "large values"])
def test_all_is_there_and_no_log_when_lists_and_histories_were_read_meanwhile(
    load: Load, engines: int, size: int
) -> None:
    for _ in range(engines):
        load.begin(1000 // engines, size)
    load.end()
    assert load.largest > 0
    load.check()
    # The last to close has copied all.
    assert not [each for each in load.folder.iterdir() if each.name.startswith(f"{load.path.name}-")]


@pytest.mark.campaign
@pytest.mark.timeout(5000)
@pytest.mark.parametrize("engines", [1, 2])
@pytest.mark.parametrize("size", [30, LARGE_VALUE], ids=["small values", "large values"])
def test_the_log_stays_small_through_an_hours_worth_of_writes(load: Load, engines: int, size: int) -> None:
    records = int(os.environ.get("STEPFAST_TEST_RECORDS", "200000"))
    for _ in range(engines):
        load.begin(records // engines, size)
    load.end()
    print(f"{records} records, {engines} engines: the log had {load.largest / MEGABYTE:.0f} MB at most")
    assert 0 < load.largest < LARGEST
    load.check()


def lives(load: Load, kills: int, seconds: float) -> int:
    """Three engines; one after the other is killed, or all at once, and begun again. How many were killed?

    Each time somebody's work was acknowledged first, and then some time went by.
    """
    until = time.monotonic() + seconds
    killed = 0
    running = [load.begin(10**9, LARGE_VALUE) for _ in range(3)]
    while killed < kills and time.monotonic() < until:
        before = len(load.acknowledged)
        while len(load.acknowledged) == before:
            load.watch(time.monotonic() + 0.1)
        load.watch(time.monotonic() + random.uniform(0, 1))
        victims = running if random.random() < 0.2 else [random.choice(running)]
        for each in list(victims):
            load.kill(each)
            running.remove(each)
            running.append(load.begin(10**9, LARGE_VALUE))
            killed += 1
    load.kill_all()
    return killed


@pytest.mark.skipif(sys.platform == "win32", reason="killed as POSIX kills")
def test_engines_that_are_killed_while_they_copy_lose_nothing(load: Load) -> None:
    assert lives(load, 4, 60) > 0
    load.check()
    assert load.largest < LARGEST
    # Whoever comes next takes what the dead have left.
    last = load.begin(40, 30)
    load.watch()
    assert last.returncode == 0, last.communicate()
    assert not (owners_folder(load.path) / "readers-wait").exists()


@pytest.mark.campaign
@pytest.mark.timeout(5000)
@pytest.mark.skipif(sys.platform == "win32", reason="killed as POSIX kills")
def test_engines_that_are_killed_for_minutes_lose_nothing(load: Load) -> None:
    killed = lives(load, 10**9, float(os.environ.get("STEPFAST_TEST_SECONDS", "300")))
    print(
        f"{killed} killed, {len(load.acknowledged)} workflows acknowledged; the log had "
        f"{load.largest / MEGABYTE:.0f} MB at most"
    )
    load.check()
    assert load.largest < LARGEST
