"""What a file system can hold, and what a person calls the disk it is on; None wherever nobody can tell."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

__all__ = ["Disk", "Limits", "disk_of", "limits_of", "parse_mounts"]

GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Limits:
    """What a kind of file system takes: `largest` in bytes, and `refused`, what no name may have in it.

    `name` is what people call it. `links`: whether there are symbolic links on it.
    """

    name: str
    largest: int | None = None
    refused: re.Pattern[str] | None = None
    links: bool = True


# Control characters, what Windows takes for something else, and a dot or space at the end.
_WINDOWS = re.compile(r'[\x00-\x1f"*:<>?|\\]|[. ]\Z')

_FAT = Limits("FAT32", 4 * GIB - 1, _WINDOWS, links=False)
_EXFAT = Limits("exFAT", None, _WINDOWS, links=False)
_NTFS = Limits("NTFS", None, _WINDOWS)

_KNOWN = {
    "vfat": _FAT,
    "msdos": _FAT,
    "fat": _FAT,
    "fat32": _FAT,
    "exfat": _EXFAT,
    "fuse.exfat": _EXFAT,
    "ntfs": _NTFS,
    "ntfs3": _NTFS,
    "fuse.ntfs": _NTFS,
    "fuseblk": _NTFS,  # by far the most common of those
}


@dataclass(frozen=True, slots=True)
class Disk:
    """Where a path is: the mount point, the kind of file system, and the disk's label; as far as known."""

    mount: str
    kind: str
    label: str | None = None

    @property
    def removable(self) -> bool:
        """Whether it is one that a person connects and ejects, by where systems mount those."""
        if os.name == "nt":
            return self.title is not None and _drive_type(self.mount) == 2  # DRIVE_REMOVABLE
        return self.title is not None and self.mount.startswith(("/media/", "/run/media/", "/Volumes/"))

    @property
    def title(self) -> str | None:
        """What a person calls it; None for the system's own disk, which nobody calls anything."""
        if self.label:
            return self.label
        return os.path.basename(self.mount.rstrip("/\\")) or None


def limits_of(kind: str) -> Limits | None:
    """What file systems of that kind refuse; None where none of that is known."""
    return _KNOWN.get(kind.lower())


def disk_of(path: str) -> Disk | None:
    """The disk that `path`, which is there, is on."""
    with suppress(OSError, ValueError):
        if sys.platform == "linux":
            return _on_linux(path)
        if sys.platform == "win32":
            return _on_windows(path)
        if sys.platform == "darwin":
            return _on_macos(path)
    return None


def parse_mounts(lines: Iterable[str], path: str) -> Disk | None:
    """The disk that a path without links is on, by the lines of /proc/self/mountinfo."""
    found: Disk | None = None
    for line in lines:
        # 36 35 98:0 / /media/ann/STICK rw,noatime shared:1 - vfat /dev/sdb1 rw
        before, _, after = line.rstrip("\n").partition(" - ")
        known, what = before.split(" "), after.split(" ")
        if len(known) > 4 and what[0]:
            mount = _unescape(known[4])
            inside = path == mount or path.startswith(mount.rstrip("/") + "/")
            # Of several on one place the last is on top.
            if inside and (found is None or len(mount) >= len(found.mount)):
                found = Disk(mount, what[0])
    return found


def _on_linux(path: str) -> Disk | None:
    path = os.path.realpath(path)
    device = os.stat(path).st_dev
    # Not by the list of mounts, which may lack one for a moment while another comes or goes.
    mount = path
    while (above := os.path.dirname(mount)) != mount and os.stat(above).st_dev == device:
        mount = above
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as mounts:
        found = parse_mounts(mounts, path)
    label = None
    with suppress(OSError), os.scandir("/dev/disk/by-label") as entries:
        label = next((_unescape(each.name) for each in entries if each.stat().st_rdev == device), None)
    return Disk(mount, found.kind if found is not None else "", label)


def _unescape(text: str) -> str:
    r"""Spaces and the like are octal there (\040), and hexadecimal in labels (\x20)."""
    text = re.sub(r"\\([0-7]{3})", lambda each: chr(int(each[1], 8)), text)
    return re.sub(r"\\x([0-9a-f]{2})", lambda each: chr(int(each[1], 16)), text)


def _on_windows(path: str) -> Disk | None:
    if sys.platform != "win32":
        return None
    import ctypes

    kernel = ctypes.windll.kernel32
    root = ctypes.create_unicode_buffer(1024)
    if not kernel.GetVolumePathNameW(path, root, len(root)):
        return None
    label, kind = ctypes.create_unicode_buffer(261), ctypes.create_unicode_buffer(261)
    if not kernel.GetVolumeInformationW(root, label, len(label), None, None, None, kind, len(kind)):
        return None
    return Disk(root.value, kind.value, label.value or None)


def _drive_type(root: str) -> int:
    if sys.platform != "win32":
        return 0
    import ctypes

    return int(ctypes.windll.kernel32.GetDriveTypeW(root))


def _on_macos(path: str) -> Disk | None:
    import subprocess

    while not os.path.ismount(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    # /dev/disk2s1 on /Volumes/STICK (msdos, local, nodev)
    said = subprocess.run(["/sbin/mount"], capture_output=True, text=True, timeout=5).stdout
    found = re.search(rf"^.* on {re.escape(path)} \((\w+)", said, re.MULTILINE)
    return Disk(path, found[1]) if found else None
