"""Sentences with values in them, found again in what a workflow said, to be said in another language.

What a workflow says is stored and printed in English. A window that speaks another language knows the
phrases of the definitions that Stepfast ships (`workflows/phrases.py`), and takes such a text apart. What a
place stands for, its name says:

    n m                a whole number: "1,234"
    x y                a number: "3.1"
    unit               of bytes: "MB"
    size               both: "3.1 MB"
    files              a number and what is counted: "1,234 files"
    time rest reason   a text with phrases in it, or none
    anything else      a text that stays as it is: a name, a path
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from stepfast_desktop.viewmodels import regional

__all__ = ["NUMBERS", "PHRASED", "Phrases", "regional_number"]

_PLACE = re.compile(r"\{([a-z]+)\}")
_UNIT = r"(?:bytes|kB|MB|GB|TB|PB)"
_PATTERNS = {
    **dict.fromkeys("nm", r"\d[\d,]*"),
    **dict.fromkeys("xy", r"\d[\d,.]*"),
    "unit": _UNIT,
    "size": rf"\d[\d,.]* {_UNIT}",
    "files": r"\d[\d,]* [a-z ]+?",
}
NUMBERS = frozenset("nmxy")
PHRASED = frozenset({"unit", "size", "files", "time", "rest", "reason"})
"""Places of what is a phrase in its turn."""


class Phrases:
    """The phrases that are known; looked for from the one with the most words to the one with the fewest."""

    def __init__(self, phrases: Iterable[str] = ()) -> None:
        def said(phrase: str) -> int:
            return len(_PLACE.sub("", phrase))

        self._patterns = [(each, _pattern(each)) for each in sorted(phrases, key=said, reverse=True)]

    def find(self, text: str) -> tuple[str, Mapping[str, str]] | None:
        """The phrase that a text is, and what stands in its places; None for another text."""
        for phrase, pattern in self._patterns:
            if (found := pattern.fullmatch(text)) is not None:
                return phrase, found.groupdict()
        return None


def regional_number(text: str) -> str:
    """A number as a workflow writes it, "1,234.5", as the region does."""
    plain = text.replace(",", "")
    try:
        return regional.number(float(plain), len(plain.partition(".")[2]))
    except ValueError:
        return text


def _pattern(phrase: str) -> re.Pattern[str]:
    return re.compile("".join(_parts(phrase)), re.DOTALL)


def _parts(phrase: str) -> Iterator[str]:
    for at, part in enumerate(_PLACE.split(phrase)):
        yield f"(?P<{part}>{_PATTERNS.get(part, '.+?')})" if at % 2 else re.escape(part)
