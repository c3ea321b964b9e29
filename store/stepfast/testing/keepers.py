"""A keeper of secrets for tests."""

from __future__ import annotations

__all__ = ["MemoryKeeper"]


class MemoryKeeper:
    """A `stepfast.SecretKeeper` over a dict: what it keeps is gone when the test is.

    `texts` has what is kept now, by reference.
    """

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def keep(self, reference: str, text: str) -> None:
        self.texts[reference] = text

    def fetch(self, reference: str) -> str | None:
        return self.texts.get(reference)

    def forget(self, reference: str) -> None:
        self.texts.pop(reference, None)
