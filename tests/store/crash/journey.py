"""A workflow with everything that a body can call, run by `test_kill_anywhere.py` as a process of its own.

    journey.py DATABASE FOLDER run          start it, or carry it on, until it has finished
    journey.py DATABASE FOLDER tell WHO     from outside: answer it, and send it messages

Each effect can be counted from outside: steps append `STEP TOKEN PID` to the file `effects` and return the
token, the bookmarked step appends numbers to `numbers`, transacted steps add rows to the table `ledger`, in
which nothing is unique.
"""

import asyncio
import json
import os
import sqlite3
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from stepfast import Engine, Happened, Retry, Run, Transaction, workflow
from stepfast.errors import AlreadyFinished, UnknownWorkflow

LEGS = 3
NUMBERS = 40
TELLERS = ("anna", "bela")
MESSAGES = 4
FAILURES = 3
PAUSE = 0.01
TELLING_PAUSE = 0.05  # so that whoever tells is there before some of those who hear


@workflow("journey")
async def journey(run: Run, folder: Path) -> dict[str, Any]:
    """Steps in a row, a sleep, a bookmark, then branches that work and wait side by side."""
    await run.transact("table", make_table)
    tokens: dict[str, str] = {}
    for leg in range(LEGS):
        tokens[f"step:{leg}"] = await run.step(f"step:{leg}", act, folder, f"step:{leg}")
        await run.transact(f"paid:{leg}", add(f"paid:{leg}", leg))
    await run.sleep("nap", timedelta(seconds=0.05))
    numbers = await run.step("count", count, run, folder)
    async with asyncio.TaskGroup() as group:
        answer = group.create_task(_answer(run))
        messages = group.create_task(_messages(run))
        token = group.create_task(_sleep_and_act(run, folder))
        group.create_task(run.transact("prepared", add("prepared", 0), prepare=lambda: _prepare(folder)))
    tokens["behind"] = token.result()
    tokens["coroutine"] = await run.step("coroutine", act_on_the_loop, folder, "coroutine")
    tokens["once"] = await run.step("once", act, folder, "once", on_interrupt=lambda: _look(folder))
    again = Retry(attempts=100, first=timedelta(seconds=0.02), factor=1)
    tokens["flaky"] = await run.step("flaky", _flaky, folder, retry=again)
    rest = await run.pending("rest")
    await run.transact("end", add("end", 1))
    return {
        "tokens": tokens,
        "numbers": numbers,
        "answer": answer.result(),
        "messages": messages.result(),
        "rest": rest,
    }


async def _answer(run: Run) -> str:
    answer = await run.awaiting("answer", into=str)
    await run.transact("answered", add("answered", answer))
    return answer


async def _messages(run: Run) -> list[str]:
    messages: list[str] = []
    ends = {f"{who}:end" for who in TELLERS}
    while not ends.issubset(messages):
        message = await run.receive(f"message:{len(messages)}", into=str)
        heard = f"heard:{len(messages)}"
        await run.transact(heard, add(heard, message), prepare=lambda: time.sleep(PAUSE))
        messages.append(message)
    return messages


async def _sleep_and_act(run: Run, folder: Path) -> str:
    await run.sleep("doze", timedelta(seconds=0.2))
    return await run.step("behind", act, folder, "behind")


def _look(folder: Path) -> Happened | None:
    """Was the step that must not happen twice on disk when we were killed?"""
    lines = [line.split() for line in (folder / "effects").read_text().splitlines()]
    tokens = [token for step, token, _ in lines if step == "once"]
    return Happened(tokens[-1]) if tokens else None


def _flaky(folder: Path) -> str:
    """Fails the first times that it is run."""
    lines = (folder / "effects").read_text().splitlines()
    token = act(folder, "flaky")
    if sum(line.startswith("flaky ") for line in lines) < FAILURES:
        raise ConnectionError(f"refused {token}")
    return token


def act(folder: Path, step: str) -> str:
    """An effect that is no transaction: on disk before it returns, and perhaps before it is recorded."""
    token = uuid.uuid4().hex
    append(folder / "effects", f"{step} {token} {os.getpid()}")
    time.sleep(PAUSE)
    return token


async def act_on_the_loop(folder: Path, step: str) -> str:
    token = uuid.uuid4().hex
    append(folder / "effects", f"{step} {token} {os.getpid()}")
    await asyncio.sleep(PAUSE)
    return token


def count(run: Run, folder: Path) -> int:
    """Write numbers, and a bookmark behind each; what a bookmark claims must be there."""
    first = run.bookmark.get() or 0
    assert isinstance(first, int)
    file = folder / "numbers"
    there = file.read_text().split() if first else []
    missing = [number for number in range(first) if str(number) not in there]
    assert not missing, f"the bookmark says {first}, and {missing} were never written"
    append(folder / "begun", f"{first}")
    for number in range(first, NUMBERS):
        append(file, str(number))
        run.bookmark.set(number + 1)
        time.sleep(PAUSE)
    return NUMBERS


def make_table(transaction: Transaction) -> None:
    transaction.execute("CREATE TABLE ledger (step TEXT, value TEXT, pid INTEGER)")


def add(step: str, value: object) -> Callable[..., int]:
    def effect(transaction: Transaction, prepared: object = None) -> int:
        row = (step, str(value), os.getpid())
        transaction.execute("INSERT INTO ledger (step, value, pid) VALUES (?, ?, ?)", row)
        return os.getpid()

    return effect


def _prepare(folder: Path) -> str:
    return act(folder, "prepare")


def append(path: Path, line: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(file, f"{line}\n".encode())
        os.fsync(file)
    finally:
        os.close(file)


async def carry_on(database: Path, folder: Path) -> None:
    async with Engine.open(database, [journey]) as engine:
        print("open", flush=True)
        handle = await engine.start(journey(folder), id="journey")
        print(json.dumps(await handle.result()), flush=True)


async def tell(database: Path, who: str) -> None:
    """Answer, and send every message of ours that is not there yet: we may have been killed before."""
    async with Engine.open(database, work=False) as engine:
        print("open", flush=True)
        while True:
            try:
                print(await engine.arrive("journey", "answer", who), flush=True)
                break
            except UnknownWorkflow:
                await asyncio.sleep(PAUSE)
            except AlreadyFinished:
                break  # we were killed after our last message; one that is missing is refused below
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
            sent = {json.loads(text) for (text,) in connection.execute("SELECT value FROM stepfast_messages")}
        for message in (*(f"{who}:{number}" for number in range(MESSAGES)), f"{who}:end"):
            if message not in sent:
                await engine.deliver("journey", message)
                await asyncio.sleep(TELLING_PAUSE)


if __name__ == "__main__":
    where, effects = Path(sys.argv[1]), Path(sys.argv[2])
    asyncio.run(carry_on(where, effects) if sys.argv[3] == "run" else tell(where, sys.argv[4]))
