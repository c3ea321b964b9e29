"""What is said after the computer slept, after its clock was set, and after a program was killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from stepfast import Engine, SqliteDurable
from stepfast_desktop.away.happened import Clocks, EndedBefore, TimeWatch
from stepfast_desktop.viewmodels.notices import Notices

PROGRAM = Path(__file__).with_name("killed.py")


class Pending:
    """As `viewmodels.pending.Pending`, as far as it is asked here."""

    def __init__(self, running: Sequence[int], going_on: int) -> None:
        self.running = dict.fromkeys(running)
        self.going_on = going_on


class Computer:
    def __init__(self, running: Sequence[int] = (), going_on: int = 0) -> None:
        self.wall, self.awake, self.asleep = 1e9, 500.0, 100.0
        self.notices = Notices()
        self.shown: list[object] = []
        self.watch = TimeWatch(
            Pending(running, going_on),  # type: ignore[arg-type]
            self.notices,
            self.shown.append,
            self.shown.append,
            Clocks(lambda: self.wall, lambda: self.awake, lambda: self.asleep),
        )

    def passes(self, awake: float, asleep: float = 0.0, jump: float = 0.0) -> None:
        self.wall += awake + asleep + jump
        self.awake += awake
        self.asleep += asleep
        self.watch.look()

    @property
    def texts(self) -> list[str]:
        return [each.text for each in self.notices.shown]

    def press(self) -> object:
        self.notices.press(self.notices.shown[0].key, 0)
        return self.shown[-1]


def test_time_that_passes_is_not_worth_a_word() -> None:
    computer = Computer([1], 1)
    computer.passes(1e6)
    computer.passes(30, asleep=20)  # a nap
    computer.passes(30, jump=-60)  # a time server
    assert computer.texts == []


def test_a_sleep_while_something_ran_is_told_with_the_rows() -> None:
    computer = Computer([4, 7], 3)
    computer.passes(30, asleep=7200)
    assert computer.texts == ["The computer slept for 2 h. 2 workflows carried on from the last step."]
    assert computer.press() == (4, 7)
    assert computer.texts == []


def test_where_only_something_was_due_its_state_is_shown() -> None:
    computer = Computer([], 3)
    computer.passes(30, asleep=7200)
    assert computer.texts == ["The computer slept for 2 h."]
    assert computer.press() == ("queued", "sleeping")


def test_a_sleep_in_which_nothing_could_happen_is_not_told() -> None:
    computer = Computer()
    computer.passes(30, asleep=7200)
    assert computer.texts == []


@pytest.mark.parametrize(
    ("jump", "text"),
    [
        (-7200, "The clock was set back by 2 h; what waits for a time waits that much longer."),
        (3600, "The clock was set forward by 1 h; what waited for a time until then begins."),
    ],
)
def test_a_clock_that_was_set_is_told_also_where_it_slept_meanwhile(jump: float, text: str) -> None:
    computer = Computer()
    computer.passes(30, asleep=500, jump=jump)
    assert computer.texts == [text]
    assert computer.press() == ("sleeping",)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


async def killed(path: Path) -> None:
    """A program that runs three workflows, one of them in a step that must not happen twice, is killed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(PROGRAM), str(path), stdout=subprocess.PIPE, env={**os.environ}
    )
    assert process.stdout is not None
    for _ in range(3):
        assert (await process.stdout.readline()).strip() == b"running"
    process.send_signal(signal.SIGKILL)
    await process.wait()


async def said(ended: EndedBefore) -> None:
    """Start it, and wait until it has said what there was to say at the start."""
    ended.start()
    assert ended._looking is not None
    await ended._looking


async def test_a_program_that_was_killed_is_told_of_at_the_next_start_and_only_then(tmp_path: Path) -> None:
    sys.path.insert(0, str(PROGRAM.parent))
    from killed import DEFINITIONS

    path = tmp_path / "work.db"
    await killed(path)
    for again in (False, True):
        async with Engine.open(path, DEFINITIONS, backups=False) as engine:
            notices, shown = Notices(), []
            if not again:
                async with asyncio.timeout(60):
                    while (await engine.summary("c")).state.name != "blocked":
                        await asyncio.sleep(0.01)
                assert len(engine.taken_over) == 3
            ended = EndedBefore(engine, notices, shown.append, settling=0.01)
            await said(ended)
            if again:
                assert notices.shown == ()
            else:
                (notice,) = notices.shown
                assert notice.text == (
                    "Stepfast was ended without warning. 2 workflows carried on from the last step. "
                    "1 workflow waiting for your answer."
                )
                notices.press("ended", 0)
                keys = {row.key for row in await engine.list()}
                assert set(shown[0]) == keys and len(keys) == 3
            await ended.close()


async def test_after_quitting_in_the_middle_of_a_step_only_what_asks_is_told_of(tmp_path: Path) -> None:
    sys.path.insert(0, str(PROGRAM.parent))
    from killed import DEFINITIONS

    path = tmp_path / "work.db"
    await killed(path)
    async with Engine.open(path, DEFINITIONS, backups=False) as engine:
        notices, shown = Notices(), []
        async with asyncio.timeout(60):
            while (await engine.summary("c")).state.name != "blocked":
                await asyncio.sleep(0.01)
        ended = EndedBefore(engine, notices, shown.append, settling=0.01, was_quit=True)
        await said(ended)
        assert notices.shown[0].text == "1 workflow waiting for your answer."
        await ended.close()


async def test_what_it_is_slow_to_take_over_was_ended_before_it_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sys.path.insert(0, str(PROGRAM.parent))
    from killed import DEFINITIONS

    path = tmp_path / "work.db"
    await killed(path)
    looks, takeover = asyncio.Event(), SqliteDurable.takeover

    async def late(durable: SqliteDurable) -> list[str]:
        await looks.wait()
        return await takeover(durable)

    monkeypatch.setattr(SqliteDurable, "takeover", late)
    async with Engine.open(path, DEFINITIONS, backups=False) as engine:
        notices = Notices()
        ended = EndedBefore(engine, notices, lambda keys: None, settling=0.001)
        ended.start()
        await asyncio.sleep(0.05)  # long enough for one who does not wait
        assert not engine.begun
        looks.set()
        await until(lambda: bool(notices.shown))
        assert notices.shown[0].text.startswith("Stepfast was ended without warning.")
        await ended.close()


async def test_another_program_that_is_killed_meanwhile_is_told_of_as_another(tmp_path: Path) -> None:
    # Without its definitions, or what it starts would run here.
    path = tmp_path / "work.db"
    async with Engine.open(path, [], backups=False) as engine:
        notices = Notices()
        ended = EndedBefore(engine, notices, lambda keys: None, settling=0.01)
        await said(ended)
        await killed(path)
        await until(lambda: bool(notices.shown))
        assert notices.shown[0].text.startswith("Another Stepfast program was ended without warning.")
        await ended.close()
