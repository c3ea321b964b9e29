"""Who is dead: signs of life of processes that are really killed, stopped and forked; the clock is ours."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from children import Starter, children, hears, kill, tell

from stepfast import locks
from stepfast.errors import StoreUnavailable
from stepfast.locks import LockState, probe
from stepfast.sqlite import owners
from stepfast.sqlite.owners import (
    BEAT,
    GAP,
    LEASE,
    Peer,
    Presence,
    Watch,
    boot_id,
    owners_folder,
    sweep,
    take_out,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks, and kills with POSIX signals")

PREAMBLE = """
from stepfast import locks
from stepfast.errors import StoreUnavailable
from stepfast.locks import probe
from stepfast.sqlite.owners import Presence
database = sys.argv[1]
"""

PRESENT = """
presence = Presence(database)
say(presence.file)
wait()
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "work.db"


@pytest.fixture
def start(database: Path) -> Iterator[Starter]:
    with children(PREAMBLE) as starter:
        yield lambda script, *arguments: starter(script, database, *arguments)


def stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGSTOP)
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)


def peer(file: str, *, boot: str = "this boot", beat: int = 1) -> Peer:
    return Peer(key=7, file=file, boot=boot, beat=beat)


def watching(database: Path, boot: str = "this boot") -> Watch:
    return Watch(owners_folder(database), boot)


def seconds(first: float, last: float) -> Iterator[float]:
    """The moments of somebody who looks once a second."""
    now = first
    while now <= last:
        yield now
        now += 1.0


def files(database: Path) -> set[str]:
    return set(os.listdir(owners_folder(database)))


def make_old(path: Path) -> None:
    os.utime(path, (1_000_000_000, 1_000_000_000))


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
    process = start("from stepfast.sqlite.owners import boot_id; say(boot_id())")
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


# The judgement by boot and lock


def test_a_killed_owner_is_dead_at_the_first_look_and_a_living_one_is_not(
    start: Starter, database: Path
) -> None:
    living, killed = start(PRESENT), start(PRESENT)
    peers = [replace(peer(hears(living)), key=1), replace(peer(hears(killed)), key=2)]
    watch = watching(database)
    assert watch.judge(peers, 0.0) == []
    kill(killed)
    assert watch.judge(peers, 1.0) == [peers[1]]
    assert watching(database).judge(peers, 1.0) == [peers[1]]
    assert watch.still_dead(peers[1]) and not watch.still_dead(peers[0])


def test_an_owner_of_another_boot_is_dead_whatever_became_of_its_file(database: Path) -> None:
    presence = Presence(database)
    watch = watching(database)
    held, missing = peer(presence.file, boot="an earlier one"), peer("1-0123456789abcdef.lock", boot="before")
    assert watch.judge([held, missing], 0.0) == [held, missing]
    assert watch.still_dead(held) and watch.still_dead(missing)
    presence.leave()


def test_a_boot_that_is_not_known_is_never_another_one(database: Path) -> None:
    presence = Presence(database)
    assert watching(database, boot="").judge([peer(presence.file, boot="some")], 0.0) == []
    assert watching(database, boot="some").judge([peer(presence.file, boot="")], 0.0) == []
    assert watching(database, boot="").judge([peer(presence.file, boot="")], 0.0) == []
    presence.leave()


def test_an_owner_whose_forked_child_lives_on_is_dead(start: Starter, database: Path) -> None:
    script = """
presence = Presence(database)
if os.fork():
    signal.pause()
say(presence.file)
signal.pause()
"""
    process = start(script)
    one = peer(hears(process))
    watch = watching(database)
    assert watch.judge([one], 0.0) == []
    kill(process)
    assert watch.judge([one], 1.0) == [one]
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], 0)[0] == []  # the child still has it


def test_an_owner_whose_pool_was_forked_and_lives_on_is_dead(start: Starter, database: Path) -> None:
    script = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
