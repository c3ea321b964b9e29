"""A workflow that is cancelled tidies up in a pass of its own, over both stores."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from either import Either

from stepfast import Retry, Run, WorkflowCancelled, workflow
from stepfast.errors import DefinitionError

pytestmark = pytest.mark.usefixtures("quiet_loop")

done: list[str] = []
script: dict[str, Any] = {}


@pytest.fixture(params=["sqlite", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Either:
    done.clear()
    script.clear()
    return Either(request.param, tmp_path)


async def do(what: str) -> str:
    done.append(what)
    if script.get(what, 0) > 0:
        script[what] -= 1
        raise OSError("no room")
    return what


async def hang() -> None:
    done.append("hang")
    await asyncio.Event().wait()


@workflow("renting")
async def renting(run: Run, machine: str, hours: int = 1) -> str:
    await run.step("rent", do, f"rent {machine}")
    if hours > 1:
        await run.step("use", hang)
    return str(await run.awaiting("done"))


@renting.on_cancel
async def give_back(run: Run, machine: str) -> None:
    await run.step(
        "rent", do, f"end {machine}", retry=Retry(attempts=2, first=timedelta(minutes=1), jitter=0)
    )
    await run.sleep("let it cool", timedelta(hours=1))
    await run.step("bill", do, "bill")


@pytest.mark.parametrize("hours", [1, 2], ids=["while it waits", "while a step runs"])
async def test_it_tidies_up_with_steps_and_sleeps_of_its_own(store: Either, hours: int) -> None:
    async with store.at_work([renting]) as engine:
        handle = await engine.start(renting("m1", hours), id="w")
        await store.until(engine, "w", "waiting" if hours == 1 else "running")
        while hours == 2 and "hang" not in done:
            await asyncio.sleep(0)
        await engine.cancel("w")
        await store.until(engine, "w", "sleeping")
        assert (await engine.summary("w")).intent == "cancel", "a list says that it is being cancelled"
        used = [] if hours == 1 else ["hang"]
        assert done == ["rent m1", *used, "end m1"], "a name of the body's is not its own"
    async with store.at_work([renting]) as engine:  # another program goes on with it
        await store.pass_time(3600)
        await store.until(engine, "w", "cancelled")
        assert done == ["rent m1", *used, "end m1", "bill"]
        with pytest.raises(WorkflowCancelled):
            await engine.handle("w").result()
        # Taken up again, it goes on with the body, behind what that has recorded.
        await engine.retry("w")
        await store.until(engine, "w", "waiting" if hours == 1 else "running")
        assert done.count("rent m1") == 1
    assert handle.id == "w"


async def test_a_clean_up_is_tried_again_and_one_that_failed_is_gone_on_with(store: Either) -> None:
    script["end m1"] = 2
    async with store.at_work([renting]) as engine:
        await engine.start(renting("m1"), id="w")
        await store.until(engine, "w", "waiting")
        await engine.cancel("w")
        await store.retrying(engine, "w", 2)
        await store.pass_time(60)
        await store.until(engine, "w", "failed")
        failure = (await engine.get("w")).failure
        assert failure is not None and failure.message == "no room"
        await engine.retry("w")
        await store.until(engine, "w", "sleeping")
        assert done == ["rent m1", "end m1", "end m1", "end m1"]


async def test_cancelled_once_more_it_is_given_up(store: Either) -> None:
    async with store.at_work([renting]) as engine:
        await engine.start(renting("m1"), id="w")
        await store.until(engine, "w", "waiting")
        await engine.cancel("w")
        await store.until(engine, "w", "sleeping")
        assert await engine.cancel("w") == "cancelled"
        assert done == ["rent m1", "end m1"]


async def test_a_program_whose_definition_tidies_up_no_more_cancels_at_once(store: Either) -> None:
    @workflow("renting")
    async def plain(run: Run, machine: str, hours: int = 1) -> str:
        return str(await run.awaiting("done"))

    async with store.at_work([renting]) as engine:
        await engine.start(renting("m1"), id="w", at=timedelta(hours=1))
        await engine.until_idle()
    async with store.at_work([plain]) as engine:
        await engine.cancel("w")
        await store.until(engine, "w", "cancelled")
    assert done == []


def test_what_cannot_tidy_up_is_refused() -> None:
    @workflow("strict")
    async def strict(run: Run, machine: str) -> None: ...

    with pytest.raises(DefinitionError, match="must be an `async def` function"):
        strict.on_cancel(lambda run: None)  # type: ignore[arg-type, return-value]
    with pytest.raises(DefinitionError, match="asks for 'other', which is no input of the body"):

        @strict.on_cancel
        async def wrong(run: Run, other: str) -> None: ...

    @strict.on_cancel
    async def right(run: Run) -> None: ...

    with pytest.raises(DefinitionError, match="has an on_cancel already"):
        strict.on_cancel(right)


@pytest.mark.parametrize("name", ["on_cancel:rent", "on_cancel:läßt"])
async def test_a_name_of_the_clean_ups_is_refused_to_a_body(store: Either, name: str) -> None:
    @workflow("cheating")
    async def cheating(run: Run) -> None:
        await run.step(name, do, "x")

    async with store.at_work([cheating]) as engine:
        await engine.start(cheating(), id="w")
        await store.until(engine, "w", "failed")
    assert done == []
