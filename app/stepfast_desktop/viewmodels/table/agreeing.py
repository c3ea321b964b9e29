"""What a person must agree to before it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stepfast_desktop.viewmodels.words import translate

__all__ = ["Question", "question"]


@dataclass(frozen=True, slots=True)
class Question:
    """Something to be agreed to first. The safe answer is the one that a person gives by mistake."""

    text: str
    detail: str
    button: str
    go_on: Callable[[], None]


def question(action: str, n: int, go_on: Callable[[], None]) -> Question:
    """The question before "cancel", "cancel-remove" or "delete" is done to `n` workflows."""
    match action:
        case "cancel":
            return Question(
                translate("Actions", "Cancel %n workflow(s)?", None, n),
                translate("Actions", "They end where they are. Retry can take each of them up again."),
                translate("Actions", "Cancel %n workflow(s)", None, n),
                go_on,
            )
        case "cancel-remove":
            return Question(
                translate("Actions", "Cancel and remove %n workflow(s)?", None, n),
                translate(
                    "Actions", "They end where they are, and go from the list. Undo brings them back to it."
                ),
                translate("Actions", "Cancel and remove %n workflow(s)", None, n),
                go_on,
            )
        case _:
            assert action == "delete", action
            return Question(
                translate("Actions", "Delete %n workflow(s) for good?", None, n),
                translate(
                    "Actions",
                    "All that is recorded is gone then, for good. Files that were made stay where they are.",
                ),
                translate("Actions", "Delete %n workflow(s)", None, n),
                go_on,
            )
