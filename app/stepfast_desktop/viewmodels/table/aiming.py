"""Whom an action hits, and how many of those it can do something for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from stepfast.views import Filter
from stepfast_desktop.viewmodels.table.actions import Action

__all__ = ["Aim", "is_counted", "may_fit", "of_those"]


@dataclass(frozen=True, slots=True)
class Aim:
    """Whom an action hits.

    Args:
        shown: the filter of the list that was looked at.
        keys: those that are selected; None for all that match.
        without: keys to be spared of all that match.
        upto: the number of the last change that was seen.
        count: how many are selected.
    """

    shown: Filter
    keys: frozenset[int] | None
    without: frozenset[int]
    upto: int
    count: int


def may_fit(action: Action, aim: Aim, counts: Mapping[str, int]) -> int | None:
    """Of all that match, how many it can do something for, as far as the counts tell; None for some."""
    shown = aim.shown
    if action.where != "anywhere" and shown.removed != (action.where == "removed"):
        return 0
    if shown.removed or (shown.states and shown.states <= action.states):
        return aim.count
    there = sum(counts.get(each, 0) for each in (shown.states or counts.keys()) & action.states)
    counted = not aim.without and is_counted(shown, counts, aim.count)
    if counted and action.name not in ("pause", "resume"):
        return there
    return None if there else 0


def is_counted(shown: Filter, counts: Mapping[str, int], rows: int) -> bool:
    """Do the counts by state tell of what is shown, which are so many rows? Not with children folded away."""
    by_state = replace(shown, top=False, parents=frozenset()) == Filter(shown.states)
    return by_state and (not shown.top or rows == sum(counts.values()))


def of_those(shown: Filter, action: Action) -> Filter:
    """Of what is shown, what is in a state in which it can do something."""
    return replace(shown, states=action.states & (shown.states or action.states))
