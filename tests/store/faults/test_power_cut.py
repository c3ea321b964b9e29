"""A power cut: the log ends, or turns into nothing, at any byte. What is left is a prefix of the commits."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from patient import chain, patient, records, whole

from stepfast import connect

pytestmark = pytest.mark.usefixtures("quiet_loop")

STEPS = 60
CUTS = 150
SEED = 20261129


@pytest.fixture
async def cut_short(tmp_path: Path) -> tuple[Path, bytes]:
    """A file whose commits are all in its log, as it lay there when the power went; and the log."""
    path, copy = tmp_path / "work.db", tmp_path / "copy.db"
    async with patient(path, tmp_path) as ill:
        assert ill.engine.path is not None
        # Nothing is copied from the log into the file from here on, since somebody reads an old state.
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM stepfast_meta").fetchone()
            await ill.engine.start(chain(STEPS), id="cut")
            await ill.finishes("cut", STEPS)
            for suffix in ("", "-wal"):
                subprocess.run(["cp", f"{path}{suffix}", f"{copy}{suffix}"], check=True)
    (tmp_path / "ledger").unlink()
    return copy, Path(f"{copy}-wal").read_bytes()


def lay(copy: Path, number: int, log: bytes) -> Path:
    path = copy.with_name(f"cut-{number}.db")
    path.write_bytes(copy.read_bytes())
    path.with_name(path.name + "-wal").write_bytes(log)
    return path


def is_prefix(names: list[str]) -> bool:
    return names == [f"step-{number}" for number in range(len(names))]


async def test_a_log_that_was_cut_at_any_byte_leaves_a_prefix_of_what_was_committed(
    cut_short: tuple[Path, bytes],
) -> None:
    copy, log = cut_short
    random = Random(SEED)
    places = sorted({0, 1, 31, 32, 33, len(log) - 1, len(log), *random.sample(range(len(log)), CUTS)})
    reached = 0
    seen = set()
    for number, place in enumerate(places):
        # A file system may keep the length and lose the content: behind the cut are nothing, zeros or junk.
        lost = len(log) - place
        tail = [b"", bytes(lost), random.randbytes(lost)][number % 3]
        path = lay(copy, number, log[:place] + tail)
        durable = await connect(path)
        await durable.close()
        assert whole(path), f"cut at {place}"
        names = records(path, "cut")
        assert is_prefix(names), f"cut at {place}: {names}"
        assert len(names) >= reached, f"cut at {place}: what was committed before is gone"
        reached = len(names)
        seen.add(reached)
        path.unlink()
    assert reached == STEPS
    assert len(seen) > STEPS / 2, "the cuts fell where nothing was committed"


@pytest.mark.parametrize("share", [0.1, 0.35, 0.6, 0.85])
async def test_a_workflow_goes_on_behind_the_last_step_that_is_left(
    cut_short: tuple[Path, bytes], tmp_path: Path, share: float
) -> None:
    copy, log = cut_short
    path = lay(copy, 0, log[: int(len(log) * share)])
    kept = len(records(path, "cut")) if has_workflow(path) else 0
    reboot(path)
    async with patient(path, tmp_path) as again:
        if not kept:
            await again.engine.start(chain(STEPS), id="cut")
        await again.finishes("cut", STEPS)
        # None of the steps that are left ran again, and each of the others ran once.
        assert again.ran() == {f"cut:{number}": 1 for number in range(kept, STEPS)}
    assert records(path, "cut") == [f"step-{number}" for number in range(STEPS)]


def reboot(path: Path) -> None:
    """The engine of before belongs to another boot of the machine."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE stepfast_owners SET boot = 'the one before'")
        connection.commit()


def has_workflow(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT 1 FROM stepfast_workflows WHERE id = 'cut'").fetchone() is not None
