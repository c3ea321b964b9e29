"""`transact`: what the effect wrote and the record are one commit. `query` reads what was committed."""

from __future__ import annotations

import asyncio
import sqlite3

from stepfast.body.run import Transaction
from stepfast.interfaces import Kind, Notes
from stepfast.testing.contract.stores import Stores, claimed, new, refused
from stepfast.testing.contract.tables import insert, rows_of, steps_of, with_table
from stepfast.views import Progress


class Odd(BaseException):
    """Something that `except Exception` does not catch."""


async def an_effect_and_its_record_are_one_commit(stores: Stores) -> None:
    durable = await stores.open()
    claim = await with_table(durable)

    recorded = await durable.checkpointer.transact(claim, "step", insert(7), stores.clock.time())

    assert (recorded.text, recorded.first) == ('"inserted"', True), f"transact gave {recorded}"
    await stores.kill(durable)
    other = await stores.open()
    assert await rows_of(other) == [(7,)], "what the effect wrote is there for everybody"
    assert await steps_of(other, claim) == ["table", "step"], "and so is its record"


async def an_effect_that_raises_leaves_nothing(stores: Stores) -> None:
    durable = await stores.open()
    claim = await with_table(durable)

    for error in (ValueError("mine"), Odd("mine"), sqlite3.IntegrityError("mine")):

        def effect(transaction: Transaction, error: BaseException = error) -> str:
            transaction.execute("INSERT INTO mine VALUES (7)")
            transaction.execute("CREATE TABLE more (a)")
            raise error

        notes = Notes(step="step", progress=Progress(1, 1, ""))
        call = durable.checkpointer.transact(claim, "step", effect, 0.0, notes)
        raised = await refused(type(error), call, "an effect that raises")

        assert raised.args == error.args, f"what the effect raised reaches the caller, not {raised!r}"
        assert await rows_of(durable) == [], f"nothing that it wrote is kept after {error!r}"
        assert await steps_of(durable, claim) == ["table"], f"nor is a record after {error!r}"
        row = await durable.catalogue.summary("one")
        assert row.progress is None, "nor are the notes that came along"

    recorded = await durable.checkpointer.transact(claim, "step", insert(8), 0.0)
    assert recorded.first, "afterwards the same step can be done"
    assert await rows_of(durable) == [(8,)], "and only what it wrote is there"


async def a_broken_constraint_is_the_effects_own_affair(stores: Stores) -> None:
    durable = await stores.open()
    claim = await with_table(durable)

    def effect(transaction: Transaction) -> str:
        transaction.execute("INSERT INTO mine VALUES (1)")
        try:
            transaction.execute("INSERT INTO mine VALUES (1)")
        except sqlite3.IntegrityError:
            transaction.execute("INSERT INTO mine VALUES (2)")
        return '"mended"'

    recorded = await durable.checkpointer.transact(claim, "step", effect, 0.0)

    assert recorded.text == '"mended"', "an effect may catch SQLite's errors and go on"
    assert await rows_of(durable) == [(1,), (2,)], "and what it wrote besides is kept"


async def the_effect_of_a_recorded_step_does_not_run(stores: Stores) -> None:
    durable = await stores.open()
    claim = await with_table(durable)
    await durable.checkpointer.record(claim, new("plain", '"recorded"'))
    await durable.checkpointer.transact(claim, "step", insert(1), 0.0)

    again = await durable.checkpointer.transact(claim, "step", insert(2), 0.0)
    plain = await durable.checkpointer.transact(claim, "plain", insert(3), 0.0)

    assert (again.text, again.first) == ('"inserted"', False), f"transact gave {again}"
    assert (plain.text, plain.first) == ('"recorded"', False), "steps of both sorts share their names"
    assert await rows_of(durable) == [(1,)], "an effect runs only where its step is not recorded"


