"""Files, sockets, servers and subprocesses: asyncio's own code, on Qt's notifier."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.asyncio(loop_factories=["window", "asyncio"])
posix = pytest.mark.skipif(sys.platform == "win32", reason="the proactor has no readers")


@pytest.fixture(autouse=True)
async def in_time() -> None:
    """Runs on the loop before each test, so that a fixture of a test's own is known to work."""
    await asyncio.sleep(0)


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()
    await writer.wait_closed()


async def through(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, data: bytes) -> bytes:
    writer.write(data)
    writer.write_eof()
    back, _ = await asyncio.gather(reader.read(), writer.drain())
    writer.close()
    await writer.wait_closed()
    return back


async def test_a_server_and_its_clients() -> None:
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    data = os.urandom(2_000_000)  # more than any buffer: both sides have to wait for each other

    async def client() -> bytes:
        return await through(*await asyncio.open_connection("127.0.0.1", port), data)

    assert await asyncio.gather(*(client() for _ in range(4))) == [data] * 4
    server.close()
    await server.wait_closed()


@posix
async def test_a_unix_server(tmp_path: Path) -> None:
    server = await asyncio.start_unix_server(echo, tmp_path / "socket")
    assert await through(*await asyncio.open_unix_connection(tmp_path / "socket"), b"hello") == b"hello"
    server.close()
    await server.wait_closed()


async def test_a_refused_connection_is_an_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and nobody listens
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", taken.getsockname()[1])


async def test_datagrams() -> None:
    loop = asyncio.get_running_loop()
    received: asyncio.Future[bytes] = loop.create_future()

    class Receives(asyncio.DatagramProtocol):
        def datagram_received(self, data: bytes, addr: object) -> None:
            received.set_result(data)

    receiver, _ = await loop.create_datagram_endpoint(Receives, local_addr=("127.0.0.1", 0))
    address = receiver.get_extra_info("sockname")
    sender, _ = await loop.create_datagram_endpoint(asyncio.DatagramProtocol, remote_addr=address)
    sender.sendto(b"ding")
    assert await received == b"ding"
    sender.close()
    receiver.close()
    await asyncio.sleep(0)


async def test_plain_sockets() -> None:
    loop = asyncio.get_running_loop()
    one, other = socket.socketpair()
    one.setblocking(False)
    other.setblocking(False)
    data = os.urandom(1_000_000)
    sending = asyncio.create_task(loop.sock_sendall(one, data))
    received = bytearray()
    while len(received) < len(data):
        received += await loop.sock_recv(other, 65536)
    await sending
    assert bytes(received) == data
    waiting = asyncio.create_task(loop.sock_recv(other, 10))
    await asyncio.sleep(0.001)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await loop.sock_sendall(one, b"for the next")
    assert await loop.sock_recv(other, 100) == b"for the next"
    one.close()
    other.close()


@posix
async def test_a_reader_is_called_while_there_is_something_to_read() -> None:
    loop = asyncio.get_running_loop()
    one, other = socket.socketpair()
    order: list[str] = []
    done = loop.create_future()

    def first() -> None:
        order.append("first")
        if len(order) == 3:  # nothing was read so far: it is called again and again
            loop.add_reader(other, second)  # in place of this one

    def second() -> None:
        order.append(f"second: {other.recv(10)!r}")
        assert loop.remove_reader(other.fileno())  # by its number, though added by itself
        done.set_result(None)

    loop.add_reader(other, first)
    one.send(b"x")
    await done
    one.send(b"y")
    await asyncio.sleep(0.01)
    assert order == ["first", "first", "first", "second: b'x'"]
    assert not loop.remove_reader(other)
    one.close()
    other.close()


@posix
async def test_a_writer_is_called_while_there_is_room() -> None:
    loop = asyncio.get_running_loop()
    one, other = socket.socketpair()
    called = loop.create_future()
    loop.add_writer(one, called.set_result, None)
    loop.add_reader(one, int)
    await called
    assert loop.remove_writer(one)
    assert loop.remove_reader(one)
    assert not loop.remove_writer(one)
    one.close()
    other.close()


@posix
async def test_a_descriptor_that_is_closed_and_used_again_is_heard() -> None:
    loop = asyncio.get_running_loop()
    for _ in range(20):
        reader, writer = os.pipe()
        heard = loop.create_future()
        loop.add_reader(reader, heard.set_result, None)
        os.write(writer, b"x")
        await heard
        loop.remove_reader(reader)
        os.close(reader)
        os.close(writer)


async def test_a_subprocess_and_its_pipes() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "import sys; data = sys.stdin.read(); print(len(data)); print('oh', file=sys.stderr); sys.exit(7)",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate(b"x" * 1_000_000)
    assert (out.split(), err.split(), process.returncode) == ([b"1000000"], [b"oh"], 7)


async def test_a_shell_and_many_subprocesses_at_once() -> None:
    async def answer(number: int) -> int:
        process = await asyncio.create_subprocess_shell(f"exit {number}")
        return await process.wait()

    assert await asyncio.gather(*(answer(number) for number in range(10))) == list(range(10))


async def test_a_subprocess_that_is_killed() -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "import time; time.sleep(1000)")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(process.wait(), 0.01)
    process.kill()
    assert await process.wait() != 0


async def test_a_task_group_cancels_the_others_when_one_fails() -> None:
    ended: list[str] = []

    async def waits() -> None:
        try:
            await asyncio.sleep(1000)
        finally:
            ended.append("cancelled")

    async def fails() -> None:
        await asyncio.sleep(0.001)
        raise ValueError("one")

    async def group() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(waits())
            group.create_task(waits())
            group.create_task(fails())

    with pytest.raises(ExceptionGroup) as caught:
        await group()
    assert [str(error) for error in caught.value.exceptions] == ["one"]
    assert ended == ["cancelled"] * 2
