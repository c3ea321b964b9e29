"""Steps in processes of their own: for what computes, crashes, or must be ended whatever it does.

Each runs in a fresh process that is *started*, never forked: a fork copies locks that other threads hold and
keeps the owner's files open. Why not `multiprocessing`, whose "spawn" does that too: it imports the program's
main module (a window, say) in every child, keeps a helper process for as long as the program lives, knows
nothing of groups, and leaves the child's output on the owner's streams. So this is `subprocess` with three
pipes. What `multiprocessing` is told of the interpreter of a program that embeds Python (`set_executable`) is
heard here too, and a frozen program calls `entry.serve_if_asked` first, like `freeze_support`.

Three daemon threads a process: one starts it, sends the effect and waits; one takes its answers, and one its
output. They hand over with `threads.call_on`, so any loop will do. Starting a process costs as much as
importing what the effect's module imports: 0.2 s where that is Stepfast alone.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import stepfast
from stepfast.errors import DefinitionError, ProcessDied, StepRaised, Stopped, UnstorableValue
from stepfast.processes import child
from stepfast.processes.entry import MARK, check_not_loading
from stepfast.processes.groups import ProcessGroup, exit_text
from stepfast.processes.output import Lines
from stepfast.secrets import Secret
from stepfast.system.locks import remove_free
from stepfast.system.threads import Call, answer

__all__ = ["GRACE", "Processes", "Unreturnable"]

GRACE = 2.0
"""Seconds that a process has to end by itself, once it was asked to or its effect has ended."""

DRAIN = 1.0
"""Seconds for what a process said and printed to come in after its end; more only if it has left somebody."""


class Unreturnable(UnstorableValue):
    """The effect has happened, and its value cannot be handed back."""


class Processes:
    """Runs effects in processes: `limit` at once, by default one a processor and at least 2; others wait.

    Made where the loop is that asks; it owns nothing that must be closed.
    """

    def __init__(self, limit: int | None = None) -> None:
        self._room = asyncio.Semaphore(limit or max(2, os.cpu_count() or 2))

    async def run(
        self,
        call: Callable[[], Any],
        *,
        name: str,
        id: str = "",
        owner: str = "",
        run: object = None,
        log: Callable[[str, str], None],
        progress: Callable[[float, float | None, str], None],
        bookmark: str | None = None,
        bookmarked: Callable[[str], None],
    ) -> Any:
        """Call `call` in a process of its own and return what it returned.

        A caller that is cancelled gets its CancelledError once the whole group of the process has ended: it
        is asked to (SIGTERM, which raises `Stopped` in the effect), and killed after `GRACE` seconds or as
        soon as the caller is cancelled again. One that is cancelled a third time does not wait for a process
        that even so does not end, as one may not where a disk or a network hangs.

        Args:
            call: a function, or a `functools.partial` of one, that can be pickled with its arguments.
            name: of the step, for messages.
            id: of the workflow, as the process shall see it.
            owner: the path of the owner's lock file, beside which the process holds its own; "" for none.
            run: what, among the arguments, stands for the run; in the process a `ProcessRun` is in its place.
            log: called, on any thread, with the level and the text of each line that was logged or printed.
            progress: called, on any thread, with done, total and text.
            bookmark: the text of the step's bookmark.
            bookmarked: called, on any thread, with each later text of it. What this or `progress` raises ends
                the process, and is raised here.

        Raises:
            DefinitionError: the function cannot be sent to a process, or not be found there.
            ProcessDied: the process ended before the effect did.
            StepRaised: the effect raised something that cannot be handed over; the message says what.
            Unreturnable: the value cannot be handed over.
            Exception: whatever the effect raised.
        """
        check_not_loading()
        async with self._room:
            child = _Child(
                call,
                name,
                id,
                owner,
                run,
                Lines(log),
                progress=progress,
                bookmark=bookmark,
                bookmarked=bookmarked,
            )
            waiting: Call[Any] = Call(child.run)
            threading.Thread(target=_work, args=(waiting,), name="stepfast-process", daemon=True).start()
            future = waiting.future
            try:
                await asyncio.wait({future})
            except asyncio.CancelledError:
                child.stop()
                future.add_done_callback(_look_at)
                await _until_ended(child, future)
                raise
            return future.result()


async def _until_ended(child: _Child, future: asyncio.Future[Any]) -> None:
    for again in (True, False):
        try:
            await asyncio.wait({future})
            return
        except asyncio.CancelledError:
            if again:
                child.stop(grace=0.0)


def _work(call: Call[Any]) -> None:
    try:
        call.value = call.function()
    except BaseException as error:  # it belongs to whoever waits for the call
        call.error = error
    answer([call])


def _look_at(future: asyncio.Future[Any]) -> None:
    if not future.cancelled():
        future.exception()


class _Child:
    """One process, from its beginning to its end. `run` is called on a thread, `stop` on any."""

    def __init__(
        self,
        call: Callable[[], Any],
        name: str,
        id: str,
        owner: str,
        run: object,
        lines: Lines,
        *,
        progress: Callable[[float, float | None, str], None],
        bookmark: str | None,
        bookmarked: Callable[[str], None],
    ) -> None:
        self._call = call
        self._name = name
        self._id = id
        self._owner = owner
        self._run = run
        self._lines = lines
        self._progress = progress
        self._bookmark = bookmark
        self._bookmarked = bookmarked
        self._guard = threading.Lock()
        self._group: ProcessGroup | None = None
        self._stopped = False
        self._over = threading.Event()
        self._answers: dict[bytes, bytes] = {}
        self._refused: Exception | None = None
        self._lock_file: Path | None = None

    def run(self) -> Any:
        """Start it, wait until all of it is gone, and say what came of it: a value, or an exception."""
        request = child.message(b"R", self._request())
        code = self._live(request)
        if self._lock_file is not None:
            with suppress(OSError):
                remove_free(self._lock_file)
        self._lines.close()
        return self._judge(code)

    def stop(self, grace: float | None = None) -> None:
        """End all of it: ask, and kill after `grace` seconds (`GRACE`). Does not wait."""
        grace = GRACE if grace is None else grace
        with self._guard:
            self._stopped = True
            group = self._group
        if group is not None:
            if grace:
                group.terminate()
            self._end_within(group, grace)

    def _end_within(self, group: ProcessGroup, grace: float) -> None:
        def kill() -> None:
            if not self._over.wait(grace):
                group.kill()

        try:
            threading.Thread(target=kill, name="stepfast-process-end", daemon=True).start()
        except RuntimeError:  # there are too many
            group.kill()

    # --- living -----------------------------------------------------------------------------------

    def _live(self, request: bytes) -> int | None:
        theirs, ours = _lifeline()
        try:
            answers, output, group = self._start(theirs)
            listening = [
                threading.Thread(target=self._take_answers, args=(answers,), name="stepfast-process-answers"),
                threading.Thread(target=self._take_output, args=(output,), name="stepfast-process-output"),
            ]
            try:
                for thread in listening:
                    thread.daemon = True
                    thread.start()
                with self._guard:
                    self._group = group
                    stopped = self._stopped
                if stopped:
                    group.kill()
                else:
                    _send(ours, request)
            except BaseException:
                group.kill()
                raise
            finally:
                code = group.wait()
                self._over.set()
            for thread in listening:
                thread.join(DRAIN)
            return code
        finally:
            _close(ours)

    def _start(self, theirs: int) -> tuple[int, int, ProcessGroup]:
        """The process, and where it answers and prints; closes what is the process's."""
        mine, given = [], [theirs]
        try:
            for _ in range(2):
                reading, writing = os.pipe()
                mine.append(reading)
                given.append(writing)
            group = ProcessGroup(_command(), stdin=theirs, stdout=given[1], stderr=given[2])
        except BaseException as error:
            for each in mine:
                os.close(each)
            if isinstance(error, OSError):
                raise ProcessDied(
                    f"no process could be started for step {self._name!r}: {error.strerror or error}"
                ) from error
            raise
        finally:
            for each in given:
                os.close(each)
        return mine[0], mine[1], group

    def _take_answers(self, answers: int) -> None:
        with os.fdopen(answers, "rb") as source:
            try:
                while (said := child.read_message(source)) is not None:
                    self._take(*said)
            except Exception as error:  # the effect wrote into the pipe
                self._lines.add("warning", f"what the process of the step said cannot be read: {error!r}")

    def _take(self, kind: bytes, payload: bytes) -> None:
        if kind == child.LOG:
            level, text = json.loads(payload)
            self._lines.add(level, text)
        elif kind == child.PROGRESS:
            self._note(self._progress, *json.loads(payload))
        elif kind == child.BOOKMARK:
            self._note(self._bookmarked, payload.decode("utf-8", "surrogatepass"))
        elif kind == child.BEGUN:
            self._lock_file = Path(payload.decode("utf-8", "surrogateescape"))
        else:
            self._answers[kind] = payload
            if kind in (child.VALUE, child.FAILED) and self._group is not None:
                self._end_within(self._group, GRACE)  # what it still does is nothing that anybody waits for

    def _note(self, keep: Callable[..., None], *said: Any) -> None:
        try:
            keep(*said)
        except Exception as refused:  # the process cannot be told any more than that it is to end
            if self._refused is None:
                self._refused = refused
                self.stop()

    def _take_output(self, output: int) -> None:
        try:
            self._lines.read(output)
        finally:
            os.close(output)

    # --- what is sent, and what comes of it -------------------------------------------------------

    def _request(self) -> bytes:
        kept = io.BytesIO()
        try:
            _Pickler(kept, self._run).dump(self._call)
        except Exception as error:
            raise DefinitionError(
                f"the effect of step {self._name!r} cannot be sent to a process ({type(error).__name__}: "
                f"{error}); it is a function at the top level of a module, and its arguments can be pickled"
            ) from error
        call = kept.getvalue()
        main = sys.modules.get("__main__")
        path = getattr(main, "__file__", None)
        spec = getattr(main, "__spec__", None)
        here = ""
        with suppress(OSError):  # it has been deleted
            here = os.getcwd()
        request = {
            "path": [os.path.join(here, each) for each in sys.path],
            "argv": list(getattr(sys, "argv", [])),
            "main": None if path is None else os.path.join(here, path),
            "package": spec.parent if spec is not None else None,
            "lock": self._owner,
            "id": self._id,
            "step": self._name,
            "bookmark": self._bookmark,
            "call": call,
        }
        if len(call) > child.LARGEST // 2:
            raise DefinitionError(
                f"the arguments of step {self._name!r} have {len(call):,} bytes; hand over the path of a file"
            )
        return pickle.dumps(request)

    def _judge(self, code: int | None) -> Any:
        if self._refused is not None:
            raise self._refused
        if child.VALUE in self._answers:
            try:
                return _load(self._answers[child.VALUE])
            except BaseException as error:
                raise Unreturnable(
                    f"the value of step {self._name!r} came back from its process and cannot be loaded here "
                    f"({type(error).__name__}: {error})"
                ) from error
        if child.FAILED in self._answers:
            raise self._error(json.loads(self._answers[child.FAILED]))
        if self._stopped:
            raise Stopped("the step was asked to end")
        died = ProcessDied(
            f"the process of step {self._name!r} {exit_text(code)} before the effect had ended", code
        )
        if last := self._lines.last:
            died.add_note("The last that it printed:\n" + "\n".join(last))
        raise died

    def _error(self, told: dict[str, Any]) -> BaseException:
        what = f"{told['kind']}: {told['message']}" if told["message"] else told["kind"]
        error: BaseException | None = None
        if told["while"] == "returning":
            error = Unreturnable(
                f"the value of step {self._name!r} cannot be handed back from its process ({what}); return "
                "what can be pickled and recorded"
            )
        elif told["while"] == "loading":
            error = DefinitionError(
                f"the effect of step {self._name!r} cannot be loaded in a process ({what})"
            )
        elif told["while"] == "beginning":
            error = ProcessDied(f"the process of step {self._name!r} could not begin its work ({what})")
        elif child.ERROR in self._answers:
            with suppress(BaseException):
                loaded = _load(self._answers[child.ERROR])
                error = loaded if isinstance(loaded, Exception | Stopped) else None
        if error is None:
            error = StepRaised(what)
        if told["trace"]:
            error.add_note(f"In the process of the step:\n{told['trace'].rstrip()}")
        return error


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, run: object) -> None:
        super().__init__(file)
        self._run = run

    def persistent_id(self, obj: Any) -> Any:
        if type(obj) is Secret:
            return obj.name, obj.reveal()  # in no other pickle; this one goes through a pipe to one process
        return "run" if obj is self._run and obj is not None else None


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        return super().find_class("__main__" if module == "__mp_main__" else module, name)


