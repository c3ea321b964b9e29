import os
import stat
from pathlib import Path
from typing import Any

import pytest
from copying import MB, Stop, Watching, content, copy, stop

from stepfast_desktop.workflows.copy_folder import transfer
from stepfast_desktop.workflows.copy_folder.errors import (
    Refused,
    SourceFailed,
    TargetFailed,
    Unsteady,
)
from stepfast_desktop.workflows.copy_folder.transfer import (
    Job,
    Mark,
    Pace,
    same,
    settle,
    sync,
    write,
)


def interrupted(job: Job, at: int) -> Mark:
    """Copy until `at` bytes have moved; the last mark that was kept."""
    marks: list[Mark] = []
    with pytest.raises(Stop):
        write(job, Watching(at, stop), Pace(), keep=marks.append)
    return marks[-1]


# ------------------------------------------------------------------------------------------- a whole copy


def test_a_file_arrives_with_its_content_times_and_permissions(job: Job) -> None:
    assert copy(job) is None
    ours, theirs = os.stat(job.source), os.stat(job.target)
    assert content(job.target) == content(job.source)
    assert (theirs.st_mtime_ns, theirs.st_atime_ns) == (10**18 + 5, 10**18)
    assert stat.S_IMODE(theirs.st_mode) == stat.S_IMODE(ours.st_mode) == 0o640
    assert not os.path.lexists(job.part)


@pytest.mark.parametrize("size", [0, 1, MB - 1, MB, MB + 1])
def test_any_size_arrives(job: Job, size: int) -> None:
    Path(job.source).write_bytes(os.urandom(size))
    copy(job)
    assert content(job.target) == content(job.source)


def test_an_old_file_survives_until_the_new_one_is_verified(job: Job) -> None:
    Path(job.target).write_bytes(b"old")
    written = write(job, Watching(), Pace())
    sync(written, Pace())
    with pytest.raises(Stop):
        settle(written, Watching(MB, stop), verify=True)
    assert content(job.target) == b"old"
    settle(written, Watching(), verify=True)
    assert content(job.target) == content(job.source)


def test_all_is_on_disk_before_the_file_has_its_name(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    for name in ("fsync", "replace", "chmod", "utime"):
        call = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, n=name, c=call, **k: (calls.append(n), c(*a, **k))[1])
    copy(job)
    assert calls[:3] == ["utime", "chmod", "fsync"]
    assert calls[-1] == "replace"


def test_what_is_not_read_back_as_written_gets_no_name(job: Job) -> None:
    written = write(job, Watching(), Pace())
    sync(written, Pace())
    with open(job.part, "r+b") as part:
        part.seek(9 * MB)
        part.write(b"damage")
    with pytest.raises(Unsteady, match="not what was written"):
        settle(written, Watching(), verify=True)
    written.close()
    assert not os.path.lexists(job.target)


def test_without_verify_nothing_is_read_back(job: Job) -> None:
    written = write(job, Watching(), Pace())
    watch = Watching()
    settle(written, watch, verify=False)
    assert watch.bytes == 0
    assert content(job.target) == content(job.source)


# -------------------------------------------------------------------------------- what does not hold still


def test_a_source_that_is_written_to_meanwhile_is_noticed(job: Job) -> None:
    def change() -> None:
        with open(job.source, "r+b") as source:
            source.write(b"changed")

    with pytest.raises(Unsteady, match="changed while"):
        write(job, Watching(2 * MB, change), Pace())


def test_a_source_that_is_replaced_meanwhile_is_noticed(job: Job, tmp_path: Path) -> None:
    def replace() -> None:
        other = tmp_path / "other"
        other.write_bytes(b"x")
        os.replace(other, job.source)

    with pytest.raises(Unsteady):
        write(job, Watching(2 * MB, replace), Pace())


