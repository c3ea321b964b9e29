"""Engines killed by SIGKILL at any point of their lives: what they held is carried on, once, and at once."""

import os
import shutil
import sys
import time

import pytest
from puppets import Puppet, Stage

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")


def holding(stage: Stage, *ids: str) -> Puppet:
    """A process that is in the middle of a step of each workflow."""
    one = stage.puppet().open("one")
    for id in ids:
        one.ask("one", "start", "hold", id)
        one.hear("one", "holds", id)
    return one


def finish(stage: Stage, by: Puppet, engine: str, *ids: str) -> None:
    """Let them go on, and look that each was done once and paid once."""
    for id in ids:
        by.ask(engine, "let", id)
    for id in ids:
        stage.until_state(id, "completed")
    assert stage.paid() == [(id, engine) for id in sorted(ids)]


def make_old(stage: Stage) -> None:
    """As if a minute had gone by since the lock files were made."""
    for each in stage.lock_files():
        os.utime(stage.locks / each, (0, 0))


# --- by whom, and when ----------------------------------------------------------------------------


def test_a_new_process_takes_over_before_its_clock_has_moved(stage: Stage) -> None:
    holding(stage, "w").kill()
    began = time.monotonic()
    two = stage.puppet().open("two")
    two.hear("two", "holds", "w")
    print(f"\na new process held it {time.monotonic() - began:.2f} s after it was started")
    finish(stage, two, "two", "w")
    assert stage.said("one", "holds", "w") == stage.said("two", "holds", "w") == 1


def test_a_running_process_takes_over_within_five_seconds(stage: Stage) -> None:
    one = holding(stage, "w")
    two = stage.puppet().open("two")
    one.kill()
    two.ask("two", "advance", 5, 1)
    two.hear("two", "holds", "w")
    finish(stage, two, "two", "w")


def test_by_the_machines_clock_it_is_the_same(stage: Stage) -> None:
    one = holding(stage, "w")
    two = stage.puppet().open("two", "clock=real", "slow=never")
    one.kill()
    began = time.monotonic()
    two.hear("two", "holds", "w")
    print(f"\na running process held it {time.monotonic() - began:.2f} s after the kill")
    finish(stage, two, "two", "w")


@pytest.mark.parametrize("halted", [False, True], ids=["as they come", "one halted after it judged"])
def test_of_two_that_start_at_once_each_takes_what_the_other_did_not(stage: Stage, halted: bool) -> None:
    ids = [f"w{number}" for number in range(12)]
    holding(stage, *ids).kill()
    two, three = stage.puppet(), stage.puppet()
    if halted:
        # It has found the dead one, and stands still while the other takes everything over.
        two.ask("two", "arm", "stepfast.sqlite.engines.neighbours:Neighbours.dead:after", "SIGSTOP")
    two.tell("two", "open")
    if halted:
        two.until_stopped()
    three.tell("three", "open")
    three.hear("three", "opened")
    two.wake()
    two.hear("two", "opened")
    stage.until(
        lambda: sum(stage.said(name, "holds", id) for name in ("two", "three") for id in ids) >= len(ids),
        "all were taken over",
    )
    for id in ids:
        two.ask("two", "let", id)
        three.ask("three", "let", id)
    for id in ids:
        stage.until_state(id, "completed")
    held = {id: [name for name in ("two", "three") if stage.said(name, "holds", id)] for id in ids}
    assert all(stage.said(name, "holds", id) <= 1 for name in ("two", "three") for id in ids)
    assert stage.paid() == sorted((id, name) for id, names in held.items() for name in names)
    assert [len(names) for names in held.values()] == [1] * len(ids)


# --- killed while it comes, takes over, or goes ---------------------------------------------------

COMING = {
    "made its file": "stepfast.system.locks:_lock_exclusive:before",
    "locked its file": "stepfast.system.locks:_lock_exclusive:after",
    "is about to register": "stepfast.sqlite.engines.neighbours:Neighbours.hang_doorbell:after",
    "is registering": "stepfast.sqlite.writing.transacting:Transacting.commit:before",
    "has registered": "stepfast.sqlite.engines.neighbours:Neighbours.moved_in:before",
    "is taking a workflow": "stepfast.sqlite.moves.beginning:ready_keys:after",
    "has taken a workflow": "stepfast.sqlite.durable:SqliteDurable.begin:after",
}


