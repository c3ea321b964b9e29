"""Trees to copy, a process that copies, and a disk that can be full or pulled out."""

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from stepfast import Details, Engine
from stepfast_desktop.workflows import ALL
from stepfast_desktop.workflows.copy_folder import (
    CopyReport,
    batch,
    copy_folder,
    digests,
    transfer,
    walk,
)
from stepfast_desktop.workflows.copy_folder.places import Checked, Places, begin, check
from stepfast_desktop.workflows.copy_folder.transfer import Job

# With importlib as the import mode, a module that tests share is found only this way.
sys.path.insert(0, str(Path(__file__).parent))

MB = 1 << 20
ROOT = Path(__file__).parents[3]
CHILD = Path(__file__).with_name("child.py")


def snapshot(folder: Path) -> dict[str, object]:
    """What is in a folder: for every name its kind, permissions, time and content."""
    found: dict[str, object] = {}
    for place, folders, files in os.walk(os.fsencode(folder)):
        for name in (*folders, *files):
            path = os.path.join(place, name)
            about = os.lstat(path)
            if stat.S_ISLNK(about.st_mode):
                found[os.fsdecode(os.path.relpath(path, os.fsencode(folder)))] = ("link", os.readlink(path))
                continue
            content = None
            if stat.S_ISREG(about.st_mode):
                with open(path, "rb") as file:
                    content = file.read()
            found[os.fsdecode(os.path.relpath(path, os.fsencode(folder)))] = (
                oct(about.st_mode),
                about.st_mtime_ns,
                content,
            )
    return found


def make_tree(folder: Path) -> Path:
    """A small tree with everything in it that is ordinary, and some that is not."""
    (folder / "empty").mkdir(parents=True)
    (folder / "deep" / "er" / "still").mkdir(parents=True)
    (folder / "deep" / "er" / "still" / "nothing").write_bytes(b"")
    for number in range(12):
        (folder / "deep" / f"{number:02}").write_bytes(os.urandom(number * 1000))
    (folder / "script").write_bytes(b"#!/bin/sh\n")
    (folder / "script").chmod(0o751)
    (folder / "to-a-file").symlink_to("deep/03")
    (folder / "to-nowhere").symlink_to("/no/such/thing")
    (folder / "to-a-folder").symlink_to("deep")
    (folder / "read-only").mkdir()
    (folder / "read-only" / "kept").write_bytes(b"kept")
    (folder / "read-only" / "kept").chmod(0o400)
    if os.name != "nt":
        with open(os.path.join(os.fsencode(folder), b"no-utf8-\xff\xfe"), "wb") as file:
            file.write(b"named in bytes")
    for number, (place, folders, files) in enumerate(os.walk(os.fsencode(folder), topdown=False)):
        for name in (*files, *folders):
            os.utime(
                os.path.join(place, name), ns=(10**18 + number, 10**18 + 7 * number), follow_symlinks=False
            )
    (folder / "read-only").chmod(0o555)
    return folder


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "source")


@pytest.fixture(scope="session")
def snap() -> Callable[[Path], dict[str, object]]:
    return snapshot


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> int:
    """Pieces of 4 MB in place of 64, so that a file of some MB is a large one."""
    for module in (digests, transfer, walk, batch):
        monkeypatch.setattr(module, "PIECE", 4 << 20)
    return 4 << 20


@pytest.fixture
def places(tmp_path: Path) -> Callable[..., Places]:
    """The places of a workflow that has begun."""

    def make(source: Path, destination: Path | None = None, workflow: str = "w") -> Places:
        destination = destination or tmp_path / "destination"
        checked: Checked = check(source, destination)
        begin(workflow, source, destination, checked)
        return Places(workflow, source, destination, checked)

    return make


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    async with Engine.open(tmp_path / "work.db", ALL) as opened:
        yield opened


@pytest.fixture
def destination(tmp_path: Path) -> Path:
    return tmp_path / "destination"


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Seven files of one letter, and nothing else."""
    folder = tmp_path / "source"
    folder.mkdir()
    for number in range(7):
        (folder / f"{number}").write_bytes(bytes([number]) * 1000)
    return folder


@pytest.fixture
def copied(engine: Engine) -> Callable[..., Awaitable[CopyReport]]:
    """Copy a folder, and give the report."""

    async def copy(source: Path, destination: Path, **options: Any) -> CopyReport:
        return await (await engine.start(copy_folder(source, destination, **options))).result()

    return copy


@pytest.fixture
def details(engine: Engine) -> Callable[..., Awaitable[Details]]:
    """Copy a folder, and give what the engine knows of it then, whatever came of it."""

    async def copy(source: Path, destination: Path, **options: Any) -> Details:
        handle = await engine.start(copy_folder(source, destination, **options))
        await handle.finished()
        return await engine.get(handle.id)

    return copy


@pytest.fixture(scope="session")
def problems_of() -> Callable[[Details], dict[str, str]]:
    return lambda found: {each.about: each.message for each in found.problems}


class Child:
    """A process that copies; see `child.py`."""

    def __init__(self, database: Path) -> None:
        self.database = database

    def run(self, source: Path, destination: Path, **options: Any) -> subprocess.CompletedProcess[str]:
        told = {
            "database": str(self.database),
            "source": os.fsencode(source).hex(),
            "destination": os.fsencode(destination).hex(),
            **options,
        }
        path = os.pathsep.join(str(ROOT / root) for root in ("store", "app"))
        return subprocess.run(
            [sys.executable, str(CHILD), json.dumps(told)],
            capture_output=True,
            text=True,
            timeout=100,
            env={**os.environ, "PYTHONPATH": path},
        )

    def result(self, source: Path, destination: Path, **options: Any) -> dict[str, Any]:
        """What a process that was not killed says in the end."""
        done = self.run(source, destination, **options)
        assert done.returncode == 0, done.stdout + done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture
def child(tmp_path: Path) -> Child:
    return Child(tmp_path / "child.db")


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that a child without privileges can write to; pytest's own is closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="stepfast-"))
    folder.chmod(0o777)
    yield folder
    for place, _, _ in os.walk(folder):
        os.chmod(place, 0o700)
    shutil.rmtree(folder)


@pytest.fixture
def disk() -> Callable[[Path, int], AbstractContextManager[None]]:
    """Mount an empty disk of so many MB on a folder; leaving the context pulls it out.

    Only root on Linux can; there it has to work, so that nobody's run goes without these tests unnoticed.
    """
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root on Linux can mount a disk of its own")

    @contextmanager
    def mounted(folder: Path, megabytes: int) -> Iterator[None]:
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "tmpfs", str(folder)], check=True
        )
        try:
            yield
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)

    return mounted


@pytest.fixture
def job(tmp_path: Path) -> Job:
    source = tmp_path / "source"
    source.write_bytes(os.urandom(10 * MB + 777))
    os.utime(source, ns=(10**18, 10**18 + 5))
    source.chmod(0o640)
    return Job(str(source), str(tmp_path / "target"), str(tmp_path / ".part"))
