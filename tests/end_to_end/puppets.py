"""Processes whose engines do what a test tells them (`programs/puppet.py`), and the file they share.

A test waits for what a process says, for what stands in the file, or for a process that stopped itself; it
never waits for time to pass. An engine's own time passes when the test says so.
"""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

__all__ = ["DEADLINE", "Puppet", "Stage", "stage"]

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).parent / "programs" / "puppet.py"
DEADLINE = 60.0
"""Real seconds until a test gives up. The slow look, which finds after 30 s what was missed, is not taken in
them: an engine's time passes when it is told to, and one on the machine's clock is opened so that it never
looks (`slow=never`)."""

STEP = 2.0
"""Seconds by which the time of several engines passes: what they do in them, they do side by side."""


OF_OWNER = re.compile(r"[0-9]+-[0-9a-f]+\.lock")
KEY = "(SELECT key FROM stepfast_workflows WHERE id = ?)"


class Puppet:
    """One process."""

    def __init__(self, database: Path, log: Path) -> None:
        self._log = log
        self._told = 0
        self._said: list[str] = []
        self._new = threading.Condition()
        self.all: list[str] = []
        """Everything that it ever said."""
        with log.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, str(PROGRAM), str(database)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, "PYTHONPATH": str(ROOT / "store")},
                start_new_session=True,
            )
        self.pid = self.process.pid
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._new:
                self._said.append(line.decode().strip())
                self.all.append(self._said[-1])
                self._new.notify_all()

    # --- telling and hearing ----------------------------------------------------------------------

    def tell(self, engine: str, *words: object) -> str:
        """Tell one of its engines something, without waiting; gives what it will say once that is done."""
        self._told += 1
        assert self.process.stdin is not None
        self.process.stdin.write((" ".join(map(str, (self._told, engine, *words))) + "\n").encode())
        self.process.stdin.flush()
        return f"{engine} ok {self._told}"

    def ask(self, engine: str, *words: object) -> None:
        """Tell one of its engines something, and wait until it is done."""
        self.hear(self.tell(engine, *words))

    def open(self, engine: str = "one", *words: object) -> Puppet:
        """Open an engine in it."""
        self.ask(engine, "open", *words)
        self.hear(engine, "opened")
        return self

    def hear(self, *words: object, within: float = DEADLINE) -> None:
        """Wait until it says this, and forget it then; what else it says stays to be heard."""
        line = " ".join(map(str, words))
        end = time.monotonic() + within
        with self._new:
            while line not in self._said:
                broken = next((each for each in self._said if " failed " in each), None)
                if broken is not None or not self._new.wait(max(0.0, end - time.monotonic())):
                    raise AssertionError(
                        f"{line!r} was not heard, but {broken or self.all[-5:]}; {self.log()}"
                    )
            self._said.remove(line)

    def log(self) -> str:
        """What it wrote to its standard error."""
        return self._log.read_text("utf-8", "replace")

    # --- signals ----------------------------------------------------------------------------------

    def stop(self, engine: str = "one") -> None:
        """Have it stop itself by SIGSTOP while it writes nothing, and wait until it stands still."""
        self.tell(engine, "stop")
        self.until_stopped()

    def until_stopped(self) -> None:
        """Wait until something has stopped it."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WUNTRACED | os.WNOHANG)
            if pid:
                assert os.WIFSTOPPED(status), self.log()
                return
            time.sleep(0.001)
        raise AssertionError(f"process {self.pid} did not stop; it said {self.all}")

    def wake(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL to it, and not to its children."""
        self.process.kill()
        self.until_killed()

    def until_killed(self) -> None:
        """Wait until it is dead of a SIGKILL, sent by whomever."""
        assert self.process.wait(DEADLINE) == -signal.SIGKILL, self.log()

    def has_children(self) -> bool:
        """Does a child of it, now dead, live on? It has its standard output."""
        assert self.process.returncode is not None
        return self._reading.is_alive()

    def end(self) -> None:
        """Kill it with all of its children."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()
        self._reading.join()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()


class Stage:
    """One file, and the processes on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "work.db"
        self.locks = folder / "work.db-owners"
        self.puppets: list[Puppet] = []

    def puppet(self) -> Puppet:
        """A new process, with no engine in it yet."""
        self.puppets.append(Puppet(self.database, self.folder / f"{len(self.puppets)}.log"))
        return self.puppets[-1]

    def said(self, *words: object) -> int:
        """How often all processes together have said this so far."""
        return [line for puppet in self.puppets for line in puppet.all].count(" ".join(map(str, words)))

    def rows(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(f"{self.database.as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute(sql, parameters).fetchall()

    def owners(self) -> dict[int, int]:
        """The process of each owner that is registered, by the owner's key."""
        return dict(self.rows("SELECT key, pid FROM stepfast_owners ORDER BY key"))

    def holder(self, id: str) -> tuple[str, int | None]:
        """A workflow's state, and the key of the owner that holds it."""
        ((state, owner),) = self.rows("SELECT state, owner FROM stepfast_workflows WHERE id = ?", id)
        return state, owner

    def written(self, id: str) -> list[list[tuple[Any, ...]]]:
        """All that a holder may write of a workflow, but for the name of the step that it is in."""
        return [
            self.rows(sql, id)
            for sql in (
                "SELECT state, token, owner, receipt, intent, due FROM stepfast_workflows WHERE id = ?",
                f"SELECT * FROM stepfast_records WHERE workflow = {KEY}",
                f"SELECT * FROM stepfast_log WHERE workflow = {KEY}",
                f"SELECT * FROM stepfast_bookmarks WHERE workflow = {KEY}",
                f"SELECT done, total, text FROM stepfast_progress WHERE done > 0 AND workflow = {KEY}",
                f"SELECT result, failure FROM stepfast_payloads WHERE workflow = {KEY}",
                "SELECT * FROM ledger WHERE workflow = ?",
            )
        ]

    def paid(self) -> list[tuple[str, str]]:
        """Every payment that was ever committed: workflow and engine."""
        return self.rows("SELECT workflow, engine FROM ledger ORDER BY workflow")

    def lock_files(self) -> list[str]:
        """Of owners, whether they live or not."""
        files = os.listdir(self.locks) if self.locks.exists() else []
        return sorted(each for each in files if OF_OWNER.fullmatch(each))

    def pass_time(self, seconds: float, *engines: tuple[Puppet, str]) -> None:
        """Let time pass for several engines at once."""
        left = seconds
        while left > 0:
            told = [(puppet, puppet.tell(engine, "advance", min(left, STEP))) for puppet, engine in engines]
            for puppet, done in told:
                puppet.hear(done)
            left -= STEP

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Wait until something is so in the file."""
        end = time.monotonic() + DEADLINE
        while not condition():
            logs = "\n".join(each.log() for each in self.puppets)
            assert time.monotonic() < end, (
                f"{what} did not happen: {[each.all for each in self.puppets]}\n{logs}"
            )
            time.sleep(0.002)

    def until_noted(self, id: str) -> None:
        """Wait until the step that it is in stands in the file; its holder has nothing to write then."""
        step = f"SELECT step FROM stepfast_progress WHERE workflow = {KEY}"
        self.until(lambda: self.rows(step, id) == [("hold",)], f"a note of {id}'s step")

    def until_state(self, id: str, state: str) -> None:
        self.until(lambda: self.holder(id)[0] == state, f"{id} {state}")


@contextmanager
def stage(folder: Path) -> Iterator[Stage]:
    """A file in `folder`; in the end all processes on it are killed."""
    made = Stage(folder)
    yield made
    for each in made.puppets:
        each.end()
