"""The window, as the campaign uses it: it starts the copy by the form's request, and closes at its end.

It prints, in seconds since the moment that STARTED holds, when the window was first painted.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from stepfast_desktop.bootstrap import open_window
from stepfast_desktop.qt.application import make_application
from stepfast_desktop.qt.loop.garbage import collect_on_this_thread_only
from stepfast_desktop.qt.loop.running import run
from stepfast_desktop.workflows import ALL


class FirstPaint(QObject):
    """Says once when a window was painted."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._said = False
        window.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and not self._said:
            self._said = True
            print(f"painted {time.time() - float(os.environ['STARTED']):.4f}", flush=True)
        return False


async def main(asked: argparse.Namespace) -> int:
    async with open_window(ALL, asked.data, before_showing=FirstPaint) as window:
        engine = window.view_model.engine
        form = window.view_model.new_workflow
        form.choose("copy-folder")
        form.form.fill({"source": asked.source, "destination": asked.destination})
        request = form.form.request()
        assert request is not None, "the form takes what a person would fill in"
        handle = await engine.start(request, id=asked.id)
        finished = await handle.finished()
        window.close()
    return 0 if finished.state.name == "completed" else 1


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for name in ("data", "source", "destination"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--id", required=True)
    return parser.parse_args()


if __name__ == "__main__":
    asked = parse()
    application = make_application(sys.argv[:1])
    with collect_on_this_thread_only():
        sys.exit(run(main(asked), application))
