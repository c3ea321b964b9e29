"""What is on disk after a kill, and the proof that nothing recorded before it happened again.

A killed database is looked at in a copy: opening the file itself would recover it, and that is what the
next process is to do. Nothing here uses the engine's own code to read it.

Four witnesses, independent of one another, say that a batch that was recorded did not run again:

- the records (position, name, value, times) of one look are the beginning of those of every later look;
- what a recorded batch copied keeps inode, size, time and time of change;
- the *source* files of a recorded batch are not read any more: their time of access is set back after the
  kill, and stays so (where the file system keeps such times; Linux's `relatime` does);
- the large file, once a bookmark tells of it, is not begun anew: a second name is given to what there is
  of it, and what gets the right name in the end is that very file.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Disproved", "Evidence", "Record", "Snapshot", "opened_copy", "require"]


class Disproved(AssertionError):
    """Something that was to be proved is not so; the message says what was seen."""


def require(condition: object, message: str) -> None:
    """Raise `Disproved` with `message` unless `condition` holds."""
    if not condition:
        raise Disproved(message)


@dataclass(frozen=True, slots=True)
class Record:
    """A row of the checkpoint, whole."""

    position: int
    kind: str
    name: str
    value: str
    started_at: float
    recorded_at: float
    attempts: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A workflow as the file has it.

    `placed` are the paths and kinds of files and links in recorded batches, `bookmark` is how many bytes of
    the large file its bookmark tells of, and `large` the step that copies it.
    """

    state: str | None = None
    records: tuple[Record, ...] = ()
    placed: tuple[tuple[bytes, str], ...] = ()
    bookmark: int = 0
    large: str = ""
    finished_at: float | None = None

    @property
    def steps(self) -> list[str]:
        return [each.name for each in self.records if each.kind == "step"]


@contextmanager
def opened_copy(database: Path, scratch: Path) -> Iterator[sqlite3.Connection | None]:
    """A connection to a copy of the file and its WAL, checked for integrity; None where there is no file."""
    if not database.exists():
        yield None
        return
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    try:
        for suffix in ("", "-wal"):
            if (part := database.with_name(database.name + suffix)).exists():
                shutil.copyfile(part, scratch / part.name)
        with closing(sqlite3.connect(scratch / database.name)) as connection:
            problems = [row for (row,) in connection.execute("PRAGMA integrity_check")]
            require(problems == ["ok"], f"the database is damaged: {problems[:5]}")
            yield connection
    finally:
        shutil.rmtree(scratch)


