"""Trees of real files for the campaign: made from a seed, described by digest, compared, removed.

What is made is what people have: files of all sizes, nested folders and empty ones, links to files, to
folders and to nothing, names with spaces, accents and line breaks, on Linux also names that are no
text, read-only files and folders, old times.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random

__all__ = ["Entry", "describe", "differences", "make", "remove"]

MB = 1 << 20
FILES_PER_FOLDER = 25
DEEPEST = 6
YEAR_NS = 365 * 24 * 3600 * 10**9
NOW_NS = 1_790_000_000 * 10**9  # fixed, so that one seed makes one tree


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a tree. `content` is a file's digest, or what a link leads to."""

    kind: str
    mode: int
    mtime_ns: int
    size: int
    content: str


def make(root: Path, *, files: int, large: int, rng: Random) -> Path:
    """Make a tree of `files` files and one of `large` bytes; returns that one, relative to `root`.

    The large file is in the middle of the tree, so that others are copied before and after it.
    """
    folders = _make_folders(root, max(4, files // FILES_PER_FOLDER), rng)
    made = [_make_file(rng.choice(folders), number, rng) for number in range(files)]
    middle = root / "m in the middle"
    middle.mkdir()
    folders.append(middle)
    film = middle / "film.bin"
    _fill(film, large, rng)
    links = _make_links(rng.sample(folders, min(len(folders), max(4, files // 100))), made, rng)
    for path in [*made, film]:
        os.chmod(path, rng.choices((0o644, 0o600, 0o755, 0o444, 0o400), (70, 10, 10, 6, 4))[0])
    for path in [*made, film, *links, *reversed(folders)]:
        when = NOW_NS - rng.randrange(35 * YEAR_NS)
        os.utime(path, ns=(when, when), follow_symlinks=False)
    for folder in folders[1:]:
        os.chmod(folder, rng.choices((0o755, 0o700, 0o555), (80, 10, 10))[0])
    return film.relative_to(root)


def describe(root: Path) -> dict[bytes, Entry]:
    """Everything in a tree by its relative path, the root itself as an empty one."""
    base = os.fsencode(root)
    found = {b"": _entry(base)}
    for folder, folders, files in os.walk(base):
        for name in [*folders, *files]:
            path = os.path.join(folder, name)
            found[os.path.relpath(path, base)] = _entry(path)
    return found


def differences(ours: dict[bytes, Entry], theirs: dict[bytes, Entry]) -> list[str]:
    """What `theirs` has not, has too much, or has otherwise than `ours`, in words."""
    said = [f"missing: {path!r}" for path in ours.keys() - theirs.keys()]
    said += [f"too much: {path!r}" for path in theirs.keys() - ours.keys()]
    for path in ours.keys() & theirs.keys():
        for what in Entry.__slots__:
            one, other = getattr(ours[path], what), getattr(theirs[path], what)
            if one != other:
                said.append(f"{path!r} differs in {what}: {one!r}, and {other!r} in the copy")
    return sorted(said)


def remove(root: Path) -> None:
    """Remove a tree, the read-only folders in it too."""
    if not root.is_dir() or root.is_symlink():
        root.unlink(missing_ok=True)
        return
    base = os.fsencode(root)
    for folder, folders, _ in os.walk(base):
        os.chmod(folder, 0o700)
        for name in folders:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                os.chmod(path, 0o700)
    for folder, folders, files in os.walk(base, topdown=False):
        for name in files:
            os.unlink(os.path.join(folder, name))
        for name in folders:
            path = os.path.join(folder, name)
            if os.path.islink(path):
                os.unlink(path)
            else:
                os.rmdir(path)
    os.rmdir(base)


def _make_folders(root: Path, count: int, rng: Random) -> list[Path]:
    root.mkdir(parents=True)
    folders = [root]
    for number in range(count):
        outer = rng.choice([each for each in folders if len(each.relative_to(root).parts) < DEEPEST])
        inner = outer / f"{rng.choice(('photos', 'a b', '.hidden', 'Übung', 'x' * 120))} {number}"
        inner.mkdir()
        folders.append(inner)
    return folders


def _make_file(folder: Path, number: int, rng: Random) -> Path:
    names = [f"note {number}.txt", f"día {number}.dat", f".dot{number}", f"{number}\n.md", f"{number}" * 20]
    if sys.platform == "linux":
        names.append(os.fsdecode(b"caf\xe9 %d.txt" % number))
    path = folder / rng.choices(names, (60, 10, 5, 1, 5, 4)[: len(names)])[0]
    kind = rng.choices(("empty", "small", "medium", "some MB"), (3, 91, 5, 1))[0]
    match kind:
        case "empty":
            size = 0
        case "small":
            size = rng.randint(1, 50 * 1024)
        case "medium":
            size = rng.randint(50 * 1024, MB)
        case _:
            size = rng.randint(MB, 5 * MB)
    _fill(path, size, rng)
    return path


def _fill(path: Path, size: int, rng: Random) -> None:
    with path.open("xb") as file:
        while size:
            count = min(size, MB)
            file.write(rng.randbytes(count))
            size -= count


def _make_links(folders: list[Path], files: list[Path], rng: Random) -> list[Path]:
    links = []
    for number, folder in enumerate(folders):
        link = folder / f"link {number}"
        match number % 4:
            case 0:
                link.symlink_to(os.path.relpath(rng.choice(files), folder))
            case 1:
                link.symlink_to(os.path.relpath(rng.choice(folders), folder), target_is_directory=True)
            case 2:
                link.symlink_to("nothing here")
            case _:
                link.symlink_to("/etc/hostname")
        links.append(link)
    return links


def _entry(path: bytes) -> Entry:
    found = os.lstat(path)
    mode = stat.S_IMODE(found.st_mode)
    if stat.S_ISLNK(found.st_mode):
        return Entry("link", 0, found.st_mtime_ns, 0, os.fsdecode(os.readlink(path)))
    if stat.S_ISDIR(found.st_mode):
        return Entry("folder", mode, found.st_mtime_ns, 0, "")
    assert stat.S_ISREG(found.st_mode), path
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "blake2b").hexdigest()
    return Entry("file", mode, found.st_mtime_ns, found.st_size, digest)
