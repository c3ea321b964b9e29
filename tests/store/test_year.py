"""The file of a program that runs, and is killed, week after week stays as large as it was."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from children import Starter, children, hears, kill

from stepfast.sqlite.file.opening import WAL_KEPT

# What a virtual table keeps lies in tables of its own, which are among these.
TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
PROGRAM = "from week import main\nmain(*sys.argv[1:])"


@dataclass(frozen=True)
class Week:
    """What was there after a kill: all files (locks, backups) and, by table, all rows, the program's too."""

    size: int
    log_size: int
    files: int
    rows: dict[str, int]
    waits: dict[str, int]
    commits: int

    def all(self) -> dict[str, int]:
        return {"size": self.size, "files": self.files, **self.rows}


def live(start: Starter, path: Path, week: int, *, a_day: int, parts: int, keep: int) -> Week:
    """A week with so many workflows a day, that many times a day; then SIGKILL."""
    program = start(PROGRAM, path, week, a_day, parts, keep)
    said = json.loads(hears(program) or '"it said nothing"')
    kill(program)
    log = path.with_name(path.name + "-wal")
    size, log_size = path.stat().st_size, log.stat().st_size
    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute(TABLES)]
        rows = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}
    files = sum(each.is_file() for each in path.parent.rglob("*"))
    return Week(size, log_size, files, rows, said["waits"], said["commits"])


@pytest.mark.parametrize(
    ("weeks", "a_day", "parts", "keep"),
    [
        pytest.param(9, 20, 4, 40, id="sample"),
        pytest.param(52, 1000, 24, 2000, id="year", marks=[pytest.mark.campaign, pytest.mark.timeout(7200)]),
    ],
)
def test_nothing_piles_up(tmp_path: Path, weeks: int, a_day: int, parts: int, keep: int) -> None:
    path = tmp_path / "work.db"
    seen: list[Week] = []
    with children(f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n") as start:
        for week in range(weeks):
            seen.append(live(start, path, week, a_day=a_day, parts=parts, keep=keep))
            print(week, {name: number for name, number in seen[-1].all().items() if number}, flush=True)

    half = max(6, weeks // 2)
    early, late = [week.all() for week in seen[3:half]], [week.all() for week in seen[half:]]
    grown = {
        name: (before, after)
        for name in late[-1]
        for before, after in [[max(week.get(name, 0) for week in weeks) for weeks in (early, late)]]
        # What a week ends with differs a little, and the index of the search is tidied up now and then.
        if after > (1.1 * before + 8 * 4096 if name == "size" else 1.25 * before + 8)
    }
    assert grown == {}, "as much as after the first weeks"
    assert max(week.log_size for week in seen) < 2 * WAL_KEPT
    assert late[-1]["stepfast_workflows"] >= keep, "what is to be kept is there"
    waits = {length: sum(week.waits.get(length, 0) for week in seen) for length in ("0", "1")}
    print(f"writes by the sweeps waited for: {waits}, of {sum(week.commits for week in seen)} commits")
    assert all(set(week.waits) <= {"0", "1"} for week in seen), "nobody waited for two commits of a sweep"
    assert waits["1"] > 0, "somebody waited for one"
