"""Starting at login: whether it is on, and offering it where it would have helped."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from stepfast import Engine
from stepfast.state import BY_THEMSELVES
from stepfast.views import Filter
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.notices import Notice, Notices
from stepfast_desktop.viewmodels.preferences import Preferences
from stepfast_desktop.viewmodels.words import translate

__all__ = ["LoginStart", "LoginStartViewModel", "NoLoginStart"]


class LoginStart(Protocol):
    """`stepfast_desktop.login_start`."""

    def is_on(self) -> bool: ...

    def turn(self, on: bool) -> None: ...


class NoLoginStart:
    """Where there is nothing that could be started."""

    def is_on(self) -> bool:
        return False

    def turn(self, on: bool) -> None:
        raise OSError("there is no program that could be started")


class LoginStartViewModel:
    """`changed` says that it was turned on or off."""

    def __init__(self, login_start: LoginStart, preferences: Preferences, notices: Notices) -> None:
        self.changed: Event[[]] = Event()
        self._login_start = login_start
        self._preferences = preferences
        self._notices = notices

    @property
    def on(self) -> bool:
        """Whether Stepfast opens when its user logs in."""
        return self._login_start.is_on()

    def turn(self, on: bool) -> bool:
        """Turn it on or off; False where that cannot be, which is said above the table."""
        try:
            self._login_start.turn(on)
        except OSError as error:
            text = translate("LoginStart", "It cannot be set whether Stepfast starts at login: {error}")
            said = text.format(error=error.strerror or error)
            self._notices.show(Notice("login-start", said, severity="error"))
            return False
        else:
            self._preferences.set("offered_login_start", True)
            return True
        finally:
            self.changed.emit()

    async def offer(self, engine: Engine, started_at: datetime) -> None:
        """Offer it once, where pending workflows stood still since the computer was started.

        To be called at the first launch since then.

        Args:
            engine: what begins to work now; nothing is offered before it does.
            started_at: when the computer was.
        """
        if self._preferences["offered_login_start"] or self.on:
            return
        # What this one offers is there once it has begun; before, only another one's would be.
        await engine.until_begun()
        if not engine.begun:
            return  # it was closed before that
        offers = await engine.offers()
        if len({each.owner for each in offers}) != 1:
            return  # another one, a service perhaps, was at work
        mine = {(each.name, each.version) for each in offers}
        keys = await engine.keys(Filter(BY_THEMSELVES), order="created")
        rows = await engine.rows(keys[:100])
        stood = [row for row in rows if row.created_at < started_at and (row.name, row.version) in mine]
        if not stood:
            return
        text = translate(
            "LoginStart",
            "%n workflow(s) stood still since the computer was started. Stepfast can start when you log in.",
            None,
            len(stood),
        )
        buttons = ((translate("LoginStart", "Start when I log in"), lambda: self.turn(True)),)
        self._notices.show(Notice("login-start", text, buttons, closed=self._declined))

    def _declined(self) -> None:
        self._preferences.set("offered_login_start", True)
