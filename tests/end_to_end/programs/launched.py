"""The window, doing what its standard input says and saying what it does: for tests that cannot see it.

close           as by its cross
background      the command that hands over to a worker; stop-background: the one that stops it
prefer NAME JSON
start NAME ID   a workflow
resize WIDTH HEIGHT
size            say it
details         say whose they are
choose TEXT     press a button of the box that is shown
quit            as the desktop asks a program to
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from stepfast_desktop import bootstrap
from stepfast_desktop.__main__ import main
from stepfast_desktop.qt.application import Application
from stepfast_desktop.qt.main_window import MainWindow
from stepfast_desktop.qt.slots import start
from stepfast_desktop.viewmodels.leaving import quitting


def say(*words: object) -> None:
    print(*words, flush=True)


def window() -> MainWindow:
    return next(each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow))


def do(words: list[str]) -> None:
    match words:
        case ["close"]:
            window().close()
        case ["stop-background"]:
            window().commands["stop-background"].trigger()
        case ["background"]:
            window().commands["background"].trigger()
        case ["prefer", name, value]:
            window().view_model.preferences.set(name, json.loads(value))
        case ["start", name, id]:
            engine = window().view_model.engine
            start(engine.start(engine.registry.find(name, engine.registry.newest(name))(), id=id))
        case ["choose", *text]:
            for box in QApplication.topLevelWidgets():
                if isinstance(box, QMessageBox) and box.isVisible():
                    (button,) = [each for each in box.buttons() if each.text() == " ".join(text)]
                    button.click()
        case ["resize", width, height]:
            window().resize(int(width), int(height))
        case ["size"]:
            say("size", window().width(), window().height())
        case ["details"]:
            say("details", window().view_model.details.id)
        case ["quit"]:
            QApplication.quit()


class Watching(QObject):
    """Says what is shown, and what is said in boxes and notices."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            QTimer.singleShot(0, partial(tell, watched))
        if event.type() == QEvent.Type.WindowActivate and isinstance(watched, MainWindow):
            say("active")
        return False


def tell(shown: QWidget) -> None:
    if isinstance(shown, QMessageBox):
        say("box", shown.text())
    elif isinstance(shown, MainWindow):
        say("window", "minimised" if shown.isMinimized() else "shown")
        # Behind the one that keeps it.
        shown.arranged.connect(lambda _parts: say("kept at", shown.width(), shown.height()))
        shown.view_model.notices.changed.connect(partial(tell_notices, shown))
        tell_notices(shown)
    else:
        say("other", type(shown).__name__)


def tell_notices(shown: MainWindow) -> None:
    for each in shown.view_model.notices.shown:
        say("notice", each.key)


class Ear(QObject):
    """Lines of the standard input, on the thread of the windows."""

    line = Signal(str)

    def listen(self) -> None:
        for line in sys.stdin:
            self.line.emit(line)


made_before = bootstrap.make_application


def make_application(arguments: Sequence[str], **looks: Any) -> Application:
    made = made_before(arguments, **looks)
    made.installEventFilter(Watching(made))
    ear = Ear(made)
    ear.line.connect(lambda line: do(line.split()))
    threading.Thread(target=ear.listen, daemon=True).start()
    return made


bootstrap.make_application = make_application
# A busy machine takes longer to let go, and a test is not about how long.
bootstrap.END_SECONDS = quitting.PATIENCE_SECONDS = 60.0

if __name__ == "__main__":
    code = main()
    say("ended", code)
    sys.exit(code)
