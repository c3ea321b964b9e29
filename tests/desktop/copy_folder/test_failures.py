"""What goes wrong with a file is a problem, what goes wrong with a disk ends the step and can be retried."""

import errno
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine
from stepfast_desktop.workflows.copy_folder import batch, waiting, workflow

Snap = Callable[[Path], dict[str, object]]
Disk = Callable[[Path, int], AbstractContextManager[None]]


def after_planning(monkeypatch: pytest.MonkeyPatch, then: Callable[[], object]) -> None:
    """Do something when the plan is made and nothing is copied."""
    plan = workflow._plan

    async def planning(*args: Any) -> Any:
        planned = await plan(*args)
        then()
        return planned

    monkeypatch.setattr(workflow, "_plan", planning)


async def test_a_file_that_vanishes_or_changes_its_kind_is_a_problem(
    tree: Path, destination: Path, monkeypatch: pytest.MonkeyPatch, details: Any, problems_of: Any
) -> None:
    def change() -> None:
        (tree / "script").unlink()
        (tree / "deep" / "05").unlink()
        (tree / "deep" / "05").symlink_to("06")
        (tree / "to-a-file").unlink()
        (tree / "to-a-file").mkdir()
        (tree / "empty").rmdir()
        (tree / "empty").touch()

    after_planning(monkeypatch, change)
    found = await details(tree, destination)
    assert found.summary.state.name == "completed"
    assert problems_of(found) == {
        "script": "could not be read: it is not there any more",
        os.path.join("deep", "05"): "it is not a regular file any more",
        "to-a-file": "it is not a link any more",
        "empty": "it is not a folder any more",
    }
    assert (destination / "deep" / "06").read_bytes() == (tree / "deep" / "06").read_bytes()


async def test_a_source_that_is_written_to_all_the_time_is_a_problem_after_a_second_try(
    many: Path, destination: Path, monkeypatch: pytest.MonkeyPatch, details: Any, problems_of: Any
) -> None:
    tries = []
    write = batch.write

    def writing(job: Any, *args: Any, **options: Any) -> Any:
        if job.source.endswith("3"):
            tries.append(job)
            moved = args[0].moved
            object.__setattr__(args[0], "stop", lambda: os.utime(job.source, ns=(1, len(tries))))
            assert moved
        return write(job, *args, **options)

    monkeypatch.setattr(batch, "write", writing)
    found = await details(many, destination)
    assert len(tries) == 2
    assert problems_of(found) == {
        "3": "it changed while it was being copied; copy it when nothing writes to it"
    }
    assert sorted(os.listdir(destination)) == ["0", "1", "2", "4", "5", "6"]


async def test_a_disk_that_does_not_give_back_what_was_written_is_noticed_and_tried_again(
    many: Path, destination: Path, monkeypatch: pytest.MonkeyPatch, snap: Snap, copied: Any
) -> None:
    damaged = []
    sync = batch.sync

    def syncing(written: Any, pace: Any) -> Any:
        lost = sync(written, pace)
        if written.job.source.endswith(("3", "5")) and damaged.count(written.job.source) < 1:
            damaged.append(written.job.source)
            os.pwrite(written.part, b"damage", 0)
        return lost

    monkeypatch.setattr(batch, "sync", syncing)
    report = await copied(many, destination)
    assert len(damaged) == 2
    assert report.problems == 0
    assert {name: about[2] for name, about in snap(destination).items()} == {  # type: ignore[index]
        name: about[2]  # type: ignore[index]
        for name, about in snap(many).items()
    }


async def test_a_disk_that_never_gives_it_back_makes_it_a_problem(
    many: Path, destination: Path, monkeypatch: pytest.MonkeyPatch, details: Any, problems_of: Any
) -> None:
    sync = batch.sync

    def syncing(written: Any, pace: Any) -> Any:
        lost = sync(written, pace)
        if written.job.source.endswith("3"):
            os.pwrite(written.part, b"damage", 0)
        return lost

    monkeypatch.setattr(batch, "sync", syncing)
    found = await details(many, destination)
    assert "not what was written" in problems_of(found)["3"]
    assert sorted(os.listdir(destination)) == ["0", "1", "2", "4", "5", "6"]


async def test_one_bad_sector_is_a_problem_but_a_dying_source_ends_the_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, details: Any
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for number in range(40):
        (source / f"{number:02}").write_bytes(b"1")
    bad: set[str] = set()
    write = batch.write

    def writing(job: Any, *args: Any, **options: Any) -> Any:
        if os.path.basename(job.source) in bad:
            raise batch.SourceFailed(OSError(errno.EIO, "Input/output error"))
        return write(job, *args, **options)

    monkeypatch.setattr(batch, "write", writing)
    bad |= {f"{number:02}" for number in range(1, 40, 2)}
    monkeypatch.setattr(waiting, "GRACE_SECONDS", 0.05)
    found = await details(source, tmp_path / "one")
    assert len(found.problems) == len(bad) == 20
    assert "the disk reports an error" in found.problems[0].message
    bad |= {f"{number:02}" for number in range(40)}
    found = await details(source, tmp_path / "other")
    assert found.summary.state.name == "failed"
    assert found.failure is not None
    assert "cannot be read any more" in found.failure.message


