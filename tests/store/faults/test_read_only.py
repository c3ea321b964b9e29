"""Files, folders and disks that may not be written, and permission that is lost while an engine works."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from children import STORE
from patient import chain, patient, whole
from unprivileged import NOBODY, SCENARIOS

from stepfast import Engine, Run, workflow
from stepfast.errors import ReadOnly
from stepfast.sqlite.care.copying import copy_database

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such permissions")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder of nobody's; not in `tmp_path`, into which nobody may look."""
    made = Path(tempfile.mkdtemp(prefix="stepfast-test-"))
    inner = made / "data"
    inner.mkdir(mode=0o700)
    if os.geteuid() == 0:
        for each in (made, inner):
            os.chown(each, NOBODY, NOBODY)
    yield inner
    inner.chmod(0o700)
    shutil.rmtree(made)


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_permission_that_is_not_there_or_is_lost(folder: Path, name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", Path(__file__).with_name("unprivileged.py"), name, folder],
        env={**os.environ, "PYTHONPATH": STORE},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder.parent,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.usefixtures("quiet_loop")
async def test_a_disk_that_is_mounted_read_only_says_so(small_disk: Any, tmp_path: Path) -> None:
    path = small_disk.folder / "work.db"
    async with patient(path, tmp_path) as ill:
        await ill.engine.start(chain(), id="before")
        await ill.finishes("before")
    small_disk.remount("ro")
    with pytest.raises(ReadOnly, match="mounted read-only; mount it for writing again"):
        async with Engine.open(path):
            pass
    small_disk.remount("rw")
    async with patient(path, tmp_path) as again:
        await again.finishes("before")
    assert whole(path)


LEFT_BEHIND = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA wal_autocheckpoint = 0")
connection.execute("UPDATE stepfast_workflows SET id = 'in-the-log'")
os._exit(9)
"""


async def finished_one(path: Path) -> None:
    @workflow("brief")
    async def brief(run: Run) -> None: ...

    async with Engine.open(path, [brief]) as engine:
        await (await engine.start(brief(), id="in-the-file")).result()


async def ids_in(copy: Path) -> list[str]:
    async with Engine.open(copy, work=False) as engine:
        return [each.id for each in await engine.list()]


@pytest.mark.parametrize("log", ["none", "empty", "with its index"])
async def test_what_is_on_a_disk_that_is_read_only_can_be_copied(
    small_disk: Any, tmp_path: Path, log: str
) -> None:
    path = small_disk.folder / "work.db"
    await finished_one(path)
    if log == "empty":
        path.with_name("work.db-wal").touch()
    elif log == "with its index":  # as a program has left it that was killed
        assert subprocess.run([sys.executable, "-c", LEFT_BEHIND, path]).returncode == 9
        assert path.with_name("work.db-shm").exists()
    before = sorted(each.name for each in small_disk.folder.iterdir())
    small_disk.remount("ro")
    copy_database(path, tmp_path / "copy.db")
    small_disk.remount("rw")
    assert sorted(each.name for each in small_disk.folder.iterdir()) == before
    assert await ids_in(tmp_path / "copy.db") == ["in-the-log" if log == "with its index" else "in-the-file"]


async def test_a_log_without_its_index_is_not_left_out_but_told_of(small_disk: Any, tmp_path: Path) -> None:
    path = small_disk.folder / "work.db"
    await finished_one(path)
    subprocess.run([sys.executable, "-c", LEFT_BEHIND, path])
    path.with_name("work.db-shm").unlink()
    small_disk.remount("ro")
    with pytest.raises(
        ReadOnly, match=r"a part of it is in its log, .*work\.db-wal, .* copy both files to a"
    ):
        copy_database(path, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()
    small_disk.remount("rw")


async def test_what_somebody_writes_through_another_mount_is_read_with_it(
    small_disk: Any, tmp_path: Path
) -> None:
    path, other = small_disk.folder / "work.db", tmp_path / "mounted"
    other.mkdir()
    await finished_one(path)
    subprocess.run(["mount", "--bind", small_disk.folder, other], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", other], check=True)
        async with Engine.open(path) as engine:
            await engine.remove(["in-the-file"])
            await engine.restore(["in-the-file"])
            await asyncio.to_thread(copy_database, other / "work.db", tmp_path / "copy.db")
            assert await ids_in(tmp_path / "copy.db") == ["in-the-file"]
    finally:
        subprocess.run(["umount", "--lazy", other], check=True)
