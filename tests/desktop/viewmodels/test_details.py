"""The details of a workflow over a real engine: what is read when, and what is said of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import pytest

from stepfast import Definition, Engine, Run, StoreError, workflow
from stepfast.definitions.parameters import Title
from stepfast.errors import Stopped
from stepfast.interfaces import Kind
from stepfast.views import RecordOutline
from stepfast_desktop.viewmodels.details import details as module
from stepfast_desktop.viewmodels.details.details import DetailsViewModel
from stepfast_desktop.viewmodels.details.page import step_row
from stepfast_desktop.viewmodels.details.values import Pair
from stepfast_desktop.viewmodels.feed import Feed

DEADLINE = 60.0


@dataclass
class Report:
    files: int
    bytes: int
    verified: bool
    already_there: int
    seconds: float
    names: list[str]
    nothing: str | None = None


@workflow("publish", title="Publish a folder")
async def publish(
    run: Run, folder: Annotated[Path, Title("Which folder")], to: str = "site", drafts: bool = False
) -> Report:
    """Publishes."""
    await run.step("scan", lambda: 3)
    run.log("scanned")
    return Report(3, 2_500_000, True, 0, 75.0, ["a", "b"])


@workflow("flawed")
async def flawed(run: Run, problems: int) -> int:
    """Completes in spite of its problems."""
    for number in range(problems):
        run.problem(f"file-{number}", "cannot be read")
    return problems


@workflow("fragile")
async def fragile(run: Run, cause: Path) -> str:
    """Fails while a file is there."""
    await run.step("first", lambda: 1)

    def look() -> str:
        if cause.exists():
            raise OSError(f"{cause} is in the way; move it")
        return "mended"

    return await run.step("look", look)


@workflow("broken")
async def broken(run: Run) -> None:
    """Breaks a rule of the engine's."""
    await run.step("same", lambda: 1)
    await run.step("same", lambda: 1)


@workflow("bare")
async def bare(run: Run) -> None:
    """Fails without a word."""
    nothing: dict[str, int] = {}
    await run.step("look up", lambda: nothing["key"])


@workflow("long")
async def long(run: Run, until: Path) -> None:
    """Goes on until a file is there, and says how far it is."""
    await run.step("first", lambda: 1)

    def wait() -> None:
        done = 0
        while not until.exists():
            if run.stopping:
                raise Stopped
            done += 1
            run.progress(done, 10_000, f"{done} of 10,000")
            time.sleep(0.01)

    await run.step("second", wait)


@workflow("chatty")
async def chatty(run: Run, lines: int, more: Path) -> None:
    """Logs, and once a file is there logs one line more."""
    for number in range(lines):
        run.log(f"line {number}")
    run.log("two\nlines", "warning")

    async def wait() -> None:
        while not more.exists():
            await asyncio.sleep(0.01)

    await run.step("wait", wait)
    run.log("the last")

    async def stay() -> None:
        await asyncio.sleep(3600)

    await run.step("stay", stay)


@workflow("ask")
async def ask(run: Run) -> list[object]:
    """Waits for two answers."""
    async with asyncio.TaskGroup() as group:
        who = group.create_task(run.awaiting("approved-by", into=str))
        copies = group.create_task(run.awaiting("copies", into=int))
    return [who.result(), copies.result()]


@workflow("listen")
async def listen(run: Run) -> None:
    """Waits for a message and a moment."""
    async with asyncio.TaskGroup() as group:
        group.create_task(run.receive("next"))
        group.create_task(run.sleep("hour", timedelta(hours=1)))


ALL: list[Definition[..., Any]] = [publish, flawed, fragile, broken, bare, long, chatty, ask, listen]


class Watch:
    """A view model with what it told, and a way to wait for what it comes to say."""

    def __init__(self, engine: Engine, feed: Feed) -> None:
        self.model = DetailsViewModel(engine, feed)
        self.told: list[str] = []
        self._told = asyncio.Event()
        self.model.changed.connect(self._hear)

    def _hear(self, section: str) -> None:
        self.told.append(section)
        self._told.set()

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(DEADLINE):
            while not condition():
                self._told.clear()
                await self._told.wait()

    async def show(self, id: str, state: str = "") -> None:
        """Show it, and wait until it is shown, in a state whose words begin so."""
        self.model.show(id)
        await self.until(lambda: self.is_shown(id, state))

    def is_shown(self, id: str, state: str = "") -> bool:
        shown = self.model.state
        return shown is not None and shown.id == id and shown.text.startswith(state)


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    async with Engine.open(tmp_path / "work.db", ALL) as engine:
        yield engine


