"""One file, from the source to its place: copied, on disk, verified, renamed.

A file grows under a temporary name in the folder it is meant for, so that the rename at the end cannot
cross disks, an old file survives until then, and what bears the right name is always whole. In order:

    write       copy in chunks of 1 MB, with a digest of each 64 MB piece; look whether the source held still
    settle      times and permissions, fsync, read back and compare the digests, rename

Times and permissions come before the fsync, since after it nothing would make them durable: the fsync
of a folder promises its names and nothing of the files behind them. Whoever calls `settle` calls
`flush_folder` once for the folder afterwards, before saying that the file is copied.

A large file leaves a `Mark` every 64 MB or 2 s, after an fsync. hashlib's states cannot be stored, so a
mark has the digest of each piece and of the rest so far: after a crash each is read back and compared,
and the copy goes on after the last one that is what was written.

Nothing here knows a workflow: the module copies files, and is told where to.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from stepfast_desktop.workflows.copy_folder.attributes import keep_attributes, keep_times
from stepfast_desktop.workflows.copy_folder.digests import CHUNK, PIECE, Digests, Mark, Stamp
from stepfast_desktop.workflows.copy_folder.disk import drop_cache, flush, lock, remove, rename
from stepfast_desktop.workflows.copy_folder.errors import (
    CopyError,
    Refused,
    Unsteady,
    printable,
    reading,
    writing,
)

__all__ = ["Job", "Pace", "Watch", "Written", "same", "settle", "sync", "write"]

# O_NOFOLLOW: a link that took a file's place is not followed. O_NONBLOCK: nor does a pipe that did hang us.
_COMMON = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | _COMMON | getattr(os, "O_NONBLOCK", 0)
_WRITE = os.O_RDWR | _COMMON


@dataclass(frozen=True, slots=True)
class Job:
    """One file to be copied: absolute paths of the source, of its place, and of the temporary name."""

    source: str
    target: str
    part: str


class Watch(Protocol):
    """Who is told of each step forward; it may raise to stop the copy there."""

    def moved(self, count: int) -> None:
        """So many more bytes were copied, or read back."""
        ...

    def checking(self, done: int, total: int) -> None:
        """So much of what an interrupted copy had written is looked at."""
        ...

    def found(self, count: int) -> None:
        """So many bytes of it are good, and need not be copied again."""
        ...


class Pace:
    """How much to write between two fsyncs: less on a slow disk, where one fsync would take seconds.

    An fsync cannot be interrupted, and a person who pauses waits for it.
    """

    def __init__(self) -> None:
        self.limit = PIECE

    def flushed(self, seconds: float) -> None:
        if seconds > 0.4:
            self.limit = max(CHUNK, self.limit // 2)
        elif seconds < 0.1:
            self.limit = min(PIECE, self.limit * 2)


@dataclass(slots=True)
class Written:
    """A file that is whole under its temporary name, and not yet known to be on disk."""

    job: Job
    part: int
    before: os.stat_result
    digests: Digests

    def close(self) -> None:
        """Let go of the temporary file and leave it. Closing twice does nothing."""
        part, self.part = self.part, -1
        if part >= 0:
            os.close(part)

    def discard(self) -> None:
        """Let go of the temporary file and remove it, unless another process has that name by now."""
        if self.part >= 0 and self.has_its_name():
            remove(self.job.part)
        self.close()

    def has_its_name(self) -> bool:
        with suppress(OSError):
            return os.path.samestat(os.fstat(self.part), os.lstat(self.job.part))
        return False


def write(
    job: Job,
    watch: Watch,
    pace: Pace,
    *,
    mark: Mark | None = None,
    keep: Callable[[Mark], None] | None = None,
    wanted: Callable[[], bool] = lambda: False,
) -> Written:
    """Copy `job.source` to `job.part`.

    Args:
        mark: how far an earlier attempt came; what does not fit the files as they are is not used.
        keep: called with a new mark every 64 MB (less on a slow disk) or 2 s, when what it claims is on
            disk. Without it there is no fsync on the way.
        wanted: asked whether a mark is wanted now, before that.

    Raises:
        Unsteady: the source changed meanwhile; the temporary file is left for the caller to remove.
        SourceFailed, TargetFailed: the system refused.
    """
    with reading():
        before = os.lstat(job.source)
        if not stat.S_ISREG(before.st_mode):
            raise Refused("it is not a regular file any more")
        source = os.open(job.source, _READ)
    try:
        stamp = Stamp.of(before)
        part, digests = _open_part(job.part, mark if mark and mark.stamp == stamp else None, watch)
        written = Written(job, part, before, digests)
        try:
            if digests.length:
                with reading():
                    os.lseek(source, digests.length, os.SEEK_SET)
            _pour(source, written, watch, pace, keep, wanted)
            with reading():
                after = Stamp.of(os.lstat(job.source))
            if after != stamp or digests.length != stamp.size:
                raise Unsteady("it changed while it was being copied; copy it when nothing writes to it")
        except BaseException:
            written.close()
            raise
    finally:
        os.close(source)
    return written


def settle(written: Written, watch: Watch, *, verify: bool) -> None:
    """Read what is on disk back and compare, and give the file its name. `sync` was called before.

    Raises:
        Unsteady: what was read back is not what was written; the temporary file is left.
        CopyError: another process has taken this copy over, and this one has to leave it alone.
        TargetFailed: the system refused.
    """
    if verify:
        drop_cache(written.part)
        with writing():
            os.lseek(written.part, 0, os.SEEK_SET)
        again = Digests()
        while chunk := _read_back(written.part):
            again.feed(chunk)
            watch.moved(len(chunk))
        if again.all() != written.digests.all():
            raise Unsteady("what was read back from the destination is not what was written; check that disk")
    if not written.has_its_name():
        raise CopyError(
            f"The temporary file {printable(written.job.part)} was removed, or replaced by another process. "
            "Nothing else may write to the destination's hidden files meanwhile; `retry`."
        )
    with writing():
        # Reading back was an access too.
        keep_times(written.job.part, written.before)
        # Windows renames no file that is open.
        written.close()
        rename(written.job.part, written.job.target)


def sync(written: Written, pace: Pace) -> str | None:
    """Set times and permissions and wait until all is on disk; says which of them could not be kept."""
    with writing():
        lost = keep_attributes(written.job.part, written.before)
        began = time.monotonic()
        flush(written.part)
        pace.flushed(time.monotonic() - began)
    return lost


def same(job: Job, watch: Watch, *, verify: bool) -> bool:
    """Whether the file at the target has the content of the source.

    Size and time decide where `verify` is off, and else the bytes. Another time does not: some file
    systems round it, so then too the bytes are compared.
    """
    with reading():
        ours = os.lstat(job.source)
    with writing():
        theirs = os.lstat(job.target)
    if ours.st_size != theirs.st_size:
        return False
    if not verify and ours.st_mtime_ns == theirs.st_mtime_ns:
        return True
    with reading():
        source = os.open(job.source, _READ)
    try:
        with writing():
            target = os.open(job.target, _READ)
        try:
            drop_cache(target)
            return _same_bytes(source, target, watch)
        finally:
            os.close(target)
    finally:
        os.close(source)


# --------------------------------------------------------------------------------------- the details


def _open_part(path: str, mark: Mark | None, watch: Watch) -> tuple[int, Digests]:
    if mark is not None:
        with suppress(OSError):
            # It may have been given its permissions already, and those may forbid writing.
            if stat.S_ISREG(os.lstat(path).st_mode):
                os.chmod(path, 0o600)
            part = os.open(path, _WRITE)
            try:
                lock(part)
                digests = _check(part, mark, watch)
                os.ftruncate(part, digests.length)
                os.lseek(part, digests.length, os.SEEK_SET)
            except BaseException:
                os.close(part)
                raise
            watch.found(digests.length)
            return part, digests
    remove(path)
    with writing():
        # O_EXCL: never into what somebody else put there, and never through a link.
        part = os.open(path, _WRITE | os.O_CREAT | os.O_EXCL, 0o600)
    lock(part)
    return part, Digests()


def _check(part: int, mark: Mark, watch: Watch) -> Digests:
    """Read back what an interrupted copy claims to have written, as far as it is true."""
    drop_cache(part)
    good = Digests()
    for digest, length in mark.spans():
        piece = Digests()
        while piece.length < length and (chunk := os.read(part, min(CHUNK, length - piece.length))):
            piece.feed(chunk)
            watch.checking(good.length + piece.length, mark.length)
        if piece.length < length or piece.all() != [digest]:
            break
        good.extend(piece)
    return good


def _pour(
    source: int,
    written: Written,
    watch: Watch,
    pace: Pace,
    keep: Callable[[Mark], None] | None,
    wanted: Callable[[], bool],
) -> None:
    digests, stamp = written.digests, Stamp.of(written.before)
    unflushed, flushed_at = 0, time.monotonic()
    # One read past the size that was promised, so that a file that grows shows, and does not go on for ever.
    while digests.length <= stamp.size:
        with reading():
            chunk = os.read(source, CHUNK)
        if not chunk:
            break
        with writing():
            rest = memoryview(chunk)
            while rest:
                rest = rest[os.write(written.part, rest) :]
        digests.feed(chunk)
        watch.moved(len(chunk))
        unflushed += len(chunk)
        if keep is None:
            continue
        if unflushed >= pace.limit or time.monotonic() - flushed_at >= 2 or wanted():
            began = time.monotonic()
            with writing():
                flush(written.part)
            unflushed, flushed_at = 0, time.monotonic()
            pace.flushed(flushed_at - began)
            keep(Mark.of(stamp, digests))


def _read_back(part: int) -> bytes:
    with writing():
        return os.read(part, CHUNK)


def _same_bytes(source: int, target: int, watch: Watch) -> bool:
    while True:
        with reading():
            ours = os.read(source, CHUNK)
        with writing():
            theirs = os.read(target, len(ours) or 1)
            while len(theirs) < len(ours) and (more := os.read(target, len(ours) - len(theirs))):
                theirs += more
        if ours != theirs:
            return False
        if not ours:
            return True
        watch.moved(len(ours))
