"""Lists of keys that are kept between reads: what they save, and that they have what is there."""

from __future__ import annotations

import random
from array import array
from contextlib import closing
from datetime import timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepfast import Retention, SqliteDurable
from stepfast.interfaces import Offered, Settlement
from stepfast.sqlite.catalogue import SqliteCatalogue
from stepfast.sqlite.file.opening import reading_connection
from stepfast.sqlite.reading import kept_keys
from stepfast.sqlite.reading.kept_keys import KeptKeys
from stepfast.sqlite.reading.key_arrays import FEW, among, from_text, sifted, with_changes, without
from stepfast.sqlite.reading.list_runs import Group
from stepfast.state import FINISHED, PENDING, STATES
from stepfast.testing import VirtualClock
from stepfast.views import EVERYTHING, Filter

FILTERS = (
    EVERYTHING,
    Filter(["completed"]),
    Filter(["queued", "completed"]),
    Filter(PENDING),
    Filter(top=True),
    Filter(text="1"),
    Filter(text="release"),
    Filter(text="e 12"),
    Filter(["completed"], text="2"),
    Filter(FINISHED, text="3", top=True),
    Filter(removed=True),
    Filter(removed=True, text="4"),
)
KEYS = st.lists(st.integers(0, 400), unique=True).map(lambda keys: array("q", sorted(keys)))


async def start(durable: SqliteDurable, numbers: range) -> None:
    for n in numbers:
        await durable.start(f"release {n}", "job", 1, "null")


async def finish(durable: SqliteDurable, most: int) -> None:
    for begun in await durable.begin([Offered("job", 1)], most):
        await durable.settle(begun.claim, begun.receipt, Settlement("completed", result="null"))


async def change_something(durable: SqliteDurable, clock: VirtualClock, rng: random.Random, n: int) -> None:
    """One of what moves rows from list to list."""
    ids = [row.id for row in await durable.catalogue.list(limit=1000)]
    few, one = rng.sample(ids, min(3, len(ids))), rng.choice(ids)
    match rng.randrange(9):
        case 0 | 1:
            await start(durable, range(1000 + 10 * n, 1000 + 10 * n + rng.choice([1, 4])))
        case 2:
            await finish(durable, rng.choice([1, 3, 8]))
        case 3:
            await durable.remove(few)
        case 4:
            removed = await durable.catalogue.list(Filter(removed=True), limit=1000)
            await durable.restore([row.id for row in removed[:2]])
        case 5:
            await durable.bulk("retry", Filter(text=str(n % 10)))
        case 6:
            await durable.bulk("cancel", Filter(["queued"], text=str(n % 7)))
        case 7:
            await durable.delete(one)
        case _:
            # What was deleted is forgotten a day later: then nothing tells of it but the horizon.
            await durable.delete(one)
            clock.advance(timedelta(days=2).total_seconds())
            while await durable.upkeep():
                pass


@pytest.mark.parametrize(("seed", "most"), [(1, 200), (2, 200), (3, 1)])
async def test_kept_lists_are_those_that_are_there_whatever_has_changed(
    durable: SqliteDurable, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch, seed: int, most: int
) -> None:
    monkeypatch.setattr(kept_keys, "MOST_CHANGES", most)
    rng = random.Random(seed)
    await start(durable, range(150))
    await finish(durable, 120)
    read_before = durable.catalogue
    for n in range(25):
        await change_something(durable, clock, rng, n)
        anew = SqliteCatalogue(durable._store)
        some = rng.sample(FILTERS, 5)
        for filter, order, descending in product(some, ("pending", "newest", "state", "id"), (False, True)):
            kept = await read_before.listing(filter, order=order, descending=descending)
            rows = await anew.list(filter, order=order, descending=descending, limit=10_000)
            assert [*kept.keys] == [row.key for row in rows], (n, filter, order)
            assert await anew.listing(filter, order=order, descending=descending) == kept


