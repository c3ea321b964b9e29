"""Makes the frozen database of the current schema: one workflow in each state, with everything they can have.

    python tests/data/make.py

Run once when a schema is released. What is released is never made again: files of it are on people's disks.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from stepfast.body.retrying import Attempted
from stepfast.interfaces import Begun, Kind, NewRecord, NewSchedule, Notes, Offered, Settlement
from stepfast.passes.outcome import Failure, Problem
from stepfast.sqlite import SqliteDurable, connect
from stepfast.sqlite.schema import CURRENT
from stepfast.state import AnswerWait, ChildWait, InterruptWait, MessageWait, RetryWait, SleepWait
from stepfast.views import Progress

FOLDER = Path(__file__).parent
MOMENT = 1_764_403_200.0
LATER = datetime(2100, 1, 1, tzinfo=UTC)
OFFERED = [Offered("frozen", 1, "Frozen", '{"type":"object"}')]
OF_3 = [Offered("frozen-3", 1, "Frozen 3", '{"type":"object"}', tidies=True)]


@dataclass
class FixedClock:
    """A second passes with each look, so that times differ and are the same on each run."""

    seconds: float = MOMENT

    def time(self) -> float:
        self.seconds += 1
        return self.seconds

    def monotonic(self) -> float:
        return self.seconds

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        await event.wait()


async def begin(
    durable: SqliteDurable, id: str, priority: int = 0, offered: Sequence[Offered] = OFFERED
) -> Begun:
    await durable.start(id, offered[0].name, 1, '{"number":1}', priority=priority)
    (begun,) = await durable.begin(offered, 1)
    assert begun.claim.id == id
    return begun


async def settle(durable: SqliteDurable, id: str, settlement: Settlement) -> None:
    begun = await begin(durable, id)
    await durable.checkpointer.record(begun.claim, NewRecord(Kind.STEP, "first", "1", MOMENT))
    await durable.settle(begun.claim, begun.receipt, settlement)


async def fill(durable: SqliteDurable) -> None:
    await durable.start("sleeping until a start", "frozen", 1, "{}", at=LATER.timestamp())
    sleep = SleepWait("night", LATER)
    await settle(durable, "sleeping", Settlement("sleeping", due=LATER.timestamp(), waits=(sleep,)))
    waits = (AnswerWait("who", '{"type":"string"}'), MessageWait("mail"), sleep)
    await settle(durable, "waiting", Settlement("waiting", due=LATER.timestamp(), waits=waits))
    problems = (Problem("a file", "could not be read"),)
    result = '{"when":{"$datetime":"2026-11-29T00:00:00+00:00"},"$$dollar":{"$tuple":[1,2]}}'
    await settle(durable, "completed", Settlement("completed", result=result, problems=problems))
    failure = Failure("builtins.OSError", "no disk", "Traceback ...", "second")
    await settle(durable, "failed", Settlement("failed", failure=failure))
    await durable.start("cancelled", "frozen", 1, "{}")
    await durable.cancel("cancelled")
    await durable.start("paused", "frozen", 1, "{}")
    await durable.pause("paused")
    await durable.start("deleted", "frozen", 1, "{}")
    await durable.delete("deleted")
    interrupted = await begin(durable, "interrupted", priority=7)
    claim = interrupted.claim
    notes = Notes(
        "second", Progress(1, 3, "1 of 3"), (("second", "[1]"),), ((MOMENT, "info", None, "hello"),)
    )
    await durable.checkpointer.record(claim, NewRecord(Kind.STEP, "first", '"one"', MOMENT), notes)
    await durable.checkpointer.record(
        claim, NewRecord(Kind.SLEEP, "nap", '{"$datetime":"2026-11-29T00:00:00+00:00"}', MOMENT)
    )
    await durable.arrive("interrupted", "who", '"Ada"')
    await durable.deliver("interrupted", "[1,2]")
    await durable.start("queued", "frozen", 1, '{"number":2}')


async def fill_3(durable: SqliteDurable) -> None:
    """What schema 3 brought, of a definition of its own."""
    blocked = await begin(durable, "blocked", offered=OF_3)
    await durable.checkpointer.record(blocked.claim, NewRecord(Kind.BEGUN, "1:pay", "null", MOMENT))
    waits = (InterruptWait("pay"),)
    await durable.settle(blocked.claim, blocked.receipt, Settlement("blocked", waits=waits))
    again = await begin(durable, "trying again", offered=OF_3)
    attempted = Attempted("failed", "ConnectionError", "refused", "Traceback ...", LATER.timestamp())
    await durable.checkpointer.record(
        again.claim, NewRecord(Kind.ATTEMPT, "1:upload", attempted.text, MOMENT)
    )
    retry = RetryWait("upload", LATER, 2, 3, "refused")
    await durable.settle(
        again.claim, again.receipt, Settlement("sleeping", due=LATER.timestamp(), waits=(retry,))
    )
    parent = await begin(durable, "parent", offered=OF_3)
    for name in ("ended", "pending"):
        await durable.checkpointer.child(parent.claim, name, f"parent/{name}", "frozen-3", 1, "{}")
    await durable.settle(parent.claim, parent.receipt, Settlement("waiting", waits=(ChildWait("pending"),)))
    (ended, pending) = await durable.begin(OF_3, 2)
    await durable.settle(ended.claim, ended.receipt, Settlement("completed", result='"done"'))
    await durable.settle(pending.claim, pending.receipt, Settlement("waiting", waits=(AnswerWait("go"),)))
    await durable.start("tidying", "frozen-3", 1, "{}")
    await durable.cancel("tidying")
    await durable.schedule(
        NewSchedule("nightly", "frozen-3", 1, "{}", '{"daily": "03:00:00", "zone": "Europe/Berlin"}', "skip")
    )


async def main() -> None:
    target = FOLDER / f"schema-{CURRENT}.db"
    work = FOLDER / "in-the-making.db"
    durable = await connect(work, clock=FixedClock())
    await durable.offer(OFFERED, "stepfast work")
    await fill(durable)
    await durable.offer([*OFFERED, *OF_3], "stepfast work")
    await fill_3(durable)
    # As if killed: the owner and what it runs stay registered. The backup API gives one file without a WAL.
    with (
        contextlib.closing(sqlite3.connect(work)) as source,
        contextlib.closing(sqlite3.connect(target)) as copy,
    ):
        source.backup(copy)
        copy.execute("UPDATE stepfast_owners SET boot = 'a boot long ago'")
        copy.commit()
        copy.execute("PRAGMA journal_mode = DELETE")
    await durable.close()
    for each in FOLDER.glob("in-the-making.db*"):
        each.unlink()
    print(target)


if __name__ == "__main__":
    asyncio.run(main())
