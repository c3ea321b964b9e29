"""Schedules: the rules in real zones, and engines that run them over both stores under a virtual clock."""

from __future__ import annotations

import asyncio
import logging
import time as clocks
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from breaking import PROMISES, Breaking, Broken, Stores

from stepfast import Daily, Engine, Every, InvalidInput, MemoryDurable, Run, Weekly, connect, workflow
from stepfast.definitions.definition import Registry
from stepfast.interfaces import NewSchedule
from stepfast.memory import Memory
from stepfast.memory.rows import Row
from stepfast.schedules import Rule, first_run, next_run, rule_from, rule_text, run_id
from stepfast.testing import VirtualClock
from stepfast.workers.worker import Worker

BERLIN = "Europe/Berlin"
SPRING = datetime(2026, 3, 27, 12, tzinfo=ZoneInfo(BERLIN))  # two days before clocks go from 2 to 3
AUTUMN = datetime(2026, 10, 23, 12, tzinfo=ZoneInfo(BERLIN))  # two days before they go from 3 to 2

gate: dict[str, Any] = {}


@workflow("nightly")
async def nightly(run: Run, what: str = "all") -> str:
    gate.setdefault("ran", []).append(run.id)
    return what


@workflow("busy")
async def busy(run: Run) -> None:
    await run.step("wait", gate["busy"])


# --- rules ----------------------------------------------------------------------------------------


def runs(rule: Rule, since: datetime, count: int) -> list[datetime]:
    """The first moments of a rule, as UTC."""
    due = first_run(rule, since.timestamp())
    found = [due]
    while len(found) < count:
        due = next_run(rule, "once", due, due).due
        found.append(due)
    return [datetime.fromtimestamp(each, UTC) for each in found]


def utc(*numbers: int) -> datetime:
    return datetime(*numbers, tzinfo=UTC)  # type: ignore[arg-type, misc]


