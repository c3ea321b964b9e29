"""Copying the write-ahead log: what the two locks exclude, and what is copied beside commits."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from stepfast.sqlite.engines.owners import owners_folder
from stepfast.sqlite.file.opening import make_file, writing_connection
from stepfast.sqlite.log.checkpoints import FEW_PAGES, LOCK_FILE, Checkpoints, Copied, Engines, NotNow
from stepfast.sqlite.reading.snapshots import waiting_file
from stepfast.system.locks import FileLock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "work.db"


@pytest.fixture
def writer(path: Path) -> Iterator[sqlite3.Connection]:
    make_file(path)
    with closing(writing_connection(path)) as connection:
        connection.execute("CREATE TABLE mine (n INTEGER PRIMARY KEY, text TEXT)")
        yield connection


@pytest.fixture
def checkpoints(path: Path, writer: sqlite3.Connection) -> Iterator[Checkpoints]:
    made = Checkpoints(path, lambda: writing_connection(path))
    yield made
    made.close()


def commit(connection: sqlite3.Connection, times: int = 1) -> None:
    for _ in range(times):
        connection.execute("INSERT INTO mine (text) VALUES (?)", ("x" * 3000,))


def rows(connection: sqlite3.Connection) -> int:
    ((count,),) = connection.execute("SELECT count(*) FROM mine")
    return int(count)


def log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def generation(path: Path) -> bytes:
    """The salts of the log's header: others whenever it is started anew (sqlite.org/fileformat.html)."""
    return log_of(path).read_bytes()[16:24]


def passive(path: Path) -> tuple[int, int, int]:
    """A checkpoint of somebody who takes no lock of ours."""
    with closing(writing_connection(path)) as connection:
        found: tuple[int, int, int] = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        return found


