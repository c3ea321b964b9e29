"""Threads behind the loop: what they raise arrives, and none keeps the program from ending."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import gc
import multiprocessing
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stepfast_desktop.qt.loop.loop import Loop
from stepfast_desktop.qt.loop.threads import DaemonThreads, ThreadExit

Factory = Callable[[], asyncio.AbstractEventLoop]
both = pytest.mark.asyncio(loop_factories=["window", "asyncio"])


def fail(error: BaseException) -> None:
    raise error


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Threads wait at it; it is opened at the end, so that none outlives its test."""
    event = threading.Event()
    yield event
    event.set()
    for thread in threading.enumerate():
        if thread.name.startswith(("loop-", "asyncio_")):
            thread.join(60)
            assert not thread.is_alive()


# --------------------------------------------------------------------------------- what a thread raises


class Unusual(BaseException):
    """No `Exception`, and none of Python's own."""


@pytest.mark.parametrize(
    "error",
    [
        SystemExit(3),
        KeyboardInterrupt(),
        GeneratorExit(),
        StopIteration(5),
        asyncio.CancelledError(),
        Unusual("hm"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_what_is_no_error_reaches_the_future_as_one(error: BaseException) -> None:
    """With qasync the future was lost, and `sys.exit()` hung or aborted the program."""
    with pytest.raises(ThreadExit, match=type(error).__name__) as caught:
        await asyncio.to_thread(fail, error)
    assert caught.value.__cause__ is error
    assert await asyncio.to_thread(str, "the thread goes on") == "the thread goes on"


async def test_an_exit_on_a_thread_that_nobody_awaits_ends_nothing() -> None:
    future = asyncio.get_running_loop().run_in_executor(None, sys.exit, 3)
    await asyncio.wait({future})
    assert isinstance(future.exception(), ThreadExit)


@both
async def test_errors_and_values_arrive_as_they_are() -> None:
    error = ValueError("one")
    with pytest.raises(ValueError, match="one") as caught:
        await asyncio.to_thread(fail, error)
    assert caught.value is error
    assert await asyncio.to_thread(lambda *args, **named: (args, named), 1, two=2) == ((1,), {"two": 2})


@both
async def test_a_threads_call_has_the_tasks_context() -> None:
    name: contextvars.ContextVar[str] = contextvars.ContextVar("name")
    name.set("the task's")
    assert await asyncio.to_thread(name.get) == "the task's"


# ------------------------------------------------------------------------------------- from thread to loop


@both
async def test_calls_from_many_threads_all_arrive_in_the_order_of_each() -> None:
    loop = asyncio.get_running_loop()
    arrived: list[tuple[int, int]] = []
    main = threading.get_ident()

    def arrive(sender: int, number: int) -> None:
        assert threading.get_ident() == main
        arrived.append((sender, number))

    def send(sender: int) -> None:
        for number in range(2000):
            loop.call_soon_threadsafe(arrive, sender, number)

    await asyncio.gather(*(asyncio.to_thread(send, sender) for sender in range(6)))
    await asyncio.sleep(0)
    assert len(arrived) == 12_000
    for sender in range(6):
        assert [number for each, number in arrived if each == sender] == list(range(2000))


@both
async def test_a_call_from_a_thread_wakes_an_idle_loop() -> None:
    loop = asyncio.get_running_loop()
    alarm = loop.call_later(60, int)
    for number in range(200):
        heard = loop.create_future()
        thread = threading.Thread(target=loop.call_soon_threadsafe, args=(heard.set_result, number))
        thread.start()
        assert await heard == number
        thread.join()
    alarm.cancel()


@both
async def test_a_coroutine_can_be_run_from_a_thread() -> None:
    loop = asyncio.get_running_loop()

    async def answer() -> int:
        await asyncio.sleep(0.001)
        return 42

    assert await asyncio.to_thread(lambda: asyncio.run_coroutine_threadsafe(answer(), loop).result(60)) == 42


# ----------------------------------------------------------------------------------------- the executors


@both
async def test_a_call_that_has_not_begun_can_be_cancelled(gate: threading.Event) -> None:
    loop: Any = asyncio.get_running_loop()
    ran: list[int] = []
    if isinstance(loop, Loop):
        loop._default_executor = DaemonThreads(limit=1)
    else:
        loop.set_default_executor(concurrent.futures.ThreadPoolExecutor(1))
    first = loop.run_in_executor(None, gate.wait)
    second = loop.run_in_executor(None, ran.append, 1)
    second.cancel()
    await asyncio.sleep(0)  # asyncio passes it on in the next turn
    gate.set()
    await first
    with pytest.raises(asyncio.CancelledError):
        await second
    await loop.run_in_executor(None, int)
    assert ran == []


@both
async def test_an_executor_of_ones_own_is_used_and_another_kind_refused() -> None:
    loop: Any = asyncio.get_running_loop()
    with pytest.raises(TypeError, match="ThreadPoolExecutor"):
        loop.set_default_executor(DaemonThreads())
    loop.set_default_executor(concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="mine"))
    assert (await asyncio.to_thread(threading.current_thread)).name.startswith("mine")
    with concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="another") as executor:
        thread = await loop.run_in_executor(executor, threading.current_thread)
    assert thread.name.startswith("another")


@both
async def test_a_pool_of_processes() -> None:
    loop = asyncio.get_running_loop()
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        results = await asyncio.gather(*(loop.run_in_executor(pool, abs, -number) for number in range(8)))
    assert results == list(range(8))


def test_threads_are_made_when_needed_and_used_again() -> None:
    pool = DaemonThreads(limit=3, name="pool")
    assert {pool.submit(threading.current_thread).result(60).name for _ in range(20)} == {"pool-1"}
    gate = threading.Barrier(4)
    futures = [pool.submit(gate.wait, 60) for _ in range(3)]
    later = pool.submit(threading.current_thread)
    assert not later.done()
    gate.wait(60)
    concurrent.futures.wait(futures, 60)
    assert later.result(60).name in {"pool-1", "pool-2", "pool-3"}
    pool.shutdown()
    assert not any(thread.name.startswith("pool-") for thread in threading.enumerate())
    with pytest.raises(RuntimeError, match="after shutdown"):
        pool.submit(int)


def test_what_is_queued_is_done_or_cancelled_at_the_end() -> None:
    for cancel in (False, True):
        pool = DaemonThreads(limit=1)
        gate = threading.Event()
        first = pool.submit(gate.wait, 60)
        while not first.running():
            time.sleep(0.001)
        queued = [pool.submit(int) for _ in range(3)]
        pool.shutdown(wait=False, cancel_futures=cancel)
        gate.set()
        assert pool.join(60)
        assert [each.cancelled() for each in queued] == [cancel] * 3
        pool.shutdown()  # again, and nothing to wait for


def test_a_thread_keeps_nothing_of_its_last_call_alive() -> None:
    class Thing:
        pass

    pool = DaemonThreads(limit=1)
    thing = Thing()
    reference = weakref.ref(thing)
    assert pool.submit(lambda it: it, thing).result(60) is thing
    del thing
    pool.submit(int).result(60)
    gc.collect()
    assert reference() is None
    with pytest.raises(ValueError, match="one"):
        pool.submit(fail, ValueError("one")).result(60)
    pool.shutdown()


# --------------------------------------------------------------------------------------------- the end


@both
async def test_the_executors_end_is_waited_for() -> None:
    loop = asyncio.get_running_loop()
    ended: list[str] = []

    def work() -> None:
        time.sleep(0.05)
        ended.append("work")

    future = loop.run_in_executor(None, work)
    await asyncio.sleep(0)
    await loop.shutdown_default_executor()
    assert ended == ["work"]
    await future
    with pytest.raises(RuntimeError, match="shutdown"):
        loop.run_in_executor(None, int)
    await loop.shutdown_default_executor()


async def test_the_loop_goes_on_while_the_executor_ends(gate: threading.Event) -> None:
    loop = asyncio.get_running_loop()
    future = loop.run_in_executor(None, gate.wait)
    ending = asyncio.create_task(loop.shutdown_default_executor())
    await asyncio.sleep(0.01)
    assert not ending.done()
    gate.set()
    await ending
    assert future.done()


async def test_what_is_busy_for_too_long_is_left_behind(gate: threading.Event) -> None:
    loop: Any = asyncio.get_running_loop()
    future = loop.run_in_executor(None, gate.wait)
    with pytest.warns(RuntimeWarning, match=r"did not finish joining its threads within 0\.01 seconds"):
        await loop.shutdown_default_executor(0.01)
    assert not future.done()
    gate.set()
    assert await future


async def test_waiting_for_the_end_can_be_cancelled(gate: threading.Event) -> None:
    loop = asyncio.get_running_loop()
    loop.run_in_executor(None, gate.wait)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(loop.shutdown_default_executor(), 0.01)
    gate.set()


@pytest.mark.parametrize("runs", [0, 1])
def test_close_waits_for_no_thread(window: Loop, gate: threading.Event, runs: int) -> None:
    future = window.run_in_executor(None, gate.wait)
    for _ in range(runs):
        window.run_until_complete(asyncio.sleep(0.001))
    window.close()
    assert not future.done()
    gate.set()  # the thread ends after the loop is closed, and says nothing of it


def run(script: str) -> subprocess.CompletedProcess[str]:
    head = (
        "import asyncio, sys, threading, time\n"
        "from PySide6.QtWidgets import QApplication\n"
        "from stepfast_desktop.qt.loop.loop import Loop\n"
        "from stepfast_desktop.qt.loop.running import run\n"
        "application = QApplication([])\n"
    )
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-W", "default", "-c", head + script],
        capture_output=True,
        text=True,
        timeout=100,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )


