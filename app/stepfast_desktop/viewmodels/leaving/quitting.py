"""What closing the window comes to, and what is said while it comes to it.

Nothing is lost however a program ends; what a person should know is that what runs is parked and carries on
the next time. That is said once. The system that shuts down is asked nothing and waited for by nobody.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Literal

from stepfast import Engine, StepfastError
from stepfast_desktop.viewmodels.format import readable
from stepfast_desktop.viewmodels.notices import Notice, Notices
from stepfast_desktop.viewmodels.preferences import Preferences
from stepfast_desktop.viewmodels.words import listed, translate

__all__ = ["PATIENCE_SECONDS", "Asked", "Quitting", "Way"]

Asked = Literal["close", "quit", "system"]
"""Who wants the window gone: the cross, the command Quit, or the system that ends its session."""

Way = Literal["quit", "ask", "hide", "minimise", "background"]

PATIENCE_SECONDS = 5.0
"""How long a step that runs has for letting go."""

MOMENT_SECONDS = 0.3  # what is over by then need not be shown
BETWEEN_SECONDS = 0.25
NAMED = 3
UNDER_WAY = ("queued", "running")


class Quitting:
    """How the window goes.

    Args:
        engine: parked before the window goes.
        preferences: "closing" says what the cross does.
        counts: how many workflows are in each state.
        notices: where it is said what is waited for.
        elsewhere: whether a worker in the background goes on with what is parked.
    """

    def __init__(
        self,
        engine: Engine,
        preferences: Preferences,
        counts: Callable[[], Mapping[str, int]],
        notices: Notices,
        elsewhere: Callable[[], bool] = lambda: False,
    ) -> None:
        self._engine = engine
        self._preferences = preferences
        self._counts = counts
        self._notices = notices
        self._elsewhere = elsewhere
        self._hurrying: asyncio.Task[bool] | None = None

    def way(self, asked: Asked, *, can_hide: bool) -> Way:
        """What comes of it; `can_hide`: there is something from which a person gets the window back."""
        if asked == "system":
            return "quit"
        if asked == "close":
            match self._preferences["closing"]:
                case "hide":
                    return "hide" if can_hide else "minimise"
                case "background":
                    return "background"
        if self._preferences["told_parked"] or not self.under_way or self._elsewhere():
            return "quit"
        return "ask"

    @property
    def under_way(self) -> int:
        """How many workflows would carry on by themselves at this moment."""
        counts = self._counts()
        return sum(counts.get(each, 0) for each in UNDER_WAY)

    @property
    def question(self) -> tuple[str, str]:
        """What is said once, in short and in full."""
        return (
            translate("Quitting", "%n workflow(s) still to be finished.", None, self.under_way),
            translate(
                "Quitting",
                "Quit whenever you like: what is done stays done, and the rest carries on where it was as "
                "soon as Stepfast is opened again. Or let it go on now, without a window.",
            ),
        )

    def answered(self, *, background: bool) -> None:
        """It was read; with `background`, closing the window keeps things going from now on."""
        self._preferences.set("told_parked", True)
        if background:
            self._preferences.set("closing", "background")

    async def park(self) -> bool:
        """Park what runs, saying what is waited for where that takes more than a moment.

        Returns False where a step did not let go; whoever works next carries it out once this process ends.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + PATIENCE_SECONDS
        parking = asyncio.ensure_future(self._engine.park(timedelta(seconds=PATIENCE_SECONDS)))
        try:
            await asyncio.wait({parking}, timeout=MOMENT_SECONDS)
            while not parking.done():
                self._notices.show(await self._waiting(end - loop.time()))
                await asyncio.wait({parking}, timeout=BETWEEN_SECONDS)
        finally:
            self._notices.hide("parking")
        parked = await parking
        if not parked:
            self._preferences.set("quit_in_a_step", True)
        return parked

    def hurry(self) -> None:
        """Wait no longer for what is being parked."""
        if self._hurrying is None:
            self._hurrying = asyncio.ensure_future(self._engine.park(timedelta(0)))

    async def _waiting(self, seconds: float) -> Notice:
        left = max(math.ceil(seconds), 0)
        names = await self._names()
        text = translate("Quitting", "Parking what runs, for at most %n second(s) more.", None, left)
        if names:
            text = translate(
                "Quitting", "Parking what runs, for at most %n second(s) more: {names}", None, left
            ).format(names=listed(names))
        buttons = ((translate("Quitting", "Quit now"), self.hurry),)
        return Notice("parking", text, buttons, stays=True)

    async def _names(self) -> list[str]:
        """What is still running here, by its step where that has one."""
        try:
            held = [each.workflow for each in (await self._engine.durable.look()).held]
            rows = await self._engine.rows(held[:NAMED])
        except StepfastError:
            return []
        names = [readable(f"{row.id} ({row.step})" if row.step else row.id) for row in rows]
        return [*names, *(["..."] if len(held) > NAMED else [])]
