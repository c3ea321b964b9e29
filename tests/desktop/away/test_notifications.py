"""Which notifications there are, over a real engine: by what is preferred, and many at once as one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine, Run, Summary, workflow
from stepfast.state import Completed, Failed
from stepfast_desktop.away.notifications import Kind, Notification, Notifications, compose
from stepfast_desktop.settings import Settings
from stepfast_desktop.viewmodels.away.pending import Pending
from stepfast_desktop.viewmodels.feed import Feed
from stepfast_desktop.viewmodels.preferences import Preferences


@workflow("asking", title="Ask something")
async def asking(run: Run) -> str:
    return await run.awaiting("word", into=str)


@workflow("failing", title="Fail")
async def failing(run: Run) -> None:
    raise ValueError("no")


@workflow("quick", title="Be quick")
async def quick(run: Run) -> int:
    return 1


class Away:
    def __init__(self, engine: Engine, preferences: Preferences) -> None:
        self.engine, self.preferences = engine, preferences
        self.seen = False
        self.due: list[Notification] = []
        self.feed = Feed(engine)
        self.pending = Pending(engine, self.feed)
        self.notifications = Notifications(
            self.pending, preferences, lambda: self.seen, lambda row: row.name, gather=0.2, between=0.2
        )
        self.notifications.due.connect(self.due.append)

    def gathered(self, kind: Kind) -> int:
        """How many of a kind are to be told when the time of gathering is over."""
        return len(self.notifications._gathered.get(kind, ()))

    def tell(self) -> None:
        """As when that time is over."""
        assert self.notifications._timer is not None
        self.notifications._timer.cancel()
        self.notifications._tell()


@pytest.fixture
async def away(tmp_path: Path) -> AsyncIterator[Away]:
    preferences = Preferences(Settings(tmp_path, tmp_path / "settings.json"))
    async with Engine.open(tmp_path / "work.db", [asking, failing, quick], backups=False) as engine:
        away = Away(engine, preferences)
        await away.feed.start()
        await away.pending.start()
        yield away
        away.notifications.close()
        await away.pending.close()
        await away.feed.close()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


async def test_a_failure_and_a_question_are_told_and_a_short_success_is_not(away: Away) -> None:
    await away.engine.start(quick(), id="q")
    await away.engine.start(failing(), id="f")
    await away.engine.start(asking(), id="a")
    await until(lambda: len(away.due) == 2)
    await asyncio.sleep(0.3)
    assert sorted((each.kind, each.title) for each in away.due) == [
        ("failed", "failing failed"),
        ("question", "asking needs your answer"),
    ]
    failed = next(each for each in away.due if each.kind == "failed")
    assert failed.text.startswith("f, after ")


async def test_many_at_once_are_one_and_later_ones_another(away: Away) -> None:
    away.notifications._gather = away.notifications._between = 3600.0
    for number in range(5):
        await away.engine.start(failing(), id=f"f{number}")
    await until(lambda: away.gathered("failed") == 5)
    assert away.due == []
    away.tell()
    assert [(each.title, len(each.keys)) for each in away.due] == [("5 workflows failed", 5)]
    assert away.due[0].text.endswith(" and others")
    await away.engine.start(failing(), id="late")
    await until(lambda: away.gathered("failed") == 1)
    assert len(away.due) == 1
    away.tell()
    assert len(away.due) == 2
    assert away.due[1].title == "failing failed"


async def test_each_kind_can_be_turned_off(away: Away) -> None:
    away.preferences.set("notify_failed", False)
    away.preferences.set("notify_question", False)
    away.preferences.set("long_minutes", 0)
    await away.engine.start(failing(), id="f")
    await away.engine.start(asking(), id="a")
    await away.engine.start(quick(), id="q")
    await until(lambda: bool(away.due))
    await asyncio.sleep(0.3)
    assert [each.title for each in away.due] == ["quick is done"]


async def test_nothing_is_told_while_the_window_is_in_front_nor_when_it_comes_there(away: Away) -> None:
    away.notifications._gather = 3600.0
    ended: list[tuple[Summary, ...]] = []
    away.pending.ended.connect(ended.append)  # which is called after the notifications' own
    away.seen = True
    await away.engine.start(failing(), id="seen")
    await until(lambda: len(ended) == 1)
    assert away.gathered("failed") == 0
    away.seen = False
    await away.engine.start(failing(), id="unseen")
    await until(lambda: away.gathered("failed") == 1)
    away.seen = True  # the person comes back before it is told
    away.tell()
    assert away.due == [] and away.gathered("failed") == 0


def row(key: int, state: Any, seconds: float, problems: int = 0) -> Summary:
    at = datetime(2026, 11, 28, tzinfo=UTC)
    end = at + timedelta(seconds=seconds)
    return Summary(
        key, f"w{key}", "copy", 1, state(end, problems), None, 0, problems, None, None, at, at, end, None, 1
    )


def test_a_long_one_says_how_long_it_took_and_its_problems() -> None:
    told = compose("finished", [row(1, Completed, 7620, 3)], lambda row: "Copy a folder")
    assert (told.title, told.text) == ("Copy a folder is done", "w1, after 2 h 7 min, 3 problems")
    assert told.keys == (1,)


def test_three_are_named_and_no_others_are_claimed() -> None:
    told = compose("failed", [row(key, Failed, 1) for key in (1, 2, 3)], lambda row: "")
    assert (told.title, told.text) == ("3 workflows failed", "w1, w2, w3")
