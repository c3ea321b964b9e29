"""Where the per-user file is, so that a script, a command and the app meet.

STEPFAST_DATA names the folder. Otherwise it is the platform's place for data of programs: XDG_DATA_HOME on
Linux (https://specifications.freedesktop.org/basedir-spec/latest/), LOCALAPPDATA on Windows, Application
Support on macOS.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["FILE", "data_folder", "default_file"]

FILE = "stepfast.db"


def data_folder(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> Path:
    """The folder of this user's data; it need not exist yet."""
    given = os.environ if environment is None else environment
    if chosen := given.get("STEPFAST_DATA"):
        return Path(os.path.abspath(chosen))
    home = Path.home()
    if platform == "win32":
        local = given.get("LOCALAPPDATA")
        return (Path(local) if local else home / "AppData" / "Local") / "Stepfast"
    if platform == "darwin":
        return home / "Library" / "Application Support" / "Stepfast"
    data = given.get("XDG_DATA_HOME", "")
    # "If an implementation encounters a relative path [...] it should consider the path invalid".
    return (Path(data) if os.path.isabs(data) else home / ".local" / "share") / "stepfast"


def default_file(folder: Path | None = None) -> Path:
    """The file of this user's workflows, or the one in `folder`."""
    return (data_folder() if folder is None else folder) / FILE
