"""Every exception of the engine, drawn as a tree.

    Suspension (BaseException)      a pass stops here for now; never caught by a body
    ├── Parked                      a wait is not answered yet, or the pass was asked to stop
    ├── Abandoned                   the store failed under the pass; another one follows
    └── Stopped                     a step saw `run.stopping` and gave up halfway

    Fenced (BaseException)          this pass may not write any more: somebody else's claim stands

    StepfastError (Exception)
    ├── InvalidInput                a value given from outside does not fit what was asked for
    │   └── UnknownDefinition       nothing here is registered under that name and version
    ├── SecretError                 a secret cannot be kept, fetched or forgotten
    │   └── SecretLost              it is kept nowhere any more
    ├── DefinitionError             a definition itself is wrong (a signature, a name used twice)
    ├── WorkflowError               about one workflow
    │   ├── UnknownWorkflow         no workflow has this id
    │   ├── AlreadyStarted          the id is taken by a workflow with another input or version
    │   ├── AlreadyFinished         it is completed, failed or cancelled: nothing can reach it
    │   ├── NotAllowed              its state does not allow what was asked
    │   ├── WorkflowFailed          raised by `Handle.result` for one that failed
    │   │   └── ChildFailed         raised by `run.child` in its parent's body
    │   └── WorkflowCancelled       raised by `Handle.result` for one that was cancelled
    │       └── ChildCancelled      raised by `run.child` in its parent's body
    ├── BodyError                   a body broke a rule of the engine
    │   ├── DuplicateStep           one name for two steps of a pass
    │   ├── SwallowedSuspension     a body caught a suspension and went on
    │   ├── LeftBehind              a body returned while calls of its own were under way
    │   ├── StepExited              a step ended in a way that would end a program or a task
    │   ├── RunClosed               a call on the `Run` of a pass that has ended
    │   └── UnstorableValue         a value that would not come back as it went in
    ├── StepTimedOut                a step took longer than its timeout
    ├── StepInterrupted             the program died under a step, and a person gave it up
    ├── WorkflowTimedOut            the workflow took longer than its timeout
    ├── EffectRefused               a transacted effect tried what could break its one commit
    ├── ProcessDied                 the process of a step ended before its effect did
    ├── StepRaised                  a step raised, in its process, what cannot be handed over
    └── StoreError                  the file, the disk or the SQLite underneath
        ├── SqliteTooOld            the SQLite this Python has is too old
        ├── Newer                   the file was made, or migrated, by a newer Stepfast
        ├── NotOurs                 the file is no SQLite file, or a path no file can be at
        ├── NetworkFileSystem       the file is not on a local disk
        ├── OutcomeUnknown          a commit failed on I/O: it may or may not be on disk
        ├── StoreUnavailable        it cannot be used now; what is below goes on once the cause is gone
        │   ├── DiskFull            no room for what was to be written
        │   ├── DiskFailing         the disk reports errors
        │   ├── ReadOnly            the file, its folder or the disk may not be written
        │   ├── LockedOut           another program holds the write lock
        │   ├── FileGone            the file was moved, deleted or replaced while it was open
        │   └── Damaged             pages of the file are not what SQLite wrote
        └── StoreClosed             the store was closed

An error of the environment is a `StoreError` or `InvalidInput` and is meant to be shown; a
`BodyError` or `DefinitionError` is a bug in a program and is meant to be mended.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "Abandoned",
    "AlreadyFinished",
    "AlreadyStarted",
    "BodyError",
    "ChildCancelled",
    "ChildFailed",
    "Damaged",
    "DefinitionError",
    "DiskFailing",
    "DiskFull",
    "DuplicateStep",
    "EffectRefused",
    "Fenced",
    "FileGone",
    "InvalidInput",
    "LeftBehind",
    "LockedOut",
    "NetworkFileSystem",
    "Newer",
    "NotAllowed",
    "NotOurs",
    "OutcomeUnknown",
    "Parked",
    "ProcessDied",
    "ReadOnly",
    "RunClosed",
    "SecretError",
    "SecretLost",
    "SqliteTooOld",
    "StepExited",
    "StepInterrupted",
    "StepRaised",
    "StepTimedOut",
    "StepfastError",
    "Stopped",
    "StoreClosed",
    "StoreError",
    "StoreUnavailable",
    "Suspension",
    "SwallowedSuspension",
    "UnknownDefinition",
    "UnknownWorkflow",
    "UnstorableValue",
    "WorkflowCancelled",
    "WorkflowError",
    "WorkflowFailed",
    "WorkflowTimedOut",
]


class Suspension(BaseException):
    """A pass stops here for now. A `BaseException`, so that a body's `except Exception` lets it by."""


