"""The computer is held awake while something runs, by what the desktop and logind have for it."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from desktop import GNOME, LOGIN, POWER

from stepfast_desktop.away.awake import KeepingAwake
from stepfast_desktop.away.bus import Bus
from stepfast_desktop.away.mains import on_mains
from stepfast_desktop.away.waking import LibraryWaking, LinuxWaking
from stepfast_desktop.settings import Settings
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.preferences import Preferences

linux = pytest.mark.skipif(sys.platform != "linux", reason="the bus is Linux's")


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.005)


# --- the system's ways ----------------------------------------------------------------------------


@pytest.fixture
async def waking() -> AsyncIterator[LinuxWaking]:
    session, system = Bus("session"), Bus("system")
    yield LinuxWaking(session, system)
    await session.close()
    await system.close()


@linux
async def test_gnome_and_logind_are_asked_and_let_go(services: Any, waking: LinuxWaking) -> None:
    desktop = await services(GNOME, LOGIN, POWER)
    await waking.hold("2 workflows running")
    await waking.hold("2 workflows running")  # twice is once
    assert await desktop.all_asked("Inhibit") == [
        ["idle", "Stepfast", "2 workflows running", "block"],
        ["stepfast", 0, "2 workflows running", 4],
    ]
    await desktop.until_held("idle/block")
    await waking.let_go()
    assert await desktop.until("Uninhibit") == [1]
    await desktop.until_held()


@linux
async def test_where_there_is_no_gnome_the_other_is_asked(services: Any, waking: LinuxWaking) -> None:
    desktop = await services(POWER)
    await waking.hold("1 workflow running")
    assert await desktop.all_asked("Inhibit") == [["Stepfast", "1 workflow running"]]
    await waking.let_go()
    assert await desktop.until("UnInhibit") == [1]


@linux
async def test_xfces_is_not_asked_since_it_keeps_the_screen_unlocked(
    services: Any, waking: LinuxWaking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", "XFCE")
    desktop = await services(POWER, LOGIN)
    await waking.hold("why")
    assert await desktop.all_asked("Inhibit") == [["idle", "Stepfast", "why", "block"]]
    await waking.let_go()


@linux
async def test_without_any_it_is_said_once(
    no_bus: None, waking: LinuxWaking, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "stepfast")
    for _ in range(3):
        await waking.hold("why")
        await waking.let_go()
    assert [each.levelname for each in caplog.records if each.name == "stepfast"] == ["INFO"]


async def test_a_mode_of_the_library_is_entered_and_left_on_one_thread() -> None:
    seen: list[tuple[str, str]] = []

    class Mode:
        def __enter__(self) -> None:
            seen.append(("enter", threading.current_thread().name))

        def __exit__(self, *_: object) -> None:
            seen.append(("leave", threading.current_thread().name))

    waking = LibraryWaking(Mode)
    await waking.hold("why")
    await waking.hold("why")
    await waking.let_go()
    await waking.let_go()
    assert [what for what, _ in seen] == ["enter", "leave"]
    assert seen[0][1] == seen[1][1] != threading.current_thread().name


# --- on mains? ------------------------------------------------------------------------------------


def supply(folder: Path, name: str, **values: str) -> None:
    (folder / name).mkdir(parents=True)
    for key, value in values.items():
        (folder / name / key).write_text(f"{value}\n")


@linux
def test_a_laptop_on_its_battery_is_not_on_mains(tmp_path: Path) -> None:
    supply(tmp_path, "AC", type="Mains", online="0")
    supply(tmp_path, "BAT0", type="Battery", status="Discharging", scope="System")
    assert not on_mains(tmp_path)
    (tmp_path / "AC" / "online").write_text("1\n")
    assert on_mains(tmp_path)


@linux
def test_a_computer_without_a_battery_is_on_mains_and_a_mouse_is_none(tmp_path: Path) -> None:
    assert on_mains(tmp_path / "none")
    supply(tmp_path, "hidpp", type="Battery", status="Discharging", scope="Device")
    assert on_mains(tmp_path)


@linux
def test_a_battery_that_is_full_or_charging_need_not_be_spared(tmp_path: Path) -> None:
    supply(tmp_path, "BAT0", type="Battery", status="Full")
    assert on_mains(tmp_path)


# --- when -----------------------------------------------------------------------------------------


class Pending:
    """As `viewmodels.pending.Pending`, as far as it is asked here."""

    def __init__(self) -> None:
        self.changed: Event[[]] = Event()
        self.running: dict[int, object] = {}

    def run(self, *keys: int) -> None:
        self.running = dict.fromkeys(keys)
        self.changed.emit()


class Waking:
    def __init__(self) -> None:
        self.calls: list[str] = []
        self.answers = asyncio.Event()
        self.answers.set()

    async def hold(self, why: str) -> None:
        self.calls.append(why)
        await self.answers.wait()

    async def let_go(self) -> None:
        self.calls.append("let go")


class Power:
    on_mains = True

    def __call__(self) -> bool:
        return self.on_mains


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[Any]:
    pending, waking, power = Pending(), Waking(), Power()
    preferences = Preferences(Settings(tmp_path, tmp_path / "settings.json"))
    keeping = KeepingAwake(pending, preferences, waking, mains=power, linger=0.02, look=0.02)  # type: ignore[arg-type]
    keeping.start()
    yield keeping, pending, waking, power, preferences
    await keeping.close()
    assert waking.calls[-1] == "let go"


async def test_it_is_held_while_something_runs_and_a_moment_longer(kept: Any) -> None:
    keeping, pending, waking, _, _ = kept
    await asyncio.sleep(0)
    assert waking.calls == []
    pending.run(1, 2)
    await until(lambda: keeping.held)
    pending.run()
    pending.run(3)  # the next one, at once: nothing is let go
    await asyncio.sleep(0.05)
    assert waking.calls == ["2 workflows running"]
    pending.run()
    await until(lambda: not keeping.held)
    assert waking.calls == ["2 workflows running", "let go"]


async def test_what_was_asked_for_just_before_the_end_is_let_go_when_it_is_answered(kept: Any) -> None:
    keeping, pending, waking, _, _ = kept
    waking.answers.clear()
    pending.run(1)
    await until(lambda: waking.calls == ["1 workflow running"])
    closing = asyncio.create_task(keeping.close())
    for _ in range(10):
        await asyncio.sleep(0)
    assert waking.calls == ["1 workflow running"], "what is not held yet cannot be let go"
    waking.answers.set()
    await closing
    assert waking.calls == ["1 workflow running", "let go"]


async def test_on_its_battery_the_computer_may_sleep_unless_the_person_says_always(kept: Any) -> None:
    keeping, pending, _, power, preferences = kept
    power.on_mains = False
    pending.run(1)
    await asyncio.sleep(0.05)
    assert not keeping.held
    preferences.set("keep_awake", "always")
    await until(lambda: keeping.held)
    preferences.set("keep_awake", "never")
    await until(lambda: not keeping.held)
    preferences.set("keep_awake", "mains")
    power.on_mains = True  # plugged in: noticed by itself
    await until(lambda: keeping.held)
    power.on_mains = False
    await until(lambda: not keeping.held)
