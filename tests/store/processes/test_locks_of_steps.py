"""The lock that a process of a step holds, by which those that outlive their owner are found and ended."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import process_effects as effects
import pytest
from asking_processes import Asked, owner_lock, step_locks
from children import Starter, hears, kill, tell

from stepfast import connect
from stepfast.errors import ProcessDied
from stepfast.processes.orphans import began, end_orphans, owner_of
from stepfast.sqlite.engines.owners import LEASE
from stepfast.system.locks import FileLock, LockState, probe
from stepfast.testing import VirtualClock

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="what is in them is read from /proc"),
    pytest.mark.usefixtures("quiet_loop"),
]


async def test_it_holds_a_lock_until_it_has_ended(asked: Asked, tmp_path: Path) -> None:
    file = tmp_path / "notes"
    locks = tmp_path / "locks"
    locks.mkdir()
    task = asyncio.create_task(asked(effects.linger, str(file), owner=str(owner_lock(locks))))
    pid, _ = await effects.begun(file)
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
    pid, child = await effects.begun(file)
    kill(owner)
    effects.until(
        lambda: Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T", "stopped"
    )
    assert not end_orphans(tmp_path / "99-00112233aabbccdd.lock", 0) or effects.is_alive(
        pid
    )  # another owner's
    (lock,) = step_locks(tmp_path)
    assert probe(lock) is LockState.HELD
    assert end_orphans(owner_lock(tmp_path), 60)
    assert step_locks(tmp_path) == []
    await effects.gone(pid, child)


async def test_a_lock_that_names_another_process_ends_nobody(start: Starter, tmp_path: Path) -> None:
    innocent = start("say('here'); wait()")  # leads a session, as the process of a step does
    assert hears(innocent) == "here"
    stem = owner_lock(tmp_path).stem
    wrong = FileLock.acquire(tmp_path / f"{stem}-{innocent.pid}-{(began(innocent.pid) or 0) + 1}.step")
    assert wrong is not None
    assert not end_orphans(owner_lock(tmp_path), 0.05)
    tell(innocent)
    assert innocent.wait(60) == 0
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
        from stepfast.processes import running
        sent = running._send
        def send(ours, request):
            sent(ours, request)
            os.kill(os.getpid(), 9)
        running._send = send
        asyncio.run(step(effects.linger, sys.argv[1], owner=sys.argv[2]))
        """.replace("\n        ", "\n"),
        file,
        owner_lock(tmp_path),
    )
    assert owner.wait(60) == -signal.SIGKILL
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
    pid, child = await effects.begun(file)
    looks = 0
    while not (taken := await other.takeover()):
        # How long a look waits for its end is a matter of moments; then the next one takes over.
        given_up = looks * 2 >= LEASE
        assert effects.is_alive(pid) or given_up, "it was ended before its owner was given up"
        clock.advance(2)
        looks += 1
        assert looks < 100
    assert taken == ["w"]
    assert looks * 2 >= LEASE
    with pytest.raises(ProcessDied, match="was ended by SIGKILL"):
        await step
    await effects.gone(pid, child)
    await still.close()
    await other.close()
