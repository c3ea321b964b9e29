"""What can be typed, and what is said to what cannot."""

import os
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

import pytest

from stepfast import Run, workflow
from stepfast.definitions.parameters import Help
from stepfast.errors import InvalidInput
from stepfast_desktop.cli.arguments import newest, parse
from stepfast_desktop.cli.inputs import request_of
from stepfast_desktop.cli.place import UsageError


@dataclass(frozen=True)
class Job:
    url: str
    to: Path


@workflow("copy")
async def copy(
    run: Run,
    source: Annotated[Path, Help("100% of it")],
    destination: Path,
    verify: bool = True,
    existing: Literal["skip", "overwrite"] = "skip",
    for_: timedelta = timedelta(minutes=90),
    id: str = "none",
    wait: bool = False,
) -> None:
    """Copies."""


@workflow("many")
async def many(run: Run, jobs: list[Job], others: tuple[Path, ...] = (), at: Path | None = None) -> None:
    """Takes more than one."""


@workflow("many", version=2)
async def many_anew(run: Run) -> None:
    """Takes nothing."""


DEFINITIONS = newest([copy, many])
FOLDERS = ["--source", "a", "--destination", "b"]


def inputs(*typed: str) -> dict[str, object]:
    return request_of(parse(["start", *typed], DEFINITIONS)).arguments