@pytest.mark.parametrize("code", [errno.EIO, errno.EROFS, errno.ENODEV, errno.ESTALE])
async def test_a_destination_that_fails_ends_the_step_and_keeps_what_was_copied(
    engine: Engine,
    many: Path,
    destination: Path,
    monkeypatch: pytest.MonkeyPatch,
    code: int,
    snap: Snap,
    details: Any,
) -> None:
    monkeypatch.setattr(waiting, "GRACE_SECONDS", 0.05)
    sync = batch.sync

    def syncing(written: Any, pace: Any) -> Any:
        if written.job.source.endswith("3"):
            raise batch.TargetFailed(OSError(code, os.strerror(code)))
        return sync(written, pace)

    with monkeypatch.context() as patch:
        patch.setattr(batch, "sync", syncing)
        found = await details(many, destination)
    assert found.summary.state.name == "failed"
    assert found.failure is not None
    assert found.failure.type.endswith("CopyError")
    assert str(destination) in found.failure.message
    assert [name for name in os.listdir(destination) if name.endswith(".part")] == []
    await engine.retry(found.summary.id)
    await engine.handle(found.summary.id).finished()
    assert snap(destination) == snap(many)


async def test_times_and_permissions_that_a_disk_does_not_keep_are_one_problem(
    tree: Path, destination: Path, monkeypatch: pytest.MonkeyPatch, details: Any, problems_of: Any
) -> None:
    def refuse(path: str, *args: Any, **options: Any) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    with monkeypatch.context() as patch:
        patch.setattr(os, "chmod", refuse)
        found = await details(tree, destination)
    assert problems_of(found) == {
        str(destination): "times or permissions of 22 items could not be kept: not permitted"
    }
    assert found.result["problems"] == 1  # type: ignore[index]


async def test_of_very_many_problems_the_first_are_told_and_the_rest_counted(
    many: Path, destination: Path, monkeypatch: pytest.MonkeyPatch, details: Any
) -> None:
    monkeypatch.setattr(workflow, "MOST_PROBLEMS", 3)
    destination.mkdir()
    for number in range(7):
        (destination / str(number)).write_bytes(b"theirs")
    found = await details(many, destination)
    assert [(each.about, each.message[:11]) for each in found.problems] == [
        ("0", "already the"),
        ("1", "already the"),
        ("2", "already the"),
        ("and more", "and 4 more"),
    ]
    assert found.result["problems"] == 7  # type: ignore[index]


async def test_the_wrong_folders_are_one_clear_error(tree: Path, details: Any) -> None:
    found = await details(tree, tree / "deep" / "copy")
    assert found.failure is not None
    assert found.failure.type.endswith("CopyError")
    assert "inside the source" in found.failure.message
    assert not (tree / "deep" / "copy").exists()


# ---------------------------------------------------------------------------------------- real disks


async def test_a_full_disk_is_told_with_what_is_missing_and_goes_on_when_there_is_room(
    engine: Engine, tmp_path: Path, disk: Disk, snap: Snap, details: Any
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for number in range(10):
        (source / f"{number}").write_bytes(os.urandom(1_000_000))
    mount = tmp_path / "mount"
    mount.mkdir()
    with disk(mount, 13):
        (mount / "in the way").write_bytes(bytes(5_000_000))
        found = await details(source, mount)
        assert found.summary.state.name == "failed"
        assert found.failure is not None
        assert "destination is full" in found.failure.message
        assert str(mount) in found.failure.message
        assert "MB more" in found.failure.message
        assert not any(record.name == "copy:0" for record in await engine.history(found.summary.id))
        assert [name for name in os.listdir(mount) if name.endswith(".part")] == []
        kept = {path: path.stat().st_ino for path in mount.glob("[0-9]")}
        assert len(kept) >= 5
        (mount / "in the way").unlink()
        await engine.retry(found.summary.id)
        await engine.handle(found.summary.id).finished()
        assert snap(mount) == snap(source)
        assert {path: path.stat().st_ino for path in kept} == kept
        result: Any = (await engine.get(found.summary.id)).result
        assert (result["files"], result["already_there"], result["problems"]) == (10, 0, 0)


@pytest.mark.usefixtures("small_pieces")
async def test_a_large_file_that_filled_the_disk_goes_on_where_it_was(
    engine: Engine, tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch, details: Any
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "large").write_bytes(os.urandom(10 << 20))
    mount = tmp_path / "mount"
    mount.mkdir()
    good = []
    found_so_far = batch._Watch.found
    monkeypatch.setattr(
        batch._Watch, "found", lambda self, count: (good.append(count), found_so_far(self, count))
    )
    with disk(mount, 12):
        (mount / "in the way").write_bytes(bytes(5 << 20))
        found = await details(source, mount)
        assert found.failure is not None
        assert "destination is full" in found.failure.message
        (mount / "in the way").unlink()
        await engine.retry(found.summary.id)
        assert (await engine.handle(found.summary.id).finished()).state.name == "completed"
        assert good == [4 << 20]
        assert (mount / "large").read_bytes() == (source / "large").read_bytes()
        assert os.listdir(mount) == ["large"]
