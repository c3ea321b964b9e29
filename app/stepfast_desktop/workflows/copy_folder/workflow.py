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
from typing import Literal

from stepfast import Run
from stepfast.errors import Stopped
from stepfast_desktop.workflows.copy_folder.batch import Copied, Copier
from stepfast_desktop.workflows.copy_folder.errors import CopyError
from stepfast_desktop.workflows.copy_folder.folders import Finished, finish, tidy
from stepfast_desktop.workflows.copy_folder.meter import Meter
from stepfast_desktop.workflows.copy_folder.places import Begun, Checked, Places, begin, check
from stepfast_desktop.workflows.copy_folder.plan import Item, Items, Only, Planned
from stepfast_desktop.workflows.copy_folder.report import CopyReport, Tally, counted, duration, size
from stepfast_desktop.workflows.copy_folder.waiting import Waiting
from stepfast_desktop.workflows.copy_folder.waking import Patience
from stepfast_desktop.workflows.copy_folder.walk import Walker

__all__ = ["MOST_PROBLEMS", "copy"]

MOST_PROBLEMS = 1000
"""Problems told one by one; the plan has the rest."""


async def copy(
    run: Run,
    source: Path,
    destination: Path,
    *,
    verify: bool,
    existing: Literal["skip", "overwrite"],
    problems_of: str | None,
) -> CopyReport:
    """The body of `copy-folder`; what it is given is described in `definition.py`."""

    def stop() -> None:
        if run.stopping:
            raise Stopped

    checked = await run.step("check", check, source, destination, into=Checked)
    begun = await run.step("begin", begin, run.id, source, destination, checked, into=Begun)
    places = Places(run.id, source, destination, checked)

    def waits_by(tell: Callable[[str], None]) -> Waiting:
        return Waiting(places, stop=stop, tell=tell, log=run.log)

    items = Items(run.id)
    await run.transact("table", items.create(checked.existed))
    only = None if problems_of is None else await _wanted(run, items, problems_of)
    walker = Walker(
        places,
        caseless=begun.caseless,
        stop=stop,
        report=run.progress,
        patience=Patience(stop),
        only=only,
    )
    planned = await _plan(run, items, walker, waits_by(lambda text: run.progress(0, None, text)))

    meter = Meter(run.progress, planned.files, planned.bytes, weight=0.5 if verify else 1.0)
    patience = Patience(stop, meter.tell)
    copier = Copier(
        places,
        existing=existing,
        verify=verify,
        meter=meter,
        stop=stop,
        patience=patience,
    )
    waiting = waits_by(meter.waits)
    total = await _copy(run, items, planned, copier, waiting)

    finished = await _finish(run, items, planned, places, stop, patience, waiting)
    last = partial(tidy, places, Item.root(checked.existed), patience)
    finished += await run.step("tidy", waiting.do, last, into=Finished)

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
    # Of what was copied, and not of what was there already, was left as it is, or is a problem.
    text = f"{counted(total.files, 'file')}, {size(total.bytes)}, copied in {duration(total.seconds)}"
    if total.already_there:
        text += f", {total.already_there:,} there already"
    if checked.removable:
        text += f"; “{checked.destination_disk}” is safe to eject"
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


async def _wanted(run: Run, items: Items, earlier: str) -> Only:
    """What is copied where an earlier copy's problems are tried again: kept, for that one may be deleted."""
    if not await run.transact("wanted", items.want(earlier)):
        raise CopyError(
            f"There is nothing to be tried again of {earlier!r}: it had no problems, or is not kept any "
            "more. Copy the whole folder; what is there already is not copied again."
        )
    return await run.query(items.wanted)


async def _plan(run: Run, items: Items, walker: Walker, waiting: Waiting) -> Planned:
    planned = Planned()
    known = await run.query(items.rows)
    for number in count():
        # While there are more rows than the steps so far account for, the next one is recorded.
        live = planned.rows >= known
        frontier = await run.query(partial(items.frontier, first=planned.folder)) if live else ()
        prepare = partial(waiting.do, partial(walker.walk, planned, frontier))
        planned = await run.transact(f"plan:{number}", items.add, prepare=prepare, into=Planned)
        if planned.complete:
            break
    return planned


async def _copy(run: Run, items: Items, planned: Planned, copier: Copier, waiting: Waiting) -> Tally:
    total = Tally()
    first = await run.query(items.first_batch)
    for number in range(planned.batches):
        live = first is not None and number >= first
        rows = await run.query(partial(items.batch, number=number)) if live else ()

        def prepare(rows: tuple[Item, ...] = rows, before: Tally = total) -> Copied:
            return waiting.do(lambda: copier.copy(rows, before, run.bookmark))

        total += await run.transact(f"copy:{number}", items.settle, prepare=prepare, into=Tally)
    return total


async def _finish(
    run: Run,
    items: Items,
    planned: Planned,
    places: Places,
    stop: Callable[[], None],
    patience: Patience,
    waiting: Waiting,
) -> Finished:
    finished = Finished(0, "")
    before = planned.rows
    for number in count():
        folders = await run.query(partial(items.folders, before=before))
        if not folders:
            break
        work = partial(finish, places, folders, stop, patience)
        finished += await run.step(f"finish:{number}", waiting.do, work, into=Finished)
        before = folders[-1].position
    return finished


async def _tell_problems(run: Run, items: Items, problems: int) -> None:
    told = await run.query(partial(items.problems, most=MOST_PROBLEMS))
    for about, message in told:
        run.problem(about, message)
    if problems > len(told):
        run.problem("and more", f"and {problems - len(told):,} more")
