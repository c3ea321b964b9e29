"""Who is the window of a data folder, by the kernel's word, with processes that are killed and stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stepfast_desktop.instance import sole
from stepfast_desktop.instance.sole import WINDOW, Sole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it stops and kills processes")

ROOT = Path(__file__).parents[2]
HOLDER = """
import signal, sys, time
from pathlib import Path
from stepfast_desktop.instance.sole import WINDOW, Sole
if sys.argv[2] == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
mine = Sole.take(Path(sys.argv[1]), WINDOW)
mine.tell(listens="here")
print(mine is not None, flush=True)
time.sleep(600)
"""

Holding = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def holding(tmp_path: Path) -> Iterator[Holding]:
    """Makes processes that are the window of the folder."""
    made: list[subprocess.Popen[bytes]] = []

    def hold(kind: str = "") -> subprocess.Popen[bytes]:
        roots = os.pathsep.join(str(ROOT / each) for each in ("store", "app"))
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(tmp_path), kind],
            env={**os.environ, "PYTHONPATH": roots},
            stdout=subprocess.PIPE,
        )
        made.append(process)
        assert process.stdout is not None and process.stdout.readline() == b"True\n"
        return process

    yield hold
    for process in made:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_the_second_is_refused_and_reads_what_the_first_tells(tmp_path: Path, holding: Holding) -> None:
    first = holding()
    assert Sole.take(tmp_path, WINDOW) is None
    assert sole.told(tmp_path, WINDOW) == {"listens": "here"}
    assert sole.pid_of(tmp_path, WINDOW) == first.pid


def test_after_a_kill_the_next_just_is_it_and_nothing_old_is_told(tmp_path: Path, holding: Holding) -> None:
    first = holding()
    first.kill()
    first.wait()
    assert json.loads((tmp_path / "window.json").read_text("utf-8"))["pid"] == first.pid
    assert sole.pid_of(tmp_path, WINDOW) is None and sole.told(tmp_path, WINDOW) == {}
    mine = Sole.take(tmp_path, WINDOW)
    assert mine is not None
    assert sole.pid_of(tmp_path, WINDOW) == os.getpid()
    mine.release()
    mine.release()
    assert not sole.is_held(tmp_path, WINDOW)


def test_within_one_process_too_there_is_one_and_looking_gives_nothing_away(tmp_path: Path) -> None:
    mine = Sole.take(tmp_path / "new", WINDOW)
    assert mine is not None
    mine.tell(listens="there")
    assert Sole.take(tmp_path / "new", WINDOW) is None
    assert sole.told(tmp_path / "new", WINDOW) == {"listens": "there"}
    (tmp_path / "link").symlink_to(tmp_path / "new")
    assert sole.told(tmp_path / "link", WINDOW) == {"listens": "there"}
    script = "import sys; from pathlib import Path; from stepfast_desktop.instance import sole; "
    script += "print(sole.pid_of(Path(sys.argv[1]), 'window'))"
    asked = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "new")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / each) for each in ("store", "app"))},
        capture_output=True,
    )
    assert asked.stdout.split() == [str(os.getpid()).encode()], asked.stderr
    mine.release()


@pytest.mark.parametrize("kind", ["", "deaf"])
def test_one_that_is_stopped_is_ended_and_is_let_end_by_itself_first(
    tmp_path: Path, holding: Holding, kind: str
) -> None:
    first = holding(kind)
    first.send_signal(signal.SIGSTOP)
    assert sole.end(tmp_path, WINDOW, patience=0.3 if kind else 60)
    assert first.wait(60) == -(signal.SIGKILL if kind else signal.SIGTERM)
    assert Sole.take(tmp_path, WINDOW) is not None


def test_a_process_is_never_ended_because_a_file_names_it(tmp_path: Path) -> None:
    bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        (tmp_path / "window.json").write_text(json.dumps({"pid": bystander.pid, "listens": "x"}), "utf-8")
        (tmp_path / "window.lock").touch()
        assert sole.end(tmp_path, WINDOW, patience=0.1)  # there is nobody to be ended
        assert sole.told(tmp_path, WINDOW) == {}
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()
