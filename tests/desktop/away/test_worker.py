"""`stepfast work`, without a window: it keeps the computer awake while something runs, and no longer."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from desktop import GNOME, LOGIN

from stepfast import Engine, Run, workflow
from stepfast_desktop.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the bus is Linux's")

WORKFLOWS = Path(__file__).with_name("killed.py")


@workflow("endless")
async def endless(run: Run) -> None: ...


async def test_a_worker_keeps_awake_and_leaves_nothing_held(
    services: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPFAST_CONFIG", str(tmp_path / "config"))
    desktop = await services(LOGIN, GNOME)
    folder = tmp_path / "data"
    folder.mkdir()
    Settings(folder).put("keep_awake", "always")
    async with Engine.open(folder / "stepfast.db", work=False) as engine:
        await engine.start(endless(), id="e")
    command = [
        sys.executable,
        "-m",
        "stepfast_desktop",
        "--data",
        str(folder),
        "work",
        "--load",
        "killed:endless",
    ]
    environment = {**os.environ, "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{WORKFLOWS.parent}"}
    worker = await asyncio.create_subprocess_exec(
        *command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    await desktop.until_held("idle/block", "sleep/delay")
    assert (await desktop.until("Inhibit", 3)) is not None
    worker.send_signal(signal.SIGTERM)
    _, said = await worker.communicate()
    await desktop.until_held()
    assert worker.returncode == 0, said
    assert await desktop.until("Uninhibit") == [1]
