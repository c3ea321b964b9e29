"""Workflows whose every effect can be counted from outside, and workers that share them.

    ledger.py DATABASE FOLDER start WORKFLOWS    start them, and end
    ledger.py DATABASE FOLDER work WORKFLOWS     carry out what is ready until so many have finished

A step appends a line `WORKFLOW STEP PID` to its workflow's file, and has it on disk before it returns. A
transacted step adds a row to the table `ledger`. The first step waits for a file `go`, so that several
workers have all the work they can hold before any of it is done; a number in it is how many effects each
process may have, so that it is killed in the middle of its work however fast it is.
"""

import asyncio
import os
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from stepfast import Engine, Run, Transaction, workflow
from stepfast.sqlite import durable
from stepfast.sqlite.engines import neighbours

# Nothing is found by the slow look of every 30 s: a ring that is lost must not pass, slow as it may be.
neighbours.SLOW_SECONDS = durable.SLOW_SECONDS = 3600.0
STEPS = 5
AT_ONCE = 5
STEP_SECONDS = 0.02


@workflow("earn")
async def earn(run: Run, folder: Path) -> int:
    """Do something and be paid for it, five times."""
    await run.transact("table", make_table)
    for number in range(STEPS):
        await run.step(f"do:{number}", do, folder, run.id, f"do:{number}")
        await run.transact(f"pay:{number}", pay(run.id, number))
    await run.step("finish", do, folder, run.id, "finish")
    await run.transact("finished", pay(run.id, STEPS))
    return await run.query(earned(run.id))


done = count(1)
"""The numbers of this process's effects: one is drawn by each, on whichever thread."""


def do(folder: Path, id: str, step: str) -> int:
    number = next(done)
    while not may_go(folder, number):
        time.sleep(0.005)
    line = f"{id} {step} {os.getpid()}\n".encode()
    file = os.open(folder / f"{id}.effects", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(file, line)
        os.fsync(file)
    finally:
        os.close(file)
    time.sleep(STEP_SECONDS)
    return os.getpid()


def may_go(folder: Path, number: int) -> bool:
    """Has the test let each process do so many?"""
    try:
        allowed = (folder / "go").read_text()
    except FileNotFoundError:
        return False
    return not allowed or number <= int(allowed)


def make_table(transaction: Transaction) -> None:
    # Nothing here is unique: what is written twice is to be seen.
    transaction.execute(
        "CREATE TABLE IF NOT EXISTS ledger (workflow TEXT, step INTEGER, amount INTEGER, pid INTEGER)"
    )


def pay(id: str, number: int) -> Callable[[Transaction], int]:
    def effect(transaction: Transaction) -> int:
        row = (id, number, 10**number, os.getpid())
        transaction.execute("INSERT INTO ledger (workflow, step, amount, pid) VALUES (?, ?, ?, ?)", row)
        return os.getpid()

    return effect


def earned(id: str) -> Callable[[Transaction], int]:
    def read(transaction: Transaction) -> int:
        row = transaction.execute("SELECT sum(amount) FROM ledger WHERE workflow = ?", (id,)).fetchone()
        return int(row[0]) if row else 0

    return read


async def start(database: Path, folder: Path, count: int) -> None:
    async with Engine.open(database, [earn], work=False) as engine:
        for number in range(count):
            await engine.start(earn(folder), id=f"w{number:03}")


async def work(database: Path, count: int) -> None:
    async with Engine.open(database, [earn], concurrency=AT_ONCE) as engine:
        # By looking, since nothing tells of what another process finishes.
        while (await engine.counts())["completed"] < count:
            await asyncio.sleep(0.1)
        await engine.until_idle()


if __name__ == "__main__":
    where, effects, verb, number = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    asyncio.run(start(where, effects, number) if verb == "start" else work(where, number))
