"""Engines that do what a test tells them, several in one process if need be; to be stopped and killed.

    puppet.py DATABASE

It is told by lines on its standard input, NUMBER ENGINE VERB WORD..., and says on its standard output, by
lines ENGINE WORD..., that it did so (`ok NUMBER`) and what its workflows do. Each engine has a thread and a
loop of its own, and a clock that moves when it is told to; `clock=real` gives it the machine's.
"""

import asyncio
import contextlib
import ctypes
import importlib
import inspect
import multiprocessing
import os
import signal
import sqlite3
import sys
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from stepfast import Engine, Run, Transaction, workflow
from stepfast.sqlite import durable
from stepfast.sqlite.engines import neighbours
from stepfast.sqlite.log.wal import Wal
from stepfast.system.clock import LONGEST_WAIT, SystemClock
from stepfast.testing import VirtualClock

DATABASE = Path(sys.argv[1])
# Nothing is copied out of the log: a process that a test stops while it does that has the write lock.
assert callable(Wal.written)
Wal.written = lambda _wal, _calls: None  # type: ignore[method-assign]


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


class RealClock(SystemClock):
    """The machine's clocks, with a wall clock that can be set."""

    def __init__(self) -> None:
        self._offset = 0.0

    def time(self) -> float:
        return super().time() + self._offset

    def jump_wall(self, seconds: float) -> None:
        self._offset += seconds


class ToldClock(VirtualClock):
    """Knows besides whether the worker has nothing to do until some later time."""

    def __init__(self) -> None:
        super().__init__()
        self._worker_waits_until = 0.0

    @property
    def quiet(self) -> bool:
        return self.monotonic() < self._worker_waits_until

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        task = asyncio.current_task()
        if task is None or task.get_name() != "stepfast worker":
            await super().wait(event, seconds)
            return
        self._worker_waits_until = self.monotonic() + min(seconds, LONGEST_WAIT)
        try:
            await super().wait(event, seconds)
        finally:
            self._worker_waits_until = 0.0


class Gates:
    """What steps wait for, until they are let go."""

    def __init__(self) -> None:
        self._events: dict[str, threading.Event] = {}
        self._lock = threading.Lock()

    def __getitem__(self, id: str) -> threading.Event:
        with self._lock:
            return self._events.setdefault(id, threading.Event())


