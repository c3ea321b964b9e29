"""A store and a plain model of it, through random moves of several engines, crashes and clock jumps.

After each move everything that the store shows is compared with the model (`store_model/`), which shares no
code with any store. A run that fails is made shorter, and then prints its moves, what the store answered, and
a line with `@reproduce_failure('6.170.0', b'AXicY2BgYGRk...')`. The text in it makes exactly that run again:

    STEPFAST_REPLAY='AXicY2BgYGRk...' pytest tests/store/test_against_a_model.py -k Sqlite -s

The short test makes the same runs each time; the campaign makes others, and begins with what failed in the
last one on this machine (`.hypothesis/` has it).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any
from unittest import mock

import hypothesis
import pytest
from hypothesis import HealthCheck, reproduce_failure, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import engine
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from store_model.deleting import Upkeep
from store_model.disks import Cut, MemoryStorage, SqliteStorage, Storage
from store_model.drawn import (
    ANY,
    ASKING_MANY,
    CUTS,
    IDENTITIES,
    INTERRUPTED,
    LISTS,
    OWNERS,
    SCENES,
    SEATS,
    STARTS,
    SWEEPING,
    TO_BE_KEPT,
    Scene,
)
from store_model.engines import Takeover
from store_model.machine import CLOSED, KEPT_ALIVE, KILLED, Play
from store_model.moves import Move


class Machine(RuleBasedStateMachine):
    """What may happen to any store."""

    storage: Callable[[], Storage]

    def __init__(self) -> None:
        super().__init__()
        self.play = Play(type(self).storage())
        self.play.run(self.play.begin())

    def teardown(self) -> None:
        self.play.end()

    @initialize(starts=st.lists(STARTS, min_size=1, max_size=4))
    def some_are_started(self, starts: list[Move]) -> None:
        for start in starts:
            self.play.run(self.play.make(start))

    @rule(moves=st.lists(ANY, min_size=2, max_size=3))
    def at_once(self, moves: list[Move]) -> None:
        self.play.run(self.play.make(*moves))

    @rule(move=ANY)
    def one_move(self, move: Move) -> None:
        self.play.run(self.play.make(move))

    @rule(move=OWNERS)
    def owners(self, move: Move) -> None:
        self.play.run(self.play.make(move))

    @rule(move=ASKING_MANY)
    def many_are_asked(self, move: Move) -> None:
        self.play.run(self.play.make(move))

    @rule(move=SWEEPING, much_later=st.booleans())
    def it_is_swept(self, move: Move, much_later: bool) -> None:
        self.play.run(self.play.make(move))
        if much_later:  # what was deleted is forgotten, and a view that looks only then is told so
            self.play.clock.advance(90_000.0)
            self.play.run(self.play.make(Upkeep(seat=move.seat)))
            self.play.run(self.play.catch_up(3))

    @rule(
        seconds=st.sampled_from([1.0, 6.0, 21.0, 61.0]),
        set_by=st.sampled_from([0.0, 0.0, 86_400.0, -86_400.0, -30.0, 30.0]),
    )
    def time_passes(self, seconds: float, set_by: float) -> None:
        self.play.clock.advance(seconds)
        self.play.clock.jump_wall(set_by)

    @rule(
        id=IDENTITIES,
        moves=INTERRUPTED,
        place=SEATS,
        how=st.sampled_from([KILLED, KILLED, KEPT_ALIVE, CLOSED]),
        noticed=st.sampled_from([True, True, False]),
    )
    def an_engine_goes(self, id: str, moves: list[Move], place: int, how: str, noticed: bool) -> None:
        self.play.run(self.play.make_about(id, moves))
        self.play.run(self.play.go(place, how))
        if noticed:
            self.play.run(self.play.make(Takeover(seat=(place + 1) % 3)))

    @rule(limit=st.integers(1, 4), place=SEATS, options=LISTS)
    def views_are_read(self, limit: int, place: int, options: dict[str, Any]) -> None:
        self.play.run(self.play.read(limit, place, options))


def _scene(name: str, scene: st.SearchStrategy[Scene]) -> Any:
    def play(self: Machine, id: str, moves: Scene) -> None:
        self.play.run(self.play.make_about(id, moves))

    play.__name__ = play.__qualname__ = name
    return rule(id=IDENTITIES, moves=scene)(play)


for _name, _moves in SCENES.items():
    setattr(Machine, _name, _scene(_name, _moves))


class MemoryMachine(Machine):
    storage = MemoryStorage


class SqliteMachine(Machine):
    """A file can crash, and owners of a file have leases."""

    storage = SqliteStorage

    @rule(moves=TO_BE_KEPT, cuts=st.lists(CUTS, min_size=1, max_size=4))
    def a_crash_here_would_leave_what_was_committed(self, moves: list[Move], cuts: list[Cut]) -> None:
        for move in moves:
            self.play.run(self.play.make(move))
        self.play.run(self.play.glance(cuts))

    @rule(moves=st.lists(ANY, max_size=3), cut=CUTS)
    def crash(self, moves: list[Move], cut: Cut) -> None:
        if moves:
            self.play.run(self.play.make(*moves))
        self.play.run(self.play.crash(cut))

    @rule(place=SEATS, mover=SEATS, moves_at=st.sampled_from([11, 12, 13, 14, 20, 4]), now=st.booleans())
    def a_lease_runs_out(self, place: int, mover: int, moves_at: int, now: bool) -> None:
        if now:  # it takes long
            self.play.run(self.play.watch(place, mover, moves_at))


def replayed(machine: type[Machine]) -> type[Machine]:
    """The machine, held to the run that is asked for, if one is."""
    if run := os.environ.get("STEPFAST_REPLAY"):
        return reproduce_failure(hypothesis.__version__, run.encode())(machine)
    return machine


def runs(examples: int, steps: int, profile: str) -> settings:
    return settings(
        settings.get_profile(profile),
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        print_blob=True,
        report_multiple_bugs=False,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@contextmanager
def each_run_new() -> Iterator[None]:
    """Two thirds of what Hypothesis makes are earlier runs with some parts repeated, which find less here."""
    runner, name = engine.ConjectureRunner, "generate_mutations_from"
    with mock.patch.object(runner, name, return_value=None) if hasattr(runner, name) else nullcontext():
        yield


# Longer than other tests have, since a run that fails is made shorter before it is shown.
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("machine", "examples"), [(MemoryMachine, 20), (SqliteMachine, 25)])
def test_a_store_does_what_the_model_does(machine: type[Machine], examples: int) -> None:
    with each_run_new():
        run_state_machine_as_test(replayed(machine), settings=runs(examples, steps=20, profile="sample"))


@pytest.mark.campaign
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("machine", "examples"), [(MemoryMachine, 400), (SqliteMachine, 400)])
def test_a_store_does_so_through_thousands_of_steps(machine: type[Machine], examples: int) -> None:
    with each_run_new():
        run_state_machine_as_test(replayed(machine), settings=runs(examples, steps=60, profile="default"))
