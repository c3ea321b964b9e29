"""The tests' program, started once: each command is a fork of it, and a process of its own all the same.

Python and the imports took 0.17 s of each command and the command 0.04 s. What forks has one thread and has
opened nothing; the child has the folder, the environment, the words and the output that are asked for, and
ends as every program of Python's does. How the real one starts is seen wherever a test lets a command run
(`Stepfast.begin`) or starts another program.

It is told of a command in a line on its stdin, and says the exit code in a line on its stdout.
"""

from __future__ import annotations

import gc
import json
import os
import sys


def serve() -> None:
    """Fork for each line; returns in the children, which are to carry the command out."""
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if child == 0:
            become(**asked)
            return
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    os._exit(0)


def become(words: list[str], folder: str, environment: dict[str, str], out: str, err: str) -> None:
    """Be the process that was asked for."""
    for number, path, mode in ((0, os.devnull, os.O_RDONLY), (1, out, os.O_WRONLY), (2, err, os.O_WRONLY)):
        opened = os.open(path, mode)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[:] = words


if __name__ == "__main__":
    import tiny_program

    from stepfast.late import import_all
    from stepfast_desktop.cli import arguments, commands, copies  # noqa: F401

    import_all()
    gc.freeze()  # no child goes through what all of them share, and so copies it
    serve()
    sys.exit(tiny_program.run())
