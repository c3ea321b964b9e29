"""A message bus (D-Bus) of Linux: calls and signals, and one kind of error for all that can fail."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from dbus_fast import Message
    from dbus_fast.aio import MessageBus

__all__ = ["Bus", "Remote", "Reply", "Unreachable"]

PATIENCE = 5.0
"""Seconds that a service has for its answer."""

RULE = "type='signal',sender='{name}',interface='{interface}',path='{path}',member='{member}'"


class Unreachable(Exception):
    """No bus, no such service, or it refused; the message says which."""


@dataclass(frozen=True, slots=True)
class Remote:
    """An interface of an object of a service."""

    name: str
    path: str
    interface: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a call came back with. Each of `fds` is the caller's, to be closed by it."""

    body: tuple[Any, ...]
    fds: tuple[int, ...]


class Bus:
    """The session's bus, or the system's. Connected when it is first needed, and anew once it was lost."""

    def __init__(self, kind: Literal["session", "system"]) -> None:
        self.lost: Callable[[], None] = lambda: None
        """Called when a connection ends, though nobody closed it: what was to be heard is heard no more."""
        self._kind = kind
        self._bus: MessageBus | None = None
        self._connecting = asyncio.Lock()
        self._closed = False
        self._watching: asyncio.Task[None] | None = None

    async def call(
        self,
        remote: Remote,
        method: str,
        signature: str = "",
        *arguments: object,
        start: bool = False,
        patience: float = PATIENCE,
    ) -> Reply:
        """Call a method.

        Args:
            remote: of what.
            signature: the types of `arguments`, as D-Bus writes them.
            start: whether a service that does not run is to be started for it.
            patience: seconds to wait for the answer.

        Raises:
            Unreachable: see there.
        """
        bus = await self._connected()
        from dbus_fast import Message, MessageFlag, MessageType

        message = Message(
            destination=remote.name,
            path=remote.path,
            interface=remote.interface,
            member=method,
            signature=signature,
            body=[*arguments],
            flags=MessageFlag.NONE if start else MessageFlag.NO_AUTOSTART,
        )
        try:
            async with asyncio.timeout(patience):
                reply = await bus.call(message)
        except TimeoutError as late:
            raise Unreachable(f"{remote.name} does not answer") from late
        except Exception as error:  # whatever the library has for a connection that broke
            raise Unreachable(f"{remote.name}: {error}") from error
        if reply.message_type is MessageType.ERROR:
            for each in reply.unix_fds:
                os.close(each)
            raise Unreachable(f"{remote.name}: {reply.body[0] if reply.body else reply.error_name}")
        return Reply(tuple(reply.body), tuple(reply.unix_fds))

    async def hear(self, remote: Remote, signal: str, heard: Callable[..., object]) -> None:
        """Call `heard` with what each such signal carries, until the bus is closed or lost.

        Raises `Unreachable`.
        """
        bus = await self._connected()
        from dbus_fast import MessageType

        daemon = Remote("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
        rule = RULE.format(name=remote.name, interface=remote.interface, path=remote.path, member=signal)

        def handle(message: Message) -> None:
            if (
                message.message_type is MessageType.SIGNAL
                and message.member == signal
                and message.interface == remote.interface
                and message.path == remote.path
            ):
                heard(*message.body)

        bus.add_message_handler(handle)
        await self.call(daemon, "AddMatch", "s", rule)

    async def close(self) -> None:
        """Hang up; nothing is heard any more."""
        self._closed = True
        if self._bus is not None:
            _hang_up(self._bus)
        if self._watching is not None:
            # It ends by itself when the connection has been taken down, of which cancelling knows nothing.
            await asyncio.wait({self._watching}, timeout=1.0)
            self._watching.cancel()

    async def _connected(self) -> MessageBus:
        try:
            # It takes a moment, which the window does not have.
            await asyncio.to_thread(import_module, "dbus_fast.aio")
        except ImportError as missing:  # on Windows and macOS, where there is no bus either
            raise Unreachable(f"there is no {self._kind} bus: {missing}") from missing
        from dbus_fast import BusType
        from dbus_fast.aio import MessageBus

        async with self._connecting:
            if self._closed:
                raise Unreachable(f"the {self._kind} bus was left")
            if self._bus is not None and self._bus.connected:
                return self._bus
            which = BusType.SESSION if self._kind == "session" else BusType.SYSTEM
            try:
                async with asyncio.timeout(PATIENCE):
                    bus = await MessageBus(bus_type=which, negotiate_unix_fd=True).connect()
            except Exception as error:
                raise Unreachable(f"there is no {self._kind} bus: {error}") from error
            self._bus = bus
            self._watching = asyncio.create_task(self._until_lost(bus), name=f"{self._kind} bus")
            return bus

    async def _until_lost(self, bus: MessageBus) -> None:
        try:
            await bus.wait_for_disconnect()  # type: ignore[no-untyped-call]
        except Exception:
            pass  # lost as well
        if not self._closed:
            self.lost()


def _hang_up(bus: MessageBus) -> None:
    try:
        bus.disconnect()
    except Exception:
        pass  # it was lost already
