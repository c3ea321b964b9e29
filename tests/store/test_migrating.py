"""Bringing a file to a newer schema: backed up first, once, and whole or not at all, killed or not."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from children import Starter, children, hears, tell

from stepfast import Damaged, Engine, Newer, Run, connect, migrate, workflow
from stepfast.errors import LockedOut
from stepfast.interfaces import Kind, NewRecord, Notes, Offered, Settlement
from stepfast.retention import Retention
from stepfast.sqlite.care.backups import backups_folder, backups_of
from stepfast.sqlite.engines.owners import owners_folder
from stepfast.sqlite.file import migrating
from stepfast.sqlite.file.opened import migrating_alone
from stepfast.sqlite.schema import CURRENT
from stepfast.views import Progress

pytestmark = pytest.mark.usefixtures("quiet_loop")

FROZEN = Path(__file__).parents[1] / "data" / "schema-1.db"
MOMENT = 1_764_403_200.0

# A program of the future: its third schema has another name for a column that ours reads in every list.
FUTURE = """
from itertools import count
from pathlib import Path
from stepfast.sqlite import schema
from stepfast.sqlite.care import backups
from stepfast.sqlite.care import copying
from stepfast.sqlite.file import migrating
def of_the_future():
    change = ("ALTER TABLE stepfast_workflows RENAME COLUMN priority TO urgency",)
    schema.MIGRATIONS[schema.CURRENT + 1] = change
    migrating.CURRENT = copying.CURRENT = schema.CURRENT + 1
"""


@pytest.fixture
def child() -> Iterator[Starter]:
    with children(FUTURE) as start:
        yield start


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file of schema 1."""
    return Path(shutil.copy(FROZEN, tmp_path / "work.db"))


def content(path: Path) -> dict[str, bytes]:
    """Every byte of the file and of SQLite's files beside it, read where closing it drops no lock of ours."""
    code = "import sys,pathlib; sys.stdout.buffer.write(pathlib.Path(sys.argv[1]).read_bytes())"
    return {
        name: subprocess.run(
            [sys.executable, "-c", code, path.with_name(name)], capture_output=True, check=True
        ).stdout
        for name in sorted(each.name for each in path.parent.iterdir() if each.is_file())
    }


