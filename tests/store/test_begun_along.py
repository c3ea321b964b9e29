"""What begins along with others, in their commit: cancelled at every moment, undone, taken back."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest
from standing import Held, stands_by

from stepfast import SqliteDurable, connect
from stepfast.errors import OutcomeUnknown
from stepfast.interfaces import Offered
from stepfast.sqlite.checkpointer import release_if_ours
from stepfast.sqlite.writing.calls import WriteTurn
from stepfast.sqlite.writing.transacting import Fate
from stepfast.testing import VirtualClock

pytestmark = pytest.mark.usefixtures("quiet_loop")

OFFERED = [Offered("job", 1)]


@pytest.fixture
async def durable(tmp_path: Any) -> AsyncIterator[SqliteDurable]:
    durable = await connect(tmp_path / "work.db", clock=VirtualClock())
    await durable.offer(OFFERED)
    yield durable
    await durable.close()


def failure(message: str, code: int) -> sqlite3.Error:
    """What SQLite raises where the disk does not do as it should."""
    error = sqlite3.OperationalError(message)
    error.sqlite_errorcode = code
    return error


# --- cancelled at every moment ----------------------------------------------------------------------


async def before_its_first_line(_durable: SqliteDurable, waiting: asyncio.Task[Any]) -> None:
    waiting.cancel()


async def while_it_waits(durable: SqliteDurable, waiting: asyncio.Task[Any]) -> None:
    await stands_by(durable)
    waiting.cancel()
    await asyncio.wait({waiting})
    await durable.start("w", "job", 1, "null")


async def before_its_turn(durable: SqliteDurable, waiting: asyncio.Task[Any]) -> None:
    """Its batch has been taken from the queue, and it has not joined it."""
    await stands_by(durable)
    held = Held()
    first = durable._store.writer.do(lambda _turn: held())
    await held.until_reached()
    starting = asyncio.ensure_future(durable.start("w", "job", 1, "null"))
    await asyncio.sleep(0)
    waiting.cancel()
    held.go_on.set()
    await asyncio.gather(first, starting)


async def while_it_is_committed(durable: SqliteDurable, waiting: asyncio.Task[Any]) -> None:
    await stands_by(durable)
    held = Held()
    with committing(durable, held, lambda: None):
        starting = asyncio.ensure_future(durable.start("w", "job", 1, "null"))
        await cancelled_meanwhile(held, waiting)
    await starting


async def while_it_is_committed_with_others(durable: SqliteDurable, waiting: asyncio.Task[Any]) -> None:
    """In a transaction, and not by one statement that is a commit."""
    await stands_by(durable)
    held = Held()
    with committing(durable, held, lambda: None):
        starting = asyncio.ensure_future(durable.start("w", "job", 1, "null", join=True))
        await cancelled_meanwhile(held, waiting)
    await starting


@contextmanager
def committing(
    durable: SqliteDurable, before: Callable[[], None], after: Callable[[], None]
) -> Iterator[None]:
    """Around the commits of this engine, whichever way they go, something is called on their thread."""
    transacting = durable._store.writer.transacting

    def around(commit: Callable[..., None]) -> Callable[..., None]:
        def around_it(*arguments: Any, **named: Any) -> None:
            before()
            commit(*arguments, **named)
            after()

        return around_it

    with (
        mock.patch.object(transacting, "commit", around(transacting.commit)),
        mock.patch.object(transacting, "run_lone", around(transacting.run_lone)),
    ):
        yield


async def cancelled_meanwhile(held: Held, waiting: asyncio.Task[Any]) -> None:
    await held.until_reached()
    waiting.cancel()
    await asyncio.sleep(0)
    assert not waiting.done()  # or nobody could tell when nothing is on its way any more
    held.go_on.set()
    while not waiting.done():
        await asyncio.sleep(0)


async def while_its_answer_is_on_its_way(durable: SqliteDurable, waiting: asyncio.Task[Any]) -> None:
    await stands_by(durable)
    batches, held = durable._store.writer._batches, Held()
    committed = batches._committed

    def telling(signal: Any) -> None:
        held()
        committed(signal)

    batches._committed = telling
    starting = asyncio.ensure_future(durable.start("w", "job", 1, "null"))
    await held.until_reached()
    waiting.cancel()
    await asyncio.sleep(0)
    held.go_on.set()
    batches._committed = committed
    await starting


async def as_its_answer_comes(durable: SqliteDurable, waiting: asyncio.Task[Any]) -> None:
    """It has its answer, and has not run since."""
    await stands_by(durable)
    durable._store.writer._riders[0].future.add_done_callback(lambda _: waiting.cancel())
    await durable.start("w", "job", 1, "null")


async def when_nobody_can_tell_whether_it_was_committed(
    durable: SqliteDurable, waiting: asyncio.Task[Any]
) -> None:
    await fails_when_committed(durable, waiting, join=False)


async def when_nobody_can_tell_whether_all_were_committed(
    durable: SqliteDurable, waiting: asyncio.Task[Any]
) -> None:
    await fails_when_committed(durable, waiting, join=True)


async def fails_when_committed(durable: SqliteDurable, waiting: asyncio.Task[Any], *, join: bool) -> None:
    await stands_by(durable)

    def fails() -> None:
        # As a worker does when it hears of the condition, which is before the answers.
        waiting.get_loop().call_soon_threadsafe(waiting.cancel)
        raise failure("disk I/O error", sqlite3.SQLITE_IOERR)

    with (
        committing(durable, lambda: None, fails),
        mock.patch.object(durable._store.writer.transacting, "fate", return_value=Fate.UNKNOWN),
        pytest.raises(OutcomeUnknown),
    ):
        await durable.start("w", "job", 1, "null", join=join)


@pytest.mark.parametrize(
    "moment",
    [
        before_its_first_line,
        while_it_waits,
        before_its_turn,
        while_it_is_committed,
        while_it_is_committed_with_others,
        while_its_answer_is_on_its_way,
        as_its_answer_comes,
        when_nobody_can_tell_whether_it_was_committed,
        when_nobody_can_tell_whether_all_were_committed,
    ],
)
async def test_whoever_is_cancelled_while_it_stands_by_holds_nothing(
    durable: SqliteDurable, moment: Callable[[SqliteDurable, asyncio.Task[Any]], Awaitable[None]]
) -> None:
    waiting = asyncio.create_task(durable.begin_next(OFFERED, 1))
    await moment(durable, waiting)
    async with asyncio.timeout(60):
        await asyncio.wait({waiting})
        assert waiting.cancelled()
        assert (await durable.look()).held == ()
        await durable.start("w", "job", 1, "null")
        assert [each.claim.id for each in await durable.begin(OFFERED, 9)] == ["w"]
    assert not durable._store.writer._riders


async def test_a_claim_that_cannot_be_given_back_yet_is_given_back_with_the_next_commit(
    durable: SqliteDurable,
) -> None:
    transacting = durable._store.writer.transacting
    begin = transacting.begin
    waiting = asyncio.create_task(durable.begin_next(OFFERED, 1))
    await stands_by(durable)

    def fails(_execute: Any) -> None:
        raise failure("database or disk is full", sqlite3.SQLITE_FULL)

    def leave(_: object) -> None:
        waiting.cancel()
        transacting.begin = fails  # type: ignore[method-assign]

    durable._store.writer._riders[0].future.add_done_callback(leave)
    await durable.start("w", "job", 1, "null")
    await asyncio.wait({waiting})
    transacting.begin = begin  # type: ignore[method-assign]
    assert [each.claim.id for each in await durable.begin(OFFERED, 9)] == ["w"]


async def test_what_is_given_back_is_ones_own_alone(durable: SqliteDurable) -> None:
    """A token of a commit that was lost may be somebody else's by now, who is to keep his claim."""
    other = await connect(durable.path, clock=durable._store.clock)
    await durable.start("w", "job", 1, "null")
    ((claim, *_),) = await durable.begin(OFFERED, 9)
    await other.start("x", "job", 1, "null")
    await other.begin(OFFERED, 9)
    me, owner = other._store.owner, durable._store.owner
    assert me is not None and owner is not None
    await other._store.writer.do(lambda turn: release_if_ours(turn, me, [claim]))
    assert [held.workflow for held in (await durable.look()).held] == [claim.workflow]
    await other._store.writer.do(lambda turn: release_if_ours(turn, owner, [claim]))
    assert (await durable.look()).held == ()
    await other.close()


