"""The process of a step, from the inside: it runs one effect, says what came of it, and ends.

It is told what to run through its standard input, which it keeps open: once that ends, its owner is gone, and
it ends its whole group. It answers through what was its standard output. An effect finds nothing there to
read, and what it prints, on either stream, goes to the log.

How it dies with its owner, whatever it does at the time:

- On Linux the kernel itself kills the whole group when the owner's end of the pipe closes (`F_SETSIG` with
  SIGKILL, `F_SETOWN` with the group): also a process that is stopped, or computes and never lets go of
  Python's lock, and its children with it. PR_SET_PDEATHSIG is the second choice, taken where the first cannot
  be had: it kills this process and not its children, and if both were set it could come first, after which
  nobody would listen to the pipe.
- A thread reads the pipe, and another one looks for its parent four times a second, should somebody else have
  a copy of the pipe's other end.
- What survives all of this is found by its lock (`orphans.py`).
"""

from __future__ import annotations

import asyncio
import faulthandler
import importlib
import io
import json
import os
import pickle
import signal
import struct
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from stepfast.errors import DefinitionError, InvalidInput, Stopped
from stepfast.passes.containing import awaited, called, is_async, plain
from stepfast.processes.entry import MARK, check_not_loading, loading, serve_if_asked
from stepfast.processes.orphans import hold_lock
from stepfast.secrets import Secret
from stepfast.values import codec

__all__ = ["LARGEST", "MARK", "ProcessRun", "check_not_loading", "main", "read_message", "serve_if_asked"]

LARGEST = 64 * 1024 * 1024
"""Bytes of a message; a value that the codec keeps is smaller."""

TICK = 0.25
"""Seconds between two looks at the parent, and between two notes of one kind."""

LONGEST_TEXT = 20_000
"""Characters of a message or a traceback."""

_HEAD = struct.Struct("!cQ")

# What is said, child to owner, after the one "R" (request) from owner to child.
BEGUN, LOG, PROGRESS, BOOKMARK, VALUE, ERROR, FAILED = b"B", b"L", b"P", b"M", b"V", b"X", b"F"

_kept: list[types.ModuleType] = []


class ProcessRun:
    """What stands for `run` in the process of a step: what a step may use of it, and nothing else.

    Progress and bookmarks are sent at most four times a second, so a process that is killed loses what it
    said of them in its last quarter of a second.
    """

    def __init__(
        self, id: str, step: str, bookmark: str | None, send: Callable[[bytes, bytes], None]
    ) -> None:
        self.id = id
        self._stopping = False
        self._send = send
        self._lock = threading.RLock()
        self._kept_back: dict[bytes, bytes] = {}
        self._sent_at = -TICK
        self.bookmark = ProcessBookmark(step, bookmark, self._note)

    @property
    def stopping(self) -> bool:
        """True once the step is to end; `Stopped` has been raised in the effect then."""
        return self._stopping

    def progress(self, done: float, total: float | None = None, text: str = "") -> None:
        """As `Run.progress`."""
        note = [float(done), None if total is None else float(total), str(text)]
        self._note(PROGRESS, json.dumps(note).encode())

    def log(self, text: str, level: str = "info") -> None:
        """As `Run.log`; what is logged and what is printed may change places."""
        from stepfast.body.steps import LEVELS  # which imports this module

        if level not in LEVELS:
            raise InvalidInput(f"{level!r} is no level of a log line; there are {', '.join(LEVELS)}")
        self._send(LOG, json.dumps([level, str(text)]).encode())

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise DefinitionError(
            f"run.{name} belongs into the body; in its process a step has run.id, run.stopping, "
            "run.bookmark, run.progress and run.log"
        )

    def stop(self) -> None:
        """The step is to end."""
        self._stopping = True

    def flush(self) -> None:
        """Send what is kept back."""
        with self._lock:
            notes, self._kept_back = self._kept_back, {}
            for kind, payload in notes.items():
                self._send(kind, payload)

    def _note(self, kind: bytes, payload: bytes) -> None:
        with self._lock:
            self._kept_back[kind] = payload
            now = time.monotonic()
            if now - self._sent_at >= TICK:
                self._sent_at = now
                self.flush()


