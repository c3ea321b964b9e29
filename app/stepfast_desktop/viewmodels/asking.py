"""What a workflow asks a person, in words: of an answer that it waits for, and of an interrupted step."""

from __future__ import annotations

import json
from functools import lru_cache

from stepfast.state import AnswerWait, Blocked, State, Waiting
from stepfast_desktop.viewmodels.format import label_text, readable
from stepfast_desktop.viewmodels.words import translate

__all__ = ["asking_text", "explained", "question_of"]


def question_of(wait: AnswerWait) -> str:
    """What is asked: the title that the workflow gave it, or its name in words."""
    return _words_in(wait.form or "")[0] or label_text(readable(wait.name))


def explained(wait: AnswerWait) -> str:
    """What the workflow says of what it asks; empty where it says nothing."""
    return _words_in(wait.form or "")[1]


def asking_text(state: State) -> str:
    """The state of one that needs an answer, with what it asks first; empty for one that needs none."""
    match state:
        case Waiting(waits):
            for each in waits:
                if isinstance(each, AnswerWait):
                    text = translate("State", "Asks: {question}")
                    return text.format(question=question_of(each))
        case Blocked(step):
            return translate("State", "Blocked: did “{step}” happen?").format(step=readable(step))
    return ""


@lru_cache(maxsize=256)
def _words_in(form: str) -> tuple[str, str]:
    """The title and the description of a schema. Some program wrote it, so anything may be in it."""
    try:
        known = json.loads(form or "{}")
        found = (known.get("title"), known.get("description"))
        if known.get("type") == "object" and str(found[0]).isidentifier():
            found = (None, found[1])  # the name of a class
    except (ValueError, AttributeError, RecursionError):
        return "", ""
    title, description = (" ".join(each.split()) if isinstance(each, str) else "" for each in found)
    return readable(title), readable(description)
