"""What code of a user's may do inside a transaction of ours: the connection, the facade, the authorizer.

A transacted effect runs on a connection of its own, in a transaction of its own, on the writer's thread;
its writes and the record of the step are one commit. Three things keep it inside:

- the facade has no road to the connection or a raw cursor, and looks at `in_transaction` around each
  statement: `INSERT OR ROLLBACK`, a trigger's RAISE(ROLLBACK) and interrupts end a transaction without
  passing the authorizer, and what came after would be committed on its own, outside the fence;
- the authorizer allows rather than forbids, so that what SQLite learns next year is refused too
  (https://sqlite.org/c3ref/set_authorizer.html);
- a refusal poisons the transaction: an effect that swallows the error cannot commit anything.

SQLite asks the authorizer when it prepares a statement, and a user's text equal to one that the engine
prepared on this connection would not be asked about again; so the engine's statements here carry a random
comment, and are prepared while the authorizer knows that the engine speaks.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from stepfast.body.run import Parameters, Row, Transaction
from stepfast.errors import EffectRefused, StoreError
from stepfast.sqlite.faults import TheirError, is_damage

__all__ = ["READING", "WRITING", "GuardedConnection"]

T = TypeVar("T")

RESERVED = "stepfast_"
SEARCH = "stepfast_search"
SEARCH_PARTS = {f"{SEARCH}_{part}" for part in ("config", "data", "docsize", "idx")}
MANY = 1000  # rows of an executemany at a time, so that an iterator of a million stays one

# Action codes: https://sqlite.org/c3ref/c_alter_table.html. What is not here is refused: transaction
# control, savepoints, ATTACH, DETACH, PRAGMA, temporary tables (they outlive the transaction).
READING = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
WRITING = READING | {
    sqlite3.SQLITE_INSERT,
    sqlite3.SQLITE_UPDATE,
    sqlite3.SQLITE_DELETE,
    sqlite3.SQLITE_CREATE_TABLE,
    sqlite3.SQLITE_CREATE_INDEX,
    sqlite3.SQLITE_CREATE_VIEW,
    sqlite3.SQLITE_CREATE_TRIGGER,
    sqlite3.SQLITE_CREATE_VTABLE,
    sqlite3.SQLITE_DROP_TABLE,
    sqlite3.SQLITE_DROP_INDEX,
    sqlite3.SQLITE_DROP_VIEW,
    sqlite3.SQLITE_DROP_TRIGGER,
    sqlite3.SQLITE_DROP_VTABLE,
    sqlite3.SQLITE_ALTER_TABLE,
    sqlite3.SQLITE_REINDEX,
}
# Of SQLite's own tables those that making, renaming and numbering tables goes through; SQLite itself lets
# nobody write to the first two. Not `sqlite_stmt`, which has the engine's statements with their comment, not
# `sqlite_dbpage`, which has every page, and not the statistics, which say how the engine's tables are read.
TEMPORARY = "sqlite_temp_master"
SYSTEM = frozenset({"sqlite_master", "sqlite_schema", TEMPORARY, "sqlite_sequence"})
# They load code, or take an address of some.
CODE = frozenset({"load_extension", "fts3_tokenizer"})
ROWS = frozenset({sqlite3.SQLITE_READ, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE})
NAMES = {
    sqlite3.SQLITE_TRANSACTION: "transaction control (BEGIN, COMMIT, ROLLBACK)",
    sqlite3.SQLITE_SAVEPOINT: "savepoints",
    sqlite3.SQLITE_ATTACH: "ATTACH",
    sqlite3.SQLITE_DETACH: "DETACH",
    sqlite3.SQLITE_PRAGMA: "PRAGMA",
}


def _is_reserved(name: str) -> bool:
    return name.lower().startswith(RESERVED)


class Authorizer:
    """Says yes or no to SQLite, and remembers the last no in words."""

    def __init__(self, allowed: frozenset[int]) -> None:
        self._allowed = allowed
        self.ours = True  # the engine itself is preparing a statement
        self.altered = False  # something was renamed, perhaps; SQLite does not tell the new name
        self.refused: str | None = None

    def __call__(self, action: int, first: Any, second: Any, schema: Any, _trigger: Any) -> int:
        if self.ours:
            return sqlite3.SQLITE_OK
        # To rename something is to look through the temporary schema as well, which is empty.
        if schema == "temp" and (action not in READING | {sqlite3.SQLITE_UPDATE} or first != TEMPORARY):
            self.refused = "temporary tables, which outlive the transaction"
            return sqlite3.SQLITE_DENY
        if action not in self._allowed:
            self.refused = NAMES.get(action, "this kind of statement")
            return sqlite3.SQLITE_DENY
        if action in ROWS and first.lower().startswith("sqlite_") and first not in SYSTEM:
            self.refused = f"{first}, which is SQLite's own"
            return sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_FUNCTION and second.lower() in CODE:
            self.refused = f"{second}(), which is a way to code outside of the file"
            return sqlite3.SQLITE_DENY
        # Reading the engine's tables is left to a query of one's own beside the engine: their layout is not
        # a promise, and a write to them would get around the fence.
        for name in (first, second):
            if isinstance(name, str) and _is_reserved(name):
                self.refused = f"{name}, which is the engine's"
                return sqlite3.SQLITE_DENY
        self.altered = self.altered or action == sqlite3.SQLITE_ALTER_TABLE
        return sqlite3.SQLITE_OK


class GuardedRows:
    """The rows of one statement; a `stepfast.body.run.Rows`."""

    __slots__ = ("__fetch", "__note", "lastrowid", "rowcount")

    def __init__(self, cursor: sqlite3.Cursor, note: Callable[[sqlite3.Error], None]) -> None:
        # Methods and not the cursor: `cursor.connection` would be a road to everything.
        self.__fetch = (cursor.fetchone, cursor.fetchall, cursor.fetchmany)
        self.__note = note
        self.rowcount = cursor.rowcount
        self.lastrowid = cursor.lastrowid

    def fetchone(self) -> Row | None:
        row: Row | None = self.__noting(self.__fetch[0])
        return row

    def fetchall(self) -> list[Row]:
        return self.__noting(self.__fetch[1])

    def fetchmany(self, size: int) -> list[Row]:
        return self.__noting(self.__fetch[2], size)

    def __iter__(self) -> Iterator[Row]:
        # Not `iter(fetch, None)`, which hands out what it calls, and with it the cursor.
        while (row := self.fetchone()) is not None:
            yield row

    def __noting(self, fetch: Callable[..., T], *size: int) -> T:
        # All rows but the first are read here, and so may be a page that is damaged.
        try:
            return fetch(*size)
        except sqlite3.Error as error:
            self.__note(error)
            raise


class GuardedTransaction:
    """A `stepfast.body.run.Transaction` over one connection, good until it is closed."""

    __slots__ = ("__authorizer", "__cursors", "__errors", "__open", "__problem", "__run", "__thread")

    def __init__(self, connection: sqlite3.Connection, authorizer: Authorizer) -> None:
        self.__authorizer = authorizer
        self.__cursors: weakref.WeakSet[sqlite3.Cursor] = weakref.WeakSet()
        self.__errors: list[sqlite3.Error] = []
        self.__open = True
        self.__thread = threading.get_ident()
        self.__problem: Exception | None = None

        def run(sql: str, parameters: Any, many: bool) -> sqlite3.Cursor:
            # Before anything is looked at, since a generator may itself use this transaction.
            values = [_plain(each) for each in parameters] if many else _plain(parameters)
            if not connection.in_transaction:
                raise EffectRefused("the transaction is gone: an earlier statement rolled it back")
            cursor = connection.cursor()
            self.__cursors.add(cursor)
            cursor.executemany(sql, values) if many else cursor.execute(sql, values)
            if not connection.in_transaction:
                raise EffectRefused(
                    "a statement rolled the whole transaction back (OR ROLLBACK, RAISE(ROLLBACK) or a full "
                    "disk); nothing of the effect was kept: let constraints ABORT, and raise to give up"
                )
            return cursor

        self.__run = run

    def execute(self, sql: str, parameters: Parameters = ()) -> GuardedRows:
        return self.__guard(sql, parameters, False)

    def executemany(self, sql: str, parameters: Sequence[Parameters] | Iterator[Parameters]) -> GuardedRows:
        given = iter(parameters)
        rows = self.__guard(sql, islice(given, MANY), True)
        while more := list(islice(given, MANY)):
            rows.rowcount += self.__guard(sql, more, True).rowcount
        return rows

    def __guard(self, sql: str, parameters: Any, many: bool) -> GuardedRows:
        if not self.__open or threading.get_ident() != self.__thread:
            raise EffectRefused("a transaction is used by its effect alone: while it runs, and on its thread")
        if self.__problem is not None:
            raise self.__problem
        self.__authorizer.refused = None
        try:
            return GuardedRows(self.__run(sql, parameters, many), self.__errors.append)
        except EffectRefused as refusal:
            self.__problem = refusal
            raise
        except sqlite3.Error as error:
            if self.__authorizer.refused is None:
                self.__errors.append(error)
                raise
            self.__problem = EffectRefused(
                f"an effect may not use {self.__authorizer.refused}: its writes and the record of the step "
                "are one commit, which the engine makes"
            )
            raise self.__problem from error

    def _raised(self, error: Exception) -> bool:
        """Did a statement of this transaction raise `error`? An effect may use other files too."""
        return any(each is error for each in self.__errors)

    def _end(self) -> Exception | None:
        """Refuse every later statement, finish what was left unread; gives the refusal or the damage met."""
        self.__open = False
        for cursor in self.__cursors:
            cursor.close()
        self.__cursors.clear()
        problem = self.__problem or next(filter(is_damage, self.__errors), None)
        self.__errors.clear()
        return problem


def _plain(parameters: Any) -> Any:
    """Parameters as SQLite takes them: an object that adapts itself would run code inside the statement."""
    if isinstance(parameters, Mapping):
        return {name: _plain_value(value) for name, value in parameters.items()}
    return [_plain_value(value) for value in parameters]


def _plain_value(value: Any) -> Any:
    if value is None or type(value) in (int, float, str, bytes, bytearray):
        return value
    # Subclasses (a bool, an Enum of texts) as what they are underneath, whatever they say of themselves.
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes | memoryview):
        return bytes(value)
    raise EffectRefused(
        f"a {type(value).__name__} cannot be a parameter of SQL; pass None, a number, text or bytes; for a "
        "date its isoformat(), for a path its str()"
    )


class GuardedConnection:
    """A connection on which code of a user's runs, between statements of the engine's own.

    Args:
        connection: nobody else's; its authorizer stays for good, since setting one again makes SQLite
            prepare every cached statement anew.
        allowed: `READING` or `WRITING`.
    """

    def __init__(self, connection: sqlite3.Connection, allowed: frozenset[int]) -> None:
        self.connection = connection
        self._authorizer = Authorizer(allowed)
        self._mark = f" /* {os.urandom(8).hex()} */"
        connection.set_authorizer(self._authorizer)
        try:
            self._reserved = self._reserved_names()
        except BaseException:
            connection.close()  # at once, as `opening.py` says
            raise

    def ours(self, sql: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
        """Run a statement of the engine's own."""
        return self.connection.execute(sql + self._mark, parameters).fetchall()

    def theirs(self, effect: Callable[[Transaction], T]) -> T:
        """Call `effect` inside the open transaction; raises what it raised, or the refusal it swallowed."""
        transaction = GuardedTransaction(self.connection, self._authorizer)
        self._authorizer.ours = False
        try:
            value = effect(transaction)
        except sqlite3.Error as error:
            if transaction._raised(error):
                raise
            raise TheirError(error) from error
        except StoreError as error:
            raise TheirError(error) from error  # of another file: this one is not full because of that
        finally:
            self._authorizer.ours = True
            problem = transaction._end()
        if problem is not None:
            raise problem
        if not self.connection.in_transaction:
            raise EffectRefused("the effect's transaction was rolled back; nothing of it was kept")
        self._check_names()
        return value

    def _check_names(self) -> None:
        if self._authorizer.altered:
            self._authorizer.altered = False
            if self._reserved_names() != self._reserved:
                raise EffectRefused(
                    f"an effect may not rename anything to {RESERVED}...: that is the engine's"
                )

    def _reserved_names(self) -> set[str]:
        made = dict(self.ours("SELECT name, sql FROM sqlite_master"))
        made = {name: sql for name, sql in made.items() if _is_reserved(name)}
        # The index of the search may come at any time, made by any program that has the file open.
        # What was renamed to be it has its name in quotes.
        if (made.get(SEARCH) or "").startswith(f"CREATE VIRTUAL TABLE {SEARCH}"):
            return made.keys() - SEARCH_PARTS - {SEARCH}
        return {*made}

    def close(self) -> None:
        self.connection.close()
