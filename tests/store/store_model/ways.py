"""The ways in which answers may have come about, where moves were made at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations, product

from store_model.moves import Move
from store_model.rows import Flow, Model, Wrong, must
from store_model.seen import shown

from stepfast.interfaces import Signal

__all__ = ["Way", "check_heard", "different", "orders", "touched"]


@dataclass(frozen=True)
class Way:
    """One way in which it may have come about: the model before, and the models after each move."""

    before: Model
    states: tuple[Model, ...]


def orders(
    models: Sequence[Model], moves: Sequence[Move], engines: Sequence[int], answers: Sequence[object]
) -> list[Way]:
    """The orders in which the moves may have happened."""
    found: list[Way] = []
    wrong: list[str] = []
    for model, order in product(models, permutations(range(len(moves)))):
        states: list[Model] = []
        try:
            for number in order:
                after = (states[-1] if states else model).copy()
                on_the_way = moves[number].judge(after, engines[number], answers[number])
                states += [*(on_the_way or ()), after]
            found.append(Way(model, tuple(states)))
        except Wrong as why:
            wrong.append(str(why))
    if not found:
        raise Wrong("; or ".join(dict.fromkeys(wrong)))
    return found


def touched(ways: Iterable[Way]) -> set[str]:
    """The workflows that may have changed."""
    pairs = ((way.before.flows, way.states[-1].flows) for way in ways)
    return {id for old, new in pairs for id in old.keys() | new.keys() if old.get(id) is not new.get(id)}


def check_heard(way: Way, signals: Sequence[Signal]) -> set[int]:
    """Whoever changed rows has told its listeners which, and if something became ready; gives their keys."""
    before, after = way.before, way.states[-1]
    heard = {key for signal in signals for key in signal.keys or ()}
    changed: set[int] = set()
    for id in before.flows.keys() | after.flows.keys():
        old, new = before.flows.get(id), after.flows.get(id)
        if old is not None and new is not None and old.key == new.key:
            keys = {new.key} if _row(before, old) != _row(after, new) else set()
        else:
            keys = {flow.key for flow in (old, new) if flow is not None}
        must(keys <= heard, f"{id} changed, and listeners were told of {sorted(heard)}")
        changed |= keys
        if new is not None and (new.ready or new.due is not None) and (old is None or _due(old) != _due(new)):
            must(any(signal.ready for signal in signals), f"nobody was told that {id} is ready")
    return changed


def different(models: Iterable[Model]) -> list[Model]:
    found: list[Model] = []
    for model in models:
        model.number_places()
        if all(vars(model) != vars(each) for each in found):
            found.append(model)
    return found


def _row(model: Model, flow: Flow) -> object:
    return (
        shown(model, flow, 0) if flow.holder is None else (flow.token, flow.intent, flow.step, flow.progress)
    )


def _due(flow: Flow) -> object:
    return flow.ready, flow.due
