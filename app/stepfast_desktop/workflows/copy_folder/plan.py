"""The plan: a table of the workflow's own, with a row for every file, folder and link, and its SQL.

A million files are a million rows and never one value. Rows are numbered in the order of the walk, level
by level, so a folder comes before what is in it, and backwards after it. The folders that are yet to be
walked are rows too: those from `Planned.folder` on. `outcome` is NULL until an item's batch is recorded,
in whose commit it is written.

A path is relative to the source and stored as bytes, since a name need not be text.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from stepfast import Transaction
from stepfast.body.run import Row
from stepfast_desktop.workflows.copy_folder.errors import printable
from stepfast_desktop.workflows.copy_folder.report import Tally

__all__ = [
    "AT_ONCE",
    "Chunk",
    "Copied",
    "Item",
    "Items",
    "Kind",
    "Only",
    "Outcome",
    "Planned",
    "Result",
    "forget",
]

AT_ONCE = 2000
"""The most rows that one commit writes, and one query brings."""

Kind: TypeAlias = Literal["folder", "file", "link", "none"]
"""`none`: nothing that can be copied; such a row is there for its problem."""

Result: TypeAlias = Literal["copied", "there", "skipped", "problem"]
"""`there`: it was there already, as it should be. `skipped`: it was, but differs, and was left."""


@dataclass(frozen=True, slots=True)
class Item:
    """A row of the plan.

    `existed` says that something had this name in the destination when the plan was made: what is found
    there later was made by this copy where it did not.
    """

    position: int
    kind: Kind
    path: str
    size: int
    existed: bool
    batch: int | None = None
    result: Result | None = None
    message: str | None = None

    @classmethod
    def root(cls, existed: bool) -> Item:
        """The source itself, and whether the destination was there."""
        return cls(0, "folder", "", 0, existed)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one item; `message` is its problem, or why its times or permissions were not kept."""

    item: Item
    result: Result
    message: str | None = None
    bytes: int = 0

    def tally(self) -> Tally:
        item, file = self.item, self.item.kind == "file"
        # In its place, but not when the plan was made: an earlier attempt of the batch copied it.
        copied = self.result == "copied" or (self.result == "there" and not item.existed)
        placed = copied or self.result == "there"
        unkept = self.result == "copied" and self.message is not None
        return Tally(
            files=int(file and copied),
            folders=int(item.kind == "folder" and placed),
            links=int(item.kind == "link" and copied),
            bytes=self.bytes if copied else 0,
            already_there=int(item.kind != "folder" and placed and not copied),
            skipped=int(self.result == "skipped"),
            problems=int(self.result in ("problem", "skipped")),
            unkept=int(unkept),
            why=self.message or "" if unkept else "",
            done_files=int(file),
            done_bytes=item.size,
        )


Copied: TypeAlias = tuple[tuple[Outcome, ...], Tally]
"""What became of a batch: item by item for the table, and the sum for the record."""


@dataclass(frozen=True, slots=True)
class Planned:
    """How far the plan is: what each of its steps records. Row 0 is the source folder itself.

    `rows` is the number of rows so far, `folder` the first that is not walked to its end, and `after` the
    last name in it that is planned. `batches` is the number of batches so far, `open` the one that small
    files go into, with `open_items` and `open_bytes` in it.
    """

    rows: int = 1
    folder: int = 0
    after: bytes | None = None
    batches: int = 0
    open: int | None = None
    open_items: int = 0
    open_bytes: int = 0
    files: int = 0
    bytes: int = 0
    problems: int = 0
    complete: bool = False


class Only:
    """Some of the paths of a source: those, all that is in them, and the folders on the way to them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._wanted = set(paths)
        self._on_the_way = {above for each in self._wanted for above in _above(each)}

    def takes(self, path: str) -> bool:
        """Whether this path is among it."""
        if path in self._wanted or path in self._on_the_way:
            return True
        return any(above in self._wanted for above in _above(path))


def _above(path: str) -> Iterator[str]:
    """The folders that a path is in, the source itself, which is empty, last."""
    while path:
        path = os.path.dirname(path)
        yield path


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one step adds to the plan."""

    items: tuple[Item, ...]
    planned: Planned


CREATE = (
    """
    CREATE TABLE IF NOT EXISTS copy_folder_items (
        workflow TEXT NOT NULL,
        position INTEGER NOT NULL,
        kind TEXT NOT NULL,
        path BLOB NOT NULL,
        size INTEGER NOT NULL,
        existed INTEGER NOT NULL,
        batch INTEGER,
        outcome TEXT,
        message TEXT,
        PRIMARY KEY (workflow, position)
    ) WITHOUT ROWID
    """,
    """
    CREATE INDEX IF NOT EXISTS copy_folder_pending ON copy_folder_items (workflow, batch, position)
    WHERE outcome IS NULL
    """,
    """
    CREATE INDEX IF NOT EXISTS copy_folder_folders ON copy_folder_items (workflow, position)
    WHERE kind = 'folder'
    """,
)

COLUMNS = "position, kind, path, size, existed, batch, outcome, message"

ADD = f"INSERT INTO copy_folder_items (workflow, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"

SETTLE = "UPDATE copy_folder_items SET outcome = ?, message = ? WHERE workflow = ? AND position = ?"

LAST = "SELECT max(position) FROM copy_folder_items WHERE workflow = ?"

FRONTIER = f"""
SELECT {COLUMNS} FROM copy_folder_items
WHERE workflow = ? AND kind = 'folder' AND position >= ? ORDER BY position LIMIT ?
"""

