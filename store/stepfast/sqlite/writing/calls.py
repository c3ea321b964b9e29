"""What is asked of the writer, and what a call gets while it is carried out."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from stepfast.interfaces import Begun, Offered
from stepfast.sqlite.faults import as_damage
from stepfast.system.threads import Call

__all__ = [
    "LAST_SEQUENCE",
    "Execute",
    "Insert",
    "Lone",
    "Numbers",
    "Rider",
    "Slots",
    "Together",
    "WriteCall",
    "WriteTurn",
    "is_limited",
]

T = TypeVar("T")

# Runs a statement of the engine's on some connection, and gives its rows.
Execute = Callable[..., Iterable[tuple[Any, ...]]]

# A position is the counter and, below it, a number of this writer's own: see `schema.py`.
SEQUENCE_BITS = 20
LAST_SEQUENCE = (1 << SEQUENCE_BITS) - 1
NO_WORKFLOW = 0  # the key of none
SHORT = 4096  # characters of a result that is told to whoever listens


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

    __slots__ = (
        *("_numbers", "begun", "connection", "keys", "now", "offered", "ready", "results", "urgent"),
        "went_on",
    )

    def __init__(self, numbers: Numbers, connection: sqlite3.Connection, now: float) -> None:
        self._numbers = numbers
        self.connection = connection
        self.now = now
        self.keys: set[int] = set()
        self.ready: set[int] = set()
        self.urgent = False
        self.went_on: set[int] = set()
        self.begun: set[int] = set()
        self.results: dict[int, str] = {}
        self.offered: Sequence[Offered] | None = None
        """Of a call that went along to begin what the others made ready."""

    def execute(self, sql: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
        """Run one statement to its end and return its rows."""
        try:
            return self.connection.execute(sql, parameters).fetchall()
        except (sqlite3.OperationalError, UnicodeDecodeError) as error:
            raise as_damage(error) from None

    def write(self, sql: str, parameters: Any = ()) -> int:
        """Run one statement that gives no rows; returns how many it changed."""
        try:
            return self.connection.execute(sql, parameters).rowcount
        except sqlite3.OperationalError as error:
            raise as_damage(error) from None

    def number(self) -> int:
        """The next number of the file's one counter: tokens, receipts, positions, changes."""
        return self._numbers.next()

    def numbers(self, count: int) -> int:
        """The number behind which the next `count` numbers are taken."""
        before = self._numbers.counter
        self._numbers.counter += count
        return before

    def position(self) -> int:
        """A position behind all there are."""
        return self._numbers.next() << SEQUENCE_BITS

    def record_position(self) -> int:
        """A position for what the holder of a claim records; it leaves the counter where it is."""
        return self._numbers.next_record_position()

    def changed(self, *keys: int, ready: bool = False, urgent: bool = False) -> None:
        """Tell listeners, once this is committed, that the rows with these keys changed.

        `ready`: a workflow, or a timer, is for a worker to see; `urgent`: somebody waits for this.
        """
        self.keys.update(keys)
        self.went_on.difference_update(keys)
        if ready:
            self.ready.update(keys)
        self.urgent = self.urgent or ready or urgent

    def timer(self) -> None:
        """Tell listeners, once this is committed, that there is a timer which is no workflow's."""
        self.ready.add(NO_WORKFLOW)
        self.urgent = True

    def goes_on(self, *keys: int) -> None:
        """As `changed`, where a pass began or noted something: nothing that anybody waits for."""
        self.went_on.update(set(keys) - self.keys)
        self.keys.update(keys)

    def begins(self, *keys: int) -> None:
        """As `goes_on`, where passes began."""
        self.goes_on(*keys)
        self.begun.update(keys)

    def came_to(self, key: int, result: str) -> None:
        """Tell them, besides `changed`, what a workflow completed with; a long result they look up."""
        if len(result) <= SHORT:
            self.results[key] = result


def is_limited(offer: Offered) -> bool:
    """Is it to be counted how many run, before one begins?"""
    return offer.at_once is not None or offer.queue_at_once is not None


class Slots(NamedTuple):
    """What a rider begins with what the others make ready, for who can do that by the way."""

    owner: int
    lock: str
    """The path of the owner's lock file."""
    offered: Sequence[Offered]
    limit: int
    begun: list[Begun]
    """Where what has begun is put."""

    @property
    def text(self) -> str:
        """What is offered, as statements that are each a commit are told of it (`lone_statements.py`)."""
        return json.dumps([[each.name, each.version, each.queue, is_limited(each)] for each in self.offered])


class Lone(NamedTuple):
    """Calls of one kind as one statement that is a commit of its own."""

    statement: str
    """It gets, besides its own parameters, the counter and the mark as they have to be in the file
    (`:counter`, `:mark`), and as it leaves them (`:next_counter`, `:next_mark`). It MUST do all of it,
    or raise and change nothing."""

    parameters: dict[str, Any]
    values: list[Any]
    """Of each call, once that is done."""


class Together(NamedTuple):
    """How a call is carried out with others of its kind that are next to it, by fewer statements.

    `act` gives the value of each, in their order. Where it raises, all that it did is undone, and each call
    is carried out by itself. `like`: in what else they are alike.
    `lone`: for a batch of nothing else, the statement that does it as a commit of its own, with what is begun
    in these slots. It runs none itself, since there is no transaction. Each statement gives up the
    interpreter's lock, and whoever has it meanwhile may keep it for 5 ms.
    """

    act: Callable[[WriteTurn, list[Any]], list[Any]]
    asked: Any
    like: object = None
    lone: Callable[[WriteTurn, list[Any], Slots | None], Lone | None] | None = None
    ready: bool = False
    """Does it make something ready?"""


class WriteCall(Call[T]):
    """What is asked of the thread that writes."""

    alone = False
    last = False
    together: Together | None = None
    size = 0
    """About how many characters it writes, where they may be many."""
    turn: WriteTurn | None = None
    answered = False


class Insert(WriteCall[T]):
    """A call that is one row of an INSERT, which goes in with others of its kind or fails with all of them.

    That is tried in the place of its `function`: alone as a commit of its own, with others as one statement.
    So it may be tried twice. As one of several, it is none of their statements and no savepoint of its own.
    """

    statement: Callable[[int], str]
    """The statement for so many rows, by itself a commit or inside a transaction. It checks what the
    start of a transaction checks, and MUST put in every row or raise. Its parameters are the time; the
    counter, or None for the one in the file; the first row's sequence, which is what its position has
    besides the counter; how many rows are put in, as others behind them are none; then `row` of each."""

    row: tuple[Any, ...]
    """Its parameters of the statement."""

    inserted: T
    """What the call gives where the row went in."""


class Rider(WriteCall[T]):
    """A call that waits for others to go along with, and may be taken back until then."""

    def __init__(self, function: Callable[[WriteTurn], T], slots: Callable[[], Slots | None]) -> None:
        super().__init__(function)
        self.slots = slots
        """On the thread that writes: what it begins, or None where only `function` can."""
        self._going = threading.Lock()

    def go(self) -> bool:
        """On the thread that writes: does it go along? Not if it was taken back."""
        return self._going.acquire(blocking=False)

    def stay(self) -> bool:
        """Take it back: True where it does not go along, and is not answered either."""
        return self._going.acquire(blocking=False)
