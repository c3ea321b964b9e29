"""All that goes on while nobody looks, begun and ended together.

What has to ask the system does so in tasks of its own: a slow or missing service holds nothing up.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial

from stepfast import Summary, UnknownDefinition
from stepfast_desktop.away.awake import KeepingAwake
from stepfast_desktop.away.bus import Bus
from stepfast_desktop.away.happened import EndedBefore, TimeWatch
from stepfast_desktop.away.notifications import STATES, Notification, Notifications
from stepfast_desktop.away.power import power
from stepfast_desktop.away.sender import Sender
from stepfast_desktop.away.sleep import Sleep
from stepfast_desktop.away.waking import waking_of_this_system
from stepfast_desktop.viewmodels.format import label_text
from stepfast_desktop.viewmodels.window import WindowViewModel
from stepfast_desktop.viewmodels.words import known

__all__ = ["BeingAway"]


class BeingAway:
    """Looks after the workflows of one window.

    Args:
        view_model: the window's.
        seen: is the window in front of a person now?
        token: called, before a window is brought to the front for a notification that was clicked, with the
            desktop's leave to take the focus; "" where it needs none.
        restored: the file has just become a backup, whose owners count as dead; nobody was ended.
    """

    def __init__(
        self,
        view_model: WindowViewModel,
        seen: Callable[[], bool],
        token: Callable[[str], object],
        *,
        restored: bool = False,
    ) -> None:
        self._view_model = view_model
        self._token = token
        self._session, self._system = Bus("session"), Bus("system")
        engine, pending, revealing = view_model.engine, view_model.pending, view_model.revealing
        notices, preferences = view_model.notices, view_model.preferences
        self.notifications = Notifications(pending, preferences, seen, self._title_of)
        self.sender = Sender(self._clicked)
        self.notifications.due.connect(self.sender.send)
        waking = waking_of_this_system(self._session, self._system)
        self.keeping_awake = KeepingAwake(pending, preferences, waking)
        self.time_watch = TimeWatch(pending, notices, revealing.reveal, revealing.reveal_states)
        self.sleep = Sleep(self._system, engine.write_bookmarks, self.time_watch.look, PATIENCE)
        self.ended_before = EndedBefore(
            engine, notices, revealing.reveal, was_quit=restored or preferences["quit_in_a_step"]
        )
        if preferences["quit_in_a_step"]:
            preferences.set("quit_in_a_step", False)
        view_model.when_done.act = partial(power, self._system)
        self._ends = AsyncExitStack()

    async def start(self) -> None:
        """Begin; returns at once, however long the system takes to answer."""
        self._ends.push_async_callback(self._session.close)
        self._ends.push_async_callback(self._system.close)
        self._ends.push_async_callback(self.sender.close)
        self._ends.callback(self.notifications.close)
        for each in (self.keeping_awake, self.time_watch, self.sleep, self.ended_before):
            self._ends.push_async_callback(each.close)
            each.start()

    async def close(self) -> None:
        """End all of it, the connections to the system last."""
        await self._ends.aclose()

    def _title_of(self, row: Summary) -> str:
        try:
            return known(self._view_model.engine.registry.find(row.name, row.version).title)
        except UnknownDefinition:
            return label_text(row.name)

    def _clicked(self, notification: Notification, token: str) -> None:
        self._token(token)
        if len(notification.keys) <= MOST_SELECTED:
            self._view_model.revealing.reveal(notification.keys)
        else:
            self._view_model.revealing.reveal_states(STATES[notification.kind])


PATIENCE = 1.0
"""Seconds in which a window that opens has better things to do than to talk to the system."""
MOST_SELECTED = 1000
"""More rows than this are shown by their state, and not selected one by one."""
