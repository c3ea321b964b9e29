"""Steps in processes on the window's loop, which hears of what becomes of them as asyncio's does."""

from __future__ import annotations

import asyncio
import functools
import math
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine, ProcessDied, Run, workflow
from stepfast.processes.running import Processes

both = pytest.mark.asyncio(loop_factories=["window", "asyncio"])


def asked(call: Any, log: list[str]) -> Any:
    return Processes().run(
        call,
        name="s",
        log=lambda _level, text: log.append(text),
        progress=lambda *_: None,
        bookmarked=lambda _: None,
    )


@workflow("reading")
async def reading(run: Run, file: Path) -> str:
    return await run.step("read", Path.read_text, file, where="process")


def children() -> set[str]:
    """The processes that any thread of this one has begun, and that have not ended."""
    found: set[str] = set()
    for each in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended
            found.update(each.read_text().split())
    return found


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
    before = children()
    sleeping = asyncio.ensure_future(asked(functools.partial(time.sleep, 1000), []))
    while sys.platform == "linux" and children() <= before:
        await asyncio.sleep(0.01)
    sleeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sleeping
    assert children() <= before


@both
@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders")
async def test_an_engine_runs_them_and_the_loop_goes_on_meanwhile(tmp_path: Path) -> None:
    file = tmp_path / "pipe"
    os.mkfifo(file)
    async with Engine.open(tmp_path / "work.db", [reading], backups=False) as engine:
        handle = await engine.start(reading(file), id="r")
        for _ in range(20):
            await asyncio.sleep(0.001)
        # Before this it cannot end; and nobody can write before the process is there and reads.
        await asyncio.to_thread(file.write_text, "written")
        assert await handle.result() == "written"


def test_the_program_serves_as_the_process_of_a_step() -> None:
    """As a frozen one is started; nobody asks anything of it here, so it ends."""
    started = [sys.executable, "-m", "stepfast_desktop", "--stepfast-step"]
    ended = subprocess.run(started, stdin=subprocess.DEVNULL, capture_output=True, timeout=100)
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, b"", b"")