class ProcessBookmark:
    """The bookmark of the step, in its process; a `stepfast.body.run.Bookmark`."""

    def __init__(self, step: str, text: str | None, note: Callable[[bytes, bytes], None]) -> None:
        self._step = step
        self._text = text
        self._note = note

    def get(self) -> object:
        return (
            None if self._text is None else codec.decode(self._text, about=f"the bookmark of {self._step!r}")
        )

    @property
    def wanted(self) -> bool:
        return False  # nothing tells a process; its notes are sent four times a second anyway

    def set(self, value: object) -> None:
        self._text = codec.encode(value, about=f"the bookmark of step {self._step!r}")
        self._note(BOOKMARK, self._text.encode("utf-8", "surrogatepass"))


def read_message(source: BinaryIO) -> tuple[bytes, bytes] | None:
    """The next message: its kind and what it carries. None where there is none, or not a whole one."""
    head = source.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    kind, size = _HEAD.unpack(head)
    if size > LARGEST:
        return None
    payload = source.read(size)
    return (kind, payload) if len(payload) == size else None


def message(kind: bytes, payload: bytes) -> bytes:
    """A message as it is written."""
    return _HEAD.pack(kind, len(payload)) + payload


def main() -> NoReturn:
    """Be the process of one step, told through standard input."""
    pipes = _Pipes()
    try:
        asked = read_message(pipes.requests)
        if asked is None:
            os._exit(1)  # nobody asks any more
        request: dict[str, Any] = pickle.loads(asked[1])
        sys.path[:] = request["path"]
        sys.argv[:] = request["argv"]
        _die_with_owner(pipes)
        if request["lock"]:
            lock = hold_lock(Path(request["lock"]))  # until the process ends
            pipes.send(BEGUN, str(lock.path).encode("utf-8", "surrogateescape"))
        _check_owner(pipes)
        run = ProcessRun(request["id"], request["step"], request["bookmark"], pipes.send)
        threading.Thread(target=_tick, args=(run, pipes.parent), name="stepfast-tick", daemon=True).start()
        answers = _answers(run, request)
        run.flush()
        for each in answers:
            pipes.send(*each)
    except BaseException as error:
        pipes.send(FAILED, _told(error, "beginning"))
    sys.exit(0)


class _Pipes:
    """The two pipes to the owner, moved out of the way of what effects do with the standard streams."""

    def __init__(self) -> None:
        # The owner, or what some start in between; if it is dead already, the pipe has ended.
        self.parent = os.getppid()
        self._lock = threading.RLock()
        self.request_end = os.dup(0)  # neither is inherited by what the effect starts
        self._answer_end = os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
        faulthandler.enable(2, all_threads=False)
        self.requests = os.fdopen(self.request_end, "rb", buffering=0)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def send(self, kind: bytes, payload: bytes) -> None:
        """Say something to the owner; from any thread. Nothing happens once it does not listen any more."""
        rest = memoryview(message(kind, payload))
        with self._lock, suppress(OSError):
            while rest and self._answer_end >= 0:
                rest = rest[os.write(self._answer_end, rest) :]

    def _forked(self) -> None:
        # A copy of this process is not the step: it says nothing for it, and keeps nobody waiting.
        self._lock = threading.RLock()
        with suppress(OSError):
            os.close(self._answer_end)
            os.close(self.request_end)
        self._answer_end = -1
        with suppress(ValueError):
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


# --- the owner ------------------------------------------------------------------------------------------


def _die_with_owner(pipes: _Pipes) -> None:
    if sys.platform == "linux":
        _have_kernel_watch(pipes.request_end)

    def watch() -> None:
        with suppress(OSError):
            while os.read(pipes.request_end, 4096):
                pass
        _end_group()

    threading.Thread(target=watch, name="stepfast-owner", daemon=True).start()


def _check_owner(pipes: _Pipes) -> None:
    """End where the owner died before the lock was held: a takeover may not have seen this process."""
    if not _is_child_of(pipes.parent):
        _end_group()
    if sys.platform != "win32":
        import select

        asked = select.poll()
        asked.register(pipes.request_end, select.POLLIN | select.POLLHUP)
        if asked.poll(0):
            _end_group()


def _is_child_of(parent: int) -> bool:
    return sys.platform == "win32" or os.getppid() == parent  # Windows does not give a child a new parent


