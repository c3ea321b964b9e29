"""Making and opening the file: places, permissions, versions, and programs that come at once."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine, Newer, Run, StoreError, connect, migrate, workflow
from stepfast.errors import LockedOut, NotOurs, SqliteTooOld
from stepfast.sqlite.file import opening
from stepfast.sqlite.file.opening import FLOOR, check_sqlite, make_file, writing_connection
from stepfast.sqlite.file.place import Place
from stepfast.testing import VirtualClock

pytestmark = pytest.mark.usefixtures("quiet_loop")


@workflow("quick")
async def quick(run: Run) -> str:
    return await run.step("work", lambda: "worked")


def dump(path: Path) -> dict[str, bytes]:
    """The file and what lies beside it, read by another process: closing it here would drop our locks."""
    code = "import sys,pathlib; sys.stdout.buffer.write(pathlib.Path(sys.argv[1]).read_bytes())"
    return {
        each.name: subprocess.run([sys.executable, "-c", code, each], capture_output=True, check=True).stdout
        for each in path.parent.iterdir()
        if each.is_file()
    }


async def use(path: Path | str) -> None:
    async with Engine.open(path, [quick]) as engine:
        async with asyncio.timeout(60):
            assert await (await engine.start(quick(), id="w")).result() == "worked"


def test_a_sqlite_that_is_too_old_is_named_with_what_is_needed() -> None:
    check_sqlite(FLOOR)
    with pytest.raises(SqliteTooOld, match=r"3\.37\.0.*3\.36\.9"):
        check_sqlite((3, 36, 9))


# --- places ---------------------------------------------------------------------------------------

ODD = [
    "with space.db",
    "100%.db",
    "a?mode=memory.db",
    "a#b.db",
    "%41.db",
    "ünï-日本.db",
    "'quote\".db",
    "a&b=c;d.db",
]


@pytest.mark.parametrize("name", ODD)
async def test_odd_names_are_names(tmp_path: Path, name: str) -> None:
    await use(tmp_path / name)
    assert (tmp_path / name).stat().st_size > 4096


async def test_a_name_that_is_no_unicode_is_a_name(tmp_path: Path) -> None:
    await use(tmp_path / os.fsdecode(b"caf\xe9.db"))


async def test_a_path_with_two_slashes_is_a_path(tmp_path: Path) -> None:
    await use(f"/{tmp_path}/work.db")


async def test_a_relative_path_stays_where_it_was_when_the_program_goes_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    async with Engine.open("work.db", [quick]) as engine:
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert await (await engine.start(quick())).result() == "worked"
        await engine.counts()
    assert list((tmp_path / "elsewhere").iterdir()) == []


async def test_a_folder_is_refused_with_a_path_that_would_do(tmp_path: Path) -> None:
    with pytest.raises(NotOurs, match=r"stepfast\.db"):
        await connect(tmp_path)


@pytest.mark.parametrize(
    "content",
    [b"no", b"hello, world\n" * 1000, b"SQLite format 3\0" + b"\xff" * 5000],
    ids=["brief", "text", "torn"],
)
async def test_what_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "thesis.odt"
    path.write_bytes(content)
    with pytest.raises(StoreError):
        await connect(path)
    assert dump(path) == {"thesis.odt": content}


@pytest.mark.parametrize("kind", ["dangling link", "pipe", "file as a folder"])
async def test_a_place_where_no_file_can_be_is_an_error_that_says_so(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "work.db"
    match kind:
        case "dangling link":
            path.symlink_to(tmp_path / "no" / "where")
        case "pipe":
            os.mkfifo(path)
        case _:
            path.write_text("")
            path = path / "work.db"
    with pytest.raises(StoreError):
        async with asyncio.timeout(60):
            await connect(path)


async def test_an_empty_file_is_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "work.db").touch()
    await use(tmp_path / "work.db")


# --- permissions ----------------------------------------------------------------------------------


async def test_the_folder_is_for_its_user_alone_and_so_is_every_file(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        folder = tmp_path / "new"
        async with Engine.open(folder / "work.db", [quick]) as engine:
            await (await engine.start(quick())).result()
            modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()}
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    finally:
        os.umask(before)
    assert {name: mode for name, mode in modes.items() if mode not in (0o600, 0o700)} == {}
    assert len(modes) >= 4


READ_ONLY = """
import asyncio, os, sys
from stepfast import StoreError, connect
async def main():
    try:
        await connect(sys.argv[1])
    except StoreError as error:
        print(type(error).__name__, error)
