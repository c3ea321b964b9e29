"""What a definition says of an input before it is started: `@workflow(..., preview=look)`.

    def look(source: Path, destination: Path) -> Iterator[Finding]:
        if not source.is_dir():
            yield Finding("source", "There is no such folder.", "error", about="source")
        for count, size in enumerate(walk(source)):
            yield Finding("size", f"counting ... {count:,} files so far", going_on=True)
        yield Finding("size", f"{count:,} files")

    @workflow("copy", preview=look)
    async def copy(run: Run, source: Path, destination: Path, verify: bool = True) -> None: ...

It is a plain generator function of those of the inputs that it names, none of them secret. Forms call it, on
a thread, each time the input has changed; nothing of it is recorded, and it changes nothing. Between two
findings it may be closed, so one that takes long yields often, if only the same again.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from stepfast.errors import DefinitionError
from stepfast.passes.containing import close

__all__ = ["Finding", "Preview", "check_preview"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was found out about an input.

    Attributes:
        name: a later finding of the same name takes the place of an earlier one.
        text: for a person, in a sentence.
        level: "note", "warning" for what may go wrong, or "error" for what cannot be started.
        about: the name of the input that it is beside; None for the whole.
        going_on: whether there is more to come under this name.
    """

    name: str
    text: str
    level: Literal["note", "warning", "error"] = "note"
    about: str | None = None
    going_on: bool = False


Preview: TypeAlias = Callable[..., Iterator[Finding]]


def check_preview(preview: Any, name: str, known: Collection[str], secrets: Collection[str]) -> None:
    """Raise `DefinitionError` for what can be no preview of the definition `name` with those inputs."""
    if preview is None:
        return
    if not inspect.isgeneratorfunction(preview):
        close(preview)
        raise DefinitionError(f"preview= of {name!r} must be a plain generator function: def, with yield")
    for each in inspect.signature(preview).parameters:
        if each not in known:
            raise DefinitionError(f"preview= of {name!r} asks for {each!r}, which is no input of the body")
        if each in secrets:
            raise DefinitionError(f"preview= of {name!r} asks for {each!r}, which is a secret")
