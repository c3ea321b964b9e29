"""Engines stopped by SIGSTOP for longer than a lease: taken over, and fenced before they write anything."""

import sqlite3
import sys
from contextlib import closing

import pytest
from puppets import Puppet, Stage

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGSTOP on Windows")


def two_engines(stage: Stage, kind: str = "hold") -> tuple[Puppet, Puppet]:
    """Two processes; the first is in the middle of a step of `w`, and alone offers `own`."""
    one = stage.puppet().open("one", f"offers={kind},own,brief")
    one.ask("one", "start", kind, "w")
    one.hear("one", "holds", "w")
    stage.until_noted("w")
    return one, stage.puppet().open("two", f"offers={kind}")


def taken_over(stage: Stage, two: Puppet) -> None:
    """The second waits for a lease, takes `w` over and is in the middle of its step."""
    two.ask("two", "advance", 70)
    two.hear("two", "holds", "w")
    stage.until_noted("w")


def works_again(stage: Stage, one: Puppet, two: Puppet) -> None:
    """The first, woken, does what only it can do; by then it has written whatever it was about to write."""
    two.ask("two", "start", "own", "more")
    one.hear("one", "does", "more")
    stage.until_state("more", "completed")


def finished_once(stage: Stage, two: Puppet) -> None:
    two.ask("two", "let", "w")
    stage.until_state("w", "completed")
    assert stage.paid() == [("w", "two")]
    assert stage.said("one", "holds", "w") == stage.said("two", "holds", "w") == 1


# What it is about to do when it stops, and what brings it there, which the other one may be asked for.
WRITES = {
    "record a step": ("stepfast.sqlite.checkpointer:SqliteCheckpointer.record:before", "let w"),
    "write notes": ("stepfast.sqlite.checkpointer:SqliteCheckpointer.note:before", "note w working"),
    "beat": ("stepfast.sqlite.store:Store.beat:before", "skip 20"),
    "start a workflow and take it": ("stepfast.sqlite.durable:SqliteDurable.start:before", "start brief x"),
    "take what the other started": (
        "stepfast.sqlite.durable:SqliteDurable.begin:before",
        "two: start brief x",
    ),
    "register": ("stepfast.sqlite.store:Store.as_owner:before", "start brief x"),
    "look": ("stepfast.sqlite.durable:SqliteDurable.look:before", "start brief x"),
}


@pytest.mark.parametrize(("point", "by"), WRITES.values(), ids=WRITES)
def test_one_that_is_woken_after_its_lease_is_fenced_before_it_writes(
    stage: Stage, point: str, by: str
) -> None:
    one, two = two_engines(stage)
    owners = stage.owners()
    one.ask("one", "arm", point, "SIGSTOP")
    if by.startswith("two: "):
        two.tell("two", *by.split()[1:])
    else:
        one.tell("one", *by.split())
    one.until_stopped()
    taken_over(stage, two)
    written = stage.written("w")
    one.wake()
    works_again(stage, one, two)
    assert stage.written("w") == written
    anew = [key for key, pid in stage.owners().items() if pid == one.pid]
    assert len(anew) == 1 and anew[0] not in owners
    finished_once(stage, two)


# The same where the step is recorded, so that whoever takes over ends the workflow.
LAST_WRITES = {
    "transact": ("stepfast.sqlite.checkpointer:SqliteCheckpointer.transact:before", "two"),
    "settle": ("stepfast.sqlite.durable:SqliteDurable.settle:before", "one"),
}


@pytest.mark.parametrize(("point", "payer"), LAST_WRITES.values(), ids=LAST_WRITES)
def test_one_that_is_woken_when_all_is_over_changes_nothing(stage: Stage, point: str, payer: str) -> None:
    one, two = two_engines(stage)
    one.ask("one", "arm", point, "SIGSTOP")
    one.tell("one", "let", "w")
    one.until_stopped()
    two.ask("two", "advance", 70)
    stage.until_state("w", "completed")
    written = stage.written("w")
    one.wake()
    works_again(stage, one, two)
    assert stage.written("w") == written
    assert stage.paid() == [("w", payer)]


def test_one_that_is_woken_lives_on_as_a_new_owner(stage: Stage) -> None:
    one, two = two_engines(stage)
    one.stop()
    taken_over(stage, two)
    one.wake()
    one.ask("one", "skip", 70)
    one.hear("one", "gives-up", "w")
    works_again(stage, one, two)
    stage.pass_time(300, (one, "one"), (two, "two"))
    assert sorted(stage.owners().values()) == sorted([one.pid, two.pid])
    assert len(stage.lock_files()) == 2
    works = stage.rows("SELECT DISTINCT name FROM stepfast_offers ORDER BY name")
    assert works == [("brief",), ("hold",), ("own",)]
    one.kill()
    two.ask("two", "advance", 5)
    assert list(stage.owners().values()) == [two.pid]
    finished_once(stage, two)


