"""What is wrong with the file or its disk, as notices with what can be done."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine
from stepfast.errors import FileGone
from stepfast.health import KINDS, Disk
from stepfast_desktop.viewmodels.feed import Feed
from stepfast_desktop.viewmodels.notices import Notices
from stepfast_desktop.viewmodels.trouble.faults import Faults


class Desk:
    """Remembers what was asked of it."""

    def __init__(self) -> None:
        self.opened: list[Path] = []

    def copy(self, text: str) -> None:
        raise AssertionError("nothing is copied here")

    def open(self, path: Path) -> None:
        self.opened.append(path)


class Shown:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.notices, self.desk = Notices(), Desk()
        self.feed = Feed(engine)
        self.faults = Faults(engine, self.feed, self.notices, self.desk)
        self.asked: list[str] = []
        self.faults.asked.connect(self.asked.append)

    @property
    def texts(self) -> list[str]:
        return [each.text for each in self.notices.shown]

    def press(self, kind: str, label: str) -> None:
        key = f"fault {kind}"
        (notice,) = [each for each in self.notices.shown if each.key == key]
        self.notices.press(key, [each for each, _ in notice.buttons].index(label))


@pytest.fixture
async def shown(tmp_path: Path) -> AsyncIterator[Shown]:
    async with Engine.open(tmp_path / "folder" / "work.db") as engine:
        made = Shown(engine)
        durable: Any = engine.durable
        # What is only told to be so, is not found to be over by itself.
        durable._store.writer.recovery._probe_at = time.monotonic() + 3600
        await made.feed.start()
        yield made
        made.faults.close()
        engine.health.clear(*KINDS)
        await made.feed.close()


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


async def test_every_condition_says_what_it_is_and_goes_with_its_cause(shown: Shown) -> None:
    for kind in KINDS:
        shown.engine.health.report(kind, "of the engine's own words", stops_work=False)
        await until(lambda: shown.texts)
        (text,) = shown.texts
        assert "Something is wrong" not in text and text.endswith(".")
        shown.engine.health.clear(kind)
        await until(lambda: not shown.texts)


async def test_what_stops_the_work_stands_on_top(shown: Shown) -> None:
    shown.engine.health.report("old-reader", "python3 report.py reads", stops_work=False)
    shown.engine.health.report("full", "the disk is full", stops_work=True)
    await until(lambda: len(shown.texts) == 2)
    assert shown.texts[0].startswith("The disk is full") and "Python3 report.py reads." in shown.texts[1]


async def test_a_full_disk_is_named_with_what_is_free_on_it_now(shown: Shown) -> None:
    def report(free: int | None) -> None:
        shown.engine.health.report("full", "so it is", stops_work=True, disk=Disk("/media/ann/usb", free))

    for free, said in (
        (4096, "The disk at /media/ann/usb is full (4.1 kB free), so nothing new is begun."),
        (0, "The disk at /media/ann/usb is full (0 bytes free), so"),
        (12_000_000_000, "The disk at /media/ann/usb takes nothing more, though 12.0 GB are free there: "),
        (None, "The disk at /media/ann/usb is full (? free), so"),
    ):
        report(free)
        await until(lambda said=said: any(text.startswith(said) for text in shown.texts))
    assert len(shown.texts) == 1


async def test_one_that_is_closed_comes_back_only_with_something_new(shown: Shown) -> None:
    report = shown.engine.health.report
    report("old-reader", "a reads", stops_work=False)
    await until(lambda: shown.texts)
    shown.notices.close("fault old-reader")
    report("full", "the disk is full", stops_work=True)
    await until(lambda: shown.texts)
    assert len(shown.texts) == 1
    report("old-reader", "b reads", stops_work=False)
    await until(lambda: len(shown.texts) == 2)
    shown.notices.close("fault full")  # what stops the work cannot be closed
    assert len(shown.texts) == 2


async def test_where_one_only_looks_no_backup_is_offered(shown: Shown) -> None:
    only_looks = Faults(shown.engine, shown.feed, shown.notices, shown.desk, read_only=True)
    shown.faults.close()
    for kind in ("damaged", "full"):
        shown.engine.health.report(kind, "so it is", stops_work=False)
    await until(lambda: len(shown.texts) == 2)
    buttons = {each.key: [label for label, _ in each.buttons] for each in shown.notices.shown}
    only_looks.close()
    assert buttons == {"fault damaged": [], "fault full": ["Open folder", "Try again now"]}


async def test_the_buttons_do_what_they_say(shown: Shown, tmp_path: Path) -> None:
    for kind in ("full", "damaged", "newer", "uncopied"):
        shown.engine.health.report(kind, "so it is", stops_work=False)
    await until(lambda: len(shown.texts) == 4)
    shown.press("full", "Open folder")
    assert shown.desk.opened == [tmp_path / "folder"]
    shown.press("damaged", "Restore a backup ...")
    shown.press("newer", "Quit")
    shown.press("uncopied", "Open the file anew")
    assert shown.asked == ["restore", "quit", "reopen"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows lets nobody move a file that is open")
async def test_a_file_that_is_gone_is_looked_for_at_once_when_a_person_says_so(
    shown: Shown, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.rename(tmp_path / "elsewhere")

    async def looked() -> None:
        while not shown.texts:
            with suppress(FileGone):
                await shown.engine.counts()
            await asyncio.sleep(0.01)

    async with asyncio.timeout(60):
        await looked()
    assert shown.texts[0].startswith("The file of your workflows is not where it was.")
    shown.press("gone", "Open folder")
    assert shown.desk.opened == [tmp_path]  # the nearest there is
    (tmp_path / "elsewhere").rename(folder)
    shown.engine.try_again()
    await until(lambda: not shown.texts)


async def test_trying_again_does_not_wait_for_the_next_look(shown: Shown) -> None:
    health = shown.engine.health
    health.report("failing", "it failed", stops_work=True)
    await asyncio.sleep(0.1)
    await until(lambda: shown.texts)
    shown.press("failing", "Try again now")
    await until(lambda: not shown.texts)
