"""What there is to start, here and in other programs, and what is dropped on the window."""

from __future__ import annotations

import asyncio
import enum
import json
import os
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest

from stepfast import Engine, Run, StoreError, workflow
from stepfast.definitions.parameters import schema
from stepfast.hints import Between, File, Folder, Help, Lines, Rare, Title, Unit
from stepfast.views import Offer
from stepfast_desktop.viewmodels.starting.elsewhere import UnreadableForm, elsewhere
from stepfast_desktop.viewmodels.starting.form import FormViewModel
from stepfast_desktop.viewmodels.starting.new_workflow import NewWorkflowViewModel
from stepfast_desktop.workflows.copy_folder import copy_folder


@workflow("greet", title="Greet somebody")
async def greet(run: Run, name: str, times: int = 1) -> str:
    """Say hello to `name`, and mean it."""
    return "hello " * times + name


@workflow("greet", version=2, title="Greet somebody properly", accepts=[1])
async def greet_properly(run: Run, name: str) -> str:
    return f"good day {name}"


@workflow("sums", title="Check sums")
async def sums(run: Run, files: list[Path]) -> int:
    """Compare files with their sums."""
    return len(files)


@workflow("shelve")
async def shelve(run: Run, pictures: Annotated[list[Path], File()], into: Annotated[Path, Folder()]) -> None:
    """Put pictures into a folder."""


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    async with Engine.open(tmp_path / "s.db", [copy_folder, sums, greet]) as engine:
        yield engine


def here(engine: Engine) -> NewWorkflowViewModel:
    return NewWorkflowViewModel(engine)


async def test_what_this_program_has_is_offered_in_its_order(engine: Engine) -> None:
    view_model = here(engine)
    assert [each.title for each in view_model.choices] == ["Copy a folder", "Check sums", "Greet somebody"]
    assert view_model.chosen == "copy-folder"
    assert view_model.cards[2] == ("greet", "Greet somebody", "Say hello to name, and mean it.", "")


async def test_of_two_versions_the_newer_is_started(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "s.db", [greet, greet_properly]) as engine:
        view_model = here(engine)
        assert [each.title for each in view_model.choices] == ["Greet somebody properly"]


async def test_a_started_workflow_is_told_and_the_next_form_begins_with_what_was_used(engine: Engine) -> None:
    view_model = here(engine)
    told: list[str] = []
    view_model.started.connect(told.append)
    view_model.choose("greet")
    assert view_model.form is not None and not view_model.startable
    view_model.form.set("name", "Ann")
    assert view_model.startable
    handle = await view_model.start()
    assert handle is not None
    assert told == [f"{handle.id} has started"]
    assert await handle.result() == "hello Ann"
    assert view_model.form.field("name").text == "Ann"
    assert not view_model.form.field("name").touched


async def test_names_that_are_made_up_say_what_it_is_about(engine: Engine, tmp_path: Path) -> None:
    view_model = here(engine)

    async def started(definition: str, /, **values: object) -> str:
        view_model.choose(definition)
        assert view_model.form is not None
        view_model.form.fill(values)
        handle = await view_model.start()
        assert handle is not None
        return handle.id

    photos, files = tmp_path / "My photos", [tmp_path / "a.txt", tmp_path / "b.txt"]
    photos.mkdir()
    first = await started("copy-folder", source=photos, destination=tmp_path / "to")
    assert re.fullmatch("My photos-[0-9a-f]{8}", first)
    again = await started("copy-folder", source=photos, destination=tmp_path / "to", problems_of=first)
    assert re.fullmatch("My photos-[0-9a-f]{8}", again) and again != first
    await engine.start(copy_folder(photos, tmp_path / "to"), id="album/1")
    again = await started("copy-folder", source=photos, destination=tmp_path / "to", problems_of="album/1")
    assert re.fullmatch("album/1-[0-9a-f]{8}", again)
    assert re.fullmatch(r"a\.txt-[0-9a-f]{8}", await started("sums", files=files))
    assert re.fullmatch("greet-[0-9a-f]{8}", await started("greet", name="Ann"))
    await view_model.close()
    view_model = here(engine)
    endless = tmp_path / ("x" * 100)
    assert re.fullmatch("sums-[0-9a-f]{8}", await started("sums", files=[endless]))


