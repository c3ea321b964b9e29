"""Which rows are read before one comes to them: those that who scrolls will see next."""

from __future__ import annotations

__all__ = ["Ahead"]

PAGES = 3
"""So many are read ahead: a key that is held may turn two before the next one is read."""


class Ahead:
    """Follows what can be seen of a table."""

    def __init__(self) -> None:
        self._first = 0

    def of(self, first: int, last: int) -> tuple[int, ...]:
        """Rows in the pages that come next, one of each hundred at the least; none after a leap.

        Args:
            first, last: the rows that can be seen now. A page is as many as those.
        """
        by, self._first = first - self._first, first
        page = last - first + 1
        if not 0 < abs(by) <= page:
            return ()
        begin, step = (last + 1, page) if by > 0 else (first - 1, -page)
        return tuple(begin + step * number for number in range(PAGES + 1))
