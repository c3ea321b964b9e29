"""One's own sign of life: a locked file, in processes that are really killed and forked; and the boot."""

from __future__ import annotations

import ctypes
import os
import stat
import sys
import threading
from pathlib import Path

import pytest
from children import Starter, hears, tell
from presences import files, peer, watching

from stepfast.errors import StoreUnavailable
from stepfast.sqlite.engines import owners
from stepfast.sqlite.engines.owners import (
    Presence,
    boot_id,
    owners_folder,
)
from stepfast.system import locks
from stepfast.system.locks import LockState, probe

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks, and kills with POSIX signals")


# One's own sign of life


def test_a_presence_is_a_locked_file_in_a_private_folder_beside_the_database(database: Path) -> None:
    presence = Presence(database)
    folder = database.parent / "work.db-owners"
    assert owners_folder(database) == folder == presence.folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert presence.file.startswith(f"{os.getpid()}-") and presence.file.endswith(".lock")
    assert probe(folder / presence.file) is LockState.HELD
    assert (presence.pid, presence.boot) == (os.getpid(), boot_id())
    presence.leave()


def test_two_engines_in_one_process_are_two_owners(database: Path) -> None:
    first, second = Presence(database), Presence(database)
    assert files(database) == {first.file, second.file} and first.file != second.file
    first.leave()
    assert files(database) == {second.file}
    assert probe(second.folder / second.file) is LockState.HELD
    assert watching(database).judge([peer(second.file)], 0.0) == []
    second.leave()


def test_the_last_to_leave_takes_the_folder_along_and_may_leave_twice(database: Path) -> None:
    first, second = Presence(database), Presence(database)
    first.leave()
    first.leave()
    assert second.folder.is_dir()
    second.leave()
    assert not second.folder.exists()
    second.leave()


def test_a_folder_with_something_else_in_it_stays(database: Path) -> None:
    presence = Presence(database)
    (presence.folder / "notes.txt").touch()
    presence.leave()
    assert files(database) == {"notes.txt"}


def test_owners_that_come_while_others_go_always_find_the_folder(database: Path) -> None:
    together = threading.Barrier(4)
    came: list[int] = []

    def comes_and_goes() -> None:
        together.wait()
        for _ in range(100):
            presence = Presence(database)
            assert probe(presence.folder / presence.file) is LockState.HELD
            presence.leave()
        came.append(100)

    threads = [threading.Thread(target=comes_and_goes) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert came == [100] * 4
    assert not owners_folder(database).exists()


def test_a_folder_that_goes_just_after_it_was_made_is_made_again(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = owners.FileLock.acquire
    times = []

    def interrupted(path: Path) -> locks.FileLock | None:
        times.append(path)
        if len(times) == 1:
            path.parent.rmdir()
        return really(path)

    monkeypatch.setattr(owners.FileLock, "acquire", interrupted)
    presence = Presence(database)
    assert len(times) == 2
    assert files(database) == {presence.file}
    presence.leave()


def test_a_database_reached_by_a_link_has_the_same_owners(database: Path) -> None:
    database.touch()
    link = database.parent / "link.db"
    link.symlink_to(database)
    presence = Presence(link)
    assert presence.folder == owners_folder(database)
    assert files(database) == {presence.file}
    presence.leave()


def test_one_that_keeps_its_lock_has_it_until_its_process_ends(start: Starter, database: Path) -> None:
    script = """
presence = Presence(database)
presence.keep()
presence.leave()
say(presence.file)
wait()
"""
    process = start(script)
    file = hears(process)
    assert probe(owners_folder(database) / file) is LockState.HELD
    tell(process)
    assert process.wait() == 0
    assert probe(owners_folder(database) / file) is LockState.FREE


def test_a_forked_child_that_unwinds_does_not_take_its_parents_file(start: Starter, database: Path) -> None:
    script = """
presence = Presence(database)
if not os.fork():
    presence.leave()
    sys.exit()
os.wait()
say(presence.file)
wait()
"""
    process = start(script)
    file = hears(process)
    assert files(database) == {file}
    assert probe(owners_folder(database) / file) is LockState.HELD


def test_where_the_folder_cannot_be_made_the_error_says_where_and_why(database: Path) -> None:
    owners_folder(database).touch()
    with pytest.raises(StoreUnavailable, match=r"work\.db-owners: Not a directory; each program"):
        Presence(database)
    with pytest.raises(StoreUnavailable, match="No such file or directory"):
        Presence(database.parent / "missing" / "work.db")
    dangling = database.parent / "other.db-owners"
    dangling.symlink_to(database.parent / "nowhere")
    with pytest.raises(StoreUnavailable, match="No such file or directory"):
        Presence(database.parent / "other.db")


def test_a_folder_that_may_not_be_written_to_is_an_error_that_says_so(start: Starter, database: Path) -> None:
    script = """
if os.geteuid() == 0: os.setuid(65534)  # root may write anywhere
try: Presence(database)
except StoreUnavailable as refused: say(refused)
else: say("made")
"""
    database.parent.chmod(0o555)
    try:
        said = hears(start(script))
    finally:
        database.parent.chmod(0o755)
    assert "Permission denied" in said and "work.db-owners" in said


# The boot


@pytest.mark.skipif(sys.platform != "linux", reason="as Linux names its boots")
def test_all_processes_of_a_boot_name_it_alike(start: Starter) -> None:
    process = start("from stepfast.sqlite.engines.owners import boot_id; say(boot_id())")
    assert hears(process) == boot_id() == Path("/proc/sys/kernel/random/boot_id").read_text().strip() != ""


@pytest.mark.skipif(sys.platform != "linux", reason="as Linux names its boots")
def test_a_boot_without_a_name_is_an_empty_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owners, "_BOOT_ID", tmp_path / "missing")
    assert boot_id() == ""


def test_a_sysctl_is_read_as_text_and_an_unknown_one_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    class Libc:
        """What macOS has, as far as it is used."""

        def __init__(self, name: None) -> None:
            pass

        def sysctlbyname(self, name: bytes, value: object, size: object, new: None, length: object) -> int:
            if name != b"kern.bootsessionuuid":
                return -1
            ctypes.memmove(value, b"0B25-UUID\0", 10)  # type: ignore[arg-type]
            return 0

    monkeypatch.setattr(ctypes, "CDLL", Libc)
    assert owners._sysctl(b"kern.bootsessionuuid") == "0B25-UUID"
    assert owners._sysctl(b"kern.unknown") == ""
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert owners._sysctl(b"kern.bootsessionuuid") == ""
