"""A disk that is pulled out is waited for by name, and the copy goes on by itself when it is back."""

import asyncio
import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine
from stepfast_desktop.workflows import ALL
from stepfast_desktop.workflows.copy_folder import batch, copy_folder, places, waiting, workflow
from stepfast_desktop.workflows.copy_folder.places import Places, begin, check

Snap = Callable[[Path], dict[str, object]]


class Stick:
    """A disk that keeps what is on it while it is pulled out; `folder` is where it is mounted."""

    def __init__(self, root: Path, name: str) -> None:
        self._store = root / "store"
        self.folder = root / name
        self.connected = False
        for each in (self._store, self.folder):
            each.mkdir(parents=True)
        size = ["-t", "tmpfs", "-o", "size=4m,mode=0755", "tmpfs"]
        subprocess.run(["mount", *size, str(self._store)], check=True)

    def connect(self) -> None:
        subprocess.run(["mount", "--bind", str(self._store), str(self.folder)], check=True)
        self.connected = True

    def pull_out(self) -> None:
        if self.connected:
            subprocess.run(["umount", "--lazy", str(self.folder)], check=True)
            self.connected = False

    def end(self) -> None:
        self.pull_out()
        subprocess.run(["umount", "--lazy", str(self._store)], check=True)


@pytest.fixture
def stick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stick]:
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root on Linux can mount a disk of its own")
    monkeypatch.setattr(waiting, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(waiting, "STOP_SECONDS", 0.02)
    made = Stick(tmp_path / "disks", "BACKUP")
    made.connect()
    yield made
    made.end()


def after_planning(monkeypatch: pytest.MonkeyPatch, then: Callable[[], object]) -> None:
    plan = workflow._plan

    async def planning(*args: Any) -> Any:
        planned = await plan(*args)
        then()
        return planned

    monkeypatch.setattr(workflow, "_plan", planning)


async def until_it_waits(engine: Engine, id: str, text: str) -> None:
    async with asyncio.timeout(60):
        while (said := (await engine.summary(id)).progress) is None or text not in said.text:
            await asyncio.sleep(0.01)


async def test_a_destination_that_is_pulled_out_is_waited_for_and_nothing_is_written_in_its_place(
    engine: Engine, many: Path, stick: Stick, monkeypatch: pytest.MonkeyPatch, snap: Snap
) -> None:
    after_planning(monkeypatch, stick.pull_out)
    handle = await engine.start(copy_folder(many, stick.folder / "photos"))
    waits = f"Waiting for the disk “BACKUP” of {stick.folder}/photos: connect it to continue"
    await until_it_waits(engine, handle.id, waits)
    assert (await engine.summary(handle.id)).state.name == "running"
    assert list(stick.folder.iterdir()) == []
    stick.connect()
    async with asyncio.timeout(60):
        report = await handle.result()
    assert (report.files, report.problems) == (7, 0)
    assert snap(stick.folder / "photos") == snap(many)
    said = [(line.level, line.text) for line in await engine.log(handle.id)]
    assert said[0][0] == "warning" and "The disk “BACKUP” of the destination" in said[0][1]
    assert said[1] == ("info", "The disk is back, and the copy goes on.")


async def test_a_source_that_is_pulled_out_is_waited_for_and_is_no_problem_of_any_file(
    engine: Engine, destination: Path, stick: Stick, monkeypatch: pytest.MonkeyPatch, snap: Snap
) -> None:
    for name in ("one", "two"):
        (stick.folder / name).write_bytes(b"1")
    after_planning(monkeypatch, stick.pull_out)
    handle = await engine.start(copy_folder(stick.folder, destination))
    await until_it_waits(engine, handle.id, f"Waiting for the disk “BACKUP” of {stick.folder}:")
    stick.connect()
    async with asyncio.timeout(60):
        assert (await handle.result()).problems == 0
    assert snap(destination) == snap(stick.folder)


async def test_a_disk_that_goes_in_the_middle_of_a_batch_is_waited_for(
    engine: Engine, many: Path, stick: Stick, monkeypatch: pytest.MonkeyPatch, snap: Snap
) -> None:
    sync, pulled = batch.sync, []

    def syncing(written: Any, pace: Any) -> Any:
        if written.job.source.endswith("3") and not pulled:
            pulled.append(1)
            stick.pull_out()
            raise batch.TargetFailed(OSError(errno.EIO, "Input/output error"))
        return sync(written, pace)

    monkeypatch.setattr(batch, "sync", syncing)
    handle = await engine.start(copy_folder(many, stick.folder))
    await until_it_waits(engine, handle.id, "Waiting for the disk")
    stick.connect()
    async with asyncio.timeout(60):
        assert (await handle.result()).problems == 0
    assert snap(stick.folder) == snap(many)


async def test_a_disk_that_goes_at_the_very_end_is_waited_for_too(
    engine: Engine, many: Path, stick: Stick, monkeypatch: pytest.MonkeyPatch, snap: Snap
) -> None:
    finish = workflow._finish

    async def finishing(*args: Any) -> Any:
        finished = await finish(*args)
        stick.pull_out()
        return finished

    monkeypatch.setattr(workflow, "_finish", finishing)
    handle = await engine.start(copy_folder(many, stick.folder))
    await until_it_waits(engine, handle.id, "Waiting for the disk")
    stick.connect()
    async with asyncio.timeout(60):
        assert (await handle.result()).problems == 0
    assert snap(stick.folder) == snap(many), "its marker is gone too"


async def test_it_can_be_paused_while_it_waits_and_another_program_waits_on(
    tmp_path: Path, many: Path, stick: Stick, monkeypatch: pytest.MonkeyPatch, snap: Snap
) -> None:
    with monkeypatch.context() as patch:
        after_planning(patch, stick.pull_out)
        async with Engine.open(tmp_path / "s.db", ALL) as engine:
            handle = await engine.start(copy_folder(many, stick.folder), id="copy")
            await until_it_waits(engine, "copy", "Waiting for the disk")
            await engine.pause("copy")
            async with asyncio.timeout(60):
                while (await engine.summary("copy")).state.name != "paused":
                    await asyncio.sleep(0.01)
            await engine.resume("copy")
            await until_it_waits(engine, handle.id, "Waiting for the disk")
    async with Engine.open(tmp_path / "s.db", ALL) as engine:
        async with asyncio.timeout(60):
            while (await engine.summary("copy")).state.name != "running":
                await asyncio.sleep(0.01)
        stick.connect()
        async with asyncio.timeout(60):
            assert (await engine.handle("copy").result())["problems"] == 0
    assert snap(stick.folder) == snap(many)


async def test_a_folder_that_was_deleted_from_a_disk_that_is_there_is_not_waited_for(
    engine: Engine, many: Path, stick: Stick, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = stick.folder / "photos"

    def delete() -> None:
        for each in target.iterdir():
            each.unlink()
        target.rmdir()

    after_planning(monkeypatch, delete)
    handle = await engine.start(copy_folder(many, target))
    async with asyncio.timeout(60):
        await handle.finished()
    found = await engine.get(handle.id)
    assert found.failure is not None
    assert "is not there any more" in found.failure.message


# ------------------------------------------------- a disk that comes back just when somebody looks for it


@pytest.fixture
def between(stick: Stick, monkeypatch: pytest.MonkeyPatch) -> Stick:
    """It is connected again after the first question that a look asks, and before the second."""
    is_away = places._is_away

    def comes_back(*asked: Any) -> bool:
        if not stick.connected:
            stick.connect()
        return is_away(*asked)

    monkeypatch.setattr(places, "_is_away", comes_back)
    return stick


def begun(source: Path, destination: Path) -> Places:
    checked = check(source, destination)
    begin("copy", source, destination, checked)
    return Places("copy", source, destination, checked)


@pytest.mark.parametrize("folder", ["", "photos"])
def test_a_destination_that_comes_back_while_it_is_looked_for_is_the_same(
    many: Path, between: Stick, folder: str
) -> None:
    found = begun(many, between.folder / folder)
    between.pull_out()
    found.require_destination()


@pytest.mark.parametrize("folder", ["", "photos"])
def test_a_source_that_comes_back_while_it_is_looked_for_is_the_same(
    between: Stick, destination: Path, folder: str
) -> None:
    source = between.folder / folder
    source.mkdir(exist_ok=True)
    (source / "one").write_bytes(b"1")
    found = begun(source, destination)
    between.pull_out()
    found.require_source()


@pytest.mark.parametrize("folder", ["", "photos"])
def test_a_marker_whose_disk_comes_back_while_it_is_removed_is_removed(
    many: Path, between: Stick, folder: str
) -> None:
    found = begun(many, between.folder / folder)
    between.pull_out()
    found.remove_marker()
    assert not os.path.lexists(found.marker)
