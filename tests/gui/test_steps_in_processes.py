"""Steps in processes on the window's loop, which hears of what becomes of them as asyncio's does."""

from __future__ import annotations

import asyncio
import functools
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine, ProcessDied, Run, workflow
from stepfast.processes import Processes

both = pytest.mark.asyncio(loop_factories=["window", "asyncio"])


def asked(call: Any, log: list[str]) -> Any:
    return Processes().run(
        call,
        name="s",
        log=lambda _level, text: log.append(text),
        progress=lambda *_: None,
        bookmarked=lambda _: None,
    )


@workflow("factorial")
async def factorial(run: Run, number: int) -> int:
    return await run.step("compute", math.factorial, number, where="process")


@both
async def test_a_value_a_crash_and_output_arrive() -> None:
    log: list[str] = []
    assert await asked(functools.partial(math.factorial, 20), log) == math.factorial(20)
    with pytest.raises(ProcessDied, match="exited with code 3"):
        await asked(functools.partial(os._exit, 3), log)
    await asked(functools.partial(print, "said"), log)
    assert log == ["said"]


@both
async def test_a_cancelled_one_has_ended() -> None:
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    before = children.read_text().split() if sys.platform == "linux" else []
    sleeping = asyncio.ensure_future(asked(functools.partial(time.sleep, 1000), []))
    await asyncio.sleep(0.5)
    sleeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sleeping
    assert sys.platform != "linux" or set(children.read_text().split()) <= set(before)


@both
async def test_an_engine_runs_them(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "work.db", [factorial], backups=False) as engine:
        handle = await engine.start(factorial(30), id="f")
        turns = 0
        result = asyncio.ensure_future(handle.result())
        while not result.done():
            await asyncio.sleep(0.001)
            turns += 1
        assert await result == math.factorial(30)
        assert turns > 10


def test_the_program_serves_as_the_process_of_a_step() -> None:
    """As a frozen one is started; nobody asks anything of it here, so it ends."""
    started = [sys.executable, "-m", "stepfast_desktop", "--stepfast-step"]
    ended = subprocess.run(started, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, b"", b"")
