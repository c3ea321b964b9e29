"""The benchmarks print their whole tables. What the figures are is nobody's concern here."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not count context switches")

ROOT = Path(__file__).parents[2]
COMMAND = ROOT / "benchmarks" / "engine.py"

# One for each row of the short run, in order.
ROWS = [
    "a durable step in a row",
    "20 workflows x 2 steps, 20 at once",
    "replaying 20 recorded steps",
    "`arrive` to the body running again, same process: median",
    "`arrive` to the body running again, same process: 99 %",
    "`arrive` to the body running again, another process: median",
    "`arrive` to the body running again, another process: 99 %",
    "idle engine, 20 sleeping and 20 waiting, alone",
    "the same, alone",
    "idle engine, 20 sleeping and 20 waiting, beside two peers",
    "the same, beside two peers",
    "`load` of 20 records while 3 writers commit",
    "a durable step in a row, 1,000 finished in the file",
    "20 workflows x 2 steps at once, 1,000 finished in the file",
    "taking the next of 200 ready",
    "a page of 100 after a row, of 1,000",
    "the same in the slowest of",
    "100 rows by key, of 1,000",
    "counts by state, of 1,000",
    "the ordered keys of 1,000",
    "the same in the slowest of",
    "search of 1,000, `ted-100` (1 found)",
    "search of 1,000, `nowhere` (0 found)",
    "search of 1,000, `comp` (980 found)",
    # With one more thread busy in Python.
    "a durable step in a row",
    "20 workflows x 2 steps, 20 at once",
    "`arrive` to the body running again, same process: median",
    "`arrive` to the body running again, same process: 99 %",
    "`arrive` to the body running again, another process: median",
    "`arrive` to the body running again, another process: 99 %",
]


# The same of the window's benchmark, by the part that prints them.
WINDOW_ROWS = {
    "launch": [
        "launch to usable, an empty file",
        "launch to usable, 400 workflows",
        "the same beside our window of an empty file",
    ],
    "looking": [
        "a page anywhere, not read yet, of 400",
        "the next page, by Page Down, of 400",
        "a keystroke in search, of 400",
        "the same, from the last of several typed at once",
    ],
    "stalls": [
        "a stall of an empty window's thread, nothing else",
        "a stall while 4 workflows make",
        "a stall while 4 workflows make",
    ],
    "locked": ["a stall while a foreign program holds the write lock for 0.3 s"],
    "quiet": [
        "hidden while 4 workflows make 100 steps/s: paint events in 0.3 s",
        "idle window, shown, 2 sleeping, 0.3 s",
        "idle window, hidden, 2 sleeping, 0.3 s",
    ],
    "memory": [
        "memory once 400 workflows can be used, beside our window of an empty file",
        "memory once 400 workflows can be used, beside a plain window of Qt",
        "the same over 300 changes",
    ],
}


def run(folder: Path, *options: str) -> str:
    roots = os.pathsep.join(str(ROOT / each) for each in ("store", "app", "resources"))
    done = subprocess.run(
        [sys.executable, "-W", "error", COMMAND, "--quick", "--folder", folder, *options],
        env={**os.environ, "PYTHONPATH": roots},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert not any(folder.iterdir()), "it takes away what it made"
    return done.stdout


@pytest.mark.campaign
def test_every_row_is_printed_with_a_figure(tmp_path: Path) -> None:
    lines = run(tmp_path, "--without-dbos").splitlines()
    assert re.match(r"\d{4}-\d\d-\d\d, .* cores, .*SQLite .*; 20 at once, 2 rounds", lines[0])
    printed = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    printed = [cells for cells in printed if cells[0] not in ("what", "---")]
    assert len(printed) == len(ROWS)
    for row, cells in zip(ROWS, printed, strict=True):
        assert cells[0].startswith(row)
        assert re.match(r"\d", cells[1])


def test_a_profile_names_what_the_threads_do(tmp_path: Path) -> None:
    profiled = run(tmp_path, "--profile", "in-a-row")
    assert "## the loop" in profiled
    assert "## stepfast-writer" in profiled
    assert "tottime" in profiled


@pytest.mark.skipif(sys.platform != "linux", reason="a library is preloaded for it")
def test_a_disk_can_be_made_slower_for_the_floor_and_for_the_engine(tmp_path: Path) -> None:
    said = run(tmp_path, "--only", "steps", "--sync", "5")
    assert "each sync takes 5 ms longer than the disk's" in said
    row = next(line for line in said.splitlines() if line.startswith("| a durable step in a row"))
    # Not how long it takes: what was added is in it, where it would be microseconds.
    taken = re.findall(r"([\d.]+) ms \(", row)
    assert len(taken) == 2 and all(float(each) >= 5 for each in taken)


@pytest.mark.parametrize(
    "part",
    [each if each == "looking" else pytest.param(each, marks=pytest.mark.campaign) for each in WINDOW_ROWS],
)
def test_every_row_of_the_window_is_printed(tmp_path: Path, part: str) -> None:
    roots = os.pathsep.join(str(ROOT / each) for each in ("store", "app", "resources"))
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            ROOT / "benchmarks" / "window.py",
            "--quick",
            "--folder",
            str(tmp_path),
            "--only",
            part,
        ],
        env={**os.environ, "PYTHONPATH": roots, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=100,
    )
    said = [line for line in done.stderr.splitlines() if not line.startswith("This plugin does not support")]
    assert (done.returncode, said) == (0, [])
    assert not any(tmp_path.iterdir()), "it takes away what it made"
    printed = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
    printed = [cells for cells in printed if cells[0] not in ("what", "---")]
    assert len(printed) == len(WINDOW_ROWS[part])
    for row, cells in zip(WINDOW_ROWS[part], printed, strict=True):
        assert cells[0].startswith(row)
        assert re.search(r"\d", " ".join(cells[1:]))
