"""An engine killed by SIGKILL anywhere, as often as one likes: nothing is lost, and nothing is done twice.

A life is one workflow (`journey.py`), carried on by one process after another; each but the last is killed
at a moment that the seed chooses, while other processes, which are killed too, answer it and send it
messages. A life that failed is lived again by its seed.
"""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")

ROOT = Path(__file__).parents[3]
PROGRAM = Path(__file__).with_name("journey.py")
DEADLINE = 20.0
"""Seconds in which something has to happen. Less than the 30 s after which a slow look finds what no doorbell
told: a lost ring must not pass. A whole journey may take a busy machine as long as it likes."""
STARTING = 60.0
"""The same for one that has not opened the file yet, and so hears no doorbell."""

TELLERS = ("anna", "bela")
TOLD = {who: [f"{who}:{number}" for number in range(4)] + [f"{who}:end"] for who in TELLERS}
STEPS = ["step:0", "step:1", "step:2", "behind", "coroutine", "once", "flaky"]
FAILURES = 3
PAID = ["paid:0", "paid:1", "paid:2", "prepared", "answered", *(f"heard:{n}" for n in range(10)), "end"]
NUMBERS = 40
RECORDS = 39
"""Of a finished journey, of every kind but attempts: how many there are of those is chance."""
ATTEMPTS = ("attempt", "begun")