@pytest.fixture(params=["by name", "the machine's own"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str | None]:
    """Berlin, told to the rule or to the system."""
    if request.param == "by name":
        yield BERLIN
        return
    monkeypatch.setenv("TZ", BERLIN)
    clocks.tzset()
    yield None
    monkeypatch.undo()
    clocks.tzset()


def test_the_same_time_of_day_is_kept_when_the_clock_changes(zone: str | None) -> None:
    assert runs(Daily(time(3, 30), zone), SPRING, 4) == [
        utc(2026, 3, 28, 2, 30),
        utc(2026, 3, 29, 1, 30),
        utc(2026, 3, 30, 1, 30),
        utc(2026, 3, 31, 1, 30),
    ]
    assert runs(Daily(time(12), zone), AUTUMN, 3) == [
        utc(2026, 10, 24, 10),
        utc(2026, 10, 25, 11),
        utc(2026, 10, 26, 11),
    ]


@pytest.mark.parametrize("at", [time(2), time(2, 30), time(2, 59, 59)])
def test_a_time_that_a_day_does_not_have_is_the_first_after_the_gap(zone: str | None, at: time) -> None:
    before, on, after = runs(Daily(at, zone), SPRING, 3)
    assert on == utc(2026, 3, 29, 1), "3:00 in Berlin, which is the end of the gap"
    assert before.astimezone(ZoneInfo(BERLIN)).time() == after.astimezone(ZoneInfo(BERLIN)).time() == at


@pytest.mark.parametrize("at", [time(2), time(2, 30), time(2, 59, 59)])
def test_a_time_that_a_day_has_twice_is_the_first_of_the_two(zone: str | None, at: time) -> None:
    found = runs(Daily(at, zone), AUTUMN, 3)
    assert [each.astimezone(ZoneInfo(BERLIN)).date().day for each in found] == [24, 25, 26]
    assert found[1] == utc(2026, 10, 25, 0, at.minute, at.second), "while it was still summer time"


def test_three_o_clock_comes_once_in_spring_and_in_autumn(zone: str | None) -> None:
    assert runs(Daily(time(3), zone), SPRING, 2)[1] == utc(2026, 3, 29, 1)
    assert runs(Daily(time(3), zone), AUTUMN, 3)[1:] == [utc(2026, 10, 25, 2), utc(2026, 10, 26, 2)]


def test_half_hour_shifts_and_days_that_are_left_out() -> None:
    lord_howe = runs(Daily(time(2, 15), "Australia/Lord_Howe"), utc(2026, 10, 2, 12), 2)
    assert lord_howe[1] == utc(2026, 10, 3, 15, 30), "2:30 there, half an hour being left out"
    samoa = runs(Daily(time(9), "Pacific/Apia"), utc(2011, 12, 29, 12), 3)
    assert samoa == [utc(2011, 12, 29, 19), utc(2011, 12, 30, 10), utc(2011, 12, 30, 19)], (
        "30 December was left out: its run is the first moment of the 31st"
    )


def test_every_is_a_grid_from_its_beginning() -> None:
    rule = Every(timedelta(minutes=20))
    assert first_run(rule, 1000.5) == 2201.0
    assert next_run(rule, "once", 2201.0, 2201.0).due == 3401.0
    late = next_run(rule, "once", 2201.0, 2201.0 + 3 * 1200 + 1)
    assert late.start and late.due == 2201.0 + 4 * 1200
    exact = next_run(rule, "skip", 2201.0, 2201.0 + 1200)
    assert not exact.start and exact.due == 2201.0 + 2 * 1200, "the next is due already, so it was missed"


def test_weekly_takes_the_days_that_it_is_given() -> None:
    rule = Weekly(["sun", "tue"], time(2, 30), BERLIN)
    assert rule.days == ("tue", "sun")
    assert runs(rule, SPRING, 3) == [utc(2026, 3, 29, 1), utc(2026, 3, 31, 0, 30), utc(2026, 4, 5, 0, 30)]


@pytest.mark.parametrize(
    "rule",
    [
        Every(timedelta(seconds=90.5)),
        Daily(time(3)),
        Daily(time(3, 1, 2), BERLIN),
        Weekly(("mon", "sun"), time(23, 59)),
    ],
)
def test_a_rule_comes_back_from_its_text(rule: Rule) -> None:
    assert rule_from(rule_text(rule)) == rule


def test_a_run_has_the_moment_in_its_id() -> None:
    assert run_id("nightly", SPRING.timestamp()) == "nightly@2026-03-27T11:00:00Z"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Every(timedelta(0)), "every second at most"),
        (lambda: Daily(time(3, tzinfo=UTC)), "without a zone"),
        (lambda: Daily(time(3), "Europe/Atlantis"), "no time zone 'Europe/Atlantis'"),
        (lambda: Daily(time(3), "../etc"), "no time zone"),
        (lambda: Weekly((), time(3)), "no days of the week"),
        (lambda: Weekly(("monday",), time(3)), "no days of the week"),
        (lambda: rule_text("daily"), "no rule"),  # type: ignore[arg-type]
        (lambda: rule_from('{"yearly": 1}'), "no rule"),
    ],
)
def test_what_is_no_rule_is_refused(make: Callable[[], object], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        make()


# --- engines --------------------------------------------------------------------------------------


class Home:
    """A store with a clock, and workers over it now and then."""

    def __init__(self, durable: Any, clock: VirtualClock) -> None:
        self.durable = durable
        self.clock = clock
        self.engine = Engine(durable, Registry([nightly, busy]), clock)

    @asynccontextmanager
    async def at_work(self, **options: Any) -> AsyncIterator[Worker]:
        worker = Worker(self.durable, Registry([nightly, busy]), clock=self.clock, **options)
        working = asyncio.ensure_future(worker.run())
        try:
            yield worker
        finally:
            await worker.stop(timedelta(seconds=5))
            while not working.done():
                self.clock.advance(60)
                await asyncio.sleep(0)
            await working

    async def run_out(self) -> None:
        """Wait until what was due is started and nothing runs."""
        async with asyncio.timeout(60):
            while True:
                due = await self.durable.scheduler.next_due()
                counts = await self.durable.catalogue.counts()
                if (due is None or due > self.clock.time()) and not (
                    counts.get("queued") or counts.get("running")
                ):
                    return
                await asyncio.sleep(0.001)

    async def pass_by(self, days: float) -> None:
        """Let time go by, half an hour at a time."""
        for _ in range(round(days * 48)):
            self.clock.advance(1800)
            await self.run_out()


@pytest.fixture(params=["memory", "sqlite"])
async def home(request: pytest.FixtureRequest, tmp_path: Path, quiet_loop: None) -> AsyncIterator[Home]:
    gate.clear()
    clock = VirtualClock(SPRING.timestamp())
    durable: Any
    if request.param == "memory":
        durable = MemoryDurable(clock=clock)
    else:
        durable = await connect(tmp_path / "work.db", clock=clock)
    yield Home(durable, clock)
    await durable.close()


async def test_a_nightly_one_runs_each_night_of_spring_and_of_autumn(home: Home) -> None:
    async with home.at_work():
        due = await home.engine.schedule("nightly", nightly("it"), Daily(time(2, 30), BERLIN))
        assert due == utc(2026, 3, 28, 1, 30)
        await home.pass_by(4)
        assert gate["ran"] == [
            "nightly@2026-03-28T01:30:00Z",
            "nightly@2026-03-29T01:00:00Z",
            "nightly@2026-03-30T00:30:00Z",
            "nightly@2026-03-31T00:30:00Z",
        ]
        assert (await home.engine.get("nightly@2026-03-29T01:00:00Z")).result == "it"
        await home.engine.unschedule("nightly")
        gate.clear()
        home.clock.advance(AUTUMN.timestamp() - home.clock.time())
        await home.engine.schedule("nightly", nightly("it"), Daily(time(2, 30), BERLIN))
        await home.pass_by(3)
        assert gate["ran"] == [
            "nightly@2026-10-24T00:30:00Z",
            "nightly@2026-10-25T00:30:00Z",
            "nightly@2026-10-26T01:30:00Z",
        ]


@pytest.mark.parametrize(("missed", "made_up"), [("once", ["nightly@2026-03-28T02:00:00Z"]), ("skip", [])])
async def test_what_nobody_was_there_for(home: Home, missed: str, made_up: list[str]) -> None:
    await home.engine.schedule("nightly", nightly(), Daily(time(3), BERLIN), missed=missed)
    home.clock.advance(3 * 86_400)
    async with home.at_work():
        await home.run_out()
        assert gate.get("ran", []) == made_up
        await home.pass_by(1)
    assert gate["ran"] == [*made_up, "nightly@2026-03-31T01:00:00Z"]


@pytest.mark.parametrize("missed", ["once", "skip"])
async def test_a_laptop_that_slept_notices_within_a_minute(home: Home, missed: str) -> None:
    async with home.at_work() as worker:
        await home.engine.schedule("nightly", nightly(), Every(timedelta(hours=8)), missed=missed)
        await worker.until_idle()
        home.clock.jump_wall(20 * 3600)  # the monotonic clock stood still meanwhile
        while not home.clock.waiting:
            await asyncio.sleep(0)
        home.clock.advance(60)
        await home.run_out()
        assert gate.get("ran", []) == (["nightly@2026-03-27T19:00:00Z"] if missed == "once" else [])
        (one,) = await home.engine.schedules()
        assert one.due == utc(2026, 3, 28, 11)


async def test_a_worker_without_room_starts_what_is_due(home: Home) -> None:
    begun, release = asyncio.Event(), asyncio.Event()

    async def effect() -> None:
        begun.set()
        await release.wait()

    gate["busy"] = effect
    async with home.at_work(concurrency=1):
        await home.engine.start(busy(), id="busy")
        await begun.wait()
        first = await home.engine.schedule("nightly", nightly(), Daily(time(3), BERLIN), missed="skip")
        home.clock.advance(86_400)
        async with asyncio.timeout(60):
            # It was due 9 hours ago for one who looks now, so it is skipped; the next one is not.
            while (due := (await home.engine.schedules())[0].due) == first:
                await asyncio.sleep(0.001)
            home.clock.advance(due.timestamp() - home.clock.time())
            while (await home.engine.counts()).get("queued") != 1:
                await asyncio.sleep(0.001)
        release.set()
        await home.run_out()
    assert len(gate["ran"]) == 1


async def test_schedules_are_listed_with_their_input(home: Home) -> None:
    await home.engine.schedule("b", nightly("this"), Daily(time(3), BERLIN))
    await home.engine.schedule("a", nightly(), Every(timedelta(days=1)), missed="skip")
    a, b = await home.engine.schedules()
    assert (a.name, a.definition, a.version, a.input, a.missed) == (
        "a",
        "nightly",
        1,
        {"what": "all"},
        "skip",
    )
    assert (b.input, rule_from(b.rule)) == ({"what": "this"}, Daily(time(3), BERLIN))
    assert await home.engine.unschedule("a") and not await home.engine.unschedule("a")
    assert [each.name for each in await home.engine.schedules()] == ["b"]


async def test_what_is_no_schedule_is_refused(home: Home) -> None:
    with pytest.raises(InvalidInput, match="a schedule's name"):
        await home.engine.schedule("Every night", nightly(), Daily(time(3)))
    with pytest.raises(InvalidInput, match='"once" and "skip"'):
        await home.engine.schedule("nightly", nightly(), Daily(time(3)), missed="all")


async def test_a_zone_that_is_gone_stops_one_schedule_and_no_more(
    home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await home.engine.schedule("far", nightly(), Daily(time(3), "Asia/Tokyo"))
    await home.engine.schedule("near", nightly(), Daily(time(3), BERLIN))

    def gone(name: str) -> ZoneInfo:
        if name == "Asia/Tokyo":
            raise KeyError(name)
        return ZoneInfo(name)

    monkeypatch.setattr("stepfast.schedules.ZoneInfo", gone)
    with caplog.at_level(logging.ERROR, "stepfast"):
        async with home.at_work():
            home.clock.advance(86_400)
            await home.run_out()
    assert gate["ran"] == ["near@2026-03-28T02:00:00Z"]
    assert "the schedule far has stopped" in caplog.text
    far, _ = await home.engine.schedules()
    assert far.due is None
    monkeypatch.undo()
    assert await home.engine.schedule("far", nightly(), Daily(time(3), "Asia/Tokyo")) == utc(2026, 3, 28, 18)


async def test_two_processes_start_each_run_once(tmp_path: Path, quiet_loop: None) -> None:
    gate.clear()
    clock = VirtualClock(SPRING.timestamp())
    one, other = [Home(await connect(tmp_path / "work.db", clock=clock), clock) for _ in range(2)]
    async with one.at_work(), other.at_work():
        for n in range(4):
            await one.engine.schedule(f"s{n}", nightly(), Every(timedelta(hours=6)))
        await one.pass_by(2)
    assert len(gate["ran"]) == len(set(gate["ran"])) == 32
    await one.durable.close()
    await other.durable.close()


# --- the promises can be broken -------------------------------------------------------------------

BREAKING = Breaking()
noticed_by = BREAKING.noticed_by


@noticed_by("a_schedule_runs_when_it_is_due_and_again", "two_engines_start_one")
class RunsNothing(Memory):
    def run_schedules(self, now: float) -> None:
        pass


@noticed_by("missed_runs_are_made_up_for_once_or_skipped")
class MakesUpForAll(Memory):
    def run_schedules(self, now: float) -> None:
        while due := [each for _, each in self.schedules.values() if each is not None and each <= now]:
            super().run_schedules(min(due))


@noticed_by("what_has_the_id_already_is_left_as_it_is")
class ForgetsIds(Memory):
    def run_schedules(self, now: float) -> None:
        ids, self.ids = self.ids, {}
        super().run_schedules(now)
        self.ids = {**ids, **self.ids}


@noticed_by("a_schedule_runs_when_it_is_due_and_again")
class SeesNoTimer(Memory):
    def next_due(self) -> float | None:
        return min((row.due for row in self.rows.values() if row.due is not None), default=None)


class Kept(dict[str, tuple[NewSchedule, float | None]]):
    def pop(self, *_: Any) -> Any:
        return None


@noticed_by("what_is_unscheduled_runs_no_more")
class KeepsForEver(Memory):
    def __init__(self) -> None:
        super().__init__()
        self.schedules = Kept()


@noticed_by("what_is_switched_off_runs_when_it_is_on_again")
class SwitchesOnWhatIsScheduled(MemoryDurable):
    async def schedule(self, new: NewSchedule) -> float:
        self.memory.schedules.pop(new.name, None)
        return await super().schedule(new)


@noticed_by("what_is_switched_off_runs_when_it_is_on_again")
class SwitchesNothing(MemoryDurable):
    async def switch_schedule(self, name: str, on: bool) -> bool:
        return name in self.memory.schedules


@noticed_by("what_is_switched_off_runs_when_it_is_on_again")
class BeginsAnewEachTime(MemoryDurable):
    async def switch_schedule(self, name: str, on: bool) -> bool:
        return await super().switch_schedule(name, False) and await super().switch_schedule(name, on)


@noticed_by("a_schedule_runs_when_it_is_due_and_again")
class StartsLate(Memory):
    def due(self, now: float) -> list[Row]:
        return super().due(now - 1)


@pytest.mark.parametrize(("broken", "promise"), BREAKING.cases)
async def test_a_broken_store_is_noticed(broken: type[Broken], promise: str) -> None:
    with pytest.raises(AssertionError):
        await PROMISES[promise](Stores(broken))