presence = Presence(database)
context = multiprocessing.get_context("fork")
pool = ProcessPoolExecutor(2, context, initializer=say, initargs=[presence.file])
list(pool.map(abs, range(4)))
signal.pause()
"""
    process = start(script)
    one = peer(hears(process))
    assert hears(process) == one.file  # the other worker runs too
    kill(process)
    assert watching(database).judge([one], 0.0) == [one]
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], 0)[0] == []  # idle workers still have it


def test_a_row_that_names_a_path_of_its_own_is_neither_opened_nor_believed(database: Path) -> None:
    owners_folder(database).mkdir()
    thesis = database.parent / "thesis.lock"
    thesis.touch()
    make_old(thesis)
    inside = owners_folder(database) / "notes.lock"
    inside.touch()
    made_up = [peer("../thesis.lock"), peer(str(thesis)), peer("notes.lock"), peer(""), peer("1-\n.lock")]
    watch = watching(database)
    assert watch.judge(made_up, 0.0) == []
    for one in made_up:
        take_out(owners_folder(database), one.file)
    assert thesis.exists() and inside.exists()


def test_a_file_that_cannot_be_looked_at_leaves_it_to_the_lease(database: Path) -> None:
    owners_folder(database).mkdir()
    one = peer("1-0123456789abcdef.lock")
    (owners_folder(database) / one.file).symlink_to("itself")
    watch = watching(database)
    assert next(now for now in seconds(0, 70) if watch.judge([one], now)) == LEASE


# The judgement by lease


def test_a_stopped_owner_is_dead_after_a_lease_and_alive_again_once_its_beat_moves(
    start: Starter, database: Path
) -> None:
    process = start(PRESENT)
    one = peer(hears(process))
    stop(process)
    watch = watching(database)
    assert next(now for now in seconds(100, 200) if watch.judge([one], now)) == 100 + LEASE
    assert watch.still_dead(one)
    process.send_signal(signal.SIGCONT)
    woken = replace(one, beat=one.beat + 1)
    assert not watch.still_dead(woken)
    assert watch.judge([woken], 201.0) == []
    assert not watch.still_dead(one)


def test_an_owner_whose_beat_moves_is_never_dead(database: Path) -> None:
    presence = Presence(database)
    watch = watching(database)
    for now in seconds(0, 3_600):
        assert watch.judge([peer(presence.file, beat=int(now / BEAT))], now) == []
    presence.leave()


def test_an_owner_without_claims_owes_no_beats_and_its_lease_begins_with_its_first_claim(
    start: Starter, database: Path
) -> None:
    process = start(PRESENT)
    holding = peer(hears(process))
    idle = replace(holding, holds=False)
    watch = watching(database)
    assert not any(watch.judge([idle], now) for now in seconds(0, 600))
    assert next(now for now in seconds(601, 700) if watch.judge([holding], now)) == 601 + LEASE
    kill(process)
    assert watching(database).judge([idle], 0.0) == [idle]


def test_where_a_cleaner_took_the_file_only_the_lease_decides(start: Starter, database: Path) -> None:
    process = start(PRESENT)
    one = peer(hears(process))
    (owners_folder(database) / one.file).unlink()
    watch = watching(database)
    for now in seconds(0, 300):
        assert watch.judge([replace(one, beat=int(now / BEAT))], now) == []
    owners_folder(database).rmdir()
    silent = replace(one, beat=1_000)
    assert next(now for now in seconds(301, 400) if watch.judge([silent], now)) == 301 + LEASE
    assert watch.still_dead(silent)
    assert not watch.still_dead(replace(silent, beat=1_001))


def test_a_time_in_which_nobody_watched_does_not_count(database: Path) -> None:
    presence = Presence(database)
    one = peer(presence.file)
    watch = watching(database)
    assert not any(watch.judge([one], now) for now in seconds(0, 59))
    # A day's sleep, of us or of the machine; then nearly a lease, and our own suspension for a moment.
    assert not any(watch.judge([one], now) for now in seconds(86_400, 86_459))
    assert not any(watch.judge([one], now) for now in seconds(86_459 + GAP + 0.1, 86_459 + 69))
    assert watch.judge([one], 86_459 + GAP + 0.1 + 60) == [one]
    presence.leave()


def test_looks_with_less_than_a_gap_between_them_are_watching(database: Path) -> None:
    presence = Presence(database)
    one = peer(presence.file)
    watch = watching(database)
    assert [watch.judge([one], now * GAP) for now in range(7)] == [[]] * 6 + [[one]]
    presence.leave()


def test_a_clock_that_went_back_was_not_watched(database: Path) -> None:
    presence = Presence(database)
    one = peer(presence.file)
    watch = watching(database)
    watch.judge([one], 1_000.0)
    assert next(now for now in seconds(0, 100) if watch.judge([one], now)) == LEASE
    presence.leave()


def test_a_peer_that_was_gone_meanwhile_is_watched_anew(database: Path) -> None:
    presence = Presence(database)
    one = peer(presence.file)
    watch = watching(database)
    assert not any(watch.judge([one], now) for now in seconds(0, 59))
    assert watch.judge([], 59.5) == []
    assert next(now for now in seconds(60, 200) if watch.judge([one], now)) == 60 + LEASE
    assert watch.judge([], 201.0) == []
    assert not watch.still_dead(one)
    presence.leave()


# What is left lying about

# Stops between creating its file and locking it, until it is told to go on.
CREATING = """
really = locks._lock_exclusive
def later(fd):
    locks._lock_exclusive = really
    say("created")
    wait()
    return really(fd)
