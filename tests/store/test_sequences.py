"""Whatever is asked in whatever order, the rows stay legal and nobody is stranded: random sequences."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stepfast import Fenced, SqliteDurable, StepfastError, connect
from stepfast.interfaces import Begun, Claim, Delivery, Kind, NewRecord, Offered, Settlement
from stepfast.state import FINISHED
from stepfast.testing import VirtualClock

pytestmark = pytest.mark.usefixtures("quiet_loop")

OFFERED = [Offered("job", 1), Offered("job", 2)]
IDS = ["a", "b", "c", "d"]

ILLEGAL = {
    "running without a claim, or the reverse": "(state = 'running') <> (token IS NOT NULL)",
    "a claim without an owner": "token IS NOT NULL AND owner IS NULL",
    "sleeping without a moment": "state = 'sleeping' AND due IS NULL",
    "a timer of one that is not asleep": "due IS NOT NULL AND state NOT IN ('sleeping', 'waiting')",
    "waits of one that does not wait": "waits IS NOT NULL AND state NOT IN ('sleeping', 'waiting')",
    "an intent without a holder": "intent IS NOT NULL AND state <> 'running'",
    "finished without a moment, or the reverse": "(state IN ('completed', 'failed', 'cancelled'))"
    " <> (finished_at IS NOT NULL)",
    "held by nobody who is known": "owner IS NOT NULL AND owner NOT IN (SELECT key FROM stepfast_owners)",
    "taken by nobody": "taken IS NOT NULL AND owner IS NULL",
    "an owner without a claim or a delivery": "owner IS NOT NULL AND taken IS NULL AND token IS NULL",
    "a number from the future": "max(key, receipt, change, ifnull(token, 0))"
    " > (SELECT counter FROM stepfast_meta)",
    "not to be found": "key NOT IN (SELECT workflow FROM stepfast_findable)",
    "no input": "key NOT IN (SELECT workflow FROM stepfast_payloads)",
    "a result too early": "state NOT IN ('completed', 'failed') AND key IN"
    " (SELECT workflow FROM stepfast_payloads WHERE result IS NOT NULL OR failure IS NOT NULL)",
}


def check(connection: sqlite3.Connection, trail: list[str]) -> None:
    for what, condition in ILLEGAL.items():
        rows = connection.execute(f"SELECT * FROM stepfast_workflows WHERE {condition}").fetchall()
        assert rows == [], f"{what}: {rows}\n" + "\n".join(trail[-12:])
    for table in ("records", "messages", "bookmarks", "log", "progress", "problems", "payloads", "findable"):
        orphans = connection.execute(
            f"SELECT workflow FROM stepfast_{table} WHERE workflow NOT IN"
            " (SELECT key FROM stepfast_workflows)"
        ).fetchall()
        assert orphans == [], f"orphans in {table}\n" + "\n".join(trail[-12:])
    kept = dict(connection.execute("SELECT state, n FROM stepfast_counts WHERE n <> 0"))
    counted = dict(
        connection.execute(
            "SELECT state, count(*) FROM stepfast_workflows WHERE removed_at IS NULL GROUP BY state"
        )
    )
    assert kept == counted, trail[-12:]


class Player:
    """One engine, and what it believes to hold."""

    def __init__(self, durable: SqliteDurable, dice: random.Random, clock: VirtualClock) -> None:
        self.durable = durable
        self.dice = dice
        self.clock = clock
        self.begun: list[Begun] = []
        self.claims: list[Claim] = []
        self.taken: list[Delivery] = []

    def moves(self) -> list[tuple[str, Callable[[], Awaitable[object]]]]:
        id = self.dice.choice(IDS)
        durable, scheduler, checkpointer = self.durable, self.durable.scheduler, self.durable.checkpointer
        at = self.dice.choice([None, None, self.clock.time() + self.dice.choice([-5, 5, 50])])
        moves: list[tuple[str, Callable[[], Awaitable[object]]]] = [
            (f"start {id} at {at}", lambda: durable.start(id, "job", 1, "null", at=at)),
            (f"pause {id}", lambda: durable.pause(id)),
            (f"resume {id}", lambda: durable.resume(id)),
            (f"cancel {id}", lambda: durable.cancel(id)),
            (f"retry {id}", lambda: durable.retry(id)),
            (f"arrive {id}", lambda: durable.arrive(id, self.dice.choice("xy"), "1")),
            (f"deliver {id}", lambda: durable.deliver(id, "1")),
            (f"wake {id}", lambda: scheduler.wake(id)),
            (f"delete {id}", lambda: durable.delete(id)),
            ("begin", self.begin),
            ("take", self.take),
            (f"claim {id}", lambda: self.claim(id)),
            ("takeover", durable.takeover),
            ("beat", durable.beat),
        ]
        if self.begun:
            one = self.begun[self.dice.randrange(len(self.begun))]
            moves += [(f"settle {one.claim}", lambda: self.settle(one))] * 3
            moves += [(f"record {one.claim}", lambda: checkpointer.record(one.claim, self.record()))]
        if self.claims:
            claim = self.claims[self.dice.randrange(len(self.claims))]
            moves += [(f"release {claim}", lambda: checkpointer.release(claim))] * 2
            moves += [(f"record {claim}", lambda: checkpointer.record(claim, self.record()))]
        if self.taken:
            delivery = self.taken[self.dice.randrange(len(self.taken))]
            due = self.clock.time() + self.dice.choice([-1, 10])
            moves += [(f"done {delivery}", lambda: scheduler.done(delivery))] * 2
            moves += [(f"wake_at {delivery}", lambda: scheduler.wake_at(delivery, due))] * 2
        return moves

    def record(self) -> NewRecord:
        return NewRecord(Kind.STEP, self.dice.choice("stu"), "1", 0.0)

    async def begin(self) -> None:
        self.begun += await self.durable.begin(OFFERED, self.dice.randint(1, 3))

    async def take(self) -> None:
        self.taken += await self.durable.scheduler.take(OFFERED, self.dice.randint(1, 3))

    async def claim(self, id: str) -> None:
        claim = await self.durable.checkpointer.claim(id)
        if claim is not None:
            self.claims.append(claim)

    async def settle(self, one: Begun) -> None:
        settlement = self.dice.choice(
            [
                Settlement("completed", result="1"),
                Settlement("failed"),
                Settlement("cancelled"),
                Settlement("paused"),
                Settlement("queued"),
                Settlement("waiting"),
                Settlement("waiting", due=self.clock.time() + 20),
                Settlement("sleeping", due=self.clock.time() + 20),
            ]
        )
        await self.durable.settle(one.claim, one.receipt, settlement)


@pytest.mark.parametrize("seed", range(12))
async def test_rows_stay_legal_and_everything_pending_can_go_on_after_any_sequence(
    tmp_path: Path, seed: int
) -> None:
    dice, clock, path = random.Random(seed), VirtualClock(), tmp_path / "work.db"
    players = [Player(await connect(path, clock=clock), dice, clock) for _ in range(2)]
    trail: list[str] = []
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for _ in range(250):
            number = dice.randrange(2)
            player = players[number]
            if dice.random() < 0.02:
                trail.append(f"{number} closes and opens again")
                await player.durable.close()
                players[number] = Player(await connect(path, clock=clock), dice, clock)
            elif dice.random() < 0.1:
                clock.advance(dice.choice([1, 15]))
            else:
                what, move = dice.choice(player.moves())
                trail.append(f"{number} {what}")
                try:
                    await move()
                except (StepfastError, Fenced) as refused:
                    trail[-1] += f" -> {type(refused).__name__}"
            check(connection, trail)
        for player in players:
            await player.durable.close()
        check(connection, trail)
    await everything_can_finish(path, clock, trail)


async def everything_can_finish(path: Path, clock: VirtualClock, trail: list[str]) -> None:
    durable = await connect(path, clock=clock)
    clock.advance(1000)
    for each in await durable.catalogue.list():
        if each.state.name == "paused":
            await durable.resume(each.id)
        elif each.state.name == "waiting":
            await durable.deliver(each.id, "1")
    await durable.takeover()
    while begun := await durable.begin(OFFERED, 10):
        for one in begun:
            await durable.settle(one.claim, one.receipt, Settlement("completed", result="1"))
    left: list[Any] = [each for each in await durable.catalogue.list() if each.state.name not in FINISHED]
    assert left == [], "\n".join(trail)
    await durable.close()
