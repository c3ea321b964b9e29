"""Two engines in one process are two owners: each ends, crashes and hangs alone."""

import sys

import pytest
from puppets import Puppet, Stage

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")


@pytest.fixture
def both(stage: Stage) -> Puppet:
    """A process with two engines, each in the middle of a step of a workflow of its own."""
    both = stage.puppet()
    for name, options in (("one", ["offers=hold,own", "room=1"]), ("two", ["offers=hold"])):
        both.open(name, *options)
        both.ask(name, "start", "hold", f"of-{name}")
        both.hear(name, "holds", f"of-{name}")
    return both


def test_they_are_two_owners_of_one_process(stage: Stage, both: Puppet) -> None:
    assert list(stage.owners().values()) == [both.pid, both.pid]
    assert len(stage.lock_files()) == 2
    owners = [stage.holder("of-one")[1], stage.holder("of-two")[1]]
    assert sorted(owners) == sorted(stage.owners())


def test_neither_is_taken_for_dead_by_the_other_or_by_a_third(stage: Stage, both: Puppet) -> None:
    third = stage.puppet().open("third")
    owners = stage.owners()
    stage.pass_time(200, (both, "one"), (both, "two"), (third, "third"))
    assert stage.owners() == owners
    assert [stage.said(name, "holds", f"of-{name}") for name in ("one", "two")] == [1, 1]
    for name in ("one", "two"):
        both.ask(name, "let", f"of-{name}")
        stage.until_state(f"of-{name}", "completed")
    assert stage.paid() == [("of-one", "one"), ("of-two", "two")]


def test_one_that_is_closed_leaves_its_work_to_the_other(stage: Stage, both: Puppet) -> None:
    both.ask("one", "close")
    both.hear("two", "holds", "of-one")
    assert both.all.index("one closed") > both.all.index("one gives-up of-one")
    assert len(stage.owners()) == len(stage.lock_files()) == 1
    for id in ("of-one", "of-two"):
        both.ask("two", "let", id)
        stage.until_state(id, "completed")
    assert stage.paid() == [("of-one", "two"), ("of-two", "two")]


def test_one_that_crashes_alone_is_taken_over_by_the_other_after_a_lease(stage: Stage, both: Puppet) -> None:
    """The process lives, and with it the lock: only the beat shows that nobody is there."""
    held = stage.holder("of-one")
    both.ask("one", "drop")
    both.ask("two", "advance", 58)
    assert stage.holder("of-one") == held
    both.ask("two", "advance", 12)
    both.hear("two", "holds", "of-one")
    both.ask("two", "let", "of-one")
    both.ask("two", "let", "of-two")
    for id in ("of-one", "of-two"):
        stage.until_state(id, "completed")
    assert stage.paid() == [("of-one", "two"), ("of-two", "two")]


def test_one_whose_loop_is_blocked_for_a_lease_is_taken_over_and_fenced(stage: Stage, both: Puppet) -> None:
    both.ask("one", "block")
    both.hear("one", "blocked")
    both.ask("one", "let", "of-one")  # so the first thing its loop will do is to record the step
    both.ask("two", "advance", 70)
    both.hear("two", "holds", "of-one")
    written = stage.written("of-one")
    both.ask("one", "unblock")
    both.ask("two", "start", "own", "more")
    both.hear("one", "does", "more")
    stage.until_state("more", "completed")
    assert stage.written("of-one") == written
    both.ask("two", "let", "of-one")
    stage.until_state("of-one", "completed")
    assert stage.paid() == [("of-one", "two")]


def test_killed_together_both_are_taken_over(stage: Stage, both: Puppet) -> None:
    both.kill()
    third = stage.puppet().open("third")
    for id in ("of-one", "of-two"):
        third.hear("third", "holds", id)
        third.ask("third", "let", id)
        stage.until_state(id, "completed")
    assert stage.paid() == [("of-one", "third"), ("of-two", "third")]
    assert list(stage.owners().values()) == [third.pid]
