"""By the machine's clocks, and with the true lease: what `test_owners_*.py` try by clocks that are told."""

import sys
import time

import pytest
from puppets import Stage

from stepfast.sqlite.engines.owners import BEAT, CHANCE, LEASE

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGSTOP on Windows"),
    pytest.mark.campaign,
    pytest.mark.timeout(400),
]

LONG = 3 * LEASE
DAY = 86_400


def took(what: str, began: float) -> None:
    print(f"\n{what}: {time.monotonic() - began:.2f} s")


def test_one_that_is_stopped_is_taken_over_after_its_lease_and_fenced(stage: Stage) -> None:
    one = stage.puppet().open("one", "offers=hold,own", "clock=real")
    one.ask("one", "start", "hold", "w")
    one.hear("one", "holds", "w")
    two = stage.puppet().open("two", "offers=hold", "clock=real")
    began = time.monotonic()
    one.stop()
    two.hear("two", "holds", "w", within=LONG)
    took("from SIGSTOP to the step running elsewhere", began)
    assert time.monotonic() - began >= LEASE - BEAT
    stage.until_noted("w")
    written = stage.written("w")
    began = time.monotonic()
    one.wake()
    one.hear("one", "gives-up", "w")
    took("from SIGCONT to the fenced step's end", began)
    two.ask("two", "start", "own", "more")
    one.hear("one", "does", "more")
    assert stage.written("w") == written
    two.ask("two", "let", "w")
    stage.until_state("w", "completed")
    assert stage.paid() == [("w", "two")]


def test_a_machine_that_stands_still_for_longer_than_a_lease_has_no_dead_owners(stage: Stage) -> None:
    one = stage.puppet().open("one", "clock=real")
    one.ask("one", "start", "hold", "w")
    one.hear("one", "holds", "w")
    one.ask("one", "start", "nap", "n")
    two = stage.puppet().open("two", "clock=real")
    stage.until_state("n", "sleeping")
    held = stage.holder("w")
    one.stop()
    two.stop("two")
    one.tell("one", "jump", DAY)
    two.tell("two", "jump", DAY)
    time.sleep(LEASE + BEAT)  # it is time that passes here, and nothing else
    began = time.monotonic()
    two.wake()
    one.wake()
    stage.until_state("n", "completed")
    took("from SIGCONT of all to the sleeper's end", began)
    time.sleep(LEASE + CHANCE + BEAT)
    assert stage.holder("w") == held
    one.ask("one", "let", "w")
    stage.until_state("w", "completed")
    assert stage.paid() == [("w", "one")]


@pytest.mark.parametrize("jump", [DAY, -DAY])
def test_a_living_owner_is_alive_whatever_the_wall_clock_does(stage: Stage, jump: int) -> None:
    one = stage.puppet().open("one", "clock=real")
    one.ask("one", "start", "hold", "w")
    one.hear("one", "holds", "w")
    two = stage.puppet().open("two", "clock=real")
    held = stage.holder("w")
    for puppet, engine, sign in ((one, "one", 1), (two, "two", 1), (one, "one", -1)):
        puppet.ask(engine, "jump", sign * jump)
        time.sleep(LEASE / 2)
    time.sleep(LEASE)
    assert stage.holder("w") == held
    one.ask("one", "let", "w")
    stage.until_state("w", "completed")
    assert stage.said("two", "holds", "w") == 0


def test_a_sleeper_wakes_within_a_minute_after_the_clock_was_set_forward(stage: Stage) -> None:
    one = stage.puppet().open("one", "clock=real")
    one.ask("one", "start", "nap", "n")
    stage.until_state("n", "sleeping")
    time.sleep(BEAT / 4)  # until it does nothing any more
    one.ask("one", "jump", DAY)
    began = time.monotonic()
    one.hear("one", "woke", "n", within=60)
    took("from the jump to the sleeper's waking", began)
