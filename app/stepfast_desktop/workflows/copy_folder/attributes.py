"""Times and permissions, as far as the destination keeps them."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

from stepfast_desktop.workflows.copy_folder.errors import reason

__all__ = ["keep_attributes", "keep_times", "mode_while_copying"]

# What file systems without permissions or times of their own (FAT, SMB, FUSE) answer, and systems without
# such a call. The data is none the worse, so these are told and stop nothing.
_NOT_KEPT = frozenset(
    {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL}
)


def keep_attributes(path: str, source: os.stat_result) -> str | None:
    """Give `path` the times and permissions of `source`; a link's own, not those of what it leads to.

    Returns why some could not be kept, or None. Raises OSError for what is no matter of attributes.
    """
    link = stat.S_ISLNK(source.st_mode)
    lost = None
    for keep in (_keep_times,) if link else (_keep_times, _keep_mode):
        try:
            keep(path, source)
        except OSError as error:
            if error.errno not in _NOT_KEPT:
                raise
            lost = reason(error)
    return lost


def keep_times(path: str, source: os.stat_result) -> None:
    """Set the times once more, where they could be set: an access in between changed one."""
    with suppress(OSError):
        _keep_times(path, source)


def mode_while_copying(source: os.stat_result) -> int:
    """The permissions of a folder while it is filled: no wider than the source's for others, and ours to
    write, even where the source may not be written; the exact ones come at the end.
    """
    return stat.S_IMODE(source.st_mode) & 0o777 | 0o700


def _keep_times(path: str, source: os.stat_result) -> None:
    times = (source.st_atime_ns, source.st_mtime_ns)
    if not stat.S_ISLNK(source.st_mode):
        os.utime(path, ns=times)
    elif os.utime in os.supports_follow_symlinks:
        os.utime(path, ns=times, follow_symlinks=False)


def _keep_mode(path: str, source: os.stat_result) -> None:
    mode = stat.S_IMODE(source.st_mode)
    if mode & (stat.S_ISUID | stat.S_ISGID):
        # With another owner those would give the rights of somebody who never gave them.
        ours = os.lstat(path)
        if (ours.st_uid, ours.st_gid) != (source.st_uid, source.st_gid):
            mode &= ~(stat.S_ISUID | stat.S_ISGID)
    os.chmod(path, mode)
