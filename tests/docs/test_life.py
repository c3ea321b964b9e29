"""docs/life-of-a-workflow.md names statements and actions that are there."""

from __future__ import annotations

import re
from pathlib import Path

from stepfast.views import ACTIONS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "life-of-a-workflow.md").read_text("utf-8")


def test_every_statement_that_is_named_is_in_the_store() -> None:
    named = set(re.findall(r"\b[A-Z]{2}[A-Z_]+\b", PAGE))
    source = "\n".join(each.read_text("utf-8") for each in (ROOT / "store/stepfast/sqlite").rglob("*.py"))
    assert named and {each for each in named if not re.search(rf"^{each} = ", source, re.MULTILINE)} == set()


def test_what_a_person_asks_is_called_as_it_is_asked() -> None:
    (guards,) = re.findall(r"\n\| statement \| token .*?\n\n", PAGE, re.DOTALL)
    asked = {name for row in guards.splitlines() for name in re.findall(r"`([a-z]+)`", row.split(" | ")[0])}
    assert asked - {"transact"} == {"pause", "cancel", "resume", "retry"} <= set(ACTIONS)
