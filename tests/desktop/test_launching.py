"""What a second launch hands over, and what it makes of silence."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from stepfast_desktop.instance.launching import (
    LONGEST_NAME,
    MOST,
    Answer,
    Launch,
    address_of,
    hand_over,
    take_or_hand_over,
)
from stepfast_desktop.instance.receiving import Receiving
from stepfast_desktop.instance.sole import WINDOW, Sole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it listens on sockets")

FULL = Launch((Path("/tmp/ä b"), Path(os.fsdecode(b"/tmp/\xff"))), "copy-1", True, ("tasks:ALL",), "token")


def test_all_of_it_comes_over() -> None:
    assert Launch.of_line(FULL.line()) == FULL
    assert Launch.of_line(Launch().line()) == Launch()


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"hello",
        b"[1]",
        b'{"version": 2}',
        b'{"version": 1, "show": 7}',
        b'{"version": 1, "paths": "/tmp"}',
        b'{"version": 1, "loads": [1]}',
        b"[" * 60_000,
        b"\xff\xfe",
    ],
)
def test_what_is_no_launch_is_refused_in_one_line(line: bytes) -> None:
    answer = json.loads(Receiving(Launch()).reply(line))
    assert answer == {"version": 1, "answer": "refused"}


def test_too_much_is_not_sent() -> None:
    with pytest.raises(ValueError, match="too much"):
        Launch(paths=(Path("x" * MOST),)).line()


def test_what_comes_before_the_window_waits_for_it_and_nothing_is_taken_once_it_goes() -> None:
    receiving = Receiving(Launch(show="first"))
    assert b"done" in receiving.reply(Launch(show="second").line())
    done: list[str | None] = []
    with receiving.window(lambda launch: done.append(launch.show)):
        receiving.reply(Launch(show="third").line())
        assert done == ["first", "second", "third"]
    assert b"going" in receiving.reply(Launch().line())
    assert len(done) == 3
    with receiving.window(lambda launch: done.append(launch.show)):  # opened anew, on a backup
        receiving.reply(Launch(show="fourth").line())
        assert done[3:] == ["fourth"]


def test_the_address_is_short_and_of_the_folder_by_whatever_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "data")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert address_of(tmp_path / "link") == address_of(tmp_path / "data")
    assert address_of(tmp_path / "other") != address_of(tmp_path / "data")
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    for place in (str(deep), "relative", "/nowhere/at/all", ""):
        monkeypatch.setenv("XDG_RUNTIME_DIR", place)
        monkeypatch.setenv("TMPDIR", place)
        assert len(os.fsencode(address_of(tmp_path))) <= LONGEST_NAME


@contextmanager
def listening(folder: Path, answer: bytes | None) -> Iterator[list[bytes]]:
    """Somebody who is the window of a folder, and answers this, or nothing."""
    folder.mkdir()
    sole = Sole.take(folder, WINDOW)
    assert sole is not None
    heard: list[bytes] = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(folder / "socket"))
        server.listen()
        sole.tell(listens=str(folder / "socket"))

        def serve() -> None:
            asking, _ = server.accept()
            with asking:
                heard.append(asking.makefile("rb").readline())
                with suppress(ConnectionError):  # who asked may have waited long enough
                    for piece in filter(None, ((answer or b"")[:5], (answer or b"")[5:])):
                        asking.sendall(piece)

        thread = threading.Thread(target=serve)
        if answer is not None:
            thread.start()
        yield heard
        if answer is not None:
            thread.join(60)
    sole.release()


def test_an_answer_in_pieces_is_an_answer(tmp_path: Path) -> None:
    with listening(tmp_path / "data", Answer.DONE.line()) as heard:
        assert hand_over(tmp_path / "data", FULL, 60) is Answer.DONE
    assert [Launch.of_line(each) for each in heard] == [FULL]


def test_silence_is_none_after_the_time_that_was_given(tmp_path: Path) -> None:
    with listening(tmp_path / "data", None):
        assert take_or_hand_over(tmp_path / "data", Launch(), 0.2) is None


@pytest.mark.parametrize("answer", [b"\n", b"{}\n", b"[]\n", b'{"answer": "what"}\n'])
def test_nonsense_is_silence(tmp_path: Path, answer: bytes) -> None:
    with listening(tmp_path / "data", answer):
        assert hand_over(tmp_path / "data", Launch(), 0.2) is None


def test_where_nobody_is_one_becomes_it(tmp_path: Path) -> None:
    mine = take_or_hand_over(tmp_path / "data", Launch())
    assert isinstance(mine, Sole)
    mine.release()
