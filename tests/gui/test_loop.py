"""Handles, turns and errors, where asyncio's own loop says what is right: what can runs on both."""

from __future__ import annotations

import asyncio
import contextvars
import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from PySide6.QtCore import QTimer

from stepfast_desktop.qt.loop.loop import Loop

Factory = Callable[[], asyncio.AbstractEventLoop]
both = pytest.mark.asyncio(loop_factories=["window", "asyncio"])

name: contextvars.ContextVar[str] = contextvars.ContextVar("name", default="nobody's")


def within(value: str) -> contextvars.Context:
    """A context in which `name` is `value`."""
    context = contextvars.copy_context()
    context.run(name.set, value)
    return context


# -------------------------------------------------------------------------------------------- turns


@both
async def test_what_is_added_in_a_turn_runs_in_the_next_one() -> None:
    loop = asyncio.get_running_loop()
    order: list[str] = []

    def first() -> None:
        order.append("first")
        loop.call_soon(order.append, "added by the first")

    loop.call_soon(first)
    loop.call_soon(order.append, "second")
    await asyncio.sleep(0)
    order.append("the task, one turn later")
    await asyncio.sleep(0)
    assert order == ["first", "second", "the task, one turn later", "added by the first"]


@both
async def test_tasks_take_turns() -> None:
    order: list[str] = []

    async def walk(name: str) -> None:
        for step in range(3):
            order.append(f"{name}{step}")
            await asyncio.sleep(0)

    await asyncio.gather(walk("a"), walk("b"), walk("c"))
    assert order == ["a0", "b0", "c0", "a1", "b1", "c1", "a2", "b2", "c2"]


@both
async def test_a_cancelled_handle_does_not_run() -> None:
    loop = asyncio.get_running_loop()
    ran: list[int] = []
    handles: list[asyncio.Handle] = [
        loop.call_soon(ran.append, 1),
        loop.call_later(0, ran.append, 2),
        loop.call_soon_threadsafe(ran.append, 3),
    ]
    for handle in handles:
        handle.cancel()
    await asyncio.sleep(0.01)
    assert ran == []
    assert all(handle.cancelled() for handle in handles)


@both
async def test_every_call_returns_asyncios_own_kind_of_handle() -> None:
    loop = asyncio.get_running_loop()
    when = loop.time() + 0.001
    handles = [
        loop.call_soon(int),
        loop.call_soon_threadsafe(int),
        loop.call_at(when, int),
        loop.call_later(0.001, int),
    ]
    assert [type(each) for each in handles] == [asyncio.Handle] * 2 + [asyncio.TimerHandle] * 2
    assert handles[2].when() == when  # type: ignore[attr-defined]
    await asyncio.sleep(0.01)


@both
async def test_every_call_keeps_the_context_it_is_given_or_made_in() -> None:
    loop = asyncio.get_running_loop()
    seen: list[str] = []

    def look(label: str) -> None:
        seen.append(f"{label}: {name.get()}")

    name.set("the task's")
    reader, writer = os.pipe()
    loop.add_reader(reader, look, "reader")
    os.write(writer, b"x")
    loop.call_soon(look, "soon", context=within("given"))
    loop.call_soon(look, "soon")
    loop.call_later(0, look, "later", context=within("given"))
    loop.call_later(0, look, "later")
    loop.call_at(loop.time(), look, "at", context=within("given"))
    loop.call_soon_threadsafe(look, "threadsafe", context=within("given"))
    loop.call_soon_threadsafe(look, "threadsafe")
    name.set("another")
    while not any(line.startswith("reader") for line in seen) or len(set(seen)) < 8:
        await asyncio.sleep(0.001)
    loop.remove_reader(reader)
    os.close(reader)
    os.close(writer)
    assert set(seen) == {
        "reader: the task's",
        "soon: given",
        "soon: the task's",
        "later: given",
        "later: the task's",
        "at: given",
        "threadsafe: given",
        "threadsafe: the task's",
    }


def took(loop: asyncio.AbstractEventLoop, calls: int) -> float:
    """Seconds of this thread that a burst of `calls` takes, however busy the machine is."""

    async def burst() -> None:
        for _ in range(calls):
            loop.call_soon(int)
        await asyncio.sleep(0)

    began = time.thread_time()
    loop.run_until_complete(burst())
    return time.thread_time() - began


def test_a_burst_costs_what_it_costs_asyncio(window: Loop) -> None:
    """It was quadratic: 100,000 calls took 4.5 s and not 0.1 s."""
    plain = asyncio.new_event_loop()
    ratios = (took(window, 100_000) / took(plain, 100_000) for _ in range(3))
    same = any(ratio < 5 for ratio in ratios)
    plain.close()
    assert same


