"""`stepfast service`: a worker that runs whenever its user is logged in."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence

from stepfast_desktop.service import Status, service_of, worker_of

from .contract import Exit
from .place import Place, UsageError

__all__ = ["service"]


async def service(place: Place, verb: str, *, boot: bool, loads: Sequence[str]) -> int:
    """Install, look at or remove the worker of this data folder; `loads` is what `--load` named just now.

    Raises `UsageError`, and `ServiceError` with what to do.
    """
    if boot and verb != "install":
        raise UsageError("--boot goes with `service install` only")
    console, way = place.console, service_of()
    # What is remembered may be looked for in the current folder, as it was when it was first given.
    worker = worker_of(place.path.parent, loads, here=bool(place.program.loads), environment=dict(os.environ))
    match verb:
        case "install":
            status = await asyncio.to_thread(way.install, worker, boot=boot)
            console.out(status.place)
            console.say("\n".join(["installed; " + _running(status), *status.notes]))
            return Exit.DONE
        case "remove":
            before = await asyncio.to_thread(way.remove, worker.name)
            if before is None:
                console.say(f"nothing is installed for {worker.data}, so there is nothing to remove")
            else:
                console.out(before.place)
                console.say("removed; workflows that it ran are parked, and carry on with the next worker")
            return Exit.DONE
        case _:
            status = await asyncio.to_thread(way.status, worker.name)
            installed = "installed" if status.installed else "not installed"
            console.out(f"{installed}; {_running(status)}")
            console.out(status.place)
            if status.notes:
                console.say("\n".join(status.notes))
            return Exit.DONE if status.installed and status.running else Exit.FAILED


def _running(status: Status) -> str:
    match status.running:
        case True:
            return "it is running"
        case False:
            return "it is not running"
        case None:
            return "whether it runs cannot be told"
