"""`examples/ledger.py` killed at random moments: each transfer is there once, and no cent is lost or made."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from evidence import opened_copy, require

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "ledger.py"
CLERKS = 4
TRANSFERS = 500
ACCOUNTS = 10
EACH_HAS = 100_000
DEADLINE = 60.0


@dataclass
class Bank:
    """One file, and the program that is killed over it; batch after batch, each of which takes seconds."""

    folder: Path
    chance: Random
    batch: int = 0
    killed: int = 0
    at_work: int = 0
    """How many of the kills came after a transfer of that process, and before its last."""
    made: int = 0
    """How many transfers there were at the last look."""
    ended: list[str] = field(default_factory=list)

    @property
    def file(self) -> Path:
        return self.folder / "bank.db"

    def run(self, seconds: float | None) -> None:
        """Run the program, kill it after so many seconds if it is not done by then, and look at the file."""
        words = [str(self.file), "--clerks", str(CLERKS), "--transfers", str(TRANSFERS)]
        process = subprocess.Popen(
            [sys.executable, str(PROGRAM), *words, "--name", f"batch-{self.batch}"],
            env={**os.environ, "PYTHONPATH": str(ROOT / "store")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            out, _ = process.communicate(timeout=DEADLINE if seconds is None else seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            out, _ = process.communicate(timeout=DEADLINE)
        before = self.made
        self.made = self.look()
        if process.returncode == -signal.SIGKILL:
            self.killed += 1
            self.at_work += before < self.made < self.whole
            return
        assert process.returncode == 0, out
        assert self.made == self.whole
        self.ended.append(out)
        self.batch += 1

    @property
    def whole(self) -> int:
        """How many transfers there are once this batch and those before it are done."""
        return (self.batch + 1) * CLERKS * TRANSFERS

    def look(self) -> int:
        """Require that all is right with what is in the file; returns how many transfers there are."""
        with opened_copy(self.file, self.folder / "look") as connection:
            if connection is None:
                return 0
            found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not {"accounts", "transfers"} <= {name for (name,) in found}:
                return 0
            return _right(connection)


def _right(connection: sqlite3.Connection) -> int:
    transfers = connection.execute("SELECT clerk, number, payer, payee, cents FROM transfers").fetchall()
    times = Counter((clerk, number) for clerk, number, *_ in transfers)
    twice = {each: count for each, count in times.items() if count > 1}
    require(not twice, f"made more than once: {twice}")
    records = connection.execute(
        "SELECT w.id, r.name, r.value FROM stepfast_records r "
        "JOIN stepfast_workflows w ON w.key = r.workflow WHERE r.name LIKE 'transfer:%'"
    )
    recorded = {(id, int(name.partition(":")[2])): int(value) for id, name, value in records}
    moved = {(clerk, number): cents for clerk, number, _, _, cents in transfers}
    require(moved == recorded, "what was moved and what is recorded differ")
    accounts = dict(connection.execute("SELECT number, cents FROM accounts"))
    expected = dict.fromkeys(range(ACCOUNTS), EACH_HAS)
    for _, _, payer, payee, cents in transfers:
        expected[payer] -= cents
        expected[payee] += cents
    require(accounts == expected, f"the accounts have {accounts}, and the transfers make {expected}")
    require(sum(accounts.values()) == ACCOUNTS * EACH_HAS, f"all together have {sum(accounts.values())}")
    require(min(accounts.values()) >= 0, f"somebody gave what they do not have: {accounts}")
    return len(transfers)


def short(file: Path, transfers: int) -> None:
    """Let the program do a little, in peace."""
    subprocess.run(
        [sys.executable, str(PROGRAM), str(file), "--transfers", str(transfers)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "store")},
        check=True,
        capture_output=True,
        timeout=DEADLINE,
    )


def kill(folder: Path, kills: int, seed: int, *, most: float = 60.0) -> Bank:
    """Kill the program so many times, within at most so many seconds each, and let it end."""
    bank = Bank(folder, Random(seed))
    # A process lives for up to four times as long as one takes here that has next to nothing to do.
    begun = time.monotonic()
    short(folder / "short.db", 1)
    longest = min(4 * (time.monotonic() - begun), most)
    print(f"seed {seed}, killed within {longest:.2f} s")
    try:
        while bank.killed < kills:
            bank.run(bank.chance.uniform(0.0, longest))
        bank.run(None)
        # Once more, when there is nothing left to do: nothing happens.
        bank.batch -= 1
        bank.run(None)
    except AssertionError as failed:
        failed.add_note(f"seed {seed}, after {bank.killed} kills in batch {bank.batch}")
        raise
    assert bank.ended[-1] == bank.ended[-2] and "the bank has 10000.00" in bank.ended[-1]
    return bank


def test_eight_kills_lose_no_cent_and_make_no_transfer_twice(tmp_path: Path) -> None:
    # On a busy machine what has next to nothing to do takes long, and eight times four times that too long.
    bank = kill(tmp_path, kills=8, seed=Random().randrange(10**6), most=6.0)
    assert bank.killed == 8


@pytest.mark.campaign
@pytest.mark.timeout(1800)
def test_two_hundred_kills_lose_no_cent_and_make_no_transfer_twice(tmp_path: Path) -> None:
    begun = time.monotonic()
    bank = kill(tmp_path, kills=200, seed=Random().randrange(10**6))
    seconds = time.monotonic() - begun
    print(f"{bank.killed} kills, {bank.at_work} of them in the middle of transfers; ", end="")
    print(f"{bank.made} transfers in {bank.batch} batches, {seconds:.0f} s")
    assert bank.at_work > 50


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO transfers SELECT * FROM transfers LIMIT 1",
        "DELETE FROM transfers WHERE number = 3",
        "UPDATE accounts SET cents = cents + 1 WHERE number = 0",
        "UPDATE transfers SET cents = cents + 1 WHERE number = 3",
        "DELETE FROM stepfast_records WHERE name = 'transfer:3'",
    ],
)
def test_it_would_be_noticed(tmp_path: Path, change: str) -> None:
    bank = Bank(tmp_path, Random(0))
    short(bank.file, 5)
    assert bank.look() == CLERKS * 5
    connection = sqlite3.connect(bank.file)
    assert connection.execute(change).rowcount
    connection.commit()
    connection.close()
    with pytest.raises(AssertionError):
        bank.look()
