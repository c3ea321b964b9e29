"""What is said above the table once a backup has taken the place of the file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from stepfast_desktop.viewmodels.format import time_text
from stepfast_desktop.viewmodels.notices import Notice
from stepfast_desktop.viewmodels.trouble.mishaps import Desktop
from stepfast_desktop.viewmodels.words import translate

__all__ = ["restored_notice"]


def restored_notice(made_at: datetime | None, set_aside: tuple[Path, ...], desktop: Desktop) -> Notice:
    """Args:
    made_at: when the backup was made, where that is known.
    set_aside: the names that the file before, and its log, have now.
    """
    text = translate("Restored", "This is a backup.")
    if made_at is not None:
        text = translate("Restored", "This is the backup of {time}.")
        text = text.format(time=time_text(made_at, datetime.now(UTC)))
    if not set_aside:
        return Notice("restored", text)
    kept = translate("Restored", "The file before it is kept as {name}.").format(name=set_aside[0].name)
    folder = set_aside[0].parent
    button = (translate("Restored", "Open folder"), lambda: desktop.open(folder))
    return Notice("restored", f"{text} {kept}", (button,))
