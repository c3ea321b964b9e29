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
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from stepfast_desktop.workflows.copy_folder.attributes import mode_while_copying
from stepfast_desktop.workflows.copy_folder.disk import flush_folder
from stepfast_desktop.workflows.copy_folder.errors import FULL, CopyError, TargetFailed, printable, reason

__all__ = ["Begun", "Checked", "Places", "begin", "check", "volume"]


@dataclass(frozen=True, slots=True)
class Checked:
    """What a look at the two folders found, before anything was written.

    `existed` says that the destination was there. A volume is the system's lasting name for a disk, or
    None where it has none; the destination's is that of the nearest folder that was there.
    """

    existed: bool
    source_volume: str | None
    source_device: int
    source_inode: int
    destination_volume: str | None


@dataclass(frozen=True, slots=True)
class Begun:
    """The destination is there, and has its marker.

    `caseless` says that names there are one where they differ in upper and lower case only.
    """

    caseless: bool


class Places:
    """Where each thing is: the source, the destination, and what lies in them by its relative path."""

    def __init__(self, workflow: str, source: Path, destination: Path, checked: Checked) -> None:
        self.source = _native(source)
        self.destination = _native(destination)
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
        try:
            os.lstat(self.marker)
        except FileNotFoundError:
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
            raise CopyError(
                f"The destination {self.shown_destination} cannot be reached: {reason(error)}. Connect its "
                "disk and `retry`; what was copied to it is kept."
            ) from error

    def remove_marker(self) -> None:
        """The copy is complete. Also right when the marker is gone already; raises `CopyError`."""
        try:
            os.unlink(self.marker)
        except FileNotFoundError:
            return
        except OSError as error:
            raise CopyError(
                f"All is copied, but the marker {printable(self.marker)} cannot be removed: {reason(error)}. "
                "Remove it, or change the permissions of its folder, and `retry`."
            ) from error

    def require_source(self) -> None:
        """Raises `CopyError` unless the source is still the folder that was planned."""
        remedy = "Connect its disk, or bring the folder back, and `retry`; what was copied is kept."
        try:
            found = os.stat(self.source)
            with os.scandir(self.source) as entries:
                empty = next(entries, None) is None
        except OSError as error:
            missing = isinstance(error, FileNotFoundError)
            gone = "is not there any more" if missing else f"cannot be read: {reason(error)}"
            raise CopyError(f"The source {self.shown_source} {gone}. {remedy}") from error
        planned = self._checked
        now = volume(self.source)
        if now is not None and planned.source_volume is not None and now != planned.source_volume:
            raise CopyError(f"The source {self.shown_source} is on another disk than when it began. {remedy}")
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
    found = _check_source(source)
    _check_apart(source, found, destination)
    existed = os.path.lexists(_native(destination))
    anchor = _check_destination(destination)
    return Checked(existed, volume(_native(source)), found.st_dev, found.st_ino, volume(anchor))


def begin(workflow: str, source: Path, destination: Path, checked: Checked) -> Begun:
    """Make the destination, where it was not there, and its marker; raises `CopyError` where it cannot."""
    places = Places(workflow, source, destination, checked)
    shown = places.shown_destination
    try:
        if checked.existed:
            if not os.path.isdir(places.destination):
                raise CopyError(f"The destination {shown} is not there any more. Connect it and `retry`.")
        else:
            now = volume(_nearest(places.destination))
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


def _check_source(source: Path) -> os.stat_result:
    shown, path = printable(source), _native(source)
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


def _check_apart(source: Path, found: os.stat_result, destination: Path) -> None:
    """By what the system says is the same folder, since links, mounts and case give one folder many names."""
    shown, target = printable(destination), os.path.realpath(_native(destination))
    for place in (target, *map(str, Path(target).parents)):
        if not _is(place, found):
            continue
        if place == target:
            raise CopyError(f"The destination {shown} is the source itself. Choose another folder.")
        raise CopyError(
            f"The destination {shown} is inside the source, so the copy would have to hold itself. Choose a "
            "folder outside it."
        )
    real = os.path.realpath(_native(source))
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


def _check_destination(destination: Path) -> str:
    """The nearest folder that is there."""
    shown, path = printable(destination), _native(destination)
    anchor = _nearest(path)
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


def _is_disk(path: Path) -> bool:
    """Whether systems mount disks there: what is missing is no folder to be made, but a disk to connect."""
    return str(path.parent) in ("/media", "/Volumes") or str(path.parent.parent) == "/run/media"


def _nearest(path: str) -> str:
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


def _native(path: Path) -> str:
    """On Windows in the form that may be longer than 260 characters, and knows no `..`."""
    if os.name != "nt":
        return os.fspath(path)
    text = os.path.normpath(path)
    if text.startswith("\\\\?\\"):
        return text
    return "\\\\?\\UNC" + text[1:] if text.startswith("\\\\") else "\\\\?\\" + text
