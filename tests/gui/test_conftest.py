"""The checks that every test here runs under, checked: each kind of lapse fails the test that has it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LAPSES = {
    "a_task_that_nobody_awaits": """
        async def test():
            async def fail():
                raise ValueError("nobody looks")
            task = asyncio.create_task(fail())
            await asyncio.sleep(0)
            del task
            await asyncio.sleep(0)
        """,
    "a_logged_warning": """
        def test():
            logging.getLogger("stepfast").warning("hm")
        """,
    "a_warning_of_qt": """
        def test():
            QtCore.qWarning("hm")
        """,
    "a_qtimer_left_running": """
        def test():
            test.timer = QtCore.QTimer()
            test.timer.start(1000)
        """,
    "a_call_left_waiting": """
        async def test():
            asyncio.get_running_loop().call_later(1000, print)
        """,
    "a_callback_that_fails": """
        async def test():
            asyncio.get_running_loop().call_soon(lambda: 1 / 0)
            await asyncio.sleep(0)
        """,
    "something_expected_that_never_comes": """
        def test(lapses):
            lapses.expect("a word")
        """,
}
CLEAN = {
    "nothing": """
        async def test():
            await asyncio.sleep(0.001)
        """,
    "something_expected": """
        def test(lapses):
            lapses.expect("a word")
            logging.getLogger("stepfast").warning("a word too many")
        """,
    "what_the_offscreen_platform_says": """
        def test():
            QtCore.qWarning("This plugin does not support raise()")
        """,
    "a_task_that_the_end_cancels": """
        async def test():
            test.task = asyncio.create_task(asyncio.sleep(1000))
        """,
    "both_loops": """
        @pytest.mark.asyncio(loop_factories=["window", "asyncio"])
        async def test():
            await asyncio.sleep(0)
        """,
}
HEAD = "import asyncio, logging\nimport pytest\nfrom PySide6 import QtCore\n"


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """What became of each of the small tests above, run by a pytest of its own with our conftest."""
    folder = tmp_path_factory.mktemp("inner")
    here = Path(__file__).parent
    (folder / "gui").mkdir()
    shutil.copy(here.parent / "conftest.py", folder)
    shutil.copy(here / "conftest.py", folder / "gui")
    shutil.copy(Path(__file__).parents[2] / "pyproject.toml", folder)
    folder = folder / "gui"
    for name, source in {**LAPSES, **CLEAN}.items():
        indented = "\n".join(line[8:] for line in source.splitlines())
        (folder / f"test_{name}.py").write_text(HEAD + indented, "utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "--color=no", str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100)
    found: dict[str, set[str]] = {}
    for outcome, name in re.findall(r"^(PASSED|FAILED|ERROR) .*?test_(\w+)\.py::", done.stdout, re.M):
        found.setdefault(name, set()).add(outcome)
    assert set(found) == {*LAPSES, *CLEAN}, done.stdout + done.stderr
    return found


@pytest.mark.parametrize("name", LAPSES)
def test_a_lapse_fails_the_test(name: str, outcomes: dict[str, set[str]]) -> None:
    assert outcomes[name] & {"FAILED", "ERROR"}


@pytest.mark.parametrize("name", CLEAN)
def test_what_is_in_order_passes(name: str, outcomes: dict[str, set[str]]) -> None:
    assert outcomes[name] == {"PASSED"}
