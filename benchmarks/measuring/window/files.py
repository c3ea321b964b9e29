"""The file with very many workflows: made once for a run, and copied for whoever changes it."""

from __future__ import annotations

import shutil
from pathlib import Path

from measuring import filled
from measuring.window.sizes import Place

__all__ = ["copied", "filled_once"]


async def filled_once(place: Place) -> Path:
    """The folder of a file that has as many finished workflows as the table is measured with."""
    folder = place.folder / "filled"
    if not folder.exists():
        folder.mkdir()
        await filled.fill(folder / "stepfast.db", completed=place.sizes.workflows)
    return folder


def copied(folder: Path, to: Path) -> Path:
    """A copy of such a folder, which nobody has open."""
    return Path(shutil.copytree(folder, to))
