"""From the start of the process to a window that can be used: its rows are read and painted."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from measuring.window.figures import Figure, middle
from measuring.window.files import copied, filled_once
from measuring.window.sizes import Place

__all__ = ["Launched", "launched", "measure"]

MOST = 100.0
HERE = str(Path(__file__).resolve().parents[2])


@dataclass(frozen=True)
class Launched:
    """What one launch took: milliseconds of the clock and of the CPU, and megabytes once it could be used."""

    took: float
    cpu: float
    held: float


async def measure(place: Place) -> AsyncIterator[Figure]:
    none = place.folder / "launch-none"
    none.mkdir()
    some = copied(await filled_once(place), place.folder / "launch-some")
    kinds = {"empty": None, "none": none, "some": some}
    found: dict[str, list[Launched]] = {each: [] for each in kinds}
    # Once each for what is made at the first launch: settings, the day's backup, Python's own caches.
    for kind, folder in kinds.items():
        await launched(place, kind, folder)
    for _ in range(place.sizes.launches):
        for kind, folder in kinds.items():
            found[kind].append(await launched(place, kind, folder))
    workflows = f"{place.sizes.workflows:,} workflows"
    for kind, what, other in (
        ("none", "launch to usable, an empty file", "empty"),
        ("some", f"launch to usable, {workflows}", "empty"),
        ("some", f"the same beside our window of an empty file, {workflows}", "none"),
    ):
        beyond = statistics.median(each.took for each in found[kind]) - statistics.median(
            each.took for each in found[other]
        )
        yield Figure(
            what,
            f"{told(found[kind])}: {beyond:+.0f} ms",
            told(found[other]),
            f"+ {MOST:.0f} ms",
            beyond <= MOST,
        )


def told(found: list[Launched]) -> str:
    cpu = statistics.median(each.cpu for each in found)
    return f"{middle([each.took for each in found])}, CPU {cpu:.0f} ms"


def environment(place: Place) -> dict[str, str]:
    """Of a program that is installed, whose modules were compiled then; here they are at the first launch."""
    path = os.pathsep.join(filter(None, [HERE, os.environ.get("PYTHONPATH", "")]))
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": path, "PYTHONPYCACHEPREFIX": str(place.folder / "compiled")}


async def launched(place: Place, kind: str, folder: Path | None) -> Launched:
    """Launch a window: "empty", a plain one of Qt, or ours over the file of a folder ("none" or "some")."""
    began = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        f"{HERE}/measuring/window/launched.py",
        kind,
        str(folder),
        stdout=asyncio.subprocess.PIPE,
        env=environment(place),
    )
    assert process.stdout is not None
    said = await process.stdout.readline()
    if await process.wait() != 0 or not said:
        raise RuntimeError(f"the window ({kind}) did not open; see above")
    usable_at, cpu, held = json.loads(said)
    return Launched((usable_at - began) * 1000, cpu * 1000, held)
