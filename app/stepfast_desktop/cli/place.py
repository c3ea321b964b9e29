"""Where a command looks, and how it is refused. What each of them needs beside that is imported with it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stepfast import Definition, Engine, Retention
from stepfast.errors import StepfastError
from stepfast_desktop.secret_store import SystemKeeper
from stepfast_desktop.viewmodels.preferences import MOST_RUNNING
from stepfast_desktop.viewmodels.starting.kept_limits import NO_LIMITS, KeptLimits

from .console import Console
from .words import Program

__all__ = ["Place", "UsageError"]


class UsageError(StepfastError):
    """What was typed cannot be meant; the message says what could be."""


@dataclass(frozen=True, slots=True)
class Place:
    """The file that commands are about, the definitions this program has, and how it talks."""

    path: Path
    definitions: Sequence[Definition[Any, Any]]
    program: Program
    console: Console
    retention: Retention
    limits: Callable[[], KeptLimits] = lambda: NO_LIMITS
    """How many workflows of a definition, and of a queue, a worker runs at once, as it is set by now."""
    at_once: int = MOST_RUNNING
    """How many workflows of any kind run here at once."""

    @asynccontextmanager
    async def look(self) -> AsyncGenerator[Engine]:
        """A client that only looks; where nothing can be written, at a copy that goes afterwards."""
        from stepfast.sqlite.faults import may_not_be_written

        reason = may_not_be_written(self.path)
        if reason is None:
            async with self.open() as engine:
                yield engine
            return
        from stepfast_desktop.instance.looked_at import copied

        async with copied(self.path) as copy:
            self.console.say(f"{reason}; what is shown was read just now")
            async with Engine.open(copy, self.definitions, work=False, secrets=SystemKeeper()) as engine:
                yield engine

    def open(self, *, work: bool = False) -> AbstractAsyncContextManager[Engine]:
        """The engine on the file: a client, or with `work` one that carries workflows out too."""
        command = self.program.command("work")
        return Engine.open(
            self.path,
            self.definitions,
            work=work,
            command=command,
            concurrency=self.at_once,
            retention=self.retention,
            secrets=SystemKeeper(),
        )
