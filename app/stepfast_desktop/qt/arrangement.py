"""Where the window is and how it is divided: told a moment after it changes, brought back at the start."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping

from PySide6.QtCore import QByteArray, QObject, QTimer, Signal

__all__ = ["Arrangement"]

SETTLING_MILLISECONDS = 500

Part = tuple[Callable[[], QByteArray], Callable[[QByteArray], object]]


class Arrangement(QObject):
    """The parts of a window whose state is worth keeping, each with what reads it and what restores it."""

    told = Signal(dict)
    """The state of every part, as values to keep."""

    def __init__(self, parent: QObject, parts: Mapping[str, Part]) -> None:
        super().__init__(parent)
        self._parts = parts
        # Told once when dragging ends, not for each pixel.
        self._settling = QTimer(self, singleShot=True, interval=SETTLING_MILLISECONDS)
        self._settling.timeout.connect(self._tell)

    def restore(self, kept: object) -> None:
        """Bring back what `told` told once; what is no such thing is left out."""
        if isinstance(kept, dict):
            for name, (_, bring_back) in self._parts.items():
                text = kept.get(name)
                bring_back(QByteArray.fromBase64(text.encode()) if isinstance(text, str) else QByteArray())

    def changed(self, *_: object) -> None:
        """Something was moved; a slot for any signal that says so."""
        self._settling.start()

    def tell_now(self) -> None:
        """Tell what has not been told yet."""
        if self._settling.isActive():
            self._settling.stop()
            self._tell()

    def _tell(self) -> None:
        states = {name: read().data() for name, (read, _) in self._parts.items()}
        self.told.emit({name: base64.b64encode(each).decode() for name, each in states.items()})
