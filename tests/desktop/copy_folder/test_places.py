import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from stepfast_desktop.workflows.copy_folder import places as module
from stepfast_desktop.workflows.copy_folder.errors import CopyError, DiskAway
from stepfast_desktop.workflows.copy_folder.places import Places, begin, check, volume

Disk = Callable[[Path, int], AbstractContextManager[None]]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    (folder / "sub").mkdir(parents=True)
    (folder / "file").write_bytes(b"1")
    return folder


# ------------------------------------------------------------------------------- what can begin, and what not


def test_a_destination_that_is_not_there_yet_is_made_with_all_above_it(source: Path, tmp_path: Path) -> None:
    source.chmod(0o750)
    destination = tmp_path / "a" / "b"
    checked = check(source, destination)
    assert not checked.existed
    assert not destination.parent.exists()
    begin("w", source, destination, checked)
    assert destination.stat().st_mode & 0o777 == 0o750


def test_beginning_twice_is_beginning_once(source: Path, tmp_path: Path) -> None:
    """A step that was killed before it was recorded runs again."""
    destination = tmp_path / "destination"
    checked = check(source, destination)
    assert begin("w", source, destination, checked) == begin("w", source, destination, checked)
    assert len(os.listdir(destination)) == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda root: (Path("source"), root / "destination"), "relative"),
        (lambda root: (root / "source", Path("destination")), "relative"),
        (lambda root: (root / "missing", root / "destination"), "There is no folder"),
        (lambda root: (root / "source" / "file", root / "destination"), "not a folder"),
        (lambda root: (root / "source" / "file" / "x", root / "destination"), "There is no folder"),
        (lambda root: (root / "source", root / "source"), "is the source itself"),
        (lambda root: (root / "source", root / "link"), "is the source itself"),
        (lambda root: (root / "link", root / "source"), "is the source itself"),
        (lambda root: (root / "source", root / "source" / "new" / "newer"), "inside the source"),
        (lambda root: (root / "source", root / "source" / "sub"), "inside the source"),
        (lambda root: (root / "source", root / "link" / "sub" / "new"), "inside the source"),
        (lambda root: (root / "link", root / "source" / "sub"), "inside the source"),
        (lambda root: (root / "source", root / "sub-link" / "new"), "inside the source"),
        (lambda root: (root / "source", root / "source" / "sub" / ".." / "new"), "inside the source"),
        (lambda root: (root / "source", root / "other"), "cannot be a folder.* is a file"),
        (lambda root: (root / "source", root / "other" / "new"), "cannot be a folder.* is a file"),
        (lambda root: (root / "source", root / "dangling"), "leads nowhere"),
        (lambda root: (root / "source", Path("/run/media/nobody/disk/backup")), "no disk"),
        (lambda root: (root / "source", Path("/media/no such disk")), "no disk"),
        (lambda root: (root / "source", Path("/Volumes/No such disk/backup")), "no disk"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_written(
    source: Path,
    tmp_path: Path,
    make: Callable[[Path], tuple[Path, Path]],
    message: str,
) -> None:
    (tmp_path / "link").symlink_to(source)
    (tmp_path / "sub-link").symlink_to(source / "sub")
    (tmp_path / "dangling").symlink_to("nothing")
    (tmp_path / "other").write_bytes(b"a file")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(CopyError, match=message):
        check(*make(tmp_path))
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_may_be_copied_next_to_itself_but_not_over_itself(tmp_path: Path) -> None:
    """`/a/b` into `/a` is fine, unless it holds a `b`: that would be itself."""
    source = tmp_path / "a" / "b"
    source.mkdir(parents=True)
    assert check(source, tmp_path / "a").existed
    assert check(source, tmp_path).existed
    (source / "b").mkdir()
    with pytest.raises(CopyError, match="copied over itself"):
        check(source, tmp_path / "a")
    assert check(source, tmp_path).existed


def test_a_folder_whose_name_only_begins_alike_is_another_folder(source: Path, tmp_path: Path) -> None:
    assert not check(source, tmp_path / "source-2").existed


def test_the_source_may_be_a_link(source: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(source)
    assert not check(tmp_path / "link", tmp_path / "destination").existed


@pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="only root on Linux can bind a folder"
)
def test_a_mount_that_shows_the_source_elsewhere_is_seen_through(source: Path, tmp_path: Path) -> None:
    bound = tmp_path / "bound"
    bound.mkdir()
    subprocess.run(["mount", "--bind", str(source), str(bound)], check=True)
    try:
        with pytest.raises(CopyError, match="is the source itself"):
            check(source, bound)
        with pytest.raises(CopyError, match="inside the source"):
            check(source, bound / "new")
    finally:
        subprocess.run(["umount", str(bound)], check=True)


# ------------------------------------------------------------------------------- a disk that is pulled out


def test_a_disk_that_is_pulled_out_is_never_written_to_what_was_under_it(
    source: Path, tmp_path: Path, disk: Disk
) -> None:
    mount = tmp_path / "mount"
    mount.mkdir()
    with disk(mount, 1):
        checked = check(source, mount)
        begin("w", source, mount, checked)
        places = Places("w", source, mount, checked)
        places.require_destination()
    with pytest.raises(DiskAway, match=r"The disk “mount” of the destination .* is not there"):
        places.require_destination()
    with disk(mount, 1), pytest.raises(CopyError, match="another disk"):
        places.require_destination()
    assert list(mount.iterdir()) == []


def test_a_destination_that_vanished_is_named_and_not_made_again(
    source: Path, tmp_path: Path, places: Callable[..., Places]
) -> None:
    found = places(source)
    os.unlink(found.marker)
    os.rmdir(found.destination)
    with pytest.raises(CopyError, match=r"destination .* is not there any more"):
        found.require_destination()
    assert not (tmp_path / "destination").exists()


def test_a_destination_that_was_there_is_not_made_again_when_it_is_gone(source: Path, tmp_path: Path) -> None:
    destination = tmp_path / "destination"
    destination.mkdir()
    checked = check(source, destination)
    destination.rmdir()
    with pytest.raises(CopyError, match="not there any more"):
        begin("w", source, destination, checked)
    assert not destination.exists()


def test_a_marker_that_was_deleted_can_be_put_back(source: Path, places: Callable[..., Places]) -> None:
    found = places(source)
    os.unlink(found.marker)
    with pytest.raises(CopyError, match=os.path.basename(found.marker)):
        found.require_destination()
    Path(found.marker).touch()
    found.require_destination()


def test_the_markers_of_two_copies_into_one_folder_are_apart(
    source: Path, places: Callable[..., Places]
) -> None:
    one, other = places(source, workflow="one"), places(source, workflow="other")
    one.remove_marker()
    other.require_destination()
    with pytest.raises(CopyError):
        one.require_destination()
    one.remove_marker()


def test_a_source_that_is_pulled_out_is_told_from_one_that_was_emptied(
    tmp_path: Path, disk: Disk, places: Callable[..., Places]
) -> None:
    mount = tmp_path / "mount"
    mount.mkdir()
    with disk(mount, 1):
        (mount / "file").write_bytes(b"1")
        found = places(mount)
        (mount / "file").unlink()
        found.require_source()
    with pytest.raises(DiskAway, match=r"The disk “mount” of the source .* is not there") as away:
        found.require_source()
    assert away.value.waiting == f"Waiting for the disk “mount” of {mount}: connect it to continue"


def test_a_source_that_vanished_is_named(source: Path, places: Callable[..., Places]) -> None:
    found = places(source)
    source.rename(source.with_name("moved"))
    with pytest.raises(CopyError, match=r"source .* is not there any more"):
        found.require_source()


def test_another_volume_is_another_disk(
    source: Path, places: Callable[..., Places], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "volume", lambda path: "1234-ABCD")
    found = places(source)
    found.require_source()
    monkeypatch.setattr(module, "volume", lambda path: None)
    found.require_source()
    monkeypatch.setattr(module, "volume", lambda path: "5678-EFGH")
    with pytest.raises(DiskAway, match="another one is in its place"):
        found.require_source()


def test_a_disk_that_is_missing_when_the_destination_is_to_be_made_is_told(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "volume", lambda path: "1234-ABCD")
    checked = check(source, tmp_path / "destination")
    monkeypatch.setattr(module, "volume", lambda path: "the system's")
    with pytest.raises(CopyError, match=r"disk .* is not there"):
        begin("w", source, tmp_path / "destination", checked)
    assert not (tmp_path / "destination").exists()


def test_a_volume_has_a_lasting_name_or_none(tmp_path: Path) -> None:
    assert volume(str(tmp_path)) == volume(str(tmp_path))
    assert volume(str(tmp_path / "missing")) is None


def test_temporary_names_are_the_same_each_time_and_apart_for_each_file(
    source: Path, places: Callable[..., Places]
) -> None:
    one, again, other = places(source), places(source), places(source, workflow="other")
    assert one.part_of("sub/file") == again.part_of("sub/file")
    parts = {one.part_of("sub/file"), one.part_of("sub/file2"), other.part_of("sub/file")}
    assert len(parts) == 3
    assert {os.path.dirname(part) for part in parts} == {os.path.join(one.destination, "sub")}
