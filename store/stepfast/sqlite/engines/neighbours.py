"""The other engines on the file: hearing that they wrote, ringing them, and noticing that one has died.

While there are others, their locks are looked at every two seconds, without SQL; alone, a slow look every
half minute is the net for what no doorbell told. An idle engine does nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path

from stepfast.errors import StoreError
from stepfast.interfaces import Signal
from stepfast.sqlite import statements
from stepfast.sqlite.engines.doorbell import Doorbell, Ringer
from stepfast.sqlite.engines.owners import Peer, Watch, boot_id, owners_folder, sweep
from stepfast.sqlite.reading.readers import Readers
from stepfast.system.threads import call_on, once

__all__ = ["Neighbours"]

logger = logging.getLogger("stepfast")

PROBE_SECONDS = 2.0
SLOW_SECONDS = 30.0


class Neighbours:
    """Everybody but this engine. Made on the loop that it belongs to.

    Args:
        path: the file.
        monotonic: seconds, for leases.
        wrote: called on the loop when somebody else has written.
        lost: called on the loop with the key of this engine's row, once that is gone.
        reader: of one connection, and its own: what `data_version` says is relative to the one that asks.
    """

    me: int | None = None
    """The key of this engine's row."""

    def __init__(
        self,
        path: Path,
        monotonic: Callable[[], float],
        *,
        wrote: Callable[[], None],
        lost: Callable[[int], None],
        reader: Readers,
    ) -> None:
        self._folder = owners_folder(path)
        self._monotonic = monotonic
        self._wrote = wrote
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._reader = reader
        self._data_version: int | None = None
        self._watch = Watch(self._folder, boot_id())
        self._ringer = Ringer()
        self._doorbell: Doorbell | None = None
        self._peers: list[Peer] = []
        self._known = False
        self._looking: asyncio.Task[None] | None = None
        self._look_again = False
        self._closed = False

    # --- hearing and ringing ----------------------------------------------------------------------

    def hang_doorbell(self) -> str | None:
        """Begin to hear; returns the address to register, or None where no socket can be had."""
        if self._doorbell is None:
            try:
                self._doorbell = Doorbell(lambda: call_on(self._loop, self._heard))
            except OSError as error:
                logger.warning("no doorbell (%s): what other programs do is seen up to 30 s later", error)
                return None
        return self._doorbell.address

    async def moved_in(self) -> None:
        """This engine is registered: from now on it is one of them, so learn who there is and tell them."""
        await self._learn()
        self._ringer.ring(urgent=True)
        # Who has written since this engine opened the file did not know it, and rang nobody here.
        await self.poll()

    def ring_known(self, signal: Signal) -> bool:
        """Tell the others of a commit of this engine, where it knows who there is; else `ring` is to."""
        if not self._known or self.me is None:
            return False
        self._tell_of(signal)
        return True

    def _tell_of(self, signal: Signal) -> None:
        moved = signal.keys is None or len(signal.went_on) < len(signal.keys)
        self._ringer.ring(urgent=signal.urgent, moved=moved)

    async def ring(self, signal: Signal) -> None:
        """Tell the others of a commit of this engine."""
        if not self.ring_known(signal):
            # Who is not registered is rung by nobody, and so hears of nobody who comes later.
            await self._learn()
            self._tell_of(signal)

    def _heard(self) -> None:
        if self._closed:
            return
        if self._looking is not None:
            self._look_again = True
            return
        self._looking = self._loop.create_task(self._look(), name="stepfast doorbell")

    async def _look(self) -> None:
        try:
            await self.poll()
        except StoreError as error:
            logger.warning("another program rang, and the file could not be read: %s", error)
        finally:
            self._looking = None
        if self._look_again:
            self._look_again = False
            self._heard()

    async def poll(self) -> None:
        """Look whether another connection has written since the last look."""

        def read(connection: sqlite3.Connection) -> int:
            (number,) = connection.execute("PRAGMA data_version").fetchone()
            return int(number)

        number = await self._reader.run(read)
        if self._data_version is not None and number != self._data_version:
            known = {peer.key for peer in self._peers}
            await self._learn()
            if not {peer.key for peer in self._peers} <= known:
                # What was committed here since the new one came was rung to those who were known.
                self._ringer.ring(urgent=True)
            self._wrote()
        self._data_version = number

    # --- the dead ---------------------------------------------------------------------------------

    @property
    def look_every(self) -> float:
        """Seconds after which `dead` wants to be asked again."""
        return PROBE_SECONDS if self._peers or not self._known else SLOW_SECONDS

    async def dead(self, *, anew: bool) -> list[Peer]:
        """Those whose workflows may be taken over; `anew` reads the file for who there is."""
        if anew or not self._known:
            await self._learn()
        return self._watch.judge(self._peers, self._monotonic())

    def gone(self, peer: Peer) -> bool:
        """Has the process of that one ended, for certain?"""
        return self._watch.gone(peer)

    def to_be_taken_over(self, peer: Peer, asked: float) -> bool:
        """Look at one again, with its row as read inside the takeover, which was asked for at `asked`."""
        return self._watch.to_be_taken_over(peer, asked, self._monotonic())

    async def _learn(self) -> None:
        def read(connection: sqlite3.Connection) -> list[tuple[Peer, str | None]]:
            return [
                (Peer(key, file, boot, beat, bool(owed)), doorbell)
                for key, file, boot, beat, owed, doorbell in connection.execute(statements.OWNERS)
            ]

        me = self.me  # whose row was there before this is read
        found = await self._reader.run(read)
        self._known = True
        sweep(self._folder, {peer.file for peer, _ in found})
        self._peers = [peer for peer, _ in found if peer.key != self.me]
        self._ringer.know(doorbell for peer, doorbell in found if doorbell and peer.key != self.me)
        if me is not None and all(peer.key != me for peer, _ in found):
            self._lost(me)

    # --- the end ----------------------------------------------------------------------------------

    async def close(self) -> None:
        """Ring what is gathered and hear nothing more."""
        self._closed = True
        if self._looking is not None:
            await asyncio.wait({self._looking})
        with contextlib.suppress(StoreError):
            # Who has come since would otherwise never hear of what was done here.
            await self._learn()
        self._ringer.ring(urgent=True)
        self._ringer.close()
        if self._doorbell is not None:
            await once(self._doorbell.close)
        await once(self._reader.close)
