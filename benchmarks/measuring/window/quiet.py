"""A window with nothing to do, shown and hidden, and one that is hidden while its workflows run."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QMainWindow

from measuring import filled
from measuring.children import child, listen, say
from measuring.window.app import empty, in_window, ours, paced
from measuring.window.figures import Figure
from measuring.window.sizes import Place

__all__ = ["measure"]

MOST_OF_A_CORE = 0.001


async def measure(place: Place) -> AsyncIterator[Figure]:
    sizes = place.sizes
    folder = place.folder / "quiet"
    folder.mkdir()
    await filled.fill(folder / "stepfast.db", sleeping=sizes.sleeping)
    async with child("window.quiet", "ours", folder) as window:
        busy = await window.ask("busy and hidden", sizes.hidden_seconds, sizes.running, sizes.rate)
    yield Figure(
        f"hidden while {sizes.running} workflows make {sizes.rate:,} steps/s: paint events in"
        f" {sizes.hidden_seconds:g} s",
        f"{busy['hidden']} (shown: {busy['shown']})",
        "",
        "0",
        busy["hidden"] == 0,
    )
    # Both at a time, since each counts its own CPU.
    async with (
        child("window.quiet", "empty", folder) as bare,
        child("window.quiet", "ours", folder) as window,
    ):
        for what in ("shown", "hidden"):
            beside, measured = await asyncio.gather(
                bare.ask(what, sizes.idle_seconds), window.ask(what, sizes.idle_seconds)
            )
            yield Figure(
                f"idle window, {what}, {sizes.sleeping} sleeping, {sizes.idle_seconds:g} s",
                told(measured),
                told(beside),
                f"{MOST_OF_A_CORE * 100:g} % of a core",
                measured["core"] <= MOST_OF_A_CORE and (what == "shown" or not measured["paints"]),
            )


def told(figures: dict[str, float]) -> str:
    return f"{figures['core'] * 100:.4f} % of a core, {figures['paints']:.0f} paint events"


# --- in a process of its own ----------------------------------------------------------------------


class Paints(QObject):
    """Counts the paint events of every widget while it is asked to."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.count += 1
        return False

    async def during(self, seconds: float) -> int:
        application = QApplication.instance()
        assert application is not None
        self.count = 0
        application.installEventFilter(self)
        await asyncio.sleep(seconds)
        application.removeEventFilter(self)
        return self.count


async def idle(window: QMainWindow, what: str, seconds: float) -> dict[str, float]:
    window.setVisible(what == "shown")
    await asyncio.sleep(min(3.0, seconds))
    paints = Paints()
    cpu, began = time.process_time(), time.perf_counter()
    painted = await paints.during(seconds)
    cpu, took = time.process_time() - cpu, time.perf_counter() - began
    return {"core": cpu / took, "paints": painted}


async def answer_empty() -> None:
    with empty() as window:
        async for what, seconds in listen():
            say(await idle(window, what, seconds))


async def answer_ours(folder: Path) -> None:
    async with ours(folder) as (window, engine):
        while await engine.durable.upkeep():
            pass  # the search index of a file that is new to it, and the backup of the day: both are work
        async for what, seconds, *figures in listen():
            if what != "busy and hidden":
                say(await idle(window, what, seconds))
                continue
            running, rate = figures
            pause = running / rate
            handles = [await engine.start(paced(1_000_000, pause)) for _ in range(running)]
            paints = Paints()
            await asyncio.sleep(min(1.0, seconds))
            shown = await paints.during(seconds)
            window.hide()
            await asyncio.sleep(0.2)
            hidden = await paints.during(seconds)
            for each in handles:
                await engine.cancel(each.id)
            say({"shown": shown, "hidden": hidden})


if __name__ == "__main__":
    in_window(answer_empty() if sys.argv[1] == "empty" else answer_ours(Path(sys.argv[2])))
