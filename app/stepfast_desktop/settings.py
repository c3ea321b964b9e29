"""The user's own settings: one small JSON file in the place the platform has for it.

What belongs to one data folder (what it loads, how its window looks) is kept under that folder's path.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from stepfast import Retention
from stepfast.errors import InvalidInput

__all__ = ["RETENTION", "Settings", "settings_file"]

logger = logging.getLogger("stepfast")


def _retention(days: float | None = 180, keep: int | None = 100_000) -> Retention:
    return Retention(None if days is None else timedelta(days=days), keep)


RETENTION = _retention()


def settings_file() -> Path:
    """Where settings are: STEPFAST_CONFIG, else XDG_CONFIG_HOME, APPDATA or Application Support."""
    if chosen := os.environ.get("STEPFAST_CONFIG"):
        return Path(os.path.abspath(chosen)) / "settings.json"
    home = Path.home()
    if sys.platform == "win32":
        folder = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming") / "Stepfast"
    elif sys.platform == "darwin":
        folder = home / "Library" / "Application Support" / "Stepfast"
    else:
        config = os.environ.get("XDG_CONFIG_HOME", "")
        folder = (Path(config) if os.path.isabs(config) else home / ".config") / "stepfast"
    return folder / "settings.json"


class Settings:
    """The settings of one data folder. A file that cannot be read is as good as none, and is said so once."""

    def __init__(self, folder: Path, file: Path | None = None) -> None:
        self._file = file or settings_file()
        self._key = str(folder.resolve())

    @property
    def loads(self) -> tuple[str, ...]:
        """The references of `--load` that are remembered."""
        found = self._mine().get("loads", [])
        return tuple(each for each in found if isinstance(each, str)) if isinstance(found, list) else ()

    def remember_loads(self, references: tuple[str, ...]) -> None:
        """Add these to what is loaded next time."""
        wanted = [*dict.fromkeys([*self.loads, *references])]
        if wanted != [*self.loads]:
            self.put("loads", wanted)

    @property
    def retention(self) -> Retention:
        """Which finished workflows are deleted; half a year of them is kept, and 100,000, unless set.

        Kept under "retention" as `{"days": 180, "keep": 100000}`, with null for no limit.
        """
        found = self.get("retention")
        if found is None:
            return RETENTION
        try:
            return _retention(**found)
        except (TypeError, OverflowError, InvalidInput) as error:
            logger.warning(
                'the "retention" in %s is no such thing as {"days": 180, "keep": 100000} (%s), so nothing '
                "but what was removed is deleted",
                self._file,
                error,
            )
            return Retention()

    def get(self, name: str) -> Any:
        """A value kept under `name`, None where there is none."""
        return self._mine().get(name)

    def put(self, name: str, value: Any) -> None:
        """Keep a JSON value under `name`; what cannot be written is logged, and nothing else suffers."""
        everything = self._read()
        mine = everything.setdefault(self._key, {})
        mine[name] = value
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(
                "w", dir=self._file.parent, prefix=".settings-", delete=False, encoding="utf-8"
            ) as new:
                json.dump(everything, new, indent=1)
            os.replace(new.name, self._file)
        except OSError as error:
            logger.warning("settings cannot be kept in %s: %s", self._file, error)

    def _mine(self) -> dict[str, Any]:
        found = self._read().get(self._key, {})
        return found if isinstance(found, dict) else {}

    def _read(self) -> dict[str, Any]:
        try:
            found = json.loads(self._file.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            logger.warning("settings in %s cannot be read: %s", self._file, error)
            return {}
        return found if isinstance(found, dict) else {}