def test_inputs_are_options_and_paths_are_meant_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if os.name != "nt":  # where only some people may make links
        (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    assert inputs("copy", "--source", "./link/x/..", "--destination", "/b") == {
        "source": tmp_path / "link/x/..",
        "destination": Path("/b").absolute(),
        "verify": True,
        "existing": "skip",
        "for_": timedelta(minutes=90),
        "id": "none",
        "wait": False,
    }


def test_every_kind_of_input_can_be_typed() -> None:
    given = inputs("copy", *FOLDERS, "--no-verify", "--existing", "overwrite", "--for-", "2d")
    assert (given["verify"], given["existing"], given["for_"]) == (False, "overwrite", timedelta(days=2))
    assert inputs("copy", *FOLDERS, "--verify")["verify"] is True


def test_paths_inside_lists_and_records_are_meant_from_here_too() -> None:
    given = inputs("many", "--jobs", '[{"url": "x", "to": "a"}]', "--others", '["b"]')
    assert given == {"jobs": [Job("x", Path.cwd() / "a")], "others": (Path.cwd() / "b",), "at": None}
    assert inputs("many", "--jobs", "[]", "--at", "c")["at"] == Path.cwd() / "c"


def test_an_input_with_the_name_of_an_option_of_ours_gets_another() -> None:
    asked = parse(
        ["start", "copy", *FOLDERS, "--id", "mine", "--input-id", "theirs", "--input-wait"], DEFINITIONS
    )
    assert (asked.id, asked.wait) == ("mine", False)
    given = request_of(asked).arguments
    assert (given["id"], given["wait"]) == ("theirs", True)


@pytest.mark.parametrize(
    "typed",
    [
        ["--data", "d", "start", "--id", "i", "--wait", "copy", *FOLDERS],
        ["start", "--data", "d", "copy", "--id", "i", *FOLDERS, "--wait"],
        ["start", "copy", *FOLDERS, "--wait", "--id=i", "--data=d"],
        ["--data", "other", "start", "--id", "other", "copy", *FOLDERS, "--wait", "--id", "i", "--data", "d"],
    ],
)
def test_options_of_start_stand_anywhere(typed: list[str]) -> None:
    asked = parse(typed, DEFINITIONS)
    assert (asked.data, asked.id, asked.wait) == ("d", "i", True)
    assert request_of(asked).arguments["destination"] == Path.cwd() / "b"


@pytest.mark.parametrize("command", [["list"], ["show", "x"], ["pause", "x", "y"], ["work"], ["doctor"]])
def test_data_stands_before_or_after_a_command(command: list[str]) -> None:
    assert parse(["--data", "d", *command], DEFINITIONS).data == "d"
    assert parse([*command, "--data", "d"], DEFINITIONS).data == "d"
    assert parse(command, DEFINITIONS).data is None


def test_of_several_versions_the_newest_is_started() -> None:
    for definitions in ([many, many_anew], [many_anew, many]):
        assert parse(["start", "many"], newest(definitions)).definition is many_anew


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["start"], "start which workflow? There are: copy, many"),
        (["start", "cpoy"], "there is no workflow called 'cpoy'; there are: copy, many"),
        (["start", "--source", "a", "copy"], "--source stands before the name"),
    ],
)
def test_a_wrong_name_is_answered_by_the_right_ones(typed: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=f"^{said.replace('?', '.')}"):
        parse(typed, DEFINITIONS)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["start", "copy", "--source", "a"], "the following arguments are required: --destination"),
        (["start", "copy", *FOLDERS, "--verfy"], "unrecognized arguments: --verfy"),
        (["start", "copy", *FOLDERS, "--exist", "skip"], "unrecognized arguments: --exist skip"),
        (["start", "copy", *FOLDERS, "extra"], "unrecognized arguments: extra"),
        (["list", "--state", "done"], "invalid choice: 'done'"),
        (["list", "--jsn"], "unrecognized arguments: --jsn"),
        (["pause"], "the following arguments are required: ID"),
        (["answer", "x"], "the following arguments are required: KEY"),
        (["answer", "x", "key", "--again", "--give-up"], "not allowed with argument --again"),
        (["copy"], "invalid choice: 'copy'"),
    ],
)
def test_wrong_usage_is_one_sentence_after_the_right_one(
    typed: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        parse(typed, DEFINITIONS)
    assert end.value.code == 2
    written = capsys.readouterr()
    assert written.out == ""
    first, last = written.err.splitlines()[0], written.err.splitlines()[-1]
    assert first.startswith("usage: stepfast")
    assert last.startswith("stepfast: ")
    assert said in last


@pytest.mark.parametrize(
    ("typed", "usage"),
    [
        (["list", "--jsn"], "usage: stepfast list "),
        (["show", "a", "b"], "usage: stepfast show "),
        (["start", "copy", "extra", *FOLDERS], "usage: stepfast start copy "),
        (["--jsn"], "usage: stepfast [-h] "),
    ],
)
def test_what_nothing_is_known_of_is_answered_by_the_usage_of_its_command(
    typed: list[str], usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parse(typed, DEFINITIONS)
    assert capsys.readouterr().err.startswith(usage)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["copy", "--source", "", "--destination", "b"], "'source'"),
        (["copy", *FOLDERS, "--existing", "keep"], "'existing'.*skip.*overwrite"),
        (["copy", *FOLDERS, "--for-", "soon"], "'for_'.*duration"),
        (["many", "--jobs", "[{}]"], "'jobs'|jobs"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_the_name_of_its_input(typed: list[str], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        inputs(*typed)


def test_help_of_a_workflow_is_its_signature(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as end:
        parse(["start", "copy", "--help"], DEFINITIONS)
    assert end.value.code == 0
    shown = capsys.readouterr().out
    assert shown.startswith("usage: stepfast start copy --source PATH --destination PATH [OPTION ...]")
    for said in (
        "Copies.",
        "100% of it",
        "--verify, --no-verify",
        "--existing skip|overwrite",
        "(default: yes)",
    ):
        assert said in shown
    assert "(default: 1h30m)" in " ".join(shown.split())
    assert max(map(len, shown.splitlines())) <= 80


def test_help_lists_commands_and_workflows(capsys: pytest.CaptureFixture[str]) -> None:
    for typed, said in (
        (["--help"], "doctor"),
        (["start", "--help"], "copy"),
        (["list", "--help"], "blocked"),
    ):
        with pytest.raises(SystemExit) as end:
            parse(typed, DEFINITIONS)
        assert end.value.code == 0
        assert said in capsys.readouterr().out