async def test_what_many_starts_of_one_commit_make_ready_is_begun_in_it(durable: SqliteDurable) -> None:
    held, writer = Held(), durable._store.writer
    waiting = asyncio.create_task(durable.begin_next(OFFERED, 8))
    await stands_by(durable)
    holding = writer.do(lambda _turn: held())
    await held.until_reached()
    starts = [asyncio.create_task(durable.start(f"w{n}", "job", 1, "null")) for n in range(9)]
    while len(writer._calls) < len(starts):
        await asyncio.sleep(0)
    held.go_on.set()
    async with asyncio.timeout(60):
        await asyncio.gather(holding, *starts)
        assert [each.claim.id for each in await waiting] == [f"w{n}" for n in range(8)]
        assert [each.claim.id for each in await durable.begin(OFFERED, 9)] == ["w8"]


# --- what is undone, and who rides along --------------------------------------------------------------


async def test_what_is_to_be_undone_is_not_forgotten_for_a_call_that_did_not_undo_it(
    durable: SqliteDurable,
) -> None:
    """One more comes up between the commit of a call that waited for long and its answer."""
    undone: list[str] = []
    store, batches = durable._store, durable._store.writer._batches
    committed = batches._committed
    store._loose_ends.append(lambda _turn, _owner: undone.append("first"))
    waiting = asyncio.create_task(durable.begin_next(OFFERED, 1))
    await stands_by(durable)
    await durable.offer(OFFERED)
    assert (undone, store._loose_ends) == (["first"], [])

    def telling(signal: Any) -> None:
        store._loose_ends.append(lambda _turn, _owner: undone.append("second"))
        committed(signal)

    batches._committed = telling
    await durable.start("w", "job", 1, "null")
    await waiting
    batches._committed = committed
    await durable.offer(OFFERED)
    assert undone == ["first", "second"]


async def test_one_that_is_taken_back_just_as_its_turn_comes_is_in_nobodys_way(
    durable: SqliteDurable,
) -> None:
    class TakenBack(deque[Any]):
        def popleft(self) -> Any:
            self.clear()  # by the other thread, at this moment
            return super().popleft()

    waiting = asyncio.create_task(durable.begin_next(OFFERED, 1))
    await stands_by(durable)
    batches = durable._store.writer._batches
    batches._riders = TakenBack(batches._riders)
    assert (await durable.start("w", "job", 1, "null")).created
    waiting.cancel()
    await asyncio.wait({waiting})


async def test_one_that_fails_costs_the_others_of_its_commit_nothing(durable: SqliteDurable) -> None:
    def fails(turn: WriteTurn) -> None:
        turn.execute("DELETE FROM stepfast_offers")
        raise ValueError("no")

    rider = durable._store.writer.along(fails, lambda: None)
    await durable.start("w", "job", 1, "null")
    with pytest.raises(ValueError, match="no"):
        await rider.future
    assert len(await durable.catalogue.offers()) == 1
    assert [each.claim.id for each in await durable.begin(OFFERED, 9)] == ["w"]
