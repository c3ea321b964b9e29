"""Notifications over a real bus: shown, clicked, and refused."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from typing import Any

import pytest
from desktop import NOTIFICATIONS

from stepfast_desktop.away.notifications import Notification
from stepfast_desktop.away.sender import Sender

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the bus is Linux's")

ONE = Notification("failed", "Copy a folder failed", "holiday, after 2 h", (7,))
MANY = Notification("question", "5 workflows waiting for your answer", "a, b, c and others", (1, 2, 3, 4, 5))


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


async def test_it_is_shown_and_a_click_says_which_with_the_desktops_leave(services: Any) -> None:
    desktop = await services(NOTIFICATIONS)
    clicked: list[Any] = []
    sender = Sender(lambda notification, token: clicked.append((notification, token)))
    sender.send(ONE)
    name, replaces, icon, title, text, actions, _hints, _timeout = await desktop.until("Notify")
    assert (name, replaces, title, text) == ("Stepfast", 0, "Copy a folder failed", "holiday, after 2 h")
    assert icon.endswith("stepfast.svg") and actions[::2][0] == "default" and "Show" in actions
    sender.send(MANY)
    await desktop.until("Notify", 2)
    await until(lambda: not sender._tasks)  # nobody clicks before it is answered
    desktop.tell("click", id=2, action="default", token="leave-2")
    await until(lambda: len(clicked) == 1)
    desktop.tell("click", id=1, action=actions[2], token="")  # the button, where no leave is needed
    await until(lambda: len(clicked) == 2)
    assert clicked == [(MANY, "leave-2"), (ONE, "")]
    await sender.close()


async def test_without_a_service_it_is_said_once_and_nothing_is_raised(
    bus: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "stepfast")
    sender = Sender(lambda notification, token: None)
    for _ in range(3):
        sender.send(ONE)
        await until(lambda: not sender._tasks)
    await sender.close()
    said = [each for each in caplog.records if each.levelno >= logging.INFO and each.name != "asyncio"]
    assert [each.levelname for each in said] == ["INFO"]
    assert said[0].getMessage().startswith("notifications cannot be shown here")


async def test_without_a_bus_likewise(no_bus: None, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "stepfast")
    sender = Sender(lambda notification, token: None)
    sender.send(ONE)
    await until(lambda: not sender._tasks)
    await sender.close()
    assert [each.levelname for each in caplog.records if each.name == "stepfast"] == ["INFO"]


async def test_a_service_that_comes_later_is_found(services: Any) -> None:
    sender = Sender(lambda notification, token: None)
    sender.send(ONE)
    await until(lambda: not sender._tasks)
    desktop = await services(NOTIFICATIONS)
    sender.send(MANY)
    assert (await desktop.until("Notify"))[3] == MANY.title
    await sender.close()
