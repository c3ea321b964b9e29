"""Every command but `start`, in processes of its own."""

from __future__ import annotations

import json
import signal
import sqlite3
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Stepfast

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals to send")


# ----------------------------------------------------------------------------------------------- list


def test_list_shows_pending_ones_first_and_the_newest_of_them_first(stepfast: Stepfast) -> None:
    for id in ("old", "done", "new"):
        stepfast("start", "greet", "--name", id, "--id", id)
    stepfast("cancel", "done")
    assert [row["id"] for row in stepfast.json("list")] == ["new", "old", "done"]
    assert [line.split()[0] for line in stepfast("list").stdout.splitlines()] == ["ID", "new", "old", "done"]


def test_list_takes_several_states(stepfast: Stepfast) -> None:
    for id in ("a", "b", "c"):
        stepfast("start", "greet", "--name", id, "--id", id)
    stepfast("pause", "a")
    stepfast("cancel", "b")
    assert [row["id"] for row in stepfast.json("list", "--state", "paused")] == ["a"]
    both = stepfast.json("list", "--state", "queued", "--state", "cancelled")
    assert [row["id"] for row in both] == ["c", "b"]
    none = stepfast("list", "--state", "failed")
    assert (none.stdout, none.stderr) == ("", "no workflow is failed\n")


def test_list_has_all_rows_however_many(stepfast: Stepfast) -> None:
    script = """
import asyncio, sys
from stepfast import Engine
from tiny_program import ALL, greet

async def main():
    async with Engine.open(sys.argv[1], ALL, work=False) as engine:
        await asyncio.gather(*(engine.start(greet(name=str(n)), id=str(n)) for n in range(2100)))

asyncio.run(main())
"""
    stepfast("start", "greet", "--name", "first")
    stepfast.python(script, stepfast.data / "stepfast.db")
    rows = stepfast.json("list")
    assert len({row["id"] for row in rows}) == len(rows) == 2101
    assert len(stepfast("list").stdout.splitlines()) == 2102


def test_looking_makes_no_file(stepfast: Stepfast) -> None:
    assert stepfast.json("list") == []
    assert stepfast("list").stderr == "no workflow was started yet\n"
    for command in ("show", "pause", "resume", "cancel", "retry", "delete"):
        stepfast(command, "x", exit_code=1)
    stepfast("answer", "x", "key", "1", exit_code=1)
    stepfast("doctor")
    assert not stepfast.data.exists()


def test_the_environment_names_the_data_folder_and_an_option_another(stepfast: Stepfast) -> None:
    stepfast.environment["STEPFAST_DATA"] = str(stepfast.folder / "theirs")
    stepfast("start", "nap")
    stepfast.program.append("--version")  # Ends before --data is looked at.
    assert stepfast("list").stdout.startswith("stepfast ")
    stepfast.program.pop()
    assert (stepfast.data / "stepfast.db").exists()
    assert not (stepfast.folder / "theirs").exists()
    stepfast.options = []
    stepfast("start", "nap", "--id", "theirs")
    assert [row["id"] for row in stepfast.json("list")] == ["theirs"]
    assert (stepfast.folder / "theirs" / "stepfast.db").exists()
    assert stepfast("list", "--data", "", exit_code=2).stderr.startswith("stepfast: --data is empty")


# ----------------------------------------------------------------------------------------------- show


def test_show_tells_what_there_is(stepfast: Stepfast) -> None:
    stepfast("start", "greet", "--name", "Ann", "--id", "a", "--wait")
    shown = stepfast("show", "a").stdout
    for said in (
        "greet, version 1",
        "completed",
        "name    Ann",
        "loud    no",
        "hello Ann",
        "say",
        "said hello",
    ):
        assert said in shown
    details = stepfast.json("show", "a")
    assert [step["name"] for step in details["steps"]] == ["say"]
    assert [line["text"] for line in details["log"]] == ["said hello Ann"]
    assert set(details) - set(stepfast.json("list")[0]) == {"input", "result", "error", "steps", "log"}


