"""What a signature may say beside a type, for whoever fills it in: in `Annotated`, on a parameter.

    async def fetch(
        run: Run,
        url: Annotated[str, Title("Address"), Help("Where the list is")],
        into: Annotated[Path, Folder()],
        at_once: Annotated[int, Between(1, 16), Unit("downloads")] = 4,
        notes: Annotated[str, Lines()] = "",
    ) -> None: ...

`Between` is held to by every start, from a program too; a workflow that is there already goes on whatever its
input says. The others are words for forms.

Those that hold the same are made of one dataclass, as in `stepfast.state`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from stepfast.errors import DefinitionError

if TYPE_CHECKING:
    from decimal import Decimal

__all__ = [
    "Again",
    "Between",
    "File",
    "Folder",
    "Help",
    "Lines",
    "Rare",
    "Title",
    "Unit",
    "Wants",
    "outside",
]

Wants = Literal["file", "folder"]


@dataclass(frozen=True, slots=True)
class _Text:
    text: str


class Title(_Text):
    """In Annotated: what a form shows as the name of the field."""

    __slots__ = ()


class Help(_Text):
    """In Annotated: a sentence on what the parameter is for."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class _Path:
    there: bool = False


class Folder(_Path):
    """In Annotated, of a path or a list of them: a folder is meant.

    `there`: it must be there before the start, which forms look at; a program's start does not.
    """

    __slots__ = ()


class File(_Path):
    """In Annotated, of a path or a list of them: a file is meant; `there` as of a folder."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class _Mark:
    pass


class Lines(_Mark):
    """In Annotated, of a text: it may have several lines."""

    __slots__ = ()


class Rare(_Mark):
    """In Annotated: few people need it; a form shows it folded up, under More."""

    __slots__ = ()


class Again(_Mark):
    """In Annotated, of a text or None: the id of an earlier workflow of the same definition.

    Given, only what was a problem there is done. Windows then offer "Retry these" where one has completed
    with problems: it starts a new one with the same input and this.
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Between:
    """In Annotated, of a number: the least and the most that it may be; None for no bound.

    Raises `DefinitionError` for bounds that no number is between.
    """

    least: int | float | Decimal | None = None
    most: int | float | Decimal | None = None

    def __post_init__(self) -> None:
        for bound in (self.least, self.most):
            if bound is not None and not _is_number(bound):
                raise DefinitionError(f"Between takes numbers, and {bound!r} is none")
        if self.least is not None and self.most is not None and not self.least <= self.most:
            raise DefinitionError(f"nothing is between {self.least} and {self.most}")

    @property
    def words(self) -> str:
        """As in "from 1 to 16"."""
        if self.most is None:
            return "" if self.least is None else f"from {self.least} up"
        return f"up to {self.most}" if self.least is None else f"from {self.least} to {self.most}"


class Unit(_Text):
    """In Annotated, of a number: what it counts, as it stands behind it: "MB/s", "days"."""

    __slots__ = ()


def outside(bounds: Between | None, value: Any) -> bool:
    """Is `value` a number that is not within the bounds?"""
    if bounds is None or not _is_number(value):
        return False
    low = bounds.least is not None and value < bounds.least
    return low or (bounds.most is not None and value > bounds.most)


def _is_number(value: object) -> bool:
    if isinstance(value, int | float):
        return not isinstance(value, bool)
    from decimal import Decimal

    return isinstance(value, Decimal)
