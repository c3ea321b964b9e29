"""Showing a notification, by the kept library desktop-notifier.

What it lacks is added here: on Linux a click comes with a token by which the window may take the focus (the
signal ActivationToken, before ActionInvoked: specifications.freedesktop.org/notification, 1.2), which is
heard on the library's own connection, since desktops send it to that alone. And it logs each failure as a
warning with a traceback; here the first is said once, at INFO.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepfast_desktop.away.notifications import Notification
from stepfast_desktop.viewmodels.words import translate

if TYPE_CHECKING:
    from desktop_notifier import DesktopNotifier

__all__ = ["Sender"]

logger = logging.getLogger("stepfast")

PATIENCE = 10.0
"""Seconds that the system has for showing one."""

SERVICE = "org.freedesktop.Notifications"


class Sender:
    """Shows notifications, and calls `clicked` with what was clicked and the token for the focus, or ""."""

    def __init__(self, clicked: Callable[[Notification, str], object]) -> None:
        self._clicked = clicked
        self._notifier: DesktopNotifier | None = None
        self._complained = False
        self._one_by_one = asyncio.Lock()  # the library connects twice for two at once
        self._token = ""
        self._heard_on: object = None
        self._tasks: set[asyncio.Task[None]] = set()

    def send(self, notification: Notification) -> None:
        """Show it, sooner or later; nothing is raised."""
        task = asyncio.get_running_loop().create_task(self._send(notification), name="notification")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Show nothing more, and hear of no click."""
        for each in [*self._tasks]:
            each.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._let_go()

    async def _send(self, notification: Notification) -> None:
        try:
            async with self._one_by_one, asyncio.timeout(PATIENCE):
                await self._show(notification)
        except Exception as error:  # whatever a library of a platform raises: a notification is not worth it
            self._let_go()  # so that the next one connects anew
            if not self._complained:
                self._complained = True
                logger.info("notifications cannot be shown here: %s", str(error) or type(error).__name__)

    async def _show(self, notification: Notification) -> None:
        await asyncio.to_thread(import_module, "desktop_notifier")  # a moment that the window does not have
        from desktop_notifier import DEFAULT_SOUND, Button, Urgency

        notifier = self._notifier or self._make()
        sent = False

        def dispatched() -> None:
            nonlocal sent
            sent = True

        await notifier.send(
            notification.title,
            notification.text,
            urgency=Urgency.Normal,
            # Beside the click on it, since Xfce has none; where there are no buttons, it is left out.
            buttons=(Button(translate("Notification", "Show"), lambda: self._click(notification)),),
            sound=DEFAULT_SOUND if notification.kind == "question" else None,
            on_dispatched=dispatched,
            on_clicked=lambda: self._click(notification),
        )
        if not sent:
            raise ConnectionError("the service for them is not there, or refused one")
        self._hear_tokens()

    def _make(self) -> DesktopNotifier:
        from desktop_notifier import DesktopNotifier, Icon

        # What it would warn of is said here, in one line.
        logging.getLogger("desktop_notifier").setLevel(logging.ERROR)
        picture = files("stepfast_resources") / "icons" / "stepfast.svg"
        icon = Icon(path=picture) if isinstance(picture, Path) else None
        self._notifier = DesktopNotifier(app_name="Stepfast", app_icon=icon)
        return self._notifier

    def _click(self, notification: Notification) -> None:
        token, self._token = self._token, ""
        self._clicked(notification, token)

    # --- the token, on Linux ------------------------------------------------------------------------

    def _hear_tokens(self) -> None:
        bus = self._bus()
        if bus is not None and self._heard_on is not bus:
            self._heard_on = bus
            bus.add_message_handler(self._message)

    def _message(self, message: Any) -> None:
        if message.member == "ActivationToken" and message.interface == SERVICE and len(message.body) == 2:
            self._token = str(message.body[1])

    def _bus(self) -> Any:
        """The library's own connection: nothing public leads to it, so it may not be there."""
        return getattr(getattr(self._notifier, "_backend", None), "bus", None)

    def _let_go(self) -> None:
        bus = self._bus()
        self._notifier = None
        if bus is not None:
            try:
                bus.disconnect()
            except Exception:
                pass  # it was lost already
