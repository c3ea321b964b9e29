"""Effects for processes of their own: what a step may do in one, and what it should rather not."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn


@dataclass
class Point:
    x: int
    y: int


class Odd(Exception):
    """Is made by a call that what is pickled of it does not repeat."""

    def __init__(self, code: int, *, reason: str) -> None:
        super().__init__(f"code {code}: {reason}")


class Rich(Exception):
    """Carries what cannot be pickled."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.lock = threading.Lock()


def add(a: int, b: int = 0) -> int:
    return a + b


async def add_async(a: int, b: int) -> int:
    return a + b


def moved(point: Point) -> Point:
    return Point(point.x + 1, point.y)


def who() -> tuple[int, int, int]:
    return os.getpid(), os.getppid(), os.getsid(0)


def talk() -> str:
    print("one")
    print("two", file=sys.stderr)
    os.write(1, b"three\n")
    subprocess.run(["sh", "-c", "echo four; echo five >&2"], check=True)
    print(" 10%\r 50%\r100%")
    print("caf\u00e9 \udce9")
    return sys.stdin.read()


def flood(lines: int) -> int:
    block = b"a line of a flood, as long as they often are, which nobody will ever read\n" * 1000
    for _ in range(lines // 1000):
        os.write(1, block)
    print("the last line")
    return lines


def one_long_line(size: int) -> None:
    for _ in range(size // 65536):
        sys.stdout.write("x" * 65536)


def tell(run: Any) -> list[Any]:
    run.log("a warning", "warning")
    for each in range(1001):
        run.progress(each, 1000, f"at {each}")
    before = run.bookmark.get()
    run.bookmark.set({"at": 7})
    return [run.id, run.stopping, before, run.bookmark.get()]


def mark_and_linger(run: Any, file: str) -> None:
    note(file, "begun", os.getpid(), sleeper().pid)
    run.bookmark.set("mine")
    time.sleep(1000)


def reveal(secret: Any) -> list[Any]:
    print(secret)
    return [secret.name, secret.reveal(), len(secret.reveal())]


def body_calls(run: Any) -> None:
    run.step("another", add, 1)


def log_badly(run: Any) -> None:
    run.log("x", "shouting")


def raise_(error: type[BaseException], *arguments: object) -> NoReturn:
    raise error(*arguments)


def raise_odd() -> NoReturn:
    raise Odd(7, reason="it was odd")


def raise_rich() -> NoReturn:
    raise Rich("it was rich")


def sys_exit() -> NoReturn:
    sys.exit(3)


def os_exit() -> NoReturn:
    os._exit(3)


def crash() -> bytes:
    print("about to crash")
    return ctypes.string_at(0)


def eat_memory() -> bytes:
    return bytes(sys.maxsize // 2)


def unpicklable() -> Any:
    return threading.Lock()


def ghostly() -> Any:
    """A value of a type that only this process has."""
    made = type("Ghost", (), {"__module__": "ghosts"})
    module = type(sys)("ghosts")
    module.Ghost = made  # type: ignore[attr-defined]
    sys.modules["ghosts"] = module
    return made()


def descriptors() -> list[str]:
    found = []
    for each in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink(f"/proc/self/fd/{each}"))
        except OSError:
            pass  # of the listing itself
    return sorted(found)


def note(file: str, *words: object) -> None:
    with Path(file).open("a") as out:
        out.write(" ".join(map(str, words)) + "\n")


def sleeper() -> subprocess.Popen[bytes]:
    """A child of this process, in its group, which nothing that is written here ends."""
    return subprocess.Popen(["sleep", "1000"])


def linger(file: str) -> None:
    """Wait for a long time, with a child that does so too."""
    note(file, "begun", os.getpid(), sleeper().pid)
    try:
        time.sleep(1000)
    finally:
        note(file, "ended")


def linger_unmoved(file: str) -> None:
    """As `linger`, and SIGTERM is ignored."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    linger(file)


def linger_stopped(file: str) -> None:
    """As `linger`, and stopped."""
    note(file, "begun", os.getpid(), sleeper().pid)
    os.kill(os.getpid(), signal.SIGSTOP)


def linger_in_c(file: str) -> None:
    """As `linger`, and Python's lock is never let go of."""
    note(file, "begun", os.getpid(), sleeper().pid)
    ctypes.PyDLL(None).sleep(1000)


def leave_behind(file: str) -> int:
    child = sleeper()
    note(file, "begun", os.getpid(), child.pid)
    return child.pid


def stay_after_all(file: str) -> int:
    """Return, and have a thread that keeps the process from ending."""
    note(file, "begun", os.getpid(), os.getpid())
    threading.Thread(target=time.sleep, args=(1000,)).start()
    return 5


def survive(file: str) -> None:
    """Stand still, out of reach of everything that ends a process with its owner: what takeovers are for."""
    import fcntl

    for each in os.listdir("/proc/self/fd"):
        try:
            flags = fcntl.fcntl(int(each), fcntl.F_GETFL)
            fcntl.fcntl(int(each), fcntl.F_SETFL, flags & ~os.O_ASYNC)
        except OSError:
            pass
    ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
    note(file, "begun", os.getpid(), sleeper().pid)
    os.kill(os.getpid(), signal.SIGSTOP)


def compute(seconds: float) -> int:
    """Keep a processor busy."""
    turns, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        turns += 1
    return turns


def together(folder: str, name: str, how_many: int) -> int:
    """Say that this one is here, and wait until so many are; gives how many are here then."""
    Path(folder, name).touch()
    end = time.monotonic() + 60
    while len(os.listdir(folder)) < how_many and time.monotonic() < end:
        time.sleep(0.01)
    return len(os.listdir(folder))


def count_alive(folder: str, name: str) -> int:
    """How many are at it, this one too."""
    here = Path(folder, name)
    here.touch()
    time.sleep(0.2)
    alive = len(os.listdir(folder))
    here.unlink()
    return alive


def is_alive(pid: int) -> bool:
    """Is there such a process, more of it than what waits to be reaped?"""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")


def end(pid: int) -> None:
    """End what is left of the process of a step, and of its group."""
    try:
        if b"--stepfast-step" in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.killpg(pid, signal.SIGKILL)
    except OSError:
        pass


def until(condition: Callable[[], object], what: str, within: float = 60.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + within
    while not condition():
        assert time.monotonic() < end, f"not within {within} s: {what}"
        time.sleep(0.005)


def noted(file: str | Path, word: str, times: int = 1) -> list[list[str]]:
    """What effects have noted under `word`, waiting until it is so often there."""
    found: list[list[str]] = []

    def look() -> bool:
        lines = Path(file).read_text().splitlines() if Path(file).exists() else []
        found[:] = [each.split()[1:] for each in lines if each.split()[0] == word]
        return len(found) >= times

    until(look, f"{times} x {word!r} in {file}")
    return found


_met: list[int] = []


@contextmanager
def none_left() -> Iterator[None]:
    """A test that fails leaves nobody behind either, of those that `begun` has met."""
    _met.clear()
    yield
    for pid in _met:
        end(pid)


async def begun(file: Path) -> tuple[int, int]:
    """The process of a step and its child, once they are there."""
    ((pid, child),) = await asyncio.to_thread(noted, file, "begun")
    _met.append(int(pid))
    assert is_alive(int(child))
    return int(pid), int(child)


async def gone(*pids: int) -> None:
    """Return once none of these lives."""
    for pid in pids:
        await asyncio.to_thread(until, lambda pid=pid: not is_alive(pid), f"{pid} gone")
