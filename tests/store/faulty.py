"""A store of which some methods are replaced."""

from __future__ import annotations

from typing import Any

__all__ = ["Faulty"]


class Faulty:
    """A real store (or a part of one) with some methods replaced."""

    def __init__(self, real: object, **replaced: object) -> None:
        self._real = real
        vars(self).update(replaced)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)