class Puppet:
    """One engine on a thread of its own."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.gates = Gates()
        self.runs: dict[str, Run] = {}
        self.unblock = threading.Event()
        self.loop = asyncio.new_event_loop()
        self._ending = asyncio.Event()
        self.clock: ToldClock | RealClock = ToldClock()
        self.engine: Engine
        self.thread = threading.Thread(target=self._live, name=name, daemon=True)
        self._pools: list[ProcessPoolExecutor] = []

    def say(self, *words: object) -> None:
        say(self.name, *words)

    # --- its workflows ----------------------------------------------------------------------------

    def definitions(self, offered: str) -> list[Any]:
        """All of `workflows`, or those whose names are joined by commas; bound to this engine."""

        @workflow("hold")
        async def hold(run: Run) -> str:
            """A step on the loop that lasts until it is let go, and is paid for."""
            return await self._hold(run, self._wait)

        @workflow("keep")
        async def keep(run: Run) -> str:
            """The same on a thread, which cannot be made to let go."""
            return await self._hold(run, self._keep)

        @workflow("nap")
        async def nap(run: Run, seconds: float = 3600.0) -> str:
            await run.sleep("nap", timedelta(seconds=seconds))
            self.say("woke", run.id)
            return self.name

        @workflow("doze")
        async def doze(run: Run) -> str:
            """A sleep beside a step, so that the pass goes on meanwhile."""
            by, _ = await asyncio.gather(self._hold(run, self._wait), self._doze(run))
            return by

        @workflow("brief")
        async def brief(run: Run) -> str:
            return await run.step("brief", lambda: self.name)

        @workflow("own")
        async def own(run: Run) -> str:
            """What only this engine offers, where the test has it so."""
            self.say("does", run.id)
            return self.name

        made = {each.name: each for each in (hold, keep, nap, doze, brief, own)}
        return list(made.values()) if offered == "all" else [made[each] for each in offered.split(",")]

    async def _hold(self, run: Run, effect: Callable[[str], Any]) -> str:
        self.runs[run.id] = run
        await run.transact("table", make_table)
        by = await run.step("hold", effect, run.id)
        await run.transact("paid", lambda transaction: self._paid(transaction, run.id))
        return by

    async def _doze(self, run: Run) -> None:
        await run.sleep("doze", timedelta(hours=1))
        self.say("woke", run.id)

    async def _wait(self, id: str) -> str:
        self.say("holds", id)
        try:
            while not self.gates[id].is_set():
                await asyncio.sleep(0.002)
        except asyncio.CancelledError:
            self.say("gives-up", id)
            raise
        return self.name

    def _keep(self, id: str) -> str:
        self.say("holds", id)
        self.gates[id].wait()
        self.gates[id].clear()  # whoever does it again waits again
        self.say("lets-go", id)
        return self.name

    def _paid(self, transaction: Transaction, id: str) -> None:
        transaction.execute("INSERT INTO ledger (workflow, engine) VALUES (?, ?)", (id, self.name))

    # --- what it is told --------------------------------------------------------------------------

    def do(self, number: str, verb: str, words: list[str]) -> None:
        """Begin what it is told; the answer may come later. Called on the main thread."""
        act: Callable[..., Any] = getattr(self, f"do_{verb}")
        if not inspect.iscoroutinefunction(act):
            act(*words)
            self.say("ok", number)
            return

        async def answered() -> None:
            await act(*words)
            self.say("ok", number)

        asyncio.run_coroutine_threadsafe(answered(), self.loop).add_done_callback(self._report)

    def _report(self, done: Any) -> None:
        if not done.cancelled() and done.exception() is not None:
            self.say("failed", repr(done.exception()))

    async def do_start(self, name: str, *ids: str) -> None:
        (definition,) = self.definitions(name)
        await asyncio.gather(*(self.engine.start(definition(), id=id) for id in ids))

    async def do_pause(self, id: str) -> None:
        await self.engine.pause(id)

    async def do_advance(self, seconds: str, by: str = "2") -> None:
        """Let time pass, in small steps, each of them once the worker has done what was due before."""
        assert isinstance(self.clock, ToldClock)
        left = float(seconds)
        while left > 0:
            await self._quiet()
            self.clock.advance(min(left, float(by)))
            left -= float(by)
        await self._quiet()

    async def do_skip(self, seconds: str) -> None:
        """Let time pass at once, as it does for a process that is stopped, and do not wait for anything."""
        assert isinstance(self.clock, ToldClock)
        self.clock.advance(float(seconds))

    async def do_jump(self, seconds: str) -> None:
        """Set the wall clock."""
        self.clock.jump_wall(float(seconds))

    async def do_quiet(self) -> None:
        await self._quiet()

    async def _quiet(self) -> None:
        """Wait until the worker waits for time to pass."""
        while isinstance(self.clock, ToldClock) and not self.clock.quiet:
            await asyncio.sleep(0.001)

    def do_let(self, id: str) -> None:
        """Let the step of a workflow go on."""
        self.gates[id].set()

    async def do_note(self, id: str, text: str) -> None:
        """Something to be written for a running workflow within a quarter of a second."""
        self.runs[id].progress(1, 2, text)
        self.runs[id].log(text)

    def do_arm(self, point: str, number: str) -> None:
        arm(point, signal.Signals[number], self._let_write)

    async def do_stop(self) -> None:
        self._let_write()
        send(signal.SIGSTOP)

    def _let_write(self) -> None:
        """Wait until the writer has nothing to do: one that is stopped in a commit stops everybody's."""
        written = threading.Event()
        self.engine.durable._store.writer.do(lambda _: written.set())  # type: ignore[attr-defined]
        written.wait()
        with closing(sqlite3.connect(DATABASE, isolation_level=None, timeout=60)) as connection:
            connection.execute("BEGIN IMMEDIATE")  # the commit that this was part of is over
            connection.execute("ROLLBACK")

    def do_fork(self) -> None:
        """A child of the program, made by a thread that is not the engine's; idle from then on."""
        if not os.fork():
            self.say("child")
            signal.pause()

    async def do_forkhere(self) -> None:
        """The same, on the engine's own loop."""
        self.do_fork()

    def do_rawfork(self) -> None:
        """By C code, which tells no Python of it."""
        if not ctypes.CDLL(None).fork():
            self.say("child")
            signal.pause()

    def do_pool(self) -> None:
        """A forked pool, idle after its first task."""
        context = multiprocessing.get_context("fork")
        pool = ProcessPoolExecutor(2, context, self.say, ("child",))
        list(pool.map(abs, range(4)))
        self._pools.append(pool)

    def do_block(self) -> None:
        """Block the loop, until `unblock`."""
        self.loop.call_soon_threadsafe(self._block)

    def _block(self) -> None:
        self.say("blocked")
        self.unblock.wait()

    def do_unblock(self) -> None:
        self.unblock.set()

    def do_drop(self) -> None:
        """The engine crashes and its process does not: its loop ends in the middle of everything."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()

    def do_close(self) -> None:
        self.loop.call_soon_threadsafe(self._ending.set)
        self.thread.join()

    def do_open(self, *options: str) -> None:
        """Options: `offers=hold,own` (all), `room=1` (256 at once), `clock=real` (one that is told), and
        `slow=never`, for the process, that nothing is found by the slow look of every 30 s."""
        self._options = dict(each.split("=") for each in options)
        if self._options.get("slow") == "never":
            neighbours.SLOW_SECONDS = durable.SLOW_SECONDS = 3600.0
        if self._options.get("clock") == "real":
            self.clock = RealClock()
        self.thread.start()

    # --- its life ---------------------------------------------------------------------------------

    def _live(self) -> None:
        asyncio.set_event_loop(self.loop)
        with contextlib.suppress(
            RuntimeError
        ):  # it was dropped: "Event loop stopped before Future completed"
            self.loop.run_until_complete(self._work())

    async def _work(self) -> None:
        definitions = self.definitions(self._options.get("offers", "all"))
        room = int(self._options.get("room", 256))
        async with Engine.open(DATABASE, definitions, clock=self.clock, concurrency=room) as self.engine:
            await self._quiet()
            self.say("opened")
            await self._ending.wait()
        self.say("closed")


def make_table(transaction: Transaction) -> None:
    # Nothing in it is unique: what is written twice is to be seen.
    transaction.execute("CREATE TABLE IF NOT EXISTS ledger (workflow TEXT, engine TEXT)")


def send(number: signal.Signals) -> None:
    """To this process, by way of this thread: else it may run on until another has taken the signal."""
    signal.pthread_kill(threading.get_ident(), number)


def arm(point: str, number: signal.Signals, quiet: Callable[[], None]) -> None:
    """Have this process send itself a signal before or after the next call of a function, wherever it is.

    Args:
        point: MODULE:FUNCTION:before or :after.
        number: the signal.
        quiet: called before a SIGSTOP on the engine's loop.
    """
    module, path, when = point.split(":")
    place: Any = importlib.import_module(module)
    *parents, name = path.split(".")
    for each in parents:
        place = getattr(place, each)
    really = getattr(place, name)

    def disarm(at: str) -> None:
        if at == when:
            setattr(place, name, really)
            if number is signal.SIGSTOP and threading.current_thread().name in ENGINES:
                quiet()
            send(number)

    def armed(*args: Any, **kwargs: Any) -> Any:
        disarm("before")
        value = really(*args, **kwargs)
        disarm("after")
        return value

    async def armed_coroutine(*args: Any, **kwargs: Any) -> Any:
        disarm("before")
        waited: Awaitable[Any] = really(*args, **kwargs)
        value = await waited
        disarm("after")
        return value

    setattr(place, name, armed_coroutine if inspect.iscoroutinefunction(really) else armed)


ENGINES: dict[str, Puppet] = {}


def main() -> None:
    for line in iter(sys.stdin.readline, ""):
        number, name, verb, *words = line.split()
        if name not in ENGINES:
            ENGINES[name] = Puppet(name)
        ENGINES[name].do(number, verb, words)


if __name__ == "__main__":
    main()
