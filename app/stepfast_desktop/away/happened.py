"""What happened while nobody looked: the computer slept, its clock was set, or the program was ended.

Each is one line above the table, with a button that shows the rows concerned.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stepfast import Engine, StepfastError, Summary
from stepfast.system.suspended import suspended_seconds
from stepfast_desktop.viewmodels.away.pending import Pending
from stepfast_desktop.viewmodels.format import duration_text
from stepfast_desktop.viewmodels.notices import Notice, Notices
from stepfast_desktop.viewmodels.words import translate

__all__ = ["Clocks", "EndedBefore", "Passed", "TimeWatch"]

LONG_SLEEP = 60.0
"""Seconds of sleep from which on it is worth a line."""

LARGE_JUMP = 120.0
"""Seconds by which the clock is set from which on it is worth one; less is what a time server corrects."""

LOOK = 30.0
"""Seconds between two looks at the clocks."""

SETTLING = 2.0
"""Seconds until it is said what became of what was interrupted."""


@dataclass(frozen=True, slots=True)
class Passed:
    """Between two looks: seconds asleep, and seconds by which the wall clock went ahead of what passed."""

    slept: float
    jumped: float


class Clocks:
    """Compares the clocks of the computer with what they said before. Arguments are for tests."""

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        awake: Callable[[], float] = time.monotonic,
        asleep: Callable[[], float] = suspended_seconds,
    ) -> None:
        self._clocks = (wall, awake, asleep)
        self._before = self._read()

    def look(self) -> Passed:
        """What has passed since the last look."""
        now = self._read()
        wall, awake, asleep = (one - other for one, other in zip(now, self._before, strict=True))
        self._before = now
        return Passed(asleep, wall - awake - asleep)

    def _read(self) -> tuple[float, ...]:
        return tuple(clock() for clock in self._clocks)


class TimeWatch:
    """Says that the computer slept, where something ran then, and that its clock was set.

    Args:
        reveal: shows the rows of these keys.
        reveal_states: shows all rows in these states.
    """

    def __init__(
        self,
        pending: Pending,
        notices: Notices,
        reveal: Callable[[Sequence[int]], object],
        reveal_states: Callable[[Sequence[str]], object],
        clocks: Clocks | None = None,
        *,
        look: float = LOOK,
    ) -> None:
        self._pending = pending
        self._notices = notices
        self._reveal, self._reveal_states = reveal, reveal_states
        self._clocks = clocks or Clocks()
        self._look_every = look
        self._watching: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Look now and then, from now on."""
        self._watching = asyncio.create_task(self._watch(), name="clocks")

    async def close(self) -> None:
        """Look no more."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait({self._watching})

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self._look_every)
            self.look()

    def look(self) -> None:
        """Look now, as when the computer has just woken."""
        passed = self._clocks.look()
        if passed.slept >= LONG_SLEEP and self._pending.going_on:
            self._say_slept(passed.slept)
        if abs(passed.jumped) >= LARGE_JUMP:
            self._say_jumped(passed.jumped)

    def _say_slept(self, seconds: float) -> None:
        running = tuple(self._pending.running)
        text = translate("Happened", "The computer slept for {time}.").format(time=duration_text(seconds))
        if not running:
            self._notices.show(Notice("slept", text, (self._show_states("queued", "sleeping"),)))
            return
        went_on = translate("Happened", "%n workflow(s) carried on from the last step.", None, len(running))
        show = (translate("Happened", "Show"), lambda: self._reveal(running))
        self._notices.show(Notice("slept", f"{text} {went_on}", (show,)))

    def _say_jumped(self, seconds: float) -> None:
        time = duration_text(abs(seconds))
        if seconds > 0:
            text = translate(
                "Happened", "The clock was set forward by {time}; what waited for a time until then begins."
            )
        else:
            text = translate(
                "Happened", "The clock was set back by {time}; what waits for a time waits that much longer."
            )
        self._notices.show(Notice("clock", text.format(time=time), (self._show_states("sleeping"),)))

    def _show_states(self, *states: str) -> tuple[str, Callable[[], object]]:
        return (translate("Happened", "Show"), lambda: self._reveal_states(states))


class EndedBefore:
    """Says that a program on this file was ended without warning, and what became of what it ran.

    The store finds that out: the lock of an engine that died is free (see docs/guarantees.md). One that was
    quit while a step did not let go (`was_quit`) looks the same, and the person knows; only what is blocked
    by it is told of then.
    """

    def __init__(
        self,
        engine: Engine,
        notices: Notices,
        reveal: Callable[[Sequence[int]], object],
        *,
        settling: float = SETTLING,
        was_quit: bool = False,
    ) -> None:
        self._engine = engine
        self._notices = notices
        self._reveal = reveal
        self._was_quit = was_quit
        self._settling = settling
        self._told = 0
        self._at_start = True
        self._looking: asyncio.Task[None] | None = None
        self._disconnect = engine.on_takeover(self._look)

    def start(self) -> None:
        """Say what was found when the file was opened, and what is found later."""
        self._looking = asyncio.create_task(self._say(), name="ended before")

    async def close(self) -> None:
        """Say nothing more."""
        self._disconnect()
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait({self._looking})

    def _look(self) -> None:
        if len(self._engine.taken_over) > self._told and (self._looking is None or self._looking.done()):
            self._looking = asyncio.create_task(self._say(), name="ended before")

    async def _say(self) -> None:
        await self._say_once()
        while len(self._engine.taken_over) > self._told:  # more came while it was said
            await self._say_once()

    async def _say_once(self) -> None:
        # What it has yet to take over was ended before it all the same.
        if self._at_start:
            await self._engine.until_begun()
        await asyncio.sleep(self._settling)
        at_start, self._at_start = self._at_start, False
        ids = self._engine.taken_over[self._told :]
        self._told += len(ids)
        rows = []
        for id in dict.fromkeys(ids):
            try:
                rows.append(await self._engine.summary(id))
            except StepfastError:
                continue  # it is gone, or the file is out of reach, which is said elsewhere
        was_quit = at_start and self._was_quit
        if was_quit:
            rows = [row for row in rows if row.state.name == "blocked"]
        if rows:
            keys = tuple(row.key for row in rows)
            show = (translate("Happened", "Show"), lambda: self._reveal(keys))
            self._notices.show(
                Notice("ended", _ended_text(rows, at_start=at_start, was_quit=was_quit), (show,))
            )


def _ended_text(rows: Sequence[Summary], *, at_start: bool, was_quit: bool) -> str:
    asks = sum(row.state.name == "blocked" for row in rows)
    went_on = len(rows) - asks
    ended = translate("Happened", "Another Stepfast program was ended without warning.")
    if at_start:
        ended = translate("Happened", "Stepfast was ended without warning.")
    parts = [] if was_quit else [ended]
    if went_on:
        parts.append(translate("Happened", "%n workflow(s) carried on from the last step.", None, went_on))
    if asks:
        parts.append(translate("Happened", "%n workflow(s) waiting for your answer.", None, asks))
    return " ".join(parts)
