"""A large file that was interrupted: what is there and good is kept, and nothing else."""

import os
from typing import Any

import pytest
from copying import MB, Stop, Watching, content, copy, stop

from stepfast_desktop.workflows.copy_folder import transfer
from stepfast_desktop.workflows.copy_folder.digests import Mark
from stepfast_desktop.workflows.copy_folder.errors import CopyError
from stepfast_desktop.workflows.copy_folder.transfer import Job, Pace, settle, sync, write


def interrupted(job: Job, at: int) -> Mark:
    """Copy until `at` bytes have moved; the last mark that was kept."""
    marks: list[Mark] = []
    with pytest.raises(Stop):
        write(job, Watching(at, stop), Pace(), keep=marks.append)
    return marks[-1]


@pytest.mark.usefixtures("small_pieces")
def test_an_interrupted_copy_goes_on_where_it_was(job: Job) -> None:
    mark = interrupted(job, 7 * MB)
    assert mark.length == 4 * MB
    watch = Watching()
    copy(job, watch, mark=mark)
    assert watch.good == 4 * MB
    assert watch.bytes == (6 * MB + 777) + (10 * MB + 777)  # the rest, and all of it read back
    assert content(job.target) == content(job.source)


@pytest.mark.usefixtures("small_pieces")
def test_a_piece_that_is_not_what_was_written_is_copied_again_with_all_behind_it(job: Job) -> None:
    mark = interrupted(job, 10 * MB)
    assert mark.length == 8 * MB
    with open(job.part, "r+b") as part:
        part.seek(5 * MB)
        part.write(b"damage")
    watch = Watching()
    copy(job, watch, mark=mark)
    assert watch.good == 4 * MB
    assert content(job.target) == content(job.source)


def test_a_mark_in_the_middle_of_a_piece_counts(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    pace = Pace()
    pace.limit = 3 * MB
    monkeypatch.setattr(Pace, "flushed", lambda self, seconds: None)
    marks: list[Mark] = []
    with pytest.raises(Stop):
        write(job, Watching(8 * MB, stop), pace, keep=marks.append)
    assert [mark.length for mark in marks] == [3 * MB, 6 * MB]
    watch = Watching()
    copy(job, watch, mark=marks[-1])
    assert watch.good == 6 * MB
    assert content(job.target) == content(job.source)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize(
    ("damage", "good"),
    [
        (lambda job: os.truncate(job.part, 5 * MB), 4 * MB),
        (lambda job: os.truncate(job.part, 0), 0),
        (lambda job: os.truncate(job.part, 50 * MB), 8 * MB),
        (lambda job: os.unlink(job.part), 0),
        (lambda job: os.chmod(job.part, 0o000), 8 * MB),
        (lambda job: os.utime(job.source, ns=(1, 1)), 0),
    ],
    ids=["cut short", "emptied", "longer", "gone", "without permissions", "the source changed"],
)
def test_only_what_is_there_and_good_is_kept(job: Job, damage: Any, good: int) -> None:
    mark = interrupted(job, 10 * MB)
    damage(job)
    watch = Watching()
    copy(job, watch, mark=mark)
    assert watch.good == good
    assert content(job.target) == content(job.source)


@pytest.mark.usefixtures("small_pieces")
def test_a_mark_is_kept_only_after_what_it_claims_is_on_disk(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_disk = 0

    def flush(file: int) -> None:
        nonlocal on_disk
        on_disk = os.fstat(file).st_size

    claimed: list[tuple[int, int]] = []
    monkeypatch.setattr(transfer, "flush", flush)
    write(job, Watching(), Pace(), keep=lambda mark: claimed.append((mark.length, on_disk))).close()
    assert claimed == [(4 * MB, 4 * MB), (8 * MB, 8 * MB)]


def test_a_slow_disk_is_flushed_more_often() -> None:
    pace = Pace()
    pace.flushed(2.0)
    assert pace.limit == transfer.PIECE // 2
    for _ in range(20):
        pace.flushed(2.0)
    assert pace.limit == MB
    for _ in range(20):
        pace.flushed(0.01)
    assert pace.limit == transfer.PIECE


@pytest.mark.usefixtures("small_pieces")
def test_a_process_that_was_thought_dead_cannot_write_into_what_is_copied_now(job: Job) -> None:
    """It was stopped, say, and wakes up: with its temporary file open, in the middle of the copy."""
    fcntl = pytest.importorskip("fcntl")
    mark = interrupted(job, 7 * MB)
    sleeper = os.open(job.part, os.O_RDWR)
    fcntl.flock(sleeper, fcntl.LOCK_EX)
    watch = Watching()
    written = write(job, watch, Pace(), mark=mark)
    assert watch.good == 0
    os.pwrite(sleeper, b"from the dead", 0)
    os.close(sleeper)
    sync(written, Pace())
    settle(written, watch, verify=True)
    assert content(job.target) == content(job.source)


def test_a_process_that_was_thought_dead_cannot_name_what_another_is_writing(job: Job) -> None:
    sleeper = write(job, Watching(), Pace())
    with pytest.raises(Stop):
        write(job, Watching(3 * MB, stop), Pace())
    with pytest.raises(CopyError, match="another process"):
        settle(sleeper, Watching(), verify=False)
    assert not os.path.lexists(job.target)
    sleeper.discard()
    assert os.stat(job.part).st_size == 3 * MB
