"""A `Secret` is used by steps, and is nowhere in the file, its log, backups, exports, errors or logs."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
import pickle
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from stepfast import (
    AlreadyStarted,
    DefinitionError,
    Engine,
    InvalidInput,
    MemoryDurable,
    Retention,
    Run,
    Secret,
    SecretError,
    Transaction,
    UnstorableValue,
    WorkflowFailed,
    connect,
    run_durably,
    workflow,
)
from stepfast.definitions.parameters import check, from_text, schema
from stepfast.errors import SecretLost
from stepfast.memory import Memory
from stepfast.secrets import SecretReference, Veil
from stepfast.testing import MemoryKeeper, VirtualClock, reached
from stepfast.values.codec import decode, encode

pytestmark = pytest.mark.usefixtures("quiet_loop")

TEXT = 'hunter2 "of" ünïcode \\ pass%word'
ALL = Retention(age=timedelta(0))


def digest(secret: Secret) -> int:
    return len(secret.reveal())


@workflow("publish")
async def publish(run: Run, to: str, token: Secret, other: Secret | None = None) -> int:
    """Uses a secret in a step, and says so."""
    run.log(f"with {token} and {[token]}, that is {token.reveal()}")
    return await run.step("upload", digest, token)


@workflow("ask")
async def ask(run: Run, token: Secret) -> int:
    await run.awaiting("go", into=bool)
    return await run.step("upload", digest, token)


@workflow("plain")
async def plain(run: Run, to: str) -> str:
    return to


@pytest.fixture
def keeper() -> MemoryKeeper:
    return MemoryKeeper()


@pytest.fixture
async def engine(tmp_path: Path, keeper: MemoryKeeper) -> AsyncIterator[Engine]:
    definitions = [publish, ask, plain]
    async with Engine.open(tmp_path / "work.db", definitions, secrets=keeper, backups=False) as engine:
        yield engine


# ---------------------------------------------------------------------------------------- the value itself


def test_a_secret_is_shown_nowhere() -> None:
    secret = Secret(TEXT).named("token")
    for shown in (repr(secret), str(secret), f"{secret}", f"{secret!r:>20}", repr([secret]), "%s" % secret):  # noqa: UP031
        assert shown.strip() in ("(secret token)", "[(secret token)]")
    assert repr(Secret(TEXT)) == "(secret)"
    assert secret.reveal() == TEXT
    for tried in (pickle.dumps, json.dumps, encode, vars):
        with pytest.raises((TypeError, UnstorableValue)) as refused:
            tried(secret)  # type: ignore[operator]
        assert TEXT not in str(refused.value) and "hunter2" not in str(refused.value)
    assert copy.deepcopy([secret])[0] is secret and copy.copy(secret) is secret
    assert (secret == Secret(TEXT), secret == Secret("x"), secret == TEXT) == (True, False, False)
    assert hash(secret) == hash(Secret(TEXT))
    with pytest.raises(TypeError, match=r"^a Secret is made of a text, and not of a bytes$"):
        Secret(b"hunter2")  # type: ignore[arg-type]


def test_an_input_has_the_name_of_a_secret_and_not_its_text() -> None:
    request = publish("web", token=Secret(TEXT))
    assert request.text == '{"to":"web","token":{"$secret":"token"},"other":null}'
    assert request.secrets == {"token": TEXT}
    assert TEXT not in repr(request) and "hunter2" not in repr(request)
    assert request == publish("web", token=Secret("another"))
    bound = publish.bind(request.text)["token"]
    with pytest.raises(SecretError, match="no keeper"):
        bound.reveal()  # type: ignore[attr-defined]
    assert decode('{"$secret":"token"}') == SecretReference("token")
    assert encode(SecretReference("token")) == '{"$secret":"token"}'
    assert schema(publish.parameters)["properties"]["token"] == {
        "type": "string",
        "format": "secret",
        "title": "Token",
    }


def test_what_is_no_secret_is_refused_without_being_shown() -> None:
    (_, token, other) = publish.parameters
    for wrong in ("hunter2", b"hunter2", ["hunter2"], None):
        with pytest.raises(InvalidInput) as refused:
            check(token, wrong)
        assert "hunter2" not in str(refused.value) and "stepfast.Secret(...)" in str(refused.value)
    with pytest.raises(InvalidInput, match="is empty"):
        check(token, Secret(""))
    with pytest.raises(InvalidInput, match="an empty text is no secret"):
        from_text(token, "")
    assert from_text(token, " none ") == Secret(" none ")
    assert (check(other, None), from_text(other, "")) == (None, None)


def test_a_secret_is_an_input_of_its_own() -> None:
    async def in_a_list(run: Run, tokens: list[Secret]) -> None: ...
    async def in_a_union(run: Run, token: Secret | str) -> None: ...
    async def with_a_default(run: Run, token: Secret = Secret("hunter2")) -> None: ...  # noqa: B008
    async def returned(run: Run) -> Secret: ...  # type: ignore[empty-body]
    async def returned_within(run: Run) -> dict[str, Secret]: ...  # type: ignore[empty-body]

    bodies: list[Any] = [in_a_list, in_a_union, with_a_default, returned, returned_within]
    for body in bodies:
        with pytest.raises(DefinitionError, match=r"Secret") as refused:
            workflow("x")(body)
        assert "hunter2" not in str(refused.value)


def test_a_veil_finds_a_secret_in_each_of_its_forms() -> None:
    veil = Veil(
        {"token": TEXT, "key": "first line of it\nsecond line of it", "pin": "123", "part": "hunter2"}
    )
    for text in (TEXT, json.dumps(TEXT, ensure_ascii=False), repr(TEXT)):
        with pytest.raises(UnstorableValue, match=r"the secret 'token'"):
            veil.check(f"a {text} b", "the value")
        assert "(secret token)" in veil.masked(text) and "hunter2" not in veil.masked(text)
    assert veil.masked("  | first line of it\n  | second line of it") == "  | (secret key)\n  | (secret key)"
    # Too short to be told from what is in a text by chance.
    veil.check("123", "the value")
    assert veil.masked("123 hunter2") == "123 (secret part)"


# ------------------------------------------------------------------------------------------ start to end


async def test_no_byte_of_it_is_written_anywhere(
    tmp_path: Path, keeper: MemoryKeeper, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    seen: list[bytes] = []

    def look() -> None:
        seen.extend(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())

    @workflow("careless")
    async def careless(run: Run, token: Secret) -> None:
        def spill() -> None:
            run.log(f"logged {token.reveal()}")
            run.progress(1, 2, f"at {token.reveal()}")
            run.problem(token.reveal(), f"because of {token.reveal()}")
            raise OSError(f"403 for https://{token.reveal()}@example.org")

        await run.step("spill", spill)

    async with Engine.open(tmp_path / "work.db", [publish, careless], secrets=keeper) as engine:
        handle = await engine.start(publish("web", token=Secret(TEXT)), id="p")
        assert await handle.result() == len(TEXT)
        failing = await engine.start(careless(token=Secret(TEXT)), id="c")
        with pytest.raises(WorkflowFailed) as failed:
            await failing.result()
        look()
        await engine.backup(tmp_path / "backup.db")
        await engine.export(tmp_path / "export.jsonl")
        details = await engine.get("c")
        lines = [line.text for id in ("p", "c") for line in await engine.log(id)]
    look()
    assert details.failure is not None and details.problems
    assert details.failure.message == "403 for https://(secret token)@example.org"
    assert lines == [
        "with (secret token) and [(secret token)], that is (secret token)",
        "logged (secret token)",
    ]
    assert list(keeper.texts.values()) == [json.dumps({"token": TEXT})] * 2
    names = {file.name for file in tmp_path.rglob("*")}
    assert {"work.db", "backup.db", "export.jsonl"} <= names
    assert any(b'{"$secret":"token"}' in content for content in seen)
    shown = [repr(details), str(failed.value), caplog.text, repr(lines)]
    for content in [*seen, *(text.encode() for text in shown)]:
        assert b"hunter2" not in content and b"pass%word" not in content


@pytest.mark.parametrize(
    ("spill", "about"),
    [
        (lambda run, text: run.step("s", lambda: text), "the result of step 's'"),
        (lambda run, text: run.step("s", lambda: {"a": [f"to {text}"]}), "the result of step 's'"),
        (lambda run, text: run.step(f"s {text}", int), "the name of a step"),
        (lambda run, text: run.sleep(f"s {text}", timedelta(days=1)), "the name of a step"),
        (lambda run, text: run.transact("s", lambda db: text), "the result of step 's'"),
        (lambda run, text: run.step("s", lambda: run.bookmark.set(text)), "the bookmark of step 's'"),
    ],
)
async def test_what_would_store_its_text_is_refused(
    tmp_path: Path, keeper: MemoryKeeper, spill: Callable[[Run, str], Any], about: str
) -> None:
    @workflow("spill")
    async def spilling(run: Run, token: Secret) -> None:
        await spill(run, token.reveal())

    file = tmp_path / "work.db"
    async with Engine.open(file, [spilling], secrets=keeper, backups=False) as engine:
        await engine.start(spilling(token=Secret(TEXT)), id="s")
        await reached(engine, "s", "failed")
        failure = (await engine.get("s")).failure
    assert failure is not None and "UnstorableValue" in failure.type
    assert failure.message.startswith(about) and "secret 'token'" in failure.message
    assert all(b"hunter2" not in each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())


async def test_a_secret_that_is_returned_or_asked_for_is_refused(engine: Engine) -> None:
    @workflow("returns")
    async def returns(run: Run, token: Secret) -> object:
        return token

    @workflow("steps")
    async def steps(run: Run, token: Secret) -> None:
        await run.step("s", lambda: [token])

    @workflow("returns-text")
    async def returns_text(run: Run, token: Secret) -> str:
        return token.reveal()

    @workflow("answers")
    async def answers(run: Run) -> None:
        await run.awaiting("password", into=Secret)

    with pytest.raises(UnstorableValue, match="is a Secret"):
        await engine.deliver("x", Secret(TEXT))
    memory = MemoryDurable()
    async with Engine.over(memory, [returns, steps, returns_text, answers], secrets=MemoryKeeper()) as other:
        for definition in (returns, steps, returns_text):
            await other.start(definition(token=Secret(TEXT)), id=definition.name)
        await other.start(answers(), id="answers")
        for id in ("returns", "steps", "returns-text", "answers"):
            await reached(other, id, "failed")
            failure = (await other.get(id)).failure
            assert failure is not None and "ecret" in failure.message and "hunter2" not in repr(failure)


async def test_it_is_there_after_a_crash_and_in_another_engine(keeper: MemoryKeeper) -> None:
    clock, memory = VirtualClock(), Memory()
    durable = MemoryDurable(memory, clock)
    async with Engine.over(durable, [ask], clock=clock, secrets=keeper) as engine:
        await engine.start(ask(token=Secret(TEXT)), id="a")
        await reached(engine, "a", "waiting")
        durable.die()
    async with Engine.over(MemoryDurable(memory, clock), [ask], clock=clock, secrets=keeper) as engine:
        await engine.arrive("a", "go", True)
        await reached(engine, "a", "completed")
        assert (await engine.get("a")).result == len(TEXT)
        assert (await engine.get("a")).input == {"token": SecretReference("token")}


# -------------------------------------------------------------------------------------------- no keeper


async def test_without_a_keeper_nothing_is_started_and_nothing_written(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "work.db", [publish], backups=False) as engine:
        with pytest.raises(SecretError, match=r"Engine.open\(..., secrets=keeper\)"):
            await engine.start(publish("web", token=Secret(TEXT)), id="p")
        assert await engine.list() == []
    with pytest.raises(SecretError):
        await run_durably(publish("web", token=Secret(TEXT)), id="p", path=tmp_path / "work.db")


async def test_a_program_without_a_keeper_leaves_what_has_secrets_to_one_that_has_one(
    tmp_path: Path, keeper: MemoryKeeper, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "work.db"
    async with Engine.open(file, [publish], work=False, secrets=keeper) as client:
        await client.start(publish("web", token=Secret(TEXT)), id="p")
        async with Engine.open(file, [publish, plain], backups=False) as engine:
            await engine.start(plain("x"), id="x")
            await reached(engine, "x", "completed")
            await engine.until_idle()
            assert (await engine.summary("p")).state.name == "queued"
            assert [offer.name for offer in await engine.offers()] == ["plain"]
        assert "for want of a keeper of secrets: publish" in caplog.text
    assert await run_durably(publish("web", token=Secret(TEXT)), id="p", path=file, secrets=keeper) == len(
        TEXT
    )


class Locked(MemoryKeeper):
    """A password store that is locked now and then."""

    locked = False

    def _check(self) -> None:
        if self.locked:
            raise PermissionError("the collection is locked")

    def keep(self, reference: str, text: str) -> None:
        self._check()
        super().keep(reference, text)

    def fetch(self, reference: str) -> str | None:
        self._check()
        return super().fetch(reference)

    def forget(self, reference: str) -> None:
        self._check()
        super().forget(reference)


async def test_a_password_store_that_is_locked_is_asked_again(caplog: pytest.LogCaptureFixture) -> None:
    clock, keeper = VirtualClock(), Locked()
    async with Engine.over(MemoryDurable(clock=clock), [publish], clock=clock, secrets=keeper) as engine:
        keeper.locked = True
        with pytest.raises(SecretError, match="cannot be fetched: PermissionError: the collection is locked"):
            await engine.start(publish("web", token=Secret(TEXT)), id="p")
        assert await engine.list() == []
        keeper.locked = False
        await engine.start(publish("web", token=Secret(TEXT)), id="p", at=timedelta(hours=1))
        keeper.locked = True
        clock.advance(3600)
        while "tried again in a while" not in caplog.text:
            await asyncio.sleep(0.001)
        await reached(engine, "p", "sleeping")
        keeper.locked = False
        clock.advance(61)
        await reached(engine, "p", "completed")


# --------------------------------------------------------------------------------- ids, joining, losing


async def test_one_id_is_one_workflow_with_one_secret(engine: Engine, keeper: MemoryKeeper) -> None:
    first = await engine.start(ask(token=Secret(TEXT)), id="a")
    again = await engine.start(ask(token=Secret(TEXT)), id="a")
    assert (first.created, again.created) == (True, False)
    before = dict(keeper.texts)
    with pytest.raises(AlreadyStarted, match="another secret") as refused:
        await engine.start(ask(token=Secret("correct horse")), id="a")
    assert "horse" not in str(refused.value) and "hunter2" not in str(refused.value)
    with pytest.raises(AlreadyStarted):
        await engine.start(publish("web", token=Secret(TEXT)), id="a")
    assert keeper.texts == before
    # Of what was never started, nothing is left behind.
    await engine.start(plain("x"), id="x")
    with pytest.raises(AlreadyStarted):
        await engine.start(ask(token=Secret(TEXT)), id="x")
    with pytest.raises(InvalidInput):
        await engine.start(ask(token=Secret(TEXT)), id="a\nb")
    assert keeper.texts == before


async def test_joining_is_for_those_with_the_same_secret(engine: Engine, keeper: MemoryKeeper) -> None:
    first = await engine.start(ask(token=Secret(TEXT)), join=True)
    same = await engine.start(ask(token=Secret(TEXT)), join=True)
    other = await engine.start(ask(token=Secret("correct horse")), join=True)
    assert (same.id, same.created, other.created) == (first.id, False, True)
    assert other.id != first.id and len(keeper.texts) == 2


async def test_a_secret_that_was_lost_is_given_again_under_the_same_id(
    engine: Engine, keeper: MemoryKeeper
) -> None:
    await engine.start(ask(token=Secret(TEXT)), id="a")
    await reached(engine, "a", "waiting")
    keeper.texts.clear()
    await engine.arrive("a", "go", True)
    await reached(engine, "a", "failed")
    failure = (await engine.get("a")).failure
    assert failure is not None and failure.type.endswith(SecretLost.__name__)
    assert "start it again with the same id" in failure.message
    handle = await engine.start(ask(token=Secret(TEXT)), id="a")
    await engine.retry("a")
    await reached(engine, "a", "completed")
    assert await handle.result() == len(TEXT)


async def test_a_rerun_has_the_secrets_of_the_old_one_as_its_own(
    engine: Engine, keeper: MemoryKeeper
) -> None:
    first = await engine.start(publish("site", token=Secret(TEXT)), id="old")
    value = await first.result()
    again = await engine.rerun("old", (await engine.history("old"))[0].name, new_id="new")
    assert await again.result() == value
    await engine.delete("old")
    assert len(keeper.texts) == 1, "each is forgotten with its own workflow"


async def test_an_optional_secret_may_be_left_out(keeper: MemoryKeeper) -> None:
    @workflow("optional")
    async def optional(run: Run, token: Secret | None = None) -> bool:
        return token is None

    async with Engine.over(MemoryDurable(), [optional], secrets=keeper) as engine:
        assert await (await engine.start(optional())).result() is True
        assert keeper.texts == {}
        assert await (await engine.start(optional(Secret(TEXT)))).result() is False


async def test_two_files_do_not_share_a_secret(tmp_path: Path, keeper: MemoryKeeper) -> None:
    for name, text in (("one", "correct horse"), ("two", "battery staple")):
        async with Engine.open(tmp_path / f"{name}.db", [ask], secrets=keeper, work=False) as engine:
            await engine.start(ask(token=Secret(text)), id="a")
    assert len(keeper.texts) == 2


# ---------------------------------------------------------------------------------------------- deleting


@pytest.mark.parametrize("store", ["memory", "sqlite"])
async def test_it_is_forgotten_with_its_workflow(tmp_path: Path, store: str) -> None:
    keeper = Locked()
    forgotten: list[str] = []

    def forget(db: Transaction, id: str) -> None:
        forgotten.append(id)

    @workflow("rows", forget=forget)
    async def rows(run: Run, token: Secret) -> int:
        return await run.step("s", digest, token)

    clock = VirtualClock()
    durable = (
        MemoryDurable(clock=clock) if store == "memory" else await connect(tmp_path / "w.db", clock=clock)
    )
    definitions = [publish, plain, rows]
    async with Engine.over(durable, definitions, clock=clock, secrets=keeper) as engine:
        for number in range(60):
            id = f"p{number}"
            await engine.start(publish("web", token=Secret(TEXT)) if number % 2 else plain("web"), id=id)
        await engine.start(rows(token=Secret(TEXT)), id="r")
        await engine.until_idle()
        for number in range(60):
            await reached(engine, f"p{number}", "completed")
        await reached(engine, "r", "completed")
        assert len(keeper.texts) == 31
        await engine.delete("p1")
        assert len(keeper.texts) == 30
        keeper.locked = True
        with pytest.raises(SecretError):
            await engine.delete("p3")
        clock.advance(1)
        swept = await engine.sweep(ALL)
        # What cannot be forgotten keeps its workflow, and no other.
        assert len(swept.deleted) == 30 and len(swept.failed) == 30 and len(keeper.texts) == 30
        assert all(isinstance(error, SecretError) for _, error in swept.failed)
        keeper.locked = False
        swept = await engine.sweep(ALL)
        assert len(swept.deleted) == 30 and swept.failed == ()
        assert (keeper.texts, forgotten, await engine.list()) == ({}, ["r"], [])


async def test_who_lacks_the_definition_or_the_keeper_leaves_the_workflow(
    tmp_path: Path, keeper: MemoryKeeper
) -> None:
    file = tmp_path / "work.db"
    await run_durably(publish("web", token=Secret(TEXT)), id="p", path=file, secrets=keeper)
    clock = VirtualClock(4_000_000_000.0)
    for definitions, error in (([plain], "not known here"), ([publish], "no keeper")):
        async with Engine.open(file, definitions, work=False, clock=clock) as engine:
            with pytest.raises(Exception, match=error):
                await engine.delete("p")
            assert (await engine.sweep(ALL)).deleted == ()
            assert (await engine.summary("p")).state.name == "completed"
    assert len(keeper.texts) == 1
    async with Engine.open(file, [publish], work=False, clock=clock, secrets=keeper) as engine:
        assert (await engine.sweep(ALL)).deleted == ("p",)
    assert keeper.texts == {}


async def test_what_a_keeper_says_of_a_failure_does_not_show_the_text() -> None:
    class Talkative(MemoryKeeper):
        def keep(self, reference: str, text: str) -> None:
            raise OSError(f"cannot store {json.loads(text)['token']}")

    async with Engine.over(MemoryDurable(), [publish], secrets=Talkative()) as engine:
        with pytest.raises(SecretError) as refused:
            await engine.start(publish("web", token=Secret(TEXT)))
        assert "cannot store (secret token)" in str(refused.value)
        assert refused.value.__cause__ is None and refused.value.__suppress_context__
