"""`backup`, `export`, `restore`, and what `doctor` says of them, in processes of their own."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Stepfast

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals to send")
EXPORTED = {
    "id",
    "name",
    "version",
    "state",
    "created_at",
    "started_at",
    "finished_at",
    "removed_at",
    "input",
    "result",
    "error",
    "problems",
    "records",
    "log",
}


def file_of(stepfast: Stepfast) -> Path:
    return stepfast.data / "stepfast.db"


def keep_a_backup(stepfast: Stepfast, day: str) -> Path:
    """As if one had been made by itself."""
    folder = stepfast.data / "stepfast.db-backups"
    folder.mkdir(exist_ok=True)
    kept = folder / f"{day}T03-15-00Z-schema-2.db"
    stepfast("backup", kept)
    return kept


# -------------------------------------------------------------------------------------------- backup


def test_backup_prints_where_the_copy_is_and_the_copy_is_a_file_like_the_first(stepfast: Stepfast) -> None:
    stepfast("start", "greet", "--name", "Ann", "--id", "a", "--wait")
    made = stepfast("backup", "copy.db")
    assert [each.name for each in stepfast.data.iterdir()] == ["stepfast.db"]
    assert made.stdout == f"{stepfast.folder / 'copy.db'}\n"
    assert made.stderr.startswith("1 workflow, ") and made.stderr.endswith("; checked, and whole\n")
    other = stepfast.folder / "other"
    other.mkdir()
    shutil.move(stepfast.folder / "copy.db", other / "stepfast.db")
    stepfast.options = ["--data", str(other)]
    assert stepfast.json("show", "a")["result"]["said"] == "hello Ann"


def test_backup_works_beside_a_worker_and_into_a_folder(stepfast: Stepfast) -> None:
    stepfast.under_way("--id", "long")
    made = Path(stepfast("backup", stepfast.folder).stdout.strip())
    assert made.parent == stepfast.folder and made.name.startswith("stepfast-20")
    with closing(sqlite3.connect(made)) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert copy.execute("SELECT id, state FROM stepfast_workflows").fetchall() == [("long", "running")]


def test_backup_overwrites_nothing_and_says_what_it_needs(stepfast: Stepfast) -> None:
    assert "there is no file at" in stepfast("backup", "copy.db", exit_code=1).stderr
    assert not stepfast.data.exists()
    stepfast("start", "nap")
    (stepfast.folder / "copy.db").write_text("my thesis")
    assert "nothing is overwritten" in stepfast("backup", "copy.db", exit_code=2).stderr
    assert (stepfast.folder / "copy.db").read_text() == "my thesis"
    assert "names no file" in stepfast("backup", "", exit_code=2).stderr
    assert "TARGET" in stepfast("backup", exit_code=2).stderr
    assert "missing" in stepfast("backup", "missing/copy.db", exit_code=1).stderr


HELD = """
import signal, sys, time
from pathlib import Path
from stepfast_desktop.cli import copies, main
from tiny_program import ALL

back_up = copies.back_up

def held(path, target, *, unwanted):
    def asked():
        Path("in the middle").touch()
        while not unwanted():
            time.sleep(0.01)
        return True

    return back_up(path, target, unwanted=asked)

