"""Copy a folder: every file verified, and carried on in the middle of the largest one after a crash.

The body below is all that a workflow is: steps with names, and plain code between them. What is worth
looking at when writing one's own:

- what would be too large for one value is a table: `run.transact` writes rows and the step's record in
  one commit, so neither is ever there without the other;
- the work itself is `prepare=`: it runs on a thread, before the commit, and only where the step is not
  recorded yet;
- `run.query` is not recorded, so what it brings serves only a step that is to run, or comes from rows
  that do not change any more;
- what goes wrong with one file is a row, and `run.problem` in the end; what goes wrong with a disk is an
  exception that says what to do, after which `retry` goes on with the step that raised it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Annotated, Literal

from stepfast import Run, workflow
from stepfast.errors import Stopped
from stepfast.parameters import Help, Title
from stepfast_desktop.workflows.copy_folder.batch import Copied, Copier
from stepfast_desktop.workflows.copy_folder.folders import Finished, finish, tidy
from stepfast_desktop.workflows.copy_folder.meter import Meter
from stepfast_desktop.workflows.copy_folder.places import Begun, Checked, Places, begin, check
from stepfast_desktop.workflows.copy_folder.plan import Item, Items, Planned, forget
from stepfast_desktop.workflows.copy_folder.report import CopyReport, Tally, counted, duration, size
from stepfast_desktop.workflows.copy_folder.walk import Walker

__all__ = ["MOST_PROBLEMS", "copy_folder"]

MOST_PROBLEMS = 1000
"""Problems told one by one; the plan has the rest."""


@workflow("copy-folder", version=1, title="Copy a folder", forget=forget)
async def copy_folder(
    run: Run,
    source: Annotated[Path, Title("Source"), Help("The folder whose contents are copied")],
    destination: Annotated[Path, Title("Destination"), Help("Where they go; it is made if it is not there")],
    verify: Annotated[
        bool, Title("Verify"), Help("Read every copied file back from the disk and compare")
    ] = True,
    existing: Annotated[
        Literal["skip", "overwrite"],
        Title("Files that are there already and differ"),
        Help("Skip leaves them as they are and reports them"),
    ] = "skip",
) -> CopyReport:
    """Copy what is in `source` into `destination`, with times, permissions and symbolic links."""

    def stop() -> None:
        if run.stopping:
            raise Stopped

    checked = await run.step("check", check, source, destination, into=Checked)
    begun = await run.step("begin", begin, run.id, source, destination, checked, into=Begun)
    places = Places(run.id, source, destination, checked)

    items = Items(run.id)
    await run.transact("table", items.create(checked.existed))
    walker = Walker(places, caseless=begun.caseless, stop=stop, report=run.progress)
    planned = await _plan(run, items, walker)

    meter = Meter(run.progress, planned.files, planned.bytes, weight=0.5 if verify else 1.0)
    copier = Copier(places, existing=existing, verify=verify, meter=meter, stop=stop)
    total = await _copy(run, items, planned, copier)

    finished = await _finish(run, items, planned, places, stop)
    finished += await run.step("tidy", tidy, places, Item.root(checked.existed), into=Finished)

    problems = planned.problems + total.problems
    await _tell_problems(run, items, problems)
    unkept = total.unkept + finished.unkept
    if unkept:
        problems += 1
        why = total.why or finished.why
        run.problem(
            places.shown_destination,
            f"times or permissions of {counted(unkept, 'item')} could not be kept: {why}",
        )
    text = f"{counted(total.done_files, 'file')}, {size(planned.bytes)}, copied in {duration(total.seconds)}"
    run.progress(planned.bytes, planned.bytes or None, text)
    return CopyReport(
        files=total.files,
        folders=total.folders,
        links=total.links,
        bytes=total.bytes,
        already_there=total.already_there,
        skipped=total.skipped,
        problems=problems,
        seconds=round(total.seconds, 3),
    )


async def _plan(run: Run, items: Items, walker: Walker) -> Planned:
    planned = Planned()
    known = await run.query(items.rows)
    for number in count():
        # While there are more rows than the steps so far account for, the next one is recorded.
        live = planned.rows >= known
        frontier = await run.query(partial(items.frontier, first=planned.folder)) if live else ()
        prepare = partial(walker.walk, planned, frontier)
        planned = await run.transact(f"plan:{number}", items.add, prepare=prepare, into=Planned)
        if planned.complete:
            break
    return planned


async def _copy(run: Run, items: Items, planned: Planned, copier: Copier) -> Tally:
    total = Tally()
    first = await run.query(items.first_batch)
    for number in range(planned.batches):
        live = first is not None and number >= first
        rows = await run.query(partial(items.batch, number=number)) if live else ()

        def prepare(rows: tuple[Item, ...] = rows, before: Tally = total) -> Copied:
            return copier.copy(rows, before, run.bookmark)

        total += await run.transact(f"copy:{number}", items.settle, prepare=prepare, into=Tally)
    return total


async def _finish(
    run: Run, items: Items, planned: Planned, places: Places, stop: Callable[[], None]
) -> Finished:
    finished = Finished(0, "")
    before = planned.rows
    for number in count():
        folders = await run.query(partial(items.folders, before=before))
        if not folders:
            break
        finished += await run.step(f"finish:{number}", finish, places, folders, stop, into=Finished)
        before = folders[-1].position
    return finished


async def _tell_problems(run: Run, items: Items, problems: int) -> None:
    told = await run.query(partial(items.problems, most=MOST_PROBLEMS))
    for about, message in told:
        run.problem(about, message)
    if problems > len(told):
        run.problem("and more", f"and {problems - len(told):,} more")