def test_a_thread_may_ring_while_its_loop_is_closed_and_freed() -> None:
    """What waits in Qt's queue must not be for an object that is gone: that crashed within a second."""
    done = run(
        "loops, stop = [None], False\n"
        "def ring():\n"
        "    while not stop:\n"
        "        loop = loops[0]\n"
        "        try:\n"
        "            loop and loop.call_soon_threadsafe(int)\n"
        "        except RuntimeError:\n"
        "            time.sleep(0)\n"
        "        del loop\n"
        "threads = [threading.Thread(target=ring) for _ in range(2)]\n"
        "for each in threads: each.start()\n"
        "end = time.monotonic() + 3\n"
        "while time.monotonic() < end:\n"
        "    loop = loops[0] = Loop(application)\n"
        "    loop.run_until_complete(asyncio.sleep(0))\n"
        "    loop.close()\n"
        "    loops[0] = None\n"
        "    del loop\n"
        "    application.processEvents()\n"
        "stop = True\n"
        "for each in threads: each.join()\n"
        "print('lives')\n"
    )
    assert (done.stdout, done.stderr, done.returncode) == ("lives\n", "", 0)


def test_a_program_ends_though_a_thread_is_busy_for_ever() -> None:
    done = run(
        "async def main():\n"
        "    asyncio.get_running_loop().run_in_executor(None, time.sleep, 1000)\n"
        "    await asyncio.sleep(0.01)\n"
        "    return 'returned'\n"
        "print(run(main(), application, patience=0.1))\n"
    )
    assert (done.stdout, done.returncode) == ("returned\n", 0)
    assert done.stderr == "left behind, since they are still busy: loop-thread-1\n"


def test_a_loop_that_is_closed_by_hand_ends_the_program_too() -> None:
    done = run(
        "loop = Loop(application)\n"
        "loop.run_in_executor(None, time.sleep, 1000)\n"
        "loop.run_until_complete(asyncio.sleep(0.01))\n"
        "loop.close()\n"
        "print('closed')\n"
    )
    assert (done.stdout, done.stderr, done.returncode) == ("closed\n", "", 0)


def test_exit_on_a_thread_is_not_the_programs() -> None:
    done = run(
        "async def main():\n"
        "    try:\n"
        "        await asyncio.to_thread(sys.exit, 3)\n"
        "    except Exception as error:\n"
        "        print(error)\n"
        "    return 'goes on'\n"
        "print(run(main(), application))\n"
    )
    assert done.stdout == "SystemExit was raised on the thread loop-thread-1: 3\ngoes on\n"
    assert (done.stderr, done.returncode) == ("", 0)
