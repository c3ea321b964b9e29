"""Attempts, timeouts and interrupted steps, over both stores."""

from __future__ import annotations

import asyncio
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from either import DAY, Either

from stepfast import Engine, Happened, InvalidInput, NotAllowed, Retry, Run, workflow
from stepfast.errors import DefinitionError
from stepfast.interfaces import Kind
from stepfast.state import Blocked, RetryWait

pytestmark = pytest.mark.usefixtures("quiet_loop")

calls: list[str] = []
script: dict[str, Any] = {}


@pytest.fixture(params=["sqlite", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Either:
    calls.clear()
    script.clear()
    return Either(request.param, tmp_path)


async def flaky(name: str) -> str:
    """Fails as often as the script says."""
    calls.append(name)
    if script.get(name, 0) > 0:
        script[name] -= 1
        raise ConnectionError("connection refused")
    return f"{name} done"


SLOWLY = Retry(attempts=4, first=timedelta(minutes=1), factor=10, most=timedelta(days=2), jitter=0)


@workflow("steps")
async def steps(run: Run) -> str:
    await run.step("before", flaky, "before")
    return await run.step("upload", flaky, "upload", retry=SLOWLY)


@workflow("body", retry=Retry(attempts=3, first=timedelta(hours=1), factor=2, jitter=0))
async def body(run: Run) -> str:
    await run.step("before", flaky, "before")
    return await run.step("upload", flaky, "upload")


async def attempts_of(engine: Engine, id: str) -> list[str]:
    return [each.name for each in await engine.history(id) if each.kind == Kind.ATTEMPT]


# --- retries ----------------------------------------------------------------------------------------


async def test_a_step_is_tried_again_after_longer_and_longer_waits(store: Either) -> None:
    script["upload"] = 3
    async with store.at_work([steps]) as engine:
        await engine.start(steps(), id="w")
        for attempt, wait in ((2, 60.0), (3, 600.0), (4, 6000.0)):
            retry = await store.retrying(engine, "w", attempt)
            assert retry == RetryWait("upload", retry.until, attempt, 4, "connection refused")
            assert retry.until.timestamp() == pytest.approx(store.clock.time() + wait)
            await store.pass_time(wait)
        assert await engine.handle("w").result() == "upload done"
        assert calls == ["before", *["upload"] * 4]
        (record,) = [each for each in await engine.history("w") if each.name == "upload"]
        assert record.attempts == 4
        said = [line.text for line in await engine.log("w")]
        assert [line.partition(";")[0] for line in said] == [
            f"attempt {n} of 4 failed: connection refused" for n in (1, 2, 3)
        ]


async def test_a_wait_survives_every_engine_and_the_count_is_not_reset(store: Either) -> None:
    script["upload"] = 3
    async with store.at_work([steps]) as engine:
        await engine.start(steps(), id="w")
        await store.until(engine, "w", "sleeping")
    for attempt, wait in ((3, 60.0), (4, 600.0)):
        async with store.at_work([steps]) as engine:
            await store.pass_time(wait)
            await store.retrying(engine, "w", attempt)
    async with store.at_work([steps]) as engine:
        await store.pass_time(6000.0)
        assert await engine.handle("w").result() == "upload done"
    assert calls == ["before", *["upload"] * 4]


async def test_the_last_attempt_fails_the_workflow_and_a_retry_by_a_person_begins_anew(store: Either) -> None:
    script["upload"] = 5
    async with store.at_work([steps]) as engine:
        await engine.start(steps(), id="w")
        for attempt in (2, 3, 4):
            await store.retrying(engine, "w", attempt)
            await store.pass_time(DAY)
        await store.until(engine, "w", "failed")
        details = await engine.get("w")
        assert details.failure is not None
        assert (details.failure.type, details.failure.message) == ("ConnectionError", "connection refused")
        assert details.failure.step == "upload" and "flaky" in details.failure.traceback
        assert await attempts_of(engine, "w") == ["1:upload", "2:upload", "3:upload"]
        await engine.retry("w")
        await store.retrying(engine, "w", 2)
        await store.pass_time(60)
        assert await engine.handle("w").result() == "upload done"
    assert calls.count("before") == 1


async def test_without_a_policy_a_failing_step_fails_the_workflow_at_once(store: Either) -> None:
    script["before"] = 1
    async with store.at_work([steps]) as engine:
        await engine.start(steps(), id="w")
        await store.until(engine, "w", "failed")
        assert await attempts_of(engine, "w") == []


async def test_what_a_policy_does_not_cover_fails_at_once(store: Either) -> None:
    @workflow("picky")
    async def picky(run: Run, on: str) -> str:
        kinds: dict[str, Any] = {
            "class": ValueError,
            "classes": (ValueError, KeyError),
            "function": lambda error: "timeout" in str(error),
        }
        return await run.step("upload", flaky, "upload", retry=Retry(attempts=9, on=kinds[on]))

    async with store.at_work([picky]) as engine:
        for on in ("class", "classes", "function"):
            script["upload"] = 1
            await engine.start(picky(on), id=on)
            await store.until(engine, on, "failed")
    assert calls == ["upload"] * 3


async def test_a_body_is_tried_again_behind_what_it_recorded(store: Either) -> None:
    script["upload"] = 2
    async with store.at_work([body]) as engine:
        await engine.start(body(), id="w")
        retry = await store.retrying(engine, "w", 2)
        assert retry == RetryWait("", retry.until, 2, 3, "connection refused")
        await store.pass_time(3600)
        await store.retrying(engine, "w", 3)
    async with store.at_work([body]) as engine:  # another program, before it is due
        await store.until(engine, "w", "sleeping")
        await store.pass_time(7200)
        assert await engine.handle("w").result() == "upload done"
    assert calls == ["before", *["upload"] * 3]


def test_the_waits_grow_up_to_the_longest_and_the_jitter_shortens_them() -> None:
    plain = Retry(first=timedelta(seconds=1), factor=3, most=timedelta(seconds=20), jitter=0)
    assert [plain.wait_after(n, "w") for n in (1, 2, 3, 4, 5000)] == [1, 3, 9, 20, 20]
    shaken = Retry(first=timedelta(seconds=100), jitter=0.5)
    waits = [shaken.wait_after(1, f"w{n}") for n in range(200)]
    assert 50 <= min(waits) < 60 and 90 < max(waits) <= 100
    assert waits == [shaken.wait_after(1, f"w{n}") for n in range(200)], "the same for the same attempt"


@pytest.mark.parametrize(
    "wrong",
    [
        {"attempts": 0},
        {"attempts": 1.5},
        {"first": timedelta(seconds=-1)},
        {"factor": 0.5},
        {"jitter": 2},
        {"on": "ValueError"},
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError, match=next(iter(wrong))):
        Retry(**wrong)


# --- timeouts ---------------------------------------------------------------------------------------


async def hang() -> str:
    calls.append("hang")
    try:
        await asyncio.Event().wait()
    finally:
        calls.append("cancelled")
    return "never"


def block() -> str:
    calls.append("block")
    script["may go"].wait(100)
    return "late"


@workflow("timed")
async def timed(run: Run, effect: str) -> str:
    does: Any = hang if effect == "hang" else block
    return await run.step(effect, does, timeout=timedelta(seconds=30))


async def test_an_async_step_is_cancelled_when_its_time_is_over(store: Either) -> None:
    async with store.at_work([timed]) as engine:
        await engine.start(timed("hang"), id="w")
        await store.until(engine, "w", "running")
        while calls != ["hang"]:
            await asyncio.sleep(0)
        await store.pass_time(29)
        assert calls == ["hang"]
        await store.pass_time(1)
        await store.until(engine, "w", "failed")
        failure = (await engine.get("w")).failure
        assert failure is not None and failure.type.endswith("StepTimedOut") and "30 s" in failure.message
    assert calls == ["hang", "cancelled"]


async def test_a_thread_is_left_behind_and_its_late_result_is_refused(store: Either) -> None:
    script["may go"] = threading.Event()
    async with store.at_work([timed]) as engine:
        await engine.start(timed("block"), id="w")
        while calls != ["block"]:
            await asyncio.sleep(0.001)
        await store.pass_time(30)
        await store.until(engine, "w", "failed")
        script["may go"].set()
        assert [each.kind for each in await engine.history("w")] == []
        failure = (await engine.get("w")).failure
        assert failure is not None and failure.type.endswith("StepTimedOut")


async def test_what_timed_out_is_tried_again_by_its_policy(store: Either) -> None:
    @workflow("patient")
    async def patient(run: Run) -> str:
        async def second_time() -> str:
            if calls.count("hang") < 1:
                return await hang()
            return "done"

        again = Retry(attempts=2, first=timedelta(seconds=5), jitter=0)
        return await run.step("slow", second_time, timeout=timedelta(seconds=30), retry=again)

    async with store.at_work([patient]) as engine:
        await engine.start(patient(), id="w")
        while calls != ["hang"]:
            await asyncio.sleep(0)
        await store.pass_time(30)
        assert "took longer" in (await store.retrying(engine, "w", 2)).error
        await store.pass_time(5)
        assert await engine.handle("w").result() == "done"


@workflow("short", timeout=timedelta(hours=1))
async def short(run: Run, what: str) -> str:
    if what == "sleep":
        await run.sleep("long", timedelta(days=1))
    elif what == "wait":
        await run.awaiting("never")
    else:
        await run.step("hang", hang)
    return "done"


@pytest.mark.parametrize("what", ["sleep", "wait", "step"])
async def test_a_workflow_fails_when_its_time_is_over_whatever_it_does(store: Either, what: str) -> None:
    async with store.at_work([short]) as engine:
        await engine.start(short(what), id="w")
        await store.until(engine, "w", *(("running",) if what == "step" else ("sleeping", "waiting")))
        await store.pass_time(3599)
        assert (await engine.summary("w")).state.name in ("sleeping", "waiting", "running")
        await store.pass_time(1)
        await store.until(engine, "w", "failed")
        failure = (await engine.get("w")).failure
        assert failure is not None and failure.type.endswith("WorkflowTimedOut")
        # Tried again by a person, it has its time anew.
        await engine.retry("w")
        await store.until(engine, "w", "sleeping", "waiting", "running")
        await store.pass_time(1800)
        assert (await engine.summary("w")).state.name in ("sleeping", "waiting", "running")


# --- interrupted ------------------------------------------------------------------------------------


async def pay() -> str:
    calls.append("pay")
    if script.get("dies"):
        await asyncio.Event().wait()
    return "receipt 7"


def look() -> Happened | None:
    calls.append("look")
    return Happened("receipt found") if script.get("paid") else None


@workflow("paying")
async def paying(run: Run, looks: bool = False) -> str:
    return await run.step("pay", pay, on_interrupt=look if looks else "ask")


async def interrupted(store: Either, request: Any) -> None:
    """The engine dies while the step runs: what it holds is taken over by the next one."""
    script["dies"] = True
    async with store.at_work([paying]) as engine:
        await engine.start(request, id="w")
        while calls != ["pay"]:
            await asyncio.sleep(0)
        # As a kill leaves it: no word of how the step ended.
        worker: Any = engine._worker
        (active,) = worker._advancing.active
        active.attempt._run.doing.keep_attempt = _nothing
    script["dies"] = False


async def _nothing(*_: object) -> None:
    pass


async def test_an_interrupted_step_blocks_its_workflow_until_somebody_says_that_it_happened(
    store: Either,
) -> None:
    await interrupted(store, paying())
    async with store.at_work([paying]) as engine:
        assert await store.until(engine, "w", "blocked") == Blocked("pay")
        await engine.until_idle()
        with pytest.raises(InvalidInput, match="was not interrupted; 'pay' was"):
            await engine.answer("w", "other", "again")
        with pytest.raises(InvalidInput, match="says nothing"):
            await engine.answer("w", "pay", "yes")  # type: ignore[arg-type]
        await engine.answer("w", "pay", Happened("receipt 7, by hand"))
        assert await engine.handle("w").result() == "receipt 7, by hand"
        with pytest.raises(Exception, match="already completed"):
            await engine.answer("w", "pay", "again")
    assert calls == ["pay"]


async def test_or_that_it_is_to_run_again(store: Either) -> None:
    await interrupted(store, paying())
    async with store.at_work([paying]) as engine:
        await store.until(engine, "w", "blocked")
        await engine.answer("w", "pay", "again")
        assert await engine.handle("w").result() == "receipt 7"
    assert calls == ["pay", "pay"]


async def test_or_to_give_it_up_and_a_retry_runs_it_again(store: Either) -> None:
    await interrupted(store, paying())
    async with store.at_work([paying]) as engine:
        await store.until(engine, "w", "blocked")
        await engine.answer("w", "pay", "give up")
        await store.until(engine, "w", "failed")
        failure = (await engine.get("w")).failure
        assert failure is not None and failure.type.endswith("StepInterrupted")
        assert calls == ["pay"]
        with pytest.raises(Exception, match="already failed"):
            await engine.answer("w", "pay", "again")
        await engine.retry("w")
        assert await engine.handle("w").result() == "receipt 7"
    assert calls == ["pay", "pay"]


@pytest.mark.parametrize("paid", [True, False])
async def test_a_function_that_looks_finds_out_by_itself(store: Either, paid: bool) -> None:
    script["paid"] = paid
    await interrupted(store, paying(looks=True))
    async with store.at_work([paying]) as engine:
        assert await engine.handle("w").result() == ("receipt found" if paid else "receipt 7")
    assert calls == (["pay", "look"] if paid else ["pay", "look", "pay"])


async def test_a_step_that_was_stopped_was_not_interrupted(store: Either) -> None:
    script["dies"] = True
    async with store.at_work([paying]) as engine:
        await engine.start(paying(), id="w")
        while calls != ["pay"]:
            await asyncio.sleep(0)
    script["dies"] = False
    async with store.at_work([paying]) as engine:
        assert await engine.handle("w").result() == "receipt 7"
    assert calls == ["pay", "pay"]


async def test_nothing_is_asked_of_a_workflow_that_is_not_blocked(store: Either) -> None:
    async with store.at_work([paying]) as engine:
        await engine.start(paying(), id="w", at=timedelta(hours=1))
        with pytest.raises(NotAllowed, match="is sleeping, so nothing is asked"):
            await engine.answer("w", "pay", "again")


# --- what a body that changed leaves behind ---------------------------------------------------------


async def test_a_pass_that_no_longer_reaches_recorded_steps_says_which(store: Either) -> None:
    names = ["one", "two"]

    @workflow("changing")
    async def changing(run: Run) -> None:
        for name in names:
            await run.step(name, flaky, name)
        await run.awaiting("go")

    async with store.at_work([changing]) as engine:
        await engine.start(changing(), id="w")
        await store.until(engine, "w", "waiting")
        names[:] = ["one", "three"]
        await engine.arrive("w", "go", True)
        await store.until(engine, "w", "completed")
        (line,) = await engine.log("w")
        assert line.level == "warning" and "1 steps that are recorded were not reached" in line.text
        assert "'two'" in line.text


async def test_what_was_started_under_an_older_name_goes_on_under_the_new_one(store: Either) -> None:
    @workflow("old-name", version=2)
    async def old(run: Run) -> str:
        return str(await run.awaiting("word"))

    @workflow("new-name", version=3, accepts=[2], formerly=["old-name"])
    async def new(run: Run) -> str:
        return "new: " + str(await run.awaiting("word"))

    async with store.at_work([old]) as engine:
        await engine.start(old(), id="w")
        await store.until(engine, "w", "waiting")
    async with store.at_work([new]) as engine:
        await engine.arrive("w", "word", "yes")
        assert await engine.handle("w").result() == "new: yes"
        assert (await engine.summary("w")).name == "old-name"


# --- again from a step on ---------------------------------------------------------------------------


async def test_a_workflow_runs_again_from_a_step_on_as_a_new_one(store: Either) -> None:
    async with store.at_work([steps]) as engine:
        await engine.start(steps(), id="w")
        assert await engine.handle("w").result() == "upload done"
        again = await engine.rerun("w", "upload", new_id="w2")
        assert await again.result() == "upload done"
        assert calls == ["before", "upload", "upload"], "what was recorded before the step is not done again"
        assert (await engine.summary("w")).state.name == "completed"
        with pytest.raises(InvalidInput, match="has no step 'lunch'; the last it has are 'before', 'upload'"):
            await engine.rerun("w", "lunch")
        unnamed = await engine.rerun("w", "before")
        assert unnamed.id.startswith("w-") and await unnamed.result() == "upload done"


async def test_a_failed_one_runs_again_from_where_it_failed(store: Either) -> None:
    script["before"] = 1
    async with store.at_work([steps]) as engine:
        await engine.start(steps(), id="w")
        await store.until(engine, "w", "failed")
        again = await engine.rerun("w", "before")
        assert await again.result() == "upload done"
        assert (await engine.summary("w")).state.name == "failed"


# --- how far it is ----------------------------------------------------------------------------------


async def test_how_far_it_was_when_it_was_started_last_is_known(store: Either) -> None:
    @workflow("moving")
    async def moving(run: Run) -> None:
        for number in range(script["from"], 100):
            run.progress(number, 100)
            await run.step(f"step {number}", script["does"])

    async def until_40() -> None:
        calls.append("step")
        if len(calls) >= 40:
            await asyncio.Event().wait()

    script.update({"from": 0, "does": until_40})
    began = store.clock.time()
    async with store.at_work([moving]) as engine:
        await engine.start(moving(), id="w")
        while len(calls) < 40:
            await asyncio.sleep(0)
    async with store.at_work([]) as engine:
        progress = (await engine.summary("w")).progress
        assert progress is not None
        assert (progress.done, progress.from_done, progress.from_at) == (39, 0, began)
    store.clock.advance(1000)
    script["from"] = 39
    async with store.at_work([moving]) as engine:
        await store.until(engine, "w", "running")
        while len(calls) < 41:
            await asyncio.sleep(0)
    async with store.at_work([]) as engine:
        progress = (await engine.summary("w")).progress
        assert progress is not None
        assert (progress.done, progress.from_done, progress.from_at) == (39, 39, began + 1000)


async def test_what_is_only_replayed_is_no_measure_of_how_fast_it_goes(store: Either) -> None:
    @workflow("replayed")
    async def replayed(run: Run) -> None:
        for number in range(100):
            run.progress(number, 100)
            await run.step(f"step {number}", one_more)

    async def one_more() -> None:
        calls.append("step")
        if len(calls) in (40, 41, 51):
            await asyncio.Event().wait()
        if len(calls) > 41:
            store.clock.advance(1)

    for times, done, since in ((40, 39, 0), (41, 39, 39), (51, 48, 39)):
        store.clock.advance(1000)
        began = store.clock.time()
        async with store.at_work([replayed]) as engine:
            if times == 40:
                await engine.start(replayed(), id="w")
            while len(calls) < times:
                await asyncio.sleep(0)
        async with store.at_work([]) as engine:
            progress = (await engine.summary("w")).progress
            assert progress is not None
            assert (progress.done, progress.from_done, progress.from_at) == (done, since, began)


async def test_what_no_definition_accepts_goes_on_only_when_it_is_said(store: Either) -> None:
    @workflow("growing", version=1)
    async def old(run: Run) -> str:
        await run.step("one", flaky, "one")
        return str(await run.awaiting("word"))

    @workflow("growing", version=3)
    async def new(run: Run) -> str:
        await run.step("one", flaky, "never")
        await run.step("two", flaky, "two")
        return "new: " + str(await run.awaiting("word"))

    async with store.at_work([old]) as engine:
        await engine.start(old(), id="w")
        await store.until(engine, "w", "waiting")
    async with store.at_work([new]) as engine:
        await engine.arrive("w", "word", "yes")
        await engine.until_idle()
        assert (await engine.summary("w")).state.name == "queued", "an edit of the source does not take it up"
        assert await engine.continue_anyway("w") == 3
        assert await engine.handle("w").result() == "new: yes"
    assert calls == ["one", "two"]
