"""What can be done with files and folders that were dropped on a window, or why nothing can."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stepfast_desktop.viewmodels.starting.fields import Field, Wants
from stepfast_desktop.viewmodels.words import translate

__all__ = ["fitting", "kind_of", "refusal"]


def kind_of(path: Path) -> Wants | None:
    """Whether it is a file or a folder; None for nothing. May block."""
    try:
        if path.is_dir():
            return "folder"
        return "file" if path.exists() else None
    except OSError:
        return None


def fitting(field: Field, paths: Sequence[Path], kinds: Sequence[Wants | None]) -> object:
    """What of the paths goes into a field for paths; None where they do not fit."""
    if any(field.wants not in (kind, "either") for kind in kinds):
        return None
    if field.kind == "list":
        return [*paths]
    return paths[0] if len(paths) == 1 else None


def refusal(paths: Sequence[Path], kinds: Sequence[Wants | None]) -> str:
    """Why nothing can be done with these."""
    if not paths:
        return translate("NewWorkflow", "What was dropped is no file or folder of this computer.")
    gone = [path for path, kind in zip(paths, kinds, strict=True) if kind is None]
    if gone:
        text = translate("NewWorkflow", "“{name}” is not there, or cannot be read.")
        return text.format(name=gone[0].name or gone[0])
    if len(paths) > 1:
        return translate(
            "NewWorkflow",
            "Those are %n thing(s). Drop one folder at a time: each becomes a workflow of its own.",
            None,
            len(paths),
        )
    name = paths[0].name or str(paths[0])
    if kinds[0] == "file":
        text = translate("NewWorkflow", "“{name}” is a file, and no task here takes a file. Drop a folder.")
    else:
        text = translate("NewWorkflow", "“{name}” is a folder, and no task here takes a folder.")
    return text.format(name=name)
