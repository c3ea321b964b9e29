"""The log of one workflow, however long: where rows are is known of all, what they say of those looked at.

It is read from the end backwards, since that is what one wants to see first, a piece at a time, and then
followed. A search goes the same way, in the store; both are given up as soon as something else is wanted.
"""

from __future__ import annotations

import asyncio
from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from stepfast import Engine, StepfastError
from stepfast.finding import small
from stepfast_desktop.viewmodels.details.newest_lines import LogRow, log_rows, rows_with
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.words import translate

if TYPE_CHECKING:
    from stepfast.views import LogPart

__all__ = ["LEVELS", "Levels", "LogViewModel"]

Levels: TypeAlias = Literal["all", "info", "warning", "error"]
"""The least level that is shown."""

LEVELS: dict[Levels, tuple[str, ...]] = {
    "all": (),
    "info": ("info", "warning", "error"),
    "warning": ("warning", "error"),
    "error": ("error",),
}

AT_ONCE = 5_000
AT_FIRST = 500
PAGE = 100
KEPT_LINES = 2000
END = 2**62
MOST_COPIED = 100_000


class LogViewModel:
    """Rows by index. Belongs to the loop that its engine was opened on.

    It reads only while it is `shown`: a log that nobody looks at is not read.
    """

    def __init__(self, engine: Engine) -> None:
        self.reset: Event[[]] = Event()
        """Other rows: of another workflow, or of other levels."""
        self.added: Event[[int, int]] = Event()
        """So many rows came in front of the others, and so many at the end."""
        self.read: Event[[int, int]] = Event()
        """The rows of these indexes (first, last) can be read now."""
        self.found: Event[[]] = Event()
        """The search has found more, or looks for something else."""
        self.message: Event[[str]] = Event()
        """Why the log could not be read; empty once it can."""
        self.levels: Levels = "all"
        self.sought = ""
        self.hits = array("q")
        """Positions of the lines in which `sought` was found."""
        self.searching = False
        self.complete = False
        """Are the positions of all lines known?"""
        self._engine = engine
        self._id: str | None = None
        self._shown = False
        self._rows = array("q")  # for each row, the position of its line
        self._least, self._last = END, 0  # of the lines that were looked at
        self._searched = 0
        self._lines: OrderedDict[int, list[LogRow]] = OrderedDict()
        self._wanted: set[int] = set()
        self._touched = asyncio.Event()
        self._following: asyncio.Task[None] | None = None
        self._search: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """Read nothing more."""
        self.follow(None)
        if self._tasks:
            await asyncio.wait(self._tasks)

    def follow(self, id: str | None) -> None:
        """The log of this workflow from now on; of none where it is None."""
        self._id = id
        self.sought = ""
        self._begin()

    def touch(self) -> None:
        """There may be new lines."""
        self._touched.set()

    def show(self, shown: bool) -> None:
        """Does anybody look at it?"""
        if shown != self._shown:
            self._shown = shown
            self._run()

    def filter(self, levels: Levels) -> None:
        """Show lines of this level and of those above it."""
        if levels != self.levels:
            self.levels = levels
            self._begin()
            self.search(self.sought)

    # --- rows -------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> LogRow | None:
        """The row at an index; None where it is not read yet, which this call then brings about."""
        position = self._rows[index]
        rows = self._lines.get(position)
        if rows is None:
            self._want(index)
            return None
        return rows[min(index - bisect_left(self._rows, position), len(rows) - 1)]

    def is_hit(self, index: int) -> bool:
        """Is what is looked for in this row?"""
        if not self.hits or not self.sought:
            return False
        place = bisect_left(self.hits, self._rows[index])
        if place == len(self.hits) or self.hits[place] != self._rows[index]:
            return False
        row = self.row(index)
        return row is not None and small(self.sought) in small(row.text)

    def next_hit(self, index: int, *, back: bool = False) -> int | None:
        """The index of the next row, or the one before, whose line has what is looked for; and so around.

        Args:
            index: where one is; -1 for nowhere.
            back: towards the beginning.
        """
        if not self.hits or not self._rows:
            return None
        at = self._rows[index] if 0 <= index < len(self._rows) else (END if back else 0)
        place = bisect_left(self.hits, at) - 1 if back else bisect_right(self.hits, at)
        position = self.hits[place % len(self.hits)]
        first = bisect_left(self._rows, position)
        if first == len(self._rows) or self._rows[first] != position:
            return None  # where it is, is not known yet
        last = bisect_right(self._rows, position)
        return next((each for each in range(first, last) if self.is_hit(each)), first)

    @property
    def hits_text(self) -> str:
        """How many lines have what is looked for, in words; empty where nothing is."""
        if not self.sought:
            return ""
        if self.searching:
            return translate("Log", "%n line(s) so far ...", None, len(self.hits))
        if not self.hits:
            return translate("Log", "Not found")
        return translate("Log", "%n line(s)", None, len(self.hits))

    async def text(self, ranges: Sequence[tuple[int, int]]) -> str:
        """The rows of these ranges (first, last) as they are copied, a line each: 100,000 at most."""
        wanted = [index for first, last in ranges for index in range(first, last + 1)[:MOST_COPIED]]
        wanted = wanted[:MOST_COPIED]
        id, rows = self._id, self._rows
        positions = [*dict.fromkeys(rows[index] for index in wanted)]
        texts: dict[int, list[LogRow]] = {}
        for start in range(0, len(positions), AT_FIRST):
            for line in await self._engine.lines(id or "", positions[start : start + AT_FIRST]):
                texts[line.position] = log_rows(line)
        copied = []
        for index in wanted:
            made = texts.get(rows[index])
            if made is not None:
                copied.append(made[min(index - bisect_left(rows, rows[index]), len(made) - 1)])
        return "\n".join(f"{row.time}\t{row.text}" for row in copied)

    def _want(self, index: int) -> None:
        page = index // PAGE
        if page not in self._wanted and self._id is not None:
            self._wanted.add(page)
            self._do(self._read_page(self._id, page), "log page")

    async def _read_page(self, id: str, page: int) -> None:
        first = page * PAGE
        positions = [*dict.fromkeys(self._rows[first : first + PAGE])]
        try:
            lines = await self._engine.lines(id, positions)
        except StepfastError as error:
            self.message.emit(str(error))
            lines = []
        self._wanted.discard(page)
        if id != self._id:
            return
        for line in lines:
            self._lines[line.position] = log_rows(line)
            self._lines.move_to_end(line.position)
        while len(self._lines) > KEPT_LINES:
            self._lines.popitem(last=False)
        if lines:
            start = bisect_left(self._rows, positions[0])
            stop = bisect_right(self._rows, positions[-1])
            if stop > start:
                self.read.emit(start, stop - 1)

    # --- reading where they are -------------------------------------------------------------------

    def _begin(self) -> None:
        self._stop(self._following, self._search)
        self._following = self._search = None
        self._rows, self.hits = array("q"), array("q")
        self._least, self._last, self.complete, self.searching = END, 0, False, False
        self._lines.clear()
        self._wanted.clear()
        self.reset.emit()
        self.found.emit()
        self._run()

    def _run(self) -> None:
        if not self._shown or self._id is None:
            self._stop(self._following)
            self._following = None
        elif self._following is None:
            self._following = self._do(self._follow(self._id), "log")

    async def _follow(self, id: str) -> None:
        while True:
            try:
                self._touched.clear()
                if self._least == END:
                    await self._look_back(id, AT_FIRST)
                await self._look_on(id)
                while not self.complete:
                    await self._look_back(id, AT_ONCE)
                self.message.emit("")
            except StepfastError as error:
                self.message.emit(str(error))
                await asyncio.sleep(2.0)
                continue
            await self._touched.wait()

    async def _look_back(self, id: str, limit: int) -> None:
        part = await self._engine.find_lines(id, before=self._least, levels=LEVELS[self.levels], limit=limit)
        rows = _rows_of(part)
        self._rows = rows + self._rows
        if part.first:
            self._last = max(self._last, part.last)
            self._least = part.first
        self.complete = not part.more
        # The pages are others now.
        self._wanted.clear()
        if rows or self.complete:
            self.added.emit(len(rows), 0)

    async def _look_on(self, id: str) -> None:
        more = True
        while more:
            part = await self._engine.find_lines(
                id, after=self._last, levels=LEVELS[self.levels], limit=AT_ONCE
            )
            rows, more = _rows_of(part), part.more
            if not part.last:
                break
            self._last = part.last
            self._least = min(self._least, part.first)
            if rows:
                self._rows += rows
                self.added.emit(0, len(rows))
        if self.sought and not self.searching and self._searched < self._last:
            await self._search_on(id, self.sought)

    # --- searching --------------------------------------------------------------------------------

    def search(self, text: str) -> None:
        """Look for a text, from the end of the log to its beginning; for nothing where it is empty."""
        self._stop(self._search)
        self._search = None
        self.sought, self.hits = text, array("q")
        self.searching = bool(text) and self._id is not None
        self.found.emit()
        if self.searching and self._id is not None:
            self._search = self._do(self._look_for(self._id, text), "search in the log")

    async def _look_for(self, id: str, text: str) -> None:
        before, more, self._searched = END, True, 0
        try:
            while more:
                part = await self._engine.find_lines(
                    id, before=before, levels=LEVELS[self.levels], text=text, limit=AT_ONCE
                )
                before, more = part.first, part.more
                self._searched = max(self._searched, part.last)
                if part.positions:
                    self.hits = part.positions + self.hits
                    self.found.emit()
            last = -1
            while last < self._last:  # whoever reads new lines meanwhile leaves it to this to search them
                last = self._last
                await self._search_on(id, text)
        except StepfastError as error:
            self.message.emit(str(error))
        self.searching = False
        self.found.emit()

    async def _search_on(self, id: str, text: str) -> None:
        """Look in what was logged since."""
        more = True
        while more:
            part = await self._engine.find_lines(
                id, after=self._searched, levels=LEVELS[self.levels], text=text, limit=AT_ONCE
            )
            if text != self.sought:
                return
            more, self._searched = part.more, max(self._searched, part.last)
            self.hits += part.positions
        self.found.emit()

    # --- tasks ------------------------------------------------------------------------------------

    def _do(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            context = {"message": "the log could not be read", "exception": error, "task": task}
            task.get_loop().call_exception_handler(context)

    def _stop(self, *tasks: asyncio.Task[None] | None) -> None:
        for each in tasks:
            if each is not None:
                each.cancel()


def _rows_of(part: LogPart) -> array[int]:
    """The position of each line, as often as it has rows."""
    if not part.breaks:
        return part.positions
    rows, start = array("q"), 0
    for position, breaks in sorted(part.breaks.items()):
        end = bisect_right(part.positions, position)
        rows += part.positions[start:end]
        rows.extend([position] * (rows_with(breaks) - 1))
        start = end
    return rows + part.positions[start:]
