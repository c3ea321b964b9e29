"""The log of a workflow: what is read of it, what is found in it, and what is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine, Run, workflow
from stepfast_desktop.viewmodels.details import log as module
from stepfast_desktop.viewmodels.details.log import LogViewModel


@workflow("chatty")
async def chatty(run: Run, lines: int) -> None:
    """Logs, and logs each message that it gets."""

    async def log() -> None:
        for number in range(lines):
            run.log(f"line {number}", "debug" if number % 10 == 0 else "info")
        run.log("two\nlines\n", "warning")

    await run.step("log", log)
    for number in range(100):
        run.log(str(await run.receive(f"message-{number}")), "error")


class Watch:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.log = LogViewModel(engine)
        self.resets = 0
        self.log.reset.connect(self._reset)
        self.count = 0
        self.log.added.connect(self._added)

    def _reset(self) -> None:
        self.resets += 1
        self.count = 0

    def _added(self, front: int, back: int) -> None:
        self.count += front + back

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(60):
            while not holds():
                await asyncio.sleep(0.005)

    async def started(self, lines: int, id: str = "one") -> None:
        await self.engine.start(chatty(lines), id=id)
        while not (await self.engine.find_lines(id, text="two", before=2**62, limit=5)).positions:
            await asyncio.sleep(0.01)

    async def deliver(self, text: str) -> None:
        """A message, which is logged when this returns."""
        await self.engine.deliver("one", text)
        while not (await self.engine.find_lines("one", text=text, before=2**62, limit=1)).positions:
            await asyncio.sleep(0.01)

    async def texts(self, *indexes: int) -> list[str]:
        """What the rows say once they are read."""
        await self.until(lambda: None not in [self.log.row(index) for index in indexes])
        return [row.text for index in indexes if (row := self.log.row(index)) is not None]


@pytest.fixture
async def watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Watch]:
    monkeypatch.setattr(module, "AT_ONCE", 200)
    monkeypatch.setattr(module, "AT_FIRST", 50)
    async with Engine.open(tmp_path / "work.db", [chatty]) as engine:
        watch = Watch(engine)
        yield watch
        await watch.log.close()


async def test_a_log_is_read_from_its_end_while_somebody_looks_and_only_what_is_seen(watch: Watch) -> None:
    await watch.started(1000)
    asked: list[int] = []
    lines = watch.engine.lines

    async def counted(id: str, positions: Any) -> Any:
        asked.append(len(positions))
        return await lines(id, positions)

    watch.engine.lines = counted  # type: ignore[method-assign]
    watch.log.follow("one")
    await asyncio.sleep(0.05)
    assert len(watch.log) == 0 and watch.resets == 1, "nobody looks"
    watch.log.show(True)
    await watch.until(lambda: watch.log.complete)
    assert len(watch.log) == watch.count == 1002, "two rows of the line that has two"
    assert asked == []
    assert await watch.texts(1001, 1000, 999, 0) == ["lines", "Warning: two", "line 999", "Debug: line 0"]
    first, second = watch.log.row(1000), watch.log.row(1001)
    assert first is not None and second is not None
    assert first.time and not second.time
    assert len(asked) == 3 and max(asked) <= 100

    watch.log.show(False)
    await watch.deliver("hello")
    watch.log.touch()
    await asyncio.sleep(0.05)
    assert len(watch.log) == 1002
    watch.log.show(True)
    await watch.until(lambda: len(watch.log) == watch.count == 1003)
    assert await watch.texts(1002) == ["Error: hello"]


async def test_levels_are_another_log(watch: Watch) -> None:
    await watch.started(1000)
    watch.log.follow("one")
    watch.log.show(True)
    await watch.until(lambda: watch.log.complete)
    watch.log.filter("info")
    await watch.until(lambda: watch.log.complete)
    assert len(watch.log) == 902
    assert await watch.texts(0) == ["line 1"]
    watch.log.filter("warning")
    await watch.until(lambda: watch.log.complete)
    assert await watch.texts(0, 1) == ["Warning: two", "lines"] and len(watch.log) == 2
    watch.log.filter("error")
    await watch.until(lambda: watch.log.complete)
    assert len(watch.log) == watch.count == 0
    await watch.deliver("hello")
    watch.log.touch()
    await watch.until(lambda: len(watch.log) == 1)


async def test_a_search_finds_all_tells_how_many_and_goes_round(watch: Watch) -> None:
    await watch.started(1000)
    watch.log.follow("one")
    watch.log.show(True)
    await watch.until(lambda: watch.log.complete)
    watch.log.search("LINE 99")
    assert watch.log.searching and watch.log.hits_text.endswith("so far ...")
    await watch.until(lambda: not watch.log.searching)
    assert watch.log.hits_text == "11 lines"
    assert watch.log.next_hit(-1) == 99
    assert watch.log.next_hit(99) == 990
    assert watch.log.next_hit(99, back=True) == 999
    assert watch.log.next_hit(-1, back=True) == 999
    assert watch.log.next_hit(999) == 99
    await watch.texts(99, 100)
    assert watch.log.is_hit(99) and not watch.log.is_hit(100)

    await watch.deliver("line 99 again")
    watch.log.touch()
    await watch.until(lambda: watch.log.hits_text == "12 lines")
    watch.log.search("lines")
    await watch.until(lambda: not watch.log.searching)
    await watch.texts(1000)
    assert watch.log.next_hit(-1) == 1001, "of a line of two rows, the row that has it"
    watch.log.search("nowhere")
    await watch.until(lambda: not watch.log.searching)
    assert watch.log.hits_text == "Not found" and watch.log.next_hit(0) is None
    watch.log.search("")
    assert watch.log.hits_text == ""


async def test_a_line_that_comes_with_the_end_of_a_search_is_found_too(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    await watch.started(1000)
    watch.log.follow("one")
    watch.log.show(True)
    await watch.until(lambda: watch.log.complete)
    find, came = watch.engine.find_lines, False

    async def late(id: str, **named: Any) -> Any:
        nonlocal came
        found = await find(id, **named)
        if "text" in named and "after" in named and not came:  # the last look of the search
            came = True
            await watch.deliver("line 99 again")
            watch.log.touch()
            await watch.until(lambda: len(watch.log) == 1003)
        return found

    monkeypatch.setattr(watch.engine, "find_lines", late)
    watch.log.search("line 99")
    await watch.until(lambda: not watch.log.searching)
    assert watch.log.hits_text == "12 lines"


async def test_a_search_that_is_given_up_finds_nothing_more(watch: Watch) -> None:
    await watch.started(1000)
    watch.log.follow("one")
    watch.log.show(True)
    await watch.until(lambda: watch.log.complete)
    watch.log.search("line")
    watch.log.search("line 5")
    watch.log.search("line 55")
    await watch.until(lambda: not watch.log.searching)
    assert watch.log.hits_text == "11 lines"
    watch.log.search("line 5")
    watch.log.follow(None)
    assert (len(watch.log), watch.log.hits_text) == (0, "")
    await asyncio.sleep(0.05)
    assert len(watch.log.hits) == 0


async def test_rows_are_copied_that_nobody_has_read(watch: Watch) -> None:
    await watch.started(300)
    watch.log.follow("one")
    watch.log.show(True)
    await watch.until(lambda: watch.log.complete)
    copied = await watch.log.text([(0, 1), (299, 301)])
    assert [line.split("\t")[1] for line in copied.split("\n")] == [
        "Debug: line 0",
        "line 1",
        "line 299",
        "Warning: two",
        "lines",
    ]
