"""The words of the windows, so that plain Python can be translated too.

`translate` has the signature of `QCoreApplication.translate`, by which Qt's `lupdate` finds the texts; `qt/`
puts Qt's own in its place when the application starts. Until then, and in tests, texts are as written.

    translate("Table", "%n workflow(s)", None, count)
    translate("Details", "Failed in {step}").format(step=step)

What the definitions say that Stepfast ships is said by `known`: see `phrases.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from stepfast_desktop.viewmodels import regional
from stepfast_desktop.viewmodels.phrases import NUMBERS, PHRASED, Phrases, regional_number

__all__ = [
    "as_written",
    "know",
    "known",
    "labelled",
    "listed",
    "sentences",
    "translate",
    "use",
    "without_marks",
    "without_mnemonic",
]

Translate = Callable[[str, str, str | None, int], str]


def _as_written(_context: str, text: str, _disambiguation: str | None, n: int) -> str:
    if n < 0:
        return text
    return text.replace("%n", regional.number(n)).replace("(s)", "" if n == 1 else "s")


_plain: ContextVar[bool] = ContextVar("texts as they are written", default=False)


class _Words:
    translate: Translate = staticmethod(_as_written)
    phrases = Phrases()


def translate(context: str, text: str, disambiguation: str | None = None, n: int = -1) -> str:
    """The text in the user's language; `n` fills %n and chooses the plural."""
    said = _as_written if _plain.get() else _Words.translate
    return said(context, text, disambiguation, n)


@contextmanager
def as_written() -> Iterator[None]:
    """In it texts are as written, whatever the user speaks: for those who mend the program."""
    token = _plain.set(True)
    try:
        yield
    finally:
        _plain.reset(token)


def known(text: str) -> str:
    """What a definition says, in the user's language where Stepfast ships the definition; else as it is."""
    if not text or _plain.get() or _Words.translate is _as_written:
        return text
    return _known(text)


@lru_cache(maxsize=1000)
def _known(text: str) -> str:
    # Kept, since a table asks for each row whenever it is painted.
    said = _Words.translate("Workflows", text, None, -1)
    if said != text or (found := _Words.phrases.find(text)) is None:
        return said
    phrase, values = found
    return _Words.translate("Workflows", phrase, None, -1).format_map(
        {name: _filled(name, value) for name, value in values.items()}
    )


def know(phrases: Iterable[str]) -> None:
    """Take these for the phrases of the definitions that Stepfast ships: see `phrases.py`."""
    _Words.phrases = Phrases(phrases)
    _known.cache_clear()


def _filled(name: str, value: str) -> str:
    if name in NUMBERS:
        return regional_number(value)
    return known(value) if name in PHRASED else value


def listed(texts: Iterable[str]) -> str:
    """Several things in a row: "a, b, c"; what is empty is left out."""
    return translate("Text", ", ", "between the things of a list").join(filter(None, texts))


def sentences(texts: Iterable[str]) -> str:
    """Sentences without their stops, one after the other; the last one stays without."""
    return translate("Text", ". ", "between two sentences").join(filter(None, texts))


def labelled(label: str, text: str) -> str:
    """A text and what it is: "State: Running"."""
    return translate("Text", "{label}: {text}").format(label=label, text=text)


def without_mnemonic(text: str) -> str:
    """A text of a menu or a label without its mark for Alt: of "&Name", and of "Name (&N)"."""
    text = re.sub(r"\s*\(&[^&)]\)", "", text)
    return re.sub(r"&(&?)", r"\1", text)


def without_marks(text: str) -> str:
    """A text that somebody else wrote as a menu or a button shows it as it is: an & would mark a letter."""
    return text.replace("&", "&&")


def use(instead: Translate | None) -> None:
    """Translate by `instead` from now on; None for the texts as written."""
    _Words.translate = instead or _as_written
    _known.cache_clear()
