"""Workflows with steps in processes of their own, for the tests and for the program that they kill."""

from __future__ import annotations

import os
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from stepfast import Retry, Run, Secret, workflow

sys.path.insert(0, str(Path(__file__).parents[1] / "store"))

import process_effects as effects


def once(file: str, effect: str) -> str:
    """Do what `effect` does the first time; the second time say what is left of the first."""
    if not Path(file).exists():
        getattr(effects, effect)(file)
    ((pid, child),) = effects.noted(file, "begun")
    alive = [name for name, each in (("process", pid), ("child", child)) if effects.is_alive(int(each))]
    return f"after {alive}"


def told(run: Any, word: str) -> list[Any]:
    before = run.bookmark.get()
    run.bookmark.set(word)
    run.progress(3, 4, "three of four")
    run.log("a line", "warning")
    print("a printed line")
    return [run.id, run.stopping, before]


def marked(run: Any, file: str) -> Any:
    """Set a bookmark and wait to be killed; the second time give what it was."""
    if Path(file).exists():
        return run.bookmark.get()
    run.bookmark.set(["as far", "as here"])
    effects.linger(file)
    return None


def crash_first(file: str) -> int:
    """Die the first two times."""
    effects.note(file, "begun", os.getpid())
    tried = len(effects.noted(file, "begun"))
    if tried < 3:
        os._exit(tried)
    return tried


@workflow("calling")
async def calling(run: Run, effect: str, arguments: list[Any]) -> Any:
    """One step in a process."""
    return await run.step("call", getattr(effects, effect), *arguments, where="process")


@workflow("interrupted")
async def interrupted(run: Run, effect: str, file: str) -> Any:
    """One step in a process that is interrupted the first time."""
    return await run.step("once", once, file, effect, where="process")


@workflow("telling")
async def telling(run: Run, word: str) -> Any:
    """What a step may say from its process."""
    return await run.step("tell", told, run, word, where="process")


@workflow("marking")
async def marking(run: Run, file: str) -> Any:
    """A bookmark that survives."""
    return await run.step("mark", marked, run, file, where="process")


@workflow("retrying")
async def retrying(run: Run, file: str) -> Any:
    """A process that dies, and is tried again."""
    retry = Retry(5, first=timedelta(milliseconds=1))
    return await run.step("crash", crash_first, file, where="process", retry=retry)


@workflow("late")
async def late(run: Run, effect: str, file: str) -> Any:
    """A process that takes too long."""
    timeout = timedelta(seconds=2)
    return await run.step("late", getattr(effects, effect), file, where="process", timeout=timeout)


@workflow("unreturnable")
async def unreturnable(run: Run, file: str) -> Any:
    """A value that cannot come back, of an effect that must not happen again."""
    return await run.step("value", no_value, file, where="process", retry=Retry(5))


def no_value(file: str) -> Any:
    effects.note(file, "begun")
    return effects.unpicklable()


@workflow("placing")
async def placing(run: Run) -> list[int]:
    """The same function in each place."""
    return [
        (await run.step(f"in {where}", effects.who, where=where))[0]
        for where in ("loop", "thread", "process")
    ]


@workflow("points")
async def points(run: Run) -> effects.Point:
    """A value with a type of its own."""
    made = effects.Point(1, 2)
    return await run.step("move", effects.moved, made, into=effects.Point, where="process")


@workflow("open-files")
async def open_files(run: Run) -> list[str]:
    """What of this program a process has open."""
    return await run.step("look", effects.descriptors, where="process")


def leak(run: Any, word: Secret, how: str) -> None:
    """Say a secret in every way, and fail with it."""
    print("printed", word.reveal())
    run.log(f"logged {word.reveal()}")
    run.progress(1, 2, f"at {word.reveal()}")
    if how == "bookmark":
        run.bookmark.set([word.reveal()])
        time.sleep(1000)
    if how == "exit":
        os._exit(3)
    raise effects.Rich(f"raised {word.reveal()}")


@workflow("leaking")
async def leaking(run: Run, word: Secret, how: str) -> None:
    """A secret in a process that does not keep it."""
    await run.step("leak", leak, run, word, how, where="process")


ALL = [
    leaking,
    calling,
    interrupted,
    telling,
    marking,
    retrying,
    late,
    unreturnable,
    placing,
    points,
    open_files,
]
