"""What is said of a copy before it starts: how much it is, whether there is room, what will not fit.

It looks and writes nothing. What it counts is what the walk of the copy itself will find, as of now: a file
that is there already with the same size takes no room.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from stepfast.definitions.preview import Finding
from stepfast_desktop.workflows.copy_folder.errors import CopyError, printable
from stepfast_desktop.workflows.copy_folder.filesystem import Disk, Limits, disk_of, limits_of
from stepfast_desktop.workflows.copy_folder.places import apart, native, readable_folder, writable_folder
from stepfast_desktop.workflows.copy_folder.report import counted, size

__all__ = ["look"]

SHOWN = 3
"""Names that a finding tells, of those that it is about."""

SECONDS = 0.1
"""Between two findings on the way."""


def look(source: Path, destination: Path, existing: str, problems_of: str | None) -> Iterator[Finding]:
    """What there is to say of copying `source` to `destination`; see `stepfast.definitions.preview`."""
    about = "source"
    try:
        found = readable_folder(source)
        about = "destination"
        apart(source, found, destination)
        anchor = writable_folder(destination)
    except CopyError as error:
        yield Finding("folders", str(error), "error", about)
        return
    if problems_of is not None:
        yield Finding("size", f"Only what was a problem of “{problems_of}” is copied.")
        return
    disk = disk_of(anchor)
    limits = limits_of(disk.kind) if disk is not None else None
    count = _Count(native(source), native(destination), existing == "overwrite", limits)
    for _ in count.walk():
        text = f"Counting ... {counted(count.files, 'file')}, {size(count.bytes)} so far."
        yield Finding("size", text, going_on=True)
    yield from _size(count, anchor, disk)
    yield from _misfits(count, limits)


@dataclass(slots=True)
class _Few:
    """How many of a kind there are, and the first of them."""

    count: int = 0
    names: list[str] = field(default_factory=list)

    def add(self, path: str) -> None:
        self.count += 1
        if len(self.names) < SHOWN:
            self.names.append(printable(path))

    @property
    def told(self) -> str:
        more = self.count - len(self.names)
        return ", ".join(self.names) + (f" and {more:,} more" if more else "")


@dataclass(slots=True)
class _Count:
    source: str
    destination: str
    overwrite: bool
    limits: Limits | None
    files: int = 0
    bytes: int = 0
    needed: int = 0
    there: int = 0
    large: _Few = field(default_factory=_Few)
    named: _Few = field(default_factory=_Few)
    links: _Few = field(default_factory=_Few)
    unread: _Few = field(default_factory=_Few)

    def walk(self) -> Iterator[None]:
        """Count everything, with a stop now and then."""
        there = os.path.isdir(self.destination)
        folders = [("", there)]
        told = time.monotonic()
        while folders:
            folder, there = folders.pop()
            path = os.path.join(self.source, folder) if folder else self.source
            try:
                with os.scandir(path) as entries:
                    for entry in entries:
                        relative = os.path.join(folder, entry.name)
                        if self._add(entry, relative, there):
                            inside = there and os.path.isdir(os.path.join(self.destination, relative))
                            folders.append((relative, inside))
                        if time.monotonic() - told >= SECONDS:
                            told = time.monotonic()
                            yield
            except OSError:
                self.unread.add(folder or self.source)

    def _add(self, entry: os.DirEntry[str], relative: str, there: bool) -> bool:
        """Count one entry; returns whether it is a folder to be walked."""
        limits = self.limits
        if limits is not None and limits.refused is not None and limits.refused.search(entry.name):
            self.named.add(relative)
        if entry.is_dir(follow_symlinks=False):
            return True
        if entry.is_symlink():
            if limits is not None and not limits.links:
                self.links.add(relative)
            return False
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            self.unread.add(relative)
            return False
        if not stat.S_ISREG(found.st_mode):
            return False
        self.files += 1
        self.bytes += found.st_size
        if limits is not None and limits.largest is not None and found.st_size > limits.largest:
            self.large.add(relative)
            return False
        self.needed += self._room_for(relative, found.st_size) if there else found.st_size
        return False

    def _room_for(self, relative: str, length: int) -> int:
        """Bytes that a file takes where another may be in its place."""
        with suppress(OSError):
            theirs = os.lstat(os.path.join(self.destination, relative))
            if stat.S_ISREG(theirs.st_mode):
                if theirs.st_size == length:
                    self.there += 1
                    return 0
                # Skipped, or put in its place.
                return max(length - theirs.st_size, 0) if self.overwrite else 0
        return length


def _size(count: _Count, anchor: str, disk: Disk | None) -> Iterator[Finding]:
    text = f"{counted(count.files, 'file')}, {size(count.bytes)}."
    if count.there:
        are = "is" if count.there == 1 else "are"
        text += f" {counted(count.there, 'file')} of that size {are} there already."
    try:
        free = shutil.disk_usage(anchor).free
    except OSError:
        yield Finding("size", text)
        return
    where = f"on “{disk.title}”" if disk is not None and disk.title else "on that disk"
    yield Finding("size", f"{text} {size(free)} free {where}.")
    if count.needed > free:
        lacking = f"There is no room: {size(count.needed)} are needed, and {size(free)} are free {where}."
        yield Finding("room", lacking, "error", "destination")


def _misfits(count: _Count, limits: Limits | None) -> Iterator[Finding]:
    if count.unread.count:
        yield Finding("unread", f"Cannot be read: {count.unread.told}.", "warning", "source")
    if limits is None:
        return
    if (large := count.large).count and limits.largest is not None:
        most = size(limits.largest + 1)
        yield Finding(
            "large",
            f"{counted(large.count, 'file')} cannot go there, since {limits.name} takes none of {most} or "
            f"more: {large.told}.",
            "warning",
            "destination",
        )
    if (named := count.named).count:
        yield Finding(
            "names",
            f"{counted(named.count, 'name')} cannot be written there unchanged, since {limits.name} has no "
            f"such names: {named.told}.",
            "warning",
            "destination",
        )
    if (links := count.links).count:
        yield Finding(
            "links",
            f"{counted(links.count, 'symbolic link')} cannot be made there, since {limits.name} has none: "
            f"{links.told}.",
            "warning",
            "destination",
        )
