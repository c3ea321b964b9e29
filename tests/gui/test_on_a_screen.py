"""A real window on a screen of its own, under a window manager: the keys are pressed by xdotool.

What the window did is read from its file. Each wait is for something that shows, never for a time.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stepfast import Engine, StepfastError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are X screens on Linux only")

TOOLS = ("Xvfb", "openbox", "xdotool", "xprop", "xwininfo")
PROGRAM = '''
import asyncio, sys
from pathlib import Path
from stepfast import Run, workflow
from stepfast_desktop.bootstrap import run_window

@workflow("ask-somebody")
async def ask_somebody(run: Run, question: str) -> str:
    """Wait for what somebody says."""
    return await run.awaiting("answer", into=str)

@workflow("walk")
async def walk(run: Run, steps: int = 100_000) -> None:
    """Make steps."""
    for number in range(steps):
        await run.step(f"step-{number}", asyncio.sleep, 0.01)

definitions = {"ask-somebody": ask_somebody, "walk": walk}
if __name__ == "__main__":
    sys.exit(run_window([definitions[each] for each in sys.argv[2:]], Path(sys.argv[1]), ""))
'''


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    """A display with a window manager on it."""
    missing = [each for each in TOOLS if shutil.which(each) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}; packaging/dev.py test installs them")
    server, display = _display()
    manager = None
    try:
        env = {**os.environ, "DISPLAY": display}
        manager = subprocess.Popen(["openbox"], env=env, stderr=subprocess.DEVNULL)
        _wait_for_the_manager(manager, env)
        yield display
        assert (server.poll(), manager.poll()) == (None, None), "somebody ended the screen"
    finally:
        for each in filter(None, (manager, server)):
            each.terminate()
            each.wait(60)


def _display() -> tuple[subprocess.Popen[bytes], str]:
    """A server, and its display, for which it has a lock.

    One that finds a number for itself takes none, so that nothing keeps two from coming to the same.
    """
    for number in range(100 + os.getpid() % 1000, 2000):
        ours, theirs = os.pipe()
        server = subprocess.Popen(
            [
                "Xvfb",
                f":{number}",
                "-displayfd",
                str(theirs),
                "-screen",
                "0",
                "1600x1000x24",
                "-nolisten",
                "tcp",
            ],
            pass_fds=[theirs],
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        with os.fdopen(ours) as said:
            if said.readline().strip() == str(number):
                return server, f":{number}"
        server.wait()  # somebody has that one
    raise AssertionError("there is no display left")


def _wait_for_the_manager(manager: subprocess.Popen[bytes], env: dict[str, str]) -> None:
    """Until it manages windows: one that is there before it may never be in front.

    It says so by a property: https://specifications.freedesktop.org/wm-spec/latest/ar01s03.html
    """
    end = time.monotonic() + 60
    ask = ["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"]
    while "window id" not in subprocess.run(ask, env=env, capture_output=True, text=True).stdout:
        assert manager.poll() is None, "the window manager ended"
        assert time.monotonic() < end, "the window manager never came"
        time.sleep(0.03)


class Shown:
    """The program on the screen, and a person in front of it."""

    def __init__(self, display: str, folder: Path, *definitions: str) -> None:
        self.file = folder / "data" / "stepfast.db"
        program = folder / "program.py"
        program.write_text(PROGRAM)
        self._env = {
            **os.environ,
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            "STEPFAST_CONFIG": str(folder / "config"),
            "XDG_RUNTIME_DIR": str(folder),
            "PYTHONFAULTHANDLER": "1",
        }
        # Nothing of the desktop that the tests may run on.
        for name in ("DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY", "QT_STYLE_OVERRIDE"):
            self._env.pop(name, None)
        self.process = subprocess.Popen(
            [sys.executable, program, folder / "data", *definitions],
            env=self._env,
            stderr=subprocess.PIPE,
            text=True,
        )

    def tool(self, *words: str) -> str:
        """What xdotool says; empty where it found nothing."""
        done = subprocess.run(["xdotool", *words], env=self._env, capture_output=True, text=True, timeout=60)
        return done.stdout.strip()

    def press(self, *keys: str) -> None:
        self.tool("key", "--clearmodifiers", *keys)

    def windows(self, *which: str) -> list[str]:
        """The windows that a person sees, of this program."""
        found = self.tool("search", "--all", "--onlyvisible", "--pid", str(self.process.pid), *which)
        return [each for each in found.split() if self.tool("getwindowname", each)]

    def in_front(self) -> str:
        """The name of the window that hears the keys."""
        return self.tool("getactivewindow", "getwindowname")

    def click_close(self) -> None:
        """Click the button at the right end of the frame that the window manager puts around a window."""
        done = subprocess.run(
            ["xwininfo", "-id", self.tool("getactivewindow")], env=self._env, capture_output=True, text=True
        )
        place = dict(re.findall(r"^ *(.+): +(-?\d+)$", done.stdout, re.MULTILINE))
        right = int(place["Absolute upper-left X"]) + int(place["Width"])
        top, frame = int(place["Absolute upper-left Y"]), int(place["Relative upper-left Y"])
        self.tool("mousemove", str(right - frame // 2), str(top - frame // 2), "click", "1")

    def until(self, holds: Callable[[], object], what: str) -> None:
        end = time.monotonic() + 60
        while not holds():
            if self.process.poll() not in (None, 0):
                assert self.process.stderr is not None
                pytest.fail(f"the program ended before {what}: {self.process.stderr.read()}")
            if time.monotonic() > end:
                seen = f"in front is {self.in_front()!r}, there are {self.windows()}, {self.states()}"
                self.process.send_signal(signal.SIGABRT)  # it says where its threads are
                _, said = self.process.communicate(timeout=60)
                pytest.fail(f"never came: {what}; {seen}; it ended with {self.process.returncode}: {said}")
            time.sleep(0.03)

    def states(self) -> list[str]:
        """The states of the workflows in the file, by name."""

        async def read() -> list[str]:
            async with Engine.open(self.file, work=False, backups=False) as engine:
                return sorted(row.state.name for row in await engine.list())

        try:
            return asyncio.run(read()) if self.file.exists() else []
        except StepfastError:
            return []

    def ended(self) -> int:
        return self.process.wait(60)

    def agree_to_quit(self) -> None:
        """It may say once that what runs goes on next time; Return is what most people want then."""

        def over() -> bool:
            if len(self.windows()) == 2:
                self.press("Return")
            return self.process.poll() is not None

        self.until(over, "the end")


@pytest.fixture
def show(screen: str, tmp_path: Path) -> Iterator[Callable[..., Shown]]:
    """Starts the program with some definitions, and waits for its window to be in front."""
    shown: list[Shown] = []

    def start(*definitions: str) -> Shown:
        made = Shown(screen, tmp_path, *definitions)
        shown.append(made)
        made.until(lambda: made.tool("getactivewindow") in made.windows(), "the window")
        return made

    yield start
    for each in shown:
        each.process.kill()
        each.process.wait(60)
        assert each.process.stderr is not None
        each.process.stderr.close()


def test_a_workflow_is_started_chosen_and_paused_by_keys_alone(show: Callable[..., Shown]) -> None:
    window = show("ask-somebody")
    window.press("ctrl+n")
    window.until(lambda: "New workflow" in window.in_front(), "the form")
    window.tool("type", "where is it")
    window.press("ctrl+Return")
    window.until(lambda: window.states() == ["waiting"], "a workflow that waits")
    window.until(lambda: "New workflow" not in window.in_front(), "the window in front again")
    # The keyboard is in the table again: nothing else would select the row by that key.
    window.until(lambda: (window.press("space", "ctrl+p"), window.states() == ["paused"])[1], "the pause")
    window.press("ctrl+q")
    window.agree_to_quit()
    assert window.ended() == 0
    assert window.states() == ["paused"]


def test_a_window_that_was_minimised_is_as_it_was(show: Callable[..., Shown]) -> None:
    window = show("walk")
    (shown,) = window.windows()
    window.tool("windowminimize", shown)
    window.until(lambda: not window.windows(), "the window gone")
    window.tool("windowmap", shown, "windowactivate", shown)
    window.until(lambda: window.windows() == [shown], "the window back")
    window.until(lambda: "Stepfast" in window.in_front(), "the window in front")
    window.press("ctrl+n")
    window.until(lambda: "New workflow" in window.in_front(), "the form")
    window.press("ctrl+Return")
    window.until(lambda: window.states() == ["running"], "a workflow that runs")
    # It says so in its title: what it does when it is closed follows from what it knows.
    window.until(lambda: "1 running" in window.in_front(), "the window in front again, which knows of it")
    window.click_close()
    window.until(lambda: len(window.windows()) == 2, "the question whether what runs is to go on")
    window.agree_to_quit()
    assert window.ended() == 0
    assert window.states() == ["queued"]
