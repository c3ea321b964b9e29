"""The user's own settings: one small JSON file in the place the platform has for it.

What belongs to one data folder (what it loads, how its window looks) is kept under that folder's path.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from stepfast import Retention
from stepfast.errors import InvalidInput
from stepfast_desktop.viewmodels.events import Event

__all__ = ["RETENTION", "Settings", "Trouble", "settings_file"]

logger = logging.getLogger("stepfast")


def _retention(days: float | None = 180, keep: int | None = 100_000) -> Retention:
    return Retention(None if days is None else timedelta(days=days), keep)


RETENTION = _retention()

# What was logged last of each file: several in a program read the same one, and find the same.
_logged: dict[Path, Trouble] = {}


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


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with the file: it cannot be read, and nothing is kept in it then; or not written."""

    kind: Literal["unread", "unwritten"]
    file: Path
    reason: str


class Settings:
    """The settings of one data folder.

    A file that cannot be read is as good as none, but stays as it is: nothing is written over what a person
    may still mend.

    Attributes:
        trouble: what is wrong, as far as it was found; None where all is well.
        troubled: emitted when that changes.
    """

    def __init__(self, folder: Path, file: Path | None = None) -> None:
        self._file = file or settings_file()
        self._key = str(folder.resolve())
        self.trouble: Trouble | None = None
        self.troubled: Event[[]] = Event()

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

        Kept under "retention" as `{"days": 180, "keep": 100000}`, with null for no limit. Where that cannot
        be read nothing is deleted: it may have said so.
        """
        if self._read() is None:
            return Retention()
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
        """Keep a JSON value under `name`; where it cannot be written, `trouble` says so, and no more."""
        everything = self._read()
        if everything is None:
            return
        everything[self._key] = self._of_mine(everything) | {name: value}
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _replace(self._file, json.dumps(everything, indent=1))
        except OSError as error:
            self._found(Trouble("unwritten", self._file, str(error)))
        else:
            self._found(None)

    def begin_anew(self) -> None:
        """Set a file aside that cannot be read, so that settings are kept again."""
        moment = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
        try:
            self._file.rename(self._file.with_name(f"{self._file.name}.damaged-{moment}"))
        except OSError as error:
            self._found(Trouble("unread", self._file, str(error)))
        else:
            self._found(None)

    def _mine(self) -> dict[str, Any]:
        return self._of_mine(self._read() or {})

    def _of_mine(self, everything: dict[str, Any]) -> dict[str, Any]:
        found = everything.get(self._key, {})
        return found if isinstance(found, dict) else {}

    def _read(self) -> dict[str, Any] | None:
        """All of the file, None where it is there and cannot be read."""
        try:
            found = json.loads(self._file.read_text("utf-8"))
            if not isinstance(found, dict):
                raise ValueError("it is no JSON object")
        except (FileNotFoundError, NotADirectoryError):
            found = {}
        except (OSError, ValueError, RecursionError) as error:
            self._found(Trouble("unread", self._file, str(error)))
            return None
        if self.trouble is not None and self.trouble.kind == "unread":
            self._found(None)
        return found

    def _found(self, trouble: Trouble | None) -> None:
        if trouble == self.trouble:
            return
        self.trouble = trouble
        if trouble is None:
            _logged.pop(self._file, None)
        elif _logged.get(self._file) != trouble:
            _logged[self._file] = trouble
            what = "read, and nothing is kept there" if trouble.kind == "unread" else "kept"
            logger.warning("settings in %s cannot be %s: %s", trouble.file, what, trouble.reason)
        self.troubled.emit()


def _replace(file: Path, text: str) -> None:
    """Write a file, all of it or nothing. Raises `OSError`."""
    with tempfile.NamedTemporaryFile(
        "w", dir=file.parent, prefix=".settings-", delete=False, encoding="utf-8"
    ) as new:
        try:
            new.write(text)
            new.close()
            os.replace(new.name, file)
        except OSError:
            with suppress(OSError):
                new.close()
            Path(new.name).unlink(missing_ok=True)
            raise
