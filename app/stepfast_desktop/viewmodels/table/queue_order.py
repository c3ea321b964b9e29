"""Where in the queue rows are put: by a command, or between the rows where they were dropped."""

from __future__ import annotations

from collections.abc import Sequence

from stepfast import Engine
from stepfast.placing import Where
from stepfast.views import Filter
from stepfast_desktop.viewmodels.table.actions import ACTION, left_text
from stepfast_desktop.viewmodels.table.table import TableViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["QueueOrder"]


class QueueOrder:
    """The queue, as the table shows it."""

    def __init__(self, engine: Engine, table: TableViewModel) -> None:
        self._engine = engine
        self._table = table

    @property
    def shown(self) -> bool:
        """Are the rows shown as they would run? Only then can they be dragged."""
        table = self._table
        return table.order == "queue" and not table.descending and not table.matching.removed

    def has(self, index: int) -> bool:
        """Is the row at this index queued?"""
        keys = self._table.keys
        row = self._table.known(keys[index]) if 0 <= index < len(keys) else None
        return row is not None and row.state.name == "queued"

    def beside(self, moved: Sequence[int], index: int) -> tuple[Where | None, int | None]:
        """What rows dropped before `index` come to be beside; nothing where that is not in the queue."""
        keys, own = self._table.keys, frozenset(moved)
        behind = next((at for at in range(index, len(keys)) if keys[at] not in own), None)
        if behind is not None and self.has(behind):
            return "before", keys[behind]
        before = next((at for at in range(index - 1, -1, -1) if keys[at] not in own), None)
        if before is not None and self.has(before):
            return "after", keys[before]
        return None, None

    async def move(self, moved: Sequence[int], how: str, shown: Filter) -> list[str]:
        """Put them "first" or "last", or one "up" or "down" of what is shown; returns what is to be said."""
        if how in ("first", "last"):
            return await self.put(moved, "first" if how == "first" else "last", None)
        queue = [*await self._engine.keys(shown, order="queue")]
        own = frozenset(moved)
        places = [at for at, key in enumerate(queue) if key in own]
        if not places:
            return await self.put(moved, "last", None)  # which says what has become of them
        at = places[0] - 1 if how == "up" else places[-1] + 1
        if 0 <= at < len(queue):
            return await self.put(moved, "before" if how == "up" else "after", queue[at])
        if how == "up":
            return [translate("Actions", "It is at the top of the queue")]
        return [translate("Actions", "It is at the end of the queue")]

    async def put(self, moved: Sequence[int], where: Where | None, other: int | None) -> list[str]:
        """Put them there, and return what is to be said."""
        if where is None:
            return []
        came = await self._engine.line_up(moved, where, other)
        return [ACTION["first"].said(len(came.done)), *left_text(came.left)]
