"""`stepfast backup`, `export`, `restore`: copies of the file, its workflows as JSON, and a copy put back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from stepfast import restore as put_back
from stepfast.errors import StoreUnavailable
from stepfast.exporting import export_lines
from stepfast.sqlite.care.backups import back_up, local
from stepfast.sqlite.care.restoring import Plan, plan_restore
from stepfast_desktop.viewmodels.format import duration_text, size_text

from .contract import Exit
from .place import Place
from .stopping import interruptible
from .words import count_of

__all__ = ["backup", "export", "restore"]

T = TypeVar("T")


async def backup(place: Place, target: Path) -> int:
    """Copy the file, whoever writes to it meanwhile, and print where the copy is."""
    _must_be_there(place)
    with interruptible() as interruption:
        done = await interruption.unless(
            _on_a_thread(lambda unwanted: back_up(place.path, target, unwanted=unwanted))
        )
    if done is None:
        return interruption.exit_code or Exit.FAILED
    copy, contents = done
    place.console.out(str(copy))
    place.console.say(
        f"{count_of(contents.workflows, 'workflow')}, {size_text(contents.size)}; checked, and whole"
    )
    return Exit.DONE


async def export(place: Place, target: Path | None) -> int:
    """Write every workflow as a line of JSON, to a file or to stdout."""
    _must_be_there(place)
    with interruptible() as interruption:
        async with place.look() as engine:
            if target is not None:
                count = await interruption.unless(engine.export(target))
                if count is not None:
                    place.console.out(str(target))
                    place.console.say(count_of(count, "workflow"))
            else:

                async def print_all() -> int:
                    async for line in export_lines(engine.durable.catalogue):
                        place.console.out(line)
                    return Exit.DONE

                await interruption.unless(print_all())
    return interruption.exit_code or Exit.DONE


async def restore(place: Place, backup: Path | None, *, yes: bool) -> int:
    """Put a backup in the place of the file; without `yes`, only say what would be done."""
    console = place.console
    if not yes:
        plan = await asyncio.to_thread(plan_restore, place.path, backup)
        console.say("\n".join(_plan_lines(plan)))
        words = ("restore", *([str(backup)] if backup else []), "--yes")
        console.say(
            f"nothing was done yet; close every window and worker, then\n    {place.program.command(*words)}"
        )
        return Exit.FAILED
    # Not to be stopped halfway: it is over in a moment.
    restored = await asyncio.to_thread(put_back, place.path, backup)
    for each in restored.set_aside:
        console.out(str(each))
    plan = restored.plan
    console.say(f"{plan.path} is {_named(plan)} now, with {count_of(plan.workflows, 'workflow')}")
    if restored.set_aside:
        console.say(
            "what was there is set aside under the names above, and what was recorded since is only there"
        )
    return Exit.DONE


def _plan_lines(plan: Plan) -> list[str]:
    lines = [
        f"{_named(plan)}, with {count_of(plan.workflows, 'workflow')}, would take the place of {plan.path};",
        f"    {plan.source}",
    ]
    if plan.there == "gone":
        lines.append("there is no file in that place")
    elif plan.there == "newer":
        lines.append("mind that the file there is whole, and of a newer Stepfast: better use that one")
    elif plan.there == "whole":
        there = count_of(plan.workflows_now or 0, "workflow")
        lines.append(
            f"mind that the file there is whole, and has {there}: what it has since would be gone from it"
        )
    else:
        lines.append("the file there is damaged; it is set aside and kept")
    if plan.passed_over:
        lines.append("passed over, since they are damaged themselves:")
        lines += [f"    {each}" for each in plan.passed_over]
    return lines


def _named(plan: Plan) -> str:
    if plan.made_at is None:
        return "that backup"
    age = (datetime.now(UTC) - plan.made_at).total_seconds()
    return f"the backup of {local(plan.made_at)}" + (f" ({duration_text(age)} ago)" if age > 0 else "")


def _must_be_there(place: Place) -> None:
    if not place.path.exists():
        raise StoreUnavailable(f"there is no file at {place.path} yet, so there is nothing to be copied")


async def _on_a_thread(work: Callable[[Callable[[], bool]], T]) -> T:
    """Where this is cancelled the thread gives up, and tidies up, before the program ends."""
    gone = threading.Event()
    try:
        return await asyncio.to_thread(work, gone.is_set)
    except asyncio.CancelledError:
        gone.set()
        raise
