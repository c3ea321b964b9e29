"""Keeps PySide from reading the source of every module that is imported after it.

It looks in there for its own name, for the sake of `from __feature__ import snake_case`, which nobody here
says. That was 150 files at each launch, all of them kept in `linecache`: 30 ms of CPU, and 3 MB. A module
that is not looked into is left alone by that switch, and one that says the line is heard all the same.
"""

from __future__ import annotations

import sys
from types import ModuleType

__all__ = ["leave_sources_alone"]


def leave_sources_alone() -> None:
    """From now on, in this process. Where PySide does it another way by now, nothing is changed."""
    reader = sys.modules.get("shibokensupport.feature")
    if callable(getattr(reader, "_mod_uses_pyside", None)):
        reader._mod_uses_pyside = _uses  # type: ignore[union-attr]


def _uses(module: ModuleType) -> bool:
    return False
