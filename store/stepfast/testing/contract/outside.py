"""What comes from outside: `arrive` and `deliver`, with their wakeup or not at all; and `delete`."""

from __future__ import annotations

import asyncio
from typing import Any

from stepfast.body.run import Transaction
from stepfast.errors import AlreadyFinished, UnknownWorkflow
from stepfast.interfaces import Checkpoint, Kind, Notes, Settlement
from stepfast.testing.contract.stores import (
    WAIT,
    Stores,
    begin,
    begun,
    claimed,
    finish,
    ids,
    new,
    refused,
    start,
    state,
)
from stepfast.views import Changes, Progress


async def the_first_answer_wins(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    started = await start(durable, "one")

    first = await durable.arrive("one", "approved", '"first"')
    second = await other.arrive("one", "approved", '"second"')
    different = await other.arrive("one", "paid", '"paid"')

    assert (first, second) == ('"first"', '"first"'), f"every caller gets what is stored, not {second}"
    assert different == '"paid"', "another name is another answer"
    records = (await durable.checkpointer.load(started.key)).records
    found = [(record.kind, record.name, record.text) for record in records]
    assert found == [(Kind.ANSWER, "approved", '"first"'), (Kind.ANSWER, "paid", '"paid"')], (
        f"an answer is never overwritten; stored are {found}"
    )
    assert records[0].recorded_at.timestamp() == stores.clock.time(), "it is known when it arrived"


async def answers_at_once_agree(stores: Stores) -> None:
    engines = [await stores.open(), await stores.open()]
    await start(engines[0], "one")

    texts = await asyncio.gather(*(engines[n % 2].arrive("one", "approved", f'"{n}"') for n in range(10)))

    assert len(set(texts)) == 1, f"every caller gets the same stored text; got {sorted(set(texts))}"


async def an_answer_wakes_who_waits(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await finish(durable, "waiting", WAIT)
    await finish(durable, "sleeping", Settlement("sleeping", due=stores.clock.time() + 60))

    for id in ("sleeping", "waiting"):
        await other.arrive(id, "answer", "1")
        assert await state(durable, id) == "queued", f"the {id} one is ready"

    await stores.kill(other)
    assert ids(await begin(durable)) == ["sleeping", "waiting"], "value and wakeup are one commit, on disk"


async def a_second_answer_wakes_too(stores: Stores) -> None:
    durable = await stores.open()
    await durable.start("one", "job", 1, "null")
    await durable.arrive("one", "answer", "1")
    await finish(durable, "one", WAIT)

    await durable.arrive("one", "answer", "2")

    assert ids(await begin(durable)) == ["one"], (
        "whoever answers wants a pass, though the first answer stands"
    )


async def messages_keep_their_order(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    started = await start(durable, "one")
    positions = [await (durable, other)[n % 2].deliver("one", str(n)) for n in range(6)]

    messages = (await durable.checkpointer.load(started.key)).messages
    assert [message.text for message in messages] == [str(n) for n in range(6)], "messages keep their order"
    assert positions == [message.position for message in messages], "deliver returns the message's position"
    assert positions == sorted(set(positions)), "positions rise"


async def equal_messages_are_two(stores: Stores) -> None:
    durable = await stores.open()
    started = await start(durable, "one")
    await asyncio.gather(*(durable.deliver("one", "1") for _ in range(5)))

    assert len((await durable.checkpointer.load(started.key)).messages) == 5, "each deliver is a message"


async def a_message_wakes_who_waits(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await finish(durable, "waiting", WAIT)
    await finish(durable, "sleeping", Settlement("sleeping", due=stores.clock.time() + 60))

    for id in ("sleeping", "waiting"):
        await other.deliver(id, "1")
        assert await state(durable, id) == "queued", f"the {id} one is ready"

    await stores.kill(other)
    assert ids(await begin(durable)) == ["sleeping", "waiting"], "message and wakeup are one commit, on disk"


async def nothing_reaches_the_unknown_or_finished(stores: Stores) -> None:
    durable = await stores.open()
    await finish(durable, "one")
    key = (await durable.catalogue.summary("one")).key

    await refused(AlreadyFinished, durable.arrive("one", "answer", "1"), "an answer to a finished workflow")
    await refused(AlreadyFinished, durable.deliver("one", "1"), "a message to a finished workflow")
    await refused(UnknownWorkflow, durable.arrive("unknown", "answer", "1"), "an answer to an unknown id")
    await refused(UnknownWorkflow, durable.deliver("unknown", "1"), "a message to an unknown id")
    await refused(UnknownWorkflow, durable.delete("unknown"), "delete of an unknown id")

    assert await durable.checkpointer.load(key) == Checkpoint((), (), {}), "what is refused writes nothing"
    assert await state(durable, "one") == "completed", "and wakes nobody"
    await start(durable, "unknown")
    key = (await durable.catalogue.summary("unknown")).key
    assert await durable.checkpointer.load(key) == Checkpoint((), (), {}), "nor is it kept for later"


async def delete_removes_everything(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    claim = await claimed(durable, "one")
    notes = Notes(
        step="s",
        progress=Progress(1, 2, "t"),
        bookmarks=(("b", "1"),),
        log=((stores.clock.time(), "info", None, "line"),),
    )
    await durable.checkpointer.record(claim, new("step"), notes)
    await durable.arrive("one", "answer", "1")
    await durable.deliver("one", "1")

    await other.delete("one")

    catalogue = durable.catalogue
    for what, read in (
        ("get", catalogue.get("one")),
        ("summary", catalogue.summary("one")),
        ("history", catalogue.history("one")),
        ("log", catalogue.log("one")),
        ("a second delete", durable.delete("one")),
        ("arrive", durable.arrive("one", "answer", "1")),
        ("pause", durable.pause("one")),
    ):
        await refused(UnknownWorkflow, read, f"{what} of a deleted workflow")
    assert await catalogue.list() == [], "no list has it"
    assert sum((await catalogue.counts()).values()) == 0, "it is not counted"
    assert await durable.checkpointer.load(claim.workflow) == Checkpoint((), (), {}), "its records are gone"
    assert await begin(durable) == [], "no pass is owed"
    assert (await durable.look()).held == (), "nobody holds it"


async def an_id_that_was_deleted_begins_anew(stores: Stores) -> None:
    durable = await stores.open()
    claim = await claimed(durable, "one")
    await durable.checkpointer.record(claim, new("step", '"old"'))
    await durable.delete("one")

    started = await durable.start("one", "other", 2, '"other"')

    assert started.created, "the id is free again"
    assert started.key > claim.workflow, "keys are not used again"
    assert await durable.checkpointer.load(started.key) == Checkpoint((), (), {}), (
        "nothing of the old is left"
    )
    row = await durable.catalogue.summary("one")
    assert (row.step, row.progress, row.started_at) == (None, None, None), (
        f"nothing of the old shows in {row}"
    )


async def forget_is_part_of_the_delete(stores: Stores) -> None:
    durable = await stores.open()
    await _with_rows(stores)
    asked: list[str] = []

    def forget(transaction: Transaction, id: str) -> None:
        asked.append(id)
        transaction.execute("DELETE FROM mine WHERE id = ?", (id,))

    await durable.delete("one", forget)

    assert asked == ["one"], f"forget is called once, with the id; it was called with {asked}"
    assert await durable.checkpointer.query(_ids) == [("other",)], "its rows went, and no other"
    await refused(UnknownWorkflow, durable.catalogue.summary("one"), "summary of a deleted workflow")


async def a_forget_that_fails_deletes_nothing(stores: Stores) -> None:
    durable = await stores.open()
    await _with_rows(stores)

    def forget(transaction: Transaction, id: str) -> None:
        transaction.execute("DELETE FROM mine")
        raise ValueError("mine")

    def mean(transaction: Transaction, id: str) -> None:
        transaction.execute("DELETE FROM mine")
        try:
            transaction.execute("COMMIT")
        except Exception:
            pass

    await refused(ValueError, durable.delete("one", forget), "a forget that raises")
    await refused(Exception, durable.delete("one", mean), "a forget that commits by itself")

    assert await durable.checkpointer.query(_ids) == [("one",), ("other",)], "none of its writes is kept"
    assert await state(durable, "one") != "gone", "and the workflow is there"
    assert len(await durable.catalogue.history("one")) == 1, "with its records"
    calls: list[str] = []
    unknown = durable.delete("unknown", lambda transaction, id: calls.append(id))
    await refused(UnknownWorkflow, unknown, "delete of an unknown id")
    assert calls == [], "forget does not run for an id that is unknown"


async def a_finished_workflow_can_be_deleted(stores: Stores) -> None:
    durable = await stores.open()
    await finish(durable, "one")
    await begun(durable, "other")
    before = await durable.catalogue.changes(0)
    assert isinstance(before, Changes), "nothing was swept"

    await durable.delete("one")

    assert [row.id for row in await durable.catalogue.list()] == ["other"], "it is gone, and no other"
    assert [held.workflow for held in (await durable.look()).held] != [], "the other is still held"


def _ids(view: Transaction) -> list[Any]:
    return view.execute("SELECT id FROM mine ORDER BY id").fetchall()


async def _with_rows(stores: Stores) -> None:
    """A workflow `one` whose step made a table `mine` with a row of its own, and another's."""

    def effect(transaction: Transaction) -> str:
        transaction.execute("CREATE TABLE mine (id)")
        transaction.executemany("INSERT INTO mine VALUES (?)", [("one",), ("other",)])
        return "1"

    durable = await stores.open()
    claim = await claimed(durable, "one")
    await durable.checkpointer.transact(claim, "step", effect, stores.clock.time())
