"""Stepfast: long tasks that survive a crash. Each finished step is kept in one SQLite file.

    from stepfast import Engine, Run, workflow

    @workflow("publish", version=1)
    async def publish(run: Run, folder: Path) -> int: ...

    async with Engine.open("work.db", [publish]) as engine:
        handle = await engine.start(publish(folder), id="release-42")
        print(await handle.result())

The standard library is all it needs. `docs/writing-workflows.md` shows how to write workflows and how to run
them in a program of one's own, `docs/guarantees.md` what is promised.
"""

from typing import TYPE_CHECKING

from stepfast.body.retrying import Retry
from stepfast.body.run import Bookmark, Happened, Run, Transaction
from stepfast.definitions.definition import Definition, Registry, Request, workflow
from stepfast.definitions.preview import Finding
from stepfast.engine import Engine, Handle
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
from stepfast.late import given_late
from stepfast.retention import Retention, Swept
from stepfast.secrets import Secret, SecretKeeper
from stepfast.sqlite import SqliteCheckpointer, SqliteDurable, SqliteScheduler, connect, migrate
from stepfast.system.clock import Clock, SystemClock
from stepfast.views import Changes, Filter, Progress, Reset, StepRecord, Summary

if TYPE_CHECKING:
    from stepfast.details import Bulk, Details, LogLine, Schedule
    from stepfast.durably import run_durably
    from stepfast.memory import MemoryDurable
    from stepfast.passes.attempt import claimed, resume
    from stepfast.passes.outcome import Completed, Failed, Failure, Halted, Outcome, Problem, Suspended
    from stepfast.schedules import Daily, Every, Weekly
    from stepfast.sqlite.care.restoring import Restored, restore
    from stepfast.working import work
else:
    # What a program does not need to open a file and to show what is in it.
    __getattr__ = given_late(
        __name__,
        {
            **dict.fromkeys(["claimed", "resume"], "stepfast.passes.attempt"),
            **dict.fromkeys(["Bulk", "Details", "LogLine", "Schedule"], "stepfast.details"),
            "run_durably": "stepfast.durably",
            "MemoryDurable": "stepfast.memory",
            **dict.fromkeys(
                ["Completed", "Failed", "Failure", "Halted", "Outcome", "Problem", "Suspended"],
                "stepfast.passes.outcome",
            ),
            **dict.fromkeys(["Daily", "Every", "Weekly"], "stepfast.schedules"),
            **dict.fromkeys(["Restored", "restore"], "stepfast.sqlite.care.restoring"),
            "work": "stepfast.working",
        },
    )

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
    "Finding",
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


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
