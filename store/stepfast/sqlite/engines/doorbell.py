"""How one process tells another that it wrote: a datagram with no meaning. It rings and hears, never reads.

Each owner binds a socket on 127.0.0.1 and registers its port with a nonce in the file. Whoever commits
something rings the others; whoever hears a ring looks into the file. A ring that is lost, forged or doubled
costs a look, or the slow look that is the net: nothing depends on it. Why a datagram: it is heard by one
blocked thread on every platform, needs no connection, and what an idle engine does for it is nothing.

Wakeups ring at once. Ends, for which somebody may wait, do so as well, but not twice in 10 ms. Changes that
only views follow are put together: one ring for each peer in 50 ms.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import threading
from collections.abc import Callable, Iterable

__all__ = ["Doorbell", "Ringer"]

logger = logging.getLogger("stepfast")

HOST = "127.0.0.1"
GATHER_SECONDS = 0.05
ENDS_SECONDS = 0.01
LONGEST = 64


class Doorbell:
    """Hears. `address` is what others need to ring it; `heard` is called on a thread of its own.

    Raises OSError where no socket can be bound.
    """

    def __init__(self, heard: Callable[[], None]) -> None:
        self._heard = heard
        self._nonce = os.urandom(8).hex()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind((HOST, 0))
        except OSError:
            self._socket.close()
            raise
        self.address = f"{self._socket.getsockname()[1]}:{self._nonce}"
        self._closed = False
        self._thread = threading.Thread(target=self._listen, name="stepfast-doorbell", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop hearing; returns when the thread has ended."""
        self._closed = True
        # Closing a socket does not wake a thread that is blocked in it; a ring does.
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ringer:
            ringer.sendto(self._nonce.encode(), self._socket.getsockname())
        self._thread.join()

    def _listen(self) -> None:
        expected = self._nonce.encode()
        with self._socket:
            while not self._closed:
                try:
                    heard = self._socket.recv(LONGEST)
                except OSError as error:
                    # Windows reports here that an earlier datagram of ours found nobody, or was too long.
                    logger.debug("the doorbell could not hear: %s", error)
                    continue
                if self._closed:
                    return
                from hmac import compare_digest  # which most programs never need: nobody rings them

                if compare_digest(heard, expected):
                    self._heard()


class Ringer:
    """Rings the doorbells of others. Belongs to the loop that it was made on."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._peers: list[tuple[int, bytes]] = []
        self._gathering: asyncio.TimerHandle | None = None
        self._next_end_at = 0.0

    def know(self, addresses: Iterable[str]) -> None:
        """Ring these from now on; an address that makes no sense is left out."""
        self._peers = []
        for address in addresses:
            port, _, nonce = address.partition(":")
            with contextlib.suppress(ValueError):
                if 0 < int(port) < 65536 and 0 < len(nonce) <= LONGEST:
                    self._peers.append((int(port), nonce.encode()))

    def ring(self, *, urgent: bool, moved: bool = False) -> None:
        """Tell the others that something was committed: at once, or within 50 ms.

        `moved`: something has another state, as at its end.
        """
        if not self._peers:
            return
        if not (urgent or moved):
            if self._gathering is None:
                self._gathering = self._loop.call_later(GATHER_SECONDS, self._send_gathered)
            return
        if self._gathering is not None:
            self._gathering.cancel()
            self._gathering = None
        if urgent or self._loop.time() >= self._next_end_at:
            self._send()
        else:
            self._gathering = self._loop.call_at(self._next_end_at, self._send_gathered)

    def close(self) -> None:
        """Send what is still gathered, and no more."""
        if self._gathering is not None:
            self._gathering.cancel()
            self._send_gathered()
        self._socket.close()

    def _send_gathered(self) -> None:
        self._gathering = None
        self._send()

    def _send(self) -> None:
        self._next_end_at = self._loop.time() + ENDS_SECONDS
        for port, nonce in self._peers:
            # A full buffer or a peer that has gone: its slow look will find what it needs.
            with contextlib.suppress(OSError):
                self._socket.sendto(nonce, (HOST, port))