class Parked(Suspension):
    """Raised in every waiting branch of a pass once nothing in it can move; see `passing`."""


class Abandoned(Suspension):
    """The store failed under this pass, so it cannot go on; what failed is the `__cause__`.

    A suspension, since the workflow did nothing wrong: its `except Exception` must not take a full disk
    for a step that failed.
    """


class Stopped(Suspension):
    """Raised by a step that saw `run.stopping`: it gives up halfway, and runs again when resumed."""


class Fenced(BaseException):
    """A write that was refused: the claim it was made under is not the workflow's claim any more.

    The workflow is fine and somebody else advances it, so nothing that handles a failure of the
    workflow may see this: hence no `Exception`.
    """


class StepfastError(Exception):
    """The base of every error a program may want to show or mend."""


class InvalidInput(StepfastError):
    """A value given from outside does not fit; the message names it and says what would."""


class UnknownDefinition(InvalidInput):
    """No definition of that name (and version) is registered in this program."""


class SecretError(StepfastError):
    """A secret cannot be kept, fetched or forgotten now; the message says why, and never what it is."""


class SecretLost(SecretError):
    """The secret of a workflow is not where it was kept."""


class DefinitionError(StepfastError):
    """A definition is wrong in itself; raised where it is made, or registered."""


class WorkflowError(StepfastError):
    """About one workflow, whose id is in `id`."""

    def __init__(self, id: str, message: str) -> None:
        super().__init__(message)
        self.id = id


class UnknownWorkflow(WorkflowError):
    """No workflow has this id: it was never started, or it was deleted."""

    def __init__(self, id: str) -> None:
        super().__init__(id, f"there is no workflow {id!r}; it was never started here, or it was deleted")


class AlreadyStarted(WorkflowError):
    """The id belongs to a workflow that was started with another definition, version or input."""

    def __init__(self, id: str, difference: str) -> None:
        super().__init__(
            id, f"workflow {id!r} was already started with {difference}; use another id for another workflow"
        )


class AlreadyFinished(WorkflowError):
    """It has finished, so nothing can be delivered to it, and it cannot be paused or cancelled."""

    def __init__(self, id: str, state: str) -> None:
        super().__init__(id, f"workflow {id!r} is already {state}, so nothing can reach it")


class NotAllowed(WorkflowError):
    """What was asked does not fit the state the workflow is in."""


class WorkflowFailed(WorkflowError):
    """`Handle.result` of a workflow that failed; type, message and traceback are in `failure`."""

    def __init__(self, id: str, failure: object) -> None:
        super().__init__(id, f"workflow {id!r} failed: {failure}")
        self.failure = failure


class WorkflowCancelled(WorkflowError):
    """`Handle.result` of a workflow that was cancelled."""

    def __init__(self, id: str) -> None:
        super().__init__(id, f"workflow {id!r} was cancelled")


class ChildFailed(WorkflowFailed):
    """Raised by `run.child`: the child failed; `id` is the child's, `failure` what it failed with."""


class ChildCancelled(WorkflowCancelled):
    """Raised by `run.child`: the child was cancelled, or deleted before it had finished."""


class BodyError(StepfastError):
    """The body of a workflow broke a rule that keeps it resumable."""