async def test_one_that_starts_later_is_told_with_its_moment(engine: Engine) -> None:
    view_model = here(engine)
    told: list[str] = []
    view_model.started.connect(told.append)
    view_model.choose("greet")
    assert view_model.form is not None and view_model.options is not None
    view_model.form.set("name", "Ann")
    view_model.options.form.fill({"id": "later", "at": datetime.fromisoformat("2124-05-06 07:08")})
    assert await view_model.start() is not None
    assert told == ["later starts 6 May 2124 07:08"]
    await view_model.close()


async def test_what_is_not_filled_in_is_not_started_and_says_what_lacks(engine: Engine) -> None:
    view_model = here(engine)
    assert await view_model.start() is None
    assert view_model.form is not None
    assert view_model.form.field("source").error == "Choose a folder."
    assert await engine.list() == []


async def test_two_clicks_start_one(engine: Engine) -> None:
    view_model = here(engine)
    view_model.choose("greet")
    assert view_model.form is not None
    view_model.form.set("name", "Ann")
    handles = await asyncio.gather(view_model.start(), view_model.start())
    assert [each is not None for each in handles] == [True, False]
    assert len(await engine.list()) == 1


async def test_a_store_that_fails_is_said_and_what_was_typed_stays(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise StoreError("the disk is full; make room")

    monkeypatch.setattr(engine, "start", fail)
    view_model = here(engine)
    view_model.choose("greet")
    assert view_model.form is not None
    view_model.form.set("name", "Ann")
    assert await view_model.start() is None
    assert view_model.error == "It was not started: the disk is full; make room."
    assert view_model.form.field("name").text == "Ann"
    assert view_model.startable


async def test_looking_at_another_task_loses_nothing_and_discarding_does(engine: Engine) -> None:
    view_model = here(engine)
    assert view_model.form is not None
    view_model.form.set("source", "/a")
    view_model.choose("greet")
    view_model.choose("copy-folder")
    assert view_model.form.field("source").text == "/a"
    view_model.discard()
    assert view_model.form.field("source").text == ""


async def test_whoever_shows_it_hears_of_what_is_typed(engine: Engine) -> None:
    view_model = here(engine)
    heard: list[bool] = []
    view_model.choose("greet")
    view_model.changed.connect(lambda: heard.append(view_model.startable))
    assert view_model.form is not None
    view_model.form.set("name", "Ann")
    assert heard == [True]


# --- dropped on the window ------------------------------------------------------------------------


async def test_a_folder_fills_in_the_first_task_that_takes_one(engine: Engine, tmp_path: Path) -> None:
    view_model = here(engine)
    view_model.choose("greet")
    assert await view_model.drop([tmp_path]) is None
    assert view_model.chosen == "copy-folder"
    assert view_model.form is not None
    assert [each.text for each in view_model.form.fields[:2]] == [str(tmp_path), ""]
    assert not any(each.error for each in view_model.form.fields)


async def test_a_dropped_folder_leaves_what_else_was_typed(engine: Engine, tmp_path: Path) -> None:
    view_model = here(engine)
    assert view_model.form is not None
    view_model.form.set("destination", "/b")
    assert await view_model.drop([tmp_path]) is None
    assert [each.text for each in view_model.form.fields[:2]] == [str(tmp_path), "/b"]


async def test_files_go_to_the_task_that_takes_a_list_of_them(engine: Engine, tmp_path: Path) -> None:
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for each in files:
        each.touch()
    view_model = here(engine)
    assert await view_model.drop(files) is None
    assert view_model.chosen == "sums"
    assert view_model.form is not None
    assert view_model.form.field("files").value == files


async def test_a_folder_goes_to_the_card_that_it_was_dropped_on(tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "s.db", [copy_folder, shelve, greet]) as engine:
        view_model = here(engine)
        on = {card.name: card for card in view_model.cards}
        assert await view_model.drop([tmp_path], on["shelve"]) is None
        assert view_model.chosen == "shelve" and view_model.form is not None
        assert view_model.form.field("into").value == tmp_path
        # One that asks for no path is no place of its own.
        assert await view_model.drop([tmp_path], on["greet"]) is None
        assert view_model.chosen == "copy-folder"

        view_model.choose("copy-folder")
        view_model.form.fill({"source": Path("/a"), "destination": Path("/stick")})
        view_model.save_preset("To the stick")
        view_model.form.fill({"destination": Path("/elsewhere")})
        (preset,) = (card for card in view_model.cards if card.preset)
        assert await view_model.drop([tmp_path], preset) is None
        assert [each.text for each in view_model.form.fields[:2]] == [str(tmp_path), "/stick"]


async def test_what_fits_nothing_is_answered_in_plain_words(tmp_path: Path) -> None:
    file, other = tmp_path / "a.txt", tmp_path / "folder"
    file.touch()
    other.mkdir()
    async with Engine.open(tmp_path / "s.db", [copy_folder]) as engine:
        view_model = here(engine)
        said = {
            name: await view_model.drop(paths)
            for name, paths in (
                ("file", [file]),
                ("two", [other, tmp_path]),
                ("gone", [tmp_path / "gone"]),
                ("none", []),
            )
        }
    assert said == {
        "file": "“a.txt” is a file, and no task here takes a file. Drop a folder.",
        "two": "Those are 2 things. Drop one folder at a time: each becomes a workflow of its own.",
        "gone": "“gone” is not there, or cannot be read.",
        "none": "What was dropped is no file or folder of this computer.",
    }


# --- in other programs ----------------------------------------------------------------------------


async def offered(engine: Engine, name: str) -> None:
    while all(each.name != name for each in await engine.offers()):
        await asyncio.sleep(0.01)


async def test_a_task_of_another_program_is_started_there_by_its_form(engine: Engine, tmp_path: Path) -> None:
    @workflow("pack", title="Pack & ship")
    async def pack(
        run: Run,
        folder: Annotated[Path, Title("Folder"), Help("What goes in")],
        speed: Literal["fast", "small"] = "small",
    ) -> str:
        return f"{type(folder).__name__} {folder} {speed}"

    async with Engine.open(tmp_path / "s.db", [pack]) as other:
        await offered(engine, "pack")
        view_model = here(engine)
        await view_model.refresh()
        assert view_model.choices[-1].title == "Pack & ship"
        view_model.choose("pack")
        assert view_model.form is not None
        folder, speed = view_model.form.fields
        assert (folder.title, folder.help, folder.kind, folder.required) == (
            "Folder",
            "What goes in",
            "path",
            True,
        )
        assert (speed.choices, speed.text) == (("fast", "small"), "small")
        view_model.form.set("folder", "/a/b")
        handle = await view_model.start()
        assert handle is not None
        async with asyncio.timeout(60):
            assert await handle.result() == f"{type(Path()).__name__} /a/b small"
        assert (await other.get(handle.id)).input == {"folder": Path("/a/b"), "speed": "small"}


async def test_what_was_typed_stays_when_the_offers_are_read_again(engine: Engine, tmp_path: Path) -> None:
    @workflow("pack")
    async def pack(run: Run, folder: Path, colour: Colour = Colour.RED) -> None: ...

    async with Engine.open(tmp_path / "s.db", [pack]):
        await offered(engine, "pack")
        view_model = here(engine)
        await view_model.refresh()
        view_model.choose("pack")
        assert view_model.form is not None
        view_model.form.set("folder", "/a")
        await view_model.refresh()
        assert view_model.form.field("folder").text == "/a"
    view_model.look()
    view_model.look()
    await view_model.close()
    await view_model.refresh()
    assert view_model.chosen == "copy-folder"  # it went with the program that had it


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Colour(enum.Enum):
    RED = "red"
    DARK_BLUE = "blue"


@dataclass
class Item:
    name: str
    where: Path
    count: int = 1


@workflow("everything")
async def everything(
    run: Run,
    text: str,
    sure: bool,
    number: int,
    ratio: float,
    price: Decimal,
    path: Path,
    day: date,
    moment: datetime,
    clock: time,
    length: timedelta,
    key: UUID,
    word: Literal["skip", "overwrite", 3],
    colour: Colour,
    level: Level,
    paths: list[Path],
    item: Item,
    either: int | str,
    anything: Any,
    pair: tuple[int, Path],
    names: set[str],
    raw: bytes,
    by_name: dict[str, Path],
    maybe_colour: Colour | None = None,
    maybe_number: int | None = None,
    maybe_level: Level | None = Level.LOW,
    maybe_letter: Literal["a", "b"] | None = "a",
    wait: timedelta = timedelta(hours=1),
    some: frozenset[int] = frozenset({1}),
    tries: Annotated[int, Title("Tries"), Help("How often")] = 3,
) -> None: ...


TYPED = {
    "text": "t",
    "sure": "yes",
    "number": "5",
    "ratio": "1.5",
    "price": "1.50",
    "path": "/x",
    "day": "2026-01-02",
    "moment": "2026-01-02T03:04",
    "clock": "03:04",
    "length": "1h",
    "key": "123e4567-e89b-42d3-a456-426614174000",
    "word": "3",
    "colour": "RED",
    "level": "HIGH",
    "paths": "/a\n\n/b",
    "item": '{"name": "n", "where": "/q"}',
    "either": "5",
    "anything": '{"a": 1}',
    "pair": '[1, "/z"]',
    "names": "a\nb",
    "raw": '"AAEC"',
    "by_name": '{"a": "/x"}',
}


def offer_of(form: str, title: str = "") -> Offer:
    return Offer(1, "everything", 1, title, form, "")


def test_a_form_made_of_a_schema_asks_for_the_same_and_means_the_same() -> None:
    there = elsewhere(offer_of(json.dumps(schema(everything.parameters))))
    told = [
        [(p.name, p.required, p.kind, p.choices, p.title, p.help) for p in each.parameters]
        for each in (everything, there)
    ]
    assert told[0] == told[1]
    form = FormViewModel(there)
    for name, text in TYPED.items():
        form.set(name, text)
    assert [each.problem for each in form.fields if each.problem] == []
    posted = form.request()
    original = FormViewModel(everything)
    for name, text in TYPED.items():
        original.set(name, text)
    request = original.request()
    assert posted is not None and request is not None
    assert everything.bind(posted.text) == request.arguments


def form_of(field: str) -> str:
    return f'{{"type": "object", "properties": {{"a": {field}}}, "required": ["a"]}}'


@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "no json",
        "[" * 100_000,
        '{"type": "object"}',
        '{"type": "object", "properties": []}',
        '{"type": "object", "properties": {}, "anyOf": []}',
        '{"type": "object", "properties": {"a": {"type": "integer"}}}',
        '{"type": "object", "properties": {"a": {"type": "integer", "default": "x"}}}',
        form_of("5"),
        form_of('{"type": "tensor"}'),
        form_of('{"type": "string", "format": "email"}'),
        form_of('{"type": "integer", "multipleOf": 2}'),
        form_of('{"enum": [[1]]}'),
        form_of('{"enum": []}'),
        form_of('{"enum": [1, 2], "enumNames": ["mro", "x"]}'),
        form_of('{"enum": [1, 1], "enumNames": ["x", "y"]}'),
    ],
)
def test_a_schema_that_says_what_is_not_known_here_makes_no_form(form: str) -> None:
    with pytest.raises(UnreadableForm):
        elsewhere(offer_of(form))


