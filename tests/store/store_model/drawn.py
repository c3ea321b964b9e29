"""What is drawn for a run. It never depends on what a store answered, so that the same draws are one run.

As little as possible is drawn for a move: a run that failed is then shortened in seconds.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, get_args

from hypothesis import strategies as st
from store_model.asking import Arrive, Ask, AskMany, Deliver, Mark, Rerun, Wake
from store_model.deleting import Delete, Sweep, Upkeep
from store_model.disks import Cut
from store_model.engines import Beat, Offer, Takeover
from store_model.moves import ALL, IDS, LIMITED, Along, Begin, Done, Move, Start, Take
from store_model.passes import Note, Record, Release, Settle, TakeClaim, Transact
from store_model.planning import Schedule, Unschedule
from store_model.queueing import LineUp, Prioritise

from stepfast.interfaces import Kind, Notes
from stepfast.placing import Where
from stepfast.retention import Retention
from stepfast.state import STATES
from stepfast.views import ACTIONS, Filter, Progress

__all__ = [
    "ANY",
    "ASKING_MANY",
    "CUTS",
    "IDENTITIES",
    "INTERRUPTED",
    "LISTS",
    "OWNERS",
    "SCENES",
    "SEATS",
    "STARTS",
    "SWEEPING",
    "TO_BE_KEPT",
    "Scene",
]

SEATS = st.integers(0, 2)
# In one number each: whose seat and which claim or delivery; whose seat and which workflow.
_WHICH = st.integers(0, 71).map(
    lambda n: {"seat": n % 3, "pick": (0, 0, 0, 1, 2, 5)[n // 3 % 6], "stale": n // 18 == 3}
)
_WHOM = st.integers(0, 119).map(lambda n: {"id": IDS[n % 5], "seat": n // 5 % 3, "anyway": n // 15 == 7})
_NAMES = st.sampled_from(["first", "first", "second"])
_AFTER = st.sampled_from([5.0, -5.0, 0.0, 20.0, 60.0])
_MAYBE_AFTER = st.sampled_from([None, None, 5.0, -5.0, 0.0, 20.0, 60.0])
_WHAT = st.sampled_from(
    [("copy", 1, "1")] * 3 + [("copy", 2, "1"), ("move", 1, "1"), ("copy", 1, '{"a":[2]}')]
)
_OFFERED = st.sampled_from([ALL, ALL, ALL, ALL[:1], (ALL[2], ALL[1]), *LIMITED])
_OFFERED_WITHIN = st.sampled_from(LIMITED)
_NOTES = [
    Notes(
        step="first",
        progress=Progress(1, 2, "half"),
        log=((2.0, "info", "first", "a"), (1.0, "error", None, "b")),
    ),
    Notes(bookmarks=(("first", "1"),)),
    Notes(progress=Progress(3, None, ""), bookmarks=(("first", "2"), ("second", "3"))),
    Notes(step="second", log=((3.0, "info", None, "c"),)),
]
_MAYBE_NOTES = st.sampled_from([None, None, None, *_NOTES])


def _start(who: int, what: tuple[str, int, str], after: float, priority: int, join: bool) -> Move:
    seat, id = divmod(who, 5)
    name, version, input = what
    return Start(
        seat=seat,
        id=IDS[id],
        name=name,
        version=version,
        input=input,
        after=after,
        priority=priority,
        join=join,
    )


def _taking(kind: type[Begin]) -> st.SearchStrategy[Move]:
    return st.builds(kind, seat=SEATS, offered=_OFFERED, limit=st.integers(1, 3))


def _under_claim(move: type[Move], /, **more: st.SearchStrategy[object]) -> st.SearchStrategy[Move]:
    """A claim that stands, mostly the youngest, or one in four times one that does not."""
    return st.builds(lambda which, **drawn: move(**which, **drawn), _WHICH, **more)


def _to_one(move: type[Move], /, **more: st.SearchStrategy[object]) -> st.SearchStrategy[Move]:
    """A workflow for which it is meant, or one in eight times any."""
    return st.builds(lambda which, **drawn: move(**which, **drawn), _WHOM, **more)


STARTS = st.builds(
    _start,
    st.integers(0, 14),
    _WHAT,
    after=_MAYBE_AFTER,
    priority=st.sampled_from([0, 0, 0, 1, -1]),
    join=st.sampled_from([False, False, True]),
)
_BEGINS, _TAKES = _taking(Begin), _taking(Take)
_DONES = st.builds(
    lambda which, **drawn: Done(**which, **drawn),
    _WHICH,
    after=_MAYBE_AFTER,
)
_RECORDS = _under_claim(
    Record,
    kind=st.sampled_from([Kind.STEP, Kind.STEP, Kind.SLEEP, Kind.RECEIVED]),
    name=_NAMES,
    bookmarked=st.booleans(),
    notes=_MAYBE_NOTES,
)
_TRANSACTS = _under_claim(
    Transact, name=_NAMES, raises=st.sampled_from([False, False, True]), notes=_MAYBE_NOTES
)
_SETTLES = _under_claim(
    Settle,
    state=st.sampled_from(
        [*["sleeping", "waiting"] * 3, *["completed", "failed"] * 2, "queued", "paused", "cancelled"]
    ),
    receipt=st.sampled_from(["began", "began", "began", "held", "held", "nobody's"]),
    after=_AFTER,
)
_WORK = st.one_of(_RECORDS, _RECORDS, _TRANSACTS, _under_claim(Note, notes=st.sampled_from(_NOTES)), _SETTLES)
_MARKS = st.builds(
    Mark,
    seat=SEATS,
    ids=st.lists(st.sampled_from(IDS), min_size=1, max_size=3).map(tuple),
    undo=st.booleans(),
)

_FILTERS = [Filter(), Filter(removed=True), Filter(["queued", "failed"]), Filter(STATES[:5])]
_RETENTIONS = [
    Retention(removed_after=timedelta(0)),
    Retention(keep=1),
    Retention(age=timedelta(seconds=20), removed_after=timedelta(seconds=30)),
    Retention(age=timedelta(0), keep=1, removed_after=timedelta(0)),
]

_WAKES = st.one_of(_to_one(Wake), _to_one(Arrive, name=_NAMES), _to_one(Deliver))
_ASKS = _to_one(Ask, what=st.sampled_from(["pause", "cancel", "resume", "pause", "cancel", "retry"]))
_CLAIMS, _RELEASES = _to_one(TakeClaim), _under_claim(Release)
_DELETES = _to_one(Delete, forget=st.booleans(), known=st.sampled_from([True, True, False]))
_RERUNS = _to_one(Rerun, step=_NAMES, new=st.sampled_from(IDS))
_ALONG = st.builds(
    lambda ready, begin: Along(seat=ready.seat, ready=ready, begin=begin),
    st.one_of(STARTS, STARTS, _WAKES),
    _BEGINS,
)
_LINES_UP = st.builds(
    LineUp,
    seat=SEATS,
    ids=st.lists(st.sampled_from(IDS), max_size=3).map(tuple),
    where=st.sampled_from(get_args(Where)),
    beside=st.integers(0, 4),
    anyway=st.sampled_from([False, False, False, True]),
)
_BEGINS_WITHIN = st.builds(Begin, seat=SEATS, offered=_OFFERED_WITHIN, limit=st.integers(1, 3))
_PLANNED = st.sampled_from(["often", "soon"])
_PLANS = st.builds(
    Schedule,
    seat=SEATS,
    name=_PLANNED,
    what=_WHAT,
    every=st.sampled_from([20.0, 60.0, 400.0]),
    missed=st.sampled_from(["once", "skip"]),
)
_UNPLANS = st.builds(Unschedule, seat=SEATS, name=_PLANNED)
OWNERS = st.one_of(
    st.builds(Takeover, seat=SEATS),
    st.builds(Takeover, seat=SEATS),
    st.builds(Beat, seat=SEATS),
    st.builds(Offer, seat=SEATS, offered=_OFFERED),
)
ANY = st.one_of(
    *(STARTS, _BEGINS, _TAKES, _DONES, _CLAIMS, _RELEASES, _WORK),
    *(_SETTLES, _WAKES, _ASKS, _MARKS, _DELETES, OWNERS, _LINES_UP, _RERUNS, _PLANS, _UNPLANS),
)
"""Each of them is one commit at most, so any may be made at once."""


_MANY: dict[str, st.SearchStrategy[Any]] = {
    "seat": SEATS,
    "ids": st.lists(st.sampled_from(IDS), max_size=4).map(tuple),
    "filter": st.sampled_from([None, *_FILTERS]),
    "long_ago": st.sampled_from([False, False, False, True]),
}
_PRIORITIES = st.builds(Prioritise, what=st.just("prioritise"), priority=st.sampled_from([0, 1, -1]), **_MANY)
_PRIORITY_OF_SOME = st.builds(
    lambda seat, ids, priority: Prioritise(
        seat=seat, what="prioritise", ids=ids, filter=None, long_ago=False, priority=priority
    ),
    SEATS,
    _MANY["ids"],
    st.sampled_from([0, 0, 1, -1]),
)
_A_QUEUE = st.lists(
    st.builds(
        _start,
        st.integers(0, 14),
        _WHAT,
        after=st.none(),
        priority=st.sampled_from([0, 0, 0, 1]),
        join=st.just(False),
    ),
    min_size=3,
    max_size=5,
)
ASKING_MANY = st.one_of(
    st.builds(AskMany, what=st.sampled_from(ACTIONS), **_MANY),
    st.builds(AskMany, what=st.sampled_from(ACTIONS), **_MANY),
    _PRIORITIES,
)
SWEEPING = st.one_of(
    st.builds(
        Sweep,
        seat=SEATS,
        retention=st.sampled_from(_RETENTIONS),
        limit=st.integers(1, 3),
        forgets=st.sampled_from(["well", "badly", None]),
    ),
    st.builds(Upkeep, seat=SEATS),
)


Scene = list[Move | float]
"""Moves one after the other, and the seconds between them."""


def _scene(*parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Scene]:
    lists = [each.map(lambda part: part if isinstance(part, list) else [part]) for each in parts]
    return st.tuples(*lists).map(lambda some: [each for part in some for each in part])


def _some(*kinds: st.SearchStrategy[Move], least: int = 0, most: int) -> st.SearchStrategy[list[Move]]:
    return st.lists(st.one_of(*kinds), min_size=least, max_size=most)


_ANY_WORK = _some(_WORK, most=1)
_ENDS = st.one_of(_SETTLES, _SETTLES, _SETTLES, _RELEASES)
SCENES: dict[str, st.SearchStrategy[Scene]] = {
    "somebody_stands_by": _scene(
        _some(_ALONG, least=1, most=3), _some(_WORK, _ASKS, _WAKES, most=2), _ENDS, _some(_ALONG, most=1)
    ),
    "a_pass": _scene(_BEGINS, _some(_WORK, _WORK, _WAKES, _ASKS, _ASKS, most=4), _ENDS),
    "a_pass_under_a_claim": _scene(
        _some(_ASKS, _TAKES, _WAKES, most=1), _CLAIMS, _some(_WORK, _WAKES, _ASKS, most=2), _ENDS, _ANY_WORK
    ),
    "a_delivery": _scene(
        _TAKES, _some(_WAKES, _WAKES, _CLAIMS, _RELEASES, _ASKS, _BEGINS, _SETTLES, most=3), _DONES, _DONES
    ),
    "what_it_is_asked_while_it_runs": _scene(_BEGINS, _some(_ASKS, least=2, most=4), _ENDS),
    "a_wait_and_its_end": _scene(
        _BEGINS, _SETTLES, st.sampled_from([5.0, 20.0, 60.0]), _some(_WAKES, most=1), _BEGINS
    ),
    "what_has_finished": _scene(
        _some(_WAKES, _WORK, most=2),
        _SETTLES,
        _some(_MARKS, _DELETES, _ASKS, _WAKES, STARTS, _RERUNS, ASKING_MANY, SWEEPING, most=4),
    ),
    "the_queue": _scene(
        _A_QUEUE, _some(_LINES_UP, _LINES_UP, _PRIORITY_OF_SOME, _BEGINS, _RERUNS, _WAKES, least=2, most=5)
    ),
    "what_has_room": _scene(
        _A_QUEUE,
        _BEGINS_WITHIN,
        _some(_BEGINS_WITHIN, _BEGINS_WITHIN, _CLAIMS, _ENDS, _ASKS, _WAKES, least=2, most=5),
        _BEGINS_WITHIN,
    ),
    "what_is_planned": _scene(
        _PLANS,
        _some(_PLANS, _BEGINS_WITHIN, most=1),
        st.sampled_from([5.0, 19.0, 21.0, 61.0, 301.0, 900.0]),
        _some(_BEGINS, _TAKES, _PLANS, _UNPLANS, _BEGINS_WITHIN, least=1, most=3),
        st.sampled_from([1.0, 20.0, 330.0, 701.0]),
        _some(_BEGINS, _TAKES, _DELETES, _PLANS, least=1, most=3),
    ),
    "some_moves": _some(ANY, most=5),
}
"""What happens to one workflow, as far as it can be."""
INTERRUPTED = _some(_BEGINS, _TAKES, _CLAIMS, _ASKS, _ASKS, _WAKES, _WORK, most=4)
"""What an engine may be in the middle of when it dies."""
IDENTITIES = st.sampled_from(IDS)

TO_BE_KEPT = _some(ANY, _SETTLES, _WAKES, _WORK, least=1, most=3)
CUTS = st.builds(
    Cut,
    lost=st.sampled_from([0, 1, 1, 1, 2, 2, 3, 4, 7, 15, 40]),
    torn=st.sampled_from([0, 0, 5, 9]),
    rest=st.sampled_from(["nothing", "zeros", "noise"]),
    reboot=st.booleans(),
)

LISTS = st.fixed_dictionaries(
    {
        "states": st.sampled_from([(), (), *((state,) for state in STATES), STATES[:4], STATES[5:]]),
        "removed": st.booleans(),
        "descending": st.booleans(),
        "limit": st.integers(1, 3),
    }
)
