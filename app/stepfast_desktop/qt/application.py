"""The QApplication: its name, icon, style, palette and language."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QLocale, Signal
from PySide6.QtWidgets import QApplication

from stepfast_desktop.qt.icons import icon
from stepfast_desktop.qt.palette import Scheme, apply_palette
from stepfast_desktop.qt.translation import install_translation

__all__ = ["Application", "choose_appearance", "make_application"]


class Application(QApplication):
    """Says that it was asked to quit before Qt asks its windows whether they agree."""

    quit_asked = Signal()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Quit:
            self.quit_asked.emit()
        return super().event(event)


def make_application(
    arguments: Sequence[str], *, appearance: Scheme = "system", language: str = ""
) -> Application:
    """Make the one application of this process, looking and speaking as it should.

    Args:
        appearance: "light" or "dark", or the system's own.
        language: a language as "de" or "zh_CN"; the system's by default.
    """
    application = Application([*arguments])
    application.setApplicationName("stepfast")
    application.setApplicationDisplayName("Stepfast")
    application.setDesktopFileName("stepfast")
    # Closing the last window ends nothing by itself: what runs is parked first.
    application.setQuitOnLastWindowClosed(False)
    apply_palette(application, appearance)
    _speak(application, language)
    application.setWindowIcon(icon("stepfast"))
    return application


def _speak(application: QApplication, language: str) -> None:
    if not language:
        install_translation(application)
        return
    chosen, system = QLocale(language), QLocale.system()
    # A person in Vienna who chooses German keeps what is written otherwise in Vienna.
    same = (chosen.language(), chosen.script()) == (system.language(), system.script())
    region = system if same else chosen
    QLocale.setDefault(region)  # of Qt's own fields and calendars
    install_translation(application, chosen, region=region)


def choose_appearance(appearance: Scheme) -> None:
    """Have the application look so from now on."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    apply_palette(application, appearance)
