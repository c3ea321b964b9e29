"""Which processes hold locks on the `-shm` file, and what they are called, where the system tells.

Linux lists all locks in /proc/locks: proc(5). The file is only looked at, never opened: closing it would drop
all of this process's own locks on it.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import NamedTuple

__all__ = ["Held", "locks_on", "name_of", "who_writes"]

LOCKS = Path("/proc/locks")
WRITE_BYTE = 120  # https://sqlite.org/walformat.html#wal_locks
LONGEST_NAME = 60

# 12: POSIX  ADVISORY  READ 5838 fe:00:2203770 123 123
LINE = re.compile(r"POSIX +\w+ +(READ|WRITE) +(-?\d+) +[0-9a-f]+:[0-9a-f]+:(\d+) +(\d+) +(\d+|EOF)$")
END = 1 << 62


class Held(NamedTuple):
    """A lock: "READ" or "WRITE", who holds it, and its first and last byte."""

    kind: str
    process: int
    first: int
    last: int


def locks_on(database: Path) -> list[Held]:
    """The locks on the `-shm` file beside a database, this process's too; none where that cannot be told."""
    try:
        inode = database.with_name(database.name + "-shm").stat().st_ino
        lines = LOCKS.read_text("ascii").splitlines()
    except (OSError, ValueError):
        return []
    found = []
    for line in lines:
        match = LINE.search(line)
        # By the inode alone: some file systems show another device here than stat(2) does.
        if match is not None and int(match[3]) == inode:
            last = END if match[5] == "EOF" else int(match[5])
            found.append(Held(match[1], int(match[2]), int(match[4]), last))
    return found


def who_writes(database: Path) -> str | None:
    """The other process that holds the write lock now, as `name_of` has it; None where nobody can tell."""
    for held in locks_on(database):
        if held.kind == "WRITE" and held.first <= WRITE_BYTE <= held.last and held.process != os.getpid():
            return name_of(held.process)
    return None


def name_of(process: int) -> str:
    """ "python3 report.py (process 1234)"."""
    if process <= 0:
        return "a process in another container"
    folder = Path("/proc", str(process))
    words: list[str] = []
    with contextlib.suppress(OSError):
        words = os.fsdecode((folder / "cmdline").read_bytes()).split("\0")
    if words and words[0]:
        words[0] = os.path.basename(words[0])
        name = " ".join(" ".join(words).split())
    else:
        name = "?"
        with contextlib.suppress(OSError):
            name = os.fsdecode((folder / "comm").read_bytes()).strip()
    if len(name) > LONGEST_NAME:
        name = name[: LONGEST_NAME - 3] + "..."
    return f"{name.encode('utf-8', 'replace').decode()} (process {process})"