async def an_effect_runs_where_only_an_answer_has_its_name(stores: Stores) -> None:
    durable = await stores.open()
    claim = await with_table(durable)
    await durable.arrive("one", "step", '"early"')

    recorded = await durable.checkpointer.transact(claim, "step", insert(1), 0.0)

    assert (recorded.text, recorded.first) == ('"inserted"', True), "an answer must not pass for a step"
    records = (await durable.checkpointer.load(claim.workflow)).records
    kinds = [record.kind for record in records if record.text == '"inserted"']
    assert kinds == [Kind.STEP], f"a transacted step is recorded as a step, not as {kinds}"


async def effects_do_not_run_beside_each_other(stores: Stores) -> None:
    durable = await stores.open()
    claim = await with_table(durable)
    await durable.checkpointer.transact(claim, "zero", insert(0), 0.0)
    others = [await claimed(durable, f"other-{n}") for n in range(8)]

    def count(transaction: Transaction) -> str:
        (before,) = transaction.execute("SELECT a FROM mine").fetchone() or (None,)
        transaction.execute("UPDATE mine SET a = ?", (before + 1,))
        return "1"

    await asyncio.gather(*(durable.checkpointer.transact(each, "count", count, 0.0) for each in others))

    assert await rows_of(durable) == [(8,)], "what an effect read may not change before it writes"


async def one_effect_of_many_at_once_runs(stores: Stores) -> None:
    durable = await stores.open()
    claim = await with_table(durable)

    recorded = await asyncio.gather(
        *(durable.checkpointer.transact(claim, "step", insert(n), 0.0) for n in range(6))
    )

    assert sum(each.first for each in recorded) == 1, "one of them stored the record"
    assert len(await rows_of(durable)) == 1, "and one effect ran"


async def notes_ride_along_with_an_effect(stores: Stores) -> None:
    durable = await stores.open()
    claim = await with_table(durable)

    await durable.checkpointer.transact(claim, "step", insert(1), 0.0, Notes(progress=Progress(1, 2, "half")))

    row = await durable.catalogue.summary("one")
    assert row.progress == Progress(1, 2, "half"), f"the notes were not written; the row has {row.progress}"

    await durable.checkpointer.transact(claim, "step", insert(2), 0.0, Notes(progress=Progress(2, 2, "done")))

    row = await durable.catalogue.summary("one")
    assert row.progress == Progress(2, 2, "done"), "nor may they get lost where the step is recorded already"


async def statements_give_their_rows(stores: Stores) -> None:
    durable = await stores.open()
    claim = await with_table(durable)

    def effect(transaction: Transaction) -> str:
        inserted = transaction.execute("INSERT INTO mine VALUES (:a)", {"a": 1})
        assert inserted.lastrowid == 1, f"lastrowid must be that of the INSERT, not {inserted.lastrowid}"
        many = transaction.executemany("INSERT INTO mine VALUES (?)", ((n,) for n in range(2, 6)))
        assert many.rowcount == 4, f"rowcount must count the inserted rows, not give {many.rowcount}"
        rows = transaction.execute("SELECT a FROM mine WHERE a >= ? ORDER BY a", (1,))
        assert rows.fetchone() == (1,), "fetchone must give the next row"
        assert rows.fetchmany(2) == [(2,), (3,)], "fetchmany must give as many as asked"
        assert list(rows) == [(4,), (5,)], "iterating must give the rest"
        assert rows.fetchone() is None, "and then there is none"
        half = transaction.execute("SELECT a FROM mine")
        assert half.fetchone() is not None, "a statement that is not read to its end must not be in the way"
        return "1"

    await durable.checkpointer.transact(claim, "step", effect, 0.0)
    assert len(await rows_of(durable)) == 5, "what was written is there"


async def a_query_reads(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    claim = await with_table(durable)
    await durable.checkpointer.transact(claim, "step", insert(5), 0.0)

    found = await other.checkpointer.query(
        lambda view: view.execute("SELECT a FROM mine WHERE a = :a", {"a": 5}).fetchall()
    )
    assert found == [(5,)], f"a query sees what was committed, and gave {found}"

    def fail(view: Transaction) -> None:
        raise ValueError("mine")

    await refused(ValueError, durable.checkpointer.query(fail), "a query that raises")
    assert await rows_of(durable) == [(5,)], "afterwards the next one reads"
