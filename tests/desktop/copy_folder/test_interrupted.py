"""Killed, paused, parked: whatever happens in the middle, the copy ends the same and does nothing twice."""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine
from stepfast_desktop.workflows import ALL
from stepfast_desktop.workflows.copy_folder import batch, copy_folder, digests, transfer
from stepfast_desktop.workflows.copy_folder.batch import Copier

Snap = Callable[[Path], dict[str, object]]


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A folder with a large file, where `small_pieces` is used, and one that is not."""
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "large").write_bytes(os.urandom(14 << 20))
    (folder / "small").write_bytes(b"1")
    return folder


@pytest.fixture
def good(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bytes of interrupted copies that were found good."""
    counts: list[int] = []
    found = batch._Watch.found
    monkeypatch.setattr(batch._Watch, "found", lambda self, count: (counts.append(count), found(self, count)))
    return counts


# ------------------------------------------------------------------------------------------------- killed


# It makes some 155 calls that change the disk, the engine's own among them. Each of them was tried.
@pytest.mark.parametrize(
    "calls", [1, 2, 3, 5, 8, 13, 21, 30, 40, 55, 75, 90, 100, 110, 120, 130, 140, 146, 150, 153]
)
def test_killed_before_any_of_its_calls_it_ends_as_if_nothing_had_been(
    child: Any, tree: Path, tmp_path: Path, snap: Snap, calls: int
) -> None:
    destination = tmp_path / "destination"
    killed = child.run(tree, destination, kill_at=calls)
    assert killed.returncode in (-signal.SIGKILL, 0), killed.stderr
    found = child.result(tree, destination)
    assert found["state"] == "completed"
    assert snap(destination) == snap(tree)
    assert (destination.stat().st_mode, destination.stat().st_mtime_ns) == (
        tree.stat().st_mode,
        tree.stat().st_mtime_ns,
    )
    result = found["result"]
    assert (result["files"], result["already_there"], result["problems"]) == (16, 0, 0)
    assert len(found["steps"]) == len(set(found["steps"]))


def test_killed_again_and_again_it_ends_all_the_same(
    child: Any, tree: Path, tmp_path: Path, snap: Snap
) -> None:
    destination = tmp_path / "destination"
    for calls in range(20, 110, 12):
        child.run(tree, destination, kill_at=calls)
    found = child.result(tree, destination)
    assert found["state"] == "completed"
    assert (found["result"]["files"], found["result"]["problems"]) == (16, 0)
    assert snap(destination) == snap(tree)


def test_killed_in_the_middle_of_a_large_file_it_goes_on_from_there(child: Any, tmp_path: Path) -> None:
    """With pieces as they are: 64 MB, and what follows is done again."""
    source, destination = tmp_path / "source", tmp_path / "destination"
    source.mkdir()
    with open(source / "large", "wb") as file:
        for _ in range(150):
            file.write(os.urandom(1 << 20))
    killed = child.run(source, destination, kill_in=100 << 20)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    (part,) = destination.glob("*.part")
    assert part.stat().st_size >= 100 << 20
    inode = part.stat().st_ino
    found = child.result(source, destination)
    assert found["state"] == "completed"
    assert (destination / "large").read_bytes() == (source / "large").read_bytes()
    assert (destination / "large").stat().st_ino == inode


# ---------------------------------------------------------------------------------------- paused and parked


@pytest.mark.usefixtures("small_pieces")
async def test_a_pause_in_the_largest_file_stops_at_the_next_chunk_and_resumes_from_there(
    tmp_path: Path, large: Path, good: list[int], monkeypatch: pytest.MonkeyPatch, snap: Snap
) -> None:
    loop = asyncio.get_running_loop()
    moved: list[int] = []
    async with Engine.open(tmp_path / "work.db", ALL) as engine:
        handle = await engine.start(copy_folder(large, tmp_path / "destination"))
        watch_moved = batch._Watch.moved

        def moving(self: Any, count: int) -> None:
            moved.append(count)
            if len(moved) == 9:
                asyncio.run_coroutine_threadsafe(engine.pause(handle.id), loop).result()
                while not run_is_stopping(self):
                    pass
            watch_moved(self, count)

        monkeypatch.setattr(batch._Watch, "moved", moving)
        await until(engine, handle.id, "paused")
        assert len(moved) == 9
        (part,) = (tmp_path / "destination").glob("*.part")
        assert 8 << 20 <= part.stat().st_size <= 9 << 20
        moved.append(0)
        await engine.resume(handle.id)
        report = await handle.result()
    assert good == [8 << 20]
    assert (report.files, report.problems) == (2, 0)
    assert snap(tmp_path / "destination") == snap(large)


def run_is_stopping(watch: Any) -> bool:
    try:
        watch.stop()
    except BaseException:
        return True
    return False


async def until(engine: Engine, id: str, state: str) -> None:
    while (await engine.summary(id)).state.name != state:
        await asyncio.sleep(0.01)


