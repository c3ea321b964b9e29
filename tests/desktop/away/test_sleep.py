"""The computer sleeps once what is under way is written; and it sleeps and shuts down when told to."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
from desktop import LOGIN
from private_bus import DAEMONS

from stepfast_desktop.away import sleep as module
from stepfast_desktop.away.bus import Bus
from stepfast_desktop.away.power import power
from stepfast_desktop.away.sleep import Sleep
from stepfast_desktop.viewmodels.away.when_done import PowerFailed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the bus is Linux's")


class Work:
    """What is done before and after."""

    def __init__(self) -> None:
        self.asked, self.done, self.woken = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.error: Exception | None = None

    async def before(self) -> None:
        self.asked.set()
        await self.done.wait()
        if self.error is not None:
            raise self.error

    def after(self) -> None:
        self.woken.set()


@pytest.fixture
async def work() -> Work:
    return Work()


@pytest.fixture
async def sleep(work: Work) -> AsyncIterator[Sleep]:
    system = Bus("system")
    sleep = Sleep(system, work.before, work.after)
    yield sleep
    await sleep.close()
    await system.close()


async def test_the_lock_is_held_until_all_is_written_and_again_after_waking(
    services: Any, work: Work, sleep: Sleep
) -> None:
    logind = await services(LOGIN)
    sleep.start()
    await logind.until_held("sleep/delay")
    logind.tell("sleep", begin=True)
    async with asyncio.timeout(60):
        await work.asked.wait()
    assert await logind.held() == ["sleep/delay"]  # it waits
    work.done.set()
    await logind.until_held()
    assert not work.woken.is_set()
    logind.tell("sleep", begin=False)
    await logind.until_held("sleep/delay")
    assert work.woken.is_set()
    await sleep.close()
    await logind.until_held()


async def test_what_cannot_be_written_does_not_keep_it_awake(
    services: Any, work: Work, sleep: Sleep, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO, "stepfast")
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    logind = await services(LOGIN)
    sleep.start()
    for number in range(2):
        await logind.until_held("sleep/delay")
        logind.tell("sleep", begin=True)
        await logind.until_held()
        work.error = OSError("the disk is full")  # once too slow, once with an error
        work.done.set()
        logind.tell("sleep", begin=False)
        await logind.until("Inhibit", number + 2)
    assert [each.levelname for each in caplog.records if each.name == "stepfast"] == ["INFO", "INFO"]


async def test_without_logind_it_is_said_once_and_found_when_it_comes(
    services: Any, work: Work, sleep: Sleep, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO, "stepfast")
    monkeypatch.setattr(module, "AGAIN", 0.02)
    sleep.start()
    async with asyncio.timeout(60):
        while not [each for each in caplog.records if each.name == "stepfast"]:
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)  # a few tries more
    assert not sleep.delays
    logind = await services(LOGIN)
    await logind.until_held("sleep/delay")
    assert [each.levelname for each in caplog.records if each.name == "stepfast"] == ["INFO"]


async def test_a_bus_that_ends_is_missed_and_tried_again(
    services: Any, work: Work, sleep: Sleep, bus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AGAIN", 0.02)
    await services(LOGIN)
    sleep.start()
    async with asyncio.timeout(60):
        while not sleep.delays:
            await asyncio.sleep(0.01)
        DAEMONS[bus].kill()
        while sleep.delays:
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    assert sleep._task is not None and not sleep._task.done()
    assert not work.woken.is_set()  # that was no waking


async def test_it_sleeps_and_shuts_down_when_it_is_told_to(services: Any) -> None:
    logind = await services(LOGIN)
    system = Bus("system")
    await power(system, "nothing")
    await power(system, "sleep")
    await power(system, "shut-down")
    assert await logind.all_asked("Suspend") == [[True]]
    assert await logind.all_asked("PowerOff") == [[True]]
    await system.close()


async def test_a_refusal_says_why(no_bus: None) -> None:
    system = Bus("system")
    with pytest.raises(PowerFailed, match="no system bus"):
        await power(system, "sleep")
    await system.close()
