"""DBOS on its SQLite database, in a process of its own: the same work as the engine's, told line by line.

Used as its documentation shows: async workflows and steps, a `sqlite:///` system database, logging off but
for errors. Its file stays as it makes it.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from dbos import DBOS, DBOSConfig

from measuring.children import listen, say
from measuring.timing import timed

running_again: asyncio.Queue[float] = asyncio.Queue()


@DBOS.step()
async def effect() -> int:
    return 1


@DBOS.workflow()
async def steps_in_a_row(count: int) -> int:
    for _ in range(count):
        await effect()
    return count


@DBOS.workflow()
async def waits_for_a_go() -> None:
    await DBOS.recv_async("go", timeout_seconds=600)
    running_again.put_nowait(time.perf_counter())


async def in_a_row(count: int) -> int:
    await (await DBOS.start_workflow_async(steps_in_a_row, count)).get_result()
    return count


async def many_at_once(workflows: int, steps: int) -> int:
    handles = await asyncio.gather(
        *(DBOS.start_workflow_async(steps_in_a_row, steps) for _ in range(workflows))
    )
    await asyncio.gather(*(each.get_result() for each in handles))
    return workflows * steps


WORK: dict[str, Callable[..., Awaitable[int]]] = {"in a row": in_a_row, "many at once": many_at_once}


async def wake(after: float) -> float:
    """Seconds from `send` to the workflow running again; it has waited for `after` seconds then."""
    handle = await DBOS.start_workflow_async(waits_for_a_go)
    await asyncio.sleep(after)
    asked_at = time.perf_counter()
    await DBOS.send_async(handle.workflow_id, True, "go")
    took = await running_again.get() - asked_at
    await handle.get_result()
    return took


async def act(path: str, polling_seconds: str) -> None:
    config: DBOSConfig = {
        "name": "stepfast-benchmark",
        "system_database_url": f"sqlite:///{Path(path).as_posix()}",
        "log_level": "ERROR",
        "notification_listener_polling_interval_sec": float(polling_seconds),
    }
    DBOS(config=config)
    DBOS.launch()
    try:
        async for what, *numbers in listen():
            if what == "wake":
                say(await wake(*numbers))
            else:
                say(await timed(partial(WORK[what], *numbers)))
    finally:
        DBOS.destroy()


if __name__ == "__main__":
    asyncio.run(act(sys.argv[1], sys.argv[2]))
