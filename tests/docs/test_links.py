"""What the documentation links to is there, and each page can be found from the README."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


def linked(page: Path) -> set[Path]:
    """Every file of ours that `page` links to or shows."""
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8"))
    return {(page.parent / each).resolve() for each in targets if "://" not in each}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_that_are_there(page: Path) -> None:
    assert [each for each in linked(page) if not each.exists()] == []


def test_the_readme_leads_to_every_page_and_every_picture_is_shown_on_one() -> None:
    assert set(PAGES) - {ROOT / "README.md"} <= linked(ROOT / "README.md")
    assert set((ROOT / "docs").rglob("*.png")) <= set().union(*map(linked, PAGES))


def test_every_module_of_the_engine_has_its_place_in_the_table() -> None:
    """Each once: a module that is new is put where somebody would look for it."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    (table,) = re.findall(r"\n\| beside the folders .*?\n\n", text, re.DOTALL)
    named = sorted(re.findall(r"`([a-z_]+)`", table))
    engine = ROOT / "store" / "stepfast"
    assert named == sorted(each.stem for each in engine.glob("*.py") if each.stem != "__init__")
