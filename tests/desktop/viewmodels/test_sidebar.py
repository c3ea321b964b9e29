"""The sidebar: what it counts, what a choice shows, and what is said where there is nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine, Run, workflow
from stepfast.state import STATES
from stepfast_desktop.settings import Settings
from stepfast_desktop.viewmodels.preferences import Preferences
from stepfast_desktop.viewmodels.table.sidebar import ENTRIES
from stepfast_desktop.viewmodels.window import WindowViewModel


@workflow("asking")
async def asking(run: Run) -> str:
    return await run.awaiting("word", into=str)


@workflow("copying")
async def copying(run: Run, problems: int) -> int:
    for n in range(problems):
        run.problem(f"file {n}", "cannot be read")
    return problems


@pytest.fixture
async def window(tmp_path: Path) -> AsyncIterator[WindowViewModel]:
    async with Engine.open(tmp_path / "work.db", [asking, copying]) as engine:
        window = WindowViewModel(engine, Preferences(Settings(tmp_path, tmp_path / "settings.json")))
        await window.start()
        yield window
        await window.close()


async def until(holds: Callable[[], Any]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


def counts(window: WindowViewModel) -> dict[str, int]:
    return {each.name: count for each in ENTRIES if (count := window.sidebar.count(each))}


def test_every_state_has_an_entry_of_its_own() -> None:
    assert sorted(each.states[0] for each in ENTRIES if each.level == 1) == sorted(STATES)


async def test_it_counts_what_there_is_and_what_needs_a_person(window: WindowViewModel) -> None:
    for id in ("a", "b", "c"):
        await window.engine.start(asking(), id=id)
    await window.engine.cancel("c")
    await until(
        lambda: (
            counts(window)
            == {"all": 3, "needs-you": 2, "pending": 2, "waiting": 2, "finished": 1, "cancelled": 1}
        )
    )
    await until(lambda: all(window.sidebar.count(each) is not None for each in ENTRIES))
    words = [window.sidebar.words(each) for each in ENTRIES if each.name in ("cancelled", "removed")]
    assert words == ["Cancelled, 1", "Recently removed, 0"]


async def test_a_choice_filters_and_the_search_stays(window: WindowViewModel) -> None:
    for id in ("a1", "b1", "b2"):
        await window.engine.start(asking(), id=id)
    await window.engine.cancel("b1")
    table = window.table
    shown = lambda: sorted(row.id for i in range(len(table.keys)) if (row := table.row(i)))  # noqa: E731
    table.filter(text="b")
    await until(lambda: shown() == ["b1", "b2"])
    chosen = []
    window.sidebar.chosen_changed.connect(lambda: chosen.append(window.sidebar.chosen))
    window.sidebar.choose("cancelled")
    await until(lambda: shown() == ["b1"])
    assert [each and each.name for each in chosen] == ["cancelled"]
    window.sidebar.choose("needs-you")
    await until(lambda: shown() == ["b2"])
    await window.engine.remove(["b1"])
    window.sidebar.choose("removed")
    await until(lambda: shown() == ["b1"])
    table.filter(states=["queued", "paused"], removed=False)
    assert window.sidebar.chosen is None


async def test_what_completed_with_problems_is_counted_and_listed_by_itself(window: WindowViewModel) -> None:
    engine, table = window.engine, window.table
    await engine.start(copying(0), id="well")
    await engine.start(copying(2), id="badly")
    await until(lambda: counts(window).get("completed") == 2 and counts(window).get("problems") == 1)
    window.sidebar.choose("problems")
    await until(lambda: [row.id for i in range(len(table.keys)) if (row := table.row(i))] == ["badly"])
    assert table.filtered and window.sidebar.chosen is not None and window.sidebar.chosen.name == "problems"
    await engine.start(copying(1), id="badly too")
    await until(lambda: len(table.keys) == 2 and counts(window)["problems"] == 2)
    table.show_all()
    await until(lambda: len(table.keys) == 3)
    await engine.remove(["badly"])
    await until(lambda: counts(window)["problems"] == 1)


async def test_what_was_removed_is_counted_until_it_is_back_or_gone(window: WindowViewModel) -> None:
    engine = window.engine
    for id in ("a", "b", "c"):
        await engine.start(copying(0), id=id)
    await until(lambda: counts(window).get("completed") == 3)
    await engine.remove(["a", "b", "c"])
    await until(lambda: counts(window).get("removed") == 3)
    await engine.restore(["a"])
    await until(lambda: counts(window).get("removed") == 2)
    await engine.delete("b")
    await until(lambda: counts(window).get("removed") == 1)


async def test_where_there_is_nothing_it_says_of_what(window: WindowViewModel) -> None:
    for name, expected in (
        ("failed", "There are no failed workflows."),
        ("removed", "Nothing was removed in the last day."),
    ):
        window.sidebar.choose(name)
        assert window.sidebar.nothing == expected
    window.table.filter(text="abc")
    assert window.sidebar.nothing == "No removed workflows match “abc”."
    window.sidebar.choose("all")
    assert window.sidebar.nothing == "No workflows match “abc”."
    for each in ENTRIES:
        assert "{text}" in each.no_match() and "{" not in each.nothing()


async def test_from_one_empty_filter_to_another_the_table_tells(window: WindowViewModel) -> None:
    """What is said of nothing must be of what is chosen now; and nothing filtered is not nothing at all."""
    await window.engine.start(asking(), id="a")
    await until(lambda: len(window.table.keys) == 1)
    told: list[str] = []
    window.sidebar.choose("failed")
    await until(lambda: not window.table.keys)
    stop = window.table.reordered.connect(lambda: told.append(window.sidebar.nothing))
    window.sidebar.choose("cancelled")
    await until(lambda: told == ["There are no cancelled workflows."])
    stop()
    window.sidebar.choose("all")
    assert not window.table.empty
    await until(lambda: len(window.table.keys) == 1)
