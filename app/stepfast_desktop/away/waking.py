"""What keeps the computer awake on each system.

On Linux no one service does it everywhere, so two are asked: that of the desktop (GNOME and its kin, or KDE
and those that have org.freedesktop.PowerManagement; inside of a Flatpak the portal), and logind, which is
what desktops without one of their own go by. wakepy, which knows them too, tells a person "wakepy: wakelock
active" and has no logind; it is used for Windows (SetThreadExecutionState) and macOS (caffeinate). These are
untested.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from stepfast_desktop.away.awake import Waking
from stepfast_desktop.away.bus import Bus, Remote, Unreachable

__all__ = ["LOGIN", "LibraryWaking", "LinuxWaking", "waking_of_this_system"]

logger = logging.getLogger("stepfast")

LOGIN = Remote("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")
GNOME = Remote("org.gnome.SessionManager", "/org/gnome/SessionManager", "org.gnome.SessionManager")
POWER = Remote(
    "org.freedesktop.PowerManagement",
    "/org/freedesktop/PowerManagement/Inhibit",
    "org.freedesktop.PowerManagement.Inhibit",
)
PORTAL = Remote(
    "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Inhibit"
)
IN_FLATPAK = Path("/.flatpak-info").exists()
REQUEST = "org.freedesktop.portal.Request"
SUSPEND = 4
"""The flag of GNOME's and of the portal's for: not suspended."""


class LinuxWaking:
    """The desktop's service and logind's, as far as they are there."""

    def __init__(self, session: Bus, system: Bus) -> None:
        self._session, self._system = session, system
        self._lock: int | None = None
        self._undo: tuple[Remote, str, str, tuple[object, ...]] | None = None
        self._complained = False

    async def hold(self, why: str) -> None:
        if self._lock is None:
            await self._hold_by_login(why)
        if self._undo is None:
            await self._hold_by_desktop(why)
        if self._lock is None and self._undo is None and not self._complained:
            self._complained = True
            logger.info("nothing here keeps the computer awake: neither logind nor a service of the desktop")

    async def let_go(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)
        undo, self._undo = self._undo, None
        if undo is not None:
            remote, method, signature, arguments = undo
            with suppress(Unreachable):  # then it is gone, and what it held with it
                await self._session.call(remote, method, signature, *arguments)

    async def _hold_by_login(self, why: str) -> None:
        # "sleep" would refuse a person who chooses to sleep, too.
        try:
            reply = await self._system.call(LOGIN, "Inhibit", "ssss", "idle", "Stepfast", why, "block")
        except Unreachable:
            return
        self._lock, *rest = reply.fds or (None,)
        for each in rest:
            if each is not None:
                os.close(each)

    async def _hold_by_desktop(self, why: str) -> None:
        for way in (self._gnome, self._power, self._portal):
            try:
                self._undo = await way(why)
            except Unreachable:
                continue
            if self._undo is not None:
                return

    async def _gnome(self, why: str) -> Any:
        reply = await self._session.call(GNOME, "Inhibit", "susu", "stepfast", 0, why, SUSPEND)
        return (GNOME, "Uninhibit", "u", reply.body[:1])

    async def _power(self, why: str) -> Any:
        # Xfce's keeps the screen on and unlocked as well (gitlab.xfce.org, xfce4-power-manager, 65).
        if "XFCE" in os.environ.get("XDG_CURRENT_DESKTOP", "").upper():
            return None
        reply = await self._session.call(POWER, "Inhibit", "ss", "Stepfast", why)
        return (POWER, "UnInhibit", "u", reply.body[:1])

    async def _portal(self, why: str) -> Any:
        if not IN_FLATPAK:
            return None
        from dbus_fast import Variant

        options = {"reason": Variant("s", why)}
        reply = await self._session.call(PORTAL, "Inhibit", "sua{sv}", "", SUSPEND, options)
        return (Remote(PORTAL.name, str(reply.body[0]), REQUEST), "Close", "", ())


class LibraryWaking:
    """wakepy, on a thread of its own: its modes belong to the thread that made them."""

    def __init__(self, make: Callable[[], Any] | None = None) -> None:
        self._make = make or _wakepy
        self._thread: ThreadPoolExecutor | None = None
        self._mode: Any = None

    async def hold(self, why: str) -> None:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "keeping-awake")
            await asyncio.get_running_loop().run_in_executor(self._thread, self._enter)

    async def let_go(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            await asyncio.get_running_loop().run_in_executor(thread, self._leave)
            thread.shutdown(wait=False)

    def _enter(self) -> None:
        try:
            self._mode = self._make()
            self._mode.__enter__()
        except Exception as error:  # whatever a platform has
            self._mode = None
            logger.info("nothing here keeps the computer awake: %s", error)

    def _leave(self) -> None:
        mode, self._mode = self._mode, None
        if mode is not None:
            mode.__exit__(None, None, None)


def _wakepy() -> Any:
    # By name, since it is installed only where it is used, and whoever checks types is elsewhere.
    return import_module("wakepy").keep.running(on_fail="pass")


def waking_of_this_system(session: Bus, system: Bus) -> Waking:
    """What keeps this computer awake."""
    return LibraryWaking() if sys.platform in ("win32", "darwin") else LinuxWaking(session, system)