class DuplicateStep(BodyError):
    """One name was used for two steps of the same pass."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(
            f"the {kind} {name!r} is used twice in one pass; give each its own name, "
            f"for instance with the item it is about: f'{name}:{{item}}'"
        )


class SwallowedSuspension(BodyError):
    """A body caught a suspension and went on, so what it returned cannot be believed."""

    def __init__(self, waits: str) -> None:
        super().__init__(
            f"the body caught the suspension at {waits} and went on; let it through: catch `Exception`, "
            "never `BaseException`, and do not collect exceptions as values around a wait"
        )


class LeftBehind(BodyError):
    """A body returned, and so said that it was done, while calls of its own were still under way."""

    def __init__(self, calls: int) -> None:
        super().__init__(
            f"the body returned while {calls} of its calls were under way; await each, or cancel its task"
        )


class StepExited(BodyError):
    """A step called `sys.exit`, or was cancelled by something else than its workflow; it ends only itself."""


class StepTimedOut(StepfastError):
    """A step took longer than its timeout. On a thread it may still run: what it comes to is refused."""

    def __init__(self, step: str, seconds: float) -> None:
        super().__init__(f"the step {step!r} took longer than {seconds:g} s, and was given up")
        self.step = step


class RunClosed(BodyError):
    """A call on the `Run` of a pass that has ended, by a task or thread that outlived it."""

    def __init__(self, call: str) -> None:
        super().__init__(f"{call} was called after its pass had ended; await everything inside the body")


class UnstorableValue(BodyError):
    """A value that would not come back from the checkpoint as it went in; the message says the remedy."""


class StepInterrupted(StepfastError):
    """The program died while a step that must not repeat was under way, and a person gave it up."""

    def __init__(self, step: str) -> None:
        super().__init__(f"the step {step!r} was interrupted, and it was said to give it up")
        self.step = step


class WorkflowTimedOut(StepfastError):
    """The workflow took longer than the timeout of its definition, waits included."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the workflow took longer than {seconds:g} s, the timeout of its definition")


class EffectRefused(StepfastError):
    """A transacted effect (or a query) asked for what could break the one commit it is part of."""


class ProcessDied(StepfastError):
    """The process of a step ended before its effect did: it exited, crashed or was killed.

    `exit_code` is negative for a signal, and None where nobody knows it.
    """

    def __init__(self, message: str, exit_code: int | None = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class StepRaised(StepfastError):
    """A step raised, in its process, an exception that cannot be handed over; the message has its type."""


class StoreError(StepfastError):
    """The file, the disk or the SQLite underneath; the message says what to do.

    `kind` is the condition (`stepfast.health.KINDS`) that the store is in when it raises this, if it is in
    one: what was asked may be asked again once that is over.
    """

    kind: ClassVar[str | None] = None


class SqliteTooOld(StoreError):
    """The SQLite that this Python was built with lacks what the statements need."""


class Newer(StoreError):
    """The file belongs to a newer Stepfast; nothing was written."""

    kind = "newer"


class NotOurs(StoreError):
    """What is at the path cannot be a Stepfast file; nothing was written."""


class NetworkFileSystem(StoreError):
    """The file is on a network file system, where SQLite's locks cannot be relied on."""


class OutcomeUnknown(StoreError):
    """A commit failed on I/O, and what the file says afterwards does not tell whether it is there.

    What was asked may have happened. Asking again with the same id, or reading, shows it.
    """

    kind = "failing"


class StoreUnavailable(StoreError):
    """The store cannot be used at the moment; what was asked has not happened."""


class DiskFull(StoreUnavailable):
    """There is no room on the disk for what was to be written."""

    kind = "full"


class DiskFailing(StoreUnavailable):
    """The disk reports errors; nothing that depended on it has happened."""

    kind = "failing"


class ReadOnly(StoreUnavailable):
    """The file, its folder or the disk may not be written by this user."""

    kind = "read-only"


class LockedOut(StoreUnavailable):
    """Another program has held the write lock for too long."""

    kind = "locked"


class FileGone(StoreUnavailable):
    """The file was moved, deleted or replaced while it was open; nothing is written to what is there now."""

    kind = "gone"


class Damaged(StoreUnavailable):
    """Pages of the file are not what SQLite wrote; nothing is written to it any more."""

    kind = "damaged"


class StoreClosed(StoreError):
    """The store was closed while, or before, this was asked of it."""
