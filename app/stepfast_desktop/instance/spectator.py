"""An engine that only looks: for a window beside one that does not answer, or over a copy."""

from __future__ import annotations

from typing import Any, NoReturn

from stepfast import Engine
from stepfast.errors import StoreUnavailable

__all__ = ["CHANGING", "Spectator"]

CHANGING = (
    "answer",
    "arrive",
    "bulk",
    "cancel",
    "continue_anyway",
    "delete",
    "deliver",
    "line_up",
    "pause",
    "prioritise",
    "remove",
    "rerun",
    "restore",
    "resume",
    "retry",
    "schedule",
    "start",
    "sweep",
    "switch_schedule",
    "unschedule",
)
"""What is asked of an engine to change something; a test knows when there is more."""


class Spectator(Engine):
    """To be opened with `work=False` and no definitions. What would change something raises."""

    registers = False


async def _refuse(self: Spectator, *_: Any, **__: Any) -> NoReturn:
    raise StoreUnavailable(
        "this window is read-only, and changes nothing; close it, mend what it says above the table, and "
        "open Stepfast again"
    )


for _name in CHANGING:
    setattr(Spectator, _name, _refuse)  # one that no engine has is nothing that could be called
