"""A window that is launched to be measured, and says when it can be used.

    python launched.py empty
    python launched.py none|some FOLDER

Nothing is imported that such a program would not need.
"""

import os
import sys
import time


def say_usable() -> None:
    usable_at, cpu = time.monotonic(), time.process_time()
    from measuring.window.held import held

    print(f"[{usable_at}, {cpu}, {held()}]", flush=True)


def empty() -> None:
    from PySide6.QtCore import QEvent, QTimer
    from PySide6.QtWidgets import QApplication, QMainWindow

    class Window(QMainWindow):
        def event(self, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint:
                QTimer.singleShot(0, usable)
            return super().event(event)

    def usable() -> None:
        say_usable()
        QApplication.quit()

    application = QApplication(sys.argv[:1])
    window = Window()
    window.resize(1200, 760)
    window.show()
    application.exec()


def ours(kind: str, folder: str) -> None:
    import asyncio
    import gc
    from pathlib import Path

    from stepfast_desktop.__main__ import SWITCH_SECONDS
    from stepfast_desktop.allocator import give_memory_back

    gc.disable()  # as `stepfast_desktop.__main__` does
    give_memory_back()
    # Ours before Qt's, as there: PySide reads the source of what comes after it, until it is told not to.
    from stepfast_desktop.bootstrap import open_window  # isort: skip
    from PySide6.QtWidgets import QApplication

    from stepfast_desktop.qt.application import make_application
    from stepfast_desktop.qt.loop.garbage import collect_on_this_thread_only
    from stepfast_desktop.qt.loop.running import run
    from stepfast_desktop.workflows import ALL

    sys.setswitchinterval(SWITCH_SECONDS)
    os.environ["STEPFAST_CONFIG"] = f"{folder}/config"
    application = make_application(sys.argv[:1])
    assert isinstance(application, QApplication)

    async def main() -> None:
        async with open_window(ALL, Path(folder)) as window:
            from measuring.window.painting import Painted, rows_shown

            if kind == "none":
                while not window.welcome.cards:  # noqa: ASYNC110 - nobody is told of it
                    await asyncio.sleep(0)
                card = window.welcome.cards[0]
                await Painted(card).after(card.update)
            else:
                viewport = window.table.viewport()
                await Painted(viewport).after(viewport.update, lambda: rows_shown(window))
            say_usable()

    with collect_on_this_thread_only():
        run(main(), application)


if __name__ == "__main__":
    if sys.argv[1] == "empty":
        empty()
    else:
        ours(sys.argv[1], sys.argv[2])
