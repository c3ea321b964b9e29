"""What is drawn for a run. It never depends on what a store answered, so that the same draws are one run.

As little as possible is drawn for a move: a run that failed is then shortened in seconds.
"""

from __future__ import annotations

from datetime import timedelta

from hypothesis import strategies as st
from store_model.asking import Arrive, Ask, AskMany, Deliver, Mark, Wake
from store_model.deleting import Delete, Sweep, Upkeep
from store_model.disks import Cut
from store_model.engines import Beat, Offer, Takeover
from store_model.moves import ALL, IDS, Begin, Done, Move, Start, Take
from store_model.passes import Note, Record, Release, Settle, TakeClaim, Transact

from stepfast.interfaces import Kind, Notes
from stepfast.retention import Retention
from stepfast.state import STATES
from stepfast.views import ACTIONS, Filter, Progress

__all__ = ["CUTS", "ID", "LISTS", "LONG_MOVES", "MOVES", "SEATS", "SOME_MOVES", "STARTS"]

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
_OFFERED = st.sampled_from([ALL, ALL, ALL, ALL[:1], (ALL[2], ALL[1])])
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
        [*["sleeping", "waiting"] * 3, *["completed"] * 2, "failed", "queued", "paused", "cancelled"]
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

# A run leaves some of the rules out at random, so what nothing goes on without is not a rule by itself.
MOVES: dict[str, st.SearchStrategy[Move]] = {
    "begin": st.one_of(STARTS, _BEGINS, _BEGINS),
    "take": st.one_of(_TAKES, _DONES, _DONES),
    "claim": st.one_of(_to_one(TakeClaim), _under_claim(Release)),
    "work": _WORK,
    "settle": _SETTLES,
    "wake": st.one_of(_to_one(Wake), _to_one(Arrive, name=_NAMES), _to_one(Deliver)),
    "ask": _to_one(Ask, what=st.sampled_from(["pause", "resume", "cancel", "retry"])),
    "remove": st.one_of(
        _MARKS, _MARKS, _to_one(Delete, forget=st.booleans(), known=st.sampled_from([True, True, False]))
    ),
    "own": st.one_of(
        st.builds(Takeover, seat=SEATS),
        st.builds(Takeover, seat=SEATS),
        st.builds(Beat, seat=SEATS),
        st.builds(Offer, seat=SEATS, offered=_OFFERED),
    ),
}

LONG_MOVES: dict[str, st.SearchStrategy[Move]] = {
    "ask_many": st.builds(
        AskMany,
        seat=SEATS,
        what=st.sampled_from(ACTIONS),
        ids=st.lists(st.sampled_from(IDS), max_size=4).map(tuple),
        filter=st.sampled_from([None, *_FILTERS]),
        long_ago=st.sampled_from([False, False, False, True]),
    ),
    "sweep": st.one_of(
        st.builds(
            Sweep,
            seat=SEATS,
            retention=st.sampled_from(_RETENTIONS),
            limit=st.integers(1, 3),
            forgets=st.sampled_from(["well", "badly", None]),
        ),
        st.builds(Upkeep, seat=SEATS),
    ),
}
"""More than one commit, or a look and then a commit: not to be judged as one among others made at once."""

ID = st.sampled_from(IDS)
SOME_MOVES = st.lists(
    st.one_of(
        _WORK,
        MOVES["claim"],
        MOVES["take"],
        MOVES["wake"],
        MOVES["ask"],
        _WORK,
        MOVES["begin"],
        MOVES["claim"],
    ),
    min_size=3,
    max_size=5,
)

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
