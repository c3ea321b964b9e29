"""Facts about Qt that the window's code is built on: should one change, what is built on it can be simpler.

Each was measured; each is a row of the table that the loop's design came from. Most are not the loop's to
mend, so these tests hold the fact and the remedy, and the code that uses the remedy has tests of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QLockFile, Qt, QtMsgType, QUuid, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication
from PySide6.QtNetwork import QAbstractSocket, QLocalServer
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon, QWidget

posix = pytest.mark.skipif(sys.platform == "win32", reason="about POSIX")


def is_offscreen() -> bool:
    return QGuiApplication.platformName() == "offscreen"


@posix
def test_the_name_of_a_local_server_outlives_a_program_that_was_killed() -> None:
    """So the kernel's lock is taken first; whoever has it may remove the name."""
    name = f"stepfast-{QUuid.createUuid().toString(QUuid.StringFormat.Id128)}"
    script = (
        "import sys\n"
        "from PySide6.QtCore import QCoreApplication\n"
        "from PySide6.QtNetwork import QLocalServer\n"
        "application = QCoreApplication([])\n"
        "server = QLocalServer()\n"
        "assert server.listen(sys.argv[1]), server.errorString()\n"
        "print('listens', flush=True)\n"
        "sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdin is not None
    assert process.stdout.readline() == "listens\n"
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()
    server = QLocalServer()
    assert not server.listen(name)
    assert server.serverError() is QAbstractSocket.SocketError.AddressInUseError
    assert QLocalServer.removeServer(name)
    assert server.listen(name)
    server.close()


@posix
def test_a_lock_file_of_qts_trusts_a_process_id(tmp_path: Path) -> None:
    """The owner is long dead, and its number is another Python's by now: the lock is refused for ever."""
    path = tmp_path / "lock"
    lock = QLockFile(str(path))
    assert lock.lock()
    # What it writes: process id, program, host, machine, boot. The lock is another process's when its id is.
    lines = path.read_bytes().split(b"\n")
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    lock.unlock()
    lines[0] = str(other.pid).encode()
    path.write_bytes(b"\n".join(lines))
    second = QLockFile(str(path))
    second.setStaleLockTime(0)
    refused = not second.tryLock(0)
    other.communicate(b"\n")
    assert refused
    assert second.tryLock(0)  # once that process is gone too
    second.unlock()


def test_the_tray_says_that_it_shows_messages_where_there_is_none(qapp: QApplication) -> None:
    if not is_offscreen():
        pytest.skip("about the offscreen platform")
    assert not QSystemTrayIcon.isSystemTrayAvailable()
    assert QSystemTrayIcon.supportsMessages()


def test_a_whole_number_goes_over_dbus_as_signed() -> None:
    """`org.freedesktop.Notifications.Notify` wants a uint32, and there is no way to say so."""
    dbus = pytest.importorskip("PySide6.QtDBus")
    message = dbus.QDBusMessage.createMethodCall("a.b", "/a", "a.b", "c")
    message.setArguments([0, 2**31, -1])
    assert [type(each) for each in message.arguments()] == [int] * 3
    assert "uint" not in str(message).lower()
    assert not any("uint" in each.lower() for each in dir(dbus))


def test_a_colour_scheme_cannot_be_set_offscreen(qapp: QApplication) -> None:
    """So palettes are applied by ourselves, and tested that way."""
    if not is_offscreen():
        pytest.skip("about the offscreen platform")
    hints = qapp.styleHints()
    before = hints.colorScheme()
    hints.setColorScheme(Qt.ColorScheme.Dark)
    assert hints.colorScheme() == before


@pytest.fixture
def said() -> Iterator[list[str]]:
    """What Qt says meanwhile, kept from the check that would fail the test."""
    texts: list[str] = []

    def handler(kind: QtMsgType, context: Any, text: str) -> None:
        texts.append(text)

    before = qInstallMessageHandler(handler)
    yield texts
    qInstallMessageHandler(before)


def test_the_reviewed_list_is_what_the_offscreen_platform_says(
    said: list[str], request: pytest.FixtureRequest, qapp: QApplication
) -> None:
    """No line of the list is there for nothing: each can be brought about."""
    if not is_offscreen():
        pytest.skip("about the offscreen platform")
    reviewed = request.getfixturevalue("offscreen_texts")
    window = QWidget()
    window.show()
    window.setFixedSize(100, 100)
    window.raise_()
    window.setWindowOpacity(0.5)
    window.setMask(window.rect())
    menu = QMenu(window)
    menu.addAction("one")
    menu.popup(window.pos())
    menu.close()
    window.close()
    assert set(said) == set(reviewed)


def test_the_environment_chose_the_platform() -> None:
    assert os.environ["QT_QPA_PLATFORM"] == QGuiApplication.platformName()
