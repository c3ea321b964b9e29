"""Records: the first wins, kinds are apart, `load` keeps their order; and notes, which ride along."""

from __future__ import annotations

import asyncio

from stepfast.interfaces import Checkpoint, Claim, Durable, Kind, NewRecord, Notes
from stepfast.testing.contract.stores import Stores, claimed, finish, new, only, state
from stepfast.views import Progress


async def a_record_comes_back_as_it_was_written(stores: Stores) -> None:
    durable = await stores.open()
    claim = await claimed(durable, "one")
    started_at = stores.clock.time()
    stores.clock.advance(2.5)
    written = NewRecord(Kind.STEP, "scan", '{"files":3}', started_at, attempts=4)

    recorded = await durable.checkpointer.record(claim, written)

    assert (recorded.text, recorded.first) == ('{"files":3}', True), f"record gave {recorded}"
    record = only((await durable.checkpointer.load(claim.workflow)).records)
    assert (record.kind, record.name, record.text) == (Kind.STEP, "scan", '{"files":3}'), (
        f"load gave {record}"
    )
    assert record.attempts == 4, f"4 attempts were recorded, and load gave {record.attempts}"
    assert record.position > 0, "positions begin above 0, so that after=0 brings everything"
    assert record.started_at.timestamp() == started_at, "a record keeps when its step started"
    assert record.recorded_at.timestamp() == started_at + 2.5, "recorded_at is read from the store's clock"


async def every_text_comes_back_whole(stores: Stores) -> None:
    durable = await stores.open()
    id = "quote ' and \" and \\ percent % snow \u2603 clef \U0001d11e"
    odd = "quote ' and \" and \\ percent % zero-width \u200b snow \u2603 clef \U0001d11e line\nfeed"
    long = '"' + "x" * 300_000 + '"'
    started = await durable.start(id, "job", 1, '"input"')
    claim = await durable.checkpointer.claim(id)
    assert claim == Claim(started.key, id, claim.token if claim else 0), f"the id {id!r} came back as {claim}"
    await durable.checkpointer.record(claim, new(odd, odd))
    await durable.checkpointer.record(claim, new("long", long))
    await durable.deliver(id, odd)
    await durable.arrive(id, odd, long)

    checkpoint = await durable.checkpointer.load(started.key)

    texts = [(record.kind, record.name, record.text) for record in checkpoint.records]
    assert texts == [(Kind.STEP, odd, odd), (Kind.STEP, "long", long), (Kind.ANSWER, odd, long)], (
        "records must keep their texts exactly"
    )
    assert [message.text for message in checkpoint.messages] == [odd], (
        "messages must keep their texts exactly"
    )


async def the_first_record_wins(stores: Stores) -> None:
    durable = await stores.open()
    claim = await claimed(durable, "one")
    await durable.checkpointer.record(claim, new("step", '"first"'))

    again = await durable.checkpointer.record(claim, new("step", '"second"'))

    assert not again.first, "`first` is only for the call that stored the record"
    assert again.text == '"first"', f"whoever records again gets what is stored, not {again.text}"
    record = only((await durable.checkpointer.load(claim.workflow)).records)
    assert record.text == '"first"', f"a record is never overwritten; now it is {record.text}"


async def one_of_many_writers_at_once_is_first(stores: Stores) -> None:
    durable = await stores.open()
    claim = await claimed(durable, "one")
    writers = [durable.checkpointer.record(claim, new("step", f'"{n}"')) for n in range(12)]

    recorded = await asyncio.gather(*writers)

    assert sum(each.first for each in recorded) == 1, "exactly one of the writers stored its record"
    assert len({each.text for each in recorded}) == 1, "every writer gets the same stored text"
    winner = next(each.text for each in recorded if each.first)
    record = only((await durable.checkpointer.load(claim.workflow)).records)
    assert record.text == winner, "the text of the one that was first is what is stored"


async def a_record_of_one_pass_binds_the_next(stores: Stores) -> None:
    durable = await stores.open()
    first = await claimed(durable, "one")
    await durable.checkpointer.record(first, new("step", '"first"'))
    await durable.checkpointer.release(first)
    second = await claimed(durable, "one")

    recorded = await durable.checkpointer.record(second, new("step", '"second"'))

    assert (recorded.text, recorded.first) == ('"first"', False), (
        "two passes agree on what was recorded first"
    )


