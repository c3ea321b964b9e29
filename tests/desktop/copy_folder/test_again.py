"""What was a problem is tried again by a new copy, and nothing else is; and what is said in the end."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine
from stepfast_desktop.workflows.copy_folder import CopyReport, copy_folder, places, transfer
from stepfast_desktop.workflows.copy_folder.filesystem import Disk
from stepfast_desktop.workflows.copy_folder.plan import Only
from stepfast_desktop.workflows.copy_folder.report import size

Snap = Callable[[Path], dict[str, object]]


async def copied(engine: Engine, id: str, *given: Any, **named: Any) -> CopyReport:
    return await (await engine.start(copy_folder(*given, **named), id=id)).result()


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of another kind")
async def test_only_what_was_a_problem_is_tried_again(
    engine: Engine, tree: Path, destination: Path, monkeypatch: pytest.MonkeyPatch, snap: Snap
) -> None:
    scandir_of, refused = os.listdir, {str(tree / "deep" / "er"), str(tree / "read-only")}

    def refusing(path: str) -> list[str]:
        if str(path) in refused:
            raise PermissionError(13, "Permission denied")
        return scandir_of(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "listdir", refusing)
        first = await copied(engine, "first", tree, destination)
    assert first.problems == 2
    assert not (destination / "read-only").exists() or not (destination / "read-only" / "kept").exists()
    opened: list[str] = []
    write = transfer.same

    def comparing(job: Any, *args: Any, **options: Any) -> bool:
        opened.append(job.source)
        return write(job, *args, **options)

    monkeypatch.setattr(transfer, "same", comparing)
    again = await copied(engine, "again", tree, destination, problems_of="first")
    assert again.problems == 0
    assert (again.files, again.already_there) == (2, 0), "nothing else was so much as looked at"
    assert not opened
    assert snap(destination).keys() == snap(tree).keys()


async def test_what_was_left_because_it_differs_can_be_overwritten_then(
    engine: Engine, many: Path, destination: Path
) -> None:
    destination.mkdir()
    (destination / "3").write_bytes(b"theirs")
    assert (await copied(engine, "first", many, destination)).skipped == 1
    again = await copied(engine, "again", many, destination, existing="overwrite", problems_of="first")
    assert (again.files, again.problems, again.already_there) == (1, 0, 0)
    assert (destination / "3").read_bytes() == (many / "3").read_bytes()


async def test_where_there_is_nothing_to_try_again_it_says_so(
    engine: Engine, many: Path, destination: Path
) -> None:
    await copied(engine, "first", many, destination)
    for earlier in ("first", "never"):
        handle = await engine.start(copy_folder(many, destination, problems_of=earlier))
        await handle.finished()
        failure = (await engine.get(handle.id)).failure
        assert failure is not None and f"nothing to be tried again of '{earlier}'" in failure.message


async def test_what_is_kept_of_it_goes_with_the_workflow(
    engine: Engine, many: Path, destination: Path
) -> None:
    destination.mkdir()
    (destination / "3").write_bytes(b"theirs")
    await copied(engine, "first", many, destination)
    await copied(engine, "again", many, destination, problems_of="first")
    await engine.delete("again")
    await engine.delete("first")
    import sqlite3
    from contextlib import closing

    assert engine.path is not None
    copy = engine.path.with_name("copy.db")
    await engine.backup(copy)
    with closing(sqlite3.connect(copy)) as connection:
        for table in ("copy_folder_items", "copy_folder_wanted"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_some_of_a_source_are_those_what_is_in_them_and_the_way_there() -> None:
    only = Only(["a/b", "c"])
    taken = {each for each in ("a", "a/b", "a/b/d/e", "a/x", "c", "c/d", "cc", "b") if only.takes(each)}
    assert taken == {"a", "a/b", "a/b/d/e", "c", "c/d"}
    assert Only([""]).takes("a/b"), "of the source itself it is all"
    assert not Only([]).takes("a")


async def test_what_is_said_to_be_copied_is_what_was_copied(
    engine: Engine, many: Path, destination: Path
) -> None:
    await copied(engine, "first", many, destination)
    changed, new, *_ = sorted(path for path in destination.rglob("*") if path.is_file())
    changed.write_text("somebody's own")
    new.unlink()
    report = await copied(engine, "second", many, destination)
    assert (report.files, report.skipped) == (1, 1) and report.already_there > 1
    progress = (await engine.summary("second")).progress
    assert progress is not None
    assert progress.text.startswith(f"1 file, {size(report.bytes)}, copied in ")
    assert progress.text.endswith(f" s, {report.already_there} there already")


async def test_a_disk_that_can_be_ejected_is_said_to_be_safe_to_eject(
    engine: Engine, many: Path, destination: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "disk_of", lambda path: Disk("/media/ann/STICK", "vfat"))
    await copied(engine, "copy", many, destination)
    progress = (await engine.summary("copy")).progress
    assert progress is not None and progress.text.endswith("; “STICK” is safe to eject")


def test_which_disks_are_ejected() -> None:
    assert Disk("/media/ann/STICK", "vfat").removable
    assert Disk("/run/media/ann/STICK", "vfat").removable
    assert Disk("/Volumes/STICK", "msdos").removable
    assert not Disk("/home", "ext4").removable
    assert not Disk("/", "ext4", "root").removable
