"""`processes.py`: effects in processes of their own, which exit, crash, flood, and are killed for real."""

from __future__ import annotations

import asyncio
import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import process_effects as effects
import pytest
from asking_processes import Asked, owner_lock, step_locks

from stepfast.errors import DefinitionError, ProcessDied, StepExited, StepRaised, UnstorableValue
from stepfast.processes import output
from stepfast.processes.output import Lines
from stepfast.processes.running import Unreturnable
from stepfast.secrets import Secret, SecretReference
from stepfast.system.locks import FileLock

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="what is in them is read from /proc"),
    pytest.mark.usefixtures("quiet_loop"),
]


# ------------------------------------------------------------------------------------------- what comes back


async def test_a_value_comes_back_from_a_process_that_leads_a_session(asked: Asked) -> None:
    assert await asked(effects.add, 1, 2) == 3
    assert await asked(functools.partial(effects.add, b=5), 1) == 6
    assert await asked(effects.moved, effects.Point(1, 2)) == effects.Point(2, 2)
    pid, parent, session = await asked(effects.who)
    assert pid == session != os.getpid() == parent
    assert not effects.is_alive(pid)


async def test_a_coroutine_function_has_a_loop_of_its_own(asked: Asked) -> None:
    assert await asked(effects.add_async, 1, 2) == 3


async def test_an_exception_comes_back_with_the_traceback_of_its_process(asked: Asked) -> None:
    with pytest.raises(KeyError, match="x") as caught:
        await asked(effects.raise_, KeyError, "x")
    assert "process_effects.py" in "".join(caught.value.__notes__)


@pytest.mark.parametrize(
    "kind", [SystemExit, KeyboardInterrupt, GeneratorExit, StopIteration, StopAsyncIteration]
)
async def test_what_ends_programs_ends_only_the_step(asked: Asked, kind: type[BaseException]) -> None:
    expected = StopAsyncIteration if kind is StopAsyncIteration else StepExited
    with pytest.raises(expected) as caught:
        await asked(effects.raise_, kind, 3)
    if expected is StepExited:
        assert kind.__name__ in str(caught.value)


async def test_sys_exit_is_the_steps_failure(asked: Asked) -> None:
    with pytest.raises(StepExited, match=r"SystemExit was raised \(3\)"):
        await asked(effects.sys_exit)


async def test_os_exit_is_told_by_its_code(asked: Asked) -> None:
    with pytest.raises(ProcessDied, match="'the step' exited with code 3 before") as caught:
        await asked(effects.os_exit)
    assert caught.value.exit_code == 3


async def test_a_crash_is_told_by_its_signal_and_where_it_was(asked: Asked) -> None:
    with pytest.raises(ProcessDied, match="was ended by SIGSEGV") as caught:
        await asked(effects.crash)
    assert caught.value.exit_code == -signal.SIGSEGV
    assert "in crash" in "".join(caught.value.__notes__)
    assert "about to crash" in asked.lines


async def test_no_memory_is_an_exception_like_any_other(asked: Asked) -> None:
    with pytest.raises(MemoryError):
        await asked(effects.eat_memory)


@pytest.mark.parametrize(
    ("effect", "text"),
    [
        (effects.raise_odd, "process_effects.Odd: code 7: it was odd"),
        (effects.raise_rich, "process_effects.Rich: it was rich"),
    ],
)
async def test_an_exception_that_cannot_be_handed_over_is_told(
    asked: Asked, effect: Callable[[], None], text: str
) -> None:
    with pytest.raises(StepRaised) as caught:
        await asked(effect)
    assert str(caught.value) == text
    assert effect.__name__ in "".join(caught.value.__notes__)


@pytest.mark.parametrize("effect", [effects.unpicklable, effects.ghostly])
async def test_a_value_that_cannot_be_handed_back_says_so(asked: Asked, effect: Callable[[], Any]) -> None:
    with pytest.raises(Unreturnable, match="the value of step 'the step'"):
        await asked(effect)


