"""A process of its own that copies a folder, for the tests: without privileges, or killed at a moment.

It is told in JSON what to do, and prints in JSON what came of it. `kill_at` is the number of the call,
of those that change the disk, in place of which the process kills itself with SIGKILL. With `kill_in` it
does so before it writes anything behind so many bytes of a file, once the file's bookmark is on disk: that
is written up to a quarter of a second late, and a fast disk takes a whole file in that time.
"""

import asyncio
import json
import os
import signal
import sqlite3
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stepfast import Engine
from stepfast_desktop.workflows import ALL
from stepfast_desktop.workflows.copy_folder import copy_folder

NOBODY = 65534
CHANGES = ("replace", "fsync", "mkdir", "unlink", "symlink", "utime", "chmod", "write")


async def copy(database: Path, source: Path, destination: Path, options: dict[str, Any]) -> dict[str, Any]:
    async with Engine.open(database, ALL) as engine:
        inputs = {key: options[key] for key in ("verify", "existing") if key in options}
        handle = await engine.start(copy_folder(source, destination, **inputs), id=options.get("id", "copy"))
        if (await handle.summary()).state.name == "failed":
            await engine.retry(handle.id)
        await handle.finished()
        details = await engine.get(handle.id)
        return {
            "state": details.summary.state.name,
            "result": details.result,
            "failure": details.failure and [details.failure.type, details.failure.message],
            "problems": [[each.about, each.message] for each in details.problems],
            "steps": [record.name for record in await engine.history(handle.id)],
        }


def without_privileges() -> None:
    """Become nobody, who is held to permissions; root is not. What is imported late is imported before."""
    with tempfile.TemporaryDirectory() as warm:
        source = Path(warm, "source")
        source.mkdir()
        source.joinpath("file").write_bytes(b"1")
        asyncio.run(copy(Path(warm, "warm.db"), source, Path(warm, "destination"), {}))
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def kill_at(number: int) -> None:
    calls = 0

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **kwargs)

        return counting

    for name in CHANGES:
        call = getattr(os, name)
        wrapped = counted(call)
        # os.utime says by membership here what it can do.
        if call in os.supports_follow_symlinks:
            os.supports_follow_symlinks.add(wrapped)
        setattr(os, name, wrapped)


def kill_in(position: int, database: Path) -> None:
    write = os.write

    def writing(descriptor: int, data: Any) -> int:
        # Of a pipe or a socket there is no position; the engine rings with those.
        about = os.fstat(descriptor)
        if stat.S_ISREG(about.st_mode) and about.st_size >= position:
            until_bookmarked(database)
            os.kill(os.getpid(), signal.SIGKILL)
        return write(descriptor, data)

    os.write = writing


def until_bookmarked(database: Path) -> None:
    reader = sqlite3.connect(database)
    end = time.monotonic() + 90
    while reader.execute("SELECT count(*) FROM stepfast_bookmarks").fetchone() == (0,):
        if time.monotonic() > end:
            raise TimeoutError("no bookmark was written in 90 seconds")
        time.sleep(0.01)


def main() -> None:
    options = json.loads(sys.argv[1])
    if options.get("nobody") and os.geteuid() == 0:
        without_privileges()
    if "kill_at" in options:
        kill_at(options["kill_at"])
    if "kill_in" in options:
        kill_in(options["kill_in"], Path(options["database"]))
    source, destination = (
        Path(os.fsdecode(bytes.fromhex(options[key]))) for key in ("source", "destination")
    )
    print(json.dumps(asyncio.run(copy(Path(options["database"]), source, destination, options))))


main()
