"""What the body of a workflow is handed: `Run`, and what a transacted effect is handed: `Transaction`.

Both are protocols. A body names no store, so the same definition runs over SQLite, over memory in a
test, or on another engine; `steps.py` has the implementation over the stores of this package.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, TypeVarTuple, overload

from stepfast.body.retrying import Retry
from stepfast.values.shapes import Shape

if TYPE_CHECKING:
    from stepfast.definitions.definition import Request

__all__ = ["Bookmark", "Happened", "Parameters", "Row", "Rows", "Run", "Transaction"]

T = TypeVar("T")
X = TypeVar("X")
Ts = TypeVarTuple("Ts")

OnInterrupt = Literal["rerun", "ask"] | Callable[[], Any]
Place = Literal["loop", "thread", "process"]

Row = tuple[Any, ...]
Parameters = Sequence[Any] | Mapping[str, Any]


class Rows(Protocol):
    """What a statement gave: read it to its end, or fetch what is needed of it."""

    @property
    def rowcount(self) -> int:
        """Rows inserted, updated or deleted; -1 for a SELECT."""
        ...

    @property
    def lastrowid(self) -> int | None:
        """The rowid of the last INSERT."""
        ...

    def fetchone(self) -> Row | None: ...
    def fetchall(self) -> list[Row]: ...
    def fetchmany(self, size: int) -> list[Row]: ...
    def __iter__(self) -> Iterator[Row]: ...


class Transaction(Protocol):
    """The user's own tables in the file, inside the one commit that also records the step.

    There is no way from here to the connection: transaction control, ATTACH, PRAGMAs, ANALYZE and the tables
    of the engine and of SQLite are refused with `EffectRefused`. It is good until the effect returns. Until
    then nobody else can write: an effect that asks the engine for something is refused, and one that waits
    for somebody who does waits for ever.
    """

    def execute(self, sql: str, parameters: Parameters = ()) -> Rows:
        """Run one statement.

        Raises `EffectRefused` for what an effect may not do, `sqlite3.Error` for what SQLite refuses.
        """
        ...

    def executemany(self, sql: str, parameters: Sequence[Parameters] | Iterator[Parameters]) -> Rows:
        """Run one statement for each of `parameters`; raises as `execute` does."""
        ...


@dataclass(frozen=True, slots=True)
class Happened:
    """Said of an interrupted step: its effect happened, and came to `value`."""

    value: Any = None


class Bookmark(Protocol):
    """A value inside the running step that may be rewritten until the step is recorded.

    It says how far a long step has come, so that after a crash it goes on from there. `set` does not wait
    for the disk: a bookmark may be up to a quarter of a second behind, never ahead, so set it only after
    what it claims is on disk. Usable from the step's thread.
    """

    def get(self) -> object:
        """The value last set for this step, in this pass or one before it; None if there was none."""
        ...

    @property
    def wanted(self) -> bool:
        """Would somebody have it set now, as before the computer goes to sleep?

        Only a step that has set it before is asked, and it may ignore this. In a process it is always False.
        """
        ...

    def set(self, value: object) -> None:
        """Keep `value`; raises `UnstorableValue` where the codec cannot keep it."""
        ...


class Run(Protocol):
    """One pass of a workflow's body: what is recorded is handed back, what is not is done and recorded.

    The code between the calls runs again on each pass, so effects belong into steps. A body awaits only
    these calls and combinators over them (`asyncio.gather`, `TaskGroup`). Every name is used once a pass.
    """

    @property
    def id(self) -> str:
        """The id of the workflow."""
        ...

    @property
    def stopping(self) -> bool:
        """True once a person paused or cancelled the workflow, or the program is quitting.

        A step on a thread looks at it now and then and raises `Stopped` to give up halfway.
        """
        ...

    @property
    def bookmark(self) -> Bookmark:
        """The bookmark of the step that is running; only inside a step."""
        ...

    @overload
    async def step(
        self,
        name: str,
        effect: Callable[[*Ts], Coroutine[Any, Any, T]],
        *args: *Ts,
        into: Shape[T] | None = None,
        where: Place | None = None,
        retry: Retry | None = None,
        timeout: timedelta | None = None,
        on_interrupt: OnInterrupt = "rerun",
    ) -> T:
        """Do `effect(*args)` once and record what it returned under `name`.

        Args:
            name: unique in the pass; it is what the record is found by, so it stays when code moves.
            effect: a coroutine function or a plain function; `where` says where it runs.
            args: handed to the effect by position; not recorded.
            into: how the recorded value becomes the type the effect returned: a dataclass, an Enum,
                `list[Item]`, or a function of the plain value. Values that JSON and the codec's tags
                carry (numbers, text, lists, dates, paths, ...) need none.
            where: by default a coroutine function runs on the loop and a plain one on a thread. "process" is
                for what computes, may crash, or must be ended whatever it does: a fresh process (0.2 s) that
                ends with all that it started when the workflow is paused or cancelled, the program quits or
                dies, or `timeout` is over. `effect` is at the top level of a module then; it and `args` are
                pickled, and nothing of the context of the body is there. `run` itself may be among `args`:
                it has `id`, `stopping`, `bookmark`, `progress` and `log` there. What the effect prints is
                logged. "loop" is for a plain function that takes no time.
            retry: how often it is tried, and when, if it raises; not again by default. Attempts are recorded,
                so a crash does not reset their count, and a wait between two survives a reboot.
            timeout: how long one attempt may take. An async effect is cancelled then, a process ended; a
                thread cannot be ended, so it is left behind, beside the next attempt, and what it comes to is
                refused.
            on_interrupt: what follows where the program died while the effect ran. "rerun" runs it again, so
                that it happens at least once. With the others it is on disk that it began, a commit more
                before it runs: "ask" blocks the workflow until `Engine.answer` says what became of it; a
                function without arguments looks, and gives `Happened(value)` or, where it did not, None.

        Returns:
            the recorded value, read back through the codec, on the first pass too.

        Raises:
            DuplicateStep: the name was used in this pass already.
            UnstorableValue: the value would not come back equal; the effect is not run again by itself.
            StepTimedOut: an attempt took longer than `timeout`, and was the last.
            StepInterrupted: a person gave up an interrupted step.
            ProcessDied: the process of the step exited, crashed or was killed.
            StepRaised: the effect raised, in a process, what cannot be handed over; the message has it.
            Exception: whatever the effect raised, at the last attempt.
        """
        ...

    @overload
    async def step(
        self,
        name: str,
        effect: Callable[[*Ts], T],
        *args: *Ts,
        into: Shape[T] | None = None,
        where: Place | None = None,
        retry: Retry | None = None,
        timeout: timedelta | None = None,
        on_interrupt: OnInterrupt = "rerun",
    ) -> T: ...

    @overload
    async def transact(
        self, name: str, effect: Callable[[Transaction], T], *, into: Shape[T] | None = None
    ) -> T:
        """Do `effect(transaction)` and record what it returned in one commit: exactly once.

        Args:
            name: as for `step`, and in the same space of names.
            effect: a plain function; it holds the file's write lock while it runs, so it is short.
            prepare: what takes long and writes nothing: runs first, on a thread, only when the step is
                not recorded; what it returns is the effect's second argument.
            into: as for `step`.

        Raises:
            EffectRefused: the effect tried transaction control, a PRAGMA, ATTACH or an engine table.
            Exception: whatever the effect raised; nothing of it is in the file then.
        """
        ...

    @overload
    async def transact(
        self,
        name: str,
        effect: Callable[[Transaction, X], T],
        *,
        prepare: Callable[[], X],
        into: Shape[T] | None = None,
    ) -> T: ...

    async def query(self, read: Callable[[Transaction], T]) -> T:
        """Call `read` with a read-only view of the file, on a reader's thread. Nothing is recorded."""
        ...

    async def sleep(self, name: str, until: timedelta | datetime) -> None:
        """Wait until a moment, which is recorded when first reached, so that a crash does not restart it.

        Args:
            name: unique among the sleeps of the pass.
            until: how long from now, or an aware `datetime`.

        Raises `InvalidInput` for a `datetime` without a time zone.
        """
        ...

    @overload
    async def awaiting(self, name: str) -> Any:
        """Wait for the value that `Engine.arrive(id, name, value)` writes; the first one wins.

        Args:
            name: unique among the answers of the pass; what `stepfast answer ID NAME JSON` names.
            into: as for `step`; a window makes the form of the answer from it, and the command line refuses
                what does not fit.

        Raises `InvalidInput` where what arrived is not of that type.
        """
        ...

    @overload
    async def awaiting(self, name: str, *, into: Shape[T]) -> T: ...

    @overload
    async def receive(self, name: str) -> Any:
        """Take the next message of `Engine.deliver`, waiting for it; `name` records which one it was."""
        ...

    @overload
    async def receive(self, name: str, *, into: Shape[T]) -> T: ...

    @overload
    async def pending(self, name: str) -> list[Any]:
        """Take every message that is there now, perhaps none, without waiting."""
        ...

    @overload
    async def pending(self, name: str, *, into: Shape[T]) -> list[T]: ...

    async def child(self, name: str, request: Request[T]) -> T:
        """Start a workflow of its own, or join the one that an earlier pass started, and wait for its result.

        It has a row, steps and a life of its own; while this one waits it takes no place among what runs.
        Cancelling this one cancels it, pausing this one does not pause it. Where this one is tried again, so
        is a child that failed.

        Args:
            name: unique in the pass. The child's id is this workflow's, a slash and the name, and has at most
                200 characters.
            request: what calling a definition gives. A program that has the definition must be at work.

        Raises:
            ChildFailed: it failed; `failure` has type, message and traceback.
            ChildCancelled: a person cancelled or deleted it.
            AlreadyStarted: the id belongs to a workflow that is no child of this one, or has another input.
            InvalidInput: the id would be too long, or not printable.
        """
        ...

    def progress(self, done: float, total: float | None = None, text: str = "") -> None:
        """Say how far the workflow is. Usable from threads; written at most four times a second, with commits
        that happen anyway.

        Args:
            done: how much, in units of the body's choice.
            total: the whole in those units, from which a bar is drawn; None where it is not known.
            text: what is shown beside it, such as "3 of 10 files"; 1,000 characters of it.
        """
        ...

    def log(self, text: str, level: str = "info") -> None:
        """Add a line to the workflow's log. Usable from threads; written as `progress` is.

        Args:
            text: what is said, 20,000 characters of it; a secret in it stands there by its name.
            level: "debug", "info", "warning" or "error".

        Raises `InvalidInput` for another level.
        """
        ...

    def problem(self, about: str, message: str) -> None:
        """Report something that did not work and did not stop the rest: "Completed, 3 problems".

        Called by the body from what its steps returned, so that each pass reports the same.
        """
        ...
