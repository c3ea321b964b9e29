"""The workflow over the real engine and real files; see `test_failures.py` and `test_interrupted.py` too."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine
from stepfast_desktop.workflows.copy_folder import CopyReport, copy_folder, plan, walk

Snap = Callable[[Path], dict[str, object]]
Disk = Callable[[Path, int], AbstractContextManager[None]]


# -------------------------------------------------------------------------------------------- what arrives


async def test_everything_arrives_as_it_was(tree: Path, destination: Path, snap: Snap, copied: Any) -> None:
    report = await copied(tree, destination)
    assert snap(destination) == snap(tree)
    ours, theirs = tree.stat(), destination.stat()
    assert (theirs.st_mode, theirs.st_mtime_ns) == (ours.st_mode, ours.st_mtime_ns)
    assert (report.files, report.folders, report.links) == (16, 5, 3)
    files = [path for path in tree.rglob("*") if path.is_file() and not path.is_symlink()]
    assert report.bytes == sum(path.stat().st_size for path in files)
    assert (report.already_there, report.skipped, report.problems) == (0, 0, 0)


async def test_an_empty_folder_is_copied(tmp_path: Path, destination: Path, copied: Any) -> None:
    (tmp_path / "source").mkdir()
    report = await copied(tmp_path / "source", destination)
    assert report == CopyReport(0, 0, 0, 0, 0, 0, 0, 0.0)
    assert list(destination.iterdir()) == []


async def test_a_source_that_is_a_link_is_copied_as_what_it_leads_to(
    tree: Path, tmp_path: Path, destination: Path, snap: Snap, copied: Any
) -> None:
    (tmp_path / "link").symlink_to(tree)
    await copied(tmp_path / "link", destination)
    assert snap(destination) == snap(tree)


async def test_a_folder_that_nobody_may_write_to_is_copied_without_privileges(
    child: Any, shared: Path, snap: Snap
) -> None:
    source = shared / "source"
    (source / "in").mkdir(parents=True)
    (source / "in" / "file").write_bytes(b"1")
    (source / "in" / "file").chmod(0o444)
    (source / "in").chmod(0o555)
    source.chmod(0o555)
    child.database = shared / "work.db"
    found = child.result(source, shared / "destination", nobody=True)
    assert found["state"] == "completed"
    assert found["problems"] == []
    assert snap(shared / "destination") == snap(source)
    assert (shared / "destination").stat().st_mode == source.stat().st_mode


async def test_what_may_not_be_read_is_a_problem_and_the_rest_is_copied(child: Any, shared: Path) -> None:
    source = shared / "source"
    (source / "closed").mkdir(parents=True)
    (source / "closed" / "in").write_bytes(b"1")
    (source / "open").write_bytes(b"2")
    (source / "secret").write_bytes(b"3")
    (source / "secret").chmod(0o000)
    (source / "closed").chmod(0o000)
    child.database = shared / "work.db"
    found = child.result(source, shared / "destination", nobody=True)
    assert found["state"] == "completed"
    assert found["problems"] == [
        ["secret", "could not be read: no permission"],
        ["closed", "the folder could not be read: no permission"],
    ]
    assert found["result"]["problems"] == 2
    assert (shared / "destination" / "open").read_bytes() == b"2"
    assert sorted(os.listdir(shared / "destination")) == ["closed", "open"]


async def test_a_destination_that_may_not_be_written_is_refused(child: Any, shared: Path) -> None:
    (shared / "source").mkdir()
    (shared / "closed").mkdir(mode=0o755)
    child.database = shared / "work.db"
    found = child.result(shared / "source", shared / "closed" / "destination", nobody=True)
    assert found["state"] == "failed"
    assert found["failure"][0].endswith("CopyError")
    assert "cannot be written" in found["failure"][1]


async def test_no_temporary_file_and_no_marker_stays(tree: Path, destination: Path, copied: Any) -> None:
    await copied(tree, destination)
    assert [path for path in destination.rglob("*") if path.name.startswith(".stepfast")] == []


# -------------------------------------------------------------------------------- what is there already


async def test_a_second_copy_finds_everything_there_and_writes_nothing(
    tree: Path, destination: Path, snap: Snap, copied: Any
) -> None:
    await copied(tree, destination)
    inodes = {path: path.lstat().st_ino for path in destination.rglob("*")}
    for verify in (True, False):
        report = await copied(tree, destination, verify=verify)
        assert (report.files, report.already_there, report.bytes, report.problems) == (0, 19, 0, 0)
    assert {path: path.lstat().st_ino for path in destination.rglob("*")} == inodes
    assert snap(destination) == snap(tree)


async def test_a_file_that_differs_is_left_and_reported(
    many: Path, destination: Path, details: Any, problems_of: Any
) -> None:
    destination.mkdir()
    (destination / "3").write_bytes(b"theirs")
    (destination / "4").write_bytes(b"\xff" * 1000)
    found = await details(many, destination)
    message = "already there and different; left as it is"
    assert problems_of(found) == {"3": message, "4": message}
    assert (destination / "3").read_bytes() == b"theirs"
    assert found.result["skipped"] == found.result["problems"] == found.summary.problems == 2  # type: ignore[index]
    assert found.result["files"] == 5  # type: ignore[index]


async def test_a_file_that_differs_is_overwritten_when_that_is_asked_for(
    many: Path, destination: Path, snap: Snap, copied: Any
) -> None:
    destination.mkdir()
    (destination / "3").write_bytes(b"theirs")
    (destination / "4").symlink_to("3")
    report = await copied(many, destination, existing="overwrite")
    assert (report.files, report.problems) == (7, 0)
    assert snap(destination) == snap(many)


@pytest.mark.parametrize("existing", ["skip", "overwrite"])
async def test_a_folder_where_a_file_should_go_and_the_reverse_are_problems(
    tree: Path, destination: Path, existing: str, details: Any, problems_of: Any
) -> None:
    (destination / "script").mkdir(parents=True)
    (destination / "to-a-file").mkdir()
    (destination / "deep").write_bytes(b"a file")
    found = problems_of(await details(tree, destination, existing=existing))
    assert found["script"] == "a folder is there, where this file should go"
    assert found["to-a-file"] == "a folder is there, where this link should go"
    assert found["deep"] == "a file is there, where a folder should go"
    assert found[os.path.join("deep", "00")].startswith("its folder is not there: a file is there")
    assert (destination / "deep").read_bytes() == b"a file"
    assert (destination / "read-only" / "kept").read_bytes() == b"kept"


@pytest.mark.parametrize("existing", ["skip", "overwrite"])
async def test_nothing_is_written_through_a_link_in_the_destination(
    tree: Path, tmp_path: Path, destination: Path, existing: str, details: Any, problems_of: Any
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    destination.mkdir()
    (destination / "deep").symlink_to(elsewhere)
    found = problems_of(await details(tree, destination, existing=existing))
    assert found["deep"] == "a link is there, where a folder should go"
    assert list(elsewhere.iterdir()) == []


async def test_links_that_differ_are_left_or_replaced(
    tree: Path, destination: Path, copied: Any, details: Any, problems_of: Any
) -> None:
    destination.mkdir()
    (destination / "to-a-file").symlink_to("elsewhere")
    found = problems_of(await details(tree, destination))
    assert found == {"to-a-file": "already there and different; left as it is"}
    await copied(tree, destination, existing="overwrite")
    assert os.readlink(destination / "to-a-file") == "deep/03"


async def test_a_destination_that_was_there_keeps_its_own_permissions(
    tree: Path, destination: Path, copied: Any
) -> None:
    tree.chmod(0o500)
    destination.mkdir(mode=0o755)
    await copied(tree, destination)
    assert destination.stat().st_mode & 0o777 == 0o755


# -------------------------------------------------------------------------------------- the plan's table


async def test_deleting_a_copy_deletes_its_plan_and_nothing_that_it_made(
    engine: Engine, tree: Path, destination: Path, tmp_path: Path, snap: Snap
) -> None:
    for name, folder in (("one", destination), ("other", tmp_path / "other")):
        await (await engine.start(copy_folder(tree, folder), id=name)).finished()

    def rows(read: Any) -> list[Any]:
        return list(read.execute("SELECT DISTINCT workflow FROM copy_folder_items ORDER BY 1"))

    assert await engine.durable.checkpointer.query(rows) == [("one",), ("other",)]
    await engine.delete("one")
    assert await engine.durable.checkpointer.query(rows) == [("other",)]
    assert snap(destination) == snap(tree)


async def test_a_copy_that_never_began_can_be_deleted(engine: Engine, tmp_path: Path, details: Any) -> None:
    found = await details(tmp_path / "missing", tmp_path / "destination")
    assert found.summary.state.name == "failed"
    await engine.delete(found.summary.id)


async def test_many_files_are_a_table_and_no_large_value(
    engine: Engine, tmp_path: Path, destination: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Enough for three pieces of the plan; each is synced, and a slow disk does a hundred a second."""
    for module in (plan, walk):
        monkeypatch.setattr(module, "AT_ONCE", 500)
    source = tmp_path / "source"
    source.mkdir()
    for number in range(1250):
        (source / f"{number:05}").touch()
    handle = await engine.start(copy_folder(source, destination))
    assert (await handle.result()).files == 1250
    records = await engine.history(handle.id)
    names = [record.name for record in records]
    assert [name for name in names if name.startswith("plan:")] == ["plan:0", "plan:1", "plan:2"]
    assert len([name for name in names if name.startswith("copy:")]) == 7
    assert max(len(record.text) for record in records) < 400
