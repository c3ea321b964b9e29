"""`start`, in processes of its own: what it prints where, and how it ends."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess

    from conftest import Stepfast

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals to send")


def test_stdout_is_the_id_and_stderr_the_rest(stepfast: Stepfast) -> None:
    done = stepfast("start", "greet", "--name", "Ann", "--wait")
    (shown,) = stepfast.json("list")
    assert done.stdout == f"{shown['id']}\n"
    assert shown["state"] == "completed"
    for said in ("completed in ", "hello Ann", "times said  1"):
        assert said in done.stderr


def test_inputs_reach_the_workflow(stepfast: Stepfast) -> None:
    stepfast(
        "start", "greet", "--name", "Bo", "--times", 2, "--loud", "--manner", "curt", "--id", "hi", "--wait"
    )
    shown = stepfast.json("show", "hi")
    assert shown["input"] == {"name": "Bo", "times": 2, "loud": True, "manner": "curt"}
    assert shown["result"] == {"said": "HELLO BOHELLO BO", "times_said": 2, "manner": "curt"}
    stepfast("start", "keep", "--here", "a/../b", "--input-id", "x", "--input-wait", "--id", "kept", "--wait")
    assert stepfast.json("show", "kept")["result"] == [str(stepfast.folder / "a/../b"), "x", True]


def test_problems_are_told_and_end_with_3(stepfast: Stepfast) -> None:
    few = stepfast("start", "flawed", "--problems", 20, "--id", "few", "--wait", exit_code=3)
    assert "completed with 20 problems" in few.stderr
    assert "file-19: cannot be read" in few.stderr
    assert " more: " not in few.stderr
    many = stepfast("start", "flawed", "--problems", 23, "--id", "many", "--wait", exit_code=3)
    assert "file-19: cannot be read" in many.stderr
    assert "file-20" not in many.stderr
    assert "and 3 more: stepfast --data " in many.stderr
    assert stepfast("show", "many").stdout.count("cannot be read") == 23
    assert stepfast.json("show", "many")["problems"] == 23


def test_a_failure_is_told_and_ends_with_1_until_its_cause_is_mended(stepfast: Stepfast) -> None:
    cause = stepfast.folder / "cause"
    cause.touch()
    typed = ("start", "break", "--cause", cause, "--id", "b", "--wait")
    failed = stepfast(*typed, exit_code=1)
    assert f"{cause} is in the way" in failed.stderr
    assert "retry b" in failed.stderr
    error = stepfast.json("show", "b")["error"]
    assert (error["type"], error["message"], error["step"]) == ("OSError", f"{cause} is in the way", "look")
    assert "in look" in error["traceback"]

    again = stepfast(*typed, exit_code=1)
    assert "b was started before, and is failed" in again.stderr
    cause.unlink()
    assert "no running process will carry it out" in stepfast("retry", "b").stderr
    assert "mended" in stepfast(*typed).stderr


def test_the_same_command_goes_on_with_the_same_workflow(stepfast: Stepfast) -> None:
    first = stepfast("start", "greet", "--name", "Ann")
    second = stepfast("start", "greet", "--name", "Ann")
    assert second.stdout == first.stdout
    assert f"already under way as {first.stdout.strip()} (queued); going on with it" in second.stderr
    assert stepfast("start", "greet", "--name", "Bo").stdout != first.stdout
    assert stepfast("start", "greet", "--name", "Ann", "--wait").stdout == first.stdout
    # What has finished is no longer under way: the same command means it once more.
    assert stepfast("start", "greet", "--name", "Ann").stdout != first.stdout


def test_the_same_id_never_starts_a_second_one(stepfast: Stepfast) -> None:
    stepfast("start", "greet", "--name", "Ann", "--id", "a", "--wait")
    again = stepfast("start", "greet", "--name", "Ann", "--id", "a", "--wait")
    assert "a was started before, and is completed" in again.stderr
    other = stepfast("start", "greet", "--name", "Bo", "--id", "a", "--wait", exit_code=1)
    assert other.stderr.startswith("stepfast: workflow 'a' was already started")
    assert len(stepfast.json("list")) == 1


def test_what_this_program_does_not_have_needs_one_that_loads_it(stepfast: Stepfast) -> None:
    stepfast("start", "nap", "--id", "n")
    stepfast("pause", "n")
    stepfast.environment["ONLY"] = "greet"
    said = f"start one with: stepfast --data {stepfast.data} work --load MODULE:ATTRIBUTE\n"
    assert stepfast("resume", "n").stderr.endswith(said)


def test_start_says_when_nobody_will_carry_it_out(stepfast: Stepfast) -> None:
    said = f"no running process will carry it out; start one with: stepfast --data {stepfast.data} work"
    assert said in stepfast("start", "nap").stderr
    worker = stepfast.begin("work")
    assert worker.stdout is not None
    assert "14 definitions" in worker.stdout.readline()
    stepfast.eventually(lambda: stepfast.json("list")[0]["state"] == "sleeping")
    assert "no running process" not in stepfast("start", "greet", "--name", "Ann").stderr
    worker.kill()
    worker.wait()
    assert said in stepfast("start", "hear").stderr


def test_who_lacks_the_definition_does_not_count(stepfast: Stepfast) -> None:
    stepfast.environment["ONLY"] = "nap"
    worker = stepfast.begin("work")
    assert worker.stdout is not None
    assert "1 definition: nap" in worker.stdout.readline()
    del stepfast.environment["ONLY"]
    # It says so before the file says what it can do.
    stepfast.eventually(lambda: "no running process" not in stepfast("start", "nap").stderr, "its offer")
    assert "no running process" in stepfast("start", "greet", "--name", "Ann").stderr


def test_a_question_ends_with_4_and_says_how_to_answer(stepfast: Stepfast) -> None:
    asked = stepfast("start", "ask", "--id", "q", "--wait", exit_code=4)
    assert asked.stdout == "q\n"
    assert f"stepfast --data {stepfast.data} answer q approved-by" in asked.stderr
    assert stepfast("answer", "q", "approved-by", '"Ann"').stdout == "q: approved-by is answered\n"
    assert "Ann" in stepfast("start", "ask", "--wait").stderr


def test_a_pause_ends_with_4_and_says_how_to_go_on(stepfast: Stepfast) -> None:
    waiting = stepfast.under_way("--id", "l")
    assert "asked to pause" in stepfast("pause", "l").stdout
    _, said = waiting.communicate(timeout=60)
    assert waiting.returncode == 4
    assert "resume l" in said
    assert stepfast.state("l") == "paused"
    again = stepfast("start", "long", "--until", "go", "--wait", exit_code=4)
    assert "already under way as l (paused)" in again.stderr
    assert "resume l" in stepfast("start", "long", "--until", "go").stderr

    stepfast("resume", "l")
    (stepfast.folder / "go").touch()
    stepfast("start", "long", "--until", "go", "--wait")
    assert (stepfast.folder / "go.first").read_text() == "x"


def test_a_cancelled_one_ends_with_1(stepfast: Stepfast) -> None:
    waiting = stepfast.under_way("--id", "l")
    stepfast("cancel", "l")
    _, said = waiting.communicate(timeout=60)
    assert (waiting.returncode, said.splitlines()[-1].split()[0]) == (1, "cancelled")


def test_a_message_and_a_timer_need_no_person(stepfast: Stepfast) -> None:
    for name, state in (("hear", "waiting"), ("nap", "sleeping")):
        waiting = stepfast.begin("start", name, "--id", name, "--wait")
        assert waiting.stderr is not None
        stepfast.eventually(lambda: waiting.stderr.readline().startswith(state))  # noqa: B023
        assert waiting.poll() is None
        stepfast("cancel", name)
        waiting.communicate(timeout=60)
        assert waiting.returncode == 1


def test_a_killed_one_goes_on_by_the_same_command(stepfast: Stepfast) -> None:
    killed = stepfast.under_way()
    killed.kill()
    killed.wait()
    (stepfast.folder / "go").touch()
    again = stepfast("start", "long", "--until", "go", "--wait")
    # Running as the killed one left it, or queued already where the takeover was quicker than the look.
    said = [f"already under way as {again.stdout.strip()} ({each})" for each in ("running", "queued")]
    assert again.stderr.startswith(tuple(f"{each}; going on with it" for each in said))
    assert (stepfast.folder / "go.first").read_text() == "x"


@POSIX
@pytest.mark.parametrize(("number", "exit_code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_parks_and_says_how_to_carry_on(stepfast: Stepfast, number: str, exit_code: int) -> None:
    process = stepfast.under_way("--id", "l")
    process.send_signal(getattr(signal, number))
    _, said = process.communicate(timeout=60)
    assert process.returncode == exit_code
    until = stepfast.folder / "go"
    assert f"stepfast --data {stepfast.data} start long --until {until} --wait --id l\n" in said
    assert f"stepfast --data {stepfast.data} work\n" in said
    assert "Traceback" not in said
    shown = stepfast.json("show", "l")
    assert (shown["state"], [step["name"] for step in shown["steps"]]) == ("queued", ["first"])


@POSIX
def test_a_step_that_does_not_let_go_is_left(stepfast: Stepfast) -> None:
    process = stepfast.begin("start", "deaf", "--until", "go", "--id", "d", "--wait")
    stepfast.eventually(lambda: stepfast.data.exists() and stepfast.json("list"))
    stepfast.eventually(lambda: stepfast.json("show", "d")["step"] == "second")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert "it carries on with\n" in said
    (stepfast.folder / "go").touch()
    stepfast("work", "--until-idle")
    assert stepfast.state("d") == "completed"


@POSIX
def test_what_another_process_carries_out_is_only_watched(stepfast: Stepfast) -> None:
    stepfast("start", "long", "--until", "go", "--id", "l")
    worker = stepfast.begin("work")
    stepfast.eventually(lambda: stepfast.json("show", "l")["step"] == "second")
    watching = stepfast.begin("start", "long", "--until", "go", "--wait")
    assert watching.stderr is not None
    assert "already under way as l (running)" in watching.stderr.readline()
    assert watching.stderr.readline() == "running\n"
    watching.send_signal(signal.SIGINT)
    _, said = watching.communicate(timeout=60)
    assert watching.returncode == 130
    assert said.startswith("stopped; l goes on in another process; watch it with\n")

    again = stepfast.begin("start", "long", "--until", "go", "--wait")
    assert again.stderr is not None
    again.stderr.readline()
    (stepfast.folder / "go").touch()
    assert "there" in again.communicate(timeout=60)[1]
    assert (again.returncode, worker.poll()) == (0, None)


@POSIX
def test_an_interrupt_is_heard_by_what_a_script_put_in_the_background(stepfast: Stepfast) -> None:
    stepfast.program = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *stepfast.program]
    process = stepfast.under_way("--id", "l")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130


@POSIX
def test_a_hangup_is_not_heard_under_nohup(stepfast: Stepfast) -> None:
    stepfast.program = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *stepfast.program]
    process = stepfast.under_way("--id", "l")
    process.send_signal(signal.SIGHUP)
    (stepfast.folder / "go").touch()
    assert process.wait(60) == 0


@POSIX
def test_a_second_signal_ends_it_whatever_blocks_it(stepfast: Stepfast) -> None:
    begun = stepfast.folder / "begun"
    process = stepfast.begin("start", "block", "--begun", begun, "--id", "b", "--wait")
    stepfast.eventually(begun.exists)
    process.send_signal(signal.SIGINT)
    # The first is heard when the handler puts the default back; before that the second would be merged.
    stepfast.eventually(lambda: _is_default(process, signal.SIGTERM))
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == -signal.SIGTERM


def _is_default(process: subprocess.Popen[str], number: int) -> bool:
    if not sys.platform.startswith("linux"):
        return True
    with open(f"/proc/{process.pid}/status") as status:
        caught = next(line.split()[1] for line in status if line.startswith("SigCgt"))
    return not int(caught, 16) >> (number - 1) & 1
