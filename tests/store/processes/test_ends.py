"""How a process of a step ends: by itself, asked to, killed, or with the program that it belongs to."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import process_effects as effects
import pytest
from asking_processes import Asked
from children import STORE, Starter, hears, kill

from stepfast.errors import ProcessDied, Stopped
from stepfast.processes import running
from stepfast.processes.groups import ProcessGroup

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="what is in them is read from /proc"),
    pytest.mark.usefixtures("quiet_loop"),
]


# ----------------------------------------------------------------------------------------------- how it ends


async def test_a_withdrawn_call_ends_the_whole_group_before_it_returns(asked: Asked, tmp_path: Path) -> None:
    file = tmp_path / "notes"
    task = asyncio.create_task(asked(effects.linger, str(file)))
    pid, child = await effects.begun(file)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not effects.is_alive(pid)
    assert effects.noted(file, "ended") == [[]]  # `finally` ran
    await effects.gone(child)


async def test_one_that_ignores_sigterm_is_killed_after_the_grace(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "GRACE", 0.3)
    for effect in (effects.linger_unmoved, effects.linger_in_c, effects.linger_stopped):
        file = tmp_path / effect.__name__
        task = asyncio.create_task(asked(effect, str(file)))
        pid, child = await effects.begun(file)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not effects.is_alive(pid)
        await effects.gone(child)


async def test_one_that_is_cancelled_again_is_killed_at_once(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "GRACE", 1000.0)
    file = tmp_path / "notes"
    task = asyncio.create_task(asked(effects.linger_unmoved, str(file)))
    pid, child = await effects.begun(file)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not effects.is_alive(pid)
    await effects.gone(child)


async def test_one_that_is_cancelled_a_third_time_waits_for_nothing(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "notes"
    task = asyncio.create_task(asked(effects.linger_unmoved, str(file)))
    pid, child = await effects.begun(file)
    with monkeypatch.context() as hanging:
        hanging.setattr(ProcessGroup, "kill", lambda _group: None)  # as if it could not be killed
        for _ in range(3):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task
        assert effects.is_alive(pid)
    os.killpg(pid, signal.SIGKILL)
    await effects.gone(pid, child)


async def test_one_that_is_cancelled_while_it_waits_or_starts_runs_nothing(tmp_path: Path) -> None:
    asked = Asked(1)
    file = tmp_path / "notes"
    running = asyncio.create_task(asked(effects.linger, str(file)))
    waiting = asyncio.create_task(asked(effects.linger, str(tmp_path / "never")))
    pid, child = await effects.begun(file)
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
    await effects.gone(pid, child)
    assert await asked(effects.add, 1, 2) == 3


async def test_what_a_step_leaves_behind_in_its_group_ends_with_it(asked: Asked, tmp_path: Path) -> None:
    child = await asked(effects.leave_behind, str(tmp_path / "notes"))
    await effects.gone(child)


async def test_a_process_that_does_not_end_after_its_effect_is_ended(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "GRACE", 0.3)
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


@pytest.mark.parametrize(
    "effect", [effects.linger, effects.linger_unmoved, effects.linger_stopped, effects.linger_in_c]
)
async def test_a_process_and_its_children_die_with_their_owner(
    start: Starter, tmp_path: Path, effect: Callable[[str], None]
) -> None:
    file = tmp_path / "notes"
    owner = start(f"asyncio.run(step(effects.{effect.__name__}, sys.argv[1]))", file)
    pid, child = await effects.begun(file)
    kill(owner)
    await effects.gone(pid, child)


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
    pid, child = await effects.begun(file)
    kill(owner)
    await effects.gone(pid, child)
    assert effects.is_alive(copy)


async def test_steps_of_the_main_module_are_found(tmp_path: Path) -> None:
    program = tmp_path / "a program"
    program.write_text(
        f"""
import asyncio, sys
from dataclasses import dataclass
sys.path.insert(0, {STORE!r})
from stepfast.processes.running import Processes

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
from stepfast.processes.running import Processes
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