@pytest.mark.usefixtures("small_pieces")
async def test_closing_the_program_parks_a_copy_and_the_next_one_goes_on(
    tmp_path: Path, large: Path, good: list[int], monkeypatch: pytest.MonkeyPatch, snap: Snap
) -> None:
    reached = asyncio.Event()
    loop = asyncio.get_running_loop()
    moved = 0
    watch_moved = batch._Watch.moved

    def moving(self: Any, count: int) -> None:
        nonlocal moved
        moved += 1
        if moved == 6:
            loop.call_soon_threadsafe(reached.set)
            while not run_is_stopping(self):
                pass
        watch_moved(self, count)

    monkeypatch.setattr(batch._Watch, "moved", moving)
    async with Engine.open(tmp_path / "work.db", ALL) as engine:
        handle = await engine.start(copy_folder(large, tmp_path / "destination"), id="copy")
        await reached.wait()
    async with Engine.open(tmp_path / "work.db", ALL) as engine:
        handle = await engine.start(copy_folder(large, tmp_path / "destination"), id="copy")
        assert not handle.created
        await handle.finished()
    assert good == [4 << 20]
    assert snap(tmp_path / "destination") == snap(large)


async def test_a_pause_between_small_files_leaves_no_temporary_file(
    tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch, snap: Snap
) -> None:
    destination = tmp_path / "destination"
    loop = asyncio.get_running_loop()
    copied = 0
    copy_item = Copier._copy_item
    async with Engine.open(tmp_path / "work.db", ALL) as engine:
        handle = await engine.start(copy_folder(tree, destination))

        def copying(self: Any, item: Any, so_far: Any) -> None:
            nonlocal copied
            copied += 1
            copy_item(self, item, so_far)
            if copied == 14:
                asyncio.run_coroutine_threadsafe(engine.pause(handle.id), loop).result()
                while not run_is_stopping(Stoppable(self._stop)):
                    pass

        monkeypatch.setattr(Copier, "_copy_item", copying)
        await until(engine, handle.id, "paused")
        assert copied == 14
        assert list(destination.rglob("*.part")) == []
        await engine.resume(handle.id)
        report = await handle.result()
    assert (report.files, report.problems) == (16, 0)
    assert snap(destination) == snap(tree)


class Stoppable:
    def __init__(self, stop: Any) -> None:
        self.stop = stop


# ------------------------------------------------------------------------------ done once, and only once


async def test_a_recorded_batch_never_runs_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snap: Snap
) -> None:
    source, destination = tmp_path / "source", tmp_path / "destination"
    source.mkdir()
    for number in range(450):
        (source / f"{number:03}").write_bytes(b"1")
    batches: list[str] = []
    copy = Copier.copy

    def copying(self: Any, items: Any, before: Any, bookmark: Any) -> Any:
        batches.append(items[0].path)
        if len(batches) == 2:
            raise batch.TargetFailed(OSError(5, "the test says so"))
        return copy(self, items, before, bookmark)

    monkeypatch.setattr(Copier, "copy", copying)
    async with Engine.open(tmp_path / "work.db", ALL) as engine:
        handle = await engine.start(copy_folder(source, destination), id="copy")
        assert (await handle.finished()).state.name == "failed"
        for number in range(200):
            (destination / f"{number:03}").unlink()
    async with Engine.open(tmp_path / "work.db", ALL) as engine:
        await engine.retry("copy")
        report = await engine.handle("copy").finished()
        assert report.state.name == "completed"
        result: Any = (await engine.get("copy")).result
    assert batches == ["000", "200", "200", "400"]
    assert result["files"] == 450
    assert sorted(os.listdir(destination)) == [f"{number:03}" for number in range(200, 450)]


async def test_a_resumed_copy_shows_what_was_done_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, destination = tmp_path / "source", tmp_path / "destination"
    source.mkdir()
    for number in range(250):
        (source / f"{number:03}").write_bytes(b"12")
    copy = Copier.copy
    before: list[tuple[int, int]] = []

    def copying(self: Any, items: Any, tally: Any, bookmark: Any) -> Any:
        before.append((tally.done_files, tally.done_bytes))
        if len(before) == 2:
            raise batch.TargetFailed(OSError(5, "the test says so"))
        return copy(self, items, tally, bookmark)

    monkeypatch.setattr(Copier, "copy", copying)
    async with Engine.open(tmp_path / "work.db", ALL) as engine:
        handle = await engine.start(copy_folder(source, destination), id="copy")
        await handle.finished()
        await engine.retry("copy")
        summary = await handle.finished()
    assert before == [(0, 0), (200, 400), (200, 400)]
    assert summary.progress is not None
    assert (summary.progress.done, summary.progress.total) == (500, 500)


def test_a_batch_of_the_plan_is_no_larger_than_what_has_one_digest() -> None:
    assert batch.PIECE == transfer.PIECE == digests.PIECE == 64 << 20
