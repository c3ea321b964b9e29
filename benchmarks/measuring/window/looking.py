"""A page and a keystroke of search: from what a person does to the rows painted."""

from __future__ import annotations

import random
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from measuring.children import child, listen, say
from measuring.window.app import empty, in_window, ours
from measuring.window.figures import Figure, spread, worst
from measuring.window.files import copied, filled_once
from measuring.window.painting import Painted, rows_shown
from measuring.window.sizes import Place
from stepfast.finding import findable
from stepfast_desktop.qt.main_window import MainWindow

__all__ = ["measure"]

PAGE, KEYSTROKE = 16.0, 50.0


async def measure(place: Place) -> AsyncIterator[Figure]:
    sizes = place.sizes
    folder = copied(await filled_once(place), place.folder / "looking")
    async with child("window.looking", "empty", folder) as bare:
        repaint = await bare.ask("page", sizes.scrolls)
        key = await bare.ask("search", sizes.words)
    async with child("window.looking", "ours", folder) as window:
        for what, name in (
            ("page", "a page anywhere, not read yet"),
            ("next", "the next page, by Page Down"),
        ):
            took = await window.ask(what, sizes.scrolls)
            yield Figure(
                f"{name}, of {sizes.workflows:,}",
                spread(took),
                spread(repaint),
                f"{PAGE:.0f} ms",
                worst(took, 0.99) <= PAGE,
            )
        took = await window.ask("search", sizes.words)
        yield Figure(
            f"a keystroke in search, of {sizes.workflows:,}",
            spread(took),
            spread(key),
            f"{KEYSTROKE:.0f} ms",
            worst(took, 0.99) <= KEYSTROKE,
        )
        took = await window.ask("fast", sizes.words)
        yield Figure(
            "the same, from the last of several typed at once",
            spread(took),
            "",
            f"{KEYSTROKE:.0f} ms",
            worst(took, 0.99) <= KEYSTROKE,
        )


# --- in a process of its own ----------------------------------------------------------------------


async def answer_empty() -> None:
    with empty() as window:
        field = QLineEdit(window)
        field.resize(200, field.sizeHint().height())
        field.show()
        whole, text = Painted(window), Painted(field)
        await whole.after(window.update)
        async for what, count in listen():
            if what == "page":
                say([await whole.after(window.update) for _ in range(count)])
            else:
                say(
                    [await text.after(lambda: QTest.keyClick(field, Qt.Key.Key_A)) for _ in range(count * 10)]
                )


async def answer_ours(folder: Path) -> None:
    async with ours(folder) as (window, engine):
        while await engine.durable.upkeep():
            pass
        painted = Painted(window.table.viewport())
        await painted.after(window.table.viewport().update, lambda: rows_shown(window))
        rng = random.Random(7)
        texts = [findable(row.id, row.name) for row in await engine.rows(await engine.keys())]
        async for what, count in listen():
            match what:
                case "page":
                    say([await page(window, painted, rng) for _ in range(count)])
                case "next":
                    say([await next_page(window, painted) for _ in range(count)])
                case "search":
                    say([each for _ in range(count) for each in await search(window, painted, rng, texts)])
                case "fast":
                    say([await fast(window, painted, rng, texts) for _ in range(count)])


async def page(window: MainWindow, painted: Painted, rng: random.Random) -> float:
    bar = window.table.verticalScrollBar()
    to = bar.value()
    while to == bar.value() and bar.maximum():
        to = rng.randint(0, bar.maximum())
    return await painted.after(lambda: bar.setValue(to), lambda: rows_shown(window))


async def next_page(window: MainWindow, painted: Painted) -> float:
    table = window.table
    if table.verticalScrollBar().value() >= table.verticalScrollBar().maximum():
        table.scrollToTop()
        await painted.after(table.viewport().update, lambda: rows_shown(window))
    return await painted.after(
        lambda: QTest.keyClick(table, Qt.Key.Key_PageDown),
        lambda: rows_shown(window),
    )


def word(window: MainWindow, rng: random.Random) -> str:
    """The number of one of them: its first figure is in a third of all names, and the whole in very few."""
    return str(rng.randint(1, window.view_model.table.counts["completed"] - 1))


async def keystroke(window: MainWindow, painted: Painted, key: Qt.Key | str, texts: list[str]) -> float:
    """Type one key into the search and wait for the rows that match, whichever they are.

    `texts`: what is looked for in. How many match is counted here: to ask the store would be to help it.
    """
    table, field = window.view_model.table, window.search
    text = field.text()[:-1] if isinstance(key, Qt.Key) else field.text() + key
    matching = sum(text in each for each in texts)

    def shown() -> bool:
        return table.text == text and len(table.keys) == matching and rows_shown(window)

    def press() -> None:
        if isinstance(key, Qt.Key):
            QTest.keyClick(field, key)
        else:
            QTest.keyClicks(field, key)

    return await painted.after(press, shown)


async def search(window: MainWindow, painted: Painted, rng: random.Random, texts: list[str]) -> list[float]:
    took = [await keystroke(window, painted, each, texts) for each in word(window, rng)]
    return took + [
        await keystroke(window, painted, Qt.Key.Key_Backspace, texts) for _ in window.search.text()
    ]


async def fast(window: MainWindow, painted: Painted, rng: random.Random, texts: list[str]) -> float:
    """All keys but the last in one turn, then the last: it waits for none of the searches before it."""
    text = word(window, rng)
    QTest.keyClicks(window.search, text[:-1])
    took = await keystroke(window, painted, text[-1], texts)
    count = window.view_model.table.counts["completed"]
    await painted.after(
        window.search.clear, lambda: len(window.view_model.table.keys) >= count and rows_shown(window)
    )
    return took


if __name__ == "__main__":
    in_window(answer_empty() if sys.argv[1] == "empty" else answer_ours(Path(sys.argv[2])))
