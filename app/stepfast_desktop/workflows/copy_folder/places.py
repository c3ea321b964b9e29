"""The two folders: whether a copy can begin, and whether they are still what they were.

What was meant for one disk is never written to another. A path says little about that: a disk that is
unplugged leaves an empty folder where it was mounted, its device number is another disk's tomorrow, and
its own number changes when it is plugged in again. So the destination gets a marker, a hidden file that
stays there for as long as the copy takes, and without it nothing is written; and the volume that a
source is on is remembered by the name the system gives it for good (`volume`), where there is one.

`check` looks and writes nothing, `begin` makes the destination and its marker, `Places` is what the rest
of the copy asks. At the end the marker goes.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from stepfast_desktop.workflows.copy_folder.attributes import mode_while_copying
from stepfast_desktop.workflows.copy_folder.disk import flush_folder
from stepfast_desktop.workflows.copy_folder.errors import (
    FULL,
    GONE,
    CopyError,
    DiskAway,
    TargetFailed,
    printable,
    reason,
)
from stepfast_desktop.workflows.copy_folder.filesystem import disk_of

__all__ = [
    "Begun",
    "Checked",
    "Places",
    "apart",
    "begin",
    "check",
    "native",
    "nearest",
    "readable_folder",
    "volume",
    "writable_folder",
]


@dataclass(frozen=True, slots=True)
class Checked:
    """What a look at the two folders found, before anything was written.

    `existed` says that the destination was there. A volume is the system's lasting name for a disk, or
    None where it has none; the destination's is that of the nearest folder that was there. A mount is where
    the disk was, as far as the system tells, and a disk what a person calls it; `removable` is of the
    destination's.
    """

    existed: bool
    source_volume: str | None
    source_device: int
    source_inode: int
    destination_volume: str | None
    source_mount: str | None = None
    source_disk: str | None = None
    destination_mount: str | None = None
    destination_disk: str | None = None
    removable: bool = False


@dataclass(frozen=True, slots=True)
class Begun:
    """The destination is there, and has its marker.

    `caseless` says that names there are one where they differ in upper and lower case only.
    """

    caseless: bool


class Places:
    """Where each thing is: the source, the destination, and what lies in them by its relative path."""

    def __init__(self, workflow: str, source: Path, destination: Path, checked: Checked) -> None:
        self.source = native(source)
        self.destination = native(destination)
        self.shown_source = printable(source)
        self.shown_destination = printable(destination)
        self._workflow = workflow
        self._checked = checked
        self.marker = os.path.join(self.destination, f".stepfast-{_short(workflow)}.here")

    def source_of(self, path: str) -> str:
        return os.path.join(self.source, path) if path else self.source

    def target_of(self, path: str) -> str:
        return os.path.join(self.destination, path) if path else self.destination

    def part_of(self, path: str) -> str:
        """The temporary name: the same each time, so that what a crash left is found again."""
        name = f".stepfast-{_short(self._workflow, path)}.part"
        return os.path.join(os.path.dirname(self.target_of(path)), name)

    def require_destination(self) -> None:
        """Raises `CopyError` unless the destination is the very folder that this copy began in."""
        _surely(self._look_at_destination)

    def _look_at_destination(self) -> None:
        try:
            os.lstat(self.marker)
        except FileNotFoundError:
            self._destination_is_not_away()
            if os.path.isdir(self.destination):
                raise CopyError(
                    f"The destination {self.shown_destination} is not the folder that this copy began in: "
                    f"its marker {os.path.basename(self.marker)} is missing. If another disk is there now, "
                    "connect the right one and `retry`. If the marker was deleted, make an empty file of "
                    "that name and `retry`."
                ) from None
            raise CopyError(
                f"The destination {self.shown_destination} is not there any more. Connect its disk, or bring "
                "the folder back, and `retry`; what was copied to it is kept."
            ) from None
        except OSError as error:
            raise self._destination_away(f"cannot be reached: {reason(error)}") from error

    def _destination_is_not_away(self) -> None:
        planned = self._checked
        if _is_away(self.destination, planned.destination_mount, planned.destination_volume):
            raise self._destination_away("is not there") from None

    def _destination_away(self, what: str) -> DiskAway:
        name = self._checked.destination_disk
        return DiskAway(
            f"The disk{_called(name)} of the destination {self.shown_destination} {what}. Connect it, and "
            "the copy goes on; what was copied is kept.",
            f"Waiting for the disk{_called(name)} of {self.shown_destination}: connect it to continue",
        )

    def _source_away(self, what: str) -> DiskAway:
        name = self._checked.source_disk
        return DiskAway(
            f"The disk{_called(name)} of the source {self.shown_source} {what}. Connect it, and the copy "
            "goes on; what was copied is kept.",
            f"Waiting for the disk{_called(name)} of {self.shown_source}: connect it to continue",
        )

    def remove_marker(self) -> None:
        """The copy is complete. Also right when the marker is gone already; raises `CopyError`."""
        try:
            try:
                os.unlink(self.marker)
            except FileNotFoundError:
                self._destination_is_not_away()
                # Its disk may have come back since, and then it is there.
                with suppress(FileNotFoundError):
                    os.unlink(self.marker)
        except OSError as error:
            raise CopyError(
                f"All is copied, but the marker {printable(self.marker)} cannot be removed: {reason(error)}. "
                "Remove it, or change the permissions of its folder, and `retry`."
            ) from error

    def require_source(self) -> None:
        """Raises `CopyError` unless the source is still the folder that was planned."""
        _surely(self._look_at_source)

    def _look_at_source(self) -> None:
        remedy = "Connect its disk, or bring the folder back, and `retry`; what was copied is kept."
        planned = self._checked
        try:
            found = os.stat(self.source)
            with os.scandir(self.source) as entries:
                empty = next(entries, None) is None
        except OSError as error:
            missing = isinstance(error, FileNotFoundError)
            if error.errno in GONE or _is_away(self.source, planned.source_mount, planned.source_volume):
                raise self._source_away("is not there" if missing else reason(error)) from error
            gone = "is not there any more" if missing else f"cannot be read: {reason(error)}"
            raise CopyError(f"The source {self.shown_source} {gone}. {remedy}") from error
        if _is_away(self.source, planned.source_mount, planned.source_volume):
            raise self._source_away("is not there: another one is in its place")
        # An empty folder is what unmounting leaves, but it may also be the same one, emptied.
        if empty and (found.st_dev, found.st_ino) != (planned.source_device, planned.source_inode):
            raise CopyError(f"The source {self.shown_source} is another folder now, and empty. {remedy}")


def check(source: Path, destination: Path) -> Checked:
    """Look whether `source` can be copied to `destination`; raises `CopyError` where it cannot."""
    for what, path in (("source", source), ("destination", destination)):
        if not path.is_absolute():
            raise CopyError(
                f"The {what} {printable(path)!r} is relative, and a copy that carries on after a restart "
                "needs to know where it starts from: give the whole path."
            )
    found = readable_folder(source)
    apart(source, found, destination)
    existed = os.path.lexists(native(destination))
    anchor = writable_folder(destination)
    source_disk, destination_disk = disk_of(native(source)), disk_of(anchor)
    return Checked(
        existed,
        volume(native(source)),
        found.st_dev,
        found.st_ino,
        volume(anchor),
        source_disk.mount if source_disk else None,
        source_disk.title if source_disk else None,
        destination_disk.mount if destination_disk else None,
        destination_disk.title if destination_disk else None,
        destination_disk is not None and destination_disk.removable,
    )


def begin(workflow: str, source: Path, destination: Path, checked: Checked) -> Begun:
    """Make the destination, where it was not there, and its marker; raises `CopyError` where it cannot."""
    places = Places(workflow, source, destination, checked)
    shown = places.shown_destination
    try:
        if checked.existed:
            if not os.path.isdir(places.destination):
                raise CopyError(f"The destination {shown} is not there any more. Connect it and `retry`.")
        else:
            now = volume(nearest(places.destination))
            if None not in (now, checked.destination_volume) and now != checked.destination_volume:
                raise CopyError(f"The disk for the destination {shown} is not there. Connect it and `retry`.")
            _make(places.destination, mode_while_copying(os.stat(places.source)))
        _make_marker(places.marker)
        flush_folder(places.destination)
    except (OSError, TargetFailed) as failed:
        error = failed.error if isinstance(failed, TargetFailed) else failed
        if error.errno in FULL:
            raise CopyError(f"The disk of {shown} is full. Free some space and `retry`.") from error
        raise CopyError(
            f"The destination {shown} cannot be made or written to: {reason(error)}. Choose another, or "
            "change its permissions and `retry`."
        ) from error
    return Begun(caseless=os.path.lexists(_upper(places.marker)))


def volume(path: str) -> str | None:
    """A name of the disk `path` is on that stays the same when it is plugged in elsewhere; None if unknown.

    A device number is no such name: it belongs to the next disk that is plugged in. On Windows it is the
    volume's serial number, so there it will do.
    """
    try:
        device = os.stat(path).st_dev
        if sys.platform == "win32":
            return f"{device:x}"
        with os.scandir("/dev/disk/by-uuid") as entries:
            return next((entry.name for entry in entries if entry.stat().st_rdev == device), None)
    except OSError:
        return None


# --------------------------------------------------------------------------------------- the details


def readable_folder(source: Path) -> os.stat_result:
    """What the system says of the source; raises `CopyError` where it is no folder, or cannot be read."""
    shown, path = printable(source), native(source)
    try:
        found = os.stat(path)
        if not stat.S_ISDIR(found.st_mode):
            raise CopyError(f"The source {shown} is not a folder. Choose the folder it is in.")
        with os.scandir(path):
            return found
    except (FileNotFoundError, NotADirectoryError) as error:
        raise CopyError(f"There is no folder {shown}. Check its name, or connect its disk.") from error
    except OSError as error:
        why = reason(error)
        raise CopyError(f"The source {shown} cannot be read: {why}. Change its permissions.") from error


def apart(source: Path, found: os.stat_result, destination: Path) -> None:
    """Raises `CopyError` where one is in the other, by whichever name.

    What the system says is the same folder decides, since links, mounts and case give one many names.
    """
    shown, target = printable(destination), os.path.realpath(native(destination))
    for place in (target, *map(str, Path(target).parents)):
        if not _is(place, found):
            continue
        if place == target:
            raise CopyError(f"The destination {shown} is the source itself. Choose another folder.")
        raise CopyError(
            f"The destination {shown} is inside the source, so the copy would have to hold itself. Choose a "
            "folder outside it."
        )
    real = os.path.realpath(native(source))
    try:
        outer = os.stat(target)
    except OSError:
        return
    for place in map(str, Path(real).parents):
        inner = os.path.relpath(real, place)
        if _is(place, outer) and os.path.lexists(os.path.join(real, inner)):
            raise CopyError(
                f"The source would be copied over itself: it holds {printable(inner)!r}, which in the "
                f"destination {shown} is the source. Choose another folder."
            )


def writable_folder(destination: Path) -> str:
    """The nearest folder that is there; raises `CopyError` where the destination cannot be made in it."""
    shown, path = printable(destination), native(destination)
    anchor = nearest(path)
    if not os.path.isdir(anchor):
        what = "a link that leads nowhere" if os.path.islink(anchor) else "a file"
        raise CopyError(f"The destination {shown} cannot be a folder: {printable(anchor)} is {what}.")
    missing = [place for place in (path, *map(str, Path(path).parents)) if len(place) > len(anchor)]
    if any(_is_disk(Path(place)) for place in missing):
        raise CopyError(f"There is no disk for the destination {shown}. Connect it, or choose another.")
    if not os.access(anchor, os.W_OK | os.X_OK):
        raise CopyError(
            f"The destination {shown} cannot be written: {printable(anchor)} is read-only, or there is no "
            "permission. Choose another folder, or change its permissions."
        )
    return anchor


def _surely(look: Callable[[], None]) -> None:
    """Raises what `look` raises, but for the error that a disk makes which comes back while it looks.

    Its first question finds no disk and its second one does, which is how another folder looks.
    """
    try:
        look()
    except DiskAway:
        raise
    except CopyError:
        look()


def _is_away(path: str, mount: str | None, planned: str | None) -> bool:
    """Whether the disk that a path was on is not what is there now, as far as the system tells.

    A volume that has a name for good is known by that, wherever it is; of others, the place must be one where
    a disk is mounted still.
    """
    anchor = nearest(path)
    now = volume(anchor)
    if now is not None and planned is not None:
        return now != planned
    there = disk_of(anchor)
    return mount is not None and there is not None and there.mount != mount


def _called(name: str | None) -> str:
    return f" “{name}”" if name else ""


def _is_disk(path: Path) -> bool:
    """Whether systems mount disks there: what is missing is no folder to be made, but a disk to connect."""
    return str(path.parent) in ("/media", "/Volumes") or str(path.parent.parent) == "/run/media"


def nearest(path: str) -> str:
    """`path`, or what there is above it."""
    while not os.path.lexists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return path


def _is(place: str, found: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(place), found)
    except OSError:
        return False


def _make(path: str, mode: int) -> None:
    parent = os.path.dirname(path)
    if not os.path.isdir(parent):
        _make(parent, 0o777)
    try:
        os.mkdir(path, mode)
    except FileExistsError:
        # An earlier attempt of this step made it, and was cut off.
        if not os.path.isdir(path):
            raise
    flush_folder(parent)


def _make_marker(path: str) -> None:
    flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    marker = os.open(path, flags, 0o600)
    try:
        os.write(marker, b"Stepfast is copying into this folder. This file goes when the copy is complete.\n")
        os.fsync(marker)
    finally:
        os.close(marker)


def _upper(path: str) -> str:
    return os.path.join(os.path.dirname(path), os.path.basename(path).upper())


def _short(*parts: str) -> str:
    return blake2b(b"\0".join(os.fsencode(part) for part in parts), digest_size=8).hexdigest()


def native(path: Path) -> str:
    """On Windows in the form that may be longer than 260 characters, and knows no `..`."""
    if os.name != "nt":
        return os.fspath(path)
    text = os.path.normpath(path)
    if text.startswith("\\\\?\\"):
        return text
    return "\\\\?\\UNC" + text[1:] if text.startswith("\\\\") else "\\\\?\\" + text
