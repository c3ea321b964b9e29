"""The start at login is offered once, where it would have helped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine, Run, SqliteDurable, workflow
from stepfast_desktop.settings import Settings
from stepfast_desktop.viewmodels.leaving.login_start import LoginStartViewModel
from stepfast_desktop.viewmodels.notices import Notices
from stepfast_desktop.viewmodels.preferences import Preferences


@workflow("sleeping")
async def sleeping(run: Run) -> None:
    await run.sleep("long", timedelta(days=1))


class Switch:
    """A start at login in memory."""

    on = False
    stuck = False

    def is_on(self) -> bool:
        return self.on

    def turn(self, on: bool) -> None:
        if self.stuck:
            raise OSError("the disk is full")
        self.on = on


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    async with Engine.open(tmp_path / "work.db", [sleeping]) as engine:
        await engine.start(sleeping(), id="one")
        yield engine


def model(folder: Path, switch: Switch) -> LoginStartViewModel:
    settings = Settings(folder, folder / "settings.json")
    return LoginStartViewModel(switch, Preferences(settings), Notices())


SINCE = datetime.now(UTC) + timedelta(hours=1)  # a start of the computer after what was begun here


async def test_it_is_offered_with_a_button_that_does_it(tmp_path: Path, engine: Engine) -> None:
    switch = Switch()
    offering = model(tmp_path, switch)
    await offering.offer(engine, SINCE)
    (notice,) = offering._notices.shown
    assert "1 workflow stood still since the computer was started" in notice.text
    offering._notices.press(notice.key, 0)
    assert switch.on and offering._notices.shown == ()


async def test_however_late_this_program_says_what_it_can_do_it_is_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, offer = asyncio.Event(), SqliteDurable.offer

    async def late(durable: SqliteDurable, *given: Any) -> None:
        await said.wait()
        await offer(durable, *given)

    monkeypatch.setattr(SqliteDurable, "offer", late)
    async with Engine.open(tmp_path / "work.db", [sleeping]) as engine:
        await engine.start(sleeping(), id="one")
        offering = model(tmp_path, Switch())
        asked = asyncio.create_task(offering.offer(engine, SINCE))
        await asyncio.sleep(0.05)  # long enough for one who does not wait
        assert not engine.begun
        said.set()
        await asked
    assert len(offering._notices.shown) == 1


async def test_whoever_closes_it_is_not_asked_again(tmp_path: Path, engine: Engine) -> None:
    offering = model(tmp_path, Switch())
    await offering.offer(engine, SINCE)
    offering._notices.close("login-start")
    offering = model(tmp_path, Switch())
    await offering.offer(engine, SINCE)
    assert offering._notices.shown == ()


async def test_where_it_would_not_have_helped_it_is_not_offered(tmp_path: Path, engine: Engine) -> None:
    offering = model(tmp_path, Switch())
    await offering.offer(engine, datetime.now(UTC) - timedelta(hours=1))
    assert offering._notices.shown == (), "it was begun since then"
    async with Engine.open(tmp_path / "work.db", [sleeping]):
        async with asyncio.timeout(60):
            while len({each.owner for each in await engine.offers()}) < 2:
                await asyncio.sleep(0.01)
        await offering.offer(engine, SINCE)
    assert offering._notices.shown == (), "another program was at work"
    await engine.cancel("one")
    await offering.offer(engine, SINCE)
    assert offering._notices.shown == (), "nothing is pending"


async def test_what_keeps_it_from_being_set_is_said(tmp_path: Path) -> None:
    switch = Switch()
    switch.stuck = True
    offering = model(tmp_path, switch)
    told: list[bool] = []
    offering.changed.connect(lambda: told.append(offering.on))
    assert not offering.turn(True)
    (notice,) = offering._notices.shown
    assert notice.severity == "error" and notice.text.endswith("the disk is full")
    assert told == [False]