def test_one_that_is_woken_only_to_quit_takes_nothing_along(stage: Stage) -> None:
    one, two = two_engines(stage)
    one.stop()
    taken_over(stage, two)
    written = stage.written("w")
    closed = one.tell("one", "close")
    one.wake()
    one.hear(closed)
    assert stage.written("w") == written
    assert list(stage.owners().values()) == [two.pid]
    assert len(stage.lock_files()) == 1
    finished_once(stage, two)


def test_one_that_is_stopped_for_less_than_its_lease_loses_nothing(stage: Stage) -> None:
    one, two = two_engines(stage)
    held = stage.holder("w")
    for _ in range(10):
        one.stop()
        two.ask("two", "advance", 50)
        one.wake()
        one.ask("one", "skip", 50)
        one.ask("one", "quiet")
    assert stage.holder("w") == held
    one.ask("one", "let", "w")
    stage.until_state("w", "completed")
    assert stage.paid() == [("w", "one")]
    assert stage.said("two", "holds", "w") == 0


def test_an_idle_one_may_be_stopped_for_as_long_as_one_likes(stage: Stage) -> None:
    one = stage.puppet().open("one", "offers=own")
    two = stage.puppet().open("two", "offers=hold")
    owners = stage.owners()
    one.stop()
    two.ask("two", "advance", 1000)
    assert stage.owners() == owners
    two.ask("two", "start", "own", "w")
    one.wake()
    one.hear("one", "does", "w")


def test_one_that_is_stopped_in_the_middle_of_a_commit_ends_it_before_anybody_takes_over(
    stage: Stage,
) -> None:
    """It has the write lock, so nobody can take its claim away from under its transaction."""
    one, two = two_engines(stage)
    held = stage.holder("w")
    one.ask("one", "arm", "stepfast.sqlite.writing.effects:GuardedConnection.theirs:after", "SIGSTOP")
    one.tell("one", "let", "w")
    one.until_stopped()
    for _ in range(12):
        two.ask("two", "skip", 6)
    assert stage.holder("w") == held
    one.wake()
    stage.until_state("w", "completed")
    assert stage.paid() == [("w", "one")]
    assert stage.said("two", "holds", "w") == 0


def back_again(stage: Stage) -> Puppet:
    """`w` has come back to the process that it was taken from, where a thread still runs its step."""
    one, two = two_engines(stage, "keep")
    one.stop()
    taken_over(stage, two)
    one.wake()
    one.ask("one", "skip", 70)
    works_again(stage, one, two)
    two.kill()
    gone = [key for key, pid in stage.owners().items() if pid == two.pid]
    one.ask("one", "advance", 5)
    stage.until(lambda: stage.holder("w")[1] not in [None, *gone], "the takeover")
    return one


def test_a_step_that_does_not_let_go_is_not_run_beside_itself(stage: Stage) -> None:
    one = back_again(stage)
    one.ask("one", "advance", 60)
    assert stage.said("one", "holds", "w") == 1
    one.ask("one", "let", "w")
    one.hear("one", "holds", "w")
    one.ask("one", "let", "w")
    stage.until_state("w", "completed")
    assert [each for each in one.all if each.endswith(" w")] == ["one holds w", "one lets-go w"] * 2
    assert stage.paid() == [("w", "one")]


def test_what_is_asked_meanwhile_is_heard_after_it(stage: Stage) -> None:
    one = back_again(stage)
    one.ask("one", "pause", "w")
    one.ask("one", "let", "w")
    # Before the next pass begins the step again, or in the middle of it.
    stage.until(lambda: stage.holder("w")[0] == "paused" or stage.said("one", "holds", "w") == 2, "a pass")
    one.ask("one", "advance", 60)
    one.ask("one", "let", "w")
    stage.until_state("w", "paused")


def test_a_file_that_was_locked_for_longer_than_a_lease_has_no_dead_owners(stage: Stage) -> None:
    """The holder cannot write its beats; the watcher, who is idle, does not notice why."""
    one, two = two_engines(stage)
    held = stage.holder("w")
    beats = "SELECT beat FROM stepfast_owners WHERE key = ?"
    before = stage.rows(beats, held[1])
    with closing(sqlite3.connect(stage.database, isolation_level=None)) as foreign:
        two.ask("two", "advance", 32)  # so that it has seen all that there is
        foreign.execute("BEGIN IMMEDIATE")
        one.ask("one", "skip", 20)  # its beat has to wait
        two.ask("two", "advance", 26)
        two.ask("two", "skip", 6)  # the lease is over, and so the takeover has to wait
        foreign.execute("COMMIT")
    stage.until(lambda: stage.rows(beats, held[1]) > before, "a beat")
    stage.pass_time(120, (one, "one"), (two, "two"))
    assert stage.holder("w") == held
    one.ask("one", "let", "w")
    stage.until_state("w", "completed")
    assert stage.paid() == [("w", "one")]
    assert stage.said("two", "holds", "w") == 0
