"""Where the time of a measurement goes: a profile of each thread of this process."""

from __future__ import annotations

import cProfile
import io
import pstats
import sys
import threading
from collections.abc import Awaitable, Callable

from measuring import steps, waking
from measuring.sizes import Place
from stepfast import Engine

__all__ = ["PROFILES", "profile"]

MOST_LINES = 15
# Of the engine's threads, those that a step or a wakeup goes through.
THREADS = ("stepfast-writer", "stepfast-reader")

Work = Callable[[Engine, Place], Awaitable[object]]
PROFILES: dict[str, Work] = {
    "in-a-row": lambda engine, place: steps.in_a_row(engine, 4 * place.sizes.in_a_row),
    "many": lambda engine, place: steps.many_at_once(engine, place.sizes.workflows, place.sizes.steps_each),
    "waking": lambda engine, place: waking.wakes(
        engine, waking.own(engine), place.sizes.wakes, place.sizes.pause
    ),
}


async def profile(name: str, place: Place) -> str:
    """The functions that cost most, by their own time, thread by thread.

    What a thread waits for is in there as time of the call that waits: `acquire`, `get`, `poll`.
    """
    threads: dict[str, cProfile.Profile] = {}

    def profile_this_thread(*_: object) -> None:
        threads[threading.current_thread().name] = mine = cProfile.Profile()
        sys.setprofile(None)
        mine.enable()

    threading.setprofile(profile_this_thread)
    definitions = [*steps.DEFINITIONS, *waking.DEFINITIONS]
    try:
        async with Engine.open(place.file("profile"), definitions) as engine:
            await steps.in_a_row(engine, 10)
            with cProfile.Profile() as loop:
                await PROFILES[name](engine, place)
    finally:
        threading.setprofile(None)
    told = {"the loop": loop, **{name: each for name, each in threads.items() if name.startswith(THREADS)}}
    return "\n".join(_told(thread, made) for thread, made in told.items())


def _told(thread: str, made: cProfile.Profile) -> str:
    text = io.StringIO()
    pstats.Stats(made, stream=text).strip_dirs().sort_stats("tottime").print_stats(MOST_LINES)
    return f"\n## {thread}\n{text.getvalue().rstrip()}"