class Life:
    """One journey, its processes, and what they leave behind."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.database = folder / "stepfast.db"
        self.rng = Random(seed)
        self.records: list[tuple[Any, ...]] = []
        self.kills = 0
        self.processes: list[subprocess.Popen[bytes]] = []
        self.tellers: dict[subprocess.Popen[bytes], str] = {}
        self._environment = {**os.environ, "PYTHONPATH": str(ROOT / "store")}

    def live(self, kills: int) -> dict[str, Any]:
        """Carry it on through `kills` kills, then to its end; gives the result."""
        arrivals = [(self.rng.randrange(kills + 1), who) for who in TELLERS]
        for number in range(kills):
            self._let_tell(who for when, who in arrivals if when == number)
            process = self.begin("run")
            if self.rng.random() < 0.25:
                time.sleep(self.rng.random() * 0.3)  # while it starts, opens the file, takes over
            else:
                self.until_there(process, (number + self.rng.random()) / kills)
                time.sleep(self.rng.random() * 0.03)
            self.kill(process)
            for teller, who in list(self.tellers.items()):
                if teller.poll() is None and self.rng.random() < 0.5:
                    self.kill(teller)
                    self._let_tell([who])
            self.look()
        last = self.begin("run")
        self._let_tell(who for when, who in arrivals if when == kills)
        self.until_ended(last, *(each for each in self.tellers if each.returncode != -signal.SIGKILL))
        self.look()
        result: dict[str, Any] = json.loads(self.said(last).splitlines()[-1])
        return result

    def _let_tell(self, who: Iterable[str]) -> None:
        for each in who:
            self.tellers[self.begin("tell", each)] = each

    def begin(self, *words: str) -> subprocess.Popen[bytes]:
        log = self.folder / "new.log"
        command = [sys.executable, str(PROGRAM), str(self.database), str(self.folder), *words]
        with log.open("wb") as output:
            process = subprocess.Popen(command, env=self._environment, stdout=output, stderr=output)
        log.rename(self.log(process))
        self.processes.append(process)
        return process

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        code = process.wait(DEADLINE)
        assert code in (-signal.SIGKILL, 0), self.said(process)
        self.kills += code != 0

    def until_there(self, process: subprocess.Popen[bytes], share: float) -> None:
        """Wait until `process` has the file open and that share of the way is gone, or no more can be."""
        self.eventually(lambda: "open" in self.said(process) or process.poll() is not None, process)
        self.eventually(
            lambda: self.way() >= share or process.poll() is not None or self.needs_telling(), process
        )

    def way(self) -> float:
        """How much of the journey is made. The bookmarked step, in which nothing is recorded, is a third."""
        numbers = max((int(number) + 1 for (number,) in self.lines("numbers")), default=0)
        return (2 * self.recorded() / RECORDS + numbers / NUMBERS) / 3

    def needs_telling(self) -> bool:
        """Does it wait for what only somebody can tell who has not begun to?"""
        waiting = self.query("SELECT state FROM stepfast_workflows") == [("waiting",)]
        return waiting and all(teller.poll() is not None for teller in self.tellers)

    def until_ended(self, *processes: subprocess.Popen[bytes]) -> None:
        for process in processes:
            self.eventually(lambda process=process: process.poll() is not None, process)  # type: ignore[misc]
            assert process.returncode == 0, self.said(process)

    def eventually(self, condition: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
        before, last, looked = None, time.monotonic(), 0.0
        while not condition():
            now = time.monotonic()
            if now - looked > 0.5:
                looked = now
                if (what := self._happened(process)) != before:
                    before, last = what, now
            deadline = DEADLINE if "open" in self.said(process) else STARTING
            assert now - last < deadline, (
                f"nothing happened for {deadline:.0f} s; {self.recorded()} recorded, the workflow is "
                f"{self.query('SELECT state, waits, owner, token FROM stepfast_workflows')}, the owners are "
                f"{self.query('SELECT * FROM stepfast_owners')}, and {self.said(process)}"
            )
            time.sleep(0.003)

    def _happened(self, process: subprocess.Popen[bytes]) -> object:
        """Something else whenever anybody has done anything; the file is asked once `process` has it open."""
        counts: list[tuple[Any, ...]] = []
        if "open" in self.said(process):
            counts = self.query(
                "SELECT (SELECT count(*) FROM stepfast_records), (SELECT count(*) FROM stepfast_messages)"
            )
        files = [self.folder / name for name in ("effects", "numbers", "begun")]
        files += [self.log(each) for each in self.processes]
        sizes = [each.stat().st_size for each in files if each.exists()]
        return counts, sizes, [each.poll() for each in self.processes]

    # --- what is there ----------------------------------------------------------------------------

    def look(self) -> None:
        """What was recorded at the last look must be there unchanged, and before all that came since."""
        if self.database.exists() and self.query(
            "SELECT 1 FROM sqlite_master WHERE name = 'stepfast_records'"
        ):
            found = self.query(RECORD_ROWS)
            assert found[: len(self.records)] == self.records
            self.records = found

    def recorded(self) -> int:
        ((count,),) = self.query("SELECT count(*) FROM stepfast_records") or [(0,)]
        return int(count)

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """Ask the file; while nobody else has it open, a copy of it.

        Who opens a file first recovers what a kill left of it, and that is the next process's to do.
        """
        if any(each.poll() is None for each in self.processes):
            with closing(sqlite3.connect(f"{self.database.as_uri()}?mode=ro", uri=True)) as connection:
                return connection.execute(sql).fetchall()
        with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
            for part in self.folder.glob("stepfast.db*"):
                if part.is_file() and not part.name.endswith("-shm"):
                    shutil.copyfile(part, Path(scratch, part.name))
            with closing(sqlite3.connect(Path(scratch, self.database.name))) as connection:
                return connection.execute(sql).fetchall()

    def lines(self, name: str) -> list[list[str]]:
        """A file of effects, by line and word."""
        file = self.folder / name
        return [line.split() for line in file.read_text().splitlines()] if file.exists() else []

    def log(self, process: subprocess.Popen[bytes]) -> Path:
        return self.folder / f"{process.pid}.log"

    def said(self, process: subprocess.Popen[bytes]) -> str:
        return self.log(process).read_text("utf-8", "replace")

    # --- what must hold at the end ------------------------------------------------------------------

    def assert_all_is_right(self, result: dict[str, Any]) -> None:
        assert self.query("PRAGMA integrity_check") == [("ok",)]
        assert self.query("SELECT state, token, owner FROM stepfast_workflows") == [("completed", None, None)]
        lasting = [(kind, name) for _, kind, name, *_ in self.records if kind not in ATTEMPTS]
        assert (len(lasting), len(set(lasting))) == (RECORDS, RECORDS)
        self._assert_transactions(result)
        self._assert_attempts()
        self._assert_steps(result)
        self._assert_what_was_told(result)
        assert self.query("SELECT * FROM stepfast_bookmarks") == []
        assert self.query("SELECT state, n FROM stepfast_counts WHERE n > 0") == [("completed", 1)]
        self._assert_one_more_does_nothing(result)

    def _assert_one_more_does_nothing(self, result: dict[str, Any]) -> None:
        """It gives the same result, and tidies: an owner killed before it was registered leaves its lock."""
        for lock in self.folder.glob("stepfast.db-owners/*"):
            os.utime(lock, (0, 0))  # a young one may be just being made
        effects, records = self.lines("effects"), list(self.records)
        again = self.begin("run")
        self.until_ended(again)
        self.look()
        assert json.loads(self.said(again).splitlines()[-1]) == result
        assert (self.records, self.lines("effects")) == (records, effects)
        assert self.query("SELECT * FROM stepfast_owners") == []
        assert not list(self.folder.glob("stepfast.db-owners/*")), "a lock file is left behind"

    def _assert_transactions(self, result: dict[str, Any]) -> None:
        """Each happened exactly once, in the process that recorded it."""
        ledger = self.query("SELECT step, value, pid FROM ledger")
        assert sorted(step for step, _, _ in ledger) == sorted(PAID)
        recorded = {name: value for _, kind, name, value, *_ in self.records if kind == "step"}
        assert {step: str(pid) for step, _, pid in ledger} == {step: recorded[step] for step in PAID}
        heard = [value for step, value, _ in ledger if step.startswith("heard:")]
        assert heard == result["messages"]

    def _assert_steps(self, result: dict[str, Any]) -> None:
        """Each happened at least once, in one process at most once, and one of them is what is recorded."""
        effects = self.lines("effects")
        for step in STEPS:
            tokens = [token for name, token, _ in effects if name == step]
            assert result["tokens"][step] == tokens[-1], (
                "what ran after it was recorded, or was recorded in vain"
            )
            assert 1 <= len(tokens) <= 1 + self.kills
        others = Counter((step, pid) for step, _, pid in effects if step != "flaky")
        assert max(others.values()) == 1
        assert {step for step, _, _ in effects} == {*STEPS, "prepare"}
        assert result["numbers"] == NUMBERS
        assert {int(number) for (number,) in self.lines("numbers")} == set(range(NUMBERS))

    def _assert_attempts(self) -> None:
        """What must not happen twice did not; no attempt that failed was forgotten, or counted twice."""
        names = [step for step, _, _ in self.lines("effects")]
        assert names.count("once") == 1
        attempts_at = [row for row in self.records if row[1] == "attempt" and row[2].endswith(":flaky")]
        failed = [json.loads(row[3]) for row in attempts_at]
        assert [row[0] for row in failed] == ["failed"] * len(failed) and len(failed) <= FAILURES
        assert len({row[2] for row in failed}) == len(failed), (
            "each is another one: its token is in its message"
        )
        (attempts,) = (row[6] for row in self.records if row[1:3] == ("step", "flaky"))
        assert attempts == len(failed) + 1
        assert [row[2] for row in attempts_at] == [f"{number}:flaky" for number in range(1, len(failed) + 1)]

    def _assert_what_was_told(self, result: dict[str, Any]) -> None:
        """Every message was taken exactly once, in the order of its sender; all heard the first answer."""
        messages = result["messages"]
        assert sorted(messages) == sorted(each for told in TOLD.values() for each in told)
        for who, told in TOLD.items():
            assert [each for each in messages if each.startswith(f"{who}:")] == told
        inbox = self.query("SELECT value FROM stepfast_messages ORDER BY position")
        assert [json.loads(text) for (text,) in inbox] == messages
        assert result["rest"] == []
        heard = {line for teller in self.tellers for line in self.said(teller).splitlines()} - {"open"}
        assert heard == {result["answer"]}


RECORD_ROWS = """
SELECT position, kind, name, value, started_at, recorded_at, attempts
  FROM stepfast_records ORDER BY position
"""


@pytest.fixture
def life(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Life]:
    life = Life(tmp_path, request.param)
    yield life
    for process in life.processes:
        process.kill()
        process.wait()


@pytest.mark.parametrize("life", range(3), indirect=True)
def test_killed_five_times_everything_happens_exactly_once(life: Life) -> None:
    life.assert_all_is_right(life.live(kills=5))


@pytest.mark.campaign
@pytest.mark.timeout(600)
@pytest.mark.parametrize("life", range(100, 130), indirect=True)
def test_killed_fifteen_times_everything_happens_exactly_once(life: Life) -> None:
    life.assert_all_is_right(life.live(kills=15))
