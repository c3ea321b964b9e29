"""`processes.py`: effects in processes of their own, which exit, crash, flood, and are killed for real."""

from __future__ import annotations

import asyncio
import functools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import process_effects as effects
import pytest
from children import STORE, Starter, children, hears, kill, tell

from stepfast import connect, process_output, processes
from stepfast.errors import DefinitionError, ProcessDied, StepExited, StepRaised, Stopped, UnstorableValue
from stepfast.locks import FileLock, LockState, probe
from stepfast.orphans import began, end_orphans, is_step_lock, owner_of
from stepfast.process_groups import ProcessGroup
from stepfast.process_output import Lines
from stepfast.processes import Processes, Unreturnable
from stepfast.secrets import Secret, SecretReference
from stepfast.sqlite.owners import LEASE
from stepfast.testing import VirtualClock

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="what is in them is read from /proc"),
    pytest.mark.usefixtures("quiet_loop"),
]

HERE = str(Path(__file__).parent)


class Asked:
    """Processes, and what they have said."""

    def __init__(self, limit: int | None = None) -> None:
        self.processes = Processes(limit)
        self.log: list[tuple[str, str]] = []
        self.progress: list[tuple[float, float | None, str]] = []
        self.bookmarks: list[str] = []
        self.run = object()

    async def __call__(self, effect: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        return await self.processes.run(
            functools.partial(effect, *arguments),
            name="the step",
            id="w",
            run=self.run,
            log=lambda level, text: self.log.append((level, text)),
            progress=lambda *said: self.progress.append(said),
            bookmarked=self.bookmarks.append,
            **options,
        )

    @property
    def lines(self) -> list[str]:
        return [text for _, text in self.log]


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture(autouse=True)
def no_survivors() -> Iterator[None]:
    """A test that fails leaves nobody behind either."""
    met.clear()
    yield
    for pid in met:
        effects.end(pid)


met: list[int] = []

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
    pid, child = await begun(file)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await gone(pid, child)


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
    assert max(counted) == 2


# ------------------------------------------------------------------------------------------ what it is told


async def test_what_it_prints_is_logged_in_order_and_it_reads_nothing(asked: Asked) -> None:
    assert await asked(effects.talk) == ""
    assert asked.lines == ["one", "two", "three", "four", "five", "100%", "caf\u00e9 \\udce9"]


async def test_a_flood_fills_neither_memory_nor_the_log(asked: Asked) -> None:
    assert await asked(effects.flood, 2_000_000) == 2_000_000  # 150 MB
    left_out = [text for level, text in asked.log if level == "warning"]
    assert left_out and all("lines of output were left out here" in each for each in left_out)
    told = sum(int(each.split()[0]) for each in left_out)
    kept = len(asked.log) - len(left_out) - process_output.LAST
    assert told + kept == 2_000_001
    assert asked.lines[-1] == "the last line"
    assert len(asked.log) < 2_000


async def test_a_line_without_an_end_is_cut(asked: Asked) -> None:
    await asked(effects.one_long_line, 50_000_000)
    (line,) = asked.lines
    assert line == "x" * process_output.LONGEST + f" ... and {50_000_000 // 65536 * 65536 - 2_000} more"


def test_one_that_says_very_much_is_counted_from_there_on_and_its_last_lines_are_told() -> None:
    now = 0.0
    log: list[tuple[str, str]] = []
    lines = Lines(lambda *line: log.append(line), lambda: now)
    for each in range(30_000):
        now += 0.02
        lines.add("info", f"line {each}")
    lines.close()
    assert log[: process_output.MOST_LINES] == [
        ("info", f"line {n}") for n in range(process_output.MOST_LINES)
    ]
    assert log[process_output.MOST_LINES] == (
        "warning",
        "20000 lines of output were left out here: it says too much",
    )
    assert [text for _, text in log[process_output.MOST_LINES + 1 :]] == [
        f"line {n}" for n in range(29_990, 30_000)
    ]


def test_long_lines_reach_the_end_of_what_is_kept_sooner() -> None:
    now = 0.0
    log: list[tuple[str, str]] = []
    lines = Lines(lambda *line: log.append(line), lambda: now)
    for _ in range(1_000):
        now += 1.0
        lines.add("info", "x" * 5_000)
    assert sum(len(text) for _, text in log) < process_output.MOST_TEXT + 3_000


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
    await gone(int(child))


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


# ----------------------------------------------------------------------------------------------- how it ends


async def begun(file: Path) -> tuple[int, int]:
    """The process of a step and its child, once they are there."""
    ((pid, child),) = await asyncio.to_thread(effects.noted, file, "begun")
    met.append(int(pid))
    assert effects.is_alive(int(child))
    return int(pid), int(child)


async def gone(*pids: int) -> None:
    for pid in pids:
        await asyncio.to_thread(effects.until, lambda pid=pid: not effects.is_alive(pid), f"{pid} gone")


async def test_a_withdrawn_call_ends_the_whole_group_before_it_returns(asked: Asked, tmp_path: Path) -> None:
    file = tmp_path / "notes"
    task = asyncio.create_task(asked(effects.linger, str(file)))
    pid, child = await begun(file)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not effects.is_alive(pid)
    assert effects.noted(file, "ended") == [[]]  # `finally` ran
    await gone(child)


async def test_one_that_ignores_sigterm_is_killed_after_the_grace(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "GRACE", 0.3)
    for effect in (effects.linger_unmoved, effects.linger_in_c, effects.linger_stopped):
        file = tmp_path / effect.__name__
        task = asyncio.create_task(asked(effect, str(file)))
        pid, child = await begun(file)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not effects.is_alive(pid)
        await gone(child)


async def test_one_that_is_cancelled_again_is_killed_at_once(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "GRACE", 1000.0)
    file = tmp_path / "notes"
    task = asyncio.create_task(asked(effects.linger_unmoved, str(file)))
    pid, child = await begun(file)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not effects.is_alive(pid)
    await gone(child)


async def test_one_that_is_cancelled_a_third_time_waits_for_nothing(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "notes"
    task = asyncio.create_task(asked(effects.linger_unmoved, str(file)))
    pid, child = await begun(file)
    with monkeypatch.context() as hanging:
        hanging.setattr(ProcessGroup, "kill", lambda _group: None)  # as if it could not be killed
        for _ in range(3):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task
        assert effects.is_alive(pid)
    os.killpg(pid, signal.SIGKILL)
    await gone(pid, child)


async def test_one_that_is_cancelled_while_it_waits_or_starts_runs_nothing(tmp_path: Path) -> None:
    asked = Asked(1)
    file = tmp_path / "notes"
    running = asyncio.create_task(asked(effects.linger, str(file)))
    waiting = asyncio.create_task(asked(effects.linger, str(tmp_path / "never")))
    pid, child = await begun(file)
    waiting.cancel()
    running.cancel()
    for each in (waiting, running):
        with pytest.raises(asyncio.CancelledError):
            await each
    for turns in range(8):
        starting = asyncio.create_task(asked(effects.linger, str(tmp_path / "never")))
        for _ in range(turns):
            await asyncio.sleep(0)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
    assert not (tmp_path / "never").exists()
    await gone(pid, child)
    assert await asked(effects.add, 1, 2) == 3


async def test_what_a_step_leaves_behind_in_its_group_ends_with_it(asked: Asked, tmp_path: Path) -> None:
    child = await asked(effects.leave_behind, str(tmp_path / "notes"))
    await gone(child)


async def test_a_process_that_does_not_end_after_its_effect_is_ended(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "GRACE", 0.3)
    file = tmp_path / "notes"
    assert await asked(effects.stay_after_all, str(file)) == 5
    ((pid, _),) = effects.noted(file, "begun")
    assert not effects.is_alive(int(pid))


async def test_stopped_that_nobody_asked_for_is_handed_over(asked: Asked) -> None:
    with pytest.raises(Stopped):
        await asked(effects.raise_, Stopped, "by itself")


async def test_no_thread_and_no_descriptor_is_left(asked: Asked) -> None:
    await asked(effects.add, 1)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        await asked(effects.add, 1)
        with pytest.raises(ProcessDied):
            await asked(effects.os_exit)
    assert len(os.listdir("/proc/self/fd")) == before
    effects.until(
        lambda: not any(each.name.startswith("stepfast-process") for each in threading.enumerate()),
        "threads have ended",
    )


# ------------------------------------------------------------------------------ programs that are killed

OWNER = f"""
sys.path.insert(0, {HERE!r})
import asyncio, functools, time
import process_effects as effects
from stepfast.processes import Processes
async def step(effect, *arguments, owner=""):
    return await Processes().run(
        functools.partial(effect, *arguments), name="s", owner=owner,
        log=print, progress=print, bookmarked=print,
    )
"""


@pytest.fixture
def start() -> Iterator[Starter]:
    with children(OWNER) as starter:
        yield starter


@pytest.mark.parametrize(
    "effect", [effects.linger, effects.linger_unmoved, effects.linger_stopped, effects.linger_in_c]
)
async def test_a_process_and_its_children_die_with_their_owner(
    start: Starter, tmp_path: Path, effect: Callable[[str], None]
) -> None:
    file = tmp_path / "notes"
    owner = start(f"asyncio.run(step(effects.{effect.__name__}, sys.argv[1]))", file)
    pid, child = await begun(file)
    killed = time.monotonic()
    kill(owner)
    await gone(pid, child)
    assert time.monotonic() - killed < 5


@pytest.mark.parametrize("effect", ["linger", "linger_in_c"])
async def test_a_copy_of_the_owner_keeps_no_process_alive(
    start: Starter, tmp_path: Path, effect: str
) -> None:
    file = tmp_path / "notes"
    owner = start(
        """
        import threading
        effect = getattr(effects, sys.argv[2])
        threading.Thread(target=lambda: asyncio.run(step(effect, sys.argv[1])), daemon=True).start()
        effects.noted(sys.argv[1], "begun")
        if (copy := os.fork()) == 0:
            time.sleep(1000)
        say(copy)
        wait()
        """.replace("\n        ", "\n"),
        file,
        effect,
    )
    copy = int(hears(owner))
    pid, child = await begun(file)
    kill(owner)
    await gone(pid, child)
    assert effects.is_alive(copy)


async def test_steps_of_the_main_module_are_found(tmp_path: Path) -> None:
    program = tmp_path / "a program"
    program.write_text(
        f"""
import asyncio, sys
from dataclasses import dataclass
sys.path.insert(0, {STORE!r})
from stepfast.processes import Processes

@dataclass
class Pair:
    a: int

class Broken(Exception): pass

def pair(a): return Pair(a.a + 1)
def broken(): raise Broken("so")

async def main():
    import functools
    options = dict(name="s", log=print, progress=print, bookmarked=print)
    assert await Processes().run(functools.partial(pair, Pair(1)), **options) == Pair(2)
    try:
        await Processes().run(broken, **options)
    except Broken as error:
        print("said", error)

if __name__ == "__main__":
    asyncio.run(main())
"""
    )
    ran = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=60)
    assert (ran.stdout, ran.stderr) == ("said so\n", "")


async def test_a_main_module_that_runs_when_it_is_imported_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import asyncio, sys
sys.path.insert(0, {STORE!r})
from stepfast.processes import Processes
def effect(): return 1
try:
    print(asyncio.run(Processes().run(effect, name="s", log=print, progress=print, bookmarked=print)))
except Exception as error:
    print(type(error).__name__, error)
"""
    )
    ran = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=60)
    assert "__main__" in ran.stdout, ran
    assert ran.stdout.count("\n") < 10


# ------------------------------------------------------------------------------------------------- its lock


def owner_lock(folder: Path) -> Path:
    return folder / "1234-00112233aabbccdd.lock"


def step_locks(folder: Path) -> list[Path]:
    return [each for each in folder.iterdir() if is_step_lock(each.name)]


async def test_it_holds_a_lock_until_it_has_ended(asked: Asked, tmp_path: Path) -> None:
    file = tmp_path / "notes"
    locks = tmp_path / "locks"
    locks.mkdir()
    task = asyncio.create_task(asked(effects.linger, str(file), owner=str(owner_lock(locks))))
    pid, _ = await begun(file)
    (lock,) = step_locks(locks)
    assert lock.name == f"1234-00112233aabbccdd-{pid}-{began(pid)}.step"
    assert owner_of(lock.name) == owner_lock(locks).name
    assert probe(lock) is LockState.HELD
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert step_locks(locks) == []


async def test_a_folder_that_is_gone_is_the_steps_failure(asked: Asked, tmp_path: Path) -> None:
    with pytest.raises(ProcessDied, match=r"could not begin its work .*FileNotFoundError"):
        await asked(effects.add, 1, owner=str(owner_lock(tmp_path / "gone")))


async def test_an_orphan_that_survives_everything_is_found_by_its_lock_and_ended(
    start: Starter, tmp_path: Path
) -> None:
    file = tmp_path / "notes"
    owner = start(
        "asyncio.run(step(effects.survive, sys.argv[1], owner=sys.argv[2]))", file, owner_lock(tmp_path)
    )
    pid, child = await begun(file)
    kill(owner)
    effects.until(
        lambda: Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T", "stopped"
    )
    assert not end_orphans(tmp_path / "99-00112233aabbccdd.lock", 0) or effects.is_alive(
        pid
    )  # another owner's
    (lock,) = step_locks(tmp_path)
    assert probe(lock) is LockState.HELD
    assert end_orphans(owner_lock(tmp_path), 10)
    assert step_locks(tmp_path) == []
    await gone(pid, child)


async def test_a_lock_that_names_another_process_ends_nobody(start: Starter, tmp_path: Path) -> None:
    innocent = start("say('here'); wait()")  # leads a session, as the process of a step does
    assert hears(innocent) == "here"
    stem = owner_lock(tmp_path).stem
    wrong = FileLock.acquire(tmp_path / f"{stem}-{innocent.pid}-{(began(innocent.pid) or 0) + 1}.step")
    assert wrong is not None
    assert not end_orphans(owner_lock(tmp_path), 0.05)
    tell(innocent)
    assert innocent.wait(10) == 0
    wrong.release()
    assert end_orphans(owner_lock(tmp_path), 1)
    assert step_locks(tmp_path) == []


async def test_a_process_whose_owner_dies_before_it_begins_runs_nothing(
    start: Starter, tmp_path: Path
) -> None:
    file = tmp_path / "notes"
    # Its lock cannot be had before the owner is dead: somebody else holds it, under the name it will have.
    owner = start(
        """
        from stepfast import processes
        sent = processes._send
        def send(ours, request):
            sent(ours, request)
            os.kill(os.getpid(), 9)
        processes._send = send
        asyncio.run(step(effects.linger, sys.argv[1], owner=sys.argv[2]))
        """.replace("\n        ", "\n"),
        file,
        owner_lock(tmp_path),
    )
    assert owner.wait(20) == -signal.SIGKILL
    effects.until(lambda: end_orphans(owner_lock(tmp_path), 1) and not step_locks(tmp_path), "nobody is left")
    assert not file.exists()


async def test_a_takeover_of_one_that_only_stands_still_ends_its_steps_too(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, file = VirtualClock(), tmp_path / "notes"
    still = await connect(tmp_path / "work.db", clock=clock)
    other = await connect(tmp_path / "work.db", clock=clock)
    await still.start("w", "job", 1, "null")
    claim = await still.checkpointer.claim("w")
    assert claim is not None
    monkeypatch.setattr(still._store, "beat", lambda: asyncio.sleep(0))
    step = asyncio.create_task(asked(effects.linger, str(file), owner=claim.lock))
    pid, child = await begun(file)
    looks = 0
    while not (taken := await other.takeover()):
        assert effects.is_alive(pid), "it was ended before its owner was given up"
        clock.advance(2)
        looks += 1
        assert looks < 100
    assert taken == ["w"]
    assert looks * 2 >= LEASE
    with pytest.raises(ProcessDied, match="was ended by SIGKILL"):
        await step
    await gone(pid, child)
    await still.close()
    await other.close()
