"""A table of the user's, `mine`, and effects upon it: what the promises about effects share."""

from __future__ import annotations

from collections.abc import Callable

from stepfast.body.run import Row, Transaction
from stepfast.interfaces import Claim, Durable, Kind
from stepfast.testing.contract.stores import claimed

__all__ = ["insert", "rows_of", "run", "steps_of", "with_table"]


def run(*statements: str) -> Callable[[Transaction], str]:
    def effect(transaction: Transaction) -> str:
        for sql in statements:
            transaction.execute(sql).fetchall()
        return '"ran"'

    return effect


def insert(value: int, *more: str) -> Callable[[Transaction], str]:
    def effect(transaction: Transaction) -> str:
        transaction.execute("INSERT INTO mine VALUES (?)", (value,))
        for sql in more:
            transaction.execute(sql)
        return '"inserted"'

    return effect


async def with_table(durable: Durable) -> Claim:
    """A claim on a workflow whose first step made the table `mine`, which is empty."""
    claim = await claimed(durable, "one")
    await durable.checkpointer.transact(claim, "table", run("CREATE TABLE mine (a PRIMARY KEY)"), 0.0)
    return claim


async def rows_of(durable: Durable) -> list[Row]:
    def read(view: Transaction) -> list[Row]:
        return view.execute("SELECT a FROM mine ORDER BY a").fetchall()

    return await durable.checkpointer.query(read)


async def steps_of(durable: Durable, claim: Claim) -> list[str]:
    records = (await durable.checkpointer.load(claim.workflow)).records
    return [record.name for record in records if record.kind == Kind.STEP]
