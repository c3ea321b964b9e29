"""The details of a workflow over a real engine: what is read when, and what is said of it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import pytest

from stepfast import Definition, Engine, LogLine, Run, StepRecord, StoreError, workflow
from stepfast.errors import Stopped
from stepfast.interfaces import Kind, NewRecord
from stepfast.parameters import Title
from stepfast_desktop.viewmodels import details as module
from stepfast_desktop.viewmodels.details import DetailsViewModel
from stepfast_desktop.viewmodels.details_answers import Unfit, choices_of, hint_of, read_answer
from stepfast_desktop.viewmodels.details_log import newest_lines
from stepfast_desktop.viewmodels.details_page import step_row
from stepfast_desktop.viewmodels.details_values import Pair, pairs_of, value_text
from stepfast_desktop.viewmodels.feed import Feed

DEADLINE = 20.0


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


@workflow("once")
async def once(run: Run) -> object:
    """Has a step that must not happen twice."""
    await run.sleep("a moment", timedelta(seconds=0.2))
    return await run.step("pay", lambda: "paid", on_interrupt="ask")


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


ALL: list[Definition[..., Any]] = [publish, once, flawed, fragile, broken, bare, long, chatty, ask, listen]


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
    assert watch.model.copy_text() == ""


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
    assert [row.name for row in watch.model.steps] == ["first", "look"]


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
    made = step_row(StepRecord(kind, "scan", "1", 7, now - timedelta(seconds=2), now, attempts))
    assert (made.name, made.took, made.attempts) == row


async def test_a_wait_says_what_for(engine: Engine, watch: Watch) -> None:
    await engine.start(listen(), id="one")
    await watch.show("one", "Waiting for a message")
    assert watch.model.state is not None
    assert "the message “next”, which a program sends" in watch.model.state.needs
    assert "“hour” goes on" in watch.model.state.needs
    assert watch.model.state.asked == ()


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


async def test_the_newest_lines_of_a_log_are_shown_and_followed(
    engine: Engine, watch: Watch, tmp_path: Path
) -> None:
    more = tmp_path / "more"
    await engine.start(chatty(2500, more), id="one")
    await watch.show("one", "Running")
    await watch.until(lambda: watch.model.log and watch.model.log[-1].text == "lines")
    rows = watch.model.log
    assert len({row.position for row in rows}) == 1000
    assert rows[0].text == "line 1501"
    assert [(row.time != "", row.level, row.text) for row in rows[-2:]] == [
        (True, "warning", "Warning: two"),
        (False, "warning", "lines"),
    ]
    more.touch()
    await watch.until(lambda: watch.model.log[-1].text == "the last")
    assert len({row.position for row in watch.model.log}) == 1000
    assert watch.model.log[0].text == "line 1502"
    assert watch.model.log[0] is rows[1]


async def test_a_workflow_that_is_deleted_meanwhile_says_so(engine: Engine, watch: Watch) -> None:
    await finished(engine, flawed(0), "one")
    await watch.show("one", "Completed")
    await engine.delete("one")
    await watch.until(lambda: watch.model.state is None)
    assert "it was deleted" in watch.model.message
    assert not watch.model.steps and not watch.model.log
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
    async with Engine.open(path, ALL, work=False) as starter:
        await starter.start(publish(tmp_path), id="one")
    async with Engine.open(path, [], work=False) as engine:
        feed = Feed(engine)
        await feed.start()
        watch = Watch(engine, feed)
        await watch.show("one", "Queued")
        assert watch.model.state is not None
        assert "No program that is open can run “publish”, version 1" in watch.model.state.needs
        assert watch.model.state.title == "publish"
        async with Engine.open(path, ALL):
            await watch.until(lambda: watch.is_shown("one", "Completed"))
        # The other program's word for it, which it keeps.
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


# --- answers --------------------------------------------------------------------------------------------


async def test_an_answer_is_checked_and_given(engine: Engine, watch: Watch) -> None:
    await engine.start(ask(), id="one")
    await watch.show("one", "Waiting for an answer")
    assert watch.model.state is not None
    hints = {each.name: each.hint for each in watch.model.state.asked}
    assert hints == {"approved-by": "a text", "copies": "a whole number"}

    assert not await watch.model.answer("copies", "many")
    assert watch.model.answer_errors == {"copies": "That does not fit; it needs a whole number."}
    assert await watch.model.answer("copies", " 3 ")
    assert watch.model.answer_errors == {}
    assert await watch.model.answer("approved-by", "true")
    await watch.until(lambda: watch.is_shown("one", "Completed"))
    assert watch.model.outcome.result == (Pair("", "true\n3"),)


@pytest.mark.parametrize(
    ("said", "state"),
    [("It happened", "Completed"), ("It did not happen: run it", "Completed"), ("Give it up", "Failed")],
)
async def test_an_interrupted_step_is_answered_for(
    engine: Engine, watch: Watch, said: str, state: str
) -> None:
    await engine.start(once(), id="one")
    # As a process leaves it that died under the step.
    durable = engine.durable
    async with asyncio.timeout(DEADLINE):
        while (claim := await durable.checkpointer.claim("one")) is None:
            await asyncio.sleep(0.01)
    await durable.checkpointer.record(claim, NewRecord(Kind.BEGUN, "1:pay", "null", 1.0))
    await durable.checkpointer.release(claim)
    await watch.show("one", "Blocked: needs you")
    assert watch.model.state is not None
    assert "“pay” was interrupted" in watch.model.state.needs
    (asked,) = watch.model.state.asked
    assert asked.choices == ("It happened", "It did not happen: run it", "Give it up")
    assert not await watch.model.answer("pay", "")
    assert watch.model.answer_errors == {"pay": "Choose what became of it first."}
    assert await watch.model.answer("pay", said)
    await watch.until(lambda: watch.is_shown("one", state))


async def test_the_first_answer_stands(engine: Engine, watch: Watch) -> None:
    await engine.start(ask(), id="one")
    await watch.show("one", "Waiting")
    await engine.arrive("one", "copies", 3)
    assert not await watch.model.answer("copies", "4")
    assert "answered before, with 3" in watch.model.answer_errors["copies"]


@pytest.mark.parametrize(
    ("form", "text", "value"),
    [
        (None, "yes", "yes"),
        (None, "true", True),
        (None, '{"a": 1}', {"a": 1}),
        ("damaged", "x", "x"),
        ('["no schema"]', "x", "x"),
        ('{"type": "string", "format": []}', "x", "x"),
        ('{"type": "string"}', "true", "true"),
        ('{"type": "string"}', "", ""),
        ('{"type": "boolean"}', "Yes", True),
        ('{"type": "boolean"}', "off", False),
        ('{"type": "integer"}', " 7 ", 7),
        ('{"type": "number"}', "1e3", 1000.0),
        ('{"type": ["integer", "null"]}', "", None),
        ('{"type": "string", "format": "date"}', "2026-11-29", "2026-11-29"),
        ('{"type": "string", "format": "duration"}', "1h30m", "1h30m"),
        ('{"type": "string", "enum": ["accept", "reject"]}', "Accept", "accept"),
        ('{"enum": [1, 2], "enumNames": ["ONE", "TWO"]}', "two", 2),
        ('{"enum": ["a", null], "enumNames": ["A", ""]}', "a", "a"),
        ('{"anyOf": [{"type": "string"}, {"type": "integer"}]}', "7", 7),
        ('{"anyOf": [{"type": "string"}, {"type": "integer"}]}', "x", "x"),
        ('{"type": "array", "items": {}}', "[1, 2]", [1, 2]),
        ('{"type": "object"}', '{"a": 1}', {"a": 1}),
    ],
)
def test_an_answer_is_read_as_its_form_says(form: str | None, text: str, value: object) -> None:
    read = read_answer(form, text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("form", "text", "needs"),
    [
        (None, " ", "first"),
        ('{"type": "boolean"}', "perhaps", "yes or no"),
        ('{"type": "integer"}', "7.5", "a whole number"),
        ('{"type": "integer"}', "", "a whole number"),
        ('{"type": "number"}', "nan", "a number"),
        ('{"type": "string", "format": "date"}', "tomorrow", "a date such as"),
        ('{"type": "string", "format": "path"}', "", "a path"),
        ('{"type": ["integer", "null"]}', "x", "a whole number, or nothing"),
        ('{"enum": ["a", "b"]}', "c", "one of a, b"),
        ('{"anyOf": [{"type": "integer"}, {"type": "boolean"}]}', "x", "a whole number or yes or no"),
        ('{"type": "array", "items": {}}', "1", "a list as JSON"),
        ('{"type": "object"}', "[", "a value as JSON"),
    ],
)
def test_an_answer_that_does_not_fit_is_told_what_would(form: str | None, text: str, needs: str) -> None:
    with pytest.raises(Unfit, match=needs.replace("[", r"\[")):
        read_answer(form, text)


def test_choices_are_offered_where_there_are_any() -> None:
    assert choices_of('{"type": "boolean"}') == ("Yes", "No")
    assert choices_of('{"type": "string", "enum": ["a", null]}') == ("a",)
    assert choices_of('{"type": "integer"}') == choices_of(None) == choices_of("damaged") == ()
    assert hint_of(json.dumps({"enum": list(range(100))})).endswith(", 11, …")


# --- parts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 999, 1000, 1001, 2000, 2500, 4321, 100_000])
async def test_the_newest_lines_are_found_without_reading_all(count: int) -> None:
    at = datetime.now(UTC)
    # Gaps of all sizes: other workflows take numbers of the same counter.
    positions = [number * 3 + (number % 7 == 0) + (number > 900) * 10_000 for number in range(count)]
    reads = 0

    async def read(after: int) -> list[LogLine]:
        nonlocal reads
        reads += 1
        found = [each for each in positions if each > after][:1000]
        return [LogLine(each, at, "info", None, "x") for each in found]

    lines = await newest_lines(read, -1)
    assert [line.position for line in lines] == positions[-1000:]
    assert reads <= 2 + 2 * count // 1000
    assert reads <= 40


def test_a_value_is_said_in_plain_words() -> None:
    assert value_text(timedelta(minutes=90)) == "1 h 30 min"
    assert value_text(date(2026, 11, 29)) == "2026-11-29"
    assert value_text([Path("a"), Path("b")]) == "a\nb"
    assert value_text([]) == "(none)"
    assert value_text("") == "(empty)"
    assert value_text({"a": [1]}) == '{\n  "a": [\n    1\n  ]\n}'
    assert value_text([{"a": 1}]) == '[\n  {\n    "a": 1\n  }\n]'
    assert value_text(list(range(25))).endswith("19\nand 5 more")
    assert value_text("x" * 5000).endswith("(1,000 more characters)")
    assert value_text(999, name="bytes") == "999 bytes"
    assert value_text(10**400, name="total_bytes") == str(10**400)


def test_a_value_of_any_size_is_a_page_at_most() -> None:
    pairs = pairs_of({str(number): "x" * 10_000 for number in range(1000)})
    assert len(pairs) == 101
    assert pairs[-1] == Pair("", "and 900 more")
    assert all(len(pair.text) < 4100 for pair in pairs)
    assert pairs_of(None) == ()
    assert pairs_of({1: 2}) == (Pair("", '{\n  "1": 2\n}'),)


async def test_everything_can_be_copied_as_text(engine: Engine, watch: Watch, tmp_path: Path) -> None:
    cause = tmp_path / "cause"
    cause.touch()
    await finished(engine, fragile(cause), "one")
    await watch.show("one", "Failed")
    text = watch.model.copy_text()
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
