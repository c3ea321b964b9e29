"""An engine that carries nothing out hears of what others commit, from when somebody asks it to."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from stepfast import Engine, Run, workflow
from stepfast.sqlite.engines.owners import owners_folder

SECONDS = 60


@workflow("asks")
async def asks(run: Run) -> object:
    return await run.awaiting("what")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "work.db"


@pytest.fixture(autouse=True)
def nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is heard is heard by a doorbell."""
    monkeypatch.setattr("stepfast.attending.NET_SECONDS", 3600.0)
    monkeypatch.setattr("stepfast.attending.LOOK_SECONDS", 3600.0)


@asynccontextmanager
async def client(path: Path, kind: type[Engine] = Engine) -> AsyncIterator[Engine]:
    async with asyncio.timeout(SECONDS), kind.open(path, work=False) as engine:
        yield engine


def owners(path: Path) -> int:
    """How many are registered."""
    with closing(sqlite3.connect(path)) as connection:
        ((count,),) = connection.execute("SELECT count(*) FROM stepfast_owners")
    return int(count)


class Ear:
    def __init__(self, engine: Engine) -> None:
        self.heard = asyncio.Event()
        self.engine = engine
        self.stop = engine.listen(lambda _signal: self.heard.set())

    async def sees(self, **states: str) -> None:
        """Until the rows are in these states, looking only when something was heard."""
        while {row.id: row.state.name for row in await self.engine.list()} != states:
            await self.heard.wait()
            self.heard.clear()


async def registered(path: Path, count: int) -> None:
    while owners(path) != count:
        await asyncio.sleep(0.01)


async def test_a_result_of_another_program_is_told_and_not_looked_for(path: Path) -> None:
    async with client(path) as here, Engine.open(path, [asks]) as there:
        handle = await there.start(asks(), id="one")
        result = asyncio.ensure_future(here.handle("one").result())
        await registered(path, 2)
        await here.arrive("one", "what", "this")
        assert await result == "this"
        assert await handle.result() == "this"


async def test_a_listener_is_told_of_what_others_commit_until_the_end(path: Path) -> None:
    async with client(path) as here, client(path) as other:
        ear = Ear(here)
        await registered(path, 1)
        async with Engine.open(path, [asks]) as there:
            await there.start(asks(), id="one")
            await ear.sees(one="waiting")
            await there.pause("one")
            await ear.sees(one="paused")
        await other.cancel("one")  # nobody rings that one, and it rings who is there
        await ear.sees(one="cancelled")
        ear.stop()
        Ear(here)
    assert owners(path) == 0
    assert [each.name for each in threading.enumerate() if "doorbell" in each.name] == []


async def test_who_does_not_ask_to_be_told_writes_nothing_about_himself(path: Path) -> None:
    async with client(path) as here:
        assert await here.list() == []
        assert owners(path) == 0


async def test_whose_row_was_taken_away_has_another_one_soon(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepfast.attending.NET_SECONDS", 0.05)
    async with client(path) as here, Engine.open(path, [asks]) as there:
        ear = Ear(here)
        await registered(path, 2)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(
                "DELETE FROM stepfast_owners WHERE key NOT IN (SELECT owner FROM stepfast_offers)"
            )
        await registered(path, 2)
        await there.start(asks(), id="one")
        await ear.sees(one="waiting")


async def test_where_no_lock_file_can_be_kept_it_looks(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepfast.attending.LOOK_SECONDS", 0.05)
    async with client(path) as here, client(path) as there:
        aside = owners_folder(path).rename(tmp_path / "aside")
        owners_folder(path).write_text("in the way")
        ear = Ear(here)
        await there.durable.start("one", "asks", 1, "[]")
        await ear.sees(one="queued")
        assert owners(path) == 0
        owners_folder(path).unlink()
        aside.rename(owners_folder(path))
        await registered(path, 1)


async def test_one_that_must_write_nothing_looks(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Onlooker(Engine):
        registers = False

    monkeypatch.setattr("stepfast.attending.LOOK_SECONDS", 0.05)
    async with client(path, Onlooker) as here, client(path) as there:
        ear = Ear(here)
        await there.durable.start("one", "asks", 1, "[]")
        await ear.sees(one="queued")
        assert owners(path) == 0