@pytest.mark.parametrize("point", COMING.values(), ids=COMING)
def test_an_owner_killed_while_it_comes_strands_nothing_and_is_swept(stage: Stage, point: str) -> None:
    witness = stage.puppet().open("witness", "offers=own")
    witness.ask("witness", "start", "hold", "w")
    one = stage.puppet()
    one.ask("one", "arm", point, "SIGKILL")
    one.tell("one", "open")
    one.until_killed()
    two = stage.puppet().open("two")
    two.hear("two", "holds", "w")
    make_old(stage)
    stage.pass_time(32, (witness, "witness"), (two, "two"))
    assert sorted(stage.owners().values()) == sorted([witness.pid, two.pid])
    assert len(stage.lock_files()) == 2
    finish(stage, two, "two", "w")


TAKING_OVER = {
    "in the middle of it": "stepfast.sqlite.durable:remove_owner:after",
    "right after it": "stepfast.sqlite.durable:take_out:before",
}


@pytest.mark.parametrize("point", TAKING_OVER.values(), ids=TAKING_OVER)
def test_an_owner_killed_while_it_takes_over_leaves_it_to_the_next(stage: Stage, point: str) -> None:
    holding(stage, "w").kill()
    two = stage.puppet()
    two.ask("two", "arm", point, "SIGKILL")
    two.tell("two", "open")
    two.until_killed()
    three = stage.puppet().open("three")
    three.hear("three", "holds", "w")
    make_old(stage)
    three.ask("three", "advance", 32)
    assert list(stage.owners().values()) == [three.pid]
    assert len(stage.lock_files()) == 1
    finish(stage, three, "three", "w")


GOING = {
    "before its row goes": "stepfast.sqlite.store:remove_owner:after",
    "between its row and its file": "stepfast.system.locks:FileLock.release:before",
    "right after its file": "stepfast.system.locks:FileLock.release:after",
}


@pytest.mark.parametrize("point", GOING.values(), ids=GOING)
def test_an_owner_killed_while_it_goes_leaves_nothing(stage: Stage, point: str) -> None:
    one = holding(stage, "w")
    one.ask("one", "arm", point, "SIGKILL")
    one.tell("one", "close")
    one.until_killed()
    two = stage.puppet().open("two")
    two.hear("two", "holds", "w")
    make_old(stage)
    two.ask("two", "advance", 32)
    assert list(stage.owners().values()) == [two.pid]
    assert len(stage.lock_files()) == 1
    finish(stage, two, "two", "w")


# --- cleaners -------------------------------------------------------------------------------------


def clean(stage: Stage) -> None:
    """What a tidy program does to files that look old."""
    shutil.rmtree(stage.locks)


def test_a_cleaner_takes_nothing_from_a_living_owner(stage: Stage) -> None:
    one = holding(stage, "w")
    two = stage.puppet().open("two")
    held = stage.holder("w")
    clean(stage)
    stage.pass_time(300, (one, "one"), (two, "two"))
    assert stage.holder("w") == held
    assert sorted(stage.owners().values()) == sorted([one.pid, two.pid])
    finish(stage, one, "one", "w")
    assert stage.said("two", "holds", "w") == 0


def test_where_a_cleaner_was_the_lease_decides_that_an_owner_is_dead(stage: Stage) -> None:
    one = holding(stage, "w")
    two = stage.puppet().open("two")
    held = stage.holder("w")
    one.kill()
    clean(stage)
    two.ask("two", "advance", 58)
    assert stage.holder("w") == held
    two.ask("two", "advance", 12)
    two.hear("two", "holds", "w")
    finish(stage, two, "two", "w")


def test_an_idle_owner_that_died_behind_a_cleaner_is_not_offered_for_ever(stage: Stage) -> None:
    one = stage.puppet().open("one", "offers=own")
    two = stage.puppet().open("two", "offers=hold")
    clean(stage)
    one.kill()
    two.ask("two", "advance", 100)
    assert list(stage.owners().values()) == [two.pid]
    assert stage.rows("SELECT DISTINCT name FROM stepfast_offers") == [("hold",)]


def test_an_idle_owner_lives_on_behind_a_cleaner(stage: Stage) -> None:
    one = stage.puppet().open("one", "offers=own")
    two = stage.puppet().open("two", "offers=hold")
    clean(stage)
    stage.pass_time(300, (one, "one"), (two, "two"))
    two.ask("two", "start", "own", "w")
    one.hear("one", "does", "w")
    stage.until_state("w", "completed")
    assert sorted(stage.owners().values()) == sorted([one.pid, two.pid])
    one.kill()
    two.ask("two", "advance", 5)
    assert list(stage.owners().values()) == [two.pid]
