"""Walking the source, a chunk at a time: what `prepare` of a planning step does, on a thread.

The walk goes level by level and by name within a folder, and stops after `AT_ONCE` entries wherever it
is, in the middle of a folder too. The names of the folder it stopped in are kept for the next chunk, so
a folder of a million files is listed once; a pass that comes later lists it anew, and goes on after the
last name that is planned.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from stepfast_desktop.workflows.copy_folder.digests import PIECE
from stepfast_desktop.workflows.copy_folder.errors import CopyError, printable, reason
from stepfast_desktop.workflows.copy_folder.places import Places
from stepfast_desktop.workflows.copy_folder.plan import AT_ONCE, Chunk, Item, Kind, Only, Planned
from stepfast_desktop.workflows.copy_folder.report import counted, size
from stepfast_desktop.workflows.copy_folder.waking import Patience

__all__ = ["BATCH_ITEMS", "Walker"]

BATCH_ITEMS = 200
"""The most files, folders and links in a batch; the most bytes are a `PIECE`."""


@dataclass(frozen=True, slots=True)
class _Listing:
    """A folder's names in order, and those that the destination could not tell from another one."""

    names: list[str]
    twins: dict[str, str]


class Walker:
    """Walks one source for one pass.

    Args:
        places: the two folders.
        caseless: whether names in the destination are one where they differ in case only.
        stop: raises to stop the walk, when it is asked to.
        report: `run.progress`.
        only: what of the source is to be copied; None for all of it.
        patience: waits for a disk that is not back yet after the computer slept.
    """

    def __init__(
        self,
        places: Places,
        *,
        caseless: bool,
        stop: Callable[[], None],
        report: Callable[[float, float | None, str], None],
        patience: Patience,
        only: Only | None = None,
    ) -> None:
        self._only = only
        self._places = places
        self._caseless = caseless
        self._stop = stop
        self._report = report
        self._patience = patience
        self._listing: tuple[int, _Listing] | None = None

    def walk(self, planned: Planned, frontier: Sequence[Item]) -> Chunk:
        """The next chunk of the plan.

        Args:
            planned: how far it is.
            frontier: the folders of the plan from `planned.folder` on, `AT_ONCE` at most.
        """
        self._patience.until_there(self._places.require_source)
        draft = _Draft(planned)
        queue = deque(frontier)
        # Those found in this chunk come after all in the plan, so they can follow only where that is all.
        whole = len(frontier) < AT_ONCE
        walked = 0
        while queue and len(draft.items) < AT_ONCE and walked < AT_ONCE:
            self._stop()
            folder = queue[0]
            added = self._walk_folder(folder, draft)
            if whole:
                queue.extend(item for item in added if item.kind == "folder")
            if draft.after is None:
                queue.popleft()
                walked += 1
                draft.folder = folder.position + 1
        chunk = draft.chunk(complete=whole and not queue)
        done = chunk.planned
        self._report(0, None, f"{counted(done.files, 'file')} found, {size(done.bytes)}")
        return chunk

    def _walk_folder(self, folder: Item, draft: _Draft) -> list[Item]:
        path = self._places.source_of(folder.path)
        while True:
            try:
                # The source itself may be a link; what is in it is not followed, nor what took its place.
                found = os.stat(path) if not folder.path else os.lstat(path)
                self._refuse_destination(folder, found)
                listing = self._list(folder, path)
                break
            except OSError as error:
                if self._patience.away(error):
                    continue
                self._places.require_source()
                draft.after = None
                return [draft.add_problem(folder, f"the folder could not be read: {reason(error)}")]
        first = 0 if draft.after is None else bisect_right(listing.names, os.fsdecode(draft.after))
        names = listing.names[first : first + AT_ONCE - len(draft.items)]
        added = []
        for name in names:
            self._stop()
            added.append(self._look(folder, name, listing, draft))
        if first + len(names) < len(listing.names):
            draft.after = os.fsencode(names[-1])
        else:
            draft.after = None
            self._listing = None
        return added

    def _list(self, folder: Item, path: str) -> _Listing:
        if self._listing is None or self._listing[0] != folder.position:
            names = sorted(os.listdir(path))
            twins = _twins(names) if self._caseless else {}
            if self._only is not None:
                names = [each for each in names if self._only.takes(os.path.join(folder.path, each))]
            self._listing = folder.position, _Listing(names, twins)
        return self._listing[1]

    def _look(self, folder: Item, name: str, listing: _Listing, draft: _Draft) -> Item:
        path = os.path.join(folder.path, name)
        target = self._places.target_of(path)
        item = Item(0, "none", path, 0, folder.existed and os.path.lexists(target))
        while True:
            try:
                found = os.lstat(self._places.source_of(path))
                break
            except OSError as error:
                if self._patience.away(error):
                    continue
                self._places.require_source()
                return draft.add_problem(item, reason(error))
        if name in listing.twins:
            first = printable(listing.twins[name])
            return draft.add_problem(
                item, f"the destination cannot tell its name from {first!r}, which is in the same folder"
            )
        kind = _kind_of(found)
        if kind == "none":
            return draft.add_problem(item, f"not a regular file: {_what(found)}")
        return draft.add(replace(item, kind=kind, size=found.st_size if kind == "file" else 0))

    def _refuse_destination(self, folder: Item, found: os.stat_result) -> None:
        """A mount can show the destination inside the source under a path that says nothing of it."""
        if not stat.S_ISDIR(found.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        try:
            target = os.stat(self._places.destination)
        except OSError:
            return  # A destination that is gone is told before the first file is copied.
        if os.path.samestat(found, target):
            raise CopyError(
                f"The destination {self._places.shown_destination} is inside the source, as "
                f"{printable(folder.path)}, so the copy would have to hold itself. Choose one outside it."
            )


class _Draft:
    """The chunk while it is made: gives each item its position and its batch."""

    def __init__(self, planned: Planned) -> None:
        self._planned = planned
        self.items: list[Item] = []
        self.after = planned.after
        self.folder = planned.folder
        self._batches, self._open = planned.batches, planned.open
        self._open_items, self._open_bytes = planned.open_items, planned.open_bytes
        self._files, self._bytes, self._problems = planned.files, planned.bytes, planned.problems

    def add(self, item: Item) -> Item:
        if item.kind == "file":
            self._files += 1
            self._bytes += item.size
        return self._append(replace(item, batch=self._batch_for(item.size)))

    def add_problem(self, about: Item, message: str) -> Item:
        self._problems += 1
        about = replace(about, kind="none", batch=None, size=0)
        return self._append(replace(about, result="problem", message=message))

    def chunk(self, *, complete: bool) -> Chunk:
        planned = Planned(
            rows=self._planned.rows + len(self.items),
            folder=self.folder,
            after=self.after,
            batches=self._batches,
            open=self._open,
            open_items=self._open_items,
            open_bytes=self._open_bytes,
            files=self._files,
            bytes=self._bytes,
            problems=self._problems,
            complete=complete,
        )
        return Chunk(tuple(self.items), planned)

    def _append(self, item: Item) -> Item:
        item = replace(item, position=self._planned.rows + len(self.items))
        self.items.append(item)
        return item

    def _batch_for(self, length: int) -> int:
        """Batches are copied in order, and what is in a folder never has a lower one than the folder: a large
        file takes a number of its own, and the open batch stays open for the small ones behind it.
        """
        if length >= PIECE:
            self._batches += 1
            return self._batches - 1
        if self._open is None or self._open_items >= BATCH_ITEMS or self._open_bytes + length > PIECE:
            self._open, self._open_items, self._open_bytes = self._batches, 0, 0
            self._batches += 1
        self._open_items += 1
        self._open_bytes += length
        return self._open


def _kind_of(found: os.stat_result) -> Kind:
    if getattr(found, "st_reparse_tag", 0) == getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", -1):
        return "none"  # A junction of Windows looks like a folder, and may lead back to where it is.
    if stat.S_ISLNK(found.st_mode):
        return "link"
    if stat.S_ISDIR(found.st_mode):
        return "folder"
    return "file" if stat.S_ISREG(found.st_mode) else "none"


def _what(found: os.stat_result) -> str:
    for test, name in (
        (stat.S_ISFIFO, "a named pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
        (stat.S_ISDIR, "a junction"),
    ):
        if test(found.st_mode):
            return name
    return "of a kind of its own"


def _twins(names: Sequence[str]) -> dict[str, str]:
    """Names that are another one, first in order, where case and the spelling of accents do not count."""
    first: dict[str, str] = {}
    twins = {}
    for name in names:
        other = first.setdefault(unicodedata.normalize("NFC", name).casefold(), name)
        if other != name:
            twins[name] = other
    return twins
