"""What the machine's rules have in common: engines in seats, moves judged, the store compared after each."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeVar

from hypothesis import note
from store_model.disks import Cut, Place, Storage
from store_model.engines import (
    Beat,
    Takeover,
    after_close,
    after_crash,
    after_death,
    after_keeping_alive,
)
from store_model.moves import ALL, IDS, Begin, Move, Need, Pools
from store_model.needs import what_brings
from store_model.passes import EffectFailed
from store_model.rows import CHANCE, LEASE, Model, Wrong, must
from store_model.seen import Seen, compare, see
from store_model.views import Follower, check_lists, check_offers, check_parts
from store_model.ways import Way, check_heard, different, orders, touched

from stepfast.errors import Fenced, StepfastError
from stepfast.interfaces import Checkpoint, Durable, Signal

__all__ = ["CLOSED", "KEPT_ALIVE", "KILLED", "Play"]

T = TypeVar("T")

CLOSED, KEPT_ALIVE, KILLED = "closed", "closed and kept alive", "killed"
WATCHING = 5.0  # seconds between two looks at who is dead; more than 10 would not be watching


@dataclass
class Seat:
    """An engine that is open."""

    number: int
    durable: Durable
    heard: list[Signal] = field(default_factory=list)
    missed: bool = False  # others have written, and it was not told yet

    @property
    def told(self) -> bool:
        """That others have written."""
        return any(signal.keys is None and not signal.condition for signal in self.heard)


@dataclass(frozen=True)
class Moment:
    """What may be on disk from `place` on; between the moment before and this, `between` may be there."""

    place: Place
    models: tuple[Model, ...]
    between: tuple[Model, ...] = ()


class Play:
    """One store and the model of it, from its making to its end, on an event loop of its own."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.clock = storage.clock
        # More than one where moves were made at once, and what came first does not show yet.
        self.models = [Model()]
        self.pools = Pools()
        self.seats: dict[int, Seat] = {}
        self.eager, self.lazy = Follower(), Follower()
        self.seen: Seen | None = None
        self.moments: list[Moment] = []
        self._numbers = 0
        self._steps = 0
        self._complaints: list[str] = []
        self.loop = asyncio.new_event_loop()
        self.loop.set_exception_handler(self._complain)

    @property
    def model(self) -> Model:
        """One that knows all that shows."""
        return self.models[0]

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def _complain(self, _loop: object, context: dict[str, Any]) -> None:
        self._complaints.append(f"{context['message']}: {context.get('exception')!a}")

    def end(self) -> None:
        """Close everything, whatever happened."""
        try:
            self.run(self.storage.close())
        finally:
            self.loop.close()
        assert self._complaints == []

    # --- moves

    async def make(self, *asked: Move) -> None:
        """Make one move, or several at once, and before them what they need."""
        for move in asked:
            await self._make_sense_of(move, tries=4)
        aimed = [self._aim(move) for move in asked]
        if moves := [move for move in aimed if isinstance(move, Move)]:
            await self._make(moves)

    async def _make_sense_of(self, move: Move, tries: int) -> None:
        """Bring about what it needs, unless that takes too long."""
        for left in reversed(range(tries)):
            need = self._aim(move)
            if isinstance(need, Move):
                return
            first = what_brings(need, move.seat, self.model)
            await self._make_sense_of(first, left)
            if isinstance(aimed := self._aim(first), Move):
                await self._make([aimed])

    async def make_about(self, id: str, moves: Iterable[Move | float]) -> None:
        """Make moves one after the other, about one workflow as far as they can be; time passes between."""
        self.pools.focus = id
        for move in moves:
            if isinstance(move, Move):
                await self.make(move)
            else:
                self.clock.advance(move)
        self.pools.focus = None

    def _aim(self, move: Move) -> Move | Need:
        self._read_clock()
        seats = {place: seat.number for place, seat in self.seats.items()}
        return move.aim(self.model, self.pools, seats)

    async def _make(self, moves: Sequence[Move]) -> None:
        """Make these moves at once; what they answer must fit some order of them."""
        makers = [await self.seat(move.seat) for move in moves]
        for seat in self.seats.values():
            seat.missed = seat.missed and not seat.told
            seat.heard.clear()
        answers = await asyncio.gather(
            *(_answer(move, maker.durable) for move, maker in zip(moves, makers, strict=True))
        )
        for move, maker, answer in zip(moves, makers, answers, strict=True):
            note(f"    engine {maker.number}: {move} -> {answer!r}")
        ways = orders(self.models, moves, [maker.number for maker in makers], answers)
        if self._is_idle(moves, answers):
            return
        between = await self.settle_on(ways, makers)
        for move, maker, answer in zip(moves, makers, answers, strict=True):
            move.given(self.pools, maker.number, answer)
        self.remember(between)

    def _is_idle(self, moves: Sequence[Move], answers: Sequence[object]) -> bool:
        """A look that found nobody dead has written nothing, and there are many."""
        return answers == [[]] and isinstance(moves[0], Takeover) and not moves[0].look

    async def settle_on(self, ways: Iterable[Way], makers: Sequence[Seat] = ()) -> tuple[Model, ...]:
        """Find what of all that is possible is there, and go on from it; gives what may have been before it.

        `makers` are the engines that brought it about, and are to have told their listeners.
        """
        ways = [*ways]
        await asyncio.sleep(0)  # what was called soon has been called
        if not self.seats:
            await self._open(0, [way.states[-1] for way in ways])
        self._steps += 1
        whole = not self.moments or self._steps % 5 == 0
        looking = self.seats.values() if whole else makers
        self.seen = await see(
            self._reader().durable,
            self.eager,
            {seat.number: seat.durable for seat in looking},
            IDS if whole else touched(ways),
            whole=whole,
        )
        signals = [signal for seat in makers for signal in seat.heard]
        wrong: list[Wrong] = []
        fitting: list[Way] = []
        for way in ways:
            try:
                compare(way.states[-1], self.seen)
                changed = check_heard(way, signals) if makers else set()
                fitting.append(way)
            except Wrong as found:
                wrong.append(found)
        if not fitting:
            raise Wrong("; or ".join(dict.fromkeys(map(str, wrong))))
        for seat in self.seats.values():
            seat.missed |= bool(changed) and seat not in makers
        await self._check_gone({flow.key for way in fitting for flow in way.before.flows.values()})
        self.models = different(way.states[-1] for way in fitting)
        if whole:
            self.storage.check()
        return tuple(different(model for way in fitting for model in way.states[:-1]))

    async def _check_gone(self, before: set[int]) -> None:
        """Of what was deleted nothing is left."""
        assert self.seen is not None
        for key in before - {row.key for row in self.seen.rows.values()}:
            left = await self._reader().durable.checkpointer.load(key)
            must(left == Checkpoint((), (), {}), f"of a workflow that was deleted is left {left}")

    def remember(self, between: tuple[Model, ...] = ()) -> None:
        """What is there now is on disk from here on."""
        self.moments.append(Moment(self.storage.place(), tuple(each.copy() for each in self.models), between))

    # --- engines

    async def seat(self, place: int) -> Seat:
        """The engine in that seat, opened where there is none."""
        if place not in self.seats:
            await self._open(place, self.models)
        return self.seats[place]

    async def _open(self, place: int, models: Iterable[Model]) -> None:
        durable = await self.storage.open()
        seat = self.seats[place] = Seat(self._numbers, durable)
        self._numbers += 1
        durable.listen(seat.heard.append)
        for model in models:
            model.opened(seat.number)

    async def begin(self) -> None:
        await self.settle_on(Way(model, (model,)) for model in self.models)
        self.remember()

    async def go(self, place: int, how: str) -> None:
        """An engine goes: one that holds something, if there is one."""
        owners = {flow.holder or flow.taker for flow in self.model.flows.values()}
        numbers = {owner[0] for owner in owners if owner is not None}
        holding = [each for each, seat in self.seats.items() if seat.number in numbers]
        place = holding[place % len(holding)] if holding else place
        seat = self.seats.pop(place, None)
        if seat is None:
            return
        self._read_clock()
        if how == KILLED:
            await self.storage.kill(seat.durable)
        else:
            await seat.durable.close(keep_alive=how == KEPT_ALIVE)
        after = {KILLED: after_death, KEPT_ALIVE: after_keeping_alive, CLOSED: after_close}[how]
        await self.settle_on(
            Way(model, (each,)) for model in self.models for each in after(model, seat.number)
        )
        self.remember()

    async def crash(self, cut: Cut) -> None:
        """All engines die at once, and what is on disk is what a disk may make of it."""
        seats, self.seats = [*self.seats.values()], {}
        place = await self.storage.crash(cut, [seat.durable for seat in seats])
        note(f"    what is left goes up to {place.end}, and there was {self.moments[-1].place}")
        possible = self._possible(place)
        self.moments.clear()
        self.eager, self.lazy = Follower(), Follower()
        await self.settle_on(Way(model, (model,)) for model in possible)
        self.pools.forget_after(self.model.reached)
        self.remember()
        await self.make(Takeover(seat=0))

    async def glance(self, cuts: Iterable[Cut]) -> None:
        """What would be there after a crash now, if the disk kept this and no more?"""
        for cut in cuts:
            durable, place = await self.storage.glance(cut)
            seen = await see(durable, Follower(), {}, IDS, whole=True)
            wrong: list[str] = []
            possible = self._possible(place)
            for model in possible:
                try:
                    compare(model, seen)
                    break
                except Wrong as found:
                    wrong.append(str(found))
            must(len(wrong) < len(possible), f"after {cut}, {'; or '.join(dict.fromkeys(wrong))}")
            self.storage.check(durable)
            await durable.close()

    def _possible(self, place: Place) -> list[Model]:
        """What may be there where the disk goes up to `place`."""
        last = max(
            number
            for number, moment in enumerate(self.moments)
            if number == 0 or moment.place.log != place.log or moment.place.end <= place.end
        )
        found = [*self.moments[last].models]
        for moment in self.moments[last + 1 : last + 2]:
            # The last, too: the place of a moment may lie behind a beat that an engine wrote by itself.
            found += (*moment.between, *moment.models)
        return [after_crash(model) for model in found]

    async def watch(self, place: int, mover: int, moves_at: int) -> None:
        """An engine watches the others for a lease: those that hold something and do not move are dead then.

        One of them moves for the last time after `moves_at` looks, and the watcher has not read that it did.
        """
        mover = mover if mover != place else (mover + 1) % 3
        if mover in self.seats and not self.model.belongings(self.model.engine(self.seats[mover].number)):
            await self.make(Begin(seat=mover, offered=ALL, limit=3))
        # The watcher reads the file every half minute. So that no lease ends just then, this begins between.
        for looks, moves in ((3, -1), (int((LEASE + CHANCE) / WATCHING), moves_at)):
            await self.make(Takeover(seat=place))
            # The clock here is quicker than a doorbell: a minute of it may go by before that is heard.
            await self.seats[place].durable.poll()
            for look in range(looks):
                self.clock.advance(WATCHING)
                if look == moves and mover in self.seats:
                    await self.make(Beat(seat=mover))
                await self.make(Takeover(seat=place, look=False))
            if looks == 3 and mover in self.seats:
                await self.make(Beat(seat=mover))
        watcher = self.seats[place]
        for seat, model in product(self.seats.values(), self.models):
            owner = model.engine(seat.number)
            if seat is not watcher and model.overdue(owner) and owner not in model.restless:
                left = model.belongings(owner)
                must(not left, f"engine {seat.number} did not move for a lease, and still holds {left}")

    # --- time, and views

    def _read_clock(self) -> None:
        for model in self.models:
            model.now, model.monotonic = self.clock.time(), self.clock.monotonic()

    def _reader(self) -> Seat:
        some = [*self.seats.values()]
        return some[self._steps % len(some)]

    async def catch_up(self, limit: int) -> None:
        """A view that has not looked for a while."""
        assert self.seen is not None
        await self.lazy.follow(self._reader().durable, limit)
        self.lazy.check(self.seen.rows)

    async def read(self, limit: int, place: int, options: dict[str, Any]) -> None:
        """Read what a window reads: lists, offers, what has changed since it looked last."""
        seat = await self.seat(place)
        await self.catch_up(limit)
        await check_lists(self.model, seat.durable, **options)
        await check_parts(self.model, seat.durable, limit)
        due = await seat.durable.scheduler.next_due()
        must(due == self.model.next_due, f"next due is {due}, and not {self.model.next_due}")
        await seat.durable.poll()
        await asyncio.sleep(0)
        must(not seat.missed or seat.told, f"others wrote, and engine {seat.number} was not told")
        seat.missed = False
        self._read_clock()
        await check_offers(self.model, seat.durable)


async def _answer(move: Move, durable: Durable) -> object:
    try:
        return await move.call(durable)
    except (StepfastError, EffectFailed, Fenced) as refusal:
        return refusal