FOLDERS = f"""
SELECT {COLUMNS} FROM copy_folder_items
WHERE workflow = ? AND kind = 'folder' AND position < ? ORDER BY position DESC LIMIT ?
"""

# A row without a batch has its outcome from the plan, or is the source folder itself.
FIRST = "SELECT min(batch) FROM copy_folder_items WHERE workflow = ? AND outcome IS NULL AND batch >= 0"

BATCH = f"""
SELECT {COLUMNS} FROM copy_folder_items
WHERE workflow = ? AND batch = ? AND outcome IS NULL ORDER BY position
"""

PROBLEMS = """
SELECT path, message FROM copy_folder_items
WHERE workflow = ? AND outcome IN ('problem', 'skipped') ORDER BY position LIMIT ?
"""

CREATE_WANTED = """
CREATE TABLE IF NOT EXISTS copy_folder_wanted (
    workflow TEXT NOT NULL,
    path BLOB NOT NULL,
    PRIMARY KEY (workflow, path)
) WITHOUT ROWID
"""

WANT = """
INSERT OR IGNORE INTO copy_folder_wanted (workflow, path)
SELECT ?, path FROM copy_folder_items WHERE workflow = ? AND outcome IN ('problem', 'skipped')
"""

HOW_MANY_WANTED = "SELECT count(*) FROM copy_folder_wanted WHERE workflow = ?"

WANTED = "SELECT path FROM copy_folder_wanted WHERE workflow = ?"

FORGETS = {
    "copy_folder_items": "DELETE FROM copy_folder_items WHERE workflow = ?",
    "copy_folder_wanted": "DELETE FROM copy_folder_wanted WHERE workflow = ?",
}

EXISTS = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"


class Items:
    """The rows of one workflow: effects for `run.transact`, and reads for `run.query`."""

    def __init__(self, workflow: str) -> None:
        self._workflow = workflow

    # Effects.

    def create(self, existed: bool) -> Callable[[Transaction], None]:
        """Make the table, with the source folder as the first that is to be walked."""

        def effect(transaction: Transaction) -> None:
            for statement in CREATE:
                transaction.execute(statement)
            self._add(transaction, (Item.root(existed),))

        return effect

    def want(self, earlier: str) -> Callable[[Transaction], int]:
        """Want only what was a problem of an earlier copy, or skipped there; gives how much that is."""

        def effect(transaction: Transaction) -> int:
            transaction.execute(CREATE_WANTED)
            transaction.execute(WANT, (self._workflow, earlier))
            found = transaction.execute(HOW_MANY_WANTED, (self._workflow,)).fetchone()
            return 0 if found is None else int(found[0])

        return effect

    def add(self, transaction: Transaction, chunk: Chunk) -> Planned:
        self._add(transaction, chunk.items)
        return chunk.planned

    def settle(self, transaction: Transaction, done: Copied) -> Tally:
        outcomes, tally = done
        transaction.executemany(
            SETTLE, [(each.result, each.message, self._workflow, each.item.position) for each in outcomes]
        )
        return tally

    # Reads.

    def rows(self, transaction: Transaction) -> int:
        """How many rows there are."""
        found = transaction.execute(LAST, (self._workflow,)).fetchone()
        return 0 if found is None or found[0] is None else int(found[0]) + 1

    def wanted(self, transaction: Transaction) -> Only:
        """What of the source is wanted, where not all is."""
        rows = transaction.execute(WANTED, (self._workflow,)).fetchall()
        return Only(os.fsdecode(path) for (path,) in rows)

    def frontier(self, transaction: Transaction, first: int) -> tuple[Item, ...]:
        """Folders from position `first` on, `AT_ONCE` at most."""
        return _items(transaction.execute(FRONTIER, (self._workflow, first, AT_ONCE)).fetchall())

    def folders(self, transaction: Transaction, before: int) -> tuple[Item, ...]:
        """Folders before position `before`, the last first, so that each comes before the one it is in."""
        return _items(transaction.execute(FOLDERS, (self._workflow, before, AT_ONCE)).fetchall())

    def first_batch(self, transaction: Transaction) -> int | None:
        """The first batch that is not recorded; None where all are."""
        found = transaction.execute(FIRST, (self._workflow,)).fetchone()
        return None if found is None or found[0] is None else int(found[0])

    def batch(self, transaction: Transaction, number: int) -> tuple[Item, ...]:
        return _items(transaction.execute(BATCH, (self._workflow, number)).fetchall())

    def problems(self, transaction: Transaction, most: int) -> list[tuple[str, str]]:
        """What could not be copied, by its printable path, and why."""
        rows = transaction.execute(PROBLEMS, (self._workflow, most)).fetchall()
        return [(printable(os.fsdecode(path)) or ".", str(message)) for path, message in rows]

    def _add(self, transaction: Transaction, items: Sequence[Item]) -> None:
        transaction.executemany(
            ADD,
            [
                (
                    self._workflow,
                    item.position,
                    item.kind,
                    os.fsencode(item.path),
                    item.size,
                    item.existed,
                    item.batch,
                    item.result,
                    item.message,
                )
                for item in items
            ],
        )


def forget(transaction: Transaction, workflow: str) -> None:
    """Delete the plan of a workflow that is being deleted. What it copied stays."""
    for table, statement in FORGETS.items():
        if transaction.execute(EXISTS, (table,)).fetchone() is not None:
            transaction.execute(statement, (workflow,))


def _items(rows: Sequence[Row]) -> tuple[Item, ...]:
    return tuple(
        Item(position, kind, os.fsdecode(path), size, bool(existed), *rest)
        for position, kind, path, size, existed, *rest in rows
    )
