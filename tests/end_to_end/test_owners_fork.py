"""Programs that fork with an engine open: their idle children never keep a dead owner alive."""

import sys

import pytest
from puppets import Stage

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork on Windows")


@pytest.mark.parametrize("how", ["fork", "forkhere", "pool"])
def test_an_idle_forked_child_does_not_keep_its_dead_parent_alive(stage: Stage, how: str) -> None:
    one = stage.puppet().open("one")
    one.ask("one", "start", "hold", "w")
    one.hear("one", "holds", "w")
    two = stage.puppet().open("two")
    one.ask("one", how)
    one.hear("one", "child")
    stage.pass_time(20, (one, "one"), (two, "two"))
    assert stage.said("two", "holds", "w") == 0
    one.kill()
    assert one.has_children()
    two.ask("two", "advance", 5)
    two.hear("two", "holds", "w")
    two.ask("two", "let", "w")
    stage.until_state("w", "completed")
    assert one.has_children()
    assert stage.paid() == [("w", "two")]
    assert list(stage.owners().values()) == [two.pid]
    assert len(stage.lock_files()) == 1


@pytest.mark.parametrize("how", ["fork", "pool"])
def test_a_child_that_was_forked_before_the_engine_came_is_no_owner_either(stage: Stage, how: str) -> None:
    one = stage.puppet()
    one.ask("one", how)
    one.hear("one", "child")
    one.open("one")
    one.ask("one", "start", "hold", "w")
    one.hear("one", "holds", "w")
    one.kill()
    assert one.has_children()
    two = stage.puppet().open("two")
    two.hear("two", "holds", "w")
    assert one.has_children()


@pytest.mark.campaign
def test_a_child_forked_by_c_code_keeps_it_alive_for_a_lease_and_no_longer(stage: Stage) -> None:
    """Such a child has the lock and is not told to close it; what shows is that the beat stands still."""
    one = stage.puppet().open("one")
    one.ask("one", "start", "hold", "w")
    one.hear("one", "holds", "w")
    two = stage.puppet().open("two")
    one.tell("one", "rawfork")
    one.hear("one", "child")
    stage.pass_time(100, (one, "one"), (two, "two"))
    held = stage.holder("w")
    one.kill()
    two.ask("two", "advance", 20)
    assert stage.holder("w") == held
    two.ask("two", "advance", 80)
    assert one.has_children()
    two.hear("two", "holds", "w")
