"""docs/faults.md names every condition, and every error that stands for one."""

from __future__ import annotations

import re
from pathlib import Path

from stepfast import errors
from stepfast.health import KINDS

PAGE = (Path(__file__).parents[2] / "docs" / "faults.md").read_text("utf-8")


def test_the_page_has_every_condition_and_no_other() -> None:
    (table,) = re.findall(r"\n\| what happens .*?\n\n", PAGE, re.DOTALL)
    rows = [row.split(" | ") for row in table.strip().splitlines()[2:]]
    found = {kind for row in rows for kind in re.findall(r"`([\w-]+)`", row[2])}
    assert found == KINDS.keys()


def test_the_page_has_the_error_of_every_condition() -> None:
    for error in vars(errors).values():
        kind = getattr(error, "kind", None)
        if kind is not None:
            assert kind in KINDS
            assert f"`{error.__name__}`" in PAGE