def is_locked(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return True
    connection.execute("ROLLBACK")
    return False


# --- the two locks --------------------------------------------------------------------------------


def test_while_there_is_a_guard_nobody_starts_the_log_anew(
    path: Path, writer: sqlite3.Connection, checkpoints: Checkpoints
) -> None:
    commit(writer, 50)
    before = generation(path)
    with checkpoints._guarded():
        busy, pages, copied = passive(path)
        assert not busy and pages == copied > 50, "all was copied, and the next commit could"
        commit(writer, 100)
        with closing(writing_connection(path)) as other:
            other.execute("PRAGMA busy_timeout = 0")
            assert other.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()[0] == 1
            assert other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 1
        assert generation(path) == before
    passive(path)
    commit(writer)
    assert generation(path) != before


def test_a_guard_of_a_log_that_is_all_copied_keeps_everybody_from_copying(
    path: Path, writer: sqlite3.Connection, checkpoints: Checkpoints
) -> None:
    commit(writer, 50)
    assert checkpoints.rest().all
    before = generation(path)
    with checkpoints._guarded():
        commit(writer, 2)
        assert generation(path) != before, "the log was started anew, so a checkpoint might mistake it"
        busy, pages, copied = passive(path)
        assert (busy, copied) == (0, 0) and pages > 0, "and would have noted so here"
    assert checkpoints.rest().all


def test_what_is_left_over_is_copied_while_nobody_can_write(
    path: Path, writer: sqlite3.Connection, checkpoints: Checkpoints
) -> None:
    commit(writer, 50)
    refused = 0

    def during(statement: str) -> None:
        nonlocal refused
        if "wal_checkpoint" in statement:
            writer.execute("PRAGMA busy_timeout = 0")
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                commit(writer)
            refused += 1

    checkpoints._connections()[1].set_trace_callback(during)
    assert checkpoints.rest().all
    assert refused == 1
    commit(writer)


def test_somebody_who_writes_is_not_waited_for_long(
    path: Path, writer: sqlite3.Connection, checkpoints: Checkpoints
) -> None:
    commit(writer, 50)
    writer.execute("BEGIN IMMEDIATE")
    with pytest.raises(NotNow):
        checkpoints.rest()
    # Beside him, what was committed is copied all the same.
    assert checkpoints.most().all
    writer.execute("ROLLBACK")
    assert checkpoints.rest().all


def test_somebody_who_copies_is_not_waited_for(
    path: Path, writer: sqlite3.Connection, checkpoints: Checkpoints
) -> None:
    commit(writer, 50)
    # RESTART waits for readers, and keeps everybody from copying, and from writing, while it does.
    with closing(writing_connection(path)) as other, closing(writing_connection(path)) as reader:
        assert rows(other) == 50
        reader.execute("BEGIN")
        assert rows(reader) == 50
        restart = threading.Thread(target=lambda: other.execute("PRAGMA wal_checkpoint(RESTART)").fetchone())
        restart.start()
        writer.execute("PRAGMA busy_timeout = 0")
        while not is_locked(writer):
            pass
        for copy in (checkpoints.most, checkpoints.rest, checkpoints.cut):
            with pytest.raises(NotNow):
                copy()
        reader.execute("ROLLBACK")
        restart.join()
    assert checkpoints.rest().all


# --- beside commits -------------------------------------------------------------------------------


def test_commits_go_on_while_most_is_copied_and_few_pages_are_left_over(
    path: Path, writer: sqlite3.Connection, checkpoints: Checkpoints
) -> None:
    commit(writer, 500)
    during = 0

    def meanwhile(statement: str) -> None:
        nonlocal during
        if "wal_checkpoint" in statement:
            before = rows(writer)
            commit(writer, 10 if during == 0 else 1)
            during += rows(writer) - before

    checkpoints._connections()[1].set_trace_callback(meanwhile)
    most = checkpoints.most()
    checkpoints._connections()[1].set_trace_callback(None)
    assert during > 10
    rest = checkpoints.rest()
    assert rest.all and 0 <= rest.pages - most.copied <= FEW_PAGES
    assert rows(writer) == 500 + during


def test_a_log_that_was_started_anew_meanwhile_was_all_copied_and_is_not_taken_for_a_short_one(
    writer: sqlite3.Connection, checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(writer, 50)
    monkeypatch.setattr(checkpoints, "_sync", lambda: commit(writer))  # between two rounds
    most = checkpoints.most()
    assert most.anew and most.pages == most.copied >= 50
    # From one call to the next, too.
    monkeypatch.setattr(checkpoints, "_sync", lambda: None)
    commit(writer, 50)
    before = checkpoints.most()
    commit(writer)
    assert checkpoints.most(before) == Copied(before.pages, before.pages, anew=True)


def test_what_is_copied_is_synced_on_sqlites_own_descriptor(
    path: Path, writer: sqlite3.Connection, checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = []

    def sync(descriptor: int) -> None:
        synced.append(os.fstat(descriptor))

    monkeypatch.setattr(os, "fdatasync", sync, raising=False)
    monkeypatch.setattr(os, "fsync", sync)
    open_before = set(os.listdir("/dev/fd")) if os.path.isdir("/dev/fd") else set()
    commit(writer, 50)
    checkpoints.most()
    assert synced and all(os.path.samestat(each, os.stat(path)) for each in synced)
    # Two connections, each with the file, the log and one index of it between them: nothing else was opened.
    assert not open_before or len(set(os.listdir("/dev/fd")) - open_before) <= 5
    # Locks of this process are still there: another process cannot write over a transaction of ours.
    writer.execute("BEGIN IMMEDIATE")
    with closing(sqlite3.connect(path, timeout=0)) as other, pytest.raises(sqlite3.OperationalError):
        other.execute("BEGIN IMMEDIATE")
    writer.execute("ROLLBACK")


def test_a_file_that_was_replaced_is_not_synced_for_it(
    path: Path, writer: sqlite3.Connection, checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(writer, 50)
    checkpoints.most()
    path.rename(path.with_name("moved.db"))
    path.write_bytes(b"another")
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", synced.append, raising=False)
    commit(writer, 50)
    checkpoints.most()
    assert synced == []


# --- an old reader --------------------------------------------------------------------------------


@pytest.mark.parametrize("all_copied", [False, True])
def test_an_old_reader_is_not_waited_for(
    path: Path, writer: sqlite3.Connection, checkpoints: Checkpoints, all_copied: bool
) -> None:
    commit(writer, 50)
    if all_copied:
        assert checkpoints.rest().all
    with closing(writing_connection(path)) as reader:
        reader.execute("BEGIN")
        assert rows(reader) == 50
        commit(writer, 50)
        most, rest, cut = checkpoints.most(), checkpoints.rest(), checkpoints.cut()
        assert most.copied == rest.copied == cut.copied and not rest.all
        assert rows(reader) == 50
        reader.execute("ROLLBACK")
    assert checkpoints.rest().all


def test_a_log_is_cut_only_where_nobody_reads_it(
    path: Path, writer: sqlite3.Connection, checkpoints: Checkpoints
) -> None:
    commit(writer, 50)
    size = log_of(path).stat().st_size
    with closing(writing_connection(path)) as reader:
        reader.execute("BEGIN")
        assert rows(reader) == 50
        assert checkpoints.rest().all
        assert checkpoints.cut().pages > 0
        assert log_of(path).stat().st_size == size
        assert rows(reader) == 50
        reader.execute("ROLLBACK")
        # One who began after all was copied reads the file alone.
        reader.execute("BEGIN")
        assert rows(reader) == 50
        assert checkpoints.cut() == Copied(0, 0)
        assert log_of(path).stat().st_size == 0
        commit(writer)
        assert rows(reader) == 50
        reader.execute("ROLLBACK")
        assert rows(reader) == 51


def test_a_log_is_not_cut_while_somebody_writes(
    path: Path, writer: sqlite3.Connection, checkpoints: Checkpoints
) -> None:
    commit(writer, 50)
    assert checkpoints.rest().all
    writer.execute("BEGIN IMMEDIATE")
    commit(writer)
    assert checkpoints.cut().pages > 0
    writer.execute("COMMIT")
    assert rows(writer) == 51


# --- one engine at a time -------------------------------------------------------------------------


def test_engines_copy_one_at_a_time_unless_one_takes_too_long(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Engines(path), Engines(path)
    with first.one() as mine:
        assert mine
        with second.one() as theirs:
            assert not theirs
    with second.one() as theirs:
        assert theirs
        with first.one() as mine:
            assert not mine
        monkeypatch.setattr("stepfast.sqlite.log.checkpoints.PATIENCE", 0)
        with first.one() as mine:
            assert mine


def test_the_last_engine_leaves_nothing_behind(path: Path) -> None:
    first, second = Engines(path), Engines(path)
    folder = owners_folder(path)
    with first.one():
        waiting_file(path).touch()  # of one that was killed
        with second.one(last=True):
            pass
        assert folder.is_dir()
    with first.one(last=True):
        pass
    assert not folder.exists()


def test_what_one_that_was_killed_has_left_is_taken_away_by_whoever_has_copied_nothing(path: Path) -> None:
    mine, other = Engines(path), Engines(path)
    folder = owners_folder(path)
    mine.tidy()
    assert not folder.exists(), "nothing is made where there is nothing"
    with other.one():
        waiting_file(path).touch()
        mine.tidy()
        assert len([*folder.iterdir()]) == 2, "one that lives is let be"
    mine.tidy()
    assert not folder.exists()


def test_a_folder_that_cannot_be_made_keeps_nobody_from_copying(path: Path) -> None:
    owners_folder(path).write_text("a file in its place")
    with Engines(path).one(last=True) as mine:
        assert mine
    assert owners_folder(path).read_text() == "a file in its place"


def test_a_lock_that_is_left_by_a_dead_engine_is_free(path: Path) -> None:
    folder = owners_folder(path)
    folder.mkdir()
    lock = FileLock.acquire(folder / LOCK_FILE)
    assert lock is not None
    lock.release()
    with Engines(path).one() as mine:
        assert mine
