"""Schedules: kept, run once each by whichever engine is there, moved on, and what becomes of missed runs."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

from stepfast.interfaces import Durable, NewSchedule, Offered, Signal
from stepfast.schedules import Daily, Every, Rule, rule_text, run_id, switched
from stepfast.testing.contract.stores import JOB, Stores, begin, ids, only, start, state

HOUR = 3600.0
HOURLY = Every(timedelta(hours=1))


async def a_schedule_is_kept_as_it_was_given(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    due = await _schedule(durable, "hourly", HOURLY, "skip")
    await _schedule(durable, "daily", Daily(time(3), "UTC"))

    assert due == stores.clock.time() + HOUR, f"the first run is an hour from now; it is at {due}"
    daily, hourly = await other.catalogue.schedules()
    found = (hourly.name, hourly.definition, hourly.version, hourly.input, hourly.rule, hourly.missed)
    assert found == ("hourly", "job", 1, "hourly", rule_text(HOURLY), "skip"), f"it is kept; got {hourly}"
    assert hourly.due == datetime.fromtimestamp(due, UTC), f"with its next run; got {hourly}"
    assert (daily.name, daily.missed) == ("daily", "once"), f"they come by name; got {daily}"


async def a_schedule_runs_when_it_is_due_and_again(stores: Stores) -> None:
    durable = await stores.open()
    due = await _schedule(durable, "hourly", HOURLY)

    assert await durable.scheduler.next_due() == due, "the next run is a timer"
    assert (await durable.look()).next_due == due, "which a worker sees"
    stores.clock.advance(HOUR - 1)
    assert await begin(durable) == [], "before it is due, nothing is started"
    for n in range(3):
        stores.clock.advance(1 if n == 0 else HOUR)
        one = only(await begin(durable))
        assert one.claim.id == run_id("hourly", due + n * HOUR), f"run {n} is {one.claim.id}"
        assert (one.name, one.version, one.input) == ("job", 1, '"hourly"'), f"as it was given; got {one}"
        assert await durable.scheduler.next_due() == due + (n + 1) * HOUR, "and the next run is an hour later"
        assert await begin(durable) == [], "one for each moment"


async def a_schedule_is_run_by_whoever_asks_whatever_he_offers(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    due = await _schedule(durable, "hourly", HOURLY)
    stores.clock.advance(HOUR)

    assert await begin(other, 0, [Offered("other", 1)]) == [], "it has nothing to do with what is offered"
    assert await state(durable, run_id("hourly", due)) == "queued", "but is started, and ready"
    assert [each.id for each in await other.scheduler.take([JOB], 9)] == [run_id("hourly", due)]
    await durable.schedule(_new("taken", HOURLY))
    stores.clock.advance(HOUR)
    taken = await other.scheduler.take([JOB], 9)
    assert len(taken) == 2, f"take starts what is due as begin does; got {taken}"


async def two_engines_start_one(stores: Stores) -> None:
    engines = [await stores.open(), await stores.open()]
    for n in range(5):
        await _schedule(engines[0], f"every-{n}", HOURLY)
    stores.clock.advance(HOUR)

    found = await asyncio.gather(*(begin(engines[n % 2]) for n in range(6)))

    everything = sorted(id for each in found for id in ids(each))
    assert len(everything) == len(set(everything)) == 5, f"each is started once; got {everything}"


async def what_was_due_earlier_runs_first(stores: Stores) -> None:
    durable = await stores.open()
    later = await _schedule(durable, "a-later", Every(timedelta(hours=2)))
    earlier = await _schedule(durable, "b-earlier", HOURLY)
    stores.clock.advance(3 * HOUR)

    found = ids(await begin(durable))
    assert found[:2] == [run_id("b-earlier", earlier), run_id("a-later", later)], (
        f"as they were due; got {found}"
    )


async def what_has_the_id_already_is_left_as_it_is(stores: Stores) -> None:
    durable = await stores.open()
    due = await _schedule(durable, "hourly", HOURLY)
    await start(durable, run_id("hourly", due), '"by hand"')
    stores.clock.advance(HOUR)

    assert only(await begin(durable)).input == '"by hand"', "whoever was first has the id"
    assert await durable.scheduler.next_due() == due + HOUR, "and the schedule goes on"


async def missed_runs_are_made_up_for_once_or_skipped(stores: Stores) -> None:
    durable = await stores.open()
    due = await _schedule(durable, "once", HOURLY, "once")
    await _schedule(durable, "skip", HOURLY, "skip")
    stores.clock.advance(5.5 * HOUR)

    found = ids(await begin(durable))

    assert found == [run_id("once", due)], f"five were missed, of which one is made up for; got {found}"
    assert await durable.scheduler.next_due() == due + 5 * HOUR, "both go on with the first after now"
    stores.clock.advance(HOUR / 2)
    found = sorted(ids(await begin(durable)))
    assert found == [run_id(name, due + 5 * HOUR) for name in ("once", "skip")], f"... in time; got {found}"


async def a_run_that_is_a_little_late_is_not_missed(stores: Stores) -> None:
    durable = await stores.open()
    due = await _schedule(durable, "skip", HOURLY, "skip")
    stores.clock.advance(HOUR + 299)

    assert ids(await begin(durable)) == [run_id("skip", due)], "up to five minutes are not late"
    assert await durable.scheduler.next_due() == due + HOUR, "and do not move those that follow"


async def to_schedule_again_changes_what_is_different(stores: Stores) -> None:
    durable = await stores.open()
    due = await _schedule(durable, "one", HOURLY)
    stores.clock.advance(HOUR / 2)

    assert await _schedule(durable, "one", HOURLY) == due, "asked again, the next run stays where it was"
    new = replace(_new("one", HOURLY), input='"new"', version=2, missed="skip")
    assert await durable.schedule(new) == due, "also where something else has changed"
    one = only(await durable.catalogue.schedules())
    assert (one.input, one.version, one.missed) == ("new", 2, "skip"), f"which is taken over; got {one}"
    again = await _schedule(durable, "one", Every(timedelta(hours=2)))
    assert again == stores.clock.time() + 2 * HOUR, "another rule begins anew"
    stores.clock.advance(9 * HOUR)
    assert await _schedule(durable, "one", Every(timedelta(hours=2))) == again, "what was missed stays due"
    assert ids(await begin(durable)) == [run_id("one", again)], "and is run"


async def a_clock_that_was_put_back_strands_no_schedule(stores: Stores) -> None:
    durable = await stores.open()
    due = await _schedule(durable, "one", HOURLY)
    stores.clock.jump_wall(1000 * HOUR)
    assert ids(await begin(durable)) == [run_id("one", due)], "a clock that is a month ahead makes it due"
    stores.clock.jump_wall(-1000 * HOUR)

    again = await _schedule(durable, "one", HOURLY)

    assert again == stores.clock.time() + HOUR, f"it must not wait for a month; the next run is at {again}"
    stores.clock.advance(HOUR)
    await begin(durable)
    assert await durable.scheduler.next_due() == again + HOUR, "a moment that has had its run has no second"


async def what_is_unscheduled_runs_no_more(stores: Stores) -> None:
    durable = await stores.open()
    due = await _schedule(durable, "one", HOURLY)
    stores.clock.advance(HOUR)
    await begin(durable)

    assert await durable.unschedule("one") is True, "there was one"
    assert await durable.unschedule("one") is False, "and is none any more"
    assert await durable.catalogue.schedules() == [], "in the list neither"
    assert await durable.scheduler.next_due() is None, "nor its timer"
    stores.clock.advance(HOUR)
    assert await begin(durable) == [], "so nothing is started"
    assert await state(durable, run_id("one", due)) == "running", "and what it has started stays"


async def what_is_switched_off_runs_when_it_is_on_again(stores: Stores) -> None:
    durable = await stores.open()
    due = await _schedule(durable, "one", HOURLY)

    assert await durable.switch_schedule("one", False) is True, "there is one"
    assert await durable.switch_schedule("another", False) is False, "and no other"
    off = only(await durable.catalogue.schedules())
    assert (off.on, off.due, off.rule) == (False, None, rule_text(HOURLY)), f"it is off; got {off}"
    stores.clock.advance(HOUR)
    assert await durable.scheduler.next_due() is None, "it has no timer"
    assert await begin(durable) == [], "and is not started"
    again = await _schedule(durable, "one", HOURLY)
    assert again == due + HOUR, f"scheduled again, it says when it would be due; got {again}"
    assert not only(await durable.catalogue.schedules()).on, "and stays off"
    assert await durable.scheduler.next_due() is None, "without a timer"
    stores.clock.advance(HOUR / 2)
    for _ in range(2):
        assert await durable.switch_schedule("one", True) is True
        assert await durable.scheduler.next_due() == due + 1.5 * HOUR, "on, it begins as a new one, once"
        stores.clock.advance(1)
    assert only(await durable.catalogue.schedules()).on, "and is on"
    stores.clock.advance(HOUR)
    assert ids(await begin(durable)) == [run_id("one", due + 1.5 * HOUR)], "and runs"


async def one_may_be_kept_switched_off(stores: Stores) -> None:
    durable = await stores.open()
    new = _new("one", HOURLY)

    due = await durable.schedule(replace(new, rule=switched(new.rule, on=False)))
    off = only(await durable.catalogue.schedules())
    assert (off.on, off.due, off.rule) == (False, None, new.rule), f"it is off from the start; got {off}"
    assert await durable.scheduler.next_due() is None, "and has no timer"
    assert await durable.switch_schedule("one", True) is True, "it is switched on"
    assert await durable.scheduler.next_due() == due, "and runs when it was said that it would"


async def a_new_schedule_is_heard_as_something_ready(stores: Stores) -> None:
    durable = await stores.open()
    heard: list[Signal] = []
    stop = durable.listen(heard.append)

    await _schedule(durable, "one", HOURLY)
    for _ in range(20):
        await asyncio.sleep(0)

    assert any(each.ready for each in heard), "a worker has to learn of the new timer"
    stop()


def _new(name: str, rule: Rule, missed: str = "once") -> NewSchedule:
    return NewSchedule(name, "job", 1, f'"{name}"', rule_text(rule), missed)


async def _schedule(durable: Durable, name: str, rule: Rule, missed: str = "once") -> float:
    return await durable.schedule(_new(name, rule, missed))
