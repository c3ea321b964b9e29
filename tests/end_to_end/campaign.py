"""A folder copied through `kill -9`: a campaign with real processes, and the proof that nothing was lost.

    python tests/end_to_end/campaign.py --files 5000 --large 1GB --kills 20

It makes a tree of real files from a seed, copies it once in peace to learn how long each step takes, and
then again, with the process killed by SIGKILL at moments that the seed spreads over the whole run
(`moments.py`). After each kill, and at the end, it looks whether what was recorded still stands
(`evidence.py`); at the end also whether source and destination are the same, by digest.

It ends with 0 where all of that is so. Where not, it says how to replay the very kills.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import trees
from evidence import Evidence, require
from moments import Moment, Observer, Timeline, choose

__all__ = ["Campaign", "Run", "main"]

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).resolve().parent / "programs"
WORKFLOW = "copy"
NAMES = PEACEFUL, KILLED = "peaceful", "killed"
UNITS = {"": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}


@dataclass(frozen=True, slots=True)
class Run:
    """One start of the program. Times are in seconds after it; None for what did not happen in it."""

    phase: str
    moment: Moment | None
    claimed: float | None
    began: float | None
    recorded: float | None
    painted: float | None
    ended: float
    code: int
    steps: int
    bookmark: int


class Campaign:
    """One tree, copied and killed.

    Args:
        folder: where everything is made; it must not exist yet, and should be on a real disk.
        files: how many small files.
        large: how many bytes the large file has.
        kills: how many times the process is killed.
        seed: of the tree and of the moments.
        moments: kill at these, instead of those that the seed chooses.
        window: copy through the window (offscreen) in place of the command.
        held: the process stops itself at a moment, so that it is hit however fast it is (`programs/held.py`).
        say: where lines go.
    """

    def __init__(
        self,
        folder: Path,
        *,
        files: int,
        large: int,
        kills: int,
        seed: int,
        moments: Sequence[Moment] = (),
        window: bool = False,
        held: bool = False,
        say: Callable[[str], None] = print,
    ) -> None:
        self.folder = folder
        self.files, self.large, self.kills, self.seed = files, large, kills, seed
        self.given = list(moments)
        self.window = window
        self.held = held
        self.floor: list[float] = []
        self.done: list[Moment] = []
        self.runs: list[Run] = []
        self.say = say
        self._source = folder / "source"
        self._logs = folder / "logs"

    def run(self) -> list[Run]:
        """Make, copy, kill, prove. Raises `AssertionError` (`Disproved`, `Overdue`) for what is not so."""
        whole = time.monotonic()
        self.folder.mkdir(parents=True)  # and never one that was there: it is removed in the end
        self._logs.mkdir()
        self.say(f"seed {self.seed}: {self.files} files and one of {self.large:,} bytes in {self.folder}")
        film = trees.make(self._source, files=self.files, large=self.large, rng=Random(f"{self.seed} tree"))
        os.sync()  # else the first run waits for what we wrote
        original = trees.describe(self._source)
        self.say(f"made {len(original):,} names, {sum(each.size for each in original.values()):,} bytes")

        moments = [("given", each) for each in self.given]
        if not moments:
            timeline = self._learn(original, film)
            self.say(f"in peace: {timeline.points[-1][1]:.2f} s, {len(timeline.points) - 2} steps")
            moments = choose(Random(f"{self.seed} moments"), self.kills, timeline, self.large)
        self.say(HEADER)
        evidence = self.evidence = self._evidence(KILLED, film)
        for number, (phase, moment) in enumerate(moments, 1):
            self.done.append(moment)
            self._start(evidence, f"{number:2}", phase, moment)
        last = self._start(evidence, "", "to the end", None)
        require(last.code == 0, f"the last run ended with {last.code}: {self._log()}")
        self._prove(evidence, original)
        self._report(evidence, time.monotonic() - whole)
        return self.runs

    def heavy(self) -> list[Path]:
        """What it made and is large; the database and what the program said are not among it."""
        names = ["source", *(f"{each}-{what}" for each in NAMES for what in ("destination", "scratch"))]
        return [path for name in names if (path := self.folder / name).exists()]

    def replay(self) -> str:
        """The command that kills at the same moments again."""
        words: list[object] = ["--window"] if self.window else []
        words += ["--files", self.files, "--large", self.large, "--seed", self.seed]
        if not self.done:  # it failed before the first
            words += ["--kills", self.kills]
        for moment in self.done:
            words += ["--at", moment]
        return shlex.join(["python", "tests/end_to_end/campaign.py", *map(str, words)])

    # --- a run of the program ---------------------------------------------------------------------

    def _start(self, evidence: Evidence, number: str, phase: str, moment: Moment | None) -> Run:
        before = evidence.before
        wall, began = time.time(), time.monotonic()
        process = self._program(evidence, moment)
        observer = Observer(process, began, evidence.database, WORKFLOW, evidence.part_size)
        try:
            if moment is None:
                observer.wait_for_the_end()
            else:
                observer.wait_for(moment)
        finally:
            ended = time.monotonic() - began
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
        expected = (0,) if moment is None else (-signal.SIGKILL, 0)
        require(code in expected, f"the run ended by itself with {code}: {self._log()}")
        now = evidence.look()
        require(code or now.state == "completed", f"the run ended with 0 and is {now.state}: {self._log()}")
        new = now.records[len(before.records) :]
        run = Run(
            phase,
            moment,
            observer.claimed,
            new[0].started_at - wall if new else None,
            new[0].recorded_at - wall if new else None,
            self._painted(),
            ended,
            code,
            len(now.records),
            now.bookmark,
        )
        self.runs.append(run)
        self.say(_line(number, run))
        return run

    def _program(self, evidence: Evidence, moment: Moment | None = None) -> subprocess.Popen[bytes]:
        """Start the copy, in a process group of its own."""
        places: list[object] = ["--source", self._source, "--destination", evidence.destination]
        words = command(evidence, "start", "copy-folder", *places, "--id", WORKFLOW, "--wait")
        if self.held and moment is not None:
            words[1:3] = [str(PROGRAMS / "held.py"), moment.after]  # in place of -m stepfast_desktop
        if self.window:
            self.floor.append(self._empty_window())
            data = ["--data", evidence.database.parent, "--id", WORKFLOW]
            words = [sys.executable, str(PROGRAMS / "window.py"), *map(str, [*data, *places])]
        self._newest_log = self._logs / f"{len(os.listdir(self._logs)):03}.log"
        with self._newest_log.open("wb") as log:
            return subprocess.Popen(
                words,
                cwd=self.folder,
                env={**environment(), "STARTED": str(time.time())},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _empty_window(self) -> float:
        """Seconds until an empty window of Qt's is painted, at this moment on this machine."""
        started = {**environment(), "STARTED": str(time.time())}
        words = [sys.executable, str(PROGRAMS / "empty_window.py")]
        done = subprocess.run(words, env=started, capture_output=True, text=True, check=True)
        return float(done.stdout.split()[1])

    def _painted(self) -> float | None:
        """Seconds until the window of the newest run was painted, if it was."""
        found = re.search(r"painted ([\d.]+)", self._newest_log.read_text("utf-8", "replace"))
        return float(found[1]) if found else None

    def _log(self) -> str:
        lines = self._newest_log.read_text("utf-8", "replace").splitlines()
        return "\n".join(["what it said:", *lines[-20:]])

    def _evidence(self, name: str, film: Path) -> Evidence:
        scratch = self.folder / f"{name}-scratch"
        scratch.mkdir()
        database = self.folder / f"{name}-data" / "stepfast.db"
        destination = self.folder / f"{name}-destination"
        return Evidence(database, WORKFLOW, self._source, destination, film, scratch)

    def _learn(self, original: dict[bytes, trees.Entry], film: Path) -> Timeline:
        """Copy in peace; what a step takes is where a kill can fall into it."""
        evidence = self._evidence(PEACEFUL, film)
        wall, began = time.time(), time.monotonic()
        process = self._program(evidence)
        code = Observer(process, began, evidence.database, WORKFLOW, lambda: 0).wait_for_the_end()
        ended = time.monotonic() - began
        require(code == 0, f"a run in peace ended with {code}: {self._log()}")
        now = evidence.look()
        self._require_same(original, evidence)
        points = [(each.name, each.recorded_at - wall) for each in now.records]
        points += [("completed", (now.finished_at or 0) - wall), ("ended", ended)]
        for path in (evidence.destination, evidence.database.parent, evidence.scratch):
            trees.remove(path)
        return Timeline(tuple(points), now.large)

    # --- the proof --------------------------------------------------------------------------------

    def _prove(self, evidence: Evidence, original: dict[bytes, trees.Entry]) -> None:
        """What must hold at the end; that nothing changed in between was looked at after each run."""
        now = evidence.before
        require(now.state == "completed", f"the workflow is {now.state}")
        self._require_same(original, evidence)
        changed = trees.differences(original, trees.describe(self._source))
        require(not changed, f"the source was changed: {changed[:10]}")
        require(not evidence.leftovers(), f"left behind: {evidence.leftovers()[:10]}")
        for kind in ("plan", "copy", "finish"):
            numbers = [int(each.partition(":")[2]) for each in now.steps if each.startswith(f"{kind}:")]
            require(numbers == list(range(len(numbers))), f"the steps {kind} are {numbers}")
        files = {path for path, each in original.items() if each.kind != "folder"}
        placed = [path for path, _ in now.placed]
        require(
            len(placed) == len(files) and set(placed) == files,
            f"{len(placed)} files and links are recorded as copied, and {len(files)} there are",
        )
        result = self._result(evidence)
        expected = {"files": 0, "folders": -1, "links": 0, "already_there": 0, "skipped": 0, "problems": 0}
        for each in original.values():
            expected[f"{each.kind}s"] += 1
        told = {name: result[name] for name in expected}
        require(told == expected, f"the result says {told}, and it should be {expected}")

    def _require_same(self, original: dict[bytes, trees.Entry], evidence: Evidence) -> None:
        found = trees.differences(original, trees.describe(evidence.destination))
        require(not found, f"{len(found)} differences, the first are:\n" + "\n".join(found[:10]))

    def _result(self, evidence: Evidence) -> dict[str, int]:
        """The result as `show --json` has it, whose steps must be ours too."""
        shown = subprocess.run(
            command(evidence, "show", WORKFLOW, "--json"), env=environment(), capture_output=True, check=True
        )
        details = json.loads(shown.stdout)
        names = [each["name"] for each in details["steps"]]
        require(names == evidence.before.steps, f"`show` has the steps {names}")
        result: dict[str, int] = details["result"]
        return result

    def _report(self, evidence: Evidence, seconds: float) -> None:
        killed = [each for each in self.runs if each.code == -signal.SIGKILL]
        phases = Counter(each.phase for each in killed)
        self.say(f"\nseconds from a start to        {'min':>7} {'median':>7} {'max':>7}   starts")
        for what, name in (
            ("the claim", "claimed"),
            ("the first resumed step begun", "began"),
            ("the first resumed step recorded", "recorded"),
            ("the window painted", "painted"),
        ):
            times = [each for run in self.runs if (each := getattr(run, name)) is not None]
            if times:
                three = min(times), statistics.median(times), max(times)
                self.say(f"{what:31}" + " ".join(f"{each:7.3f}" for each in three) + f"   {len(times):6}")
        if self.floor:
            three = min(self.floor), statistics.median(self.floor), max(self.floor)
            self.say(f"{'an empty window painted':31}" + " ".join(f"{each:7.3f}" for each in three))
        told = ", ".join(f"{count} {phase}" for phase, count in phases.items())
        self.say(f"\n{len(killed)} kills of {len(self.done)} hit a running process: {told}")
        pinned = evidence.require_pinned()
        self.say(
            "the large file was carried on with" if pinned else "no kill met a bookmark of the large file"
        )
        if not evidence.keeps_access_times:
            self.say("this file system keeps no times of access, so that witness was not heard")
        self.say(f"source and destination are the same, each step is recorded once; {seconds:.1f} s in all")
        self.say(f"seed {self.seed}")