async def warm_up():  # imports what nobody may not read any more
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        await (await connect(folder + "/x.db")).close()
asyncio.run(warm_up())
os.setgid(65534); os.setuid(65534)
asyncio.run(main())
"""


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs root, to become nobody")
@pytest.mark.parametrize("there", [False, True])
async def test_a_folder_that_cannot_be_written_is_an_error_that_says_what_to_do(
    tmp_path: Path, there: bool
) -> None:
    folder = tmp_path / "locked"
    if there:
        await use(folder / "work.db")
        (folder / "work.db").chmod(0o644)
    else:
        folder.mkdir()
    folder.chmod(0o755)
    for each in (tmp_path, *tmp_path.parents):
        if each != Path("/") and str(each).startswith("/tmp/"):
            each.chmod(each.stat().st_mode | 0o055)
    child = [sys.executable, "-c", READ_ONLY, folder / "work.db"]
    done = subprocess.run(child, capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.startswith("ReadOnly")
    assert "permission" in done.stdout


# --- versions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("auto_vacuum", [0, 1, 2])
async def test_a_newer_file_is_refused_and_not_a_byte_of_it_is_changed(
    tmp_path: Path, auto_vacuum: int
) -> None:
    path = tmp_path / "work.db"
    await use(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as newer:
        newer.execute(f"PRAGMA auto_vacuum = {auto_vacuum}")
        newer.execute("PRAGMA journal_mode = DELETE")
        newer.execute("VACUUM")
        newer.execute("PRAGMA journal_mode = WAL")
        newer.execute("UPDATE stepfast_meta SET version = 99")
    before = dump(path)["work.db"]
    for _ in range(2):
        with pytest.raises(Newer, match="99"):
            await connect(path)
    after = dump(path)
    assert after["work.db"] == before and after.get("work.db-wal", b"") == b""


async def test_a_file_with_tables_of_its_own_keeps_them_and_its_user_version(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    with closing(sqlite3.connect(path)) as theirs:
        theirs.execute("PRAGMA user_version = 41")
        theirs.execute("PRAGMA application_id = 77")
        theirs.execute("CREATE TABLE theirs (n)")
        theirs.execute("INSERT INTO theirs VALUES (7)")
        theirs.commit()
    await use(path)
    with closing(sqlite3.connect(path)) as theirs:
        assert theirs.execute("PRAGMA user_version").fetchone() == (41,)
        assert theirs.execute("PRAGMA application_id").fetchone() == (77,)
        assert theirs.execute("SELECT n FROM theirs").fetchall() == [(7,)]


async def test_a_file_can_be_opened_while_another_program_writes_to_it(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    await use(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as foreign:
        foreign.execute("BEGIN IMMEDIATE")
        durable = await connect(path, clock=VirtualClock())
        assert (await durable.catalogue.counts())["completed"] == 1
        foreign.execute("ROLLBACK")
        await durable.close()


@pytest.mark.parametrize("pages", [0, 2], ids=["empty", "with tables"])
async def test_a_file_that_somebody_has_for_himself_is_waited_for_longer_than_a_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: int
) -> None:
    """As one that just makes it has it, on a disk that takes its time; or one that has no log yet."""
    path = tmp_path / "work.db"
    make_file(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        if pages:
            other.execute("CREATE TABLE theirs (n)")
        other.execute("BEGIN EXCLUSIVE")
        monkeypatch.setattr(opening, "ROUND_MILLISECONDS", 1)
        with monkeypatch.context() as impatient:
            impatient.setattr(opening, "BUSY_MILLISECONDS", 0)
            with pytest.raises(LockedOut):
                writing_connection(path)
        rounds: list[float] = []

        def pause(seconds: float) -> None:
            rounds.append(seconds)
            if len(rounds) == 3:
                other.execute("ROLLBACK")

        monkeypatch.setattr(opening.time, "sleep", pause)
        writing_connection(path).close()
        assert len(rounds) >= 3


# --- at once --------------------------------------------------------------------------------------

AT_ONCE = """
import asyncio, sys
from stepfast import Engine, Run, workflow
from stepfast.sqlite.file import opening

opening.BUSY_MILLISECONDS = 60_000  # a disk may be as slow as it likes

@workflow("quick")
async def quick(run: Run) -> str:
    return await run.step("work", lambda: "worked")

