"""Whether the log beside a file is the one that was opened, where connections come and go meanwhile."""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepfast.sqlite.file.opening import writing_connection
from stepfast.sqlite.file.place import LogGone, Place

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows tells by other numbers")


class Kept:
    """Files that are held open: no file that is made later has their numbers."""

    def __init__(self) -> None:
        self._held: list[int] = []

    def keep(self, path: Path) -> None:
        self._held.append(os.open(f"{path}-wal", os.O_RDONLY))

    def end(self) -> None:
        for each in self._held:
            os.close(each)


@pytest.fixture
def kept() -> Iterator[Kept]:
    made = Kept()
    yield made
    made.end()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "work.db"
    path.touch()
    return path


def wrote(path: Path) -> sqlite3.Connection:
    """A connection that has written something, so that there is a log."""
    connection = writing_connection(path)
    connection.execute("CREATE TABLE IF NOT EXISTS mine (n)")
    connection.execute("INSERT INTO mine VALUES (1)")
    return connection


def test_a_look_beside_the_closing_of_the_last_connection_learns_no_log_that_goes(
    path: Path, kept: Kept
) -> None:
    """A reader looked while the writer closed what a disk had spoilt: nothing was written any more."""
    place = Place(path)
    connection = wrote(path)
    place.look()
    kept.keep(path)
    looking = threading.Thread(target=place.look)
    with place.closing():
        looking.start()
        looking.join(0.2)  # it would have learned by then
        connection.close()
    looking.join()
    assert not Path(f"{path}-wal").exists()
    another = wrote(path)
    place.opened()
    place.look()
    another.close()


def test_a_log_that_another_process_takes_away_is_missed_by_nobody_who_has_it_not_open(
    path: Path, kept: Kept
) -> None:
    place = Place(path)
    connection, others = wrote(path), wrote(path)
    place.look()
    kept.keep(path)
    with place.closing():
        connection.close()
    place.look()
    others.close()
    assert not Path(f"{path}-wal").exists()
    place.look()
    another = wrote(path)
    place.opened()
    place.look()
    another.close()


def test_one_that_goes_while_it_is_in_use_is_missed(path: Path) -> None:
    place = Place(path)
    for _ in range(2):
        connection = wrote(path)
        place.opened()
        place.look()
        Path(f"{path}-wal").rename(f"{path}-wal-away")
        with pytest.raises(LogGone):
            place.look()
        Path(f"{path}-wal-away").rename(f"{path}-wal")
        place.look()
        with place.closing():
            connection.close()