async def kinds_are_apart(stores: Stores) -> None:
    durable = await stores.open()
    claim = await claimed(durable, "one")
    await durable.arrive("one", "approved", '"early"')

    for kind in (Kind.STEP, Kind.SLEEP, Kind.RECEIVED):
        recorded = await durable.checkpointer.record(claim, new("approved", f'"{kind}"', kind))
        assert recorded.first, f"an answer or another kind of that name must not pass for a {kind}"
        assert recorded.text == f'"{kind}"', f"the {kind} was stored as {recorded.text}"

    records = (await durable.checkpointer.load(claim.workflow)).records
    found = [(record.kind, record.name, record.text) for record in records]
    assert found == [
        (Kind.ANSWER, "approved", '"early"'),
        (Kind.STEP, "approved", '"step"'),
        (Kind.SLEEP, "approved", '"sleep"'),
        (Kind.RECEIVED, "approved", '"received"'),
    ], f"a name is unique within its kind only; load gave {found}"


async def load_keeps_the_order_of_first_writing(stores: Stores) -> None:
    durable = await stores.open()
    other = await stores.open()
    claim = await claimed(durable, "one")

    # Names and kinds that no order but that of writing would bring out like this.
    await durable.checkpointer.record(claim, new("z"))
    await other.arrive("one", "m", "1")
    first = await other.deliver("one", "2")
    await durable.checkpointer.record(claim, new("a", kind=Kind.SLEEP))
    await durable.checkpointer.record(claim, new("z"))
    await other.arrive("one", "m", "3")
    second = await durable.deliver("one", "4")
    await durable.checkpointer.record(claim, new("b"))

    checkpoint = await durable.checkpointer.load(claim.workflow)
    names = [record.name for record in checkpoint.records]
    assert names == ["z", "m", "a", "b"], f"records come in the order of first writing, not as {names}"
    messages = [(message.position, message.text) for message in checkpoint.messages]
    assert messages == [(first, "2"), (second, "4")], f"messages come in their order, not as {messages}"
    z, m, a, b = (record.position for record in checkpoint.records)
    assert z < m < first < a < second < b, "records and messages have positions from one rising counter"
    assert checkpoint.end == b, "the end of a checkpoint is its last position"


async def load_after_brings_only_what_came_later(stores: Stores) -> None:
    durable = await stores.open()
    claim = await claimed(durable, "one")
    await durable.checkpointer.record(claim, new("old"), Notes(bookmarks=(("large", "7"),)))
    await durable.deliver("one", '"old"')
    end = (await durable.checkpointer.load(claim.workflow)).end
    nothing = await durable.checkpointer.load(claim.workflow, after=end)
    await durable.deliver("one", '"new"')
    await durable.arrive("one", "new", "1")

    later = await durable.checkpointer.load(claim.workflow, after=end)

    assert nothing == Checkpoint((), (), {"large": "7"}), f"nothing came later, and load gave {nothing}"
    assert [record.name for record in later.records] == ["new"], "only later records are brought"
    assert [message.text for message in later.messages] == ['"new"'], "only later messages are brought"
    assert later.bookmarks == {"large": "7"}, "bookmarks are brought whole, whatever `after` is"


async def load_brings_nothing_of_another_workflow(stores: Stores) -> None:
    durable = await stores.open()
    one, other = await claimed(durable, "one"), await claimed(durable, "other")
    await durable.checkpointer.record(other, new("step"), Notes(bookmarks=(("step-2", "1"),)))
    await durable.arrive("other", "answer", "1")
    await durable.deliver("other", "1")

    assert await durable.checkpointer.load(one.workflow) == Checkpoint((), (), {}), (
        "what was written to another workflow must not be loaded"
    )


async def a_record_that_returned_is_there_for_everybody(stores: Stores) -> None:
    durable = await stores.open()
    claim = await claimed(durable, "one")
    await durable.checkpointer.record(claim, new("step", '"kept"'))
    await stores.kill(durable)
    other = await stores.open()

    records = (await other.checkpointer.load(claim.workflow)).records

    assert [record.text for record in records] == ['"kept"'], "a record that has returned survives its writer"


async def a_cancelled_caller_leaves_the_store_whole(stores: Stores) -> None:
    durable = await stores.open()
    claim = await claimed(durable, "one")
    for n in range(10):
        call = asyncio.ensure_future(durable.checkpointer.record(claim, new(f"cancelled:{n}")))
        for _ in range(n % 3):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)

    recorded = await durable.checkpointer.record(claim, new("after"))

    assert recorded.first, "after cancelled calls the store works as before"
    records = (await durable.checkpointer.load(claim.workflow)).records
    assert records[-1].name == "after", "what a cancelled call wrote was written before what was asked later"


