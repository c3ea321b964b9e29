"""An engine that writes as much as it can while it reads: a process of `test_wal_load.py`.

    python wal_program.py PATH LEDGER RECORDS SIZE SEED

Every workflow records nine steps, of which one in a hundred has a value of SIZE characters, and inserts a row
of its own in a transacted one. A line in LEDGER is a workflow whose result was handed over. It ends when it
has recorded RECORDS, or is killed.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from pathlib import Path

from stepfast import Engine, Run, Transaction, workflow

AT_ONCE = 40
STEPS = 9


def value(number: int, size: int) -> str:
    return f"{number}:" + "x" * size


@workflow("load")
async def load(run: Run, number: int, size: int) -> int:
    for step in range(STEPS):
        large = (number * STEPS + step) % 100 == 0
        await run.step(f"step-{step}", value, number, size if large else 30)

    def insert(transaction: Transaction) -> int:
        transaction.execute("CREATE TABLE IF NOT EXISTS mine (id TEXT PRIMARY KEY)")
        transaction.execute("INSERT INTO mine (id) VALUES (?)", (run.id,))
        return number

    return await run.transact("inserted", insert)


async def main(path: Path, ledger: Path, records: int, size: int, seed: int) -> None:
    chosen = random.Random(seed)
    done = os.open(ledger, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    numbers = iter(range(records // (STEPS + 1)))
    over = False
    known: list[str] = []
    reads = 0
    async with Engine.open(path, [load]) as engine:

        async def write() -> None:
            for number in numbers:
                id = f"{os.getpid()}-{number}"
                assert await (await engine.start(load(number, size), id=id)).result() == number
                os.write(done, f"{id}\n".encode())
                known.append(id)

        async def read() -> None:
            nonlocal reads
            while not over:
                await engine.list(limit=100)
                await engine.counts()
                if known:
                    await engine.history(chosen.choice(known))
                reads += 1

        readers = [asyncio.create_task(read()) for _ in range(2)]
        await asyncio.gather(*(write() for _ in range(AT_ONCE)))
        over = True
        await asyncio.gather(*readers)
        print(
            f"{len(known)} workflows, {reads} lists",
            [each.kind for each in engine.health.conditions],
            flush=True,
        )


if __name__ == "__main__":
    _, file, lines, how_many, how_large, seed = sys.argv
    asyncio.run(main(Path(file), Path(lines), int(how_many), int(how_large), int(seed)))
