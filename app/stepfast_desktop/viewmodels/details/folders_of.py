"""The folders that a workflow has to do with, as far as its input and its result name any that are there."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING

from stepfast import Engine, StepfastError
from stepfast_desktop.viewmodels.words import translate

if TYPE_CHECKING:
    from stepfast import Details

__all__ = ["existing_folders", "folder_of", "paths_in", "paths_of"]

MOST_PATHS = 8
DEPTH = 4


async def folder_of(engine: Engine, id: str) -> Path | str:
    """The first folder that a workflow has to do with and that is there; or what to say where none is."""
    try:
        paths = paths_of(await engine.get(id))
    except StepfastError as error:
        return str(error)
    if folders := await existing_folders(paths):
        return folders[0]
    if paths:
        return translate("Actions", "“{path}” is not there now").format(path=paths[0])
    return translate("Actions", "Neither its inputs nor its result name a folder")


def paths_of(details: Details) -> tuple[Path, ...]:
    """The paths that its result names, then those of its input: the last first, as that is where it goes to,
    as a rule."""
    given = [*details.input.values()] if isinstance(details.input, dict) else [details.input]
    return paths_in(details.result, given[::-1])


def paths_in(*values: object) -> tuple[Path, ...]:
    """The absolute paths in these values (plain, as the store gives them), each once; the first few."""
    found = dict.fromkeys(path for value in values for path in _paths(value, 0))
    return tuple(found)[:MOST_PATHS]


async def existing_folders(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The folders among the paths, and those that hold the files among them; each once.

    It looks on a thread: a disk that has gone to sleep, or a network that is away, takes its time.
    """
    return await asyncio.to_thread(_folders, tuple(paths))


def _folders(paths: Sequence[Path]) -> tuple[Path, ...]:
    found: dict[Path, None] = {}
    for path in paths:
        for place in (path, path.parent):
            try:
                if place.is_dir():
                    found[place] = None
                    break
                if not path.exists():
                    break
            except (OSError, ValueError):
                break  # not to be read, which is as good as not there
    return tuple(found)


def _paths(value: object, depth: int) -> Iterator[Path]:
    match value:
        case Path():
            if value.is_absolute():
                yield value
        case str() | bytes():
            return
        case Mapping() if depth < DEPTH:
            for item in [*value.values()][:100]:
                yield from _paths(item, depth + 1)
        case Sequence() | Set() if depth < DEPTH:
            for item in [*value][:100]:
                yield from _paths(item, depth + 1)
