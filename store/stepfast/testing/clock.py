"""A clock that moves only when it is told to."""

from __future__ import annotations

import asyncio

from stepfast.system.clock import LONGEST_WAIT

__all__ = ["VirtualClock"]


class VirtualClock:
    """A `stepfast.system.clock.Clock` for tests: no test sleeps, and none depends on how fast the machine is.

    Args:
        at: what the wall clock shows at first, in seconds since the epoch.
    """

    def __init__(self, at: float = 1_800_000_000.0) -> None:
        self._wall = at
        self._monotonic = 1000.0
        self._alarms: list[_Alarm] = []

    def time(self) -> float:
        return self._wall

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, seconds: float) -> None:
        """Let time pass, on both clocks; whoever waits no longer than this returns on its loop's next turns.

        Raises ValueError for negative seconds: the monotonic clock only grows (`jump_wall` is for the rest).
        """
        if seconds < 0:
            raise ValueError(f"time does not pass by {seconds} seconds; use jump_wall to set the wall clock")
        self._wall += seconds
        self._monotonic += seconds
        for alarm in [one for one in self._alarms if one.at <= self._monotonic]:
            self._alarms.remove(alarm)
            # Whichever thread this is called from, an alarm belongs to the loop that waits.
            alarm.loop.call_soon_threadsafe(alarm.ring)

    def jump_wall(self, seconds: float) -> None:
        """Set the wall clock forward or back, as a person or NTP does; nobody who waits is woken by it."""
        self._wall += seconds

    @property
    def waiting(self) -> int:
        """How many waits have neither ended nor been reached by `advance`."""
        return len(self._alarms)

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """Return once `event` is set, or the clock was advanced by `seconds` (capped, as by every clock)."""
        seconds = min(seconds, LONGEST_WAIT)
        if event.is_set() or seconds <= 0:
            await asyncio.sleep(0)
            return
        try:
            async with asyncio.timeout(None) as limit:
                alarm = _Alarm(self._monotonic + seconds, limit)
                self._alarms.append(alarm)
                try:
                    await event.wait()
                finally:
                    alarm.over = True
                    if alarm in self._alarms:
                        self._alarms.remove(alarm)
        except TimeoutError:
            pass


class _Alarm:
    """One wait: what is to happen when the monotonic clock reaches `at`."""

    def __init__(self, at: float, limit: asyncio.Timeout) -> None:
        self.at = at
        self.loop = asyncio.get_running_loop()
        self.over = False
        self._limit = limit

    def ring(self) -> None:
        if not self.over:
            self._limit.reschedule(self.loop.time())
