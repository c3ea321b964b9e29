"""Money moves between accounts, each transfer exactly once, however often this program is killed.

    python examples/ledger.py bank.db                     # four clerks, 250 transfers each
    python examples/ledger.py bank.db --transfers 10000   # long enough to kill it: kill -9, a power cut

Run it again after each kill, with the same words, until it has printed what the bank has. A transfer is a
step of `run.transact`: what it writes to the tables below and Stepfast's record that it happened are one
commit. So none is lost, and none is made twice. `tests/end_to_end/test_ledger.py` kills it 200 times, and
counts.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random

from stepfast import Engine, Run, Transaction, workflow

ACCOUNTS = 10
EACH_HAS = 100_000  # cents, at first; what all have together never changes


def open_bank(db: Transaction) -> None:
    db.execute("CREATE TABLE IF NOT EXISTS accounts (number INTEGER PRIMARY KEY, cents INTEGER NOT NULL)")
    # Nothing here is UNIQUE: a transfer that was made twice would be two rows, for all to see.
    db.execute(
        "CREATE TABLE IF NOT EXISTS transfers (clerk TEXT NOT NULL, number INTEGER NOT NULL, "
        "payer INTEGER NOT NULL, payee INTEGER NOT NULL, cents INTEGER NOT NULL)"
    )
    rows = [(number, EACH_HAS) for number in range(ACCOUNTS)]
    db.executemany("INSERT OR IGNORE INTO accounts VALUES (?, ?)", rows)


def transfer(clerk: str, number: int) -> Callable[[Transaction], int]:
    # What a body does must be the same on each pass, so chance comes from a seed.
    chance = Random(f"{clerk} {number}")
    payer, payee = chance.sample(range(ACCOUNTS), 2)
    wanted = chance.randint(1, 5_000)

    def effect(db: Transaction) -> int:
        (has,) = db.execute("SELECT cents FROM accounts WHERE number = ?", (payer,)).fetchone() or (0,)
        cents = min(wanted, int(has))  # nobody gives what they do not have
        db.execute("UPDATE accounts SET cents = cents - ? WHERE number = ?", (cents, payer))
        db.execute("UPDATE accounts SET cents = cents + ? WHERE number = ?", (cents, payee))
        db.execute("INSERT INTO transfers VALUES (?, ?, ?, ?, ?)", (clerk, number, payer, payee, cents))
        return cents

    return effect


def total_of(db: Transaction) -> int:
    (cents,) = db.execute("SELECT sum(cents) FROM accounts").fetchone() or (0,)
    return int(cents)


@workflow("clerk", version=1)
async def clerk(run: Run, transfers: int) -> tuple[int, int]:
    """Makes so many transfers; returns how many cents were moved, and how many the bank has."""
    await run.transact("open", open_bank)
    moved = 0
    for number in range(transfers):
        moved += await run.transact(f"transfer:{number}", transfer(run.id, number))
    return moved, await run.query(total_of)


async def main(file: Path, clerks: int, transfers: int, name: str) -> None:
    async with Engine.open(file, [clerk], backups=False) as engine:
        ids = [f"{name}-{number}" for number in range(clerks)]
        # The ids make it idempotent: what is there already is found, and carried on.
        handles = [await engine.start(clerk(transfers), id=each) for each in ids]
        results = [await handle.result() for handle in handles]
    moved, total = sum(each for each, _ in results), results[-1][1]
    print(f"{clerks * transfers} transfers moved {moved / 100:.2f}; the bank has {total / 100:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("file", type=Path, metavar="FILE", help="where the bank is; made if it is not there")
    parser.add_argument("--clerks", type=int, default=4, help="how many work at once")
    parser.add_argument("--transfers", type=int, default=250, help="how many each makes")
    parser.add_argument("--name", default="clerk", help="another name is another batch of work")
    asked = parser.parse_args()
    asyncio.run(main(asked.file, asked.clerks, asked.transfers, asked.name))
