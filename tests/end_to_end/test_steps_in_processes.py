"""Steps in processes under a whole engine: recorded, ended, killed with it, never beside their orphans."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import process_workflows as workflows
import pytest
from process_workflows import effects

from stepfast import Engine, NotAllowed, Secret, WorkflowFailed
from stepfast.sqlite import durable
from stepfast.testing import VirtualClock
from stepfast.testing.keepers import MemoryKeeper

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what is in a process is read from /proc")

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).parent / "programs" / "stepping.py"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "work.db"


@asynccontextmanager
async def at_work(database: Path, **options: Any) -> AsyncIterator[Engine]:
    async with Engine.open(database, workflows.ALL, backups=False, **options) as engine, asyncio.timeout(60):
        yield engine


@pytest.fixture(autouse=True)
def no_survivors() -> Iterator[None]:
    with effects.none_left():
        yield


class Program:
    """A process with an engine in it."""

    def __init__(self, database: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(PROGRAM), str(database)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT / "store")},
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"ready\n"

    def kill(self) -> None:
        """SIGKILL to it alone."""
        self.process.kill()
        assert self.process.wait() == -signal.SIGKILL


@pytest.fixture
def program(database: Path) -> Iterator[Program]:
    made = Program(database)
    yield made
    with suppress(ProcessLookupError):
        made.process.kill()
    made.process.wait()
    assert made.process.stdout is not None
    made.process.stdout.close()


async def state(engine: Engine, id: str, *states: str) -> None:
    """Wait until a workflow is in one of these states."""
    while (await engine.summary(id)).state.name not in states:
        await asyncio.sleep(0.01)


# ------------------------------------------------------------------------------------------------ what it is


async def test_a_step_runs_where_it_is_to_and_its_value_is_recorded(database: Path) -> None:
    async with at_work(database) as engine:
        placed = await (await engine.start(workflows.placing(), id="p")).result()
        assert placed[0] == placed[1] == os.getpid() != placed[2]
        assert await (await engine.start(workflows.points(), id="v")).result() == effects.Point(2, 2)
        history = await engine.history("p")
        assert [each.name for each in history] == ["in loop", "in thread", "in process"]


async def test_what_it_says_from_its_process_is_the_workflows(database: Path) -> None:
    async with at_work(database) as engine:
        handle = await engine.start(workflows.telling("x"), id="t")
        assert await handle.result() == ["t", False, None]
        log = await engine.log("t")
        assert {(each.level, each.step, each.text) for each in log} == {  # in any order: two pipes
            ("warning", "tell", "a line"),
            ("info", "tell", "a printed line"),
        }
        progress = (await engine.summary("t")).progress
        assert progress is not None
        assert (progress.done, progress.text) == (3.0, "three of four")


@pytest.mark.parametrize("how", ["raise", "exit", "bookmark"])
async def test_a_secret_that_a_process_says_is_in_no_file(database: Path, how: str) -> None:
    word = "not-to-be-written"
    async with at_work(database, secrets=MemoryKeeper()) as engine:
        with pytest.raises(WorkflowFailed):
            await (await engine.start(workflows.leaking(Secret(word), how), id="s")).result()
        failure = (await engine.get("s")).failure
        assert failure is not None
        assert {"raise": "raised (secret word)", "exit": "code 3", "bookmark": "the secret 'word'"}[how] in (
            failure.message
        )
        assert {each.text for each in await engine.log("s")} == {
            "printed (secret word)",
            "logged (secret word)",
        }
        files = [each for each in database.parent.rglob("*") if each.is_file()]
        assert database in files
        assert not any(word.encode() in each.read_bytes() for each in files)


async def test_it_has_nothing_of_the_program_open(database: Path) -> None:
    async with at_work(database) as engine:
        held = await (await engine.start(workflows.open_files(), id="o")).result()
    of_program = [each for each in held if str(database) in each]
    assert [Path(each).suffix for each in of_program] == [".step"]


async def test_a_step_that_computes_leaves_the_loop_alone(database: Path, capsys: Any) -> None:
    async with at_work(database) as engine:
        handle = await engine.start(workflows.calling("compute", [1.5]), id="c")
        result = asyncio.ensure_future(handle.result())
        turns, longest, last, began = 0, 0.0, time.monotonic(), time.process_time()
        while not result.done():
            await asyncio.sleep(0)
            now = time.monotonic()
            turns, longest, last = turns + 1, max(longest, now - last), now
        took = time.process_time() - began
        assert await result > 0
    with capsys.disabled():
        print(f"\n{turns} turns of the loop beside a step that computes, the longest {longest * 1e3:.1f} ms")
    # For each second that this process had, on however busy a machine: beside a thread that computes in it,
    # a turn waits 5 ms for the interpreter's lock.
    assert turns / took > 1_000


async def test_what_kills_a_process_fails_one_workflow_and_no_other(database: Path) -> None:
    expected = {
        "sys_exit": ("stepfast.errors.StepExited", "SystemExit was raised (3)"),
        "os_exit": ("stepfast.errors.ProcessDied", "exited with code 3"),
        "crash": ("stepfast.errors.ProcessDied", "was ended by SIGSEGV"),
        "eat_memory": ("MemoryError", ""),
        "raise_odd": ("stepfast.errors.StepRaised", "process_effects.Odd: code 7: it was odd"),
        "raise_rich": ("stepfast.errors.StepRaised", "process_effects.Rich: it was rich"),
        "unpicklable": ("stepfast.errors.UnstorableValue", "cannot be handed back"),
    }
    async with at_work(database) as engine:
        fine = await engine.start(workflows.calling("add", [1, 2]), id="fine")
        handles = {each: await engine.start(workflows.calling(each, []), id=each) for each in expected}
        for effect, (kind, message) in expected.items():
            with pytest.raises(WorkflowFailed):
                await handles[effect].result()
            failure = (await engine.get(effect)).failure
            assert failure is not None
            assert (failure.type, failure.step) == (kind, "call")
            assert message in failure.message
            if effect not in ("os_exit", "unpicklable"):
                assert f"in {effect}" in failure.traceback
        assert await fine.result() == 3
        assert await (await engine.start(workflows.calling("add", [3, 4]), id="after")).result() == 7


async def test_a_value_that_cannot_come_back_is_not_made_again(database: Path, tmp_path: Path) -> None:
    file = tmp_path / "notes"
    async with at_work(database) as engine:
        with pytest.raises(WorkflowFailed):
            await (await engine.start(workflows.unreturnable(str(file)), id="u")).result()
    assert effects.noted(file, "begun") == [[]]


async def test_a_process_that_dies_is_tried_again(database: Path, tmp_path: Path) -> None:
    async with at_work(database) as engine:
        assert await (await engine.start(workflows.retrying(str(tmp_path / "notes")), id="r")).result() == 3


@pytest.mark.parametrize("effect", ["linger", "linger_in_c"])
async def test_a_process_that_takes_too_long_is_ended(database: Path, tmp_path: Path, effect: str) -> None:
    file = tmp_path / "notes"
    clock = VirtualClock()  # a busy machine takes longer than any timeout to start a process
    async with at_work(database, clock=clock) as engine:
        handle = await engine.start(workflows.late(effect, str(file)), id="l")
        pid, child = await effects.begun(file)
        clock.advance(2)
        with pytest.raises(WorkflowFailed, match="took longer"):
            await handle.result()
        assert not effects.is_alive(pid)
        await effects.gone(child)


# ---------------------------------------------------------------------------------- pause, cancel, quit


async def test_a_pause_ends_the_process_and_a_resume_begins_another(database: Path, tmp_path: Path) -> None:
    file = tmp_path / "notes"
    async with at_work(database) as engine:
        handle = await engine.start(workflows.interrupted("linger", str(file)), id="w")
        pid, child = await effects.begun(file)
        await engine.pause("w")
        await state(engine, "w", "paused")
        assert not effects.is_alive(pid)
        await effects.gone(child)
        await engine.resume("w")
        assert await handle.result() == "after []"


async def test_a_cancellation_ends_the_process(database: Path, tmp_path: Path) -> None:
    file = tmp_path / "notes"
    async with at_work(database) as engine:
        await engine.start(workflows.interrupted("linger_unmoved", str(file)), id="w")
        pid, child = await effects.begun(file)
        await engine.cancel("w")
        await state(engine, "w", "cancelled")
        assert not effects.is_alive(pid)
        await effects.gone(child)


async def test_quitting_ends_the_process_and_the_next_program_begins_another(
    database: Path, tmp_path: Path
) -> None:
    file = tmp_path / "notes"
    async with at_work(database) as engine:
        await engine.start(workflows.interrupted("linger", str(file)), id="w")
        pid, child = await effects.begun(file)
    assert not effects.is_alive(pid)
    await effects.gone(child)
    async with at_work(database) as engine:
        assert (
            await (await engine.start(workflows.interrupted("linger", str(file)), id="w")).result()
            == "after []"
        )


# ------------------------------------------------------------------------------------------------- kill -9


@pytest.mark.parametrize("effect", ["linger", "linger_unmoved", "linger_stopped", "linger_in_c"])
async def test_a_killed_program_takes_its_steps_along_and_they_run_again(
    database: Path, tmp_path: Path, program: Program, effect: str
) -> None:
    file = tmp_path / "notes"
    async with Engine.open(database, workflows.ALL, work=False) as client:
        await client.start(workflows.interrupted(effect, str(file)), id="w")
    pid, child = await effects.begun(file)
    program.kill()
    await effects.gone(pid, child)
    async with at_work(database) as engine:
        assert (
            await (await engine.start(workflows.interrupted(effect, str(file)), id="w")).result()
            == "after []"
        )
    assert not (tmp_path / "work.db-owners").exists()


async def test_a_bookmark_survives_its_process(database: Path, tmp_path: Path, program: Program) -> None:
    file = tmp_path / "notes"
    async with Engine.open(database, workflows.ALL, work=False) as client:
        await client.start(workflows.marking(str(file)), id="w")
        await effects.begun(file)
        while not await asyncio.to_thread(bookmarks, database):
            await asyncio.sleep(0.01)
    program.kill()
    async with at_work(database) as engine:
        result = await (await engine.start(workflows.marking(str(file)), id="w")).result()
    assert result == ["as far", "as here"]


def bookmarks(database: Path) -> list[Any]:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
        return connection.execute("SELECT * FROM stepfast_bookmarks").fetchall()


async def test_no_step_runs_beside_an_orphan_that_survived(
    database: Path, tmp_path: Path, program: Program
) -> None:
    file = tmp_path / "notes"
    async with Engine.open(database, workflows.ALL, work=False) as client:
        await client.start(workflows.interrupted("survive", str(file)), id="w")
    pid, child = await effects.begun(file)
    program.kill()
    stat = Path(f"/proc/{pid}/stat")
    await asyncio.to_thread(effects.until, lambda: " T " in stat.read_text(), "it stands still")
    assert effects.is_alive(child)
    async with at_work(database) as engine:
        result = await (await engine.start(workflows.interrupted("survive", str(file)), id="w")).result()
    assert result == "after []"
    assert not effects.is_alive(pid)


async def test_an_orphan_that_cannot_be_ended_is_waited_for(
    database: Path, tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "notes"
    async with Engine.open(database, workflows.ALL, work=False) as client:
        await client.start(workflows.interrupted("survive", str(file)), id="w")
    pid, _ = await effects.begun(file)
    program.kill()
    looks = asyncio.Queue[bool]()
    end_steps = durable.end_steps
    loop = asyncio.get_running_loop()

    def look(folder: Path, owner: str, *, patience: float) -> bool:
        ended = end_steps(folder, owner, patience=patience)
        loop.call_soon_threadsafe(looks.put_nowait, ended)
        return ended

    monkeypatch.setattr(durable, "end_steps", look)
    monkeypatch.setattr("stepfast.processes.orphans._kill", lambda _file: None)
    async with at_work(database) as engine:
        assert [await looks.get(), await looks.get()] == [False, False]
        assert (await engine.summary("w")).state.name == "running"
        with pytest.raises(NotAllowed):
            await engine.retry("w")
        os.killpg(pid, signal.SIGKILL)
        handle = await engine.start(workflows.interrupted("survive", str(file)), id="w")
        assert await handle.result() == "after []"
