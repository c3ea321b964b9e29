"""The log, exceptions that nobody handles, and what a crash leaves."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine, Run, workflow
from stepfast_desktop import reports as module
from stepfast_desktop.reports import Reports, log_folder
from stepfast_desktop.viewmodels.notices import Notices
from stepfast_desktop.viewmodels.trouble.mishaps import Crash, Mishap, Mishaps

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("system", "given", "end"),
    [
        ("linux", {"XDG_STATE_HOME": "/s"}, "/s/stepfast/log"),
        ("linux", {"XDG_STATE_HOME": "no/absolute/path"}, "/.local/state/stepfast/log"),
        ("darwin", {}, "/Library/Logs/Stepfast"),
        ("win32", {"LOCALAPPDATA": "/l"}, "/l/Stepfast/Logs"),
    ],
)
def test_the_log_is_where_the_system_has_it(system: str, given: dict[str, str], end: str) -> None:
    assert log_folder(given, system).as_posix().endswith(end)


def boom(text: str = "no") -> Exception:
    try:
        raise ValueError(text)
    except ValueError as error:
        return error


def test_each_kind_is_told_once_and_kept_whole(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    told: list[Mishap] = []
    with Reports(tmp_path) as reports:
        reports.tell(told.append)
        for number in range(25):
            reports.handle(boom(str(number)), "a click")
        reports.handle(KeyError("another"))
    assert [each.summary for each in told] == ["ValueError: 0", "KeyError: 'another'"]
    text = (tmp_path / "stepfast.log").read_text("utf-8")
    assert text.count("Traceback") == 1 and "in boom" in text and "a click" in text
    assert "for the 10th time" in text and "for the 11th" not in text


def test_the_level_is_live(tmp_path: Path) -> None:
    logger = logging.getLogger("stepfast")
    before = logger.level
    with Reports(tmp_path, "warning") as reports:
        logger.info("not kept")
        reports.set_level("debug")
        logger.debug("kept")
        logging.getLogger("stepfast_desktop.qt.loop.loop").debug("kept too")
        reports.set_level("error")
        logger.warning("not kept either")
    logger.error("after the end")
    text = (tmp_path / "stepfast.log").read_text("utf-8")
    assert "kept" in text and "kept too" in text
    assert "not kept" not in text and "after the end" not in text
    assert logger.level == before


@workflow("steps")
async def steps(run: Run) -> str:
    first = await run.step("first", lambda: "a value of the step's")
    await run.transact("second", lambda _db: first)
    return await run.awaiting("answer", into=str)


@pytest.mark.parametrize("level", ["debug", "info"])
async def test_everything_is_what_the_engine_does_and_what_happens_is_not(tmp_path: Path, level: str) -> None:
    with Reports(tmp_path, level):
        async with Engine.open(tmp_path / "work.db", [steps]) as engine:
            handle = await engine.start(steps(), id="one")
            await engine.until_idle()
            await engine.arrive("one", "answer", "an answer")
            await handle.result()
    text = (tmp_path / "stepfast.log").read_text("utf-8")
    assert "workflow one is waiting" in text and "workflow one is completed" in text
    done = [
        "one is claimed",
        "'first' begins",
        "'first' is recorded",
        "'second' is recorded",
        "woken",
        "nothing to",
    ]
    assert [each in text for each in done] == [level == "debug"] * len(done)
    assert "a value" not in text and "an answer" not in text


def test_it_is_kept_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOG_BYTES", 1000)
    with Reports(tmp_path):
        for number in range(200):
            logging.getLogger("stepfast").info("line %d", number)
    logs = [*tmp_path.glob("stepfast.log*")]
    assert len(logs) == 4 and sum(each.stat().st_size for each in logs) < 5000
    assert "line 199" in (tmp_path / "stepfast.log").read_text("utf-8")


def test_a_folder_that_cannot_be_written_stops_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    told: list[Mishap] = []
    with Reports(tmp_path / "file" / "log") as reports:
        reports.tell(told.append)
        reports.handle(boom())
    assert len(told) == 1 and "no log is kept" in caplog.text


def test_the_hooks_of_the_process_are_heard_and_put_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    monkeypatch.setattr(threading, "excepthook", threading.__excepthook__)
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)
    before = sys.excepthook, threading.excepthook, sys.unraisablehook
    told: list[str] = []

    class Ends:
        def __del__(self) -> None:
            raise ArithmeticError("in a destructor")

    def fails() -> None:
        raise LookupError("in a thread")

    with Reports(tmp_path) as reports:
        reports.tell(lambda mishap: told.append(mishap.summary))
        thread = threading.Thread(target=fails)
        thread.start()
        thread.join()
        ends: Any = Ends()
        del ends
        error = boom("of the program")
        sys.excepthook(type(error), error, error.__traceback__)
        sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert told == [
        "LookupError: in a thread",
        "ArithmeticError: in a destructor",
        "ValueError: of the program",
    ]
    assert (sys.excepthook, threading.excepthook, sys.unraisablehook) == before
    assert "in a thread" in capsys.readouterr().err  # where it went before, it goes still


async def test_a_task_that_nobody_awaits_is_heard(tmp_path: Path) -> None:
    told: list[Mishap] = []
    loop = asyncio.get_running_loop()
    with Reports(tmp_path) as reports:
        reports.tell(told.append)
        loop.set_exception_handler(reports.of_loop)
        try:
            loop.call_soon(lambda: 1 / 0)
            await asyncio.sleep(0.01)
        finally:
            loop.set_exception_handler(None)
    assert told[0].summary == "ZeroDivisionError: division by zero"
    assert "Exception in callback" in told[0].details


# --- a crash, and the next start ----------------------------------------------------------------------------

DIES = """
import faulthandler, os, signal, sys
from pathlib import Path
from stepfast_desktop.reports import Reports
with Reports(Path(sys.argv[1])) as reports:
    print("crashed" if reports.crashed else "well", flush=True)
    if sys.argv[2] == "abort":
        os.abort()
    if sys.argv[2] == "segv":
        faulthandler._sigsegv()
    if sys.argv[2] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
