"""Files, folders and disks that may not be written, and permission that is lost while an engine works."""

from __future__ import annotations

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

from stepfast import Engine
from stepfast.errors import ReadOnly

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