async def test_a_function_that_cannot_be_sent_says_what_can(asked: Asked) -> None:
    with pytest.raises(DefinitionError, match=r"cannot be sent to a process .* at the top level of a module"):
        await asked(lambda: 1)
    with pytest.raises(DefinitionError, match="cannot be sent"):
        await asked(effects.add, threading.Lock())


async def test_a_function_that_is_not_found_in_the_process_says_so(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    ghosts = type(sys)("ghosts_of_a_test")
    exec("def haunt(): pass", ghosts.__dict__)
    monkeypatch.setitem(sys.modules, "ghosts_of_a_test", ghosts)
    with pytest.raises(DefinitionError, match=r"cannot be loaded in a process \(ModuleNotFoundError"):
        await asked(ghosts.haunt)


async def test_a_process_that_cannot_be_started_is_the_steps_failure(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.delitem(sys.modules, "multiprocessing.spawn", raising=False)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(ProcessDied, match="no process could be started"):
        await asked(effects.add, 1)
    assert len(os.listdir("/proc/self/fd")) == before


async def test_a_program_that_does_not_know_its_python_says_how_to_tell(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "")
    monkeypatch.delitem(sys.modules, "multiprocessing.spawn", raising=False)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(DefinitionError, match="set_executable"):
        await asked(effects.add, 1)
    assert len(os.listdir("/proc/self/fd")) == before


async def test_the_python_that_multiprocessing_was_told_of_is_heard_of(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A launcher that stays between, too: neither the parent nor the leader of the group is who it seems."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\n{sys.executable} "$@"\nexit $?\n')
    python.chmod(0o755)
    spawn = type(sys)("multiprocessing.spawn")
    spawn.get_executable = lambda: str(python)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "multiprocessing.spawn", spawn)
    locks = tmp_path / "locks"
    locks.mkdir()
    pid, parent, session = await asked(effects.who, owner=str(owner_lock(locks)))
    assert pid != parent == session
    assert step_locks(locks) == []
    file = tmp_path / "notes"
    task = asyncio.create_task(asked(effects.linger, str(file), owner=str(owner_lock(locks))))
    pid, child = await effects.begun(file)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await effects.gone(pid, child)


async def test_one_that_fails_fails_nobody_else(asked: Asked) -> None:
    ended = await asyncio.gather(
        asked(effects.crash), asked(effects.add, 1, 2), asked(effects.os_exit), return_exceptions=True
    )
    assert [type(each) for each in ended] == [ProcessDied, int, ProcessDied]


async def test_so_many_at_once_and_no_more(tmp_path: Path) -> None:
    asked = Asked(2)
    assert await asyncio.gather(*(asked(effects.together, str(tmp_path), str(n), 2) for n in range(2))) == [
        2,
        2,
    ]
    (tmp_path / "counted").mkdir()
    counted = await asyncio.gather(
        *(asked(effects.count_alive, str(tmp_path / "counted"), str(n)) for n in range(5))
    )
    assert max(counted) <= 2  # that there are two at once is seen above: here the first may be over by then


# ------------------------------------------------------------------------------------------ what it is told


async def test_what_it_prints_is_logged_in_order_and_it_reads_nothing(asked: Asked) -> None:
    assert await asked(effects.talk) == ""
    assert asked.lines == ["one", "two", "three", "four", "five", "100%", "caf\u00e9 \\udce9"]


async def test_a_flood_fills_neither_memory_nor_the_log(asked: Asked) -> None:
    began = time.monotonic()
    assert await asked(effects.flood, 2_000_000) == 2_000_000  # 150 MB
    seconds = time.monotonic() - began
    left_out = [text for level, text in asked.log if level == "warning"]
    assert left_out and all("lines of output were left out here" in each for each in left_out)
    told = sum(int(each.split()[0]) for each in left_out)
    kept = len(asked.log) - len(left_out) - output.LAST
    assert told + kept == 2_000_001
    assert asked.lines[-1] == "the last line"
    # Of each second that it began, and for each that was left out a line that says so.
    assert len(asked.log) <= (output.A_SECOND + 1) * (seconds + 1) + output.LAST


async def test_a_line_without_an_end_is_cut(asked: Asked) -> None:
    await asked(effects.one_long_line, 50_000_000)
    (line,) = asked.lines
    assert line == "x" * output.LONGEST + f" ... and {50_000_000 // 65536 * 65536 - 2_000} more"


def test_one_that_says_very_much_is_counted_from_there_on_and_its_last_lines_are_told() -> None:
    now = 0.0
    log: list[tuple[str, str]] = []
    lines = Lines(lambda *line: log.append(line), lambda: now)
    for each in range(30_000):
        now += 0.02
        lines.add("info", f"line {each}")
    lines.close()
    assert log[: output.MOST_LINES] == [("info", f"line {n}") for n in range(output.MOST_LINES)]
    assert log[output.MOST_LINES] == (
        "warning",
        "20000 lines of output were left out here: it says too much",
    )
    assert [text for _, text in log[output.MOST_LINES + 1 :]] == [f"line {n}" for n in range(29_990, 30_000)]


def test_long_lines_reach_the_end_of_what_is_kept_sooner() -> None:
    now = 0.0
    log: list[tuple[str, str]] = []
    lines = Lines(lambda *line: log.append(line), lambda: now)
    for _ in range(1_000):
        now += 1.0
        lines.add("info", "x" * 5_000)
    assert sum(len(text) for _, text in log) < output.MOST_TEXT + 3_000


async def test_a_run_among_the_arguments_is_one_that_a_step_may_use(asked: Asked) -> None:
    assert await asked(effects.tell, asked.run, bookmark='"before"') == ["w", False, "before", {"at": 7}]
    assert asked.log == [("warning", "a warning")]
    assert asked.progress[-1] == (1000.0, 1000.0, "at 1000")
    assert len(asked.progress) < 100
    assert asked.bookmarks == ['{"at":7}'] or asked.bookmarks[-1].replace(" ", "") == '{"at":7}'


async def test_a_secret_among_the_arguments_goes_through_the_pipe(asked: Asked) -> None:
    token = Secret("a token").named("token")
    assert await asked(effects.reveal, token) == ["token", "a token", 7]
    assert await asked(effects.reveal, Secret("another")) == [None, "another", 7]
    assert asked.lines == ["(secret token)", "(secret)"]
    with pytest.raises(DefinitionError, match="cannot be sent"):
        await asked(effects.reveal, Secret.of(SecretReference("lost")))


async def test_a_bookmark_that_is_refused_ends_the_process_and_fails_the_step(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(text: str) -> None:
        raise UnstorableValue(f"not {text}")

    monkeypatch.setattr(asked, "bookmarks", Refusing(refuse))
    with pytest.raises(UnstorableValue, match='not "mine"'):
        await asked(effects.mark_and_linger, asked.run, str(tmp_path / "notes"))
    ((pid, child),) = effects.noted(tmp_path / "notes", "begun")
    assert not effects.is_alive(int(pid))
    await effects.gone(int(child))


class Refusing:
    """A list that takes nothing."""

    def __init__(self, append: Callable[[str], None]) -> None:
        self.append = append


async def test_what_belongs_into_the_body_is_refused(asked: Asked) -> None:
    with pytest.raises(DefinitionError, match=r"run\.step belongs into the body"):
        await asked(effects.body_calls, asked.run)
    with pytest.raises(Exception, match="no level of a log line"):
        await asked(effects.log_badly, asked.run)


async def test_it_inherits_no_descriptor(asked: Asked, tmp_path: Path) -> None:
    lock = FileLock.acquire(tmp_path / "mine.lock")
    assert lock is not None
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)  # as a program that embeds this may have done
        held = await asked(effects.descriptors)
    lock.release()
    named = [each for each in held if not each.startswith("pipe:") and each != "/dev/null"]
    assert named == []
    assert len(held) == 5
