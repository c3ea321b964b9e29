"""Clocks that are set, and machines that sleep: nobody is declared dead by them, and no sleeper is missed."""

import sys

import pytest
from puppets import Puppet, Stage

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGSTOP on Windows")

DAY = 86_400.0
MINUTE = 60.0
"""In which a sleeper has to be found, by a clock that nobody sets."""


@pytest.fixture
def one(stage: Stage) -> Puppet:
    """In the middle of a step of `w`."""
    one = stage.puppet().open("one")
    one.ask("one", "start", "hold", "w")
    one.hear("one", "holds", "w")
    stage.until_noted("w")
    return one


@pytest.fixture
def two(stage: Stage, one: Puppet) -> Puppet:
    """Watches the other, and has nothing to do."""
    return stage.puppet().open("two")


def still_held(stage: Stage, one: Puppet, owner: int) -> None:
    """All the time `w` was the first one's, who finishes it."""
    assert stage.holder("w") == ("running", owner)
    one.ask("one", "let", "w")
    stage.until_state("w", "completed")
    assert stage.paid() == [("w", "one")]
    assert stage.said("one", "holds", "w") == 1
    assert stage.said("two", "holds", "w") == stage.said("one", "gives-up", "w") == 0


# --- owners ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("jump", [DAY, -DAY])
@pytest.mark.parametrize("whose", [("one",), ("two",), ("one", "two")], ids=["holder's", "watcher's", "both"])
def test_an_owner_that_moves_is_alive_whatever_the_wall_clock_does(
    stage: Stage, one: Puppet, two: Puppet, whose: tuple[str, ...], jump: float
) -> None:
    _, owner = stage.holder("w")
    assert owner is not None
    puppets = {"one": one, "two": two}
    for _ in range(6):
        for name in whose:
            puppets[name].ask(name, "jump", jump)
        stage.pass_time(30, (one, "one"), (two, "two"))
        jump = -jump if len(whose) == 1 else jump
    still_held(stage, one, owner)


@pytest.mark.parametrize("first", ["holder", "watcher"])
@pytest.mark.parametrize("passed", [0.0, 3600.0, DAY], ids=["suspended", "stopped an hour", "stopped a day"])
def test_a_machine_that_slept_has_no_dead_owners_and_wakes_who_was_due(
    stage: Stage, one: Puppet, two: Puppet, passed: float, first: str
) -> None:
    """`passed` is what a monotonic clock shows of it: nothing where the machine was suspended."""
    _, owner = stage.holder("w")
    assert owner is not None
    two.ask("two", "start", "nap", "n")
    stage.until_state("n", "sleeping")
    stage.pass_time(30, (one, "one"), (two, "two"))
    two.ask("two", "advance", 16)  # so that it has not seen a beat for some time
    one.stop()
    two.stop("two")
    for puppet, name in ((one, "one"), (two, "two")):
        puppet.tell(name, "jump", DAY - passed)
        if passed:
            puppet.tell(name, "skip", passed)
    order = [(one, "one"), (two, "two")] if first == "holder" else [(two, "two"), (one, "one")]
    for puppet, name in order:
        puppet.wake()
        puppet.ask(name, "advance", 30)  # long before the other one moves
    stage.pass_time(MINUTE, (one, "one"), (two, "two"))
    stage.until_state("n", "completed")
    assert stage.said("one", "woke", "n") + stage.said("two", "woke", "n") == 1
    stage.pass_time(120, (one, "one"), (two, "two"))
    still_held(stage, one, owner)


def test_one_that_is_woken_in_its_last_moment_keeps_what_it_holds(
    stage: Stage, one: Puppet, two: Puppet
) -> None:
    """Its lease is over for the watcher, who gives it the time for a beat."""
    _, owner = stage.holder("w")
    assert owner is not None
    one.stop()
    two.ask("two", "advance", 62)
    one.wake()
    one.ask("one", "skip", 62)
    one.ask("one", "quiet")
    stage.pass_time(120, (one, "one"), (two, "two"))
    still_held(stage, one, owner)


# --- sleepers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("company", [False, True], ids=["alone", "with a neighbour"])
def test_a_sleeper_wakes_within_a_minute_after_the_clock_was_set_forward(stage: Stage, company: bool) -> None:
    one = stage.puppet().open("one")
    if company:
        stage.puppet().open("two", "offers=own")
    one.ask("one", "start", "nap", "n")
    stage.until_state("n", "sleeping")
    one.ask("one", "advance", 17, 1)
    one.ask("one", "jump", DAY)
    one.ask("one", "advance", MINUTE, 1)
    one.hear("one", "woke", "n")
    stage.until_state("n", "completed")


def test_a_sleep_beside_a_step_ends_within_a_minute_too(stage: Stage) -> None:
    one = stage.puppet().open("one")
    one.ask("one", "start", "doze", "d")
    one.hear("one", "holds", "d")
    stage.until(lambda: bool(stage.rows("SELECT 1 FROM stepfast_records WHERE kind = 'sleep'")), "the sleep")
    one.ask("one", "advance", 17, 1)
    one.ask("one", "jump", DAY)
    one.ask("one", "advance", MINUTE, 1)
    one.hear("one", "woke", "d")
    assert stage.holder("d")[0] == "running"
    one.ask("one", "let", "d")
    stage.until_state("d", "completed")
    assert stage.said("one", "holds", "d") == 1


def test_a_sleeper_is_neither_early_nor_lost_after_the_clock_was_set_back(stage: Stage) -> None:
    one = stage.puppet().open("one")
    one.ask("one", "start", "nap", "n")
    stage.until_state("n", "sleeping")
    one.ask("one", "jump", -DAY)
    one.ask("one", "advance", 7200, 30)
    assert stage.holder("n")[0] == "sleeping"
    one.ask("one", "jump", DAY)
    one.ask("one", "advance", MINUTE, 1)
    one.hear("one", "woke", "n")
    stage.until_state("n", "completed")


def test_whoever_comes_after_the_jump_wakes_the_sleeper_at_once(stage: Stage) -> None:
    one = stage.puppet().open("one")
    one.ask("one", "start", "nap", "n")
    stage.until_state("n", "sleeping")
    one.kill()
    two = stage.puppet()
    two.tell("two", "jump", DAY)
    two.open("two")
    two.hear("two", "woke", "n")
