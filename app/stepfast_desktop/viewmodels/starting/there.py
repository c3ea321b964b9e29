"""Are the files and folders there that a form asks for? Looked at before the definition's own look."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from stepfast.definitions.preview import Finding
from stepfast_desktop.viewmodels.starting.dropped import kind_of
from stepfast_desktop.viewmodels.starting.entering import shown_path
from stepfast_desktop.viewmodels.starting.fields import Field
from stepfast_desktop.viewmodels.starting.previewing import Look
from stepfast_desktop.viewmodels.words import translate

__all__ = ["looking_at"]


def looking_at(fields: Iterable[Field], look: Look | None, names: Iterable[str]) -> Look | None:
    """What looks at paths that must be there, and, where they are, as `look` does at `names`.

    None where there is nothing to look at. It is given what of the inputs is filled in so far.
    """
    paths = {each.name: each for each in fields if each.there}
    wanted = [*names]
    if not paths and look is None:
        return None

    def both(arguments: Mapping[str, object]) -> Iterator[Finding]:
        missing = False
        for name, field in paths.items():
            for path in _paths_of(arguments.get(name)):
                if said := _missing(path, field):
                    missing = True
                    yield Finding(f"there {name}", said, "error", name)
                    break
        if look is not None and not missing and all(name in arguments for name in wanted):
            yield from look(arguments)

    return both


def _paths_of(value: object) -> list[Path]:
    many = value if isinstance(value, list | tuple | set | frozenset) else [value]
    return [each for each in many if isinstance(each, Path)]


def _missing(path: Path, field: Field) -> str:
    kind = kind_of(path)
    shown = shown_path(path)
    if kind is None:
        text = translate("Form", "“{path}” is not there. Check its name, or connect its disk.")
    elif field.wants == "folder" and kind != "folder":
        text = translate("Form", "“{path}” is a file. Choose a folder.")
    elif field.wants == "file" and kind != "file":
        text = translate("Form", "“{path}” is a folder. Choose a file.")
    else:
        return ""
    return text.format(path=shown)