@pytest.fixture
async def watch(engine: Engine) -> AsyncIterator[Watch]:
    feed = Feed(engine)
    await feed.start()
    watch = Watch(engine, feed)
    yield watch
    await watch.model.close()
    await feed.close()


async def finished(engine: Engine, request: Any, id: str) -> None:
    await (await engine.start(request, id=id)).finished()


# --- what is shown --------------------------------------------------------------------------------------


async def test_nothing_selected_is_one_quiet_line(watch: Watch) -> None:
    assert watch.model.state is None
    assert watch.model.message == "Select a workflow to see its details."
    assert await watch.model.copy_text() == ""


async def test_a_result_is_named_and_an_input_has_its_titles(
    engine: Engine, watch: Watch, tmp_path: Path
) -> None:
    await finished(engine, publish(tmp_path), "one")
    await watch.show("one", "Completed")
    state = watch.model.state
    assert state is not None
    assert state.title == "Publish a folder"
    assert state.tone == "good"
    assert watch.model.given == (
        Pair("Which folder", str(tmp_path)),
        Pair("To", "site"),
        Pair("Drafts", "no"),
    )
    assert watch.model.outcome.result == (
        Pair("Files", "3"),
        Pair("Size", "2.5 MB (2,500,000 bytes)"),
        Pair("Verified", "yes"),
        Pair("Already there", "0"),
        Pair("Duration", "1 min 15 s"),
        Pair("Names", "a\nb"),
        Pair("Nothing", "\N{EN DASH}"),
    )
    assert [pair.label for pair in state.facts] == ["Started", "Finished", "Took", "Name"]


async def test_a_failure_says_what_why_and_what_to_do_before_the_traceback(
    engine: Engine, watch: Watch, tmp_path: Path
) -> None:
    cause = tmp_path / "cause"
    cause.touch()
    await finished(engine, fragile(cause), "one")
    await watch.show("one", "Failed")
    failure, state = watch.model.outcome.failure, watch.model.state
    assert failure is not None and state is not None
    assert failure.headline == "The step “look” failed"
    assert failure.message == f"{cause} is in the way; move it"
    assert "Retry goes on from the step that failed" in failure.advice
    assert failure.traceback.startswith("Traceback (most recent call last):")
    assert state.can_retry
    assert [(row.name, row.took) for row in watch.model.steps][-1] == ("look", "failed")

    cause.unlink()
    await watch.model.retry()
    await watch.until(lambda: watch.is_shown("one", "Completed"))
    assert watch.model.outcome.failure is None
    assert watch.model.outcome.result == (Pair("", "mended"),)
    mended = [("first", False), ("look", False)]
    await watch.until(lambda: [(row.name, row.took == "failed") for row in watch.model.steps] == mended)


async def test_a_fault_of_the_code_is_nothing_that_a_person_can_mend(engine: Engine, watch: Watch) -> None:
    await finished(engine, broken(), "one")
    await watch.show("one", "Failed")
    assert watch.model.outcome.failure is not None
    assert "fault in the workflow's own code" in watch.model.outcome.failure.advice


async def test_an_error_without_words_has_its_type(engine: Engine, watch: Watch) -> None:
    await finished(engine, bare(), "one")
    await watch.show("one", "Failed")
    assert watch.model.outcome.failure is not None
    assert watch.model.outcome.failure.message == "KeyError: 'key'"


@pytest.mark.parametrize(
    ("problems", "shown", "more"), [(3, 3, ""), (200, 200, ""), (207, 200, "and 7 more")]
)
async def test_the_first_problems_are_shown_and_how_many_more_there_are(
    engine: Engine, watch: Watch, problems: int, shown: int, more: str
) -> None:
    await finished(engine, flawed(problems), "one")
    await watch.show("one", f"Completed, {problems} problems")
    outcome = watch.model.outcome
    assert len(outcome.problems) == shown
    assert outcome.problems[0] == Pair("file-0", "cannot be read")
    assert (outcome.problem_count, outcome.more_problems) == (problems, more)


@pytest.mark.parametrize(
    ("kind", "attempts", "row"),
    [
        (Kind.STEP, 1, ("scan", "2 s", "")),
        (Kind.STEP, 3, ("scan", "2 s", "3")),
        (Kind.SLEEP, 1, ("Sleep: scan", "", "")),
        (Kind.ANSWER, 1, ("Answer: scan", "", "")),
        (Kind.RECEIVED, 1, ("Message: scan", "", "")),
    ],
)
def test_a_step_says_how_long_it_took_and_after_how_many_attempts(
    kind: str, attempts: int, row: tuple[str, str, str]
) -> None:
    now = datetime.now(UTC)
    made = step_row(RecordOutline(kind, "scan", 7, now - timedelta(seconds=2), now, attempts, 1))
    assert (made.name, made.took, made.attempts) == row


