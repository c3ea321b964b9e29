"""The command line: `stepfast [--data DIR] COMMAND ...`, described in `docs/command-line.md`.

`arguments` reads what was typed, `commands` does it, `contract` is what other tools rely on, `console`
writes; the rest is what a person sees. Nothing here imports Qt.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import traceback
from collections.abc import Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any

from stepfast import Definition
from stepfast.errors import InvalidInput, StepfastError
from stepfast.paths import default_file

from . import commands
from .arguments import CHANGES, newest, parse, request_of
from .commands import Place, UsageError
from .console import Console
from .contract import Exit
from .words import Program

__all__ = ["main"]


def main(argv: Sequence[str] | None = None, definitions: Iterable[Definition[..., Any]] = ()) -> int:
    """Do what `argv` asks for, with the definitions this program has; return the exit code."""
    console = Console()
    logger = logging.getLogger("stepfast")
    logger.addHandler(told := _Telling(console))
    typed = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(typed, list(definitions), console)
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


def _run(typed: list[str], definitions: list[Definition[..., Any]], console: Console) -> int:
    asked = parse(typed, newest(definitions))
    data = asked.data
    if data == "":
        # The default would be taken for what an unset shell variable was to name.
        raise UsageError("--data is empty; it names the folder that holds the file")
    place = Place(
        path=default_file(None if data is None else Path(data).absolute()),
        definitions=definitions,
        program=Program(data),
        console=console,
    )
    return asyncio.run(_command(asked, place, typed))


def _command(asked: argparse.Namespace, place: Place, typed: list[str]) -> Coroutine[Any, Any, int]:
    match asked.command:
        case "start":
            request = request_of(asked)
            return commands.start(place, request, id=asked.id, wait=asked.wait, typed=typed)
        case "list":
            return commands.list_(place, states=asked.state, as_json=asked.json)
        case "show":
            return commands.show(place, asked.id, as_json=asked.json)
        case "answer":
            return commands.answer(place, asked.id, asked.key, asked.json)
        case "work":
            return commands.work(place, until_idle=asked.until_idle)
        case "doctor":
            return commands.doctor(place)
        case verb:
            assert verb in CHANGES
            return commands.change(place, verb, asked.ids)
