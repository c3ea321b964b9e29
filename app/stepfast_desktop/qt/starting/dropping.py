"""Files and folders that are dropped on a window, as paths."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QUrl

from stepfast_desktop.viewmodels.starting.entering import Wrong, typed_path

__all__ = ["paths_of"]


def paths_of(mime: QMimeData) -> list[Path]:
    """The files and folders of this computer among what is dragged.

    By their encoded form, and not by `QUrl.toLocalFile`, which damages names that are not UTF-8.
    """
    found = []
    for url in mime.urls():
        if url.isLocalFile():
            encoded = url.toEncoded(QUrl.ComponentFormattingOption.FullyEncoded).data()
            try:
                found.append(typed_path(bytes(encoded).decode("ascii", "replace")))
            except Wrong:
                continue
    return found
