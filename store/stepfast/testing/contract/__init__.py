"""What every store owes the engine, as functions that fail where it is not kept.

`CONTRACT` has them all; each takes a `Stores` over storage that is new and empty, and is named after what
it holds the store to. A module is about one part of `stepfast.interfaces`:

    checkpointing  records, kinds, order, notes        fencing      claims, tokens
    effects        transact is one commit; query       containing   what effects and queries may not do
    scheduling     take, wake, due, receipts           transitions  start, begin, settle
    asking         pause, resume, cancel, retry        outside      arrive, deliver, delete
    owners         takeover, offers, numbers           hearing      listeners and `poll`
    reading        counts, details, changes            listing      filters, orders, pages, keys, rows
    searching      what a text finds                   bulk         asking many at once, removing
    sweeping       retention, forget, upkeep
    limiting       how many run at once              families     parents and children
    repeating      schedules              histories     one workflow's log and records, part by part
    again          unblock, rerun, what a retry clears
    lining_up      priorities and places in the queue
    tidying        what is cancelled tidies up first       ailing       health, and who is told of it
    together       what comes at once, and how it ended

A function here uses nothing but the interfaces, so it says nothing of how a store does it; it holds the
store to them by `assert`, so do not run it under `python -O`. Every coroutine function of these modules
whose name has no underscore in front belongs to the contract.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import TypeAlias

from stepfast.testing.contract import (
    again,
    ailing,
    asking,
    bulk,
    checkpointing,
    containing,
    effects,
    families,
    fencing,
    hearing,
    histories,
    limiting,
    lining_up,
    listing,
    outside,
    owners,
    reading,
    repeating,
    scheduling,
    searching,
    sweeping,
    tidying,
    together,
    transitions,
)
from stepfast.testing.contract.stores import Stores

__all__ = ["CONTRACT", "Promise", "Stores"]

Promise: TypeAlias = Callable[[Stores], Awaitable[None]]


def _promises(module: ModuleType) -> list[Promise]:
    # By definition and not by a list kept beside: a promise that was left out would fail in silence.
    return [
        function
        for name, function in vars(module).items()
        if inspect.iscoroutinefunction(function)
        and function.__module__ == module.__name__
        and not name.startswith("_")
    ]


CONTRACT: tuple[Promise, ...] = tuple(
    promise
    for module in (
        checkpointing,
        fencing,
        effects,
        containing,
        scheduling,
        transitions,
        limiting,
        families,
        repeating,
        asking,
        outside,
        again,
        tidying,
        owners,
        hearing,
        ailing,
        reading,
        histories,
        listing,
        searching,
        bulk,
        lining_up,
        sweeping,
        together,
    )
    for promise in _promises(module)
)
