"""Waiting, in a test, until a workflow is where the test wants it."""

from __future__ import annotations

import asyncio

from stepfast.engine import Engine
from stepfast.state import STATES

__all__ = ["reached"]

SECONDS = 10.0


async def reached(engine: Engine, id: str, *states: str, seconds: float = SECONDS) -> str:
    """Wait until a workflow is in one of `states`; returns that state's name.

    Told by commits, so it takes no longer than the workflow does, whatever a `VirtualClock` shows.

    Args:
        engine: an engine over the store; it need not be the one that carries the workflow out.
        id: which workflow.
        states: names of states, such as "sleeping", "waiting", "completed".
        seconds: of real time, after which it is given up.

    Raises:
        AssertionError: it did not come there in time; the message says where it is instead.
        ValueError: there is no such state.
        UnknownWorkflow: there is no such workflow.
    """
    if unknown := [each for each in states if each not in STATES]:
        raise ValueError(f"there is no state {unknown[0]!r}; there are: {', '.join(STATES)}")
    changed = asyncio.Event()
    stop = engine.listen(lambda _signal: changed.set())
    try:
        async with asyncio.timeout(seconds):
            while True:
                changed.clear()
                summary = await engine.summary(id)
                if summary.state.name in states:
                    return summary.state.name
                await changed.wait()
    except TimeoutError:
        details = await engine.get(id)
        state, wanted = details.summary.state, " or ".join(states)
        failure = f" ({details.failure.type}: {details.failure.message})" if details.failure else ""
        raise AssertionError(
            f"{id!r} was to be {wanted} within {seconds:g} s, and is {state}{failure}"
        ) from None
    finally:
        stop()
