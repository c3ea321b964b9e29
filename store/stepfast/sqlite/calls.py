"""What is asked of the writer, and what a call gets while it is carried out."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from stepfast.sqlite.faults import as_damage
from stepfast.threads import Call

__all__ = ["LAST_SEQUENCE", "Execute", "Insert", "Numbers", "WriteCall", "WriteTurn"]

T = TypeVar("T")

# Runs a statement of the engine's on some connection, and gives its rows.
Execute = Callable[..., Iterable[tuple[Any, ...]]]

# A position is the counter and, below it, a number of this writer's own: see `schema.py`.
SEQUENCE_BITS = 20
LAST_SEQUENCE = (1 << SEQUENCE_BITS) - 1


class Numbers:
    """The file's one counter as it is inside the transaction that is open, and this writer's own sequence."""

    __slots__ = ("counter", "sequence")

    def __init__(self) -> None:
        self.counter = 0
        self.sequence = 0

    def next(self) -> int:
        self.counter += 1
        return self.counter

    def next_record_position(self) -> int:
        if self.sequence == LAST_SEQUENCE:
            self.counter, self.sequence = self.counter + 1, 0
        self.sequence += 1
        return self.counter << SEQUENCE_BITS | self.sequence


class WriteTurn:
    """One call's turn at the write connection, inside the batch's transaction.

    After a commit that failed, a call that took no number from here may be carried out once more although it
    is in the file: what it does must be the same done twice.
    """

    __slots__ = ("_numbers", "begun", "connection", "keys", "now", "ready", "urgent")

    def __init__(self, numbers: Numbers, connection: sqlite3.Connection, now: float) -> None:
        self._numbers = numbers
        self.connection = connection
        self.now = now
        self.keys: set[int] = set()
        self.begun: set[int] = set()
        self.ready = False
        self.urgent = False

    def execute(self, sql: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
        """Run one statement to its end and return its rows."""
        try:
            return self.connection.execute(sql, parameters).fetchall()
        except (sqlite3.OperationalError, UnicodeDecodeError) as error:
            raise as_damage(error) from None

    def number(self) -> int:
        """The next number of the file's one counter: tokens, receipts, positions, changes."""
        return self._numbers.next()

    def position(self) -> int:
        """A position behind all there are."""
        return self._numbers.next() << SEQUENCE_BITS

    def record_position(self) -> int:
        """A position for what the holder of a claim records; it leaves the counter where it is."""
        return self._numbers.next_record_position()

    def changed(self, key: int, *, ready: bool = False, urgent: bool = False) -> None:
        """Tell listeners, once this is committed, that the row `key` changed.

        `ready`: a workflow, or a timer, is for a worker to see; `urgent`: somebody waits for this.
        """
        self.keys.add(key)
        self.begun.discard(key)
        self.ready = self.ready or ready
        self.urgent = self.urgent or ready or urgent

    def timer(self) -> None:
        """Tell listeners, once this is committed, that there is a timer which is no workflow's."""
        self.ready = self.urgent = True

    def began(self, key: int) -> None:
        """As `changed`, where nothing happened to the row but that a pass of it began."""
        if key not in self.keys:
            self.begun.add(key)
        self.keys.add(key)


class Insert:
    """A call that is one INSERT, which does nothing where the call would not succeed, and may be tried twice.

    Args:
        alone: the statement as a commit of its own: it checks what the start of a transaction checks. Its
            parameters are `row`, `now`, and `sequence`: what a position has besides the counter.
        together: the statement inside a transaction. Its parameters are `row`, `now` and `position`.
        row: the parameters that are known already; it is added to.
        value: what the call gives where the row went in.
    """

    __slots__ = ("alone", "row", "together", "value")

    def __init__(self, alone: str, together: str, row: dict[str, Any], value: Any) -> None:
        self.alone = alone
        self.together = together
        self.row = row
        self.value = value


class WriteCall(Call[T]):
    """`size`: about how many characters it writes, where they may be many."""

    __slots__ = ("alone", "answered", "insert", "last", "size", "turn")

    def __init__(
        self,
        function: Callable[[WriteTurn], T],
        *,
        alone: bool,
        last: bool,
        insert: Insert | None = None,
        size: int = 0,
        given_back: Callable[[T], object] | None = None,
    ) -> None:
        super().__init__(function, given_back)
        self.size = size
        self.alone = alone
        self.last = last
        self.insert = insert
        self.turn: WriteTurn | None = None
        self.answered = False
