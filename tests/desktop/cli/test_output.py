"""Pipes, terminals, names that are no text, and errors: what is written, and what nothing may stop."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Stepfast

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")


def terminal(columns: int = 80) -> tuple[int, int]:
    """A terminal: the end that a person sees, and the end that the program gets."""
    import fcntl
    import struct
    import termios

    seen, given = os.openpty()
    fcntl.ioctl(given, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return seen, given


def read_until(seen: int, what: bytes) -> bytes:
    """What is on the terminal, up to `what` or to its end."""
    text = b""
    while what not in text:
        try:
            text += os.read(seen, 65536)
        except OSError:  # Linux: the program has closed it
            break
    return text


@POSIX
@pytest.mark.parametrize(("columns", "bar"), [(80, "████████░░░░░░░░░░░░"), (40, "███░░░░░░")])
def test_a_terminal_gets_one_line_that_is_redrawn(stepfast: Stepfast, columns: int, bar: str) -> None:
    seen, given = terminal(columns)
    process = stepfast.begin("start", "long", "--until", "go", "--id", "l", "--wait", stderr=given)
    os.close(given)
    shown = read_until(seen, b"40%")
    assert f"running  {bar}  40%" in shown.decode()
    (stepfast.folder / "go").touch()
    shown += read_until(seen, b"nothing: to its end")
    assert process.wait(60) == 0
    *drawn, last = shown.decode().split("\r", shown.count(b"\r") - shown.count(b"\r\n"))
    assert all("\n" not in line and len(line) < columns for line in drawn), drawn
    assert last.startswith("completed in ")


@POSIX
def test_a_dumb_terminal_gets_lines(stepfast: Stepfast) -> None:
    seen, given = terminal()
    stepfast.environment["TERM"] = "dumb"
    process = stepfast.begin("start", "greet", "--name", "Ann", "--id", "g", "--wait", stderr=given)
    os.close(given)
    assert b"\r" not in read_until(seen, b"nothing: to its end").replace(b"\r\n", b"\n")
    assert process.wait(60) == 0


@POSIX
def test_a_terminal_that_takes_no_output_stops_no_work(stepfast: Stepfast) -> None:
    """Ctrl+S, or a click into a Windows console: the copy must go on behind it."""
    import termios

    seen, given = terminal()
    termios.tcflow(given, termios.TCOOFF)
    process = stepfast.begin("start", "long", "--until", "go", "--id", "l", "--wait", stderr=given)
    stepfast.eventually(lambda: stepfast.data.exists() and stepfast.json("list"))
    stepfast.eventually(lambda: stepfast.json("show", "l")["step"] == "second")
    (stepfast.folder / "go").touch()
    stepfast.eventually(lambda: stepfast.state("l") == "completed")
    assert process.poll() is None
    termios.tcflow(given, termios.TCOON)
    assert b"completed in " in read_until(seen, b"completed in ")
    os.close(given)
    assert process.wait(60) == 0


@POSIX
def test_a_table_fits_the_terminal(stepfast: Stepfast) -> None:
    stepfast("start", "ask", "--id", "an-id-that-is-rather-long-but-not-cut", "--wait", exit_code=4)
    del stepfast.environment["COLUMNS"]
    seen, given = terminal(60)
    process = stepfast.begin("list", stdout=given)
    os.close(given)
    lines = read_until(seen, b"nothing: to its end").decode().splitlines()
    assert process.wait(60) == 0
    assert len(lines) == 2
    assert max(map(len, lines)) <= 60
    assert lines[1].startswith("an-id-that-is-rather-long-but-not-cut ")
    assert "for answer 'approved-by'" in stepfast("list").stdout


@pytest.mark.parametrize(
    "words", [["list"], ["list", "--json"], ["show", "g"], ["export"], ["--help"], ["doctor"]]
)
def test_a_reader_that_goes_away_is_no_error(stepfast: Stepfast, words: list[str]) -> None:
    stepfast("start", "greet", "--name", "Ann", "--id", "g")
    reading, writing = os.pipe()
    os.close(reading)
    process = stepfast.begin(*words, stdout=writing)
    os.close(writing)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, "")


def test_work_goes_on_when_nobody_reads_what_it_says(stepfast: Stepfast) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = stepfast.begin(
        "start", "greet", "--name", "A", "--id", "g", "--wait", stdout=writing, stderr=writing
    )
    os.close(writing)
    assert process.wait(60) == 0
    assert stepfast.state("g") == "completed"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_output_that_cannot_be_written_is_an_error_in_a_sentence(stepfast: Stepfast) -> None:
    stepfast("start", "greet", "--name", "Ann", "--id", "g")
    with open("/dev/full", "w") as full:
        process = stepfast.begin("list", "--json", stdout=full)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert said == "stepfast: the output cannot be written (No space left on device)\n"


def test_any_name_can_be_shown_anywhere(stepfast: Stepfast) -> None:
    done = stepfast("start", "twisted", "--id", "t", "--wait", exit_code=3)
    assert "\r" not in done.stderr.replace("\r\n", "\n")
    assert "\x1b" not in done.stderr + stepfast("show", "t").stdout
    assert "日本" in done.stderr
    stepfast.environment["PYTHONIOENCODING"] = "ascii"
    assert r"\u65e5\u672c" in stepfast("show", "t").stdout
    assert r"\u65e5\u672c" in stepfast("start", "twisted", "--id", "t", "--wait", exit_code=3).stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse a name that is no text")
def test_a_path_that_is_no_text_goes_in_and_comes_out(stepfast: Stepfast) -> None:
    stepfast("start", "keep", "--here", "a\udcff", "--id", "k", "--wait")
    assert stepfast.json("show", "k")["input"]["here"] == f"{stepfast.folder}/a?"


def test_an_error_of_ours_is_reported_as_one(stepfast: Stepfast) -> None:
    script = """
