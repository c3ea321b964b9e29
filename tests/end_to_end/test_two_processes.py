"""Several processes at work on one file, some of them killed by SIGKILL in the middle."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from stepfast import Engine, Run, workflow

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).parent / "programs" / "ledger.py"
DEADLINE = 60.0
"""Seconds in which something has to happen. Nobody takes the slow look, which finds after 30 s what no
doorbell told: a lost ring must not pass. All together may take a busy machine as long as it likes."""
AT_ONCE = 5
STEPS = [*(f"do:{number}" for number in range(5)), "finish"]
PAID = range(6)
EARNED = sum(10**number for number in PAID)


class Crew:
    """One file, the workers on it, and what they leave behind."""

    def __init__(self, folder: Path, workflows: int) -> None:
        self.folder = folder
        self.workflows = workflows
        self.database = folder / "stepfast.db"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.killed: list[int] = []
        roots = os.pathsep.join(str(ROOT / each) for each in ("store", "app", "resources"))
        self._environment = {**os.environ, "PYTHONPATH": roots}

    def start_all(self) -> None:
        """Start the workflows, by a process that then ends."""
        starter = self._run("start")
        assert starter.wait(DEADLINE) == 0, self.said(starter)

    def hire(self) -> subprocess.Popen[bytes]:
        """Another worker."""
        worker = self._run("work")
        self.processes.append(worker)
        return worker

    def kill(self, *workers: subprocess.Popen[bytes]) -> None:
        for worker in workers:
            worker.send_signal(signal.SIGKILL)
        for worker in workers:
            assert worker.wait(DEADLINE) == -signal.SIGKILL, self.said(worker)
            self.killed.append(worker.pid)

    def go(self, each: int | None = None) -> None:
        """Let steps be done: by each process no more than `each`, whose next one then waits in the middle."""
        new = self.folder / "new go"
        new.write_text("" if each is None else str(each))
        new.replace(self.folder / "go")

    def until_full(self, *workers: subprocess.Popen[bytes]) -> None:
        """Wait until each of `workers` holds all that it can."""
        full = {worker.pid: AT_ONCE for worker in workers}
        self.eventually(lambda: self.held() == full, lambda: f"{full} were to be held, and {self.held()} are")

    def until_done_by(self, steps: int, *workers: subprocess.Popen[bytes]) -> None:
        """Wait until so many effects have happened in each of `workers`."""

        def done() -> dict[int, int]:
            return Counter(pid for _, _, pid in self.effects())

        self.eventually(
            lambda: all(done()[worker.pid] == steps for worker in workers), lambda: f"{done()}, not {steps}"
        )

    def until_done(self, steps: int) -> None:
        """Wait until so many effects of steps have happened."""
        self.eventually(lambda: len(self.effects()) >= steps, lambda: f"{len(self.effects())} of {steps}")

    def until_ended(self, worker: subprocess.Popen[bytes]) -> None:
        """Wait until `worker` has seen all finished."""
        self.eventually(
            lambda: worker.poll() is not None,
            lambda: f"{self.states()}, held are {self.held()}, {self.killed=}",
        )
        assert worker.returncode == 0, self.said(worker)

    def eventually(self, condition: Callable[[], bool], seen: Callable[[], str]) -> None:
        before, last, looked = None, time.monotonic(), 0.0
        while not condition():
            for worker in self.processes:
                assert worker.poll() in (None, 0, -signal.SIGKILL), self.said(worker)
            now = time.monotonic()
            if now - looked > 0.5:
                looked = now
                if (what := (self.held(), self.states(), len(self.effects()))) != before:
                    before, last = what, now
            assert now - last < DEADLINE, f"nothing happened for {DEADLINE:.0f} s; seen: {seen()}"
            time.sleep(0.005)

    # --- what is there ----------------------------------------------------------------------------

    def held(self) -> dict[int, int]:
        """How many workflows each process holds, by its id."""
        return dict(
            self.query(
                "SELECT o.pid, count(*) FROM stepfast_workflows w JOIN stepfast_owners o ON o.key = w.owner "
                "WHERE w.token IS NOT NULL GROUP BY o.pid"
            )
        )

    def states(self) -> dict[str, int]:
        return dict(self.query("SELECT state, count(*) FROM stepfast_workflows GROUP BY state"))

    def effects(self) -> list[tuple[str, str, int]]:
        """Every effect of a step that happened, in the order within its workflow: id, step, process."""
        found = []
        for path in sorted(self.folder.glob("*.effects")):
            for line in path.read_text().splitlines():
                id, step, pid = line.split()
                found.append((id, step, int(pid)))
        return found

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(f"{self.database.as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute(sql).fetchall()

    def said(self, process: subprocess.Popen[bytes]) -> str:
        log = self.folder / f"{process.pid}.log"
        return f"process {process.pid} ended with {process.returncode}:\n{log.read_text('utf-8', 'replace')}"

    # --- what must hold at the end ------------------------------------------------------------------

    def assert_all_is_right(self) -> None:
        """Each finished once, paid once, and no step done more often than processes died in it."""
        ids = [f"w{number:03}" for number in range(self.workflows)]
        assert self.query("PRAGMA integrity_check") == [("ok",)]
        assert self.states() == {"completed": self.workflows}
        results = self.query("SELECT result FROM stepfast_payloads")
        assert results == [(str(EARNED),)] * self.workflows
        ledger = Counter((id, step) for id, step in self.query("SELECT workflow, step FROM ledger"))
        assert ledger == Counter({(id, step): 1 for id in ids for step in PAID})
        ((total,),) = self.query("SELECT sum(amount) FROM ledger")
        assert total == EARNED * self.workflows
        self._assert_steps(ids)
        assert self.query("SELECT count(*) FROM stepfast_owners") == [(0,)]
        assert not list(self.folder.glob("stepfast.db-owners/*")), "a lock file is left behind"

    def _assert_steps(self, ids: list[str]) -> None:
        steps = self.query(
            "SELECT w.id, r.name, r.value FROM stepfast_records r "
            "JOIN stepfast_workflows w ON w.key = r.workflow WHERE r.kind = 'step'"
        )
        recorded = {(id, step): int(pid) for id, step, pid in steps if step in STEPS}
        assert recorded.keys() == {(id, step) for id in ids for step in STEPS}
        effects = self.effects()
        done = Counter((id, step) for id, step, _ in effects)
        assert done.keys() == recorded.keys()
        # One process does a step once; who did it and died before it was recorded is one that was killed.
        assert max(Counter(effects).values()) == 1
        for id, step, pid in effects:
            assert pid == recorded[id, step] or pid in self.killed, f"{step} of {id} in vain by {pid}"
        assert done.total() - len(recorded) <= AT_ONCE * len(self.killed)
        for id in ids:
            mine = [step for other, step, _ in effects if other == id]
            assert list(dict.fromkeys(mine)) == STEPS
            assert mine == sorted(mine, key=STEPS.index), f"{id} went back: {mine}"

    def _run(self, verb: str) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            str(PROGRAM),
            str(self.database),
            str(self.folder),
            verb,
            str(self.workflows),
        ]
        log = self.folder / "new.log"
        with log.open("wb") as output:
            process = subprocess.Popen(command, env=self._environment, stdout=output, stderr=output)
        log.rename(self.folder / f"{process.pid}.log")
        return process


@pytest.fixture
def crew(tmp_path: Path) -> Iterator[Crew]:
    crew = Crew(tmp_path, workflows=20)
    yield crew
    for process in crew.processes:
        process.kill()
        process.wait()


def test_two_processes_share_the_work_and_each_workflow_finishes_once(crew: Crew) -> None:
    one, other = crew.hire(), crew.hire()
    crew.start_all()
    crew.until_full(one, other)
    crew.go()
    crew.until_ended(one)
    crew.until_ended(other)
    crew.assert_all_is_right()
    assert {pid for _, _, pid in crew.effects()} == {one.pid, other.pid}


@pytest.mark.parametrize("steps", [3, 13, 23])
def test_the_survivor_finishes_what_a_killed_process_held(crew: Crew, steps: int) -> None:
    """Held back after so many effects of each, of the 30 of the workflows that it began with."""
    victim, survivor = crew.hire(), crew.hire()
    crew.start_all()
    crew.until_full(victim, survivor)
    crew.go(steps)
    crew.until_done_by(steps, victim, survivor)
    crew.kill(victim)
    crew.go()
    crew.until_ended(survivor)
    crew.assert_all_is_right()
    by = {pid: {id for id, _, each in crew.effects() if each == pid} for pid in (victim.pid, survivor.pid)}
    assert by[victim.pid] & by[survivor.pid], "no workflow was carried on by the other"


def test_a_third_process_finishes_what_two_killed_ones_held(crew: Crew) -> None:
    one, other = crew.hire(), crew.hire()
    crew.start_all()
    crew.until_full(one, other)
    crew.go(15)
    crew.until_done_by(15, one, other)
    crew.kill(one, other)
    crew.go()
    crew.until_ended(crew.hire())
    crew.assert_all_is_right()


def test_a_process_that_comes_after_all_is_finished_does_nothing_again(crew: Crew) -> None:
    crew.go()
    crew.start_all()
    crew.until_ended(crew.hire())
    rows = crew.query("SELECT * FROM stepfast_workflows"), crew.effects()
    crew.until_ended(crew.hire())
    assert rows == (crew.query("SELECT * FROM stepfast_workflows"), crew.effects())
    crew.assert_all_is_right()


@workflow("hear")
async def hear(run: Run) -> list[str]:
    return [await run.receive("first"), await run.receive("second")]


async def test_who_was_there_before_the_worker_is_heard_by_it(tmp_path: Path) -> None:
    """A window that is open while workers come and go has no doorbell, and nobody tells it of theirs."""
    async with Engine.open(tmp_path / "stepfast.db", [hear], work=False) as window:
        handle = await window.start(hear(), id="heard")
        async with Engine.open(tmp_path / "stepfast.db", [hear]), asyncio.timeout(DEADLINE):
            for message in ("one", "other"):
                while (await handle.summary()).state.name != "waiting":
                    await asyncio.sleep(0.01)
                await window.deliver("heard", message)
            assert await handle.result() == ["one", "other"]


@pytest.mark.campaign
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(5))
def test_a_relay_of_processes_killed_one_after_another(tmp_path: Path, seed: int) -> None:
    rng = Random(seed)
    crew = Crew(tmp_path, workflows=60)
    workers = [crew.hire(), crew.hire(), crew.hire()]
    crew.start_all()
    crew.go()
    try:
        for _ in range(20):
            crew.until_done(min(len(crew.effects()) + rng.randint(0, 20), 350))
            held = crew.held()
            # Mostly one in the middle of its work, and sometimes one that is just starting.
            busy = [each for each in workers if each.pid in held and rng.random() < 0.9]
            workers.remove(victim := rng.choice(busy or workers))
            if victim.poll() is None:
                crew.kill(victim)
            workers.append(crew.hire())
        for worker in workers:
            crew.until_ended(worker)
        # Who was killed before it was registered leaves its lock; a young one may be just being made.
        for lock in tmp_path.glob("stepfast.db-owners/*"):
            os.utime(lock, (0, 0))
        crew.until_ended(crew.hire())
    finally:
        for worker in crew.processes:
            worker.kill()
            worker.wait()
    crew.assert_all_is_right()
    assert len(crew.killed) > 10
