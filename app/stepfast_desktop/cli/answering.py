"""`stepfast answer`: the value that a workflow waits for, or what became of a step that was interrupted."""

from __future__ import annotations

import json
from typing import Any, Literal

from stepfast import Happened
from stepfast.errors import InvalidInput, UnstorableValue
from stepfast.state import AnswerWait, Blocked, State, Waiting
from stepfast.values.codec import encode
from stepfast.values.plain import short

from .commands import must_exist, say_what_it_lacks
from .contract import Exit, dumps, plain
from .place import Place, UsageError
from .words import ANY_JSON, example_of

__all__ = ["answer"]


async def answer(
    place: Place, id: str, key: str, text: str | None, *, again: bool = False, give_up: bool = False
) -> int:
    """Give a workflow the value it waits for, or will wait for, under `key`.

    Where it is blocked at the step `key`: the value that the step came to, or what else is said of it.

    Raises `UsageError` for what is no JSON, or does not fit what is asked; and as the engine does.
    """
    said: Literal["again", "give up"] | None = "again" if again else "give up" if give_up else None
    if (text is None) == (said is None):
        raise UsageError("give the value as JSON, or, of an interrupted step, --again or --give-up")
    value = None if text is None else _json(text)
    must_exist(place, id)
    async with place.open() as engine:
        state = (await engine.summary(id)).state
        if said is not None or isinstance(state, Blocked):
            await engine.answer(id, key, Happened(value) if said is None else said)
            place.console.out(f"{id}: step {key} is answered for")
            await say_what_it_lacks(engine, id, place)
            return Exit.DONE
        asked = _asked(state)
        if key in asked:
            _must_fit(asked[key], value)
        stored = plain(await engine.arrive(id, key, value))
        if stored != value:
            place.console.complain(
                f"{key!r} of workflow {id!r} was answered before, with {dumps(stored)}; "
                "the first answer stands"
            )
            return Exit.FAILED
        place.console.out(f"{id}: {key} is answered")
        if asked and key not in asked:
            place.console.say(
                f"mind that it waits for {' and '.join(map(repr, asked))}; "
                f"{key!r} is kept in case it asks for that"
            )
        await say_what_it_lacks(engine, id, place)
    return Exit.DONE


def _asked(state: State) -> dict[str, AnswerWait]:
    match state:
        case Waiting(waits):
            return {each.name: each for each in waits if isinstance(each, AnswerWait)}
    return {}


def _must_fit(wait: AnswerWait, value: object) -> None:
    """Refuse what the body would fail on: the first answer stands, so it would fail for good."""
    from stepfast_desktop.viewmodels.starting.elsewhere import check_answer

    try:
        check_answer(wait.form, wait.name, value)
    except InvalidInput as error:
        example = example_of(wait)
        such = "" if example == ANY_JSON else f" such as {example}"
        raise UsageError(f"{error}, as JSON{such}") from None


def _json(text: str) -> Any:
    try:
        value = json.loads(text)
        encode(value, about="the answer")
    except (ValueError, RecursionError):
        given = short(text)
        raise UsageError(
            f"the answer must be JSON, and {given} is none; as a text it has quotes: {dumps(text)[:80]}"
        ) from None
    except UnstorableValue as error:
        raise UsageError(str(error)) from None
    return value
