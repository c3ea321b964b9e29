"""What a person waits for in the window: each figure beside an empty window, in the same run.

    QT_QPA_PLATFORM=offscreen python benchmarks/window.py [--quick] [--only NAME ...] [--workflows 100000]
                              [--lock SECONDS] [--seconds SECONDS] [--idle SECONDS] [--changes 240000]

Without `--only` it measures everything, in about six minutes: launch, looking (a page, a keystroke of
search), stalls (beside running workflows), locked (a foreign program holds the write lock), quiet (idle, and
hidden) and memory. Each window is a process of its own. Nothing else should be at work on the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

from measuring.figures import header
from measuring.window import launch, looking, memory, quiet, stalls
from measuring.window.figures import TITLES, Figure
from measuring.window.sizes import FULL, QUICK, Place

PARTS: dict[str, Callable[[Place], AsyncIterator[Figure]]] = {
    "launch": launch.measure,
    "looking": looking.measure,
    "stalls": stalls.measure,
    "locked": stalls.locked,
    "quiet": quiet.measure,
    "memory": memory.measure,
}
# What the options set.
OPTIONS = {
    "workflows": "workflows",
    "launches": "launches",
    "lock": "lock_seconds",
    "seconds": "stall_seconds",
    "idle": "idle_seconds",
    "changes": "changes",
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="a short run of everything, to see that it works"
    )
    parser.add_argument("--only", action="append", choices=[*PARTS], metavar="NAME", help=", ".join(PARTS))
    parser.add_argument("--folder", type=Path, help="where the files are made: on the disk to be measured")
    for name, sets in OPTIONS.items():
        usual = getattr(FULL, sets)
        parser.add_argument(f"--{name}", type=type(usual), help=f"{usual:g} by default")
    return parser.parse_args()


def machine() -> str:
    load = f", load {os.getloadavg()[0]:.1f} at the beginning" if hasattr(os, "getloadavg") else ""
    import PySide6

    return (
        f"{time.strftime('%Y-%m-%d')}, {platform.system()} {platform.release()} {platform.machine()}, "
        f"{os.cpu_count()} cores, Python {platform.python_version()}, PySide6 {PySide6.__version__}, "
        f"{os.environ.get('QT_QPA_PLATFORM', 'the default platform')}{load}"
    )


async def print_table(place: Place, parts: list[str]) -> bool:
    """Print it as it comes; True where every budget was met."""
    print(f"{machine()}\n\n{header(TITLES)}", flush=True)
    met = True
    for name in parts:
        async for figure in PARTS[name](place):
            print(figure, flush=True)
            met = met and figure.met is not False
    return met


def main() -> int:
    given = arguments()
    if sys.platform == "linux" and not any(os.environ.get(each) for each in ("DISPLAY", "WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    set_by = {OPTIONS[name]: value for name in OPTIONS if (value := getattr(given, name)) is not None}
    sizes = replace(QUICK if given.quick else FULL, **set_by)
    folder = Path(tempfile.mkdtemp(prefix="stepfast-benchmark-", dir=given.folder))
    try:
        met = asyncio.run(print_table(Place(folder, sizes), given.only or [*PARTS]))
    finally:
        shutil.rmtree(folder)
    return 0 if met or given.quick else 1


if __name__ == "__main__":
    sys.exit(main())