import sys
from stepfast_desktop.cli import commands, main

async def broken(*args, **options):
    raise ZeroDivisionError("nobody thought of it")

commands.list_ = broken
sys.exit(main(["list"]))
"""
    done = stepfast.python(script, exit_code=70)
    assert "ZeroDivisionError: nobody thought of it" in done.stderr
    assert done.stderr.endswith(
        "stepfast: this is a fault of Stepfast's, please report it with the lines above\n"
    )


def test_a_worker_says_that_it_works_once_others_can_see_what_it_carries_out(stepfast: Stepfast) -> None:
    """Or whoever starts something at that line would be told that nobody will carry it out."""
    script = """
import asyncio, sys
from stepfast import SqliteDurable
from stepfast_desktop.cli import main

offer = SqliteDurable.offer

async def late(durable, *given):
    await asyncio.sleep(0.2)
    await offer(durable, *given)
    print("offered", flush=True)

SqliteDurable.offer = late
sys.exit(main(["work", "--until-idle"]))
"""
    said = stepfast.python(script).stdout.splitlines()
    assert said[0] == "offered" and said[1].startswith("working on ")


def test_a_place_that_cannot_be_is_an_error_in_a_sentence(stepfast: Stepfast) -> None:
    (stepfast.folder / "file").touch()
    stepfast.data = stepfast.folder / "file"
    stepfast.options = ["--data", str(stepfast.data)]
    for words in (["start", "nap"], ["work"], ["list"], ["doctor"]):
        refused = stepfast(*words, exit_code=1).stderr
        assert refused.startswith(f"stepfast: {stepfast.data} is a file; ")
        assert len(refused.splitlines()) == 1


def test_the_program_as_it_is_shipped_imports_no_qt(stepfast: Stepfast) -> None:
    script = """