def test_a_source_that_grows_for_ever_is_given_up(job: Job) -> None:
    def grow() -> None:
        with open(job.source, "ab") as source:
            source.write(bytes(2 * MB))

    watch = Watching(0, grow)
    with pytest.raises(Unsteady):
        write(job, watch, Pace())
    assert watch.bytes <= 12 * MB


def test_a_source_that_shrinks_is_noticed(job: Job) -> None:
    with pytest.raises(Unsteady):
        write(job, Watching(2 * MB, lambda: os.truncate(job.source, 3 * MB)), Pace())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize(
    "become", [os.mkdir, getattr(os, "mkfifo", os.mkdir), lambda path: os.symlink("/", path)]
)
def test_a_source_that_became_something_else_is_refused(job: Job, become: Any) -> None:
    os.unlink(job.source)
    become(job.source)
    with pytest.raises(Refused, match="not a regular file any more"):
        write(job, Watching(), Pace())


def test_whose_fault_a_failure_is_can_be_told(job: Job, tmp_path: Path) -> None:
    with pytest.raises(SourceFailed) as ours:
        write(Job(str(tmp_path / "missing"), job.target, job.part), Watching(), Pace())
    assert isinstance(ours.value.error, FileNotFoundError)
    with pytest.raises(TargetFailed) as theirs:
        write(Job(job.source, job.target, str(tmp_path / "missing" / "part")), Watching(), Pace())
    assert isinstance(theirs.value.error, FileNotFoundError)


def test_a_link_at_the_temporary_name_is_never_written_through(job: Job, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    os.symlink(victim, job.part)
    copy(job, mark=Mark(transfer.Stamp.of(os.stat(job.source)), 0, ()))
    assert victim.read_bytes() == b"precious"
    assert content(job.target) == content(job.source)
    assert not os.path.islink(job.target)


def test_the_rights_of_another_owner_are_not_given_along(job: Job) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can have a file that is another's")
    os.chown(job.source, 1234, 1234)
    os.chmod(job.source, 0o6755)
    copy(job)
    assert stat.S_IMODE(os.stat(job.target).st_mode) == 0o755
    os.chown(job.source, 0, 0)
    os.chmod(job.source, 0o6755)
    copy(job)
    assert stat.S_IMODE(os.stat(job.target).st_mode) == 0o6755


# ------------------------------------------------------------------------------------- what is there already


def test_the_same_content_is_the_same_whatever_its_time(job: Job) -> None:
    Path(job.target).write_bytes(content(job.source))
    assert same(job, Watching(), verify=True)
    assert same(job, Watching(), verify=False)


def test_without_verify_the_time_is_enough(job: Job) -> None:
    Path(job.target).write_bytes(bytes(10 * MB + 777))
    os.utime(job.target, ns=(1, os.stat(job.source).st_mtime_ns))
    watch = Watching()
    assert same(job, watch, verify=False)
    assert watch.bytes == 0
    assert not same(job, watch, verify=True)


def test_one_byte_makes_a_difference(job: Job) -> None:
    Path(job.target).write_bytes(content(job.source)[:-1] + b"\0")
    Path(job.source).write_bytes(content(job.source)[:-1] + b"\1")
    assert not same(job, Watching(), verify=True)
    assert not same(job, Watching(), verify=False)


def test_another_size_is_another_file_without_reading_it(job: Job) -> None:
    Path(job.target).write_bytes(content(job.source) + b"\0")
    watch = Watching()
    assert not same(job, watch, verify=True)
    assert watch.bytes == 0


# ------------------------------------------------------------------------------------------- a real full disk


def test_a_full_disk_is_the_targets_failure_and_leaves_the_old_file(
    job: Job, disk: Any, tmp_path: Path
) -> None:
    mount = tmp_path / "mount"
    mount.mkdir()
    with disk(mount, 4):
        target = mount / "target"
        target.write_bytes(b"old")
        full = Job(job.source, str(target), str(mount / ".part"))
        with pytest.raises(TargetFailed) as failed:
            write(full, Watching(), Pace())
        assert failed.value.error.errno == 28
        assert target.read_bytes() == b"old"