def _tick(run: ProcessRun, parent: int) -> None:
    while True:
        time.sleep(TICK)
        if not _is_child_of(parent):
            _end_group()
        run.flush()


def _end_group() -> NoReturn:
    if sys.platform != "win32":
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


if sys.platform == "linux":
    import ctypes
    import fcntl

    _PR_SET_PDEATHSIG = 1

    def _have_kernel_watch(descriptor: int) -> None:
        """Have the kernel kill this group once there is something to read from the pipe: its end, that is."""
        try:
            fcntl.fcntl(descriptor, fcntl.F_SETOWN, -os.getpgrp())
            fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGKILL)
            fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_ASYNC)
        except OSError:
            with suppress(OSError, AttributeError):
                ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


# --- the effect -----------------------------------------------------------------------------------------


def _answers(run: ProcessRun, request: dict[str, Any]) -> list[tuple[bytes, bytes]]:
    """Run the effect; what to say of it."""

    def stop(_number: int, _frame: object) -> None:
        if not run.stopping:
            run.stop()
            raise Stopped("the step was asked to end")

    signal.signal(signal.SIGTERM, stop)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})  # the thread that started this may have
    try:
        try:
            effect = _Loaded(request, run).load()
        except Stopped:
            raise
        except BaseException as error:
            return [(FAILED, _told(error, "loading"))]
        try:
            value = asyncio.run(awaited(effect)) if is_async(effect) else called(effect)
            value = plain(value, f"the effect of step {request['step']!r}")
        except BaseException as error:
            return _raised(error)
        try:
            kept = pickle.dumps(value)
            if len(kept) > LARGEST:
                raise ValueError(f"it has {len(kept):,} bytes, and {LARGEST:,} are the most")
        except BaseException as error:
            return [(FAILED, _told(error, "returning"))]
        return [(VALUE, kept)]
    except Stopped as stopped:
        return _raised(stopped)


def _raised(error: BaseException) -> list[tuple[bytes, bytes]]:
    said = [(FAILED, _told(error, "working"))]
    try:
        kept = pickle.dumps(error)
        same = type(pickle.loads(kept)) is type(error) and len(kept) <= LARGEST
    except BaseException:
        same = False  # many exceptions are made by a call that what is pickled does not repeat
        kept = b""
    return [(ERROR, kept), *said] if same else said


def _told(error: BaseException, while_: str) -> bytes:
    """A failure as text: the kind of error, its message, its traceback, and what was being done."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    try:
        text = str(error)
    except Exception as broken:
        text = f"(its message cannot be shown: {type(broken).__name__})"
    try:
        trace = "".join(traceback.format_exception(error))
    except Exception:
        trace = ""
    told = {"kind": name, "message": text[:LONGEST_TEXT], "trace": trace[-LONGEST_TEXT:], "while": while_}
    return json.dumps(told).encode()


class _Loaded(pickle.Unpickler):
    """The effect with its arguments. The main module is imported only where one of them is of it."""

    def __init__(self, request: dict[str, Any], run: ProcessRun) -> None:
        super().__init__(io.BytesIO(request["call"]))
        self._request = request
        self._run = run

    def persistent_load(self, pid: Any) -> Any:
        if pid == "run":
            return self._run
        name, text = pid
        return Secret(text) if name is None else Secret(text).named(name)

    def find_class(self, module: str, name: str) -> Any:
        if module in ("__main__", "__mp_main__") and not getattr(sys, "frozen", False):
            _import_main(self._request["main"], self._request["package"])
        return super().find_class(module, name)


def _import_main(path: str | None, package: str | None) -> None:
    """Import the owner's main module, under the name that `multiprocessing` gives it in its children."""
    if "__mp_main__" in sys.modules:
        return
    if path is None or not os.path.isfile(path):
        raise DefinitionError(
            "the step is defined in the program's main module, which is no file that could be imported; put "
            "it into a module of its own"
        )
    module = types.ModuleType("__mp_main__")
    module.__file__ = path
    module.__package__ = package
    if package:
        importlib.import_module(package)
    _kept.append(sys.modules["__main__"])  # which runs, and would be taken apart
    sys.modules["__mp_main__"] = sys.modules["__main__"] = module
    loading.set()
    try:
        exec(compile(Path(path).read_bytes(), path, "exec", dont_inherit=True), module.__dict__)
    finally:
        loading.clear()
