"""A program with the real command line and small workflows, run by the tests as a process of its own."""

import asyncio
import os
import signal
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from stepfast import Run, Secret, workflow
from stepfast.definitions.parameters import Help
from stepfast.errors import Stopped
from stepfast_desktop.cli import main


@workflow("greet", title="Greet somebody")
async def greet(
    run: Run,
    name: Annotated[str, Help("whom to greet")],
    times: int = 1,
    loud: Annotated[bool, Help("in capitals")] = False,
    manner: Literal["kind", "curt"] = "kind",
) -> dict[str, Any]:
    """Says hello."""
    said = await run.step("say", lambda: f"hello {name}" * times)
    run.log(f"said {said}")
    return {"said": said.upper() if loud else said, "times_said": times, "manner": manner}


@workflow("keep", title="Keep paths")
async def keep(run: Run, here: Path, id: str = "none", wait: bool = False) -> list[object]:
    """Hands its input back."""
    return [here, id, wait]


@workflow("ask", title="Ask a person")
async def ask(run: Run) -> str:
    """Waits for an answer."""
    return await run.awaiting("approved-by", into=str)


@workflow("confirm", title="Ask for yes or no")
async def confirm(run: Run) -> bool:
    """Waits for an answer of another type."""
    return await run.awaiting("sure", into=bool)


@workflow("hear", title="Hear a message")
async def hear(run: Run) -> Any:
    """Waits for a message, which no person gives."""
    return await run.receive("first")


@workflow("nap", title="Sleep for an hour")
async def nap(run: Run) -> None:
    """Sleeps."""
    await run.sleep("hour", timedelta(hours=1))


@workflow("break", title="Fail while a file is there")
async def fail(run: Run, cause: Path) -> str:
    """Fails until the cause is mended."""

    def look() -> str:
        if cause.exists():
            raise OSError(f"{cause} is in the way")
        return "mended"

    return await run.step("look", look)


@workflow("flawed", title="Complete with problems")
async def flawed(run: Run, problems: int) -> int:
    """Goes on in spite of them."""
    for number in range(problems):
        run.problem(f"file-{number}", "cannot be read")
    return problems


@workflow("long", title="Work until a file is there")
async def long(run: Run, until: Path) -> str:
    """Two steps, the second of which lasts until the file is there."""
    await run.step("first", lambda: _append(until.with_suffix(".first")))

    def wait() -> None:
        while not until.exists():
            if run.stopping:
                raise Stopped
            run.progress(2, 5, "2 of 5")
            time.sleep(0.01)

    await run.step("second", wait)
    return "there"


@workflow("deaf", title="Do not let go")
async def deaf(run: Run, until: Path) -> None:
    """A step that nobody can stop."""

    def wait() -> None:
        while not until.exists():
            time.sleep(0.01)

    await run.step("second", wait)


@workflow("block", title="Block the loop")
async def block(run: Run, begun: Path) -> None:
    """What no workflow may do, and some do."""
    begun.touch()
    while True:
        time.sleep(0.05)


@workflow("login", title="Log in")
async def login(run: Run, name: str, password: Secret, pin: Secret | None = None) -> dict[str, Any]:
    """Uses a secret."""
    run.log(f"{name} with {password.reveal()}")
    return {"length": await run.step("try", lambda: len(password.reveal())), "pin": pin is not None}


@workflow("twisted", title="Name things badly")
async def twisted(run: Run) -> None:
    """Text that would move the cursor."""
    run.problem("a\r\x1b[2Jb\nc", "na\u00efve \u65e5\u672c")
    await asyncio.sleep(0)


@workflow("pay", title="Pay a bill once")
async def pay(run: Run, until: Path) -> str:
    """A step that must not happen twice."""

    def transfer() -> str:
        _append(until.with_suffix(".paid"))
        while not until.exists():
            if run.stopping:
                raise Stopped
            time.sleep(0.01)
        return "receipt"

    return await run.step("transfer", transfer, on_interrupt="ask")


def _append(path: Path) -> None:
    with path.open("a") as file:
        file.write("x")


ALL = [greet, keep, ask, confirm, hear, nap, fail, flawed, long, deaf, block, twisted, pay, login]


def run() -> int:
    """Do what the command line asks for."""
    # What starts the tests may have started them with SIGINT ignored, which children inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    only = os.environ.get("ONLY")
    return main(definitions=[each for each in ALL if only is None or each.name in only.split(",")])


if __name__ == "__main__":
    sys.exit(run())
