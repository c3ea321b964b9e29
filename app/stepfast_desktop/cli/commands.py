"""The commands. Each takes what was asked and where to look, and returns how the program ends."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from stepfast import Engine, Request, Retention
from stepfast.errors import NotAllowed, StepfastError, UnknownWorkflow
from stepfast.state import FINISHED, PENDING, Queued, Running
from stepfast.views import Filter, Summary
from stepfast_desktop.instance.sole import BACKGROUND, Sole
from stepfast_desktop.viewmodels.starting.kept_limits import followed

from . import doctor as doctors
from .console import one_line
from .contract import Exit, details_fields, dumps, exit_of, summary_fields
from .lasting import until_nothing_is_to_come
from .place import Place
from .show import details_lines, table_lines
from .stopping import interruptible
from .waiting import ending_lines, watch
from .words import Program, count_of, needed_of, state_of

if TYPE_CHECKING:
    from stepfast.views import LogLine

__all__ = [
    "change",
    "doctor",
    "list_",
    "must_exist",
    "rerun",
    "say_what_it_lacks",
    "show",
    "start",
    "sweep",
    "work",
]

PAGE = 1000
NAMED = 3  # of those that one thing is said of


async def start(
    place: Place, request: Request[Any], *, id: str | None, wait: bool, typed: Sequence[str]
) -> int:
    """Start a workflow, or go on with the one that a command like this started; perhaps see it through."""
    console, program = place.console, place.program
    with interruptible() as interruption:
        async with place.open(work=wait) as engine:
            handle = await engine.start(request, id=id, join=id is None)
            console.out(handle.id)
            if not handle.created:
                console.say(_found(await engine.summary(handle.id)))
            if not wait:
                await say_what_it_lacks(engine, handle.id, place)
                return Exit.DONE
            details = await interruption.unless(watch(engine, handle.id, console, program))
            stopped = [] if details else await _stopping(engine, handle.id, place, typed)
        # Here the engine is closed: what it still ran is parked, and what is said now is so.
        if details is None:
            console.say("\n".join(stopped))
            return interruption.exit_code or Exit.FAILED
    console.say("\n".join(ending_lines(details, program)))
    return exit_of(details.summary)


def _found(summary: Summary) -> str:
    if summary.state.name in FINISHED:
        return f"{summary.id} was started before, and is {state_of(summary)}"
    return f"already under way as {summary.id} ({state_of(summary)}); going on with it"


async def _stopping(engine: Engine, id: str, place: Place, typed: Sequence[str]) -> list[str]:
    """Say that closing the engine may take a moment; return what to say after it."""
    if place.console.redraws:
        text = "stopping, once the steps that run let go; Ctrl+C again ends it at once"
        drawing = asyncio.ensure_future(asyncio.to_thread(place.console.draw, text))
        # A terminal that takes no output must not keep the engine open either.
        await asyncio.wait({drawing}, timeout=0.2)
    again, work = f"    {place.program.typed(typed)}", f"    {place.program.command('work')}"
    summary = await engine.summary(id)
    held = (await engine.durable.look()).held
    if summary.state.name == "running" and summary.key not in {each.workflow for each in held}:
        return [f"stopped; {id} goes on in another process; watch it with", again]
    carries_on = "stopped; what is finished stays finished, and it carries on with"
    return [carries_on, again, "or, beside other work, with", work]


async def list_(place: Place, *, states: Sequence[str], as_json: bool) -> int:
    """Print every workflow in one of `states` (all of them, where it is empty), pending ones first."""
    rows: list[Summary] = []
    gone: list[str] = []
    if place.path.exists():
        async with place.look() as engine:
            rows = await _all_rows(engine, states)
            if not as_json:
                gone = await _whose_holders_are_gone(engine, rows, place)
    if as_json:
        place.console.out(dumps([summary_fields(row) for row in rows], indent=2))
    elif rows:
        place.console.out("\n".join(table_lines(rows, place.console.columns)))
        if gone:
            place.console.say("\n".join(gone))
    else:
        place.console.say(
            f"no workflow is {' or '.join(states)}" if states else "no workflow was started yet"
        )
    return Exit.DONE


async def show(place: Place, id: str, *, as_json: bool) -> int:
    """Print all that is known of one workflow."""
    must_exist(place, id)
    async with place.look() as engine:
        details = await engine.get(id)
        history = await engine.history(id)
        log = await _whole_log(engine, id)
        turn = await _turn(engine, details.summary, place)
    if as_json:
        place.console.out(dumps(details_fields(details, history, log), indent=2))
    else:
        place.console.out("\n".join(details_lines(details, history, log, place.program, turn)))
    return Exit.DONE


async def change(place: Place, verb: str, ids: Sequence[str]) -> int:
    """Do to each of `ids` what one of `arguments.CHANGES` says; where it cannot be, the others go on."""
    exit_code = Exit.DONE
    if not place.path.exists():
        for id in ids:
            place.console.complain(UnknownWorkflow(id))
        return Exit.FAILED
    async with place.open() as engine:
        for id in dict.fromkeys(ids):
            try:
                if verb == "continue-anyway":
                    said = f"goes on with version {await engine.continue_anyway(id)}"
                elif verb == "delete":
                    said = await _delete(engine, id, place.program)
                else:
                    said = _done(verb, await getattr(engine, verb)(id))
            except StepfastError as error:
                place.console.complain(error)
                exit_code = Exit.FAILED
                continue
            place.console.out(f"{id}: {said}")
            if verb in ("resume", "retry", "continue-anyway"):
                await say_what_it_lacks(engine, id, place)
    return exit_code


async def rerun(place: Place, id: str, step: str, new_id: str | None) -> int:
    """Make a new workflow of what `id` had recorded before `step`; print its id."""
    must_exist(place, id)
    async with place.open() as engine:
        handle = await engine.rerun(id, step, new_id=new_id)
        place.console.out(handle.id)
        await say_what_it_lacks(engine, handle.id, place)
    return Exit.DONE


async def work(place: Place, *, until_idle: bool, background: bool = False) -> int:
    """Carry workflows out until asked to stop, or until there is nothing left to do here.

    With `background`, it is the one worker of its folder that may be stopped from the window, and it lasts
    until nothing is left that would go on by itself, at some other time even.
    """
    if not background:
        return await _work(place, until_idle=until_idle)
    sole = await asyncio.to_thread(Sole.take, place.path.parent, BACKGROUND)
    if sole is None:
        place.console.say(f"a worker runs in the background already, on {place.path}")
        return Exit.DONE
    sole.tell()
    try:
        return await _work(place, until_idle=False, sole=sole)
    finally:
        sole.release()


async def _work(place: Place, *, until_idle: bool, sole: Sole | None = None) -> int:
    # The other commands start without it.
    from stepfast.late import import_all
    from stepfast_desktop.away.worker import minding_sleep
    from stepfast_desktop.settings import Settings
    from stepfast_desktop.viewmodels.preferences import Preferences

    console = place.console
    names = sorted({definition.name for definition in place.definitions})
    with interruptible() as interruption:
        async with place.open(work=True) as engine, followed(engine, place.limits):
            if sole is not None:
                sole.tell(works=True)  # whoever started it waits for that
            # Whoever reads this line may start something, and is told whether anybody will carry it out.
            await interruption.unless(engine.until_begun())
            console.out(
                f"working on {place.path} with {count_of(len(names), 'definition')}: {', '.join(names)}"
            )
            preferences = Preferences(Settings(place.path.parent))
            if not until_idle:
                # It may go on for weeks, and be updated meanwhile: a newer part does not fit what is loaded.
                await asyncio.to_thread(import_all, "stepfast_desktop.workflows")
            async with minding_sleep(engine, preferences):
                if sole is not None:
                    await interruption.unless(until_nothing_is_to_come(engine))
                elif until_idle:
                    await interruption.unless(engine.until_idle())
                else:
                    await interruption.comes()
        if interruption.exit_code is None:
            return Exit.DONE
    console.say("stopped; what was running is parked, and carries on with the next worker")
    # A worker is stopped by a signal, so that is its good end. One that was to finish has not.
    return interruption.exit_code if until_idle else Exit.DONE


async def sweep(place: Place, *, age: timedelta | None, keep: int | None) -> int:
    """Delete what finished longer than `age` ago, and all but the last `keep`; else what the settings say."""
    if not place.path.exists():
        return Exit.DONE
    asked = None if (age, keep) == (None, None) else Retention(age=age, keep=keep)
    async with place.open() as engine:
        swept = await engine.sweep(asked)
    for id in swept.deleted:
        place.console.out(id)
    place.console.say(f"{count_of(len(swept.deleted), 'workflow')} deleted; files that they made stay")
    return Exit.FAILED if swept.failed else Exit.DONE


async def doctor(place: Place) -> int:
    """Print versions and paths, and whether the file and its backups are whole."""
    names = sorted({definition.name for definition in place.definitions})
    return await doctors.report(place.path, names, place.console, place.program)


async def say_what_it_lacks(engine: Engine, id: str, place: Place) -> None:
    """Say it where a workflow will lie where it is: a person is needed, or a process to carry it out."""
    summary = await engine.summary(id)
    if summary.state.name in FINISHED:
        return
    if needed := needed_of(summary, place.program):
        place.console.say("\n".join(needed))
        return
    offers = await engine.offers()
    if any((offer.name, offer.version) == (summary.name, summary.version) for offer in offers):
        return
    place.console.say(_nobody(summary, place))


def _nobody(summary: Summary, place: Place) -> str:
    work = place.program.command("work")
    if all(each.name != summary.name for each in place.definitions):
        # One that this program does not have, so that its worker would not have it either.
        work += " --load MODULE:ATTRIBUTE"
    return f"no running process will carry it out; start one with: {work}"


async def _turn(engine: Engine, summary: Summary, place: Place) -> list[str]:
    """What one waits for that is queued, or whose process has died."""
    if await engine.holder_is_gone(summary):
        return [await _holder_is_gone(engine, summary, place)]
    if not isinstance(summary.state, Queued):
        return []
    from stepfast_desktop.viewmodels.details.turn import turn_text

    return [await turn_text(engine, summary, await engine.offers()) or _nobody(summary, place)]


async def _holder_is_gone(engine: Engine, summary: Summary, place: Place) -> str:
    offers = await engine.offers()
    taken = any((each.name, each.version) == (summary.name, summary.version) for each in offers)
    then = "another takes it over within seconds" if taken else _nobody(summary, place)
    return f"the process that ran it has ended without a word; {then}"


async def _whose_holders_are_gone(engine: Engine, rows: Iterable[Summary], place: Place) -> list[str]:
    """What there is to say of those that are "running", and nobody runs them."""
    gone: dict[str, list[Summary]] = {}
    ended: dict[int, bool] = {}
    for row in rows:
        if isinstance(row.state, Running):
            if row.state.owner not in ended:
                ended[row.state.owner] = await engine.holder_is_gone(row)
            if ended[row.state.owner]:
                gone.setdefault(row.name, []).append(row)
    said: dict[str, list[str]] = {}
    for some in gone.values():
        ids = said.setdefault(await _holder_is_gone(engine, some[0], place), [])
        ids += [one_line(row.id) for row in some]
    return [
        f"{', '.join(ids[:NAMED])}{f' and {len(ids) - NAMED} more' if ids[NAMED:] else ''}: {what}"
        for what, ids in said.items()
    ]


async def _all_rows(engine: Engine, states: Sequence[str]) -> list[Summary]:
    rows: list[Summary] = []
    # The keys are of one moment, so that no workflow is there twice, or not at all, because it moved.
    keys = await engine.keys(Filter(states), order="pending")
    for start in range(0, len(keys), PAGE):
        rows += await engine.rows(keys[start : start + PAGE])
    return rows


async def _whole_log(engine: Engine, id: str) -> list[LogLine]:
    lines: list[LogLine] = []
    while True:
        page = await engine.log(id, after=lines[-1].position if lines else 0, limit=PAGE)
        lines += page
        if len(page) < PAGE:
            return lines


async def _delete(engine: Engine, id: str, program: Program) -> str:
    # What a typing error in an id could cost: a finished workflow is a memory, a pending one is work.
    summary = await engine.summary(id)
    if summary.state.name in PENDING:
        raise NotAllowed(
            id, f"workflow {id!r} is {summary.state.name}; cancel it first: {program.command('cancel', id)}"
        )
    await engine.delete(id)
    return "deleted; files that it made stay where they are"


def _done(verb: str, state: str) -> str:
    """What became of it: a workflow that somebody runs is only asked, and does it when it can."""
    if verb in ("pause", "cancel") and state == "running":
        return f"asked to {verb}; it stops at the next point where it can"
    return state


def must_exist(place: Place, id: str) -> None:
    """Where nothing was ever started, asking for something should not make a file."""
    if not place.path.exists():
        raise UnknownWorkflow(id)