def _load(kept: bytes) -> Any:
    return _Unpickler(io.BytesIO(kept)).load()


def _command() -> list[str]:
    """What starts a process of this program's Python, which finds Stepfast where this one has it."""
    if getattr(sys, "frozen", False):
        return [sys.executable, MARK]
    spawn = sys.modules.get("multiprocessing.spawn")
    python = os.fsdecode(spawn.get_executable() or "") if spawn is not None else sys.executable
    if not python:
        raise DefinitionError(
            "this program does not say where its Python is, so no process can be started; "
            "multiprocessing.set_executable tells it"
        )
    flags = sys.flags
    said = {"-I": flags.isolated, "-E": flags.ignore_environment, "-s": flags.no_user_site}
    options = ["-P", "-X", f"utf8={flags.utf8_mode}", *(option for option, on in said.items() if on)]
    options += ["-" + "O" * flags.optimize] if flags.optimize else []
    options += ["-B"] if sys.dont_write_bytecode else []
    root = os.path.abspath(os.path.dirname(os.path.dirname(stepfast.__file__)))
    start = "import sys; sys.path.insert(0, sys.argv[2]); from stepfast.processes.child import main; main()"
    return [python, *options, "-c", start, MARK, root]


# The end of each pipe whose closing tells a process that this program is gone. Somebody's fork would have it
# too, and live on; so forks wait until each is known, and close them.
_lifelines: set[int] = set()
_forking = threading.RLock()


def _lifeline() -> tuple[int, int]:
    with _forking:
        theirs, ours = os.pipe()
        _lifelines.add(ours)
        return theirs, ours


def _close(ours: int) -> None:
    with _forking:
        if ours in _lifelines:
            _lifelines.discard(ours)
            os.close(ours)


def _close_in_child() -> None:
    for each in _lifelines:
        with suppress(OSError):
            os.close(each)
    _lifelines.clear()
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_forking.acquire, after_in_parent=_forking.release, after_in_child=_close_in_child
    )


def _send(ours: int, request: bytes) -> None:
    rest = memoryview(request)
    if sys.platform != "win32":  # this thread's alone: a program that embeds Python may die of it
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
    with suppress(OSError):  # it died before it had heard all: `wait` says how
        while rest:
            rest = rest[os.write(ours, rest) :]
