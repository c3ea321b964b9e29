"""The program, which stops itself where a kill is to hit it, however fast it is.

    held.py AFTER WORD...    as `stepfast WORD...`; SIGSTOP comes at what a moment of the campaign names

AFTER is `part:BYTES`, once a file that is written has so many bytes, or a step by name, once it is recorded.
"""

import os
import signal
import stat
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from stepfast.sqlite.checkpointer import SqliteCheckpointer
from stepfast_desktop.__main__ import main


def stop() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def at_bytes(count: int) -> None:
    write = os.write

    def writing(descriptor: int, data: Any) -> int:
        written = write(descriptor, data)
        about = os.fstat(descriptor)
        if stat.S_ISREG(about.st_mode) and about.st_size >= count:
            stop()
        return written

    os.write = writing


def at_step(name: str) -> None:
    def then(call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def recording(self: Any, claim: Any, what: Any, *more: Any, **named: Any) -> Any:
            recorded = await call(self, claim, what, *more, **named)
            if getattr(what, "name", what) == name:
                stop()
            return recorded

        return recording

    for each in ("record", "transact"):
        setattr(SqliteCheckpointer, each, then(getattr(SqliteCheckpointer, each)))


if __name__ == "__main__":
    after = sys.argv.pop(1)
    at_bytes(int(after.removeprefix("part:"))) if after.startswith("part:") else at_step(after)
    sys.exit(main())
