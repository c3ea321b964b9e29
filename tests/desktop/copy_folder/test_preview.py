"""What is said of a copy before it starts."""

import os
import stat
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from stepfast import Finding
from stepfast_desktop.workflows.copy_folder import copy_folder, preview
from stepfast_desktop.workflows.copy_folder.filesystem import Disk, disk_of, limits_of, parse_mounts

Mounted = Callable[[Path, int], AbstractContextManager[None]]
GIB = 1 << 30

MOUNTS = """\
22 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw
36 22 8:17 / /media/ann/My\\040stick rw,nosuid,nodev,relatime shared:29 - vfat /dev/sdb1 rw,fmask=0022
40 22 0:45 / /mnt/share rw shared:3 - cifs //server/share rw
"""


def said(source: Path, destination: Path, existing: str = "skip") -> dict[str, Finding]:
    """What there is to say in the end, by name."""
    arguments = copy_folder(source, destination, existing=existing).arguments  # type: ignore[arg-type]
    return {each.name: each for each in copy_folder.look(arguments)}


@pytest.fixture
def on_fat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every disk taken for a FAT one: nobody without privileges can make one."""
    monkeypatch.setattr(preview, "disk_of", lambda path: Disk("/media/ann/STICK", "vfat", "STICK"))


def test_it_says_how_much_it_is_and_how_much_room_there_is(many: Path, destination: Path) -> None:
    found = said(many, destination)
    assert found.keys() == {"size"}
    size = found["size"]
    assert size.text.startswith("7 files, 7.0 kB. ")
    assert " free on " in size.text
    assert (size.level, size.going_on) == ("note", False)


def test_nothing_is_written(many: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    said(many, tmp_path / "a" / "b")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("source", "destination", "about", "text"),
    [
        ("missing", "destination", "source", "There is no folder"),
        ("source/1", "destination", "source", "is not a folder"),
        ("source", "source", "destination", "is the source itself"),
        ("source", "source/new", "destination", "inside the source"),
        ("source", "other", "destination", "cannot be a folder"),
    ],
)
def test_what_cannot_work_is_an_error_beside_the_field_that_is_wrong(
    many: Path, tmp_path: Path, source: str, destination: str, about: str, text: str
) -> None:
    (tmp_path / "other").write_bytes(b"")
    (found,) = said(tmp_path / source, tmp_path / destination).values()
    assert (found.level, found.about) == ("error", about)
    assert text in found.text


def test_what_is_there_already_takes_no_room(many: Path, destination: Path) -> None:
    destination.mkdir()
    (destination / "3").write_bytes(bytes(1000))
    assert "1 file of that size is there already." in said(many, destination)["size"].text
    (destination / "4").write_bytes(bytes(1000))
    (destination / "5").write_bytes(b"shorter")
    assert "2 files of that size are there already." in said(many, destination)["size"].text


def test_a_disk_without_room_is_an_error(many: Path, tmp_path: Path, disk: Mounted) -> None:
    mount = tmp_path / "mount"
    mount.mkdir()
    (many / "large").touch()
    os.truncate(many / "large", 5 << 20)
    with disk(mount, 4):
        found = said(many, mount / "new")
        assert found["room"].level == "error"
        assert found["room"].about == "destination"
        assert found["room"].text.startswith(
            "There is no room: 5.2 MB are needed, and 4.2 MB are free on “mount”"
        )
        (mount / "large").touch()
        os.truncate(mount / "large", 5 << 20)
        assert "room" not in said(many, mount)
        # One that is replaced has to grow by what it lacks only; one that is left alone, by nothing.
        os.truncate(mount / "large", 4 << 20)
        assert "room" not in said(many, mount, "overwrite")
        assert "room" not in said(many, mount)


def test_a_folder_that_cannot_be_read_is_a_warning(
    many: Path, destination: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (many / "closed").mkdir()
    scandir = os.scandir

    def refusing(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    found = said(many, destination)
    assert (found["unread"].text, found["unread"].level) == ("Cannot be read: closed.", "warning")
    assert found["size"].text.startswith("7 files")


@pytest.mark.usefixtures("on_fat")
def test_what_fat_cannot_hold_is_said_before(many: Path, destination: Path) -> None:
    for name, length in (("just.iso", 4 * GIB - 1), ("large.iso", 4 * GIB)):
        (many / name).touch()
        os.truncate(many / name, length)  # takes no room: it is all hole
    for name in ("what?", "a:b", "dot.", "fine .txt"):
        (many / name).touch()
    (many / "link").symlink_to("1")
    found = said(many, destination)
    assert (
        found["large"].text == "1 file cannot go there, since FAT32 takes none of 4.3 GB or more: large.iso."
    )
    assert found["names"].text.startswith("3 names cannot be written there")
    assert "fine" not in found["names"].text
    assert found["links"].text.startswith("1 symbolic link cannot be made there")
    assert {found[each].level for each in ("large", "names", "links")} == {"warning"}
    assert "free on “STICK”" in found["size"].text


@pytest.mark.usefixtures("on_fat")
def test_of_many_the_first_are_told_and_the_rest_counted(many: Path, destination: Path) -> None:
    for number in range(1234):
        (many / f"{number:04}?").touch()
    text = said(many, destination)["names"].text
    assert text.startswith("1,234 names ")
    assert text.endswith("and 1,231 more.")


def test_on_the_way_it_says_how_far_it_is_and_can_be_stopped(
    many: Path, destination: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview, "SECONDS", 0)
    looking = copy_folder.look(copy_folder(many, destination).arguments)
    first = next(looking)
    assert (first.name, first.going_on) == ("size", True)
    assert first.text == "Counting ... 1 file, 1.0 kB so far."
    looking.close()  # type: ignore[attr-defined]


def test_the_mounts_of_linux_are_read() -> None:
    lines = MOUNTS.splitlines(keepends=True)
    assert parse_mounts(lines, "/media/ann/My stick") == Disk("/media/ann/My stick", "vfat")
    assert parse_mounts(lines, "/media/ann/My stick/a/b") == Disk("/media/ann/My stick", "vfat")
    assert parse_mounts(lines, "/media/ann/My sticks") == Disk("/", "ext4")
    assert parse_mounts(lines, "/") == Disk("/", "ext4")
    assert parse_mounts(["nothing of that kind\n"], "/") is None
    assert Disk("/media/ann/My stick", "vfat").title == "My stick"
    assert Disk("/", "ext4").title is None
    assert Disk("E:\\", "FAT32", "STICK").title == "STICK"


def test_limits_are_known_by_every_systems_name_for_them() -> None:
    assert limits_of("vfat") is limits_of("FAT32") is limits_of("msdos")
    assert limits_of("exFAT") is limits_of("exfat")
    assert limits_of("NTFS") is limits_of("fuseblk")
    assert limits_of("ext4") is None


def test_a_mounted_disk_is_found(tmp_path: Path, disk: Mounted) -> None:
    mount = tmp_path / "a mount"
    mount.mkdir()
    with disk(mount, 1):
        (mount / "sub").mkdir()
        assert disk_of(str(mount / "sub")) == Disk(str(mount), "tmpfs")
        assert stat.S_ISDIR(os.stat(mount).st_mode)
    assert disk_of(str(tmp_path / "missing")) is None