def test_show_says_what_to_do(stepfast: Stepfast) -> None:
    stepfast("start", "ask", "--id", "q", "--wait", exit_code=4)
    assert "answer q approved-by" in stepfast("show", "q").stdout
    unknown = stepfast("show", "nobody", exit_code=1)
    assert unknown.stderr.startswith("stepfast: there is no workflow 'nobody'")
    assert unknown.stdout == ""


# ------------------------------------------------------------------------------------ pause and others


def test_one_that_cannot_be_changed_stops_none_of_the_others(stepfast: Stepfast) -> None:
    for id in ("a", "b"):
        stepfast("start", "nap", "--id", id)
    done = stepfast("pause", "a", "nobody", "b", exit_code=1)
    assert done.stdout == "a: paused\nb: paused\n"
    assert done.stderr.startswith("stepfast: there is no workflow 'nobody'")
    done = stepfast("resume", "a", "b")
    assert done.stdout == "a: queued\nb: queued\n"
    assert done.stderr.count("no running process will carry it out") == 2


def test_cancel_retry_and_delete_lead_out_of_the_list(stepfast: Stepfast) -> None:
    stepfast("start", "greet", "--name", "Ann", "--id", "a")
    refused = stepfast("delete", "a", exit_code=1)
    assert refused.stderr == (
        f"stepfast: workflow 'a' is queued; cancel it first: stepfast --data {stepfast.data} cancel a\n"
    )
    assert stepfast("cancel", "a").stdout == "a: cancelled\n"
    stepfast("cancel", "a", exit_code=1)
    stepfast("retry", "a")
    stepfast("work", "--until-idle")
    assert stepfast.state("a") == "completed"
    stepfast("retry", "a", exit_code=1)
    assert stepfast("delete", "a", "a").stdout == "a: deleted; files that it made stay where they are\n"
    assert stepfast.json("list") == []
    stepfast("show", "a", exit_code=1)


# --------------------------------------------------------------------------------------------- answer


def test_the_first_answer_stands(stepfast: Stepfast) -> None:
    stepfast("start", "ask", "--id", "q")
    stepfast("answer", "q", "approved-by", '"Ann"')
    stepfast("answer", "q", "approved-by", '"Ann"')
    second = stepfast("answer", "q", "approved-by", '"Bo"', exit_code=1)
    assert 'answered before, with "Ann"; the first answer stands' in second.stderr
    stepfast("work", "--until-idle")
    assert stepfast.json("show", "q")["result"] == "Ann"
    late = stepfast("answer", "q", "other", "1", exit_code=1)
    assert late.stderr == "stepfast: workflow 'q' is already completed, so nothing can reach it\n"


@pytest.mark.parametrize("value", ["Ann", "", "{'a': 1}", "NaN", "1 2", '"half', '"\\ud800"', "[" * 100_000])
def test_an_answer_that_is_no_json_is_wrong_usage(stepfast: Stepfast, value: str) -> None:
    stepfast("start", "ask", "--id", "q")
    refused = stepfast("answer", "q", "approved-by", value, exit_code=2)
    assert refused.stderr.startswith("stepfast: the answer ")
    assert len(refused.stderr) < 400
    stepfast("answer", "q", "approved-by", '"Ann"')


def test_an_answer_of_another_kind_is_refused_for_the_first_one_stands(stepfast: Stepfast) -> None:
    stepfast("start", "confirm", "--id", "q", "--wait", exit_code=4)
    refused = stepfast("answer", "q", "sure", '"yes"', exit_code=2)
    assert refused.stderr == (
        "stepfast: the answer 'sure' is 'yes', which is not of type bool; it needs yes or no, "
        "as JSON such as true\n"
    )
    stepfast("answer", "q", "sure", "true")
    stepfast("work", "--until-idle")
    assert stepfast.json("show", "q")["result"] is True


def test_an_answer_that_nobody_asked_for_is_told(stepfast: Stepfast) -> None:
    stepfast("start", "ask", "--id", "q", "--wait", exit_code=4)
    assert "mind that it waits for 'approved-by'" in stepfast("answer", "q", "aproved-by", "1").stderr
    stepfast("answer", "nobody", "key", "1", exit_code=1)


