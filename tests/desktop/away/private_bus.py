"""A private bus, and a desktop's services on it in a process of its own."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

SERVICES = Path(__file__).with_name("desktop.py")
CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd"><busconfig><type>session</type>
<listen>unix:path={socket}</listen><auth>EXTERNAL</auth><policy context="default"><allow send_destination="*"
eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"""


DAEMONS: dict[str, subprocess.Popen[str]] = {}


class Services:
    """The services of a desktop: what they were asked, and what they are told to do."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.said: list[tuple[str, Any]] = []
        self._more = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            said = json.loads(line)
            self.said.append((said["what"], said["body"]))
            self._more.set()

    def asked(self, what: str) -> list[Any]:
        """What came with each call of that name."""
        return [body for name, body in self.said if name == what]

    async def all_asked(self, what: str) -> list[Any]:
        """As `asked`, once all that was asked so far is heard here."""
        await self.held()
        return self.asked(what)

    async def until(self, what: str, count: int = 1) -> Any:
        """Wait for so many calls of that name; gives the last."""
        async with asyncio.timeout(60):
            while len(self.asked(what)) < count:
                self._more.clear()
                await self._more.wait()
        return self.asked(what)[count - 1]

    def tell(self, do: str, **more: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, **more}).encode() + b"\n")

    async def held(self) -> list[str]:
        """The locks that logind handed out and that nobody let go."""
        before = len(self.asked("held"))
        self.tell("fds")
        found: list[str] = await self.until("held", before + 1)
        return found

    async def until_held(self, *locks: str) -> None:
        async with asyncio.timeout(60):
            while sorted(await self.held()) != sorted(locks):
                await asyncio.sleep(0.01)

    async def close(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()
        await self._reading


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bus of the test's own, for this process and its children the session's and the system's."""
    if shutil.which("dbus-daemon") is None:
        pytest.skip("there is no dbus-daemon here")
    socket, config = tmp_path / "bus", tmp_path / "bus.conf"
    config.write_text(CONFIG.format(socket=socket))
    command = ["dbus-daemon", f"--config-file={config}", "--nofork", "--print-address"]
    daemon = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert daemon.stdout is not None
    address = daemon.stdout.readline().strip()
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
    monkeypatch.delenv("XDG_CURRENT_DESKTOP", raising=False)
    DAEMONS[address] = daemon
    yield address
    daemon.kill()
    daemon.wait()
    daemon.stdout.close()


@pytest.fixture
def no_bus(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no bus, as in a container or on a console."""
    for name in ("DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"):
        monkeypatch.setenv(name, "unix:path=/nonexistent")


@pytest.fixture
async def services(bus: str) -> AsyncIterator[Any]:
    """Call it with the names that it is to have on the bus."""
    started: list[Services] = []

    async def start(*names: str) -> Services:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(SERVICES),
            *names,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        found = Services(process)
        started.append(found)
        await found.until("ready")
        return found

    yield start
    for each in started:
        await each.close()
