"""Moments at which the campaign kills: chosen from a seed over a run's whole length, named, waited for.

A moment is bound to what can be seen of the work, and not to a stopwatch, so that it falls into the same
phase when it is replayed. It is written `AFTER+SECONDS`, where AFTER is

    start           the process was started
    NAME            the step of that name is recorded, and this process is at work
    part:BYTES      the large file has so many bytes under its temporary name, and this process is at work
    completed       the workflow is completed, and the process is about to end

The seconds are cut short where one more step is recorded meanwhile: on a fast day a moment in a step is
not to become one behind the end.

The database is looked at through a connection of our own, which is opened only when the process has it
open, and closed before the kill: the next process must recover the file by itself.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

__all__ = ["DEADLINE", "Look", "Moment", "Observer", "Overdue", "Timeline", "choose"]

DEADLINE = 600.0
"""Seconds in which a moment must come, or a run must end: a bound for what hangs, and no measure."""

LOOK_SECONDS = 0.002


class Overdue(AssertionError):
    """What was waited for did not happen; the message says what was seen instead."""


@dataclass(frozen=True, slots=True)
class Moment:
    """`delay` seconds after what `after` names."""

    after: str
    delay: float

    @classmethod
    def parse(cls, text: str) -> Moment:
        after, plus, delay = text.rpartition("+")
        if not plus or not after:
            raise ValueError(f"{text!r} is no moment; write AFTER+SECONDS, for instance copy:3+0.05")
        return cls(after, float(delay))

    def __str__(self) -> str:
        return f"{self.after}+{self.delay:.4f}"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a run, in seconds after its start: from what is recorded first to what comes next."""

    after: str
    until: str
    begin: float
    end: float

    @property
    def length(self) -> float:
        return self.end - self.begin


@dataclass(frozen=True, slots=True)
class Timeline:
    """An uninterrupted run: the steps with the times they were recorded, and its end, as `points`.

    `large` is the step that copies the large file.
    """

    points: tuple[tuple[str, float], ...]
    large: str

    @property
    def spans(self) -> dict[str, list[Span]]:
        """The stretches by phase."""
        found: dict[str, list[Span]] = {each: [] for each in PHASES}
        points = [("start", 0.0), *self.points]
        for (after, begin), (until, end) in pairwise(points):
            found[self._phase(after, until)].append(Span(after, until, begin, end))
        return found

    def _phase(self, after: str, until: str) -> str:
        if after == "start":
            return "starting"
        if until == self.large:
            return "large"
        match until.partition(":")[0]:
            case "copy":
                return "batches"
            case "finish" | "tidy" | "completed" | "ended":
                return "end"
            case _:
                return "planning"


PHASES = ("starting", "planning", "batches", "large", "end")


