"""How long finished workflows are kept, and what one call of `sweep` did."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

from stepfast.body.run import Transaction
from stepfast.errors import InvalidInput

__all__ = ["Forget", "Forgets", "Retention", "Swept"]

Forget: TypeAlias = Callable[[Transaction, str], None]

Forgets: TypeAlias = Mapping[tuple[str, int], Forget | None]
"""What a program knows how to forget: by name and version, its `forget`, or None where it has none."""


@dataclass(frozen=True, slots=True)
class Retention:
    """Which finished workflows are deleted, in every program's workflows of one file. Pending ones never are.

    Without `age` and `keep`, nothing goes but what a person removed: no result vanishes unasked.

    Args:
        age: delete what finished longer ago than this; None for no limit.
        keep: delete all but so many, those that finished last; None for no limit.
        removed_after: delete what was marked removed longer ago than this. Until then it can be restored.

    Raises `InvalidInput` for anything that is no such thing.
    """

    age: timedelta | None = None
    keep: int | None = None
    removed_after: timedelta = timedelta(days=1)

    def __post_init__(self) -> None:
        for name, given in (("age", self.age), ("removed_after", self.removed_after)):
            if given is None and name == "age":
                continue
            if not isinstance(given, timedelta) or given < timedelta(0):
                raise InvalidInput(f"{name} is a timedelta, not below zero, and {given!r} is none")
        if self.keep is not None and (type(self.keep) is not int or self.keep < 0):
            raise InvalidInput(f"keep is a whole number, not below zero, or None; {self.keep!r} is neither")


@dataclass(frozen=True, slots=True)
class Swept:
    """What one call of `sweep` did.

    Attributes:
        deleted: the ids that are gone.
        failed: the ids whose `forget` raised, with what it raised. They stay, and a later sweep tries again.
        more: there is more to look at; go on by handing this back as `after`.
        mark: how far it came: the store's own.
    """

    deleted: tuple[str, ...] = ()
    failed: tuple[tuple[str, Exception], ...] = ()
    more: bool = False
    mark: object = None
