"""Random moves in the queue come to what they come to in a plain list, in both stores."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from stepfast.interfaces import Durable, Offered
from stepfast.memory import MemoryDurable
from stepfast.placing import Where, spread
from stepfast.sqlite.durable import connect
from stepfast.sqlite.moves import lining_up
from stepfast.views import Filter

OTHERS: tuple[Where, ...] = ("before", "after")
ENDS: tuple[Where, ...] = ("first", "last")


async def shuffle(durable: Durable, moves: int, seed: int) -> None:
    """Move what is queued about, and hold it to a list after each move."""
    rng = random.Random(seed)
    for number in range(30):
        await durable.start(f"w{number}", "job", 1, "null", priority=rng.choice((0, 0, 5, -5)))
    # Resumed together, they have places without room between them.
    await durable.bulk("pause", Filter())
    await durable.bulk("resume", Filter())
    queue = [*(await durable.catalogue.listing(order="queue")).keys]
    for _ in range(moves):
        if rng.random() < 0.1:
            await durable.prioritise(rng.sample(queue, 8), rng.choice((0, 5, -5)))
            queue = [*(await durable.catalogue.listing(order="queue")).keys]
        moved = rng.sample(queue, rng.choice((1, 1, 2, 5)))
        rest = [key for key in queue if key not in moved]
        going = [key for key in queue if key in moved]
        if rng.random() < 0.2:
            where = rng.choice(ENDS)
            await durable.line_up(moved, where)
            queue = [*going, *rest] if where == "first" else [*rest, *going]
        else:
            where, other = rng.choice(OTHERS), rng.choice(rest)
            await durable.line_up(moved, where, other)
            at = rest.index(other) + (where == "after")
            queue = [*rest[:at], *going, *rest[at:]]
        rows = await durable.catalogue.list(order="queue", limit=100)
        assert [row.key for row in rows] == queue
        assert [row.priority for row in rows] == sorted((row.priority for row in rows), reverse=True)
    begun = await durable.begin([Offered("job", 1)], 100)
    assert [each.claim.workflow for each in begun] == queue


@pytest.mark.parametrize("seed", range(3))
async def test_in_memory(seed: int) -> None:
    await shuffle(MemoryDurable(), 150, seed)


@pytest.mark.parametrize("seed", range(3))
async def test_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(lining_up, "IN_FRONT", (0, 3, 2**31))  # so that a few rows reach every branch
    durable = await connect(tmp_path / "work.db")
    await shuffle(durable, 60, seed)
    await durable.close()


def test_places_lie_between_their_neighbours_or_there_is_no_room() -> None:
    for behind, before, n in ((0, 1, 1), (0, 2, 1), (5, 9, 3), (5, 9, 4), (-7, 7, 13), (0, 1000, 999)):
        places = spread(range(n), before, behind)
        if before - behind - 1 < n:
            assert places is None
            continue
        assert places is not None
        found = [places[key] for key in range(n)]
        assert found == sorted(set(found))
        assert behind < found[0]
        assert found[-1] < before
