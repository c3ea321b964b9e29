"""What a workflow has recorded and logged, read once and then only what came since."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from stepfast import Engine, LogLine, StepRecord, Summary
from stepfast.interfaces import Kind
from stepfast_desktop.viewmodels.details_log import MOST_LINES, LogRow, log_rows, newest_lines
from stepfast_desktop.viewmodels.details_page import StepRow, current_step, step_row

__all__ = ["Records"]


class Records:
    """The steps and the newest lines of the log of one workflow, as rows.

    Each reading that brings something makes a new list of the rows that were there and the new ones, so that
    whoever shows them can tell which those are.
    """

    def __init__(self, engine: Engine) -> None:
        self.steps: list[StepRow] = []
        """What is recorded, in order; at the end the step that is not recorded yet, where there is one."""
        self.log: list[LogRow] = []
        self._engine = engine
        self._step_end = self._log_end = 0
        self._names: set[str] = set()

    async def load(self, summary: Summary) -> None:
        """Read everything that is shown. Raises `UnknownWorkflow`, `StoreError`."""
        self._add(await self._engine.history(summary.id), summary)
        await self.read_log(summary)

    async def read_steps(self, summary: Summary) -> bool:
        """Read what was recorded since; says whether there is anything new to show."""
        later = await self._engine.durable.checkpointer.load(summary.key, after=self._step_end)
        return self._add(later.records, summary)

    async def read_log(self, summary: Summary) -> bool:
        """Read what was logged since; says whether there is anything."""
        lines = await newest_lines(self._reading(summary.id), self._log_end)
        if not lines:
            return False
        self._log_end = lines[-1].position
        self.log = [*self._kept(len(lines)), *(row for line in lines for row in log_rows(line))]
        return True

    def _reading(self, id: str) -> Callable[[int], Awaitable[list[LogLine]]]:
        return lambda after: self._engine.log(id, after=after, limit=MOST_LINES)

    def _kept(self, new: int) -> list[LogRow]:
        """The newest of the rows that are there, of as many lines as still have room."""
        positions = list(dict.fromkeys(row.position for row in self.log))
        oldest = positions[-(MOST_LINES - new) :] if new < MOST_LINES else []
        return [row for row in self.log if oldest and row.position >= oldest[0]]

    def _add(self, records: Sequence[StepRecord], summary: Summary) -> bool:
        self._names.update(record.name for record in records if record.kind == Kind.STEP)
        # The row says at which step it is a moment later than that step is recorded.
        current = None if summary.step in self._names else current_step(summary)
        shown = self.steps[-1] if self.steps and self.steps[-1].position is None else None
        if not records and current == shown:
            return False
        self.steps = [
            *(self.steps if shown is None else self.steps[:-1]),
            *map(step_row, records),
            *([] if current is None else [current]),
        ]
        if records:
            self._step_end = records[-1].position
        return True