async def a_bookmark_lasts_until_its_step_is_recorded(stores: Stores) -> None:
    durable = await stores.open()
    claim = await claimed(durable, "one")
    await durable.checkpointer.note(claim, Notes(bookmarks=(("large", "1"), ("other", "5"))))
    await durable.checkpointer.note(claim, Notes(bookmarks=(("large", "2"),)))
    before = await durable.checkpointer.load(claim.workflow)

    await durable.checkpointer.record(claim, new("unrelated"))
    kept = await durable.checkpointer.load(claim.workflow)
    await durable.checkpointer.record(claim, new("large", bookmarked=True))
    after = await durable.checkpointer.load(claim.workflow)

    assert before.bookmarks == {"large": "2", "other": "5"}, f"the last value counts; got {before.bookmarks}"
    assert kept.bookmarks == before.bookmarks, "another step's record leaves a bookmark alone"
    assert after.bookmarks == {"other": "5"}, f"a bookmark goes with its step's record; got {after.bookmarks}"


async def a_bookmark_outlives_its_pass(stores: Stores) -> None:
    durable = await stores.open()
    claim = await claimed(durable, "one")
    await durable.checkpointer.note(claim, Notes(bookmarks=(("large", "64"),)))
    await stores.kill(durable)
    other = await stores.open()
    await other.takeover()

    checkpoint = await other.checkpointer.load(claim.workflow)

    assert checkpoint.bookmarks == {"large": "64"}, "the next pass goes on from the bookmark"


async def notes_show_in_the_row(stores: Stores) -> None:
    durable = await stores.open()
    claim = await claimed(durable, "one")
    await durable.checkpointer.note(claim, Notes(step="copy", progress=Progress(1, 10, "one")))
    await durable.checkpointer.note(claim, Notes(progress=Progress(2, None, "two", 1, 1_700_000_000.25)))
    row = await durable.catalogue.summary("one")
    await durable.checkpointer.note(claim, Notes(step="verify"))
    later = await durable.catalogue.summary("one")

    assert (row.step, row.progress) == ("copy", Progress(2, None, "two", 1, 1_700_000_000.25)), (
        f"what a note does not name stays, the rest is replaced; got {row.step}, {row.progress}"
    )
    assert (later.step, later.progress) == ("verify", Progress(2, None, "two", 1, 1_700_000_000.25)), (
        f"a note of a step leaves the progress; got {later.step}, {later.progress}"
    )


async def the_log_keeps_its_order(stores: Stores) -> None:
    durable = await stores.open()
    claim = await claimed(durable, "one")
    now = stores.clock.time()
    await durable.checkpointer.note(
        claim, Notes(log=((now, "info", "copy", "b"), (now, "warning", None, "a")))
    )
    await durable.checkpointer.record(claim, new("copy"), Notes(log=((now - 1, "info", None, "c"),)))

    lines = await durable.catalogue.log("one")

    found = [(line.at.timestamp(), line.level, line.step, line.text) for line in lines]
    assert found == [
        (now, "info", "copy", "b"),
        (now, "warning", None, "a"),
        (now - 1, "info", None, "c"),
    ], f"lines stand in the order of writing, whatever their times; got {found}"
    positions = [line.position for line in lines]
    assert positions == sorted(set(positions)), "positions rise from line to line"
    later = await durable.catalogue.log("one", after=positions[0])
    assert [line.text for line in later] == ["a", "c"], "`after` brings the lines behind a position"
    first = await durable.catalogue.log("one", limit=2)
    assert [line.text for line in first] == ["b", "a"], "`limit` brings the first lines"


async def notes_ride_along_with_a_record(stores: Stores) -> None:
    durable = await stores.open()
    claim = await claimed(durable, "one")
    await durable.checkpointer.record(claim, new("one"))

    await durable.checkpointer.record(claim, new("one"), Notes(step="again", progress=Progress(1, 2, "")))

    row = await durable.catalogue.summary("one")
    assert (row.step, row.progress) == ("again", Progress(1, 2, "")), (
        "notes are written though the record was there already"
    )


async def records_stay_when_a_workflow_has_finished(stores: Stores) -> None:
    durable = await stores.open()
    claim = await claimed(durable, "one")
    await durable.checkpointer.record(claim, new("step"))
    await durable.checkpointer.release(claim)
    await finish(durable, "one")

    assert await state(durable, "one") == "completed", "it was settled as completed"
    assert await _names(durable, claim.workflow) == ["step"], "its history can still be read"


async def _names(durable: Durable, workflow: int) -> list[str]:
    return [record.name for record in (await durable.checkpointer.load(workflow)).records]
