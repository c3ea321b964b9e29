"""Putting a backup in the place of a file: under nobody, whole or not at all, with nothing thrown away."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from children import Starter, children, hears, kill, tell

from stepfast import Damaged, Engine, Reset, Run, StoreError, connect, restore, workflow
from stepfast.errors import DiskFull, InvalidInput, Newer, NotOurs, StoreUnavailable
from stepfast.sqlite.care import copying
from stepfast.sqlite.care.backups import backups_folder
from stepfast.sqlite.care.restoring import JUMP, plan_restore
from stepfast.sqlite.engines.owners import owners_folder
from stepfast.sqlite.file import opened
from stepfast.sqlite.file.opened import RESTORE_LOCK, Opened, let_go, lock_for_restoring, who_has_it_open
from stepfast.system import locks

pytestmark = pytest.mark.usefixtures("quiet_loop")


@workflow("steps")
async def steps(run: Run) -> str:
    await run.step("first", lambda: 1)
    await run.awaiting("go")
    return await run.step("second", lambda: "done")


@pytest.fixture
def child() -> Iterator[Starter]:
    with children("from pathlib import Path\n") as start:
        yield start


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A file with a workflow that waits, and a backup of when there was no other."""
    folder = tmp_path / "data"
    path = folder / "work.db"
    async with Engine.open(path, [steps]) as engine:
        await engine.start(steps(), id="in the backup")
        await engine.until_idle()
        backups_folder(path).mkdir()
        await engine.backup(backups_folder(path) / "2026-11-28T03-15-00Z-schema-2.db")
        await engine.start(steps(), id="since")
        await engine.until_idle()
    return path


async def ids(path: Path) -> set[str]:
    async with Engine.open(path, work=False) as engine:
        return {row.id for row in await engine.list()}


def beside(path: Path) -> set[str]:
    return {each.name for each in path.parent.iterdir()}


# --- what is done ---------------------------------------------------------------------------------


async def test_the_newest_backup_takes_its_place_and_what_was_there_is_set_aside(path: Path) -> None:
    path.chmod(0o640)
    before = path.read_bytes()
    plan = plan_restore(path)
    assert (plan.workflows, plan.workflows_now, plan.there, plan.passed_over) == (1, 2, "whole", ())
    assert plan.made_at is not None and f"{plan.made_at:%Y-%m-%d %H:%M}" == "2026-11-28 03:15"
    assert path.read_bytes() == before, "a plan changes nothing"
    restored = restore(path, at=1_795_921_200.0)
    assert restored.plan == plan
    assert restored.set_aside == (path.with_name("work.db.replaced-2026-11-29T03-00-00Z"),)
    assert restored.set_aside[0].read_bytes() == before
    assert beside(path) == {"work.db", "work.db-backups", "work.db.restored", restored.set_aside[0].name}
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert await ids(path) == {"in the backup"}
    assert await ids(restored.set_aside[0]) == {"in the backup", "since"}, "it is a file like any other"


