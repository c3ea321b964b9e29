"""A window in which everything can be looked at and nothing done: what it says of itself, and why."""

from __future__ import annotations

from typing import Literal, TypeAlias, assert_never

from stepfast_desktop.viewmodels.words import translate

__all__ = ["ReadOnly", "hint", "notice_text"]

ReadOnly: TypeAlias = Literal["frozen"]
"""Why a window only looks: another one has the folder and does not answer."""


def hint() -> str:
    """Why a button can do nothing there."""
    return translate("ReadOnly", "This window is read-only: nothing is started or changed in it")


def notice_text(why: ReadOnly) -> str:
    """What stands above the table."""
    match why:
        case "frozen":
            return translate(
                "Window",
                "Read-only: another Stepfast has this folder open and does not answer. Nothing is started or "
                "changed here.",
            )
    assert_never(why)
