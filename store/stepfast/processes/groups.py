"""A process that is ended together with everything it started: a group on POSIX, a job on Windows.

Nothing here needs a loop, a child watcher or a handler of SIGCHLD: whoever waits does so on a thread, and it
is the one that started the process, since on Linux a parent-death signal is about that thread.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress

__all__ = ["ProcessGroup", "exit_text"]


class ProcessGroup:
    """A process, started by an exec and never a bare fork, that inherits three descriptors and nothing else.

    What leaves the group by itself (a daemon with a session of its own) is not ended.

    Args:
        command: the program and its arguments.
        stdin, stdout, stderr: descriptors.

    Raises `OSError` where it cannot be started.
    """

    def __init__(self, command: Sequence[str], *, stdin: int, stdout: int, stderr: int) -> None:
        self._lock = threading.Lock()
        self._over = False
        if sys.platform == "win32":
            flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
            self._process = subprocess.Popen(
                command, stdin=stdin, stdout=stdout, stderr=stderr, creationflags=flags
            )
            self._job = _job_of(int(self._process._handle))  # type: ignore[attr-defined]
        else:
            # A session: neither Ctrl-C nor the end of a terminal reaches it past its owner.
            self._process = subprocess.Popen(
                command, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
            )
        self.pid = self._process.pid

    def terminate(self) -> None:
        """Ask it to end (SIGTERM to all of it); on Windows, which has no such thing, end it."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End all of it at once."""
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def wait(self) -> int | None:
        """Wait until the process has ended, and end what it left behind in its group.

        Returns its exit code, negative for a signal; None where the program that embeds this took it away.
        """
        known = self._wait_unreaped()
        with self._lock:
            if known:
                # Until it is reaped nobody else can have its number; after that, no signal is sent any more.
                self._send(getattr(signal, "SIGKILL", signal.SIGTERM))
            code = self._process.wait()
            self._over = True
        return code if known else None

    def _wait_unreaped(self) -> bool:
        if sys.platform == "win32" or not hasattr(os, "waitid"):  # macOS before Python 3.13
            self._process.wait()
            return True
        try:
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        except ChildProcessError:
            return False
        return True

    def _signal(self, number: int) -> None:
        with self._lock:
            if not self._over:
                self._send(number)

    def _send(self, number: int) -> None:
        with suppress(OSError):  # it has gone, or (macOS) only its remains are there
            if sys.platform == "win32":
                _end_job(self._job)
            else:
                os.killpg(self.pid, number)


def exit_text(code: int | None) -> str:
    """How a process ended, to be read after "it": "was ended by SIGSEGV", "exited with code 3"."""
    if code is None:
        return "ended, and another part of this program has taken its exit code"
    if code >= 0:
        return f"exited with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    why = ", perhaps by the system for lack of memory" if name == "SIGKILL" else ""
    return f"was ended by {name}{why}"


if sys.platform == "win32":
    # Untested: written from the documentation of job objects.
    import ctypes
    from ctypes import wintypes

    _KILL_ON_JOB_CLOSE = 0x2000
    _EXTENDED_LIMITS = 9

    class _Limits(ctypes.Structure):  # JOBOBJECT_EXTENDED_LIMIT_INFORMATION
        _fields_ = (
            ("times", ctypes.c_int64 * 2),
            ("flags", wintypes.DWORD),
            ("sizes", ctypes.c_size_t * 2),
            ("active", wintypes.DWORD),
            ("affinity", ctypes.c_size_t),
            ("classes", wintypes.DWORD * 2),
            ("counts", ctypes.c_uint64 * 6),
            ("memory", ctypes.c_size_t * 4),
        )

    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel.CreateJobObjectW.restype = wintypes.HANDLE

    def _job_of(process: int) -> int:
        """A job with the process in it, ended by the system when this program ends: its handle stays open.

        The process waits for its first message meanwhile, so it has started nothing outside of the job.
        """
        job = _kernel.CreateJobObjectW(None, None)
        limits = _Limits(flags=_KILL_ON_JOB_CLOSE)
        handle = wintypes.HANDLE(job)
        size = ctypes.sizeof(limits)
        if not (
            job
            and _kernel.SetInformationJobObject(handle, _EXTENDED_LIMITS, ctypes.byref(limits), size)
            and _kernel.AssignProcessToJobObject(handle, wintypes.HANDLE(process))
        ):
            raise ctypes.WinError(ctypes.get_last_error())
        return int(job)

    def _end_job(job: int) -> None:
        _kernel.TerminateJobObject(wintypes.HANDLE(job), 1)
