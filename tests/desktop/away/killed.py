"""A program that runs three workflows and says so, to be killed."""

from __future__ import annotations

import asyncio
import sys

from stepfast import Engine, Run, workflow


async def forever() -> None:
    print("running", flush=True)
    await asyncio.sleep(3600)


@workflow("endless")
async def endless(run: Run) -> None:
    await run.step("wait", forever)


@workflow("careful")
async def careful(run: Run) -> None:
    await run.step("pay", forever, on_interrupt="ask")


DEFINITIONS = [endless, careful]


async def main(path: str) -> None:
    async with Engine.open(path, DEFINITIONS, backups=False) as engine:
        await engine.start(endless(), id="a")
        await engine.start(endless(), id="b")
        await engine.start(careful(), id="c")
        await asyncio.sleep(3600)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
