"""How an engine becomes an owner and ceases to be one, where it is interrupted or finds its row gone."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stepfast import SqliteDurable, connect
from stepfast.interfaces import Offered, Signal
from stepfast.sqlite import store
from stepfast.sqlite.engines.owners import owners_folder
from stepfast.system.locks import LockState, probe
from stepfast.testing import VirtualClock

pytestmark = pytest.mark.usefixtures("quiet_loop")

OFFERED = [Offered("job", 1)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "work.db"


@pytest.fixture
async def durable(path: Path) -> AsyncIterator[SqliteDurable]:
    durable = await connect(path, clock=VirtualClock())
    yield durable
    await durable.close()


def owners(path: Path) -> dict[int, str]:
    """The lock file of each owner that is registered, by its key."""
    with closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("SELECT key, file FROM stepfast_owners").fetchall())


def send_away(path: Path) -> None:
    """What another engine does to one that was silent for a lease."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM stepfast_offers")
        connection.execute("DELETE FROM stepfast_owners")


def lock_files(path: Path) -> set[str]:
    folder = owners_folder(path)
    return {each for each in os.listdir(folder) if each[0].isdigit()} if folder.exists() else set()


async def registered_for_nobody(durable: SqliteDurable) -> asyncio.Future[int]:
    """Its registration is on its way to the file, and who asked for it has been cancelled."""
    offering = asyncio.ensure_future(durable.offer(OFFERED))
    while (registration := durable._store._registration) is None:
        await asyncio.sleep(0)
    offering.cancel()
    with pytest.raises(asyncio.CancelledError):
        await offering
    return registration


def told(durable: SqliteDurable) -> list[Signal]:
    signals: list[Signal] = []
    durable.listen(signals.append)
    return signals


# --- interrupted ----------------------------------------------------------------------------------


async def test_a_registration_whose_caller_has_gone_is_ended_by_closing(path: Path) -> None:
    durable = await connect(path, clock=VirtualClock())
    await registered_for_nobody(durable)
    await durable.close()
    assert owners(path) == {}
    assert lock_files(path) == set()


async def test_an_engine_whose_caller_has_gone_knows_its_own_row(durable: SqliteDurable, path: Path) -> None:
    await (await registered_for_nobody(durable))
    await durable.takeover()
    assert [*owners(path)] == [durable._store.owner] == [durable._store.neighbours.me]
    assert durable._store.neighbours._peers == []
    await durable.offer(OFFERED)
    assert [*owners(path)] == [durable._store.owner]


# --- sent away ------------------------------------------------------------------------------------


@pytest.mark.parametrize("look", ["beat", "takeover"])
async def test_one_that_finds_its_row_gone_says_so_and_registers_anew(
    durable: SqliteDurable, path: Path, look: str
) -> None:
    await durable.offer(OFFERED)
    ((old, file),) = owners(path).items()
    send_away(path)
    signals = told(durable)
    await getattr(durable, look)()
    assert [(each.keys, each.ready) for each in signals] == [(None, True)]
    assert lock_files(path) == set()
    assert await durable.begin(OFFERED, 1) == []
    ((new, other),) = owners(path).items()
    assert new > old and other != file and lock_files(path) == {other}
    assert [each.owner for each in await durable.catalogue.offers()] == [new]


async def test_a_beat_does_not_bring_a_row_back(durable: SqliteDurable, path: Path) -> None:
    await durable.offer(OFFERED)
    send_away(path)
    for _ in range(3):
        await durable.beat()
    assert owners(path) == {}


async def test_who_goes_without_being_able_to_say_so_is_seen_to_be_dead(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> Any:
        raise OSError("the disk is full")

    durable = await connect(path, clock=VirtualClock())
    await durable.offer(OFFERED)
    with monkeypatch.context() as patched:
        patched.setattr(store, "remove_owner", fails)
        await durable.close()
    ((_, file),) = owners(path).items()
    assert probe(owners_folder(path) / file) is LockState.FREE
    other = await connect(path, clock=VirtualClock())
    await other.takeover()
    assert owners(path) == {}
    assert lock_files(path) == set()
    await other.close()


# --- looking at the others ------------------------------------------------------------------------


async def test_who_has_not_seen_the_others_yet_looks_again_soon(durable: SqliteDurable) -> None:
    soon = durable.look_every
    await durable.takeover()
    assert durable.look_every > soon  # it is alone


async def test_the_dead_are_found_once(durable: SqliteDurable, path: Path) -> None:
    """After a takeover the list of those who are there is read again, so that nobody asks for long."""
    other = await connect(path, clock=VirtualClock())
    await other.offer(OFFERED)
    await durable.takeover()
    other._store._presence.leave(registered=True)  # type: ignore[union-attr]
    for _ in range(2):
        await durable.takeover()
    assert durable._store.neighbours._peers == []
    await other.close()