def rows(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def tables_of(path: Path) -> dict[str, list[Any]]:
    """All that is in a file."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        names = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        ).fetchall()
        return {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for (name,) in names}


# --- the backup -----------------------------------------------------------------------------------


async def test_before_a_file_is_migrated_it_is_backed_up_whole(old: Path) -> None:
    before = tables_of(old)
    assert migrate(old) == 1
    (backup,) = backups_of(old)
    assert (backup.schema, backup.before_migration) == (1, True)
    assert backup.path.name.endswith("Z-schema-1-before-migration.db")
    assert stat.S_IMODE(backup.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(backups_folder(old).stat().st_mode) == 0o700
    assert tables_of(backup.path) == before
    assert os.listdir(backups_folder(old)) == [backup.path.name], "nothing is left half-made"
    assert sorted(each.name for each in old.parent.iterdir()) == ["work.db", "work.db-backups"]
    assert migrate(old) == CURRENT and len(backups_of(old)) == 1, "only what changes is backed up"


async def test_the_backup_is_a_file_that_opens(old: Path, tmp_path: Path) -> None:
    migrate(old)
    again = tmp_path / "again" / "work.db"
    again.parent.mkdir()
    shutil.copy(backups_of(old)[0].path, again)
    assert migrate(again) == 1
    assert tables_of(again).keys() == tables_of(old).keys()


async def test_what_is_only_in_the_log_is_in_the_backup_too(old: Path) -> None:
    with closing(sqlite3.connect(old, isolation_level=None)) as theirs:
        theirs.execute("PRAGMA journal_mode = WAL")
        theirs.execute("PRAGMA wal_autocheckpoint = 0")
        theirs.execute("CREATE TABLE theirs (n)")
        theirs.execute("INSERT INTO theirs VALUES (7)")
        assert migrate(old) == 1
        assert rows(backups_of(old)[0].path, "SELECT n FROM theirs") == [(7,)]


async def test_two_backups_from_before_migrations_are_kept(old: Path) -> None:
    kept = []
    for _ in range(4):
        shutil.copy(FROZEN, old)
        migrate(old)
        kept.append(backups_of(old)[0].path)
    assert [each.path for each in backups_of(old)] == [kept[3], kept[2]]


async def test_a_file_that_is_damaged_inside_is_neither_migrated_nor_backed_up(old: Path) -> None:
    with closing(sqlite3.connect(old)) as theirs:
        theirs.execute("CREATE TABLE theirs (n)")
        theirs.executemany("INSERT INTO theirs VALUES (?)", [("x" * 2000,)] * 100)
        theirs.commit()
    with old.open("r+b") as file:
        file.seek(-20_000, os.SEEK_END)
        file.write(os.urandom(16_000))
    before = old.read_bytes()
    with pytest.raises(Damaged, match="there is no backup of it"):
        migrate(old)
    assert old.read_bytes() == before
    assert backups_of(old) == []


async def test_a_view_of_somebody_elses_does_not_keep_a_file_from_being_migrated(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("CREATE VIEW theirs AS SELECT id, state FROM stepfast_workflows")
        before = connection.execute("SELECT * FROM theirs").fetchall()
    migrate(old)
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("SELECT * FROM theirs").fetchall() == before


# --- at once --------------------------------------------------------------------------------------

AT_ONCE = """
import asyncio
from stepfast import Engine, Run, workflow
@workflow("quick")
async def quick(run: Run) -> str:
    return await run.step("work", lambda: "worked")
async def main(path, id):
    async with Engine.open(path, [quick]) as engine:
        say(await (await engine.start(quick(), id=id)).result())
say("ready")
wait()
asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("number", [2, 10])
async def test_of_several_programs_that_open_an_old_file_at_once_one_migrates_and_all_work(
    old: Path, child: Starter, number: int
) -> None:
    programs = [child(AT_ONCE, old, f"program-{each}") for each in range(number)]
    assert [hears(each) for each in programs] == ["ready"] * number
    for each in programs:
        tell(each)
    assert [hears(each) for each in programs] == ["worked"] * number
    assert [each.wait() for each in programs] == [0] * number
    assert rows(old, "SELECT version FROM stepfast_migrations") == [(each,) for each in range(1, CURRENT + 1)]
    assert len(backups_of(old)) == 1
    assert rows(old, "PRAGMA integrity_check") == [("ok",)]
    assert rows(old, "SELECT count(*) FROM stepfast_workflows WHERE id LIKE 'program-%'") == [(number,)]


async def test_who_comes_between_two_migrations_waits_for_whoever_is_at_them(old: Path) -> None:
    before = tables_of(old)
    second = threading.Thread(target=migrate, args=(old,))
    moments = count(MOMENT)

    def now() -> float:
        moment = next(moments)  # of each of the migrations, before it takes SQLite's lock
        if moment == MOMENT + 1:
            second.start()
            second.join(1.0)  # time enough to do all that is left, where nothing keeps it from that
        return moment

    opened, found = migrating.bring_up(old, now)
    second.join()
    opened.leave()
    assert found == 1
    migrations = rows(old, "SELECT version, applied_at FROM stepfast_migrations WHERE version > 1")
    assert migrations == [*zip(range(2, CURRENT + 1), count(MOMENT), strict=False)], (
        "all of them by the first"
    )
    (backup,) = backups_of(old)
    assert tables_of(backup.path) == before
    assert not owners_folder(old).exists(), "and no lock is left"


async def test_who_waits_in_vain_for_another_to_migrate_is_told(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrating, "PATIENCE", 0.3)
    with migrating_alone(old, 1.0) as alone:
        assert alone
        with pytest.raises(LockedOut, match="close it, or wait for it"):
            migrate(old)
    assert rows(old, "SELECT version FROM stepfast_meta") == [(1,)] and backups_of(old) == []
    assert migrate(old) == 1


# --- killed ---------------------------------------------------------------------------------------

# Forks for each moment, and has the child killed by its own hand before a line of ours is carried out: so
# between every two statements, and between every two steps of the backup.
KILLED = """
import shutil
from stepfast.sqlite.care import backups
from stepfast.sqlite.care import copying
from stepfast.sqlite.file import migrating
from stepfast.sqlite.file import opened
from stepfast.sqlite.file import opening
from stepfast.system import files
OURS = {each.__file__ for each in (backups, copying, files, migrating, opened, opening)}
HARMLESS = {"<genexpr>", "<listcomp>", "<setcomp>", "_linux_file_system", "_tables_of", "database_uri"}
frozen, folder = map(Path, sys.argv[1:])
def die_before_line(number, path):
    passed = 0
    def trace(frame, event, _):
        nonlocal passed
        if event == "call":
            code = frame.f_code
            return trace if code.co_filename in OURS and code.co_name not in HARMLESS else None
        if event == "line":
            passed += 1
            if passed == number:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace
    sys.settrace(trace)
    migrating.migrate(path)
    sys.settrace(None)
number, died = 0, True
while died:
    number += 1
    path = folder / str(number) / "work.db"
    path.parent.mkdir()
    shutil.copy(frozen, path)
    process = os.fork()
    if process == 0:
        die_before_line(number, path)
        os._exit(0)
    died = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL
say(number)
"""


def timeless(tables: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """The same, without the moments of the migrations."""
    migrations = [(version, program) for version, _, program in tables["stepfast_migrations"]]
    return {**tables, "stepfast_migrations": migrations}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a child that it forks")
@pytest.mark.campaign
async def test_killed_at_any_point_of_a_migration_the_file_is_as_before_or_as_after(
    tmp_path: Path, child: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tables_of(FROZEN)
    whole, after = Path(shutil.copy(FROZEN, tmp_path / "whole.db")), {1: before}
    for version in range(2, CURRENT + 1):
        with monkeypatch.context() as patch:
            patch.setattr(migrating, "CURRENT", version)
            migrate(whole)
        after[version] = tables_of(whole)
    moments = int(hears(child(KILLED, FROZEN, tmp_path)))
    assert moments > 150
    found = set()
    for number in range(1, moments):
        path = tmp_path / str(number) / "work.db"
        version = rows(path, "SELECT version FROM stepfast_meta")[0][0]
        there = tables_of(path)
        assert timeless(there) == timeless(after[version]), number
        for backup in backups_of(path):
            assert tables_of(backup.path) == before, number
        if version > 1:
            assert len(backups_of(path)) == 1, number
        assert migrate(path) == version, number
        assert rows(path, "PRAGMA integrity_check") == [("ok",)], number
        found.add(version)
    assert found == {*range(1, CURRENT + 1)}, "killed before each commit, and after the last"


# --- newer ----------------------------------------------------------------------------------------


async def test_a_newer_file_is_refused_and_nothing_is_made_beside_it(tmp_path: Path, child: Starter) -> None:
    path = tmp_path / "work.db"
    await (await connect(path)).close()
    newer = child("of_the_future(); say(migrating.migrate(Path(sys.argv[1])))", path)
    assert hears(newer) == str(CURRENT) and newer.wait() == 0
    before = content(path)
    assert list(before) == ["work.db"]
    for _ in range(2):
        with pytest.raises(Newer, match=f"schema {CURRENT + 1}.*use the newer version"):
            await connect(path)
        assert content(path) == before
    assert not path.with_name("work.db-owners").exists()


@workflow("noted")
async def noted(run: Run) -> str:
    return await run.step("only", lambda: "done")


async def test_a_file_that_a_newer_program_migrates_while_an_older_one_waits_to_do_so_is_refused(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was old when it was looked at, and is newer when its turn comes."""
    waits = threading.Event()
    take_lock = migrating._take_lock

    def take_it(path: Path, connection: sqlite3.Connection) -> None:
        waits.set()
        take_lock(path, connection)

    monkeypatch.setattr(migrating, "_take_lock", take_it)
    with closing(sqlite3.connect(old, isolation_level=None)) as newer:
        newer.execute("PRAGMA journal_mode = WAL")
        newer.execute("BEGIN IMMEDIATE")
        newer.execute("UPDATE stepfast_meta SET version = ?", (CURRENT + 1,))
        waiting = asyncio.create_task(asyncio.to_thread(migrate, old))
        assert await asyncio.to_thread(waits.wait, 60)
        newer.execute("COMMIT")
        with pytest.raises(Newer, match="nothing was written"):
            await waiting
    assert rows(old, "SELECT version FROM stepfast_meta") == [(CURRENT + 1,)]
    assert rows(old, "SELECT version FROM stepfast_migrations") == [(1,)]
    assert backups_of(old) == []


@contextmanager
def overtaken(path: Path, child: Starter) -> Iterator[Callable[[], dict[str, list[Any]]]]:
    """A program of the future migrates the file now, under whoever has it open; gives what looks into it."""
    newer = child("of_the_future(); say(migrating.migrate(Path(sys.argv[1]))); wait()", path)
    assert hears(newer) == str(CURRENT)
    yield lambda: tables_of(path)
    tell(newer)
    assert newer.wait() == 0


async def test_an_older_program_writes_nothing_more_once_a_newer_one_has_migrated(
    tmp_path: Path, child: Starter
) -> None:
    path = tmp_path / "work.db"
    durable = await connect(path)
    offered = [Offered("job", 1, forgets=True)]
    await durable.offer(offered)
    for id in ("alone", "noted", "transacted", "settled", "released", "finished", "other"):
        await durable.start(id, "job", 1, "null")
    begun = {each.claim.id: each for each in await durable.begin(offered, 100)}
    claims = {id: each.claim for id, each in begun.items()}
    finished = begun["finished"]
    await durable.settle(finished.claim, finished.receipt, Settlement("completed", result="1"))
    await durable.start("waiting", "job", 1, "null")

    def record(name: str) -> NewRecord:
        return NewRecord(Kind.STEP, name, "1", MOMENT)

    def forget(transaction: Any, id: str) -> None:
        raise AssertionError("nobody asked for this to be done")

    checkpointer, scheduler = durable.checkpointer, durable.scheduler
    notes = Notes("second", Progress(1, 2, ""), log=((MOMENT, "info", None, "hello"),))
    writes: dict[str, Callable[[], Any]] = {
        "start": lambda: durable.start("new", "job", 1, "null"),
        "record, alone": lambda: checkpointer.record(claims["alone"], record("first")),
        "record, with notes": lambda: checkpointer.record(claims["noted"], record("first"), notes),
        "note": lambda: checkpointer.note(claims["noted"], notes),
        "transact": lambda: checkpointer.transact(claims["transacted"], "first", lambda _: "1", MOMENT),
        "settle": lambda: durable.settle(claims["settled"], 0, Settlement("completed", result="1")),
        "release": lambda: checkpointer.release(claims["released"]),
        "claim": lambda: checkpointer.claim("waiting"),
        "begin": lambda: durable.begin(offered, 10),
        "take": lambda: scheduler.take(offered, 10),
        "wake": lambda: scheduler.wake("waiting"),
        "arrive": lambda: durable.arrive("waiting", "who", '"Ada"'),
        "deliver": lambda: durable.deliver("waiting", "1"),
        "pause": lambda: durable.pause("waiting"),
        "cancel": lambda: durable.cancel("waiting"),
        "resume": lambda: durable.resume("waiting"),
        "retry": lambda: durable.retry("finished"),
        "remove": lambda: durable.remove(["finished"]),
        "restore": lambda: durable.restore(["finished"]),
        "delete": lambda: durable.delete("finished"),
        "delete, with forget": lambda: durable.delete("finished", forget),
        "sweep": lambda: durable.sweep(Retention(keep=0), {("job", 1): forget}),
        "offer": lambda: durable.offer(offered),
        "beat": durable.beat,
        "backup": lambda: durable.backup(tmp_path / "copy.db"),
    }
    with overtaken(path, child) as look:
        before = look()
        for again in (1, 2):
            for name, write in writes.items():
                with pytest.raises(Newer, match="newer"):
                    pytest.fail(f"{name} did {await write()} (round {again})")
                assert look() == before, name
        (condition,) = durable.health.conditions
        assert (condition.kind, condition.stops_work) == ("newer", True)
        assert "restart with the newer version" in condition.message
        assert not (tmp_path / "copy.db").exists()
        await durable.close()
        assert look() == before, "nor at the end"


async def test_an_older_program_reads_nothing_more_either(tmp_path: Path, child: Starter) -> None:
    path = tmp_path / "work.db"
    durable = await connect(path)
    await durable.start("w", "job", 1, "null")
    claim = await durable.checkpointer.claim("w")
    assert claim is not None
    catalogue = durable.catalogue
    with overtaken(path, child):
        # These name a column that is gone, so they notice at once.
        for read in (catalogue.list, lambda: catalogue.get("w"), lambda: catalogue.changes(0)):
            with pytest.raises(Newer, match="restart with the newer version"):
                await read()
        assert [each.kind for each in durable.health.conditions] == ["newer"]
        # Of these each column is there, and what it means may be something else: they look once a second.
        for look in (catalogue.counts, lambda: durable.checkpointer.load(claim.workflow)):
            durable._store.readers._checked_at -= 2
            with pytest.raises(Newer):
                await look()
        durable._store.readers._checked_at -= 2
        with pytest.raises(Newer):
            await durable.checkpointer.query(lambda transaction: transaction.execute("SELECT 1").fetchall())
        await durable.close()


async def test_a_worker_that_is_overtaken_stops_and_the_newer_program_has_what_it_did(
    tmp_path: Path, child: Starter
) -> None:
    path = tmp_path / "work.db"
    done: list[str] = []

    @workflow("slow")
    async def slow(run: Run) -> str:
        await run.step("before", lambda: done.append("before"))
        await run.awaiting("go")
        return await run.step("after", lambda: done.append("after") or "never")

    async with Engine.open(path, [slow]) as engine:
        handle = await engine.start(slow(), id="w")
        await engine.until_idle()
        with overtaken(path, child) as look:
            before = look()
            with pytest.raises(Newer):
                await engine.arrive("w", "go", None)
            with pytest.raises(Newer):
                await handle.summary()
            assert engine.health.stops_work
            assert done == ["before"] and look() == before
    assert rows(path, "SELECT state FROM stepfast_workflows") == [("waiting",)]
