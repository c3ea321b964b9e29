"""The tables of each schema: what they refuse, and that a migration stays as it was released."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from stepfast import migrate
from stepfast.sqlite.schema import CURRENT, FUNCTIONS, MIGRATIONS
from stepfast.state import FINISHED, STATES

pytestmark = pytest.mark.usefixtures("quiet_loop")

DATA = Path(__file__).parents[1] / "data"

ROW = """
INSERT INTO stepfast_workflows (id, name, version, place, receipt, created_at, change, owner, state, token,
                                finished_at, intent)
VALUES ('new', 'w', 1, 1, 1, 0.0, 1, :owner, :state, :token, :finished_at, :intent)
"""


@pytest.mark.parametrize("version", range(1, CURRENT + 1))
async def test_a_row_that_can_not_be_is_refused(version: int, tmp_path: Path) -> None:
    path = Path(shutil.copy(DATA / f"schema-{version}.db", tmp_path / "work.db"))
    migrate(path)
    taken: list[tuple[object, ...]] = []
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        states = [*STATES, "unheard of"]
        choices = ([None, 7], states, [None, 8], [None, 9.0], [None, "pause", "cancel", "unheard of"])
        for values in itertools.product(*choices):
            names = ("owner", "state", "token", "finished_at", "intent")
            connection.execute("BEGIN")
            with suppress(sqlite3.IntegrityError):
                connection.execute(ROW, dict(zip(names, values, strict=True)))
                taken.append(values)
            connection.execute("ROLLBACK")
    claims = {True: [(7, 8)], False: [(None, None), (7, None)]}
    assert set(taken) == {
        (owner, state, token, 9.0 if state in FINISHED else None, intent)
        for state in STATES
        for owner, token in claims[state == "running"]
        for intent in (None, "pause", "cancel")
    }


@pytest.mark.parametrize("version", range(1, CURRENT + 1))
def test_a_migration_is_never_edited_once_it_is_released(version: int) -> None:
    """The frozen file has what the migrations make, word for word."""
    schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
    path = DATA / f"schema-{version}.db"
    with (
        closing(sqlite3.connect(":memory:", isolation_level=None)) as made,
        closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as frozen,
    ):
        for name, arguments, function in FUNCTIONS:
            made.create_function(name, arguments, function, deterministic=True)
        for each in range(1, version + 1):
            for statement in MIGRATIONS[each]:
                made.execute(statement)
        made_now, then = (set(each.execute(schema).fetchall()) for each in (made, frozen))
    assert made_now - then == set()
    # The index of the search is made where SQLite has what it takes, and not by a migration.
    assert {name for _, name, _, _ in then - made_now if not name.startswith("stepfast_search")} == set()


def test_what_a_migration_calls_does_not_change() -> None:
    ((name, arguments, function),) = FUNCTIONS
    assert (name, arguments) == ("stepfast_findable", 2)
    assert function("Straße", "A\0b") == "strasse\x1fa\ufffdb"
