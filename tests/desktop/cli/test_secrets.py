"""Secrets on the command line: asked for, or read from a variable, and never among the arguments."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Stepfast

needs_keyring = pytest.mark.skipif(importlib.util.find_spec("keyring") is None, reason="keyring is not here")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals on Windows")


@pytest.fixture
def keyring(stepfast: Stepfast) -> Path:
    """What the password store holds."""
    file = stepfast.folder.with_name(stepfast.folder.name + "-keyring") / "texts.json"
    file.parent.mkdir()
    stepfast.environment |= {
        "PYTHON_KEYRING_BACKEND": "file_keyring.FileKeyring",
        "KEYRING_FILE": str(file),
    }
    return file


def texts_of(keyring: Path) -> list[str]:
    return list(json.loads(keyring.read_text()).values()) if keyring.exists() else []


@needs_keyring
def test_a_secret_comes_from_a_variable_and_goes_to_the_password_store(
    stepfast: Stepfast, keyring: Path
) -> None:
    stepfast.environment["PW"] = "hunter2"
    started = ["start", "login", "--name", "Ann", "--password-from", "PW", "--id", "l"]
    done = stepfast(*started, "--wait")
    assert "hunter2" not in done.stdout + done.stderr
    assert texts_of(keyring) == ['{"password": "hunter2"}']
    shown = stepfast.json("show", "l")
    assert (shown["result"], shown["input"]["password"]) == ({"length": 7, "pin": False}, "(secret)")
    assert "(secret)" in stepfast("show", "l").stdout
    assert [line["text"] for line in shown["log"]] == ["Ann with (secret password)"]
    stepfast("export", "all.jsonl")
    stepfast("backup", "copy.db")
    for file in stepfast.folder.rglob("*"):
        assert not file.is_file() or b"hunter2" not in file.read_bytes(), file
    stepfast.environment["PW"] = "another"
    assert "another secret" in stepfast(*started, exit_code=1).stderr
    stepfast("delete", "l")
    assert texts_of(keyring) == []


@needs_keyring
@POSIX
def test_a_secret_is_asked_for_on_a_terminal_without_echo(stepfast: Stepfast, keyring: Path) -> None:
    ours, theirs = os.openpty()
    process = stepfast.begin(
        "start", "login", "--name", "Ann", "--id", "l", stdin=theirs, start_new_session=True
    )
    assert process.stderr is not None and process.stdout is not None
    asked = ""
    while not asked.endswith("Password: "):
        asked += process.stderr.read(1)
    os.write(ours, b"hunter2\n")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out == "l\n" and texts_of(keyring) == ['{"password": "hunter2"}']
    os.set_blocking(ours, False)
    try:
        echoed = os.read(ours, 1000)
    except BlockingIOError:
        echoed = b""
    for each in (ours, theirs):
        os.close(each)
    assert b"hunter2" not in echoed and "hunter2" not in out + err


def test_a_secret_among_the_arguments_is_refused_and_not_repeated(stepfast: Stepfast) -> None:
    for words in (["--password", "hunter2"], ["--password=hunter2"], ["--password"]):
        refused = stepfast("start", "login", "--name", "Ann", *words, exit_code=2)
        assert "hunter2" not in refused.stderr.replace("[", "") and "--password-from" in refused.stderr
        assert "where others can read it" in refused.stderr
    assert not stepfast.data.exists()


def test_where_nobody_can_be_asked_it_is_said_how_to_give_it(stepfast: Stepfast) -> None:
    asked = ["start", "login", "--name", "Ann"]
    done = subprocess.run(
        [*stepfast.program, *stepfast.options, *asked],
        cwd=stepfast.folder,
        env=stepfast.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 2 and "on a terminal" in done.stderr and "--password-from" in done.stderr
    missing = stepfast(*asked, "--password-from", "NOT_SET", exit_code=2)
    assert "the variable NOT_SET" in missing.stderr
    help = stepfast("start", "login", "--help").stdout
    assert "--password-from VARIABLE" in help and "without being shown" in " ".join(help.split())
    assert "--pin-from VARIABLE" in help and "--password PASS" not in help


def test_without_a_password_store_nothing_is_started(stepfast: Stepfast) -> None:
    stepfast.environment |= {"PW": "hunter2", "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
    refused = stepfast("start", "login", "--name", "Ann", "--password-from", "PW", exit_code=1)
    assert "password store" in refused.stderr and "hunter2" not in refused.stderr
    assert stepfast.json("list") == []
