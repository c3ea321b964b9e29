"""Every workflow as a line of JSON, to be read without us: by a spreadsheet, a script, whoever comes after.

Each line is an object; docs/command-line.md lists its fields. Values are in the notation that they are stored
in (`stepfast.values.codec`): what JSON lacks is an object of one field, as {"$datetime":
"2026-11-29T03:15:00Z"}.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import threading
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from stepfast.errors import UnknownWorkflow
from stepfast.interfaces import Catalogue
from stepfast.system.files import explained, new_file
from stepfast.system.threads import once
from stepfast.values import codec
from stepfast.views import EVERYTHING, Details, Filter, LogLine, StepRecord, Summary

__all__ = ["export_line", "export_lines", "export_to"]

PAGE = 200


async def export_lines(catalogue: Catalogue) -> AsyncGenerator[str]:
    """A line for each workflow, removed ones too, each as it was when it was read; the newest first."""
    for wanted in (EVERYTHING, Filter(removed=True)):
        last: Summary | None = None
        while page := await catalogue.list(wanted, after=last, limit=PAGE):
            for row in page:
                try:
                    line = await export_line(catalogue, row.id)
                except UnknownWorkflow:
                    continue  # it was deleted meanwhile
                yield line
            last = page[-1]


async def export_line(catalogue: Catalogue, id: str) -> str:
    """The line of one workflow. Raises `UnknownWorkflow`."""
    details = await catalogue.get(id)
    history = await catalogue.history(id)
    log = await _whole_log(catalogue, id)
    return _line(details, history, log)


async def export_to(catalogue: Catalogue, target: Path) -> int:
    """Write the lines to a file, which is there whole or not at all; returns how many there are.

    Raises `InvalidInput` where there is something at `target`, and `StoreError` where it cannot be written.
    """
    count = 0
    pages: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    stopped = threading.Event()
    writing = once(lambda: _write(target, pages, stopped))
    try:
        lines: list[str] = []
        async for line in export_lines(catalogue):
            if writing.done():
                break  # it has failed
            count += 1
            lines.append(f"{line}\n")
            if len(lines) == PAGE:
                pages.put("".join(lines).encode("ascii"))
                lines.clear()
        pages.put("".join(lines).encode("ascii"))
    except BaseException:
        stopped.set()
        raise
    finally:
        pages.put(None)
        # Also where this is cancelled: the thread takes away what it has begun.
        await asyncio.wait({writing})
        error = writing.exception()
    if error is not None:
        raise error
    return count


class _Stopped(Exception):
    """Nobody wants the file any more."""


def _write(target: Path, pages: queue.SimpleQueue[bytes | None], stopped: threading.Event) -> None:
    with new_file(target) as (_, descriptor):
        while (page := pages.get()) is not None:
            with explained(target):
                while page:
                    page = page[os.write(descriptor, page) :]
        if stopped.is_set():
            raise _Stopped


async def _whole_log(catalogue: Catalogue, id: str) -> list[LogLine]:
    lines: list[LogLine] = []
    while page := await catalogue.log(id, after=lines[-1].position if lines else 0):
        lines += page
    return lines


def _line(details: Details, history: list[StepRecord], log: list[LogLine]) -> str:
    summary, failure = details.summary, details.failure
    return json.dumps(
        {
            "id": summary.id,
            "name": summary.name,
            "version": summary.version,
            "state": summary.state.name,
            "created_at": _moment(summary.created_at),
            "started_at": _moment(summary.started_at),
            "finished_at": _moment(summary.finished_at),
            "removed_at": _moment(summary.removed_at),
            "input": _value(details.input),
            "result": _value(details.result),
            "error": failure
            and {
                "type": failure.type,
                "message": failure.message,
                "step": failure.step,
                "traceback": failure.traceback,
            },
            "problems": [{"about": each.about, "message": each.message} for each in details.problems],
            "records": [
                {
                    "kind": each.kind,
                    "name": each.name,
                    "value": json.loads(each.text),
                    "started_at": _moment(each.started_at),
                    "recorded_at": _moment(each.recorded_at),
                    "attempts": each.attempts,
                }
                for each in history
            ],
            "log": [
                {"at": _moment(each.at), "level": each.level, "step": each.step, "text": each.text}
                for each in log
            ],
        }
    )


def _value(value: object) -> Any:
    return json.loads(codec.encode(value, about="an exported value"))


def _moment(at: datetime | None) -> str | None:
    return (
        None if at is None else at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    )