def command(evidence: Evidence, *words: object) -> list[str]:
    """A command of the program on the campaign's data."""
    data = evidence.database.parent
    return [sys.executable, "-m", "stepfast_desktop", "--data", str(data), *map(str, words)]


def environment() -> dict[str, str]:
    """Our own, with this tree's sources, and without what would name other data."""
    ours = {name: text for name, text in os.environ.items() if name != "STEPFAST_DATA"}
    ours["QT_QPA_PLATFORM"] = "offscreen"
    return {**ours, "PYTHONPATH": os.pathsep.join(str(ROOT / each) for each in ("store", "app", "resources"))}


def size(text: str) -> int:
    """`64MB` as bytes; a KB has 1024 of them."""
    found = re.fullmatch(r"(\d+)\s*(|KB|MB|GB)", text.strip().upper())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; write 1GB, 64MB or a number of bytes")
    return int(found[1]) * UNITS[found[2]]


def main(argv: Sequence[str] | None = None) -> int:
    """The program. Returns 0 where all is proved, 1 where not."""
    parser = argparse.ArgumentParser(description="Copy a folder through kill -9, and prove that it is right.")
    parser.add_argument("--files", type=int, default=5000, help="small files (default: 5000)")
    parser.add_argument("--large", type=size, default=size("1GB"), help="the large file (default: 1GB)")
    parser.add_argument("--kills", type=int, default=20, help="how many (default: 20)")
    parser.add_argument("--seed", type=int, help="of the tree and the moments (default: a new one)")
    parser.add_argument("--at", type=Moment.parse, action="append", default=[], metavar="MOMENT", help=AT)
    parser.add_argument("--folder", type=Path, help="where to make everything; must not exist yet")
    parser.add_argument("--window", action="store_true", help="through the window, offscreen")
    parser.add_argument("--keep", action="store_true", help="do not remove it at the end")
    asked = parser.parse_args(argv)
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="stepfast-campaign-")) / "campaign"
    campaign = Campaign(
        folder.absolute(),
        files=asked.files,
        large=asked.large,
        kills=asked.kills,
        seed=secrets.randbelow(10**6) if asked.seed is None else asked.seed,
        moments=asked.at,
        window=asked.window,
        say=lambda line: print(line, flush=True),
    )
    try:
        campaign.run()
    except AssertionError:
        traceback.print_exc()
        print(f"\nFAILED; everything is left in {folder}\nreplay these kills:\n    {campaign.replay()}")
        return 1
    except BaseException:
        print(f"\nended early; everything is left in {folder}")
        raise
    if not asked.keep:
        trees.remove(folder)
        if asked.folder is None:
            folder.parent.rmdir()
    return 0


AT = "kill at this moment and no other, for instance copy:3+0.05; may be given more than once"

HEADER = (
    "\n    phase      moment                       killed  records  bookmark   claimed    begun  recorded"
)


def _line(number: str, run: Run) -> str:
    moment = "-" if run.moment is None else str(run.moment)
    times = "  ".join(
        "      -" if each is None else f"{each:7.3f}" for each in (run.claimed, run.began, run.recorded)
    )
    missed = "" if run.moment is None or run.code else "  (it had ended)"
    return (
        f"{number:>2}  {run.phase:10} {moment:26} {run.ended:8.3f} {run.steps:8}  {run.bookmark >> 20:5} MB"
        f"  {times}{missed}"
    )


if __name__ == "__main__":
    sys.exit(main())