async def main(id, *paths):
    for path in paths:
        print("ready", flush=True)
        sys.stdin.readline()
        async with Engine.open(path, [quick]) as engine:
            print(await (await engine.start(quick(), id=id)).result(), flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


def says(program: subprocess.Popen[str]) -> str:
    """Its next line; where it has ended, what it said of that."""
    assert program.stdout is not None and program.stderr is not None
    return program.stdout.readline() or program.stderr.read()


async def test_two_programs_that_make_the_file_at_once_both_work(tmp_path: Path) -> None:
    paths = [tmp_path / str(number) / "work.db" for number in range(20)]
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", AT_ONCE, id, *paths],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for id in ("a", "b")
    ]
    for _ in paths:
        for each in programs:
            assert says(each) == "ready\n"
        for each in programs:
            assert each.stdin is not None
            each.stdin.write("\n")
            each.stdin.flush()
        for each in programs:
            assert says(each) == "worked\n"
    for each in programs:
        out, err = each.communicate(timeout=60)
        assert (out, each.returncode) == ("", 0), err
    for path in paths:
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA auto_vacuum").fetchone() == (2,)
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert connection.execute("SELECT state, n FROM stepfast_counts WHERE n").fetchall() == [
                ("completed", 2)
            ]


async def test_many_engines_that_make_the_file_at_once_in_one_process_all_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "BUSY_MILLISECONDS", 60_000)  # a disk may be as slow as it likes
    for number in range(5):
        stores = await asyncio.gather(*(connect(tmp_path / f"{number}.db") for _ in range(8)))
        await asyncio.gather(*(each.start(f"w{n}", "job", 1, "null") for n, each in enumerate(stores)))
        assert (await stores[0].catalogue.counts())["queued"] == 8
        await asyncio.gather(*(each.close() for each in stores))


# --- the end --------------------------------------------------------------------------------------


def threads() -> set[threading.Thread]:
    return {each for each in threading.enumerate() if each.name.startswith("stepfast")}


def left_over(before: set[threading.Thread]) -> list[str]:
    """The threads of ours that are there since, and do not end by themselves."""
    end = time.monotonic() + 60
    while (left := threads() - before) and time.monotonic() < end:
        for each in left:  # and again, since one that ends may have made another
            with suppress(RuntimeError):  # it is listed while it is being started, and cannot be joined yet
                each.join(1)
    return [each.name for each in left]


async def test_two_hundred_engines_leave_no_thread_no_file_and_no_task(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    await use(path)
    before, files, tasks = threads(), len(os.listdir("/proc/self/fd")), len(asyncio.all_tasks())
    for number in range(200):
        async with Engine.open(path, [quick]) as engine:
            if number % 10 == 0:
                await (await engine.start(quick())).result()
    assert await asyncio.to_thread(left_over, before) == []
    assert len(os.listdir("/proc/self/fd")) <= files + 3
    assert len(asyncio.all_tasks()) == tasks
    assert sorted(each.name for each in tmp_path.iterdir()) == ["work.db"]


async def test_an_opening_that_is_cancelled_leaves_nothing_open(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    await use(path)
    before = threads()
    for turns in range(5):
        opening = asyncio.ensure_future(connect(path))
        for _ in range(turns):
            await asyncio.sleep(0)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
    assert await asyncio.to_thread(left_over, before) == []


async def test_every_call_on_a_closed_store_says_that_it_is_closed(tmp_path: Path) -> None:
    durable = await connect(tmp_path / "work.db")
    await durable.start("w", "job", 1, "null")
    claim = await durable.checkpointer.claim("w")
    assert claim is not None
    await durable.close()
    await durable.close()
    calls: dict[str, Any] = {
        "start": lambda: durable.start("v", "job", 1, "null"),
        "begin": lambda: durable.begin([], 1),
        "look": durable.look,
        "takeover": durable.takeover,
        "poll": durable.poll,
        "arrive": lambda: durable.arrive("w", "a", "1"),
        "list": durable.catalogue.list,
        "load": lambda: durable.checkpointer.load(claim.workflow),
        "query": lambda: durable.checkpointer.query(lambda _: None),
        "transact": lambda: durable.checkpointer.transact(claim, "x", lambda _: "1", 0.0),
    }
    for name, call in calls.items():
        try:
            await call()
        except StoreError:
            continue
        pytest.fail(f"{name} did not say so")


def test_a_log_that_its_last_user_takes_away_while_one_opens_is_not_missed(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    migrate(path)
    place = Place(path)
    first = writing_connection(path)
    os.link(path.with_name("work.db-wal"), tmp_path / "so that the next one cannot be the same inode")

    def open_after_the_first_has_gone(path: Path) -> sqlite3.Connection:
        first.close()  # the last one: SQLite deletes the log
        return writing_connection(path)

    with closing(place.connect(open_after_the_first_has_gone, writing=True)):
        place.look()
        path.with_name("work.db-wal").unlink()
        with pytest.raises(StoreError, match="was deleted or replaced while it was open"):
            place.look()
