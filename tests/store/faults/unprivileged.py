"""What happens where permission is lost, each in a process that is nobody: root writes through 0444.

python unprivileged.py SCENARIO FOLDER
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from patient import booked, chain, gates, patient, records, soon, takes_nothing, whole

from stepfast import Engine
from stepfast.errors import ReadOnly
from stepfast.late import import_all
from stepfast.sqlite.file.opening import writing_connection
from stepfast.sqlite.file.place import Place

NOBODY = 65534

SCENARIOS: dict[str, Callable[[Path], Awaitable[None]]] = {}


def scenario(function: Callable[[Path], Awaitable[None]]) -> Callable[[Path], Awaitable[None]]:
    SCENARIOS[function.__name__] = function
    return function


async def refuses(path: Path, what: Path, mode: int, says: str) -> None:
    """A file that cannot be written when it is opened, and can be later."""
    async with patient(path, path.parent.parent, gate_open=True) as ill:
        await ill.engine.start(chain(), id="before")
        await ill.finishes("before")
    was = what.stat().st_mode
    what.chmod(mode)
    with pytest.raises(ReadOnly, match=says) as caught:
        async with Engine.open(path):
            pass
    assert str(path) in str(caught.value) or str(path.parent) in str(caught.value)
    what.chmod(was)
    async with patient(path, path.parent.parent) as ill:
        await ill.finishes("before")


@scenario
async def a_file_that_is_read_only_when_it_is_opened(folder: Path) -> None:
    await refuses(folder / "work.db", folder / "work.db", 0o400, "read-only for you")


@scenario
async def a_folder_that_is_read_only_when_the_file_is_opened(folder: Path) -> None:
    await refuses(folder / "work.db", folder, 0o500, "read-only for you")


@scenario
async def a_folder_that_is_closed_when_the_file_is_opened(folder: Path) -> None:
    await refuses(folder / "work.db", folder, 0o000, "mend the permissions of the folder")


async def loses(path: Path, what: Path, mode: int) -> None:
    """Permission is lost while an engine works on the file, and given back."""
    async with patient(path, path.parent.parent) as ill:
        await ill.in_the_middle()
        await soon(ill, "due")
        was = what.stat().st_mode
        what.chmod(mode)
        gates["open"].set()
        condition = await ill.has("read-only")
        assert condition.stops_work and str(what) in condition.message
        await takes_nothing(ill, "due")
        what.chmod(was)
        await ill.well()
        await ill.finishes()
        await ill.finishes("due", 2)
        assert set(ill.ran().values()) == {1}
        assert len(ill.log) == 2 and "going on" in ill.log[1], ill.log
    assert records(path, "middle") == ["step-0", "step-1", "booked", "step-2"]
    assert booked(path) == ["middle"] and whole(path)


@scenario
async def a_file_that_becomes_read_only(folder: Path) -> None:
    await loses(folder / "work.db", folder / "work.db", 0o400)


@scenario
async def a_folder_that_becomes_read_only(folder: Path) -> None:
    await loses(folder / "work.db", folder, 0o500)


@scenario
async def a_folder_that_is_closed(folder: Path) -> None:
    await loses(folder / "work.db", folder, 0o000)


@scenario
async def a_folder_that_is_closed_in_the_middle_of_a_look(folder: Path) -> None:
    """The file was there still when it was looked at; its log is not gone, but cannot be looked at."""
    path = folder / "work.db"
    path.touch()
    with contextlib.closing(writing_connection(path)) as connection:
        connection.execute("CREATE TABLE mine (a)")
        place = Place(path)
        place.look()
        folder.chmod(0o000)
        with pytest.raises(ReadOnly, match=r"work\.db-wal cannot be looked at"):
            place._check_companion("-wal")
        folder.chmod(0o700)
        place.look()


if __name__ == "__main__":
    import_all()  # nobody may be allowed to read where the engine is
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    assert os.geteuid() != 0
    asyncio.run(SCENARIOS[sys.argv[1]](Path(sys.argv[2])))  # type: ignore[arg-type]