@dataclass(slots=True)
class Evidence:
    """What one looked at after each kill, and goes on holding true.

    Args:
        database: the program's file.
        workflow: the id.
        source, destination: the two folders.
        large: the large file, relative to them.
        scratch: a folder of ours on the same disk, which may be made and removed.
    """

    database: Path
    workflow: str
    source: Path
    destination: Path
    large: Path
    scratch: Path
    before: Snapshot = field(default_factory=Snapshot, init=False)
    keeps_access_times: bool = field(default=False, init=False)
    _placed: dict[bytes, tuple[int, ...]] = field(default_factory=dict, init=False)
    _read: dict[bytes, int] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.keeps_access_times = self._probe_access_times()

    def look(self) -> Snapshot:
        """Look, and require that what was so at the last look still is. Nothing of the program runs now."""
        with opened_copy(self.database, self.scratch / "look") as connection:
            now = Snapshot() if connection is None else self._snapshot(connection)
        self._require_prefix(now)
        self._require_untouched()
        self._require_bookmark(now)
        self._take_up(now)
        self.before = now
        return now

    def part(self) -> Path | None:
        """The large file under its temporary name."""
        folder = (self.destination / self.large).parent
        try:
            found = [each for each in os.listdir(folder) if _is_part(each)]
        except OSError:
            return None
        sized = [(size, each) for each in found if (size := _size(folder / each)) is not None]
        return folder / max(sized)[1] if sized else None

    def part_size(self) -> int:
        part = self.part()
        return (_size(part) or 0) if part is not None else 0

    def leftovers(self) -> list[str]:
        """Temporary names and markers of ours in the destination."""
        return [
            os.fsdecode(os.path.join(folder, name))
            for folder, folders, files in os.walk(os.fsencode(self.destination))
            for name in [*folders, *files]
            if name.startswith(b".stepfast-")
        ]

    def require_pinned(self) -> bool:
        """Require that the large file is the one that a bookmark told of; False where none ever did."""
        if not self._pin.exists():
            return False
        final = self.destination / self.large
        require(os.path.samefile(self._pin, final), "the large file was begun anew in spite of its bookmark")
        return True

    @property
    def watched(self) -> list[bytes]:
        """The files and links that must stay as they were seen."""
        return list(self._placed)

    def forget(self, path: Path) -> None:
        """Require nothing more of what is at `path` in the destination."""
        name = os.path.relpath(os.fsencode(path), os.fsencode(self.destination))
        self._placed.pop(name)
        self._read.pop(name, None)

    @property
    def _pin(self) -> Path:
        return self.scratch / "pin"

    def _snapshot(self, connection: sqlite3.Connection) -> Snapshot:
        tables = {
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        if "stepfast_workflows" not in tables:
            return Snapshot()
        row = connection.execute(WORKFLOW, (self.workflow,)).fetchone()
        if row is None:
            return Snapshot()
        key, state, finished_at = row
        records = tuple(Record(*each) for each in connection.execute(RECORDS, (key,)))
        placed: list[tuple[bytes, str]] = []
        large = ""
        if "copy_folder_items" in tables:
            batches = {int(name[5:]) for name in (each.name for each in records) if name.startswith("copy:")}
            for path, kind, batch, outcome in connection.execute(ITEMS, (self.workflow,)):
                # The rows' outcomes and the step's record are one commit.
                require(
                    (batch in batches) == (outcome is not None),
                    f"{path!r} of batch {batch} has outcome {outcome}, and recorded are {sorted(batches)}",
                )
                if bytes(path) == os.fsencode(self.large):
                    large = f"copy:{batch}"
                if batch in batches and outcome in ("copied", "there") and kind != "folder":
                    placed.append((bytes(path), kind))
        lengths = [_length(value) for (value,) in connection.execute(BOOKMARKS, (key,))]
        return Snapshot(state, records, tuple(placed), max(lengths, default=0), large, finished_at)

    def _require_prefix(self, now: Snapshot) -> None:
        old = self.before.records
        for one, other in zip(old, now.records, strict=False):
            require(one == other, f"a record changed: it was {one}, and is {other}")
        require(len(now.records) >= len(old), f"{len(old)} records were there, and {len(now.records)} are")
        names = [(each.kind, each.name) for each in now.records]
        require(len(set(names)) == len(names), "a step is recorded twice")

    def _require_untouched(self) -> None:
        for path, mark in self._placed.items():
            found = _mark(os.path.join(os.fsencode(self.destination), path))
            require(found == mark, f"{path!r} was in place and recorded: it was {mark}, and is {found}")
        for path, when in self._read.items():
            read = os.stat(os.path.join(os.fsencode(self.source), path)).st_atime_ns
            require(read == when, f"{path!r} was recorded as copied, and its source was read again")

    def _require_bookmark(self, now: Snapshot) -> None:
        bookmark = self.before.bookmark
        if bookmark and self.before.steps == now.steps:
            require(now.bookmark >= bookmark, f"the bookmark went back from {bookmark} to {now.bookmark}")

    def _take_up(self, now: Snapshot) -> None:
        for path, kind in now.placed:
            if path in self._placed:
                continue
            self._placed[path] = _mark(os.path.join(os.fsencode(self.destination), path))
            if kind == "file" and self.keeps_access_times:
                self._read[path] = _set_back(os.path.join(os.fsencode(self.source), path))
        part = self.part()
        if now.bookmark and part is not None:
            if self._pin.exists():
                require(
                    os.path.samefile(self._pin, part),
                    "the large file was begun anew in spite of its bookmark",
                )
            else:
                os.link(part, self._pin)

    def _probe_access_times(self) -> bool:
        probe = os.fsencode(self.scratch / "probe")
        with open(probe, "wb") as file:
            file.write(b"x")
        when = _set_back(probe)
        with open(probe, "rb") as file:
            file.read()
        return os.stat(probe).st_atime_ns != when


def _set_back(path: bytes) -> int:
    """Let a file look as if it was not read since it was written; returns the time of access it has now."""
    found = os.stat(path)
    when = found.st_mtime_ns - 10**9
    os.utime(path, ns=(when, found.st_mtime_ns))
    return os.stat(path).st_atime_ns


def _mark(path: bytes) -> tuple[int, ...]:
    found = os.lstat(path)
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _is_part(name: str) -> bool:
    return name.startswith(".stepfast-") and name.endswith(".part")


def _size(path: Path) -> int | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _length(bookmark: str) -> int:
    value: Any = json.loads(bookmark)
    return int(value["length"])


WORKFLOW = "SELECT key, state, finished_at FROM stepfast_workflows WHERE id = ?"

RECORDS = """
SELECT position, kind, name, value, started_at, recorded_at, attempts
  FROM stepfast_records WHERE workflow = ? ORDER BY position
"""

ITEMS = """
SELECT path, kind, batch, outcome FROM copy_folder_items
 WHERE workflow = ? AND batch IS NOT NULL ORDER BY position
"""

BOOKMARKS = "SELECT value FROM stepfast_bookmarks WHERE workflow = ?"
