"""Engines on one file hear each other, whoever came first and however late they learn of it."""

from __future__ import annotations

import asyncio
import queue
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine, Run, workflow
from stepfast.sqlite.engines.doorbell import Doorbell, Ringer
from stepfast.testing import VirtualClock

pytestmark = pytest.mark.usefixtures("quiet_loop")

SOON = 60.0  # seconds; each engine has a clock that stands still, so no slow look finds it


@workflow("hear")
async def hear(run: Run) -> Any:
    return await run.receive("one")


def opened(folder: Path, *definitions: Any, **options: Any) -> Any:
    return Engine.open(folder / "work.db", *definitions, clock=VirtualClock(), **options)


async def waiting(engine: Engine, id: str) -> None:
    handle = await engine.start(hear(), id=id)
    while (await handle.summary()).state.name != "waiting":
        await asyncio.sleep(0)


async def test_a_client_that_was_there_first_is_heard(tmp_path: Path) -> None:
    async with opened(tmp_path, work=False) as client:
        await client.list()
        async with opened(tmp_path, [hear]) as worker:
            await waiting(worker, "w")
            await client.deliver("w", 1)
            async with asyncio.timeout(SOON):
                assert await worker.handle("w").result() == 1


async def test_what_was_committed_before_a_newcomer_was_known_is_rung_once_it_is(tmp_path: Path) -> None:
    async with opened(tmp_path, []) as first:
        await first.until_idle()
        neighbours = first.durable._store.neighbours  # type: ignore[attr-defined]
        heard, rung = neighbours._heard, list[bool]()
        neighbours._heard = lambda: rung.append(True)  # it does not get round to looking yet
        async with opened(tmp_path, [hear]) as newcomer:
            await waiting(newcomer, "w")
            await first.deliver("w", 1)
            async with asyncio.timeout(SOON):
                while not rung:
                    await asyncio.sleep(0.001)
            neighbours._heard = heard
            heard()
            async with asyncio.timeout(SOON):
                assert await newcomer.handle("w").result() == 1


async def test_an_end_rings_at_once_and_those_that_follow_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("GATHER_SECONDS", "ENDS_SECONDS"):
        monkeypatch.setattr(f"stepfast.sqlite.engines.doorbell.{name}", 3600.0)
    heard: queue.SimpleQueue[None] = queue.SimpleQueue()
    bell, ringer = Doorbell(lambda: heard.put(None)), Ringer()
    ringer.know([bell.address])

    ringer.ring(urgent=False)  # a step
    ringer.ring(urgent=False, moved=True)
    heard.get(timeout=SOON)
    ringer.ring(urgent=False, moved=True)
    ringer.ring(urgent=False)
    ringer.ring(urgent=True)
    heard.get(timeout=SOON)
    ringer.ring(urgent=False, moved=True)
    ringer.close()  # which rings for what is gathered
    heard.get(timeout=SOON)
    bell.close()
    assert heard.empty(), "in order, as they came; and no more than these"