async def test_a_file_with_its_log_is_set_aside_with_its_log(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as theirs:
        theirs.execute("PRAGMA wal_autocheckpoint = 0")
        theirs.execute("CREATE TABLE theirs (n)")
        for suffix in ("", "-wal", "-shm"):  # as a power cut leaves them
            shutil.copy(f"{path}{suffix}", f"{path}{suffix}.kept")
    for suffix in ("", "-wal", "-shm"):
        os.replace(f"{path}{suffix}.kept", f"{path}{suffix}")
    log = Path(f"{path}-wal").read_bytes()
    restored = restore(path)
    assert [each.name.rpartition("Z")[2] for each in restored.set_aside] == ["", "-wal", "-shm"]
    assert restored.set_aside[1].read_bytes() == log
    assert await ids(path) == {"in the backup"}
    with closing(sqlite3.connect(restored.set_aside[0])) as old:
        assert old.execute("SELECT * FROM theirs").fetchall() == []


async def test_work_goes_on_from_the_backup(path: Path) -> None:
    """Also with what an engine that was killed held when the backup was made."""
    with closing(sqlite3.connect(path)) as connection:
        (changes,) = connection.execute("SELECT counter FROM stepfast_meta").fetchone()
    restore(path)
    async with Engine.open(path, [steps]) as engine:
        assert isinstance(await engine.changes(changes), Reset), "a number from before is of another history"
        await engine.arrive("in the backup", "go", None)
        assert await engine.handle("in the backup").result() == "done"
        assert (await engine.start(steps(), id="since")).created
        await engine.until_idle()
        for record in await engine.history("since"):
            assert record.position >> 20 >= JUMP, "no number is given twice"


async def test_what_the_backups_own_engine_held_is_taken_over_at_once(path: Path, tmp_path: Path) -> None:
    durable = await connect(path)
    await durable.start("held", "job", 1, "null")
    assert await durable.checkpointer.claim("held") is not None
    copy = await durable.backup(tmp_path / "copy.db")  # in which its owner is registered, and alive
    await durable.close()
    restore(path, copy)
    durable = await connect(path)
    assert await durable.takeover() == ["held"]
    await durable.close()


async def test_a_backup_from_elsewhere_can_be_named(path: Path, tmp_path: Path) -> None:
    elsewhere = Path(shutil.copy(next(backups_folder(path).iterdir()), tmp_path / "usb.db"))
    plan = restore(path, elsewhere).plan
    assert (plan.source, plan.made_at) == (elsewhere, None)
    assert await ids(path) == {"in the backup"}


async def test_by_a_link_the_file_itself_is_meant(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(path)
    restore(link)
    assert link.is_symlink() and link.resolve() == path
    assert await ids(link) == {"in the backup"}


async def test_twice_within_a_second_nothing_that_was_set_aside_is_overwritten(path: Path) -> None:
    first = path.read_bytes()
    aside = [restore(path, at=0).set_aside[0] for _ in range(3)]
    assert len(set(aside)) == 3 and aside[0].read_bytes() == first


async def test_where_no_hard_links_are_it_is_renamed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    before = path.read_bytes()
    restored = restore(path)
    assert restored.set_aside[0].read_bytes() == before
    assert await ids(path) == {"in the backup"}


# --- what is refused ------------------------------------------------------------------------------


async def test_under_an_engine_that_has_the_file_open_nothing_is_replaced(path: Path, child: Starter) -> None:
    for work in (True, False):
        async with Engine.open(path, [steps], work=work):
            assert who_has_it_open(path) == [os.getpid()]
            with pytest.raises(StoreUnavailable, match=f"is open in process {os.getpid()}; close that"):
                restore(path)
    other = child(
        """
import asyncio
from stepfast import connect
async def main():
    durable = await connect(sys.argv[1])
    say("open")
    wait()
    await durable.close()
asyncio.run(main())
""",
        path,
    )
    assert hears(other) == "open"
    with pytest.raises(StoreUnavailable, match=f"is open in process {other.pid}"):
        restore(path)
    kill(other)
    assert who_has_it_open(path) == []
    assert await ids(path) == {"in the backup", "since"}
    restore(path)
    assert await ids(path) == {"in the backup"}
    assert not path.with_name("work.db-owners").exists(), "what the killed one left is gone too"


async def test_while_it_is_replaced_nobody_opens_it(path: Path, child: Starter) -> None:
    lock = lock_for_restoring(path)
    with pytest.raises(StoreUnavailable, match="being put in its place at this moment; try again"):
        await connect(path)
    with pytest.raises(StoreUnavailable, match=r"another process has .*restore\.lock locked"):
        restore(path)
    let_go(lock)
    assert await ids(path) == {"in the backup", "since"}


@pytest.mark.skipif(sys.platform == "win32", reason="it locks as POSIX does")
def test_an_engine_that_sweeps_is_not_taken_for_one_that_has_this_ones_sign(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    lock_exclusive, swept = locks._lock_exclusive, []

    def lock(descriptor: int) -> bool:
        if not swept:  # it comes after the file was made, and before it is locked
            (sign,) = owners_folder(path).iterdir()
            swept.append(os.open(sign, os.O_RDONLY))
            fcntl.flock(swept[0], fcntl.LOCK_EX)
        return bool(lock_exclusive(descriptor))

    monkeypatch.setattr(locks, "_lock_exclusive", lock)
    here = Opened(path)
    os.close(swept[0])
    assert who_has_it_open(path) == [os.getpid()]
    here.leave()


@pytest.mark.skipif(sys.platform == "win32", reason="it locks as POSIX does")
def test_an_engine_that_sweeps_is_not_taken_for_somebody_who_restores(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    folder = owners_folder(path)
    folder.mkdir()
    left = os.open(folder / RESTORE_LOCK, os.O_RDONLY | os.O_CREAT, 0o600)  # by one that was killed
    fcntl.flock(left, fcntl.LOCK_EX)
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            os.close(left)

    monkeypatch.setattr(opened.time, "sleep", sleep)
    Opened(path).leave()
    assert len(waited) == 3 and not folder.exists()


async def test_a_backup_that_is_none_is_refused_and_the_file_is_as_it_was(path: Path, tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("hello")
    theirs = tmp_path / "theirs.db"
    with closing(sqlite3.connect(theirs)) as connection:
        connection.execute("CREATE TABLE theirs (n)")
        connection.commit()
    newer = Path(shutil.copy(next(backups_folder(path).iterdir()), tmp_path / "newer.db"))
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("UPDATE stepfast_meta SET version = 99")
        connection.commit()
    before = path.read_bytes()
    for source, error, words in [
        (tmp_path / "missing.db", InvalidInput, "there is no file at"),
        (text, Damaged, "notes.txt is damaged"),
        (theirs, NotOurs, "none of Stepfast's tables"),
        (newer, Newer, "schema 99"),
    ]:
        with pytest.raises(error, match=words):
            restore(path, source)
        assert path.read_bytes() == before
    assert beside(path) == {"work.db", "work.db-backups"}


async def test_without_room_for_the_copy_the_file_is_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "free_bytes", lambda path: 100_000)
    with pytest.raises(DiskFull):
        restore(path)
    assert beside(path) == {"work.db", "work.db-backups"}
    assert await ids(path) == {"in the backup", "since"}


async def test_a_file_that_cannot_be_moved_is_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(13, "The process cannot access the file")

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(StoreError, match=r"cannot be (written|set aside)"):
        restore(path)
    monkeypatch.undo()
    assert beside(path) == {"work.db", "work.db-backups"}
    assert await ids(path) == {"in the backup", "since"}


# --- killed ---------------------------------------------------------------------------------------

KILLED = """
import shutil
from stepfast.sqlite.file import opened
from stepfast.sqlite.care import restoring
OURS = {each.__file__ for each in (opened, restoring)}
def die_before_line(number, path):
    passed = 0
    def trace(frame, event, _):
        nonlocal passed
        if event == "call":
            return trace if frame.f_code.co_filename in OURS else None
        if event == "line":
            passed += 1
            if passed == number:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace
    sys.settrace(trace)
    restoring.restore(path)
    sys.settrace(None)
original, folder = map(Path, sys.argv[1:])
number, died = 0, True
while died:
    number += 1
    shutil.copytree(original, folder / str(number))
    process = os.fork()
    if process == 0:
        die_before_line(number, folder / str(number) / "work.db")
        os._exit(0)
    died = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL
say(number)
"""


async def opening(path: Path) -> str:
    """What there is to be had after somebody was killed."""
    try:
        found = await ids(path)
    except Damaged as error:
        return "interrupted" if "interrupted; do it again" in str(error) else str(error)
    return "restored" if found == {"in the backup"} else "as before"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a child that it forks")
@pytest.mark.campaign
async def test_killed_at_any_point_it_is_as_before_or_to_be_done_again_and_nothing_is_lost(
    path: Path, tmp_path: Path, child: Starter
) -> None:
    for suffix in ("-wal", "-shm"):
        Path(f"{path}{suffix}").write_bytes(b"a log that is of no use" * 100)
    whole = {each.name: each.read_bytes() for each in path.parent.iterdir() if each.is_file()}
    runs = tmp_path / "runs"
    runs.mkdir()
    moments = int(hears(child(KILLED, path.parent, runs)))
    assert moments > 80
    outcomes = []
    for number in range(1, moments):
        there = runs / str(number) / "work.db"
        outcomes.append(await opening(there))
        if outcomes[-1] != "restored":
            restore(there)
        assert await ids(there) == {"in the backup"}, number
        kept = [each.read_bytes() for each in there.parent.iterdir() if each.is_file()]
        assert whole["work.db"] in kept, number
        left = {each for each in beside(there) if not re.match(r"work\.db\.(replaced|damaged)", each)}
        assert left == {"work.db", "work.db-backups"}, number
    assert set(outcomes) == {"as before", "interrupted", "restored"}


async def test_two_that_restore_at_once_do_it_one_after_the_other(path: Path, child: Starter) -> None:
    script = """
from stepfast import StoreError, restore
say("ready")
wait()
try:
    say("did", restore(sys.argv[1]).set_aside[0].name)
except StoreError as error:
    say("refused", error)
"""
    programs = [child(script, path) for _ in range(4)]
    assert [hears(each) for each in programs] == ["ready"] * 4
    for each in programs:
        tell(each)
    said = [hears(each) for each in programs]
    assert any(each.startswith("did") for each in said), said
    assert await ids(path) == {"in the backup"}
    assert len([each for each in beside(path) if "replaced" in each]) == len(
        [each for each in said if each.startswith("did")]
    )


async def test_a_file_of_a_newer_program_is_not_called_damaged(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE stepfast_meta SET version = 99")
        connection.commit()
    assert plan_restore(path).there == "newer"
    assert ".replaced-" in restore(path).set_aside[0].name


async def test_in_the_place_of_nothing_a_backup_is_put_too(path: Path) -> None:
    path.unlink()
    assert plan_restore(path).there == "gone"
    assert restore(path).set_aside == ()
    assert await ids(path) == {"in the backup"}
