"""Hearing other launches on the data folder of this window: a line comes in, a line goes back.

To be made only by whoever is the window of that folder (`sole.py`): what listened there before is dead, and
its socket is removed. Where there are no such sockets, on Windows, `qt/leaving/listening.py` does the same.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from tempfile import mkdtemp

__all__ = ["SocketListening"]

PATIENCE_SECONDS = 5.0
MOST_AT_ONCE = 8


class SocketListening:
    """A local socket that only this user can reach, heard by the loop that runs.

    Args:
        address: its path; see `launching.address_of`.
        most: bytes that a line may have; whoever sends more is cut off.
        reply: makes of a line what goes back; called on this thread.

    Raises:
        OSError: nothing can listen there.
    """

    def __init__(self, address: str, most: int, reply: Callable[[bytes], bytes]) -> None:
        self._address = address
        self._most = most
        self._reply = reply
        self._loop = asyncio.get_running_loop()
        self._asking: set[asyncio.Task[None]] = set()
        self._socket = _listening_at(address)
        self._loop.add_reader(self._socket, self._connected)

    def close(self) -> None:
        """Hear nothing more; what is half heard is dropped."""
        self._loop.remove_reader(self._socket)
        self._socket.close()
        for each in self._asking:
            each.cancel()
        with suppress(OSError):
            os.unlink(self._address)

    def _connected(self) -> None:
        try:
            asking, _ = self._socket.accept()
        except OSError:
            return  # it has gone again
        asking.setblocking(False)
        task = self._loop.create_task(self._hear(asking), name="another launch")
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _hear(self, asking: socket.socket) -> None:
        line = b""
        # One that says nothing, or does not read, is not waited for; and one may go at any moment.
        with asking, suppress(OSError, TimeoutError):
            async with asyncio.timeout(PATIENCE_SECONDS):
                while b"\n" not in line:
                    piece = await self._loop.sock_recv(asking, self._most + 1)
                    line += piece
                    if not piece or len(line) > self._most:
                        return
                await self._loop.sock_sendall(asking, self._reply(line[: line.index(b"\n") + 1]))


def _listening_at(address: str) -> socket.socket:
    """A socket that listens at this path, in the place of what was left there by a dead one."""
    # Made where nobody else can reach it, so that it is nobody else's for not even a moment.
    folder = mkdtemp(prefix="", dir=os.path.dirname(address))
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.setblocking(False)
        within = os.path.join(folder, "s")
        made.bind(within)
        os.chmod(within, 0o600)
        made.listen(MOST_AT_ONCE)
        os.rename(within, address)
    except BaseException:
        made.close()
        raise
    finally:
        with suppress(OSError):
            os.unlink(os.path.join(folder, "s"))
        os.rmdir(folder)
    return made
