"""The destination's folders: made on the way, brought to the disk, and given their attributes at the end."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from stepfast_desktop.workflows.copy_folder.attributes import keep_attributes, mode_while_copying
from stepfast_desktop.workflows.copy_folder.disk import flush_folder
from stepfast_desktop.workflows.copy_folder.errors import (
    CopyError,
    Refused,
    SourceFailed,
    TargetFailed,
    printable,
    reading,
    reason,
    writing,
)
from stepfast_desktop.workflows.copy_folder.places import Places
from stepfast_desktop.workflows.copy_folder.plan import Item
from stepfast_desktop.workflows.copy_folder.verdict import Judge
from stepfast_desktop.workflows.copy_folder.waking import Patience

__all__ = ["Finished", "Folders", "finish", "look", "tidy"]


class Folders:
    """Those that one batch works in: which are there, and which have new names in them."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._there = {""}
        self._touched: set[str] = set()

    def require(self, path: str) -> bool:
        """See that the folder `path` is there, and that neither it nor one it is in is a link that leads
        elsewhere. What is missing is made: filled first, so never less than ours to write.

        Returns whether it was made. Raises `Refused` where something else is in its place.
        """
        if path in self._there:
            return False
        self.require(os.path.dirname(path))
        target = self._places.target_of(path)
        with writing():
            there = look(target)
        if there is None:
            with reading():
                found = os.lstat(self._places.source_of(path))
            if not stat.S_ISDIR(found.st_mode):
                raise Refused("it is not a folder any more")
            with writing():
                os.mkdir(target, mode_while_copying(found))
            self.touch(path)
        elif not stat.S_ISDIR(there.st_mode):
            what = "a link" if stat.S_ISLNK(there.st_mode) else "a file"
            raise Refused(f"{what} is there, where a folder should go")
        self._there.add(path)
        return there is None

    def touch(self, path: str) -> None:
        """A name was made, or replaced: that of `path`."""
        self._touched.add(os.path.dirname(path))

    def flush(self, judge: Judge, missing: float) -> None:
        """Bring the new names to the disk; raises `CopyError` where one cannot be."""
        for folder in sorted(self._touched):
            try:
                flush_folder(self._places.target_of(folder))
            except TargetFailed as failed:
                why = judge.problem(failed, missing)
                raise CopyError(
                    f"The folder {printable(self._places.target_of(folder))} cannot be brought to the disk: "
                    f"it {why}. Make it readable and `retry`; what was copied is kept."
                ) from failed


@dataclass(frozen=True, slots=True)
class Finished:
    """What one step at the end did: how many folders did not get their attributes, and the first reason."""

    unkept: int
    why: str

    def __add__(self, other: Finished) -> Finished:
        return Finished(self.unkept + other.unkept, self.why or other.why)


def finish(places: Places, folders: Sequence[Item], stop: Callable[[], None], patience: Patience) -> Finished:
    """Give `folders` the times and permissions of the source's, each before the one it is in.

    The destination itself has to wait for `tidy`. Doing it twice does the same.
    """
    patience.until_there(places.require_destination)
    wanted = [one for one in folders if one.path and one.result != "problem"]
    return _finish_each(places, wanted, stop, patience)


def tidy(places: Places, root: Item, patience: Patience) -> Finished:
    """All is copied: remove the marker, and give the destination the times and permissions of the source.

    One that was there before the copy keeps its own: somebody's home stays theirs to write, whatever is
    copied into it.
    """
    patience.until_there(places.remove_marker)
    if root.existed:
        with suppress(TargetFailed):
            # Nothing depends on it: a marker that is back after a power cut is a file too many.
            flush_folder(places.destination)
        return Finished(0, "")
    return _finish_each(places, [root], lambda: None, patience)


def look(path: str) -> os.stat_result | None:
    """What has this name, a link itself where it is one; None for nothing."""
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def _finish_each(
    places: Places, folders: Sequence[Item], stop: Callable[[], None], patience: Patience
) -> Finished:
    judge, finished = Judge(places), Finished(0, "")
    for folder in folders:
        stop()
        while True:
            try:
                lost = _finish(places, folder)
            except (Refused, SourceFailed, TargetFailed) as failed:
                if patience.away(failed):
                    continue
                lost = judge.problem(failed, 0)
            break
        if lost is not None:
            finished = finished + Finished(1, lost)
    return finished


def _finish(places: Places, folder: Item) -> str | None:
    source, target = places.source_of(folder.path), places.target_of(folder.path)
    with reading():
        # Only the source itself may be a link.
        found = os.lstat(source) if folder.path else os.stat(source)
    if not stat.S_ISDIR(found.st_mode):
        raise Refused("a file is where a folder was")
    with writing():
        there = look(target) if folder.path else os.stat(target)
        if there is None or not stat.S_ISDIR(there.st_mode):
            raise Refused("the folder is not there any more")
        if sys.platform == "win32":
            return keep_attributes(target, found)
        try:
            # Before its permissions are set, which may be such that it cannot be opened.
            opened = os.open(target, os.O_RDONLY | os.O_DIRECTORY)
        except PermissionError as error:
            return keep_attributes(target, found) or reason(error)
        try:
            lost = keep_attributes(target, found)
            os.fsync(opened)
        finally:
            os.close(opened)
    return lost