def choose(rng: Random, kills: int, timeline: Timeline, large: int) -> list[tuple[str, Moment]]:
    """`kills` moments in the order in which they come, each with its phase.

    Each phase has its share, and within a phase each moment has a stretch of its own. Any run may be killed
    while it starts, the first one always: it makes the file.
    """
    spans = timeline.spans
    starting, planning = kills // 8, kills // 8
    end = min(max(kills // 6, int(kills > 1)), len(spans["end"]))
    film = max(kills // 4, int(kills > 2))
    batches = kills - starting - planning - film - end
    found = _spread(rng, spans["planning"], planning, "planning")
    # A tree that is tiny may have but one batch.
    found += _spread(rng, spans["batches"] or spans["large"], batches, "batches")
    found += _in_large(rng, spans["large"][0], film, large)
    found.sort(key=lambda each: each[0])
    # These are short, so each gets a moment of its own, and the last one kills what is completed.
    for span in sorted(rng.sample(spans["end"][:-1], max(end - 1, 0)), key=lambda each: each.begin):
        found.append((span.begin, "end", Moment(span.after, rng.random() * min(span.length, 0.02))))
    if end:
        found.append((spans["end"][-1].begin, "end", Moment("completed", rng.random() * 0.02)))
    moments = [(phase, moment) for _, phase, moment in found]
    for number in range(starting):
        moment = Moment("start", rng.random() * spans["starting"][0].length)
        moments.insert(rng.randrange(len(moments) - end) if number else 0, ("starting", moment))
    return moments


def _spread(rng: Random, spans: Sequence[Span], count: int, phase: str) -> list[tuple[float, str, Moment]]:
    found = []
    for number in range(count):
        into = sum(each.length for each in spans) * (number + rng.random()) / count
        for span in spans:
            if into < span.length or span is spans[-1]:
                found.append((span.begin + into, phase, Moment(span.after, into)))
                break
            into -= span.length
    return found


def _in_large(rng: Random, span: Span, count: int, large: int) -> list[tuple[float, str, Moment]]:
    """At so many bytes; of several the last one when all are written, and are synced, read back, renamed."""
    found = []
    for number in range(count):
        share = (number + rng.random()) / count
        moment = Moment(f"part:{int(large * share)}", 0.0)
        if number and number == count - 1:
            moment = Moment(f"part:{large}", rng.random() * span.length / 2)
        found.append((span.begin + span.length * share, "large", moment))
    return found


@dataclass(frozen=True, slots=True)
class Look:
    """What is seen of the workflow at one moment."""

    state: str | None = None
    ours: bool = False
    """Is it this process that holds the claim?"""

    recorded: bool = False
    """Is the step recorded that was asked about?"""

    steps: int = 0
    """How many are."""


class Observer:
    """Watches one run of the program from outside.

    Args:
        process: the run, just started.
        began: when, by `time.monotonic`.
        database: its file.
        workflow: the workflow's id.
        part_size: how many bytes the large file has under its temporary name.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        began: float,
        database: Path,
        workflow: str,
        part_size: Callable[[], int],
    ) -> None:
        self._process = process
        self._began = began
        self._database = database
        self._workflow = workflow
        self._part_size = part_size
        self._connection: sqlite3.Connection | None = None
        self.claimed: float | None = None
        """When this process was first seen to hold the workflow, in seconds after its start."""

    def wait_for(self, moment: Moment) -> bool:
        """Return at that moment, with our connection closed; False where the process has ended before."""
        try:
            if moment.after == "start":
                time.sleep(max(0.0, self._began + moment.delay - time.monotonic()))
            elif not self._wait_until(moment):
                return False
            else:
                end, begin = time.monotonic() + moment.delay, self._look("")
                while (left := end - time.monotonic()) > 0 and self._look("") == begin:
                    time.sleep(min(left, LOOK_SECONDS))
        finally:
            self._close()
        return self._process.poll() is None

    def wait_for_the_end(self) -> int:
        """Watch until the process ends by itself; returns its exit code."""
        try:
            end = time.monotonic() + DEADLINE
            while (code := self._process.poll()) is None:
                if self.claimed is None:
                    self._look("")
                if time.monotonic() > end:
                    raise Overdue(f"the run did not end in {DEADLINE:.0f} s; last seen: {self._look('')}")
                time.sleep(LOOK_SECONDS if self.claimed is None else 0.05)
            return code
        finally:
            self._close()

    def _wait_until(self, moment: Moment) -> bool:
        kind, _, count = moment.after.partition(":")
        end = time.monotonic() + DEADLINE
        while True:
            look = self._look(moment.after)
            if kind == "part":
                there = look.ours and self._part_size() >= int(count)
            elif kind == "completed":
                there = look.state == "completed"
            else:
                there = look.recorded and (look.ours or look.state == "completed")
            if there:
                return True
            if self._process.poll() is not None:
                return False
            if kind == "part" and look.state == "completed":
                return True
            if time.monotonic() > end:
                raise Overdue(f"{moment} did not come in {DEADLINE:.0f} s; last seen: {look}")
            time.sleep(LOOK_SECONDS)

    def _look(self, step: str) -> Look:
        if self._connection is None:
            if not self._has_opened():
                return Look()
            self._connection = sqlite3.connect(f"{self._database.as_uri()}?mode=ro", uri=True, timeout=5)
        try:
            row = self._connection.execute(LOOK, {"id": self._workflow, "step": step}).fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            return Look()
        if row is None:
            return Look()
        look = Look(row[0], row[1] == self._process.pid, bool(row[2]), row[3])
        if look.ours and self.claimed is None:
            self.claimed = time.monotonic() - self._began
        return look

    def _has_opened(self) -> bool:
        """Has the process the database open? We must not be the first, who recovers what a kill left."""
        if sys.platform != "linux":
            return time.monotonic() - self._began > 1 and self._database.exists()
        try:
            maps = Path(f"/proc/{self._process.pid}/maps").read_bytes()
        except OSError:
            return False
        return os.fsencode(f"{self._database}-shm") in maps

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


LOOK = """
SELECT w.state, o.pid, EXISTS (SELECT 1 FROM stepfast_records r
                                WHERE r.workflow = w.key AND r.kind = 'step' AND r.name = :step),
       (SELECT count(*) FROM stepfast_records r WHERE r.workflow = w.key)
  FROM stepfast_workflows w LEFT JOIN stepfast_owners o ON o.key = w.owner WHERE w.id = :id
"""