locks._lock_exclusive = later
presence = Presence(database)
say(presence.file)
wait()
"""


def test_an_owner_killed_between_creating_and_locking_leaves_what_is_swept_when_it_is_old(
    start: Starter, database: Path
) -> None:
    process = start(CREATING)
    assert hears(process) == "created"
    kill(process)
    (file,) = files(database)
    sweep(owners_folder(database), set())
    assert files(database) == {file}
    make_old(owners_folder(database) / file)
    sweep(owners_folder(database), set())
    assert files(database) == set()


def test_an_owner_killed_between_locking_and_registering_leaves_what_is_swept_too(
    start: Starter, database: Path
) -> None:
    process = start(PRESENT)
    file = hears(process)
    make_old(owners_folder(database) / file)
    sweep(owners_folder(database), set())
    assert files(database) == {file}  # it lives
    kill(process)
    sweep(owners_folder(database), set())
    assert files(database) == set()


def test_an_owner_that_was_halted_while_its_file_was_swept_comes_back_with_a_lock_that_counts(
    start: Starter, database: Path
) -> None:
    process = start(CREATING)
    assert hears(process) == "created"
    (file,) = files(database)
    make_old(owners_folder(database) / file)
    sweep(owners_folder(database), set())
    assert files(database) == set()
    tell(process)
    one = peer(hears(process))
    assert probe(owners_folder(database) / one.file) is LockState.HELD
    kill(process)
    assert watching(database).judge([one], 0.0) == [one]


def test_an_owner_that_is_probed_before_it_has_locked_gets_its_lock_all_the_same(
    start: Starter, database: Path
) -> None:
    process = start(CREATING)
    assert hears(process) == "created"
    (file,) = files(database)
    halfway = locks._Descriptor(owners_folder(database) / file, os.O_RDONLY)
    assert locks._lock_shared(halfway.fd)
    tell(process)
    halfway.close()
    assert hears(process) == file
    assert probe(owners_folder(database) / file) is LockState.HELD


def test_a_sweep_leaves_the_registered_the_young_and_what_is_not_ours(start: Starter, database: Path) -> None:
    folder = owners_folder(database)
    process = start(PRESENT)
    registered = hears(process)
    kill(process)
    free, ahead = "1-0123456789abcdef.lock", "2-0123456789abcdef.lock"
    for name in (free, ahead, "notes.txt", "step.lock"):
        (folder / name).touch()
        make_old(folder / name)
    make_old(folder / registered)
    os.utime(folder / ahead, (40_000_000_000, 40_000_000_000))  # by a clock that was wrong
    (folder / "3-0123456789abcdef.lock").symlink_to(folder / "notes.txt")
    sweep(folder, {registered})
    assert files(database) == {registered, "notes.txt", "step.lock", "3-0123456789abcdef.lock"}
    one = peer(registered)
    assert watching(database).judge([one], 0.0) == [one]


def test_a_sweep_of_a_folder_that_is_not_there_does_nothing(database: Path) -> None:
    sweep(owners_folder(database), set())
    assert not owners_folder(database).exists()


def test_a_dead_owners_file_is_taken_out_and_a_stopped_ones_stays_its_own(
    start: Starter, database: Path
) -> None:
    folder = owners_folder(database)
    killed, stopped = start(PRESENT), start(PRESENT)
    dead, asleep = hears(killed), hears(stopped)
    kill(killed)
    stop(stopped)
    for file in (dead, asleep, "1-0123456789abcdef.lock"):
        take_out(folder, file)
    assert files(database) == {asleep}
    assert probe(folder / asleep) is LockState.HELD
    kill(stopped)
    take_out(folder, asleep)
    assert files(database) == set()


def test_two_that_find_the_same_dead_owner_agree_and_either_may_take_it_out(
    start: Starter, database: Path
) -> None:
    process = start(PRESENT)
    one = peer(hears(process))
    kill(process)
    together = threading.Barrier(4)
    found: list[list[Peer]] = []

    def judges() -> None:
        watch = watching(database)
        together.wait()
        found.extend(watch.judge([one], float(now)) for now in range(50))

    threads = [threading.Thread(target=judges) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[one]] * 200
    take_out(owners_folder(database), one.file)
    take_out(owners_folder(database), one.file)
    assert files(database) == set()
