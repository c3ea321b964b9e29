"""The command line: `stepfast [--data DIR] [--load MODULE:ATTRIBUTE] [COMMAND]`, see docs/command-line.md.

`arguments` and `inputs` read what was typed, `commands`, and what lies beside it, does it, `contract` is what
other tools rely on, `console` writes; the rest is what a person sees. Nothing here imports Qt.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import traceback
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepfast import Definition
from stepfast.errors import Damaged, InvalidInput, StepfastError, StoreError
from stepfast.system.paths import default_file
from stepfast_desktop.instance.launching import Launch
from stepfast_desktop.loading import load_all
from stepfast_desktop.settings import Settings
from stepfast_desktop.viewmodels.preferences import MOST_RUNNING, preferred
from stepfast_desktop.viewmodels.starting.kept_limits import kept_limits
from stepfast_desktop.workflows.throttle import limit

from .console import Console
from .contract import Exit
from .place import Place, UsageError
from .words import Program

if TYPE_CHECKING:
    import argparse

__all__ = ["main"]


Window = Callable[[Sequence[Definition[..., Any]], Path | None, str, Launch], int]


def main(
    argv: Sequence[str] | None = None,
    definitions: Iterable[Definition[..., Any]] = (),
    window: Window | None = None,
) -> int:
    """Do what `argv` asks for, with the definitions this program has; return the exit code.

    `window` opens the window, for `stepfast` without a command, and returns its exit code.
    """
    console = Console()
    logger = logging.getLogger("stepfast")
    logger.addHandler(told := _Telling(console))
    typed = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(typed, list(definitions), window, console)
    except SystemExit as end:
        # argparse's, which has said what there is to say.
        return end.code if isinstance(end.code, int) else Exit.USAGE
    except KeyboardInterrupt:
        return 130
    except (InvalidInput, UsageError) as error:
        console.complain(error)
        return Exit.USAGE
    except StepfastError as error:
        console.complain(error)
        return Exit.FAILED
    except OSError as error:
        about = f": {error.filename}" if error.filename else ""
        console.complain(f"{error.strerror or error}{about}")
        return Exit.FAILED
    except Exception:
        console.say(traceback.format_exc().rstrip())
        console.complain("this is a fault of Stepfast's, please report it with the lines above")
        return Exit.OUR_FAULT
    finally:
        logger.removeHandler(told)
        console.close()


class _Telling(logging.Handler):
    """What the engine warns of (a disk that is full, a file that is locked), said like everything else."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.WARNING)
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[0] is not None:
            self._console.say("".join(traceback.format_exception(*record.exc_info)).rstrip())
        self._console.complain(record.getMessage())


def _run(
    typed: list[str], shipped: list[Definition[..., Any]], window: Window | None, console: Console
) -> int:
    data, loads = _place_of(typed)
    if data == "":
        # The default would be taken for what an unset shell variable was to name.
        raise UsageError("--data is empty; it names the folder that holds the file")
    file = default_file(None if data is None else Path(data).absolute())
    if file.parent.is_file():
        raise StoreError(f"{file.parent} is a file; --data, or STEPFAST_DATA, names the folder that holds it")
    settings = Settings(file.parent)
    definitions = [*shipped, *_loaded(settings.loads, loads, console)]
    asked = _asked(typed, definitions)
    command = None if asked is None else asked.command
    program = Program(data, tuple(dict.fromkeys([*settings.loads, *loads])))
    if command in (None, "window", "work"):
        settings.remember_loads(tuple(loads))
    if asked is None or command in (None, "window"):
        if window is None:
            from .arguments import commands_of

            raise UsageError(f"which command? There are: {', '.join(commands_of({}))} (see: stepfast --help)")
        return window(definitions, file.parent, program.command("work"), _launch(asked, loads))
    place = Place(
        path=file,
        definitions=definitions,
        program=program,
        console=console,
        retention=settings.retention,
        limits=lambda: kept_limits(settings.get),
        at_once=preferred(settings, "at_once") or MOST_RUNNING,
    )
    # Looked up while bytes are moved, so that what is set in the window is heard by a worker beside it.
    limit.follow(lambda: preferred(settings, "speed_limit") * 1_000_000)
    try:
        return asyncio.run(_command(asked, place, typed, loads))
    except Damaged as error:
        from stepfast.sqlite.care.backups import backups_of

        console.complain(error)
        if asked.command != "restore" and backups_of(file):
            console.say(f"    {program.command('restore')}")
        return Exit.FAILED


def _place_of(typed: list[str]) -> tuple[str | None, list[str]]:
    if not typed:
        return None, []
    from .arguments import place_of

    return place_of(typed)


def _asked(typed: list[str], definitions: list[Definition[..., Any]]) -> argparse.Namespace | None:
    """What was typed; None for nothing, which is the window, and has no parser to wait for."""
    if not typed:
        return None
    from .arguments import newest, parse

    return parse(typed, newest(definitions))


def _launch(asked: argparse.Namespace | None, loads: Sequence[str]) -> Launch:
    token = os.environ.get("XDG_ACTIVATION_TOKEN", "")
    if asked is None or asked.command is None:
        return Launch(loads=tuple(loads), token=token)
    return Launch(tuple(asked.paths), asked.show, asked.hidden, tuple(loads), token)


def _loaded(remembered: Sequence[str], given: Sequence[str], console: Console) -> list[Definition[..., Any]]:
    """What `--load` adds. One that is remembered and is not there today keeps nobody from working."""
    usable = []
    for each in remembered:
        try:
            load_all([each])
        except InvalidInput as error:
            console.complain(f"{error}; going on without it")
        else:
            usable.append(each)
    return load_all([*usable, *given])


def _command(
    asked: argparse.Namespace, place: Place, typed: list[str], loads: list[str]
) -> Coroutine[Any, Any, int]:
    # Not before one is wanted, and none is where the window opens.
    from . import commands, copies
    from .arguments import CHANGES
    from .inputs import request_of

    match asked.command:
        case "start":
            request = request_of(asked)
            return commands.start(place, request, id=asked.id, wait=asked.wait, typed=typed)
        case "list":
            return commands.list_(place, states=asked.state, as_json=asked.json)
        case "show":
            return commands.show(place, asked.id, as_json=asked.json)
        case "rerun":
            return commands.rerun(place, asked.id, asked.step, asked.new_id)
        case "answer":
            from .answering import answer

            return answer(place, asked.id, asked.key, asked.json, again=asked.again, give_up=asked.give_up)
        case "work":
            return commands.work(place, until_idle=asked.until_idle, background=asked.background)
        case "service":
            from .service import service

            return service(place, asked.verb, boot=asked.boot, loads=loads)
        case "sweep":
            return commands.sweep(place, age=asked.older_than, keep=asked.keep)
        case "backup":
            return copies.backup(place, asked.target)
        case "export":
            return copies.export(place, asked.target)
        case "restore":
            return copies.restore(place, asked.backup, yes=asked.yes)
        case "doctor":
            return commands.doctor(place)
        case verb:
            assert verb in CHANGES
            return commands.change(place, verb, asked.ids)
