"""What can be asked of workflows, of which, and what is said when it was done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stepfast import Summary
from stepfast.state import FINISHED, PENDING
from stepfast_desktop.viewmodels.words import translate

__all__ = ["ACTIONS", "Action", "fits"]


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that can be asked. `states` are those in which it can do something."""

    name: str
    states: frozenset[str]
    label: Callable[[], str]
    hint: Callable[[], str]
    said: Callable[[int], str]


ACTIONS: tuple[Action, ...] = (
    Action(
        "pause",
        frozenset({"queued", "running", "sleeping", "waiting"}),
        lambda: translate("Actions", "Pause"),
        lambda: translate("Actions", "Stop for now; it goes on where it was"),
        lambda n: translate("Actions", "%n workflow(s) paused", None, n),
    ),
    Action(
        "resume",
        frozenset({"paused", "running"}),
        lambda: translate("Actions", "Resume"),
        lambda: translate("Actions", "Go on after a pause"),
        lambda n: translate("Actions", "%n workflow(s) resumed", None, n),
    ),
    Action(
        "cancel",
        frozenset(PENDING),
        lambda: translate("Actions", "Cancel"),
        lambda: translate("Actions", "End it for good; Retry can still take it up"),
        lambda n: translate("Actions", "%n workflow(s) cancelled", None, n),
    ),
    Action(
        "retry",
        frozenset({"failed", "cancelled"}),
        lambda: translate("Actions", "Retry"),
        lambda: translate("Actions", "Go on from the step that failed"),
        lambda n: translate("Actions", "%n workflow(s) taken up again", None, n),
    ),
    Action(
        "remove",
        frozenset(FINISHED),
        lambda: translate("Actions", "Remove"),
        lambda: translate("Actions", "Take it off the list; what it made stays"),
        lambda n: translate("Actions", "%n workflow(s) removed", None, n),
    ),
)


def fits(action: Action, row: Summary) -> bool:
    """Can `action` do something for this row, as it stands?"""
    state = row.state.name
    if state == "running":
        # What was asked already is not offered again, and only what was asked can be taken back.
        match action.name:
            case "pause":
                return row.intent is None
            case "resume":
                return row.intent == "pause"
            case "cancel":
                return row.intent != "cancel"
    return state in action.states
