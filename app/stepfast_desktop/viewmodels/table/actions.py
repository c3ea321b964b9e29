"""What can be asked of workflows: of which, in which words, and what is said when it was done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from stepfast import Summary
from stepfast.state import FINISHED, PENDING, STATES
from stepfast_desktop.viewmodels.words import translate

__all__ = ["ACTION", "ACTIONS", "PRIORITIES", "Action", "fits", "left_text"]

Where = Literal["list", "removed", "anywhere"]


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that can be asked.

    Args:
        name: what it is called in code.
        states: those in which it can do something.
        label: what it is called where one workflow is selected, or none.
        many: what it is called where it is done to so many.
        matching: what it is called where all that match are selected, and nobody knows how many it fits.
        hint: what it does.
        why: why it can do nothing with what is selected.
        said: what is said once it was done to so many.
        where: of what is on the list, of what was removed, or of both.
        single: it is for one at a time.
    """

    name: str
    states: frozenset[str]
    label: Callable[[], str]
    many: Callable[[int], str]
    matching: Callable[[], str]
    hint: Callable[[], str]
    why: Callable[[], str]
    said: Callable[[int], str]
    where: Where = "list"
    single: bool = False


ACTIONS: tuple[Action, ...] = (
    Action(
        "pause",
        frozenset({"queued", "running", "sleeping", "waiting"}),
        lambda: translate("Actions", "Pause"),
        lambda n: translate("Actions", "Pause %n workflow(s)", None, n),
        lambda: translate("Actions", "Pause all that match"),
        lambda: translate("Actions", "Stop for now; it goes on where it was"),
        lambda: translate("Actions", "Nothing that is selected runs, or is about to"),
        lambda n: translate("Actions", "%n workflow(s) paused", None, n),
    ),
    Action(
        "resume",
        frozenset({"paused", "running"}),
        lambda: translate("Actions", "Resume"),
        lambda n: translate("Actions", "Resume %n workflow(s)", None, n),
        lambda: translate("Actions", "Resume all that match"),
        lambda: translate("Actions", "Go on after a pause"),
        lambda: translate("Actions", "Nothing that is selected is paused"),
        lambda n: translate("Actions", "%n workflow(s) resumed", None, n),
    ),
    Action(
        "cancel",
        frozenset(PENDING),
        lambda: translate("Actions", "Cancel"),
        lambda n: translate("Actions", "Cancel %n workflow(s)", None, n),
        lambda: translate("Actions", "Cancel all that match"),
        lambda: translate("Actions", "End it for good; Retry can still take it up"),
        lambda: translate("Actions", "All that is selected has come to its end already"),
        lambda n: translate("Actions", "%n workflow(s) cancelled", None, n),
    ),
    Action(
        "retry",
        frozenset({"failed", "cancelled"}),
        lambda: translate("Actions", "Retry"),
        lambda n: translate("Actions", "Retry %n workflow(s)", None, n),
        lambda: translate("Actions", "Retry all that match"),
        lambda: translate("Actions", "Go on from the step that failed"),
        lambda: translate("Actions", "Only what failed or was cancelled can be taken up again"),
        lambda n: translate("Actions", "%n workflow(s) taken up again", None, n),
    ),
    Action(
        "remove",
        frozenset(FINISHED),
        lambda: translate("Actions", "Remove"),
        lambda n: translate("Actions", "Remove %n workflow(s)", None, n),
        lambda: translate("Actions", "Remove all that match"),
        lambda: translate("Actions", "Take it off the list; what it made stays"),
        lambda: translate("Actions", "Only what has come to its end can be removed; cancel it first"),
        lambda n: translate("Actions", "%n workflow(s) removed", None, n),
    ),
    Action(
        "cancel-remove",
        frozenset(PENDING),
        lambda: translate("Actions", "Cancel and remove"),
        lambda n: translate("Actions", "Cancel and remove %n workflow(s)", None, n),
        lambda: translate("Actions", "Cancel and remove all that match"),
        lambda: translate("Actions", "End it, and take it off the list as soon as it has stopped"),
        lambda: translate("Actions", "All that is selected has come to its end already; Remove does it"),
        lambda n: translate("Actions", "%n workflow(s) cancelled", None, n),
    ),
    Action(
        "first",
        frozenset({"queued"}),
        lambda: translate("Actions", "Move to the top of the queue"),
        lambda n: translate("Actions", "Move %n workflow(s) to the top of the queue", None, n),
        lambda: translate("Actions", "Move all that match to the top of the queue"),
        lambda: translate("Actions", "Run it next, with the highest priority that anything queued has"),
        lambda: translate("Actions", "Only what is queued has a place in the queue"),
        lambda n: translate("Actions", "%n workflow(s) moved", None, n),
    ),
    Action(
        "up",
        frozenset({"queued"}),
        lambda: translate("Actions", "Move up in the queue"),
        lambda n: translate("Actions", "Move %n workflow(s) up in the queue", None, n),
        lambda: translate("Actions", "Move all that match up in the queue"),
        lambda: translate("Actions", "Run it before the one in front of it, with the priority of that"),
        lambda: translate("Actions", "Only what is queued has a place in the queue"),
        lambda n: translate("Actions", "%n workflow(s) moved", None, n),
    ),
    Action(
        "down",
        frozenset({"queued"}),
        lambda: translate("Actions", "Move down in the queue"),
        lambda n: translate("Actions", "Move %n workflow(s) down in the queue", None, n),
        lambda: translate("Actions", "Move all that match down in the queue"),
        lambda: translate("Actions", "Run it after the one behind it, with the priority of that"),
        lambda: translate("Actions", "Only what is queued has a place in the queue"),
        lambda n: translate("Actions", "%n workflow(s) moved", None, n),
    ),
    Action(
        "last",
        frozenset({"queued"}),
        lambda: translate("Actions", "Move to the end of the queue"),
        lambda n: translate("Actions", "Move %n workflow(s) to the end of the queue", None, n),
        lambda: translate("Actions", "Move all that match to the end of the queue"),
        lambda: translate("Actions", "Run it last, with the lowest priority that anything queued has"),
        lambda: translate("Actions", "Only what is queued has a place in the queue"),
        lambda n: translate("Actions", "%n workflow(s) moved", None, n),
    ),
    Action(
        "high",
        frozenset(PENDING),
        lambda: translate("Actions", "High"),
        lambda n: translate("Actions", "High, for %n workflow(s)", None, n),
        lambda: translate("Actions", "High, for all that match"),
        lambda: translate("Actions", "Goes before what has a lower priority"),
        lambda: translate("Actions", "Only what has not come to its end has a priority"),
        lambda n: translate("Actions", "%n workflow(s) with a high priority now", None, n),
    ),
    Action(
        "normal",
        frozenset(PENDING),
        lambda: translate("Actions", "Normal"),
        lambda n: translate("Actions", "Normal, for %n workflow(s)", None, n),
        lambda: translate("Actions", "Normal, for all that match"),
        lambda: translate("Actions", "Goes when it has waited longest"),
        lambda: translate("Actions", "Only what has not come to its end has a priority"),
        lambda n: translate("Actions", "%n workflow(s) with the normal priority now", None, n),
    ),
    Action(
        "low",
        frozenset(PENDING),
        lambda: translate("Actions", "Low"),
        lambda n: translate("Actions", "Low, for %n workflow(s)", None, n),
        lambda: translate("Actions", "Low, for all that match"),
        lambda: translate("Actions", "Goes when nothing else is ready"),
        lambda: translate("Actions", "Only what has not come to its end has a priority"),
        lambda n: translate("Actions", "%n workflow(s) with a low priority now", None, n),
    ),
    Action(
        "again",
        frozenset(STATES),
        lambda: translate("Actions", "Run again ..."),
        lambda n: translate("Actions", "Run again ..."),
        lambda: translate("Actions", "Run again ..."),
        lambda: translate("Actions", "Start a new one like it, with its inputs filled in"),
        lambda: translate("Actions", "Select one workflow; this is for one at a time"),
        lambda n: "",
        where="anywhere",
        single=True,
    ),
    Action(
        "folder",
        frozenset(STATES),
        lambda: translate("Actions", "Open folder"),
        lambda n: translate("Actions", "Open folder"),
        lambda: translate("Actions", "Open folder"),
        lambda: translate("Actions", "Open the folder that it works in, or writes to"),
        lambda: translate("Actions", "Select one workflow; this is for one at a time"),
        lambda n: "",
        where="anywhere",
        single=True,
    ),
    Action(
        "copy",
        frozenset(STATES),
        lambda: translate("Actions", "Copy name"),
        lambda n: translate("Actions", "Copy %n name(s)", None, n),
        lambda: translate("Actions", "Copy the names of all that match"),
        lambda: translate("Actions", "Put the names on the clipboard, each on a line"),
        lambda: translate("Actions", "Nothing is selected"),
        lambda n: translate("Actions", "%n name(s) copied", None, n),
        where="anywhere",
    ),
    Action(
        "restore",
        frozenset(FINISHED),
        lambda: translate("Actions", "Bring back"),
        lambda n: translate("Actions", "Bring %n workflow(s) back", None, n),
        lambda: translate("Actions", "Bring all that match back"),
        lambda: translate("Actions", "Put it on the list again"),
        lambda: translate("Actions", "Only what was removed can be brought back"),
        lambda n: translate("Actions", "%n workflow(s) brought back", None, n),
        where="removed",
    ),
    Action(
        "delete",
        frozenset(FINISHED),
        lambda: translate("Actions", "Delete for good ..."),
        lambda n: translate("Actions", "Delete %n workflow(s) for good ...", None, n),
        lambda: translate("Actions", "Delete all that match for good ..."),
        lambda: translate("Actions", "Forget all that is recorded of it; files that it made stay"),
        lambda: translate("Actions", "Only what was removed can be deleted for good"),
        lambda n: translate("Actions", "%n workflow(s) deleted for good", None, n),
        where="removed",
    ),
)
ACTION: Mapping[str, Action] = {each.name: each for each in ACTIONS}

