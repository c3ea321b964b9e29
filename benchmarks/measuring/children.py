"""Processes of a measurement's own: modules of this package that are told what to do, a line at a time."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

__all__ = ["Child", "child", "listen", "say"]

LONGEST_LINE = 1 << 24  # a minute of beats, say
HERE = str(Path(__file__).resolve().parents[1])


class Child:
    """A process that answers each line that it is told with a line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def hear(self) -> Any:
        """The next thing that it says; raises where it has ended instead."""
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        if not line:
            raise RuntimeError("a process of the benchmark has ended before it was done; see above")
        return json.loads(line)

    async def ask(self, *words: object) -> Any:
        """Tell it something and hear what it says."""
        self.tell(*words)
        return await self.hear()

    def tell(self, *words: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words).encode() + b"\n")

    async def end(self) -> None:
        """Close its input, by which it knows that it is over, and wait for it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(30):
                await self._process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()


@asynccontextmanager
async def child(module: str, *arguments: object) -> AsyncIterator[Child]:
    """`python -m measuring.MODULE ARGUMENTS`, once it has said that it is ready; it ends with the block."""
    path = os.pathsep.join(filter(None, [HERE, os.environ.get("PYTHONPATH", "")]))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        f"measuring.{module}",
        *map(str, arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=LONGEST_LINE,
        env={**os.environ, "PYTHONPATH": path},
    )
    made = Child(process)
    try:
        assert await made.hear() == "ready"
        yield made
    finally:
        await made.end()


# --- in the child ---------------------------------------------------------------------------------


async def listen() -> AsyncIterator[list[Any]]:
    """Say that this process is ready, then give what it is told, until there is no more."""
    say("ready")
    loop = asyncio.get_running_loop()
    # A thread of its own: those of the loop's own pool are for what is measured.
    with ThreadPoolExecutor(1) as ear:
        while line := await loop.run_in_executor(ear, sys.stdin.readline):
            yield json.loads(line)


def say(value: object) -> None:
    print(json.dumps(value), flush=True)
