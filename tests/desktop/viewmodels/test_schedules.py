"""The list of schedules, and one while it is made or changed, over a real engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest

from stepfast import Engine, Run, Secret, workflow
from stepfast.interfaces import NewSchedule
from stepfast.schedules import Daily, Every, Rule, Weekly, rule_from, rule_text
from stepfast.views import Filter
from stepfast_desktop.viewmodels.feed import Feed
from stepfast_desktop.viewmodels.tools.schedules import SchedulesViewModel, rule_words


@workflow("greet", title="Greet somebody")
async def greet(run: Run, name: str, times: int = 1) -> str:
    return name * times


@workflow("hidden")
async def hidden(run: Run, word: Secret) -> None:
    pass


class Listed:
    def __init__(self, engine: Engine) -> None:
        self.engine, self.feed = engine, Feed(engine)
        self.list = SchedulesViewModel(engine, self.feed)
        self.said: list[str] = []
        self.list.said.connect(self.said.append)

    async def row(self, name: str) -> tuple[str, ...]:
        await self.list.refresh()
        (row,) = [each for each in self.list.rows if each.name == name]
        return row.task, row.rule, row.following, row.last


@pytest.fixture
async def listed(tmp_path: Path) -> AsyncIterator[Listed]:
    async with Engine.open(tmp_path / "work.db", [greet, hidden]) as engine:
        made = Listed(engine)
        await made.feed.start()
        yield made
        await made.list.close()
        await made.feed.close()


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Every(timedelta(minutes=90)), "every 1 h 30 min"),
        (Every(timedelta(days=3)), "every 3 d"),
        (Daily(time(3)), "daily at 03:00"),
        (Daily(time(3), "Europe/Berlin"), "daily at 03:00 (Europe/Berlin)"),
        (Weekly(["thu", "mon"], time(8, 30)), "Mon, Thu at 08:30"),
    ],
)
def test_a_rule_is_said_in_words(rule: Rule, words: str) -> None:
    assert rule_words(rule) == words


async def test_a_row_says_what_when_next_and_last(listed: Listed) -> None:
    await listed.engine.schedule("hourly", greet(name="x"), Every(timedelta(hours=1)))
    task, rule, following, last = await listed.row("hourly")
    assert (task, rule, last) == ("Greet somebody", "every 1 h", "not yet")
    assert following.startswith(("today ", "tomorrow "))
    # One whose id only contains the name is no run of it.
    await listed.engine.start(greet(name="y"), id="not-hourly@all")
    await listed.list.run_now("hourly")
    assert listed.said[-1].startswith("hourly@") and listed.said[-1].endswith(" has started")
    async with asyncio.timeout(60):
        while (await listed.row("hourly"))[3] != "a moment ago: Completed":
            await asyncio.sleep(0.01)
    # Its next run stays where it was.
    assert (await listed.row("hourly"))[2] == following
    (run,) = [each for each in await listed.engine.list() if each.id.startswith("hourly@")]
    assert (await listed.engine.get(run.id)).result == "x"


async def test_what_is_removed_starts_nothing_more_and_what_ran_stays(listed: Listed) -> None:
    await listed.engine.schedule("hourly", greet(name="x"), Every(timedelta(hours=1)))
    await listed.list.refresh()
    await listed.list.run_now("hourly")
    await listed.list.remove("hourly")
    await listed.list.refresh()
    assert listed.list.rows == () and listed.said[-1] == "hourly is removed"
    assert len(await listed.engine.list(Filter(text="hourly@"))) == 1


async def test_what_is_switched_off_stays_so_until_it_is_switched_on(listed: Listed) -> None:
    await listed.engine.schedule("hourly", greet(name="x"), Every(timedelta(hours=1)))
    await listed.list.refresh()
    await listed.list.switch("hourly")
    assert listed.said[-1] == "hourly is switched off"
    assert await listed.row("hourly") == ("Greet somebody", "every 1 h", "off", "not yet")
    # A program that schedules it at each launch, a person who changes it or brings it back: it stays off.
    await listed.engine.schedule("hourly", greet(name="y"), Every(timedelta(hours=2)))
    await listed.list.refresh()
    await listed.list.edit("hourly").save()
    await listed.list.remove("hourly")
    await listed.list.undo()
    assert await listed.row("hourly") == ("Greet somebody", "every 2 h", "off", "not yet")
    await listed.list.switch("hourly")
    assert listed.said[-1] == "hourly is switched on"
    assert "off" not in await listed.row("hourly")
    (schedule,) = await listed.engine.schedules()
    assert schedule.on and schedule.due is not None and schedule.due > datetime.now(UTC)


async def test_what_was_off_is_at_no_moment_on_when_it_is_brought_back(listed: Listed) -> None:
    await listed.engine.schedule("hourly", greet(name="x"), Every(timedelta(hours=1)))
    await listed.engine.switch_schedule("hourly", on=False)
    await listed.list.refresh()
    await listed.list.remove("hourly")
    before = (await listed.engine.changes(0)).at
    await listed.list.undo()
    (schedule,) = await listed.engine.schedules()
    assert not schedule.on
    assert (await listed.engine.changes(0)).at == before + 1, "a program that ends in between leaves it on"


async def test_all_that_was_removed_comes_back_the_last_first(listed: Listed) -> None:
    for name in ("one", "two", "three"):
        await listed.engine.schedule(name, greet(name=name), Every(timedelta(hours=1)))
    await listed.list.refresh()
    for name in ("one", "two", "three"):
        await listed.list.remove(name)
    await listed.list.undo()
    # What has taken the place of one meanwhile is not written over.
    await listed.engine.schedule("two", greet(name="another"), Every(timedelta(hours=5)))
    await listed.list.undo()
    assert listed.list.error == "There is a schedule two again, which stays as it is."
    await listed.list.undo()
    assert listed.list.removed is None and listed.list.error == ""
    found = {each.name: each.input["name"] for each in await listed.engine.schedules()}
    assert found == {"one": "one", "two": "another", "three": "three"}


async def test_how_long_ago_it_was_is_said_anew_though_nothing_changes(listed: Listed) -> None:
    now = [datetime.now(UTC) + timedelta(seconds=30)]
    seen = SchedulesViewModel(listed.engine, listed.feed, now=lambda: now[0], telling=0.01)
    await listed.engine.schedule("hourly", greet(name="x"), Every(timedelta(hours=1)))
    await seen.refresh()
    await seen.run_now("hourly")
    seen.follow()
    changed = asyncio.Event()
    seen.changed.connect(changed.set)
    for days, expected in ((0, "a moment ago: Completed"), (800, f"{now[0].year} ")):
        now[0] += timedelta(days=days)
        async with asyncio.timeout(60):
            while not (seen.rows and expected in seen.rows[0].last):
                changed.clear()
                await changed.wait()
    await seen.close()


async def test_while_it_is_looked_at_it_follows_the_file(listed: Listed) -> None:
    listed.list.follow()
    listed.list.follow()
    changed = asyncio.Event()
    listed.list.changed.connect(changed.set)
    await listed.engine.schedule("hourly", greet(name="x"), Every(timedelta(hours=1)))
    await listed.engine.start(greet(name="x"), id="hourly@by-hand")
    async with asyncio.timeout(60):
        while not (listed.list.rows and listed.list.rows[0].last != "not yet"):
            changed.clear()
            await changed.wait()
    listed.list.rest()


async def test_one_is_made_with_its_form(listed: Listed) -> None:
    editor = listed.list.new()
    assert editor.choices == [("greet", "Greet somebody")]  # and none with secrets, which no schedule keeps
    assert not await editor.save()
    assert editor.name_problem == "It needs a name."
    editor.set(name="No Such")
    assert "Small letters" in editor.name_problem
    editor.set(name="nightly", how="weekly", days=frozenset())
    assert editor.rule_problem == "Choose a day at least." and not await editor.save()
    editor.set(days=frozenset({"sat", "sun"}), at=time(4, 15), make_up=False)
    form = editor.form
    assert form is not None and not await editor.save()
    assert form.field("name").error
    form.set("name", "you")
    assert await editor.save()
    (made,) = await listed.engine.schedules()
    assert (made.name, made.input, made.missed) == ("nightly", {"name": "you", "times": 1}, "skip")
    assert rule_from(made.rule) == Weekly(("sat", "sun"), time(4, 15))
    await listed.list.refresh()
    other = listed.list.new()
    other.set(name="nightly")
    assert other.name_problem == "There is a schedule of that name."


@pytest.mark.parametrize(
    "rule",
    [
        Every(timedelta(seconds=90)),
        Every(timedelta(hours=36)),
        Daily(time(3, 5), "Europe/Berlin"),
        Weekly(("tue",), time(23, 59)),
    ],
)
async def test_one_that_is_opened_and_saved_is_as_before(listed: Listed, rule: Rule) -> None:
    await listed.engine.schedule("it", greet(name="x", times=3), rule, missed="skip")
    before = await listed.engine.schedules()
    await listed.list.refresh()
    assert await listed.list.edit("it").save()
    assert await listed.engine.schedules() == before


async def test_one_is_changed(listed: Listed) -> None:
    await listed.engine.schedule("it", greet(name="x", times=3), Daily(time(3)))
    await listed.list.refresh()
    editor = listed.list.edit("it")
    assert not editor.is_new and editor.form is not None and editor.form.field("times").text == "3"
    editor.form.set("times", "2")
    editor.set(how="every", number=5, unit="minutes")
    assert await editor.save()
    (now,) = await listed.engine.schedules()
    assert (now.input, rule_from(now.rule)) == ({"name": "x", "times": 2}, Every(timedelta(minutes=5)))


async def test_of_a_task_of_another_program_the_rule_can_be_changed(listed: Listed) -> None:
    text = rule_text(Daily(time(3)))
    new = NewSchedule("theirs", "their-task", 4, '{"a": 1}', text, "once")
    await listed.engine.durable.schedule(new)
    await listed.list.refresh()
    editor = listed.list.edit("theirs")
    assert editor.form is None and editor.choices == [("their-task", "their-task")]
    editor.set(at=time(5))
    assert await editor.save()
    (now,) = await listed.engine.schedules()
    assert (now.definition, now.version, now.input) == ("their-task", 4, {"a": 1})
    assert rule_from(now.rule) == Daily(time(5))


async def test_what_no_longer_fits_is_said(listed: Listed) -> None:
    text = rule_text(Daily(time(3)))
    await listed.engine.durable.schedule(NewSchedule("old", "greet", 1, '{"whom": "x"}', text, "once"))
    await listed.list.refresh()
    editor = listed.list.edit("old")
    assert "does not fit any more" in editor.error and "whom" in editor.error
