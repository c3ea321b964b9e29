"""Stepfast: long tasks that survive a crash. Each finished step is kept in one SQLite file.

    from stepfast import Engine, Run, workflow

    @workflow("publish", version=1)
    async def publish(run: Run, folder: Path) -> int: ...

    async with Engine.open("work.db", [publish]) as engine:
        handle = await engine.start(publish(folder), id="release-42")
        print(await handle.result())

The standard library is all it needs. `docs/` has the tutorial, the guarantees and how to embed it.
"""

from stepfast.attempt import claimed, resume
from stepfast.clock import Clock, SystemClock
from stepfast.definition import Definition, Registry, Request, workflow
from stepfast.engine import Engine, Handle, run_durably
from stepfast.errors import (
    AlreadyFinished,
    AlreadyStarted,
    BodyError,
    ChildCancelled,
    ChildFailed,
    Damaged,
    DefinitionError,
    DuplicateStep,
    EffectRefused,
    Fenced,
    InvalidInput,
    Newer,
    NotAllowed,
    ProcessDied,
    SecretError,
    StepfastError,
    StepInterrupted,
    StepRaised,
    StepTimedOut,
    Stopped,
    StoreError,
    Suspension,
    SwallowedSuspension,
    UnknownDefinition,
    UnknownWorkflow,
    UnstorableValue,
    WorkflowCancelled,
    WorkflowError,
    WorkflowFailed,
    WorkflowTimedOut,
)
from stepfast.memory import MemoryDurable
from stepfast.outcome import Completed, Failed, Failure, Halted, Outcome, Problem, Suspended
from stepfast.retention import Retention, Swept
from stepfast.retrying import Retry
from stepfast.run import Bookmark, Happened, Run, Transaction
from stepfast.schedules import Daily, Every, Weekly
from stepfast.secrets import Secret, SecretKeeper
from stepfast.sqlite import (
    Restored,
    SqliteCheckpointer,
    SqliteDurable,
    SqliteScheduler,
    connect,
    migrate,
    restore,
)
from stepfast.views import (
    Bulk,
    Changes,
    Details,
    Filter,
    LogLine,
    Progress,
    Reset,
    Schedule,
    StepRecord,
    Summary,
)
from stepfast.worker import work

__all__ = [
    "AlreadyFinished",
    "AlreadyStarted",
    "BodyError",
    "Bookmark",
    "Bulk",
    "Changes",
    "ChildCancelled",
    "ChildFailed",
    "Clock",
    "Completed",
    "Daily",
    "Damaged",
    "Definition",
    "DefinitionError",
    "Details",
    "DuplicateStep",
    "EffectRefused",
    "Engine",
    "Every",
    "Failed",
    "Failure",
    "Fenced",
    "Filter",
    "Halted",
    "Handle",
    "Happened",
    "InvalidInput",
    "LogLine",
    "MemoryDurable",
    "Newer",
    "NotAllowed",
    "Outcome",
    "Problem",
    "ProcessDied",
    "Progress",
    "Registry",
    "Request",
    "Reset",
    "Restored",
    "Retention",
    "Retry",
    "Run",
    "Schedule",
    "Secret",
    "SecretError",
    "SecretKeeper",
    "SqliteCheckpointer",
    "SqliteDurable",
    "SqliteScheduler",
    "StepInterrupted",
    "StepRaised",
    "StepRecord",
    "StepTimedOut",
    "StepfastError",
    "Stopped",
    "StoreError",
    "Summary",
    "Suspended",
    "Suspension",
    "SwallowedSuspension",
    "Swept",
    "SystemClock",
    "Transaction",
    "UnknownDefinition",
    "UnknownWorkflow",
    "UnstorableValue",
    "Weekly",
    "WorkflowCancelled",
    "WorkflowError",
    "WorkflowFailed",
    "WorkflowTimedOut",
    "claimed",
    "connect",
    "migrate",
    "restore",
    "resume",
    "run_durably",
    "work",
    "workflow",
]
