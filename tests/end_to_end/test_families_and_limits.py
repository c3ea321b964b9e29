"""Two real processes run a family under limits and are killed all the while: nothing lost, nothing doubled.

The limit is watched by the kernel: a leaf's step locks one of as many files as leaves may run, and finds all
of them locked if there are too many. A process that is killed holds no lock.
"""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from contextlib import suppress
from pathlib import Path

from stepfast import connect

MOST = 3
PROGRAM = """
import asyncio, fcntl, os, sys, time
from datetime import timedelta
from pathlib import Path
from stepfast import Engine, Every, Run, workflow

MOST = 3
folder = Path(sys.argv[1])

def measured(number: int) -> int:
    for slot in range(MOST):
        with open(folder / f"slot-{slot}", "w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            time.sleep(0.1)
            return number
    (folder / f"too-many-{number}-{os.getpid()}").touch()
    return number

@workflow("leaf", at_once=MOST)
async def leaf(run: Run, number: int) -> int:
    return await run.step("measured", measured, number)

@workflow("branch", queue="branches")
async def branch(run: Run, number: int) -> int:
    return sum(await asyncio.gather(*(run.child(str(n), leaf(n + 10 * number)) for n in range(6))))

@workflow("root")
async def root(run: Run) -> int:
    return sum(await asyncio.gather(*(run.child(str(n), branch(n)) for n in range(6))))

@workflow("tick")
async def tick(run: Run) -> None:
    await run.step("tick", lambda: None)

async def main() -> None:
    definitions = [root, branch, leaf, tick]
    async with Engine.open(folder / "work.db", definitions, backups=False, queues={"branches": 2}) as engine:
        await engine.schedule("tick", tick(), Every(timedelta(seconds=1)))
        handle = await engine.start(root(), id="root")
        print(await handle.result(), flush=True)

asyncio.run(main())
"""


async def test_killed_all_the_while(tmp_path: Path) -> None:
    chance = random.Random(2026)
    killed = 0

    async def program() -> str:
        """Start it again and again, killed at random moments, until it says the result."""
        nonlocal killed
        for attempt in range(40):
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", PROGRAM, str(tmp_path), stdout=asyncio.subprocess.PIPE
            )
            try:
                # Longer each time, so that it comes to an end on a slow machine too.
                seconds = chance.uniform(0.2, 0.6 * 1.25**attempt)
                said, _ = await asyncio.wait_for(process.communicate(), seconds)
                assert process.returncode == 0
                return said.decode().strip()
            except TimeoutError:
                with suppress(ProcessLookupError):  # it may have ended just then
                    process.send_signal(signal.SIGKILL)
                await process.wait()
                killed += 1
        raise AssertionError("it never came to its end")

    said = await asyncio.gather(*(program() for _ in range(2)))

    total = sum(n + 10 * m for n in range(6) for m in range(6))
    assert said == [str(total)] * 2
    assert killed >= 2
    assert [path.name for path in tmp_path.glob("too-many-*")] == [], "more ran at once than the limit says"
    durable = await connect(tmp_path / "work.db")
    rows = await durable.catalogue.list(limit=1000)
    await durable.close()
    family = {each.id: each.state.name for each in rows if each.name != "tick"}
    assert len(family) == 43 and set(family.values()) == {"completed"}, family
    ticks = sorted(each.id for each in rows if each.name == "tick")
    assert len(ticks) == len(set(ticks)) >= 1
