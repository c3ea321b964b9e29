"""Which workflows are selected: some keys, or all that match, except some; never a list of them all."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Set

__all__ = ["Selection"]


class Selection:
    """The selection of a table. It outlives filters and orders; Qt's own mirrors what is visible."""

    def __init__(self) -> None:
        self._chosen: set[int] = set()
        self._all = False  # then `_chosen` are the exceptions

    @property
    def everything(self) -> bool:
        """Are all that match selected, but for exceptions?"""
        return self._all

    @property
    def held(self) -> tuple[bool, Set[int]]:
        """What it holds, to be compared with what it holds after `replace` or `select_all`."""
        return self._all, self._chosen

    def replace(self, keys: Iterable[int]) -> None:
        """Select these and no others."""
        self._all, self._chosen = False, set(keys)

    def add(self, keys: Iterable[int]) -> None:
        """Select these too."""
        if self._all:
            self._chosen.difference_update(keys)
        else:
            self._chosen.update(keys)

    def take_away(self, keys: Iterable[int]) -> None:
        """Select these no more."""
        if self._all:
            self._chosen.update(keys)
        else:
            self._chosen.difference_update(keys)

    def select_all(self) -> None:
        """Select all that match, also those that come later."""
        self._all, self._chosen = True, set()

    def clear(self) -> None:
        self._all, self._chosen = False, set()

    def has(self, key: int) -> bool:
        return (key in self._chosen) is not self._all

    def count(self, matching: int) -> int:
        """How many of `matching` rows are selected."""
        return matching - len(self._chosen) if self._all else len(self._chosen)

    @property
    def chosen(self) -> frozenset[int] | set[int]:
        """The selected keys, where not everything is selected."""
        return frozenset() if self._all else self._chosen

    def among(self, keys: array[int]) -> list[int]:
        """The selected ones of `keys`, in that order."""
        if self._all:
            return [key for key in keys if key not in self._chosen]
        return [key for key in keys if key in self._chosen] if self._chosen else []

    @property
    def exceptions(self) -> frozenset[int] | set[int]:
        """The keys that are not selected, where everything else is."""
        return self._chosen if self._all else frozenset()

    def forget(self, keys: Iterable[int]) -> None:
        """These are gone."""
        if self._chosen:
            self._chosen.difference_update(keys)
