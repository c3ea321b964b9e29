"""Hearing other launches on the data folder of this window: a line comes in, a line goes back.

For Windows, whose named pipes Qt knows; elsewhere `instance/listening.py` does the same without QtNetwork,
which takes 10 ms of a launch and 2 MB. To be made only by whoever is the window of that folder (`sole.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer
from PySide6.QtNetwork import QLocalServer, QLocalSocket

__all__ = ["Listening"]

PATIENCE_MILLISECONDS = 5000
MOST_AT_ONCE = 8


class Listening(QObject):
    """A local socket, or a named pipe on Windows, that only this user can reach.

    Args:
        address: where; see `launching.address_of`.
        most: bytes that a line may have; whoever sends more is cut off.
        reply: makes of a line what goes back; called on this thread.
        parent: what it belongs to.

    Raises:
        OSError: nothing can listen there.
    """

    def __init__(
        self, address: str, most: int, reply: Callable[[bytes], bytes], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._most = most
        self._reply = reply
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.setMaxPendingConnections(MOST_AT_ONCE)
        QLocalServer.removeServer(address)
        if not self._server.listen(address):
            raise OSError(f"{address}: {self._server.errorString()}")
        self._server.newConnection.connect(self._connected)

    def close(self) -> None:
        """Hear nothing more; what is half heard is dropped."""
        self._server.close()
        for asking in self.findChildren(QLocalSocket):
            asking.abort()
        for patience in self.findChildren(QTimer):
            patience.stop()
        self.deleteLater()

    def _connected(self) -> None:
        while self._server.hasPendingConnections():
            asking = self._server.nextPendingConnection()
            asking.setParent(self)
            asking.setReadBufferSize(self._most + 1)
            # One that says nothing, or does not read, is not waited for.
            patience = QTimer(asking, singleShot=True, interval=PATIENCE_MILLISECONDS)
            # No method of its own as a slot: of one that was made in C++, PySide says that it has no wrapper.
            patience.timeout.connect(partial(_abort, asking))
            asking.readyRead.connect(partial(self._read, asking))
            asking.disconnected.connect(patience.stop)
            asking.disconnected.connect(asking.deleteLater)
            patience.start()
            self._read(asking)

    def _read(self, asking: QLocalSocket) -> None:
        if asking.canReadLine():
            line = bytes(asking.readLine(self._most + 1).data())
            asking.write(self._reply(line))
            asking.flush()
            asking.disconnectFromServer()
        elif asking.bytesAvailable() > self._most:
            asking.abort()


def _abort(asking: QLocalSocket) -> None:
    asking.abort()
