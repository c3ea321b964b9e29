"""The end of a log: its newest lines, however many came before."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from stepfast_desktop.viewmodels.format import clock_text, readable
from stepfast_desktop.viewmodels.words import translate

if TYPE_CHECKING:
    from stepfast import LogLine

__all__ = ["MOST_LINES", "LogRow", "log_rows", "newest_lines", "rows_with"]

MOST_LINES = 1000
MOST_ROWS_OF_ONE = 200

Read: TypeAlias = "Callable[[int], Awaitable[list[LogLine]]]"


class LogRow(NamedTuple):
    """One row of the log. A line of several, as a stack is, becomes rows; only the first has a time."""

    position: int
    at: datetime | None
    level: str
    text: str

    @property
    def time(self) -> str:
        return "" if self.at is None else clock_text(self.at, datetime.now(UTC))


def log_rows(line: LogLine) -> list[LogRow]:
    """The rows that one line of the log is shown as."""
    first, *others = readable(line.text).expandtabs(4).rstrip("\n").split("\n")
    if line.level != "info":
        first = translate("Details", "{level}: {text}").format(level=_level_text(line.level), text=first)
    rows = [LogRow(line.position, line.at, line.level, first)]
    rows += [LogRow(line.position, None, line.level, each) for each in others[:MOST_ROWS_OF_ONE]]
    if (more := len(others) - MOST_ROWS_OF_ONE) > 0:
        rows.append(LogRow(line.position, None, line.level, translate("Details", "and %n more", None, more)))
    return rows


def rows_with(breaks: int) -> int:
    """How many rows `log_rows` makes of a line with so many line breaks."""
    return 1 + min(breaks, MOST_ROWS_OF_ONE) + (breaks > MOST_ROWS_OF_ONE)


def _level_text(level: str) -> str:
    match level:
        case "debug":
            return translate("Details", "Debug")
        case "warning":
            return translate("Details", "Warning")
        case "error":
            return translate("Details", "Error")
    return level


async def newest_lines(read: Read, after: int, most: int = MOST_LINES) -> list[LogLine]:
    """The newest `most` lines after a position, oldest first.

    The store reads forward only, and positions have gaps of any size. So this goes on page by page, and looks
    ahead: as far as a whole page still follows there, what lies between need not be read, and the next look
    goes twice as far.

    Args:
        read: at most `most` lines after a position, oldest first.
        after: 0 for the whole log.
    """
    page, ahead = await read(after), most
    while len(page) == most:
        end = page[-1].position
        following = await read(end)
        if len(following) < most:
            return [*page, *following][-most:]
        page, further = following, await read(end + ahead)
        if len(further) == most:
            page, ahead = further, ahead * 2
        else:
            ahead = max(ahead // 4, 1)
    return page
