"""One week in the life of a program: a process of its own, at a clock of its own, that is killed at the end.

Each part of a day it carries out some workflows of every kind while the housekeeping of that hour goes on. At
the end a workflow is in the middle of a step that the next week's program will have to take over.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from waiting_behind import waiting_behind

from stepfast import Engine, Retention, Run, Transaction, WorkflowFailed, workflow
from stepfast.testing import VirtualClock
from stepfast.workers.housekeeping import PIECE_SECONDS

__all__ = ["DAY", "NAME", "Hours", "main"]

DAY = 86_400.0
NAME = "stepfast housekeeping"


class Hours(VirtualClock):
    """The short pauses of housekeeping pass by themselves; one sees when it rests until its next round."""

    def __init__(self, at: float = 1_800_000_000.0) -> None:
        super().__init__(at)
        self.rests = asyncio.Event()

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        task = asyncio.current_task()
        if task is not None and task.get_name() == NAME:
            if seconds < 2 * PIECE_SECONDS:
                self.advance(seconds)
                await asyncio.sleep(0)
                return
            self.rests.set()
        await super().wait(event, seconds)

    async def later(self, seconds: float) -> None:
        """Let time pass, enough for housekeeping to look at the clock, and wait until it rests again."""
        await self.rests.wait()
        self.rests.clear()
        self.advance(seconds)
        await self.rests.wait()


@workflow("plain")
async def plain(run: Run, number: int) -> str:
    for name in ("scan", "copy", "check"):
        await run.step(name, lambda name=name: f"{name} {number} " + "x" * 300)
        run.log(f"{name} of {number} is done")
        run.progress(number, 10 * number, name)
    return "y" * 300


@workflow("with-messages")
async def with_messages(run: Run, number: int) -> Any:
    first = await run.receive("first")
    await run.step("between", lambda: number)
    return [first, await run.awaiting("answer")]


@workflow("failing")
async def failing(run: Run, number: int) -> None:
    def fail() -> None:
        run.bookmark.set(number)
        raise OSError(f"failed at {number}")

    await run.step("fails", fail)


def forget(transaction: Transaction, id: str) -> None:
    transaction.execute("DELETE FROM mine WHERE id = ?", (id,))


@workflow("own-rows", forget=forget)
async def own_rows(run: Run, number: int) -> int:
    def insert(transaction: Transaction) -> int:
        transaction.execute("CREATE TABLE IF NOT EXISTS mine (id, text)")
        return transaction.execute("INSERT INTO mine VALUES (?, ?)", (run.id, "z" * 300)).rowcount

    return await run.transact("insert", insert)


def interrupted(week: int, began: asyncio.Event) -> Any:
    """A definition whose step never ends in the week in which it was started."""

    @workflow("interrupted")
    async def interrupted(run: Run, started_in: int) -> str:
        async def last() -> str:
            if started_in == week:
                began.set()
                await asyncio.Event().wait()
            return "taken over"

        return await run.step("last", last)

    return interrupted


async def one(engine: Engine, id: str, number: int) -> None:
    """One workflow from its start to its end, of a kind that its number says."""
    match number % 20:
        case 0:
            handle: Any = await engine.start(with_messages(number), id=id)
            await engine.deliver(id, "hello")
            await engine.arrive(id, "answer", number)
        case 1 | 2:
            handle = await engine.start(failing(number), id=id)
        case 3 | 4:
            handle = await engine.start(own_rows(number), id=id)
        case 5:
            handle = await engine.start(plain(number), id=id, at=timedelta(days=1000))
            await engine.cancel(id)
            return
        case _:
            handle = await engine.start(plain(number), id=id)
    with contextlib.suppress(WorkflowFailed):
        await handle.result()
    if number % 10 == 7:
        await engine.remove([id])


async def live(path: str, week: int, a_day: int, parts: int, keep: int, say: Callable[[str], None]) -> None:
    clock, began = Hours(1_800_000_000.0 + 7 * DAY * week), asyncio.Event()
    stays = interrupted(week, began)
    definitions = [plain, with_messages, failing, own_rows, stays]
    policy = Retention(age=timedelta(days=7), keep=keep)
    async with Engine.open(path, definitions, clock=clock, retention=policy) as engine:
        with waiting_behind(engine.durable) as waiting:
            if week:
                assert await engine.handle(f"interrupted {week - 1}").result() == "taken over"
            numbers = iter(range(week * 7 * a_day, (week + 1) * 7 * a_day))
            for _ in range(7 * parts):
                batch = [next(numbers) for _ in range(a_day // parts)]
                some = (one(engine, f"work {number}", number) for number in batch)
                await asyncio.gather(clock.later(DAY / parts), *some)
        await engine.start(stays(week), id=f"interrupted {week}")
        await began.wait()
        say(json.dumps({"waits": dict(waiting.waits), "commits": waiting.commits}))
        await asyncio.Event().wait()


def main(path: str, week: str, a_day: str, parts: str, keep: str) -> None:
    def say(text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    asyncio.run(live(path, int(week), int(a_day), int(parts), int(keep), say))


if __name__ == "__main__":
    main(*sys.argv[1:])
