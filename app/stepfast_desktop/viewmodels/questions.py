"""Which workflows wait for a person to say something: how many, and which is the next one."""

from __future__ import annotations

from stepfast import Engine, Filter
from stepfast.state import needs_answer
from stepfast_desktop.viewmodels.feed import Feed
from stepfast_desktop.viewmodels.tally import Tally
from stepfast_desktop.viewmodels.words import translate

__all__ = ["Questions"]


class Questions(Tally):
    """Counts the workflows that need an answer."""

    def __init__(self, engine: Engine, feed: Feed) -> None:
        super().__init__(engine, feed, Filter(needs_answer=True), lambda row: needs_answer(row.state))

    @property
    def text(self) -> str:
        """How many, in words; empty where none does."""
        return translate("Window", "%n waiting for you", None, self.count) if self.count else ""

    def next(self, after: int | None) -> int | None:
        """The key of the one that was started next after the one with the key `after`, and so around.

        None where none needs an answer.
        """
        if not self.keys:
            return None
        later = [key for key in self.keys if after is not None and key > after]
        return min(later or self.keys)
