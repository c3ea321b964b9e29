"""When all is done: once something has gone on and nothing does any more, after a countdown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from stepfast_desktop.viewmodels.away.when_done import KEY, Choice, PowerFailed, WhenDone
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.notices import Notices


class Pending:
    """As `viewmodels.pending.Pending`, as far as it is asked here."""

    def __init__(self) -> None:
        self.changed: Event[[]] = Event()
        self.going_on = 0

    def become(self, going_on: int) -> None:
        self.going_on = going_on
        self.changed.emit()


class Desk:
    def __init__(self) -> None:
        self.pending, self.notices = Pending(), Notices()
        self.done: list[Choice] = []
        self.texts: list[str] = []
        self.refuse = ""
        self.when_done = WhenDone(
            self.pending,  # type: ignore[arg-type]
            self.notices,
            self.act,
            seconds=3,
            tick=0.02,
            settled=0.02,
        )
        self.notices.changed.connect(lambda: self.texts.extend(each.text for each in self.notices.shown))

    async def counting(self) -> None:
        """Wait until it counts down, and go on at once: it may be over before one looks again."""
        begun = asyncio.Event()
        stop = self.notices.changed.connect(lambda: begun.set() if KEY in self.notices else None)
        async with asyncio.timeout(60):
            await begun.wait()
        stop()

    async def act(self, choice: Choice) -> None:
        self.done.append(choice)
        if self.refuse:
            raise PowerFailed(self.refuse)


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    yield desk
    await desk.when_done.close()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.005)


async def test_it_counts_down_does_it_and_is_back_to_nothing(desk: Desk) -> None:
    assert desk.when_done.choice == "nothing"
    desk.pending.become(2)
    desk.when_done.choose("sleep")
    desk.pending.become(1)
    desk.pending.become(0)
    await until(lambda: desk.done == ["sleep"])
    assert desk.texts == [
        f"All is done. The computer goes to sleep in {each}."
        for each in ("3 seconds", "2 seconds", "1 second")
    ]
    assert desk.when_done.choice == "nothing" and KEY not in desk.notices
    desk.pending.become(1)
    desk.pending.become(0)
    await asyncio.sleep(0.2)
    assert desk.done == ["sleep"]


async def test_where_nothing_goes_on_nothing_happens_until_something_has(desk: Desk) -> None:
    desk.when_done.choose("shut-down")
    await asyncio.sleep(0.1)
    assert desk.texts == []
    desk.pending.become(1)
    desk.pending.become(0)
    await until(lambda: desk.done == ["shut-down"])


@pytest.mark.parametrize("how", ["button", "cross"])
async def test_a_person_cancels_it(desk: Desk, how: str) -> None:
    desk.pending.become(1)
    desk.when_done.choose("shut-down")
    desk.pending.become(0)
    await desk.counting()
    if how == "button":
        desk.notices.press(KEY, 0)
    else:
        desk.notices.close(KEY)
    await asyncio.sleep(0.2)
    assert desk.done == [] and desk.when_done.choice == "nothing" and KEY not in desk.notices


async def test_one_that_begins_meanwhile_stops_the_countdown_and_it_waits_for_that_too(desk: Desk) -> None:
    desk.pending.become(1)
    desk.when_done.choose("sleep")
    desk.pending.become(0)
    await desk.counting()
    desk.pending.become(1)
    assert KEY not in desk.notices
    await asyncio.sleep(0.1)
    assert desk.done == [] and desk.when_done.choice == "sleep"
    desk.pending.become(0)
    await until(lambda: desk.done == ["sleep"])


async def test_a_refusal_is_said(desk: Desk) -> None:
    desk.refuse = "org.freedesktop.login1: not authorised"
    desk.pending.become(1)
    desk.when_done.choose("shut-down")
    desk.pending.become(0)
    await until(lambda: bool(desk.done) and KEY in desk.notices)
    notice = desk.notices.shown[0]
    assert notice.severity == "error"
    assert notice.text == "The computer cannot be shut down: org.freedesktop.login1: not authorised"