PRIORITIES: Mapping[str, int] = {"high": 100, "normal": 0, "low": -100}
"""What the priorities with a name are; `Engine.start` and the form take any number."""


def fits(action: Action, row: Summary) -> bool:
    """Can `action` do something for this row, as it stands?"""
    if action.where != "anywhere" and (row.removed_at is not None) != (action.where == "removed"):
        return False
    state = row.state.name
    if state == "running":
        # What was asked already is not offered again, and only what was asked can be taken back.
        match action.name:
            case "pause":
                return row.intent is None
            case "resume":
                return row.intent == "pause"
            case "cancel" | "cancel-remove":
                return row.intent != "cancel"
    return state in action.states


def left_text(left: Mapping[str, int]) -> list[str]:
    """How many were left as they are and why, each reason as a sentence without its point."""
    finished = sum(n for reason, n in left.items() if reason in FINISHED)
    changed, gone = left.get("changed", 0), left.get("gone", 0)
    others = sum(left.values()) - finished - changed - gone
    said = {
        translate("Actions", "%n left, finished meanwhile", None, finished): finished,
        translate("Actions", "%n left, changed meanwhile", None, changed): changed,
        translate("Actions", "%n left, deleted meanwhile", None, gone): gone,
        translate("Actions", "%n left, as it was not possible", None, others): others,
    }
    return [text for text, n in said.items() if n]