"""


def start(folder: Path, how: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", DIES, str(folder), how],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / each) for each in ("store", "app"))},
    )
    return done.returncode, done.stdout.strip()


@pytest.mark.parametrize("how", ["abort", "segv"])
def test_a_crash_is_found_by_the_next_start_once(tmp_path: Path, how: str) -> None:
    code, said = start(tmp_path, how)
    assert code != 0 and said == "well"
    with Reports(tmp_path) as reports:
        crash = reports.crashed
        assert crash is not None and "Fatal Python error" in crash.text and "Stepfast" in crash.text
        assert crash.file.read_text("utf-8") == crash.text
    with Reports(tmp_path) as reports:
        assert reports.crashed is None
    assert [each.name for each in tmp_path.glob("crash-*")] == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_one_that_was_killed_or_ended_well_has_not_crashed(tmp_path: Path) -> None:
    start(tmp_path, "kill")
    assert [*tmp_path.glob("crash-*")] != []
    assert start(tmp_path, "no") == (0, "well")
    assert [*tmp_path.glob("crash*")] == []


def test_few_crashes_are_kept(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"crashed-2026-11-0{number + 1}T10-00-00.txt").write_text("x")
    with Reports(tmp_path):
        assert len([*tmp_path.glob("crashed-*")]) == 5


# --- what a person reads ------------------------------------------------------------------------------------


class Desk:
    def __init__(self) -> None:
        self.opened: list[Path] = []
        self.copied: list[str] = []

    def copy(self, text: str) -> None:
        self.copied.append(text)

    def open(self, path: Path) -> None:
        self.opened.append(path)


def test_they_are_shown_with_what_can_be_done_and_not_without_end(tmp_path: Path) -> None:
    notices, desk = Notices(), Desk()
    mishaps = Mishaps(notices, desk, tmp_path / "stepfast.log")
    for number in range(10):
        mishaps.happened(Mishap(str(number), f"Error: {number}\nsecond line", f"details {number}"))
    assert len(notices.shown) == 3
    assert "Error: 0" in notices.shown[0].text and "second line" not in notices.shown[0].text
    notices.press("mishap 0", 0)
    notices.press("mishap 1", 1)
    assert (desk.copied, desk.opened) == (["details 0"], [tmp_path / "stepfast.log"])
    now = datetime.now(UTC)
    mishaps.crashed(Crash(tmp_path / "crashed.txt", now, "Fatal"), now)
    assert any("crashed a moment ago" in each.text for each in notices.shown)
    notices.press("crash", 1)
    assert desk.opened[-1] == tmp_path / "crashed.txt"
