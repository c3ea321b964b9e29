"""The services of a desktop that Stepfast talks to, on a private bus: they remember what they were asked.

Run as a program, in a process of its own: it prints one line of JSON for each call, and does what it is told
by lines on its standard input:

    {"do": "click", "id": 1, "action": "default", "token": "abc"}
    {"do": "sleep", "begin": true}
    {"do": "fds"}          which of the locks that were handed out are still held
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from typing import Any

from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus

NOTIFICATIONS = "org.freedesktop.Notifications"
LOGIN = "org.freedesktop.login1"
GNOME = "org.gnome.SessionManager"
POWER = "org.freedesktop.PowerManagement"

INTROSPECTION = """<node><interface name="org.freedesktop.Notifications">
<method name="GetServerInformation"><arg direction="out" type="s"/><arg direction="out" type="s"/>
<arg direction="out" type="s"/><arg direction="out" type="s"/></method>
<method name="GetCapabilities"><arg direction="out" type="as"/></method>
<method name="CloseNotification"><arg direction="in" type="u"/></method>
<method name="Notify"><arg direction="in" type="s"/><arg direction="in" type="u"/>
<arg direction="in" type="s"/>
<arg direction="in" type="s"/><arg direction="in" type="s"/><arg direction="in" type="as"/>
<arg direction="in" type="a{sv}"/><arg direction="in" type="i"/><arg direction="out" type="u"/></method>
<signal name="NotificationClosed"><arg type="u"/><arg type="u"/></signal>
<signal name="ActionInvoked"><arg type="u"/><arg type="s"/></signal>
</interface></node>"""


class Desktop:
    def __init__(self, bus: MessageBus) -> None:
        self.bus = bus
        self.shown: dict[int, str] = {}
        self.locks: list[tuple[str, socket.socket]] = []
        self.cookies = 0

    def handle(self, message: Message) -> bool | None:
        if message.message_type is not MessageType.METHOD_CALL:
            return None
        answer = getattr(self, f"{(message.interface or '').rpartition('.')[2]}_{message.member}", None)
        if answer is None:
            return None
        say(message.member, message.body)
        signature, body, fds = answer(message)
        reply = Message.new_method_return(message, signature, body, fds)
        sent = self.bus.send(reply)
        for fd in fds:  # theirs alone from then on
            sent.add_done_callback(lambda _sent, fd=fd: os.close(fd))
        return True

    # --- org.freedesktop.Notifications --------------------------------------------------------------

    def Introspectable_Introspect(self, message: Message) -> Any:
        return "s", [INTROSPECTION], []

    def Notifications_GetServerInformation(self, message: Message) -> Any:
        return "ssss", ["fake", "stepfast", "1", "1.2"], []

    def Notifications_GetCapabilities(self, message: Message) -> Any:
        return "as", [["actions", "body"]], []

    def Notifications_Notify(self, message: Message) -> Any:
        number = len(self.shown) + 1
        self.shown[number] = str(message.sender)
        return "u", [number], []

    def click(self, id: int, action: str, token: str) -> None:
        """To the one who sent it alone, as GNOME does."""
        for member, body in (("ActivationToken", [id, token]), ("ActionInvoked", [id, action])):
            if token or member == "ActionInvoked":
                self.signal(
                    self.shown[id], "/org/freedesktop/Notifications", NOTIFICATIONS, member, "us", body
                )

    # --- who is asked to stay awake -----------------------------------------------------------------

    def SessionManager_Inhibit(self, message: Message) -> Any:
        self.cookies += 1
        return "u", [self.cookies], []

    def SessionManager_Uninhibit(self, message: Message) -> Any:
        return "", [], []

    def Inhibit_Inhibit(self, message: Message) -> Any:
        self.cookies += 1
        return "u", [self.cookies], []

    def Inhibit_UnInhibit(self, message: Message) -> Any:
        return "", [], []

    # --- org.freedesktop.login1 ---------------------------------------------------------------------

    def Manager_Inhibit(self, message: Message) -> Any:
        mine, theirs = socket.socketpair()
        self.locks.append((f"{message.body[0]}/{message.body[3]}", mine))
        return "h", [0], [theirs.detach()]

    def Manager_Suspend(self, message: Message) -> Any:
        return "", [], []

    def Manager_PowerOff(self, message: Message) -> Any:
        return "", [], []

    def held(self) -> list[str]:
        found = []
        for what, lock in self.locks:
            lock.setblocking(False)
            try:
                if lock.recv(1) == b"":
                    continue  # closed at the other end
            except BlockingIOError:
                found.append(what)
        return found

    # --- signals ------------------------------------------------------------------------------------

    def signal(
        self, to: str | None, path: str, interface: str, member: str, signature: str, body: Any
    ) -> None:
        message = Message.new_signal(path, interface, member, signature, body)
        message.destination = to
        self.bus.send(message)

    def told(self, what: dict[str, Any]) -> None:
        match what["do"]:
            case "click":
                self.click(what["id"], what["action"], what["token"])
            case "sleep":
                interface = f"{LOGIN}.Manager"
                path = "/org/freedesktop/login1"
                self.signal(None, path, interface, "PrepareForSleep", "b", [what["begin"]])
            case "fds":
                say("held", self.held())


def say(what: str, body: Any) -> None:
    print(json.dumps({"what": what, "body": body}, default=str), flush=True)


async def main(names: list[str]) -> None:
    bus = await MessageBus(negotiate_unix_fd=True).connect()
    desktop = Desktop(bus)
    bus.add_message_handler(desktop.handle)
    for name in names:
        await bus.request_name(name)
    say("ready", names)
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(0, "rb"))
    while line := await reader.readline():
        desktop.told(json.loads(line))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