async def test_a_burst_lets_qt_have_its_turns() -> None:
    loop = asyncio.get_running_loop()
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1

    def busy() -> None:
        end = time.perf_counter() + 0.002
        while time.perf_counter() < end:
            pass

    timer = QTimer(interval=0)
    timer.timeout.connect(tick)
    timer.start()
    order: list[int] = []
    for number in range(60):  # 120 ms in one turn, as asyncio counts them
        loop.call_soon(busy)
        loop.call_soon(order.append, number)
    await asyncio.sleep(0)
    timer.stop()
    assert order == list(range(60))
    assert ticks >= 8


async def test_an_idle_loop_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    turns = 0
    turn = Loop._run_ready

    def counted(self: Loop) -> None:
        nonlocal turns
        turns += 1
        turn(self)

    monkeypatch.setattr(Loop, "_run_ready", counted)
    handle = loop.call_later(1000, int)
    await asyncio.sleep(0.3)
    handle.cancel()
    assert turns <= 4  # the timer's own, and the turn that the task goes on in


# -------------------------------------------------------------------------------------------- errors


@both
async def test_a_callback_that_fails_is_reported_and_the_others_run(lapses: Any) -> None:
    lapses.expect("Exception in callback")
    loop = asyncio.get_running_loop()
    ran: list[int] = []
    loop.call_soon(lambda: 1 / 0)
    loop.call_soon(ran.append, 1)
    await asyncio.sleep(0)
    assert ran == [1]


@both
async def test_an_exception_handler_is_told(lapses: Any) -> None:
    loop = asyncio.get_running_loop()
    told: list[dict[str, Any]] = []

    def handler(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        told.append(context)

    loop.set_exception_handler(handler)
    assert loop.get_exception_handler() is handler
    loop.call_soon(lambda: 1 / 0)
    await asyncio.sleep(0)
    assert [type(context["exception"]) for context in told] == [ZeroDivisionError]
    with pytest.raises(TypeError):
        loop.set_exception_handler("not callable")  # type: ignore[arg-type]
    loop.set_exception_handler(None)
    lapses.expect("a context of nobody's")
    loop.call_exception_handler({"message": "a context of nobody's"})


@both
async def test_an_exception_handler_that_fails_is_reported(lapses: Any) -> None:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda loop, context: 1 / 0)
    lapses.expect("Unhandled error in exception handler")
    loop.call_exception_handler({"message": "something"})


@both
async def test_a_task_that_nobody_awaits_is_reported(lapses: Any) -> None:
    lapses.expect("Task exception was never retrieved")

    async def fail() -> None:
        raise ValueError("nobody looks")

    task = asyncio.create_task(fail())
    await asyncio.sleep(0)
    del task


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()])
@pytest.mark.parametrize("where", ["call_soon", "call_later", "task", "reader"])
def test_what_ends_programs_ends_the_loop_which_can_run_again(
    loop: asyncio.AbstractEventLoop, error: BaseException, where: str
) -> None:
    def fail() -> None:
        raise error

    async def task() -> None:
        raise error

    reader, writer = os.pipe()
    os.write(writer, b"x")
    later: list[int] = []
    run: Callable[[], object] = loop.run_forever
    match where:
        case "call_soon":
            loop.call_soon(fail)
            loop.call_soon(later.append, 1)
        case "call_later":
            loop.call_later(0.001, fail)
        case "reader":
            loop.add_reader(reader, fail)
        case "task":
            run = partial(loop.run_until_complete, task())
    with pytest.raises(type(error)):
        run()
    loop.remove_reader(reader)
    os.close(reader)
    os.close(writer)
    assert not loop.is_running()
    assert loop.run_until_complete(asyncio.sleep(0.001, "again")) == "again"
    assert len(later) == (where == "call_soon")


# ------------------------------------------------------------------------------------------ debugging


@both
async def test_a_slow_callback_is_logged_in_debug_mode(lapses: Any) -> None:
    loop = asyncio.get_running_loop()
    loop.set_debug(True)
    loop.slow_callback_duration = 0.005
    lapses.expect("Executing <Handle")
    loop.call_soon(time.sleep, 0.01)
    await asyncio.sleep(0)
    lapses.expect("Executing <Task")
    time.sleep(0.01)
    await asyncio.sleep(0)
    loop.set_debug(False)


@both
async def test_debug_mode_refuses_what_asyncio_refuses() -> None:
    loop = asyncio.get_running_loop()
    loop.set_debug(True)
    assert loop.get_debug()

    async def coroutine() -> None:
        pass

    for call in (loop.call_soon, loop.call_soon_threadsafe, lambda it: loop.call_later(1, it)):
        with pytest.raises(TypeError):
            call(coroutine)
        with pytest.raises(TypeError):
            call("not callable")  # type: ignore[arg-type]

    def elsewhere() -> None:
        with pytest.raises(RuntimeError, match="Non-thread-safe"):
            loop.call_soon(int)

    await asyncio.to_thread(elsewhere)
    handle = loop.call_soon(int)
    assert "test_loop.py" in repr(handle)
    loop.set_debug(False)