async def test_a_wait_says_what_for(engine: Engine, watch: Watch) -> None:
    await engine.start(listen(), id="one")
    await watch.show("one", "Waiting for a message")
    assert watch.model.state is not None
    assert "the message “next”, which a program sends" in watch.model.state.needs
    assert "“hour” goes on" in watch.model.state.needs
    assert watch.model.state.asked == ()


async def test_one_that_has_not_begun_yet_starts_and_does_not_go_on(engine: Engine, watch: Watch) -> None:
    await engine.start(listen(), id="one", at=datetime(2124, 5, 6, 7, 8).astimezone())
    await watch.show("one", "Sleeping until 6 May 2124")
    assert watch.model.state is not None
    assert watch.model.state.needs == "It starts 6 May 2124 07:08."


async def test_text_from_anywhere_is_made_harmless(engine: Engine, watch: Watch, tmp_path: Path) -> None:
    await finished(engine, publish(tmp_path / "\udcff\u202e", to="a\x1b[2J"), "one")
    await watch.show("one")
    assert watch.model.given[0].text.endswith(r"\udcff\u202e")
    assert watch.model.given[1].text == r"a\x1b[2J"


# --- following ------------------------------------------------------------------------------------------


async def test_a_running_workflow_is_followed(engine: Engine, watch: Watch, tmp_path: Path) -> None:
    go = tmp_path / "go"
    await engine.start(long(go), id="one")
    await watch.show("one", "Running")
    await watch.until(lambda: watch.model.steps and watch.model.steps[-1].name == "second")
    assert [(row.name, row.took == "running") for row in watch.model.steps] == [
        ("first", False),
        ("second", True),
    ]
    await watch.until(lambda: watch.model.state is not None and watch.model.state.fraction)
    first = watch.model.steps[0]
    go.touch()
    await watch.until(lambda: watch.is_shown("one", "Completed"))
    await watch.until(lambda: watch.model.steps[-1].position is not None)
    assert [row.name for row in watch.model.steps] == ["first", "second"]
    assert watch.model.steps[0] is first, "what was there is there still, for whoever has it selected"


async def test_only_what_changed_is_told_and_at_most_four_times_a_second(
    engine: Engine, watch: Watch, tmp_path: Path
) -> None:
    await engine.start(long(tmp_path / "go"), id="one")
    await watch.show("one", "Running")
    await watch.until(lambda: watch.model.steps and watch.model.steps[-1].name == "second")
    reads: list[float] = []
    summary = engine.summary

    async def counted(id: str) -> Any:
        reads.append(asyncio.get_running_loop().time())
        return await summary(id)

    engine.summary = counted  # type: ignore[method-assign]
    watch.told.clear()
    await watch.until(lambda: len(reads) >= 5)
    engine.summary = summary  # type: ignore[method-assign]
    assert set(watch.told) == {"state"}
    # Five readings have four gaps of at least a quarter of a second; the loop's clock may be a hair early.
    assert reads[4] - reads[0] > 4 * module.INTERVAL - 0.05


