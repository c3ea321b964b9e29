"""What tests of steps in processes share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stepfast.processes.orphans import is_step_lock
from stepfast.processes.running import Processes

__all__ = ["Asked", "owner_lock", "step_locks"]


class Asked:
    """Processes, and what they have said."""

    def __init__(self, limit: int | None = None) -> None:
        self.processes = Processes(limit)
        self.log: list[tuple[str, str]] = []
        self.progress: list[tuple[float, float | None, str]] = []
        self.bookmarks: list[str] = []
        self.run = object()

    async def __call__(self, effect: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        return await self.processes.run(
            functools.partial(effect, *arguments),
            name="the step",
            id="w",
            run=self.run,
            log=lambda level, text: self.log.append((level, text)),
            progress=lambda *said: self.progress.append(said),
            bookmarked=self.bookmarks.append,
            **options,
        )

    @property
    def lines(self) -> list[str]:
        return [text for _, text in self.log]


def owner_lock(folder: Path) -> Path:
    return folder / "1234-00112233aabbccdd.lock"


def step_locks(folder: Path) -> list[Path]:
    return [each for each in folder.iterdir() if is_step_lock(each.name)]
