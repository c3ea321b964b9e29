"""The way back from threads to the loop: in order, to everybody, and to whoever awaits it at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from stepfast.system.mailbox import Mailbox
from stepfast.system.threads import Call, hand_over, once, resolve_all


@pytest.fixture
async def mailbox() -> AsyncIterator[Mailbox]:
    made = Mailbox(asyncio.get_running_loop())
    made.open()
    yield made
    made.close()


async def in_a_callback(function: Callable[[], object]) -> None:
    """Call it as the loop calls what a thread has answered."""
    over = asyncio.Event()

    def call() -> None:
        try:
            function()
        finally:
            over.set()

    asyncio.get_running_loop().call_soon(call)
    await over.wait()


class Waiting:
    """Tasks that await one call each, and the order in which they went on."""

    def __init__(self, count: int) -> None:
        self.calls: list[Call[int]] = [Call(lambda: 0) for _ in range(count)]
        self.came: list[object] = []
        self.tasks = [asyncio.create_task(self._wait(call)) for call in self.calls]
        for number, call in enumerate(self.calls):
            call.value = number

    async def _wait(self, call: Call[int]) -> None:
        try:
            self.came.append(await call.future)
        except asyncio.CancelledError:
            self.came.append("cancelled")
            raise


# --- the mailbox ----------------------------------------------------------------------------------


async def test_what_a_thread_posts_is_called_on_the_loop_in_order(mailbox: Mailbox) -> None:
    called: list[int] = []

    def post_all() -> None:
        for number in range(1000):
            mailbox.post(called.append, number)

    await asyncio.wait_for(once(post_all), 60)
    while len(called) < 1000:
        await asyncio.sleep(0)
    assert called == list(range(1000))


async def test_what_fails_is_told_to_the_loop_and_keeps_nothing_else_back(mailbox: Mailbox) -> None:
    told: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context["exception"]))
    came = asyncio.Event()

    def fail() -> None:
        raise ValueError("as it was told to")

    def post_both() -> None:
        mailbox.post(fail)
        mailbox.post(came.set)

    once(post_both)
    await asyncio.wait_for(came.wait(), 60)
    assert [str(each) for each in told] == ["as it was told to"]


async def test_what_is_in_it_when_it_is_closed_is_called_and_so_is_what_comes_then(mailbox: Mailbox) -> None:
    called: list[str] = []
    mailbox.post(called.append, "before")
    mailbox.close()
    mailbox.post(called.append, "after")
    assert called == [], "a task closes it, and what is called may let another one go on"
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert called == ["before", "after"]


def test_another_loop_is_told_in_its_own_way() -> None:
    class Theirs(asyncio.SelectorEventLoop):
        told = 0

        def call_soon_threadsafe(self, callback: Any, *arguments: Any, **context: Any) -> asyncio.Handle:
            self.told += 1
            return super().call_soon_threadsafe(callback, *arguments, **context)

    loop = Theirs()
    mailbox = Mailbox(loop)
    called: list[int] = []
    try:
        mailbox.open()
        mailbox.post(called.append, 1)
        mailbox.close()
        loop.run_until_complete(asyncio.sleep(0))
    finally:
        loop.close()
    assert called == [1] and loop.told == 1


def test_what_ends_the_loop_loses_nothing_that_was_posted_with_it() -> None:
    loop = asyncio.new_event_loop()
    mailbox = Mailbox(loop)
    called: list[str] = []

    def leave() -> None:
        raise SystemExit(3)

    async def begin() -> None:
        mailbox.open()
        mailbox.post(leave)
        mailbox.post(called.append, "behind it")
        await asyncio.sleep(20)

    async def go_on() -> None:
        while not called:
            await asyncio.sleep(0)
        mailbox.close()

    left = loop.create_task(begin())
    try:
        with pytest.raises(SystemExit):
            loop.run_until_complete(left)
        loop.run_until_complete(asyncio.wait_for(go_on(), 60))
        left.cancel()
        with pytest.raises(asyncio.CancelledError):
            loop.run_until_complete(left)
    finally:
        loop.close()
    assert called == ["behind it"]


async def test_what_is_held_wakes_the_loop_when_it_is_let_go(mailbox: Mailbox) -> None:
    called: list[str] = []
    mailbox.hold()
    mailbox.post(called.append, "first")
    mailbox.post(called.append, "second")
    for _ in range(5):
        await asyncio.sleep(0)
    assert called == []
    mailbox.let_go()
    while len(called) < 2:
        await asyncio.sleep(0)
    assert called == ["first", "second"]
    mailbox.post(called.append, "held again")
    for _ in range(5):
        await asyncio.sleep(0)
    assert len(called) == 2
    mailbox.let_go()
    while len(called) < 3:
        await asyncio.sleep(0)


async def test_what_is_posted_while_a_call_is_made_is_called_too(mailbox: Mailbox) -> None:
    came = asyncio.Event()

    def call() -> None:
        mailbox.post(came.set)

    mailbox.post(call)
    await asyncio.wait_for(came.wait(), 20)
    await asyncio.sleep(0.01)
    came.clear()
    mailbox.post(came.set)
    await asyncio.wait_for(came.wait(), 20)


# --- to whoever awaits it -------------------------------------------------------------------------


async def test_a_task_goes_on_before_anything_else_that_the_loop_has_to_do() -> None:
    waiting = Waiting(1)
    await asyncio.sleep(0)

    def answer_behind_something_else() -> None:
        asyncio.get_running_loop().call_soon(waiting.came.append, "something else")
        waiting.calls[0].resolve()

    await in_a_callback(answer_behind_something_else)
    await asyncio.gather(*waiting.tasks)
    assert waiting.came[0] == 0


async def test_all_go_on_in_order_but_for_one_that_was_cancelled() -> None:
    waiting = Waiting(3)
    await asyncio.sleep(0)
    waiting.tasks[1].cancel()
    await in_a_callback(lambda: resolve_all(waiting.calls))
    await asyncio.wait(waiting.tasks)
    assert [each for each in waiting.came if each != "cancelled"] == [0, 2]
    assert waiting.tasks[1].cancelled()


async def test_what_several_wait_for_in_several_ways_reaches_all_of_them() -> None:
    call: Call[int] = Call(lambda: 0)
    call.value = 7

    async def wait() -> int:
        return await call.future

    ways = [asyncio.create_task(wait()), asyncio.create_task(wait()), asyncio.shield(call.future)]
    ways.append(asyncio.ensure_future(asyncio.wait_for(asyncio.shield(call.future), 60)))
    await asyncio.sleep(0)
    await in_a_callback(call.resolve)
    assert await asyncio.gather(*ways) == [7, 7, 7, 7]
    assert await call.future == 7, "and whoever comes later"


@pytest.mark.parametrize("future", [asyncio.Future, asyncio.futures._PyFuture])  # type: ignore[attr-defined]
@pytest.mark.parametrize("task", [asyncio.Task, asyncio.tasks._PyTask])  # type: ignore[attr-defined]
async def test_tasks_and_futures_of_either_kind_go_on_at_once(task: Any, future: Any) -> None:
    loop = asyncio.get_running_loop()
    handed, came = future(loop=loop), []

    async def wait() -> None:
        came.append(await handed)

    waiting = task(wait(), loop=loop)
    await asyncio.sleep(0)

    def hand_over_one() -> None:
        hand_over(handed, 1)
        came.append("behind it")

    await in_a_callback(hand_over_one)
    await waiting
    assert came == [1, "behind it"]


async def test_one_that_does_not_say_who_waits_is_given_its_result_all_the_same() -> None:
    class Silent(asyncio.Future[int]):
        _callbacks = None

    handed = Silent(loop=asyncio.get_running_loop())

    async def wait() -> int:
        return await handed

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    await in_a_callback(lambda: hand_over(handed, 1))
    assert await waiting == 1


def test_a_task_that_ends_the_loop_keeps_no_other_waiting() -> None:
    loop = asyncio.new_event_loop()
    came: list[int] = []

    async def leave(call: Call[int]) -> None:
        await call.future
        raise SystemExit(3)

    async def stay(call: Call[int]) -> None:
        came.append(await call.future)

    async def begin(calls: list[Call[int]]) -> tuple[asyncio.Task[None], asyncio.Task[None]]:
        calls += [Call(lambda: 0), Call(lambda: 0)]
        tasks = asyncio.create_task(leave(calls[0])), asyncio.create_task(stay(calls[1]))
        await asyncio.sleep(0)
        return tasks

    calls: list[Call[int]] = []
    leaving, staying = loop.run_until_complete(begin(calls))
    try:
        calls[1].value = 1
        loop.call_soon(resolve_all, calls)
        with pytest.raises(SystemExit):
            loop.run_until_complete(staying)
        loop.run_until_complete(asyncio.wait_for(staying, 60))
        assert isinstance(leaving.exception(), SystemExit)
    finally:
        loop.close()
    assert came == [1]