async def test_what_is_kept_is_not_read_again(durable: SqliteDurable) -> None:
    await start(durable, range(40))
    await finish(durable, 30)
    asked: list[str] = []

    def listen(connection: object) -> None:
        connection.set_trace_callback(asked.append)  # type: ignore[attr-defined]

    await durable._store.readers.run(listen)
    assert len((await durable.catalogue.listing()).keys) == 40
    assert any("stepfast_listed" in sql for sql in asked)

    asked.clear()
    await start(durable, range(40, 43))
    await finish(durable, 1)
    for filter in (EVERYTHING, Filter(top=True), Filter(text="1"), Filter(text="release")):
        keys = (await durable.catalogue.listing(filter)).keys
        assert len(keys) == (len([n for n in range(43) if "1" in str(n)]) if filter.text == "1" else 43)
    assert asked and not any("stepfast_listed" in sql for sql in asked)


async def test_what_was_swept_is_on_no_kept_list(durable: SqliteDurable) -> None:
    await start(durable, range(40))
    await finish(durable, 30)
    assert len((await durable.catalogue.listing()).keys) == 40
    swept = await durable.sweep(Retention(keep=5), {("job", 1): None}, limit=100)
    assert len(swept.deleted) == 25
    assert len((await durable.catalogue.listing()).keys) == 15


async def test_a_snapshot_sees_what_was_there_when_it_began(durable: SqliteDurable) -> None:
    await start(durable, range(10))
    kept, group = KeptKeys(), Group(frozenset(STATES))

    def read(connection: object) -> int:
        counts = {("queued", "job"): 1000}
        keys = kept.select(connection, group, EVERYTHING, counts, None, descending=False)  # type: ignore[arg-type]
        assert keys is not None
        return len(keys)

    with closing(reading_connection(durable.path)) as old, closing(reading_connection(durable.path)) as new:
        old.execute("BEGIN")
        assert read(old) == 10
        await start(durable, range(10, 14))
        await durable.delete("release 3")
        new.execute("BEGIN")
        assert read(new) == 13
        assert read(old) == 10, "which is older than what is kept"
        assert read(new) == 13
        await start(durable, range(20, 22))
        assert [read(new), read(old), read(new)] == [13, 10, 13]
        new.execute("ROLLBACK")
        assert read(new) == 15


async def test_only_what_has_changed_is_looked_at(durable: SqliteDurable) -> None:
    with closing(reading_connection(durable.path)) as connection:
        plan = [
            line[3]
            for line in connection.execute(
                f"EXPLAIN QUERY PLAN {kept_keys.SINCE}", {"at": 7, "most": kept_keys.MOST_CHANGES}
            )
        ]
    assert any("stepfast_by_change (change>?)" in line for line in plan), plan
    assert not any("SCAN stepfast_workflows" in line or "SCAN stepfast_tomb" in line for line in plan), plan


async def test_few_lists_are_kept(durable: SqliteDurable) -> None:
    await start(durable, range(3))
    for states in STATES:
        await durable.catalogue.listing(Filter([states, "queued"]))
    assert len(durable.catalogue._kept._lists) == kept_keys.MOST_LISTS


@given(KEYS, KEYS)
def test_arrays_are_sifted_as_sets_are(keys: array[int], others: array[int]) -> None:
    few = array("q", others[: len(keys) // FEW])
    for each in (others, few):
        wanted = sorted({*keys} & {*each})
        assert [*among(keys, each)] == [*among(each, keys)] == wanted
        assert [*sifted(keys, each, wanted=True)] == wanted
        wanted = sorted({*keys} - {*each})
        assert [*without(keys, each)] == [*sifted(keys, each, wanted=False)] == wanted


@given(KEYS, st.dictionaries(st.integers(0, 400), st.booleans()))
def test_changes_put_keys_in_and_take_them_out(keys: array[int], changes: dict[int, bool]) -> None:
    before = [*keys]
    on, off = ({key for key, each in changes.items() if each is wanted} for wanted in (True, False))
    assert [*with_changes(keys, changes.items())] == sorted(({*keys} | on) - off)
    assert [*keys] == before, "somebody else may be reading it"


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=20))
def test_keys_come_as_texts(keys: list[int]) -> None:
    text = ",".join(map(str, keys))
    assert [*from_text(text)] == [*from_text(f"[{text}]")] == keys
    assert [*from_text(None)] == []
