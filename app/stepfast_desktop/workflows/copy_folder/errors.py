"""What can go wrong in a copy, and the words for it.

    CopyError           nothing more can be copied: the step fails, and `retry` goes on once it is mended
    DiskAway            ... but a disk is away, and it is waited for; MaybeAway where that will show
    SourceFailed        the system refused something about one item of the source
    TargetFailed        ... about one item of the destination
    Unsteady            one file did not hold still, or did not come back as written: worth a second try
    Refused             one item cannot be copied, in plain words

The last four are about one item and never leave a batch: they become a problem of that item, or, where
the system's answer means that a whole disk is full or gone, a `CopyError`.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = [
    "FULL",
    "GONE",
    "CopyError",
    "DiskAway",
    "MaybeAway",
    "Refused",
    "SourceFailed",
    "TargetFailed",
    "Unsteady",
    "printable",
    "reading",
    "reason",
    "writing",
]

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
"""The disk, or what one person may use of it, is full."""

GONE = frozenset({errno.ENODEV, errno.ENOTCONN, errno.ESTALE, errno.ESHUTDOWN, errno.EHOSTDOWN})
"""The device or server behind a path is not there any more, whatever the path still shows."""


class CopyError(Exception):
    """The copy cannot go on; the message says what happened and what to do. Nothing copied is lost."""


class DiskAway(CopyError):
    """A disk is not there, and the copy waits for it; `waiting` says for which, in a line."""

    def __init__(self, message: str, waiting: str) -> None:
        super().__init__(message)
        self.waiting = waiting


class MaybeAway(CopyError):
    """A disk fails as one does that was just pulled out."""


class Refused(Exception):
    """One item cannot be copied; the message is its problem."""


class Unsteady(Refused):
    """One file changed while it was read, or was not read back as written; a second try may succeed."""


class SourceFailed(Exception):
    """The system refused to read one item of the source; `error` is what it said."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


class TargetFailed(Exception):
    """The system refused to write (or read back) one item of the destination; `error` is what it said."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


@contextmanager
def reading() -> Iterator[None]:
    """What fails in here is the source's fault."""
    try:
        yield
    except OSError as error:
        raise SourceFailed(error) from error


@contextmanager
def writing() -> Iterator[None]:
    """What fails in here is the destination's fault."""
    try:
        yield
    except OSError as error:
        raise TargetFailed(error) from error


def printable(path: str | os.PathLike[str]) -> str:
    r"""`path` as text that every file and terminal can hold: bytes that are no UTF-8 show as `\xff`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


_WORDS = {
    errno.EACCES: "no permission",
    errno.EPERM: "not permitted",
    errno.ENOENT: "it is not there any more",
    errno.EIO: "the disk reports an error (input/output error)",
    errno.ENAMETOOLONG: "its name is too long",
    errno.EFBIG: "it is too large for this file system",
    errno.ELOOP: "a link is where a file or folder was",
    errno.ENOTDIR: "a file is where a folder was",
    errno.EISDIR: "a folder is where a file was",
    errno.EINVAL: "the file system does not take this name, or this request",
    errno.EILSEQ: "the file system does not take this name",
    errno.EBUSY: "it is in use",
    errno.EROFS: "the file system is read-only",
    **dict.fromkeys(FULL, "the disk is full"),
    **dict.fromkeys(GONE, "the disk or server is not there any more"),
}


def reason(error: OSError) -> str:
    """Why the system refused, in plain words and without the path, which is said beside it."""
    if error.errno in _WORDS:
        return _WORDS[error.errno]
    return (error.strerror or type(error).__name__).lower()
