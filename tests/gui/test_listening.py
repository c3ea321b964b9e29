"""What listens for other launches: lines in, lines out, and nothing that a stranger sends holds it up."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stepfast_desktop.instance.listening import SocketListening
from stepfast_desktop.qt.leaving.listening import Listening

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it asks through sockets")

MOST = 1000

Kind = type[Listening] | type[SocketListening]


@pytest.fixture(params=[Listening, SocketListening])
def kind(request: pytest.FixtureRequest) -> Kind:
    """Qt's, for Windows, and the one for all other systems."""
    found: Kind = request.param
    return found


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    path = Path(f"/tmp/stepfast-test-{os.getpid()}-{abs(hash(tmp_path)) % 10**6}")
    yield str(path)
    path.unlink(missing_ok=True)


@pytest.fixture
async def heard(address: str, kind: Kind) -> Any:
    """What was heard; each line is answered by its length."""
    lines: list[bytes] = []

    def reply(line: bytes) -> bytes:
        lines.append(line)
        return f"{len(line)}\n".encode()

    listening = kind(address, MOST, reply)
    yield lines
    listening.close()


async def ask(address: str, *pieces: bytes) -> bytes:
    """What comes back until the other end closes."""
    reader, writer = await asyncio.open_unix_connection(address)
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
        async with asyncio.timeout(60):
            return await reader.read()
    finally:
        writer.close()


async def test_a_line_in_pieces_is_one_and_its_answer_comes(address: str, heard: list[bytes]) -> None:
    assert await ask(address, b"he", b"llo", b"\n") == b"6\n"
    assert await asyncio.gather(*(ask(address, b"x" * n + b"\n") for n in range(1, 6))) == [
        b"2\n", b"3\n", b"4\n", b"5\n", b"6\n",
    ]  # fmt: skip
    assert heard[0] == b"hello\n" and len(heard) == 6


async def test_whoever_sends_too_much_is_cut_off_and_the_next_is_heard(
    address: str, heard: list[bytes]
) -> None:
    try:
        assert await ask(address, *[b"x" * 500] * 5) == b""
    except ConnectionError:
        pass  # it wrote on when it was cut off
    assert heard == []
    assert await ask(address, b"hello\n") == b"6\n"


async def test_one_that_says_nothing_holds_nobody_up(address: str, heard: list[bytes]) -> None:
    _, silent = await asyncio.open_unix_connection(address)
    assert await ask(address, b"hello\n") == b"6\n"
    silent.close()


async def test_the_socket_is_this_users_alone_and_what_a_dead_one_left_is_in_nobodys_way(
    address: str, kind: Kind
) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(address)
    assert Path(address).exists()
    listening = kind(address, MOST, lambda line: line)
    assert Path(address).stat().st_mode & 0o077 == 0
    assert await ask(address, b"hello\n") == b"hello\n"
    listening.close()
    assert not Path(address).exists()


async def test_where_nothing_can_listen_it_is_said(tmp_path: Path, kind: Kind) -> None:
    with pytest.raises(OSError, match="nowhere"):
        kind(str(tmp_path / "nowhere" / "at-all"), MOST, lambda line: line)
