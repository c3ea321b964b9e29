"""What a workflow asks of a person, with the form for the answer; and how the answer is given.

A question whose workflow goes on asking it stays the same object, with what was typed into it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from stepfast import Engine, Happened, StepfastError, Summary
from stepfast.definitions.annotations import json_of
from stepfast.definitions.parameters import Parameter
from stepfast.state import AnswerWait, Blocked, Waiting
from stepfast_desktop.viewmodels.asking import explained, question_of
from stepfast_desktop.viewmodels.details.answers import Unfit, read_answer
from stepfast_desktop.viewmodels.details.values import value_text
from stepfast_desktop.viewmodels.format import readable
from stepfast_desktop.viewmodels.starting.elsewhere import UnreadableForm, parameters_in
from stepfast_desktop.viewmodels.starting.form import FormViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["MOST_QUESTIONS", "Question", "Said", "answer", "questions_of", "say"]

MOST_QUESTIONS = 20

Said: TypeAlias = Literal["happened", "again", "give up"]
"""What a person may say became of an interrupted step."""


@dataclass(frozen=True, slots=True)
class _Value:
    """What a form of one answer is made of: it makes the value of what is put in."""

    name: str
    title: str
    parameters: tuple[Parameter, ...]
    whole: bool
    """Is it the one thing that is put in, and not made of parts?"""

    def request(self, arguments: Mapping[str, object], /) -> list[object]:
        """The value, in a list: a form's request is None where it makes none."""
        plain = {name: json_of(value) for name, value in arguments.items()}
        if self.whole:
            return [plain[self.name]]
        needed = {each.name for each in self.parameters if each.required}
        return [{name: value for name, value in plain.items() if value is not None or name in needed}]


class Question:
    """One thing that is asked.

    Attributes:
        name: of the answer, or of the interrupted step.
        title: what is asked, on one line.
        help: what else there is to know; may be empty.
        kind: "form" for one that is filled in, "yes or no", "text" for a line of text or JSON where no form
            can be made, "interrupted" for a step of which nobody knows whether it happened.
        form: of a "form".
        error: why the last answer was not taken; empty where it was, or none was given.
    """

    def __init__(self, workflow: int, wait: AnswerWait | None, step: str = "") -> None:
        """`workflow` is its key; `wait` what it waits for, None where `step` was interrupted."""
        self.identity = (workflow, wait, step)
        self.error = ""
        self.form: FormViewModel[list[object]] | None = None
        self.schema: str | None = None
        if wait is None:
            self.name, self.kind = step, "interrupted"
            self.title = translate("Questions", "Did “{step}” happen?").format(step=readable(step))
            self.help = translate(
                "Questions",
                "The program ended while this step ran. Look whether what it does was done; nobody else can "
                "tell.",
            )
            return
        self.name, self.title, self.help = wait.name, question_of(wait), explained(wait)
        self.schema = wait.form
        self.kind = "text"
        schema = _schema(wait.form)
        if schema is not None and schema.get("type") == "boolean":
            self.kind = "yes or no"
        elif schema:
            self._make_form(schema)

    def _make_form(self, schema: dict[str, Any]) -> None:
        try:
            parameters = parameters_in(schema, self.name, translate("Questions", "Your answer"))
        except UnreadableForm:
            return
        whole = len(parameters) == 1 and parameters[0].name == self.name and "properties" not in schema
        if not parameters:
            return
        self.form = FormViewModel(_Value(self.name, self.title, parameters, whole))
        self.kind = "form"


def questions_of(summary: Summary, before: Sequence[Question] = ()) -> tuple[Question, ...]:
    """What is asked now; of `before`, those that are asked still stay."""
    known = {each.identity: each for each in before}
    match summary.state:
        case Waiting(waits):
            asked = [each for each in waits if isinstance(each, AnswerWait)][:MOST_QUESTIONS]
            made = [(summary.key, each, "") for each in asked]
        case Blocked(step):
            return (known.get((summary.key, None, step)) or Question(summary.key, None, step),)
        case _:
            return ()
    return tuple(known.get(each) or Question(*each) for each in made)


async def answer(engine: Engine, id: str, question: Question, text: str | bool | None = None) -> str:
    """Give the answer; returns why it was not taken, empty where it was.

    Args:
        engine: whose workflow it is.
        id: the workflow's.
        question: what it asked.
        text: what was typed, or True or False for yes or no; None for what is in the form.
    """
    try:
        if question.form is not None and text is None:
            made = question.form.request()
            if made is None:
                return question.form.error or translate("Questions", "Something is not filled in right yet.")
            (value,) = made
        elif isinstance(text, bool):
            value = text
        else:
            value = read_answer(question.schema, text or "")
        stored = await engine.arrive(id, question.name, value)
    except (Unfit, StepfastError) as error:
        return readable(str(error))
    if stored == value:
        return ""
    said = translate("Details", "It was answered before, with {value}; the first answer stands.")
    return said.format(value=value_text(stored))


async def say(engine: Engine, id: str, step: str, what: Said, text: str = "") -> str:
    """Say what became of an interrupted step; returns why that was not taken, empty where it was.

    `text` is the value that it came to, where it happened: JSON, or else a text; nothing where it is empty.
    """
    said: Happened | Literal["again", "give up"]
    match what:
        case "happened":
            said = Happened(read_answer(None, text) if text.strip() else None)
        case other:
            said = other
    try:
        await engine.answer(id, step, said)
    except StepfastError as error:
        return readable(str(error))
    return ""


def _schema(form: str | None) -> dict[str, Any] | None:
    try:
        known = json.loads(form or "{}")
    except (ValueError, RecursionError):
        return None
    return known if isinstance(known, dict) else None