# ----------------------------------------------------------------------------------------------- work


def test_work_until_idle_does_all_that_is_there(stepfast: Stepfast) -> None:
    for id in ("a", "b", "c"):
        stepfast("start", "greet", "--name", id, "--id", id)
    stepfast("start", "nap")
    stepfast("start", "ask")
    stepfast("pause", "c")
    assert stepfast("work", "--until-idle").stdout.startswith(f"working on {stepfast.data / 'stepfast.db'}")
    states = {row["name"] + row["id"][:1]: row["state"] for row in stepfast.json("list")}
    assert states == {
        "greeta": "completed",
        "greetb": "completed",
        "greetc": "paused",
        "napn": "sleeping",
        "aska": "waiting",
    }
    stepfast("work", "--until-idle")


def test_work_until_idle_waits_for_a_step_that_takes_long(stepfast: Stepfast) -> None:
    stepfast("start", "long", "--until", "go", "--id", "l")
    worker = stepfast.begin("work", "--until-idle")
    stepfast.eventually(lambda: stepfast.json("show", "l")["step"] == "second")
    assert worker.poll() is None
    (stepfast.folder / "go").touch()
    assert worker.wait(60) == 0
    assert stepfast.state("l") == "completed"


def test_a_worker_carries_on_what_a_killed_one_left(stepfast: Stepfast) -> None:
    killed = stepfast.under_way("--id", "l")
    killed.kill()
    killed.wait()
    (stepfast.folder / "go").touch()
    stepfast("work", "--until-idle")
    assert stepfast.state("l") == "completed"
    assert (stepfast.folder / "go.first").read_text() == "x"


@pytest.mark.parametrize(
    ("said", "state", "paid"),
    [(['"by hand"'], "completed", "x"), (["--again"], "completed", "xx"), (["--give-up"], "failed", "x")],
    ids=["it happened", "again", "give up"],
)
def test_a_step_that_was_killed_is_asked_about_and_does_what_is_said(
    stepfast: Stepfast, said: list[str], state: str, paid: str
) -> None:
    killed = stepfast.begin("start", "pay", "--until", stepfast.folder / "go", "--wait", "--id", "p")
    paid_file = stepfast.folder / "go.paid"
    stepfast.eventually(lambda: paid_file.exists() and paid_file.read_text(), "the step")
    killed.kill()
    killed.wait()
    (stepfast.folder / "go").touch()
    stepfast("work", "--until-idle")
    assert stepfast.state("p") == "blocked"
    assert "step 'transfer' was interrupted" in stepfast("show", "p").stdout
    stepfast("answer", "p", "transfer", exit_code=2)
    assert "other" in stepfast("answer", "p", "other", "--again", exit_code=2).stderr
    stepfast("answer", "p", "transfer", *said)
    stepfast("work", "--until-idle")
    assert stepfast.state("p") == state
    assert paid_file.read_text() == paid


def test_a_rerun_is_a_new_workflow_with_what_came_before_the_step(stepfast: Stepfast) -> None:
    stepfast("start", "long", "--until", "go", "--id", "l")
    (stepfast.folder / "go").touch()
    stepfast("work", "--until-idle")
    assert "has no step 'third'" in stepfast("rerun", "l", "third", exit_code=2).stderr
    assert stepfast("rerun", "l", "second", "--new-id", "l2").stdout == "l2\n"
    stepfast("work", "--until-idle")
    assert (stepfast.state("l"), stepfast.state("l2")) == ("completed", "completed")
    assert (stepfast.folder / "go.first").read_text() == "x", "the first step did not run again"


@POSIX
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_a_worker_parks_and_ends_well(stepfast: Stepfast, number: str) -> None:
    stepfast("start", "long", "--until", "go", "--id", "l")
    worker = stepfast.begin("work")
    stepfast.eventually(lambda: stepfast.json("show", "l")["step"] == "second")
    worker.send_signal(getattr(signal, number))
    _, said = worker.communicate(timeout=60)
    assert (worker.returncode, said) == (
        0,
        "stopped; what was running is parked, and carries on with the next worker\n",
    )
    assert stepfast.state("l") == "queued"


