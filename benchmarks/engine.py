"""What durability costs: each figure beside its floor or its peer, on the same disk, in the same run.

    python benchmarks/engine.py [--quick] [--only NAME] [--without-dbos] [--profile NAME] [--folder DIR]
                                [--sync MILLISECONDS]

The floor is what one thread can do that commits single rows (WAL, synchronous=FULL) and does nothing else.
It and the engine take turns in short rounds, since a disk's speed drifts; a ratio is of one round, and the
table gives the median over the rounds, with the range. The peer is DBOS on its SQLite database, which the
extra `bench` installs. Two more tables say what is left of the figures with one more thread busy in Python,
and how DBOS does the same work. All of it takes about ten minutes, the most of them idle.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import shutil
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

from measuring import busy, finished, idle, lists, loading, peer, steps, waking
from measuring.figures import TITLES, Row, header
from measuring.profiling import PROFILES, profile
from measuring.sizes import FULL, QUICK, Place
from measuring.slower_disk import on_a_slower_disk

Section = Callable[[Place], AsyncIterator[Row]]

ENGINE: dict[str, Section] = {
    "steps": steps.measure,
    "waking": waking.measure,
    "idle": idle.measure,
    "loading": loading.measure,
    "finished": finished.measure,
    "lists": lists.measure,
}
BUSY: dict[str, Section] = {"busy": busy.measure}
DBOS: dict[str, Section] = {"dbos": peer.measure}


async def print_tables(place: Place, wanted: set[str]) -> None:
    for title, titles, sections in (
        ("The engine", TITLES, ENGINE),
        ("With one more thread busy in Python", TITLES, BUSY),
        ("Beside DBOS on its SQLite database", peer.TITLES, DBOS),
    ):
        chosen = [section for name, section in sections.items() if name in wanted]
        if not chosen:
            continue
        print(f"\n## {title}\n", flush=True)
        if sections is DBOS:
            if (version := peer.installed()) is None:
                print("DBOS is not installed, so there is nothing to print: pip install 'stepfast[bench]'")
                continue
            print(f"DBOS {version}; it makes its file as it likes, logging is off but for errors.\n")
        print(header(titles), flush=True)
        for section in chosen:
            async for row in section(place):
                print(row, flush=True)


def machine(place: Place) -> str:
    """Date, machine and sizes, and how busy the machine was when it began."""
    sizes = place.sizes
    load = f", load {os.getloadavg()[0]:.1f} at the beginning" if hasattr(os, "getloadavg") else ""
    return (
        f"{time.strftime('%Y-%m-%d')}, {platform.system()} {platform.release()} {platform.machine()}, "
        f"{os.cpu_count()} cores, {platform.python_implementation()} {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}; {sizes.workflows} at once, {sizes.rounds} rounds{load}"
    )


def arguments() -> argparse.Namespace:
    names = [*ENGINE, *BUSY, *DBOS]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, help=f"{FULL.rounds} by default; more on a noisy machine")
    parser.add_argument("--idle", type=float, metavar="SECONDS", help="how long to watch an idle engine")
    parser.add_argument("--folder", type=Path, help="where the files are made: on the disk to be measured")
    parser.add_argument(
        "--sync",
        type=float,
        metavar="MILLISECONDS",
        help="as on a disk whose syncs take so much longer, of the floor and the peer as well (Linux)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="a short run of everything, to see that it works"
    )
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--without-busy", action="store_true", help="without the second table")
    parser.add_argument("--without-dbos", action="store_true", help="without the third table")
    parser.add_argument("--profile", choices=[*PROFILES], help="print where the time goes, and no table")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    if given.sync is not None and (ended := on_a_slower_disk(given.sync)) is not None:
        raise SystemExit(ended)
    sizes = QUICK if given.quick else FULL
    sizes = replace(sizes, rounds=given.rounds or sizes.rounds, idle_seconds=given.idle or sizes.idle_seconds)
    wanted = set(given.only or [*ENGINE, *BUSY, *DBOS])
    wanted -= {name for name in ("busy", "dbos") if vars(given)[f"without_{name}"]}
    place = Place(Path(tempfile.mkdtemp(prefix="stepfast-benchmark-", dir=given.folder)), sizes)
    try:
        slower = (
            f"; each sync takes {given.sync:g} ms longer than the disk's" if given.sync is not None else ""
        )
        print(machine(place) + slower)
        if given.profile:
            print(asyncio.run(profile(given.profile, place)))
        else:
            asyncio.run(print_tables(place, wanted))
    finally:
        shutil.rmtree(place.folder)


if __name__ == "__main__":
    main()