def test_what_other_programs_say_cannot_turn_the_text_around_it() -> None:
    form = form_of('{"type": "string", "title": "A\\u202eb\\nc"}')
    there = elsewhere(offer_of(form, "Pack\u202e\nit"))
    shown = there.title + there.parameters[0].title
    assert "\u202e" not in shown and "\n" not in shown


async def test_a_task_whose_form_cannot_be_made_is_listed_with_the_reason(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def offers() -> list[Offer]:
        return [Offer(7, "odd", 1, "Odd job", "{}", "odd --run")]

    monkeypatch.setattr(engine, "offers", offers)
    view_model = here(engine)
    await view_model.refresh()
    view_model.choose("odd")
    assert view_model.choice is not None
    assert "another program" in view_model.choice.refusal
    assert view_model.form is None and not view_model.startable
    assert "odd" not in [each.name for each in view_model.cards]
    assert await view_model.start() is None


async def test_offers_that_cannot_be_read_are_said(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail() -> list[Offer]:
        raise StoreError("the file is gone")

    monkeypatch.setattr(engine, "offers", fail)
    view_model = here(engine)
    await view_model.refresh()
    assert view_model.error == "What other programs offer cannot be read: the file is gone."
    assert view_model.form is not None


async def test_a_folder_whose_name_is_no_text_is_copied_all_the_same(engine: Engine, tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"a\xffb")
    try:
        odd.mkdir()
    except OSError:
        pytest.skip("this file system takes text only")
    view_model = here(engine)
    assert await view_model.drop([odd]) is None
    assert view_model.form is not None
    assert view_model.form.field("source").value == odd


# --- once more ------------------------------------------------------------------------------------


async def test_a_workflow_is_done_again_with_its_input_filled_in(engine: Engine) -> None:
    await (await engine.start(greet("Ann", times=2), id="first")).result()
    view_model = here(engine)
    assert await view_model.again("first") is None
    assert view_model.chosen == "greet"
    assert view_model.form is not None
    assert [each.value for each in view_model.form.fields] == ["Ann", 2]
    assert await view_model.again("never") == (
        "It cannot be read: there is no workflow 'never'; it was never started here, or it was deleted."
    )


async def test_problems_are_tried_again_with_the_same_folders(engine: Engine, tmp_path: Path) -> None:
    source, destination = tmp_path / "source", tmp_path / "destination"
    for folder in (source, destination):
        folder.mkdir()
        (folder / "a").write_text(str(folder))
    first = await engine.start(copy_folder(source, destination, verify=False), id="first")
    assert (await first.result()).problems == 1
    view_model = here(engine)
    assert await view_model.again("first", problems=True) is None
    assert view_model.form is not None
    assert view_model.form.field("problems_of").value == "first"
    assert view_model.form.field("verify").value is False
    view_model.form.set("existing", "overwrite")
    handle = await view_model.start()
    assert handle is not None
    report = await handle.result()
    assert (report.files, report.problems) == (1, 0)
    assert view_model.form.field("problems_of").value is None, "that was for this one time"
    assert await view_model.again(handle.id) is None
    assert view_model.form.field("problems_of").value is None
    await view_model.close()


async def test_a_form_elsewhere_keeps_to_what_was_said_beside_the_types(engine: Engine) -> None:
    @workflow("pack")
    async def pack(
        run: Run,
        folder: Annotated[Path, Folder()],
        files: Annotated[list[Path], File()],
        level: Annotated[int, Between(1, 9), Unit("steps")],
        ratio: Annotated[Decimal | None, Between(Decimal("0.1"), None)] = None,
        notes: Annotated[str, Lines(), Rare()] = "",
    ) -> None: ...

    form = FormViewModel(elsewhere(Offer(7, "pack", 1, "Pack", json.dumps(schema(pack.parameters)), "")))
    folder, files, level, ratio, notes = form.fields
    assert (folder.wants, files.wants, level.unit) == ("folder", "file", "steps")
    assert notes.lines and notes.rare and not level.rare
    for name, wrong in (("level", "10"), ("ratio", "0.05")):
        form.set(name, wrong)
        assert form.field(name).error.startswith("Write a number from ")
    form.set("level", "9")
    form.set("ratio", "0.1")
    assert (level.value, ratio.value) == (9, Decimal("0.1"))
