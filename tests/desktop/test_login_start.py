"""Starting at login, in the files that each system reads."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stepfast_desktop.login_start import AutostartFile, LaunchAgent, RunKey, login_start_of


def made(folder: Path, data: Path, platform: str = "linux", **more: str) -> object:
    environment = {"XDG_CONFIG_HOME": str(folder / "config"), **more}
    return login_start_of(data, loads=False, environment=environment, platform=platform)


def test_it_is_off_at_first_and_turned_on_and_off_again(tmp_path: Path) -> None:
    start = made(tmp_path, tmp_path / "data")
    assert isinstance(start, AutostartFile)
    assert not start.is_on()
    start.turn(True)
    start.turn(True)
    assert start.is_on()
    assert made(tmp_path, tmp_path / "data").is_on()  # type: ignore[attr-defined]
    assert not made(tmp_path, tmp_path / "other").is_on(), "each folder has its own"  # type: ignore[attr-defined]
    start.turn(False)
    start.turn(False)
    assert not start.is_on() and list((tmp_path / "config" / "autostart").iterdir()) == []


@pytest.mark.parametrize("line", ["Hidden=true", "X-GNOME-Autostart-enabled=false"])
def test_what_a_desktop_has_turned_off_is_off(tmp_path: Path, line: str) -> None:
    start = made(tmp_path, tmp_path / "data")
    assert isinstance(start, AutostartFile)
    start.turn(True)
    start.path.write_text(start.text + line + "\n", "utf-8")
    assert not start.is_on()
    start.turn(True)
    assert start.is_on(), "a person said so, here"


def test_a_file_that_is_none_is_off_and_one_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    start = made(tmp_path, tmp_path / "data")
    assert isinstance(start, AutostartFile)
    start.path.parent.mkdir(parents=True)
    start.path.write_bytes(b"\xff no entry")
    assert not start.is_on()
    start.path.unlink()
    start.path.parent.rmdir()
    start.path.parent.write_text("a file in the folder's place", "utf-8")
    with pytest.raises(OSError, match="cannot be written"):
        start.turn(True)


@pytest.mark.skipif(sys.platform == "win32", reason="the file is Linux's")
@pytest.mark.parametrize(
    "name", ["plain", "two words", 'a"quote', "back\\slash", "$HOME", "50%", "`x`", "ä&;"]
)
def test_the_folder_comes_back_out_of_the_exec_line(tmp_path: Path, name: str) -> None:
    """Read as the specification has it: first as a string, then as words; `%%` is a percent sign."""
    start = made(tmp_path, tmp_path / name, PYTHONPATH=str(tmp_path / "a b"))
    assert isinstance(start, AutostartFile)
    (line,) = [each for each in start.text.splitlines() if each.startswith("Exec=")]
    text = line.removeprefix("Exec=").replace("\\\\", "\0").replace("\0", "\\")
    words, word, quoted = [], "", False
    letters = iter(text)
    for letter in letters:
        if letter == '"':
            quoted = not quoted
        elif letter == "\\" and quoted:
            word += next(letters)
        elif letter == " " and not quoted:
            words.append(word)
            word = ""
        else:
            word += letter
    words = [each.replace("%%", "%") for each in [*words, word]]
    assert not quoted
    assert words[:3] == ["env", f"PYTHONPATH={tmp_path / 'a b'}", f"XDG_CONFIG_HOME={tmp_path / 'config'}"]
    assert words[3:] == [
        sys.executable, "-P", "-m", "stepfast_desktop", "--data", str(tmp_path / name), "window", "--hidden",
    ]  # fmt: skip


def test_the_file_is_valid_where_there_is_something_that_says_so(tmp_path: Path) -> None:
    validate = shutil.which("desktop-file-validate")
    if validate is None:
        pytest.skip("desktop-file-validate is not here")
    start = made(tmp_path, tmp_path / "two words")
    assert isinstance(start, AutostartFile)
    start.turn(True)
    done = subprocess.run([validate, str(start.path)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_a_name_that_no_file_can_hold_is_said(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no unit file can hold"):
        made(tmp_path, tmp_path / "two\nlines")


def test_on_macos_it_is_an_agent_that_opens_the_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", classmethod(lambda _cls: tmp_path / "home"))
    start = made(tmp_path, tmp_path / "data", "darwin")
    assert isinstance(start, LaunchAgent)
    start.turn(True)
    assert start.is_on()
    read = plistlib.loads(start.path.read_bytes())
    assert read["Label"] == start.path.stem
    assert read["ProgramArguments"][-4:] == ["--data", str(tmp_path / "data"), "window", "--hidden"]
    assert read["RunAtLoad"] is True and "KeepAlive" not in read
    start.turn(False)
    assert not start.is_on()


def test_on_windows_it_is_one_command_line(tmp_path: Path) -> None:
    start = made(tmp_path, tmp_path / "two words", "win32")
    assert isinstance(start, RunKey)
    assert start.command.endswith(f'--data "{tmp_path / "two words"}" window --hidden')
    assert os.path.basename(sys.executable) in start.command
