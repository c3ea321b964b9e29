"""What comes at once: each of it is as if it had come alone, however a store carries it out."""

from __future__ import annotations

import asyncio

from stepfast.errors import AlreadyStarted, Fenced
from stepfast.interfaces import Claim, Durable, Kind, Offered, Settlement, Signal
from stepfast.passes.outcome import Failure, Problem
from stepfast.testing.contract.stores import Stores, begin, ids, new, only, start
from stepfast.views import Ended, Filter

MANY = 12


async def starts_at_once_are_each_as_if_alone(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    await start(durable, "there", "[0]")

    asked = [durable.start(f"n{n}", "job", 1, f"[{n}]", priority=n // 3) for n in range(MANY)]
    asked.insert(3, durable.start("there", "job", 1, "[0]"))
    asked.insert(6, durable.start("there", "job", 1, "[1]"))
    asked.insert(9, durable.start("n1", "job", 1, "[1]"))
    answers = await asyncio.gather(*asked, return_exceptions=True)

    refused = [each for each in answers if isinstance(each, BaseException)]
    assert [type(each) for each in refused] == [AlreadyStarted], f"one has another input; there are {refused}"
    given = [each for each in answers if not isinstance(each, BaseException)]
    assert sum(each.created for each in given) == MANY, "the others with known ids find what is there"
    assert len({each.key for each in given}) == MANY + 1, "each workflow has a key of its own"
    for each in given:
        row = await other.catalogue.summary(each.id)
        assert row.key == each.key, f"{each.id!r} has the key {row.key}, and {each.key} was given"
    found = await other.catalogue.list(Filter(text="n7"))
    assert [each.id for each in found] == ["n7"], "each is found by its own text"
    passes = await begin(durable)
    wanted = {"there": "[0]", **{f"n{n}": f"[{n}]" for n in range(MANY)}}
    assert {one.claim.id: one.input for one in passes} == wanted, "each has the input that it was given"
    order = [f"n{n}" for n in sorted(range(MANY), key=lambda n: -(n // 3))]
    assert ids(passes) == [*order[: MANY - 3], "there", *order[MANY - 3 :]], (
        f"the most urgent go first, of those the first; got {ids(passes)}"
    )


async def begun_at_once_is_each_as_if_alone(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    offered = [Offered("job", 1), Offered("copy", 1, queue="disk"), Offered("check", 2, queue="net")]
    inputs = {f"n{n}": f'["{n} \\" \u00fc"]' for n in range(MANY)}
    inputs |= {"n4": '["' + 100_000 * "x" + '"]', "n7": '["' + 10_000 * "y" + '"]'}
    kinds = [offered[n // 2 % 3] for n in range(MANY)]
    await asyncio.gather(
        *(
            durable.start(id, kind.name, kind.version, text, priority=int(id == "n0"))
            for (id, text), kind in zip(inputs.items(), kinds, strict=True)
        )
    )
    before = only(await begin(durable, 1, offered))
    await durable.checkpointer.record(before.claim, new("step"))
    await durable.checkpointer.release(before.claim)
    await durable.arrive("n2", "answer", "1")

    begun = await begin(durable, offered=offered)

    told = {one.claim.id: one.input for one in begun}
    assert told == inputs, "each has the input that it was given"
    assert [*told] == [*inputs], f"the first are those that were ready first; got {[*told]}"
    for one, kind in zip(begun, kinds, strict=True):
        assert (one.name, one.version) == (kind.name, kind.version)
        row = await other.catalogue.summary(one.claim.id)
        assert row.key == one.claim.workflow, f"{row.id!r} has the key {row.key}"
        found = await other.checkpointer.load(row.key)
        assert one.checkpoint in (None, found), (
            f"of {row.id!r} there is {found}, and {one.checkpoint} was told"
        )
        assert (await durable.checkpointer.record(one.claim, new("other"))).first, "the claim stands"
    tokens = {one.claim.token for one in begun}
    assert len(tokens) == MANY, "each has a token of its own"
    assert min(tokens) > before.claim.token, "each is greater than any before this commit"
    disk = Offered("copy", 1, queue="disk", queue_at_once=5)
    await durable.start("later", "copy", 1, "null")
    assert len(await begin(durable, offered=[disk])) == 1, "there is room for a fifth of the queue"
    await durable.start("last", "copy", 1, "null")
    assert await begin(durable, offered=[disk]) == [], "and for no more"


async def ends_at_once_are_each_as_if_alone(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    for n in range(MANY):
        await start(durable, f"n{n}")
    passes = await begin(durable)
    await durable.settle(passes[2].claim, passes[2].receipt, Settlement("completed", result="0"))
    failure, problem = Failure("E", "m"), Problem("file", "unreadable")
    ends = {f"n{n}": Settlement("completed", result=f"[{n}]") for n in range(MANY)}
    ends["n5"] = Settlement("failed", failure=failure)
    ends["n7"] = Settlement("completed", result="7", problems=(problem,))
    ends["n9"] = Settlement("queued")
    heard: list[Signal] = []
    stop = durable.listen(heard.append)

    answers = await asyncio.gather(
        *(durable.settle(each.claim, each.receipt, ends[each.claim.id]) for each in passes),
        return_exceptions=True,
    )

    assert isinstance(answers[2], Fenced), f"what is settled already is fenced, and answered {answers[2]!r}"
    for one, answer in zip(passes, answers, strict=True):
        details = await other.catalogue.get(one.claim.id)
        if one is not passes[2]:
            end = ends[one.claim.id]
            assert answer == details.summary.state.name == end.state, f"{one.claim.id!r} answered {answer!r}"
            result = None if end.result is None else int(end.result.strip("[]"))
            given = details.result[0] if isinstance(details.result, list) else details.result
            assert (given, details.failure, details.problems) == (result, end.failure, end.problems), (
                f"{one.claim.id!r} was settled with {end}, and has {details}"
            )
    assert ids(await begin(durable)) == ["n9"], "what is owed another pass has one"
    stop()
    told = {key: text for signal in heard for key, text in signal.results.items()}
    wanted = {one.claim.workflow: ends[one.claim.id].result for one in passes if one is not passes[2]}
    assert told.items() <= wanted.items(), f"what listeners are told is what was recorded; they heard {told}"


async def children_that_end_at_once_are_each_told_of(stores: Stores) -> None:
    durable = await stores.open()
    await start(durable, "one")
    parent = only(await begin(durable)).claim
    for n in range(MANY):
        await durable.checkpointer.child(parent, f"c{n}", f"one/c{n}", "child", 1, "[]")
    children = await durable.begin([Offered("child", 1)], MANY)

    await asyncio.gather(
        *(durable.settle(each.claim, each.receipt, Settlement("completed", result="1")) for each in children)
    )

    told = [each.name for each in await durable.catalogue.history("one") if each.kind == Kind.CHILD]
    assert sorted(told) == sorted(f"c{n}" for n in range(MANY)), f"the parent was told of {told}"


async def records_at_once_are_each_as_if_alone(stores: Stores) -> None:
    durable = await stores.open()
    claims: list[Claim] = []
    for n in range(MANY):
        await start(durable, f"n{n}")
    claims = [each.claim for each in await begin(durable)]
    await durable.checkpointer.record(claims[1], new("step", '"first"'))
    await durable.checkpointer.release(claims[2])

    answers = await asyncio.gather(
        *(_record(durable, claim, n) for n, claim in enumerate(claims)), return_exceptions=True
    )

    assert isinstance(answers[2], Fenced), f"a claim that was given back writes nothing; {answers[2]!r}"
    for n, answer in enumerate(answers):
        if n != 2:
            text, first = ('"first"', False) if n == 1 else (str(n), True)
            assert answer == (text, first), (
                f"{claims[n].id!r} must be told {text}, {first}; it was {answer!r}"
            )
            record = only((await durable.checkpointer.load(claims[n].workflow)).records)
            assert record.text == text, f"the record of {claims[n].id!r} is {record.text}"


async def _record(durable: Durable, claim: Claim, n: int) -> tuple[str, bool]:
    recorded = await durable.checkpointer.record(claim, new("step", str(n)))
    return recorded.text, recorded.first


async def ends_says_what_each_came_to(stores: Stores) -> None:
    durable, other = await stores.open(), await stores.open()
    keys = [(await start(durable, id)).key for id in ("done", "failed", "cancelled", "pending", "deleted")]
    await durable.cancel("cancelled")
    for one in await begin(durable, limit=2):
        failed = Settlement("failed", failure=Failure("E", "m"))
        done = Settlement("completed", result='["' + 100_000 * "x" + '"]')
        await durable.settle(one.claim, one.receipt, done if one.claim.id == "done" else failed)
    await durable.delete("deleted")

    ends = await other.catalogue.ends([*keys, max(keys) + 1000])

    assert ends == {
        keys[0]: Ended("completed", [100_000 * "x"], None),
        keys[1]: Ended("failed", None, Failure("E", "m")),
        keys[2]: Ended("cancelled", None, None),
        keys[3]: None,
    }, f"it says { ({key: end and end.state for key, end in ends.items()}) }"
