"""The user's language and region: Qt's own texts, and ours for the windows and the view models.

The .qm files are made by `packaging/translations.py` and lie among the resources. Where there is none, the
texts are as they are written; so is each one that a translation lacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from stepfast_desktop.qt.region import use_region
from stepfast_desktop.viewmodels import regional, words

__all__ = ["install_translation"]

WRITTEN = "en"
"""The language of the texts as they are written."""


class _Translator(QTranslator):
    """A translator of a file that lies anywhere, in an archive too."""

    def __init__(self, content: bytes, parent: QCoreApplication) -> None:
        super().__init__(parent)
        self._content = content  # Qt reads in it for as long as it translates
        self.usable = self.load(content)


def install_translation(
    app: QCoreApplication,
    locale: QLocale | None = None,
    folder: Traversable | None = None,
    *,
    region: QLocale | None = None,
) -> list[QTranslator]:
    """Speak the user's language from now on; to be called before the first window is made.

    Args:
        locale: whose language; the system's by default.
        region: whose numbers and times of day; those of `locale` by default.
        folder: where our .qm files are; among the resources by default.

    Returns:
        What was installed and now belongs to the application: nothing, or Qt's translator and ours.
    """
    locale = locale or QLocale.system()
    use_region(region or locale)
    for language in _languages(locale):
        source = (folder or files("stepfast_resources") / "translations") / f"stepfast_{language}.qm"
        if source.is_file():
            ours = _Translator(source.read_bytes(), app)
            if ours.usable:
                break
            ours.deleteLater()
    else:
        # Not Qt's alone: dialogs with buttons in one language and texts in another help nobody.
        words.use(None)
        return []

    installed: list[QTranslator] = [ours]
    qt = QTranslator(app)
    if qt.load(QLocale(ours.language()), "qtbase", "_", _qt_folder()):
        installed.insert(0, qt)
    for each in installed:
        app.installTranslator(each)
    words.use(_translate)
    return installed


def _languages(locale: QLocale) -> Iterator[str]:
    """The languages that the user reads, best first, down to the one in which the texts are written."""
    for tag in locale.uiLanguages():
        language = tag.replace("-", "_")
        if language.split("_")[0] == WRITTEN:
            return
        yield language


def _qt_folder() -> str:
    return QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)


def _translate(context: str, text: str, disambiguation: str | None, n: int) -> str:
    found = QCoreApplication.translate(context, text, disambiguation, n)
    if n < 0:
        return found
    # What a translation lacks comes back as written, where (s) stands for the English plural. And Qt puts the
    # number in without anything between its thousands.
    return found.replace("(s)", "" if n == 1 else "s").replace(str(n), regional.number(n), 1)