import sys
sys.argv = ["stepfast", "--data", sys.argv[1], "list"]
from stepfast_desktop.__main__ import main
main()
print([name for name in sys.modules if name.split(".")[0] in ("PySide6", "shiboken6", "qasync")])
"""
    assert stepfast.python(script, stepfast.data).stdout == "[]\n"


def test_the_module_is_the_program(stepfast: Stepfast) -> None:
    stepfast.program = [sys.executable, "-m", "stepfast_desktop"]
    assert "copy-folder" in stepfast("start", "--help").stdout
    stepfast.options = []
    plain = stepfast(exit_code=2)
    assert plain.stderr.startswith("stepfast: there is no display for the window")
    assert plain.stdout == ""
    assert "there are: copy-folder" in stepfast("start", "nonsense", exit_code=2).stderr


def test_a_folder_is_copied_by_the_command_of_the_readme(stepfast: Stepfast) -> None:
    stepfast.program = [sys.executable, "-m", "stepfast_desktop"]
    source = stepfast.folder / "source"
    (source / "sub").mkdir(parents=True)
    (source / "sub" / "name").write_text("content")
    done = stepfast("start", "copy-folder", "--source", "source", "--destination", "copy", "--wait")
    assert (stepfast.folder / "copy" / "sub" / "name").read_text() == "content"
    shown = stepfast.json("show", done.stdout.strip())
    assert shown["state"] == "completed"
    assert shown["input"]["source"] == str(source)


def test_what_is_loaded_is_remembered_for_the_folder_by_a_worker_and_by_nobody_else(
    stepfast: Stepfast,
) -> None:
    stepfast.program = [sys.executable, "-m", "stepfast_desktop"]
    (stepfast.folder / "mine.py").write_text(
        "from stepfast import Run, workflow\n"
        "@workflow('my-own')\n"
        "async def my_own(run: Run, number: int) -> int:\n"
        "    return await run.step('double', lambda: 2 * number)\n"
    )
    unknown = stepfast("start", "my-own", "--number", "4", exit_code=2)
    assert "there is no workflow called 'my-own'" in unknown.stderr
    stepfast("start", "my-own", "--number", "4", "--id", "a", "--load", "mine:my_own")
    assert "there is no workflow" in stepfast("start", "my-own", "--number", "4", exit_code=2).stderr

    stepfast("work", "--until-idle", "--load", "mine:my_own")
    assert '"result": 8' in stepfast("show", "a", "--json").stdout

    stepfast("start", "my-own", "--number", "5", "--id", "b", "--wait")
    kept = [each.name for each in stepfast.data.iterdir()]
    assert not any("settings" in name for name in kept), "it is the user's, and not the folder's"
    stepfast.options = ["--data", str(stepfast.folder / "another")]
    assert "there is no workflow" in stepfast("start", "my-own", "--number", "4", exit_code=2).stderr


def test_what_cannot_be_loaded_says_how_far_it_led(stepfast: Stepfast) -> None:
    (stepfast.folder / "mine.py").write_text("other = 3\n")
    for reference, said in (
        ("mine", "write MODULE:ATTRIBUTE"),
        ("nothing_like_it:x", "cannot be imported"),
        ("mine:x", "has no 'x'"),
        ("mine:other", "is of type int"),
    ):
        assert said in stepfast("list", "--load", reference, exit_code=2).stderr


BROKEN = {
    "def x(:": "invalid syntax (mine.py, line 2)",
    "1 / 0": "ZeroDivisionError: division by zero (mine.py, line 2)",
    "raise SystemExit(3)": 'it ends the program (3); that belongs under `if __name__ == "__main__":`',
    "from stepfast import workflow; workflow('x', version=0)": "DefinitionError: the version of 'x' is 0",
}


@pytest.mark.parametrize("line", BROKEN)
def test_a_module_that_breaks_while_it_is_imported_is_named_with_the_line(
    line: str, stepfast: Stepfast
) -> None:
    (stepfast.folder / "mine.py").write_text(f"# what somebody is just writing\n{line}\n")
    refused = stepfast("list", "--load", "mine:x", exit_code=2).stderr
    assert refused.startswith("stepfast: 'mine' of --load mine:x cannot be imported: ")
    assert BROKEN[line] in refused
    assert refused.count("\n") == 1


def test_a_module_that_was_remembered_and_breaks_later_keeps_nobody_from_working(stepfast: Stepfast) -> None:
    stepfast.program = [sys.executable, "-m", "stepfast_desktop"]
    mine = stepfast.folder / "mine.py"
    mine.write_text(
        "from stepfast import Run, workflow\n@workflow('my-own')\nasync def my_own(run: Run) -> None: ...\n"
    )
    stepfast("work", "--until-idle", "--load", "mine:my_own")
    mine.write_text("1 / 0\n")
    listed = stepfast("list")
    assert "ZeroDivisionError: division by zero (mine.py, line 1); going on without it" in listed.stderr