async def test_seconds_are_counted_where_nothing_else_happens(
    engine: Engine, watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TICK", 0.05)
    await engine.start(chatty(0, tmp_path / "more"), id="one")
    await watch.show("one", "Running")

    def counted() -> list[str]:
        facts = watch.model.state.facts if watch.model.state is not None else ()
        return [pair.text for pair in facts if pair.label == "Elapsed"]

    before = counted()
    await watch.until(lambda: counted() != before)


async def test_a_workflow_that_is_deleted_meanwhile_says_so(engine: Engine, watch: Watch) -> None:
    await finished(engine, flawed(0), "one")
    await watch.show("one", "Completed")
    await engine.delete("one")
    await watch.until(lambda: watch.model.state is None)
    assert "it was deleted" in watch.model.message
    assert not watch.model.steps and not len(watch.model.log)
    # Another one of that id is another workflow.
    await finished(engine, flawed(2), "one")
    await watch.until(lambda: watch.is_shown("one", "Completed, 2 problems"))


async def test_an_id_that_nobody_has_says_so(watch: Watch) -> None:
    watch.model.show("nobody")
    await watch.until(lambda: "not there" in watch.model.message)
    assert watch.told == ["workflow"]


async def test_another_workflow_is_shown_in_one_piece(engine: Engine, watch: Watch, tmp_path: Path) -> None:
    await finished(engine, flawed(3), "one")
    await finished(engine, publish(tmp_path), "two")
    await watch.show("one", "Completed")
    watch.told.clear()
    watch.model.show("two")
    assert watch.is_shown("one"), "until the other one is read"
    assert watch.model.outcome.problems
    await watch.until(lambda: watch.is_shown("two"))
    assert not watch.model.outcome.problems
    assert [row.name for row in watch.model.steps] == ["scan"]
    assert watch.told == ["workflow"]
    watch.model.show(None)
    assert watch.model.state is None
    assert watch.model.message == "Select a workflow to see its details."


async def test_the_last_of_many_that_were_asked_for_is_shown(engine: Engine, watch: Watch) -> None:
    for number in range(20):
        await finished(engine, flawed(number), f"w{number}")
    for number in range(20):
        watch.model.show(f"w{number}")
        await asyncio.sleep(0)
    await watch.until(lambda: watch.is_shown("w19"))
    assert watch.model.outcome.problem_count == 19


async def test_what_a_held_key_passes_by_is_not_read(
    engine: Engine, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        await finished(engine, flawed(number), f"w{number}")
    await watch.show("w0")
    read: list[str] = []
    get = engine.get
    monkeypatch.setattr(engine, "get", lambda id: (read.append(id), get(id))[1])
    loop = asyncio.get_running_loop()
    now = loop.time()
    with monkeypatch.context() as patched:
        # No time passes while the key is held, however long the machine takes; before that it may have.
        patched.setattr(loop, "time", lambda: now)
        watch.model.show("w1")
        for number in range(2, 5):
            watch.model.show(f"w{number}")
            await asyncio.sleep(0)
            await asyncio.sleep(0)
    await watch.until(lambda: watch.is_shown("w4"))
    assert read == ["w4"]


async def test_a_store_that_cannot_be_read_is_said_and_what_is_shown_stays(
    engine: Engine, watch: Watch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "FAULT_PAUSE", 0.01)
    await engine.start(long(tmp_path / "go"), id="one")
    await watch.show("one", "Running")

    async def fail(id: str) -> Any:
        raise StoreError("the disk is not there")

    with monkeypatch.context() as patched:
        patched.setattr(engine, "summary", fail)
        await watch.until(lambda: watch.model.error)
        assert watch.model.error == "the disk is not there"
        assert watch.is_shown("one")
    await watch.until(lambda: not watch.model.error)


async def test_a_retry_that_cannot_be_is_said(engine: Engine, watch: Watch, tmp_path: Path) -> None:
    await engine.start(long(tmp_path / "go"), id="one")
    await watch.show("one", "Running")
    await watch.model.retry()
    assert "'one'" in watch.model.error


async def test_what_nobody_here_can_run_says_so_until_somebody_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK_AGAIN", 0.05)
    path = tmp_path / "shared.db"
    go = tmp_path / "go"
    async with Engine.open(path, ALL, work=False) as starter:
        await starter.start(long(go), id="busy")
        await starter.start(publish(tmp_path), id="one")
    async with Engine.open(path, [], work=False) as engine:
        feed = Feed(engine)
        await feed.start()
        watch = Watch(engine, feed)
        await watch.show("one", "Queued")
        assert watch.model.state is not None
        assert "No program that is open can run “publish”, version 1" in watch.model.state.needs
        assert watch.model.state.title == "publish"
        # It has room for one, so that nothing becomes of this workflow but that it can be run.
        async with Engine.open(path, ALL, concurrency=1) as worker:
            await watch.until(lambda: "No program" not in watch.model.state.needs)
            assert watch.is_shown("one", "Queued")
            assert watch.model.state.title == "Publish a folder", "the other program's word for it"
            go.touch()
            await worker.handle("one").finished()
        await engine.durable.poll()  # nobody rings at one that does not work
        await watch.until(lambda: watch.is_shown("one", "Completed"))
        assert watch.model.state.title in ("Publish a folder", "publish")
        await watch.model.close()
        await feed.close()


async def test_closing_leaves_nothing_behind(engine: Engine, watch: Watch, tmp_path: Path) -> None:
    await engine.start(long(tmp_path / "go"), id="one")
    await watch.show("one", "Running")
    await watch.model.close()
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "details"]
    watch.model.show("one")
    assert watch.model.state is None


async def test_everything_can_be_copied_as_text(engine: Engine, watch: Watch, tmp_path: Path) -> None:
    cause = tmp_path / "cause"
    cause.touch()
    await finished(engine, fragile(cause), "one")
    await watch.show("one", "Failed")
    text = await watch.model.copy_text()
    for part in (
        "Fragile (fragile 1)\n",
        "State: Failed\n",
        "Name: one\n",
        f"Input\n    Cause: {cause}\n",
        "Error\n    The step “look” failed\n",
        "is in the way; move it\n",
        "    Traceback (most recent call last):\n",
        "    look  failed\n",
    ):
        assert part in text, part