@POSIX
def test_a_worker_that_was_to_finish_and_did_not_says_so(stepfast: Stepfast) -> None:
    stepfast("start", "long", "--until", "go", "--id", "l")
    worker = stepfast.begin("work", "--until-idle")
    stepfast.eventually(lambda: stepfast.json("show", "l")["step"] == "second")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(60) == 143


# --------------------------------------------------------------------------------------------- doctor


def test_doctor_says_that_all_is_well(stepfast: Stepfast) -> None:
    stepfast("start", "nap")
    shown = stepfast("doctor").stdout
    for said in ("Stepfast", sys.version.split()[0], sqlite3.sqlite_version, str(stepfast.data), "1 queued"):
        assert said in shown
    assert shown.endswith("All is well.\n")


def test_doctor_says_what_is_not_well(stepfast: Stepfast) -> None:
    stepfast("start", "nap")
    file = stepfast.data / "stepfast.db"
    size = file.stat().st_size
    with file.open("r+b") as damaged:
        damaged.seek(size // 4096 // 2 * 4096)
        damaged.write(b"\xff" * (size // 2))
    shown = stepfast("doctor", exit_code=1).stdout
    assert "NOT WELL" in shown
    assert sys.version.split()[0] in shown
    file.write_bytes(b"no database" * 1000)
    assert "NOT WELL" in stepfast("doctor", exit_code=1).stdout


# --------------------------------------------------------------------------------------------- sweep


def test_sweep_deletes_what_has_finished_and_says_which(stepfast: Stepfast) -> None:
    assert stepfast("sweep").stdout == ""
    assert not stepfast.data.exists()
    for id in ("a", "b", "c"):
        stepfast("start", "greet", "--name", id, "--id", id, "--wait")
    stepfast("start", "greet", "--name", "d", "--id", "d")
    assert stepfast("sweep").stdout == "", "by default nothing goes so soon"
    swept = stepfast("sweep", "--keep", 2)
    assert (swept.stdout, swept.stderr) == ("a\n", "1 workflow deleted; files that they made stay\n")
    assert stepfast("sweep", "--older-than", "1h").stdout == ""
    assert stepfast("sweep", "--older-than", "0s").stdout == "b\nc\n"
    assert [row["id"] for row in stepfast.json("list")] == ["d"]
    for wrong in (["--keep", "-1"], ["--keep", "few"], ["--older-than", "30"], ["--older-than", "-1d"]):
        assert stepfast("sweep", *wrong, exit_code=2).stderr.startswith(("usage:", "stepfast:"))


def test_the_settings_say_what_sweep_and_work_delete(stepfast: Stepfast) -> None:
    for id in ("a", "b"):
        stepfast("start", "greet", "--name", id, "--id", id, "--wait")
    settings = stepfast.folder / "config" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(json.dumps({str(stepfast.data): {"retention": {"days": None, "keep": 1}}}))
    assert stepfast("sweep").stdout == "a\n"
    settings.write_text(json.dumps({str(stepfast.data): {"retention": {"days": -1}}}))
    swept = stepfast("sweep")
    assert swept.stdout == ""
    assert "retention" in swept.stderr


def test_a_worker_keeps_to_the_limits_that_were_set_in_the_window(stepfast: Stepfast) -> None:
    settings = stepfast.folder / "config" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(
        json.dumps({str(stepfast.data): {"limits": {"long": 1, "missing": 2, "nap": "many"}}})
    )
    gate = stepfast.folder / "gate"
    for id in ("a", "b"):
        stepfast("start", "long", "--until", gate, "--id", id)
    stepfast.begin("work")
    stepfast.eventually(lambda: stepfast.state("a") == "running")
    assert stepfast.state("b") == "queued"
    settings.write_text("{}")  # lifted while the worker runs
    stepfast.eventually(lambda: stepfast.state("b") == "running")
    gate.touch()
    stepfast.eventually(lambda: stepfast.state("b") == "completed")
