"""The words of the windows, so that plain Python can be translated too.

`translate` has the signature of `QCoreApplication.translate`, by which Qt's `lupdate` finds the texts; `qt/`
puts Qt's own in its place when the application starts. Until then, and in tests, texts are as written.

    translate("Table", "%n workflow(s)", None, count)
    translate("Details", "Failed in {step}").format(step=step)
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["translate", "use"]

Translate = Callable[[str, str, str | None, int], str]


def _as_written(_context: str, text: str, _disambiguation: str | None, n: int) -> str:
    if n < 0:
        return text
    return text.replace("%n", f"{n:,}").replace("(s)", "" if n == 1 else "s")


class _Words:
    translate: Translate = staticmethod(_as_written)


def translate(context: str, text: str, disambiguation: str | None = None, n: int = -1) -> str:
    """The text in the user's language; `n` fills %n and chooses the plural."""
    return _Words.translate(context, text, disambiguation, n)


def use(instead: Translate | None) -> None:
    """Translate by `instead` from now on; None for the texts as written."""
    _Words.translate = instead or _as_written
