"""What a window of Qt takes that has nothing in it: the floor beside which ours is measured."""

from __future__ import annotations

import os
import time

from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QMainWindow


class Empty(QMainWindow):
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        print(f"painted {time.time() - float(os.environ['STARTED']):.4f}", flush=True)
        QApplication.exit(0)


if __name__ == "__main__":
    application = QApplication([])
    window = Empty()
    window.resize(1080, 700)
    window.show()
    application.exec()
