"""One workflow's log and records, a part at a time: for views that load what they show."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from stepfast.body.retrying import FAILED, Attempted
from stepfast.errors import UnknownWorkflow
from stepfast.interfaces import Durable, Kind, NewRecord, Notes
from stepfast.testing.contract.stores import Stores, claimed, refused, start
from stepfast.values.codec import encode
from stepfast.views import LogLine, RecordOutline


async def lines_are_found_piece_by_piece_from_either_end(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    lines = await _logged(durable, other)
    searches: list[tuple[dict[str, Any], Callable[[LogLine], bool]]] = [
        ({}, lambda line: True),
        ({"levels": ["error"]}, lambda line: line.level == "error"),
        ({"levels": ["error", "info"]}, lambda line: line.level in ("error", "info")),
        ({"levels": ["none"]}, lambda line: False),
        ({"text": "NINE"}, lambda line: "nine" in line.text.lower()),
        ({"text": "straße"}, lambda line: "straße" in line.text),
        ({"text": "%_'"}, lambda line: "%_'" in line.text),
        ({"text": "after a zero"}, lambda line: "after a zero" in line.text),
        ({"text": "e\nt"}, lambda line: "e\nt" in line.text),
        (
            {"text": "nine", "levels": ["info"]},
            lambda line: line.level == "info" and "nine" in line.text.lower(),
        ),
        ({"text": "nowhere"}, lambda line: False),
    ]
    for search, fits in searches:
        expected = array("q", (line.position for line in lines if fits(line)))
        breaks = {line.position: line.text.rstrip("\n").count("\n") for line in lines if fits(line)}
        for limit in (1, 4, len(lines), 1000):
            for back in (False, True):
                found, found_breaks = await _found(other, limit, back, search)
                assert found == expected, f"of {search}, {limit} at a time: {[*found]}, not {[*expected]}"
                assert found_breaks == {at: n for at, n in breaks.items() if n}, f"breaks: {found_breaks}"


async def a_search_says_how_far_it_looked(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    lines = await _logged(durable, other)
    positions = [line.position for line in lines]
    part = await other.catalogue.find_lines("one", after=positions[1], limit=3, text="nowhere")
    assert (part.first, part.last, part.more) == (positions[2], positions[4], True), f"it says {part}"
    part = await other.catalogue.find_lines("one", before=positions[5], limit=3, text="nowhere")
    assert (part.first, part.last, part.more) == (positions[2], positions[4], True), f"back, it says {part}"
    part = await other.catalogue.find_lines("one", after=positions[-1])
    assert (part.positions, part.first, part.last, part.more) == (array("q"), 0, 0, False)
    part = await other.catalogue.find_lines("one", before=positions[0])
    assert (part.positions, part.first, part.last, part.more) == (array("q"), 0, 0, False)


async def lines_are_read_by_their_positions(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    lines = await _logged(durable, other)
    wanted = [lines[4], lines[0], lines[-1]]
    found = await other.catalogue.lines("one", [10**15, *(line.position for line in wanted)])
    assert found == [lines[0], lines[4], lines[-1]], f"the lines at some positions, in order; got {found}"
    assert await other.catalogue.lines("one", []) == []


async def an_outline_has_what_the_history_has_but_for_values(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    claim = await claimed(durable, "one")
    checkpointer, now = durable.checkpointer, stores.clock.time()
    until = datetime.fromtimestamp(now + 60, UTC)
    ended = Attempted(FAILED, "OSError", "no \ud800 half", "trace", now + 5)
    for kind, name, text in (
        (Kind.STEP, "first", '{"a":"ä"}'),
        (Kind.BEGUN, "1:second", "null"),
        (Kind.ATTEMPT, "1:second", ended.text),
        (Kind.ATTEMPT, "2:second", Attempted(FAILED, "OSError").text),
        (Kind.SLEEP, "a while", encode(until)),
        (Kind.SLEEP, "no moment", "null"),
        (Kind.STEP, "second", '"' + "x" * 100_000 + '"'),
    ):
        stores.clock.advance(1.5)
        new = NewRecord(kind, name, text, now, attempts=3 if name == "second" else 1)
        await checkpointer.record(claim, new)
    history = await other.catalogue.history("one")

    outline = await other.catalogue.outline("one")

    attempts = [(FAILED, "OSError", now + 5), (FAILED, "OSError", None)]
    expected = [
        RecordOutline(
            each.kind,
            each.name,
            each.position,
            each.started_at,
            each.recorded_at,
            each.attempts,
            len(each.text.encode()),
            attempts.pop(0) if each.kind == Kind.ATTEMPT else None,
            until if each.name == "a while" else None,
        )
        for each in history
    ]
    assert outline == expected, f"the outline is {outline}, and not {expected}"
    later = await other.catalogue.outline("one", after=history[2].position)
    assert later == expected[3:], f"what came later is {later}"
    for each in history:
        found = await other.catalogue.record("one", each.kind, each.name)
        assert found == each, f"the record {each.kind} {each.name} is {found}"
    assert await other.catalogue.record("one", Kind.STEP, "a while") is None, "a name counts within its kind"


async def a_history_of_nobody_is_refused(stores: Stores) -> None:
    durable = await stores.open()
    await start(durable, "one")
    catalogue = durable.catalogue
    assert await catalogue.outline("one") == []
    for read in (
        catalogue.outline("two"),
        catalogue.record("two", Kind.STEP, "a"),
        catalogue.find_lines("two"),
        catalogue.lines("two", [1]),
    ):
        await refused(UnknownWorkflow, read, "the history of a workflow that is not there")


async def _logged(durable: Durable, other: Durable) -> list[LogLine]:
    """A log of all sorts, between the lines of another one."""
    claim, beside = await claimed(durable, "one"), await claimed(other, "another")
    for number, (level, text) in enumerate(
        [
            ("info", "nine lives"),
            ("error", "Traceback:\n  nine\n  ten\n"),
            ("info", "die Straße, straße"),
            ("debug", "100 %_' of it"),
            ("warning", "before\0after a zero\nand a line"),
            ("info", ""),
            ("info", "one\ntwo\n\n\n"),
            ("error", "NINE"),
        ]
    ):
        at = 1000.0 + number
        await durable.checkpointer.note(claim, Notes(log=((at, level, "step", text),)))
        await other.checkpointer.note(beside, Notes(log=((at, level, None, text),)))
    return await durable.catalogue.log("one")


async def _found(
    durable: Durable, limit: int, back: bool, search: dict[str, Any]
) -> tuple[array[int], dict[int, int]]:
    """All that is found, piece by piece."""
    found, breaks = array("q"), dict[int, int]()
    place = 2**62 if back else 0
    for _ in range(100):
        way: dict[str, Any] = {"before": place} if back else {"after": place}
        part = await durable.catalogue.find_lines("one", limit=limit, **way, **search)
        found = part.positions + found if back else found + part.positions
        breaks |= part.breaks
        if not part.more:
            return found, breaks
        place = part.first if back else part.last
    raise AssertionError(f"a search for {search}, {limit} lines at a time, has no end")