copies.back_up = held
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main(definitions=ALL))
"""
"""The program, whose backups come to the middle and no further, however fast the disk is."""


@POSIX
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_backup_that_is_stopped_leaves_nothing(stepfast: Stepfast, number: signal.Signals) -> None:
    stepfast("start", "nap")
    with closing(sqlite3.connect(file_of(stepfast))) as theirs:
        theirs.execute("CREATE TABLE theirs (value)")
        theirs.executemany("INSERT INTO theirs VALUES (zeroblob(?))", [(1_000_000,)] * 4)
        theirs.commit()
    target = stepfast.folder / "target"
    target.mkdir()
    stepfast.program = [sys.executable, "-c", HELD]
    process = stepfast.begin("backup", target / "copy.db")
    stepfast.eventually((stepfast.folder / "in the middle").exists)
    assert list(target.iterdir()) != []
    process.send_signal(number)
    assert process.wait(60) == 128 + number
    assert list(target.iterdir()) == []


# -------------------------------------------------------------------------------------------- export


def test_export_has_a_line_for_each_workflow_with_all_that_is_recorded(stepfast: Stepfast) -> None:
    stepfast("start", "greet", "--name", "Ann", "--id", "a", "--wait")
    (stepfast.folder / "cause").touch()
    stepfast("start", "break", "--cause", "cause", "--id", "b", "--wait", exit_code=1)
    stepfast("start", "nap", "--id", "c")
    lines = [json.loads(line) for line in stepfast("export").stdout.splitlines()]
    assert [line["id"] for line in lines] == ["c", "b", "a"]
    assert {frozenset(line) for line in lines} == {frozenset(EXPORTED)}
    greet = lines[2]
    assert (greet["state"], greet["input"]["name"], greet["result"]["said"]) == (
        "completed",
        "Ann",
        "hello Ann",
    )
    (record,) = greet["records"]
    assert (record["kind"], record["name"], record["value"]) == ("step", "say", "hello Ann")
    assert set(record) == {"kind", "name", "value", "started_at", "recorded_at", "attempts"}
    assert greet["log"][0]["text"] == "said hello Ann"
    assert set(lines[1]["error"]) == {"type", "message", "step", "traceback"}
    made = stepfast("export", "all.jsonl")
    assert made.stdout == f"{stepfast.folder / 'all.jsonl'}\n" and made.stderr == "3 workflows\n"
    written = (stepfast.folder / "all.jsonl").read_text("ascii").splitlines()
    assert list(map(json.loads, written)) == lines
    assert "nothing is overwritten" in stepfast("export", "all.jsonl", exit_code=2).stderr


def test_the_page_has_each_field_of_an_export() -> None:
    page = (Path(__file__).parents[3] / "docs" / "command-line.md").read_text("utf-8")
    assert [field for field in EXPORTED if f"`{field}`" not in page] == []


# ------------------------------------------------------------------------------------------- restore


def test_a_damaged_file_is_told_with_the_command_that_helps_and_the_command_helps(stepfast: Stepfast) -> None:
    stepfast("start", "greet", "--name", "Ann", "--id", "a", "--wait")
    kept = keep_a_backup(stepfast, "2026-11-28")
    stepfast("start", "nap", "--id", "since")
    file = file_of(stepfast)
    with file.open("r+b") as damaged:
        damaged.truncate(20_000)
    before = file.read_bytes()
    command = f"stepfast --data {stepfast.data} restore"
    for words in (["list"], ["start", "nap"], ["work", "--until-idle"], ["show", "a"]):
        said = stepfast(*words, exit_code=1).stderr
        assert "is damaged" in said and "of 2026-11-28" in said and said.endswith(f"    {command}\n")
        assert file.read_bytes() == before
    shown = stepfast("doctor", exit_code=1).stdout
    assert "NOT WELL" in shown and shown.endswith(f"    {command}\n")
    assert "BACKUPS\n  2026-11-28" in shown and "1 workflow, " in shown
    planned = stepfast("restore", exit_code=1)
    assert planned.stdout == "" and "the file there is damaged; it is set aside and kept" in planned.stderr
    assert str(kept) in planned.stderr and planned.stderr.endswith(f"    {command} --yes\n")
    assert file.read_bytes() == before
    done = stepfast("restore", "--yes")
    (aside,) = done.stdout.splitlines()
    assert Path(aside).read_bytes() == before and Path(aside).name.startswith("stepfast.db.damaged-20")
    assert "is the backup of 2026-11-28" in done.stderr and "with 1 workflow" in done.stderr
    assert [row["id"] for row in stepfast.json("list")] == ["a"]
    shown = stepfast("doctor").stdout
    assert f"SET ASIDE\n  {aside}\n" in shown and shown.endswith("All is well.\n")


def test_restore_says_what_a_file_that_is_whole_would_lose(stepfast: Stepfast) -> None:
    stepfast("start", "nap", "--id", "a")
    copy = stepfast("backup", "copy.db").stdout.strip()
    stepfast("start", "nap", "--id", "b")
    said = stepfast("restore", "copy.db", exit_code=1).stderr
    assert "mind that the file there is whole, and has 2 workflows" in said
    assert said.endswith(f"    stepfast --data {stepfast.data} restore {copy} --yes\n")
    (aside,) = stepfast("restore", "copy.db", "--yes").stdout.splitlines()
    assert ".replaced-" in aside
    assert [row["id"] for row in stepfast.json("list")] == ["a"]


def test_restore_is_refused_under_a_worker(stepfast: Stepfast) -> None:
    worker = stepfast.under_way("--id", "long")
    copy = stepfast("backup", "copy.db").stdout.strip()
    said = stepfast("restore", copy, "--yes", exit_code=1).stderr
    assert f"is open in process {worker.pid}; close that program first" in said
    assert stepfast.state("long") == "running"


def test_restore_passes_over_a_backup_that_is_damaged_itself(stepfast: Stepfast) -> None:
    stepfast("start", "nap", "--id", "a")
    keep_a_backup(stepfast, "2026-11-27")
    newest = keep_a_backup(stepfast, "2026-11-28")
    newest.write_bytes(b"no database")
    file_of(stepfast).write_bytes(b"")
    assert "2026-11-28 03:15  damaged itself" in stepfast("doctor", exit_code=1).stdout.replace(
        _local("2026-11-28"), "2026-11-28 03:15"
    )
    said = stepfast("restore", exit_code=1).stderr
    assert f"passed over, since they are damaged themselves:\n    {newest}" in said
    stepfast("restore", "--yes")
    assert [row["id"] for row in stepfast.json("list")] == ["a"]


def _local(day: str) -> str:
    from datetime import UTC, datetime

    return f"{datetime.fromisoformat(f'{day}T03:15').replace(tzinfo=UTC).astimezone():%Y-%m-%d %H:%M}"


def test_without_a_backup_it_is_said_what_else_there_is_to_do(stepfast: Stepfast) -> None:
    stepfast("start", "nap")
    assert "there is no backup of" in stepfast("restore", exit_code=1).stderr
    assert "there is no file at" in stepfast("restore", "missing.db", exit_code=2).stderr
    with file_of(stepfast).open("r+b") as damaged:
        damaged.truncate(20_000)
    assert ".recover" in stepfast("list", exit_code=1).stderr
    assert ".recover" in stepfast("doctor", exit_code=1).stdout


def test_a_file_that_is_gone_can_be_had_back(stepfast: Stepfast) -> None:
    stepfast("start", "nap", "--id", "a")
    keep_a_backup(stepfast, "2026-11-28")
    file_of(stepfast).unlink()
    shown = stepfast("doctor").stdout
    assert "There are backups of one that is gone" in shown
    assert "there is no file in that place" in stepfast("restore", exit_code=1).stderr
    assert stepfast("restore", "--yes").stdout == ""
    assert [row["id"] for row in stepfast.json("list")] == ["a"]
