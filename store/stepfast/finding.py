"""What it means that a text is found in an id or in a name, for both stores and with or without an index.

A text is found where it is part of the id or of the name, whatever the case of its letters, in any script
("straße" and "STRASSE" are the same), and whether an accent is a character of its own or part of its letter.
Nothing in it has a meaning of its own: no wildcards, no quotes, no operators.
"""

from __future__ import annotations

from unicodedata import normalize

__all__ = ["findable", "folded", "small"]

# Between id and name, so that nothing is found that begins in one and ends in the other.
BETWEEN = "\x1f"
# What a text in SQLite or its index cannot carry, or what stands between; not the same as anything one types.
REPLACED = str.maketrans(dict.fromkeys(["\0", BETWEEN, *map(chr, range(0xD800, 0xE000))], "\ufffd"))


SMALL: dict[int, int | str] = {
    **{code: code + 32 for code in range(ord("A"), ord("Z") + 1)},
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
}


def small(text: str) -> str:
    """The text as it is looked for in a log: A to Z in small letters, as SQLite's `lower` makes them.

    There may be a million lines, and no index: what is more than that would be done in Python.
    """
    return text.translate(SMALL)


def folded(text: str) -> str:
    """The text as it is looked for: two texts that count as the same are equal then."""
    if text.isascii() and text.isprintable():  # as most are: nothing to normalise, and nothing to replace
        return text.lower()
    # Normalised before as well: folding may come upon a letter with its accent, or upon the two apart.
    return normalize("NFC", normalize("NFC", text).casefold()).translate(REPLACED)


def findable(id: str, name: str) -> str:
    """What texts are looked for in; `folded(text) in findable(id, name)` is what is meant by found."""
    return f"{folded(id)}{BETWEEN}{folded(name)}"
