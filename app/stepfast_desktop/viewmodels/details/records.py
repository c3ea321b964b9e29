"""What a workflow has recorded, without the values: read once, and then only what came since."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stepfast import Engine, Summary
from stepfast.interfaces import Kind
from stepfast_desktop.viewmodels.details.page import StepRow, current_step, step_row

if TYPE_CHECKING:
    from stepfast.views import RecordOutline

__all__ = ["Records"]


class Records:
    """The records of one workflow, as rows.

    Each reading that brings something makes a new list of the rows that were there and the new ones, so that
    whoever shows them can tell which those are.
    """

    def __init__(self, engine: Engine) -> None:
        self.steps: list[StepRow] = []
        """What is recorded, in order; at the end the step that is not recorded yet, where there is one."""
        self.outlines: list[RecordOutline] = []
        self._engine = engine
        self._end = 0
        self._names: set[str] = set()

    async def load(self, summary: Summary) -> None:
        """Read everything. Raises `UnknownWorkflow`, `StoreError`."""
        self._add(await self._engine.outline(summary.id), summary)

    async def read(self, summary: Summary) -> bool:
        """Read what was recorded since; says whether there is anything new to show."""
        return self._add(await self._engine.outline(summary.id, after=self._end), summary)

    def _add(self, records: Sequence[RecordOutline], summary: Summary) -> bool:
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
            self.outlines = [*self.outlines, *records]
            self._end = records[-1].position
        return True
