"""What a workflow asks a person: the form for it, what is typed, and what comes of the answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from stepfast import Definition, Engine, InvalidInput, Run, workflow
from stepfast.definitions.parameters import Help, Title, schema_of
from stepfast.hints import Between
from stepfast.interfaces import Kind, NewRecord
from stepfast.state import AnswerWait
from stepfast.values.shapes import lift
from stepfast_desktop.viewmodels.details.asked import Question, Said
from stepfast_desktop.viewmodels.details.details import DetailsViewModel
from stepfast_desktop.viewmodels.feed import Feed
from stepfast_desktop.viewmodels.starting.elsewhere import check_answer


class Size(Enum):
    SMALL = 1
    LARGE = 2


@dataclass
class Order:
    colour: str
    copies: Annotated[int, Title("How many"), Help("At least one")]
    by: date
    size: Size
    folder: Path
    wrapped: bool = True
    note: str = "none"


Copies: Any = Annotated[int, Title("How many copies?"), Help("Of each page")]


@workflow("ask")
async def ask(run: Run) -> list[object]:
    async with asyncio.TaskGroup() as group:
        who = group.create_task(run.awaiting("approved-by"))
        copies = group.create_task(run.awaiting("copies", into=Copies))
        sure = group.create_task(run.awaiting("sure", into=bool))
    return [who.result(), copies.result(), sure.result()]


@workflow("order")
async def order(run: Run) -> list[object]:
    given = await run.awaiting("order", into=Order)
    assert type(given) is Order
    return [given.colour, given.copies, given.by, given.size.name, given.folder, given.wrapped, given.note]


@workflow("once")
async def once(run: Run) -> object:
    await run.receive("go on")
    return await run.step("pay", lambda: "paid", on_interrupt="ask")


ALL: list[Definition[..., Any]] = [ask, order, once]


class Watch:
    def __init__(self, engine: Engine, model: DetailsViewModel) -> None:
        self.engine, self.model = engine, model

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(60):
            while not holds():
                await asyncio.sleep(0.01)

    async def asked(self, request: Any, count: int) -> tuple[Question, ...]:
        await self.engine.start(request, id="one")
        self.model.show("one")
        await self.until(lambda: len(self.model.questions) == count)
        return self.model.questions


@pytest.fixture
async def watch(tmp_path: Path) -> AsyncIterator[Watch]:
    async with Engine.open(tmp_path / "work.db", ALL) as engine:
        feed = Feed(engine)
        await feed.start()
        model = DetailsViewModel(engine, feed)
        yield Watch(engine, model)
        await model.close()
        await feed.close()


async def test_each_question_has_the_form_that_it_wants_and_keeps_what_was_typed(watch: Watch) -> None:
    who, copies, sure = await watch.asked(ask(), 3)
    assert [each.kind for each in (who, copies, sure)] == ["text", "form", "yes or no"]
    assert [each.title for each in (who, copies, sure)] == ["Approved-by", "How many copies?", "Sure"]
    assert copies.help == "Of each page"
    assert copies.form is not None
    copies.form.set("copies", "many")
    assert not await watch.model.give(copies)
    assert copies.error == "Something is not filled in right yet."
    assert await watch.model.give(sure, False)
    await watch.until(lambda: len(watch.model.questions) == 2)
    assert watch.model.questions == (who, copies), "a question that stands is the same one"
    assert copies.form.field("copies").text == "many"
    copies.form.set("copies", "3")
    assert await watch.model.give(copies) and not copies.error
    assert not await watch.model.give(who, " ")
    assert who.error == "Type an answer first."
    assert await watch.model.give(who, "me")
    await watch.until(lambda: watch.model.outcome.result)
    assert watch.model.outcome.result[0].text == "me\n3\nno"
    assert watch.model.questions == ()


async def test_a_dataclass_is_filled_in_part_by_part(watch: Watch, tmp_path: Path) -> None:
    (question,) = await watch.asked(order(), 1)
    form = question.form
    assert form is not None and question.title == "Order"
    kinds = {each.name: each.kind for each in form.fields}
    assert kinds == {
        "colour": "text", "copies": "int", "by": "date", "size": "choice", "folder": "path",
        "wrapped": "choice", "note": "text",
    }  # fmt: skip
    assert form.field("copies").title == "How many"
    for name, text in {
        "colour": "red", "copies": "2", "by": "2026-12-01", "size": "LARGE", "folder": str(tmp_path),
    }.items():  # fmt: skip
        form.set(name, text)
    assert await watch.model.give(question), question.error
    await watch.until(lambda: watch.model.outcome.result)
    assert watch.model.outcome.result[0].text == f"red\n2\n2026-12-01\nLARGE\n{tmp_path}\nyes\nnone"


async def test_the_first_answer_stands(watch: Watch) -> None:
    _, copies, _ = await watch.asked(ask(), 3)
    await watch.engine.arrive("one", "copies", 3)
    assert copies.form is not None
    copies.form.set("copies", "4")
    assert not await watch.model.give(copies)
    assert "answered before, with 3" in copies.error


@pytest.mark.parametrize(
    ("said", "text", "state", "result"),
    [
        ("happened", '{"receipt": 7}', "Completed", "7"),
        ("happened", "by hand", "Completed", "by hand"),
        ("happened", "", "Completed", ""),
        ("again", "ignored", "Completed", "paid"),
        ("give up", "", "Failed", ""),
    ],
)
async def test_an_interrupted_step_is_answered_for(
    watch: Watch, said: Said, text: str, state: str, result: str
) -> None:
    engine = watch.engine
    await engine.start(once(), id="one")
    # As a process leaves it that died under the step.
    checkpointer = engine.durable.checkpointer
    async with asyncio.timeout(60):
        while (claim := await checkpointer.claim("one")) is None:
            await asyncio.sleep(0.01)
    await checkpointer.record(claim, NewRecord(Kind.BEGUN, "1:pay", "null", 1.0))
    await checkpointer.release(claim)
    await engine.deliver("one", "now")
    watch.model.show("one")
    await watch.until(lambda: watch.model.questions)
    (question,) = watch.model.questions
    assert (question.kind, question.title) == ("interrupted", "Did “pay” happen?")
    assert await watch.model.say(question, said, text), question.error
    await watch.until(lambda: watch.model.state is not None and watch.model.state.text == state)
    assert "".join(pair.text for pair in watch.model.outcome.result) == result
    assert not await watch.model.say(question, "again")
    assert question.error


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        (None, "text"),
        ("damaged", "text"),
        ('["no schema"]', "text"),
        ('{"type": "string", "format": "what"}', "text"),
        ('{"type": "object", "properties": {}}', "text"),
        ('{"type": "object", "properties": {"a": 7}}', "text"),
        ('{"type": "boolean"}', "yes or no"),
        ('{"type": "string", "enum": ["a", "b"]}', "form"),
        ('{"type": ["integer", "null"]}', "form"),
        ('{"type": "array", "items": {"type": "string"}}', "form"),
        ('{"type": "object", "properties": {"copies": {"type": "integer"}}, "required": ["copies"]}', "form"),
    ],
)
def test_whatever_a_program_wrote_there_is_some_way_to_answer(form: str | None, kind: str) -> None:
    question = Question(1, AnswerWait("copies", form))
    assert question.kind == kind
    if question.form is not None and "properties" in (form or ""):
        question.form.set("copies", "3")
        assert question.form.request() == [{"copies": 3}]


ORDER = {"colour": "red", "copies": 2, "by": "2026-11-30", "size": 1, "folder": "/tmp"}


@pytest.mark.parametrize(
    ("into", "fits", "does_not"),
    [
        (bool, [True, False], ["yes", 1, None]),
        (str, [""], [1, None, ["a"]]),
        (Copies, [3], ["3", 3.5, True]),
        (Annotated[int, Between(1, 9)], [1, 9], [0, 10]),
        (Literal["red", "blue"], ["red"], ["green", ""]),
        (Size, [1, 2], [3, "SMALL"]),
        (date | None, ["2026-11-30", None], ["today"]),
        (list[Path], [[], ["/tmp"]], ["/tmp", [1]]),
        (Order, [ORDER, {**ORDER, "note": "gift"}], [{}, {**ORDER, "copies": "two"}, {**ORDER, "more": 1}]),
    ],
)
def test_plain_json_fits_an_answer_where_the_body_would_take_it(
    into: Any, fits: list[object], does_not: list[object]
) -> None:
    form = json.dumps(schema_of(into))
    for value in fits:
        check_answer(form, "it", value)
        lift(value, into)  # as the body does
    for value in does_not:
        with pytest.raises(InvalidInput, match=r"^the answer 'it'.* it needs "):
            check_answer(form, "it", value)


@pytest.mark.parametrize("form", [None, "{}", "damaged", "[]", '{"type": "tree"}', '{"not": {}}'])
def test_a_form_that_cannot_be_read_refuses_no_answer(form: str | None) -> None:
    check_answer(form, "it", {"any": ["thing"]})
