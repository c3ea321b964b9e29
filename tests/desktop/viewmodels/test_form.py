"""The form made from a signature, as plain Python: what is typed, what it means, what is said of it."""

from __future__ import annotations

import enum
import os
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal
from uuid import UUID

import pytest

from stepfast import Request, Run, Secret, workflow
from stepfast.definitions.parameters import Help, Title
from stepfast.errors import InvalidInput
from stepfast.hints import Between
from stepfast_desktop.viewmodels import regional
from stepfast_desktop.viewmodels.starting.form import FormViewModel
from stepfast_desktop.workflows.copy_folder import copy_folder

NOON = datetime(2026, 11, 29, 12, 34, 56)  # noqa: DTZ001  (a form's moments are local ones)


class Colour(enum.Enum):
    RED = "red"
    DARK_BLUE = "blue"


@dataclass
class Item:
    where: Path
    count: int = 1


@workflow("everything")
async def everything(
    run: Run,
    text: str,
    number: int,
    ratio: float,
    price: Decimal,
    path: Path,
    length: timedelta,
    key: UUID,
    colour: Colour,
    word: Literal["skip", "overwrite", 3],
    paths: list[Path],
    names: set[str],
    item: Item,
    either: int | str,
    day: date,
    moment: datetime,
    clock: time,
    sure: bool,
    maybe_text: str | None = None,
    maybe_day: date | None = None,
    maybe_sure: bool | None = None,
    maybe_paths: list[Path] | None = None,
    tries: Annotated[int, Title("Tries"), Help("How often to try again")] = 3,
    note: str = "none",
    since: datetime = datetime(2026, 1, 1, tzinfo=UTC),
) -> None: ...


TYPED = {
    "text": "a text",
    "number": " 12 ",
    "ratio": "1.5",
    "price": "1.50",
    "path": "/a/b",
    "length": "1h30m",
    "key": "123e4567-e89b-42d3-a456-426614174000",
    "colour": "DARK_BLUE",
    "word": "3",
    "paths": "/a\n\n/b c\n",
    "names": "one\ntwo\none",
    "item": '{"where": "/w"}',
    "either": "5",
    "day": "2026-02-03",
    "moment": "2026-02-03T04:05:00",
    "clock": "04:05:00",
    "sure": "yes",
}


def form() -> FormViewModel[Request[None]]:
    return FormViewModel(everything, now=lambda: NOON)


def test_each_type_has_its_kind_of_field() -> None:
    assert {each.name: each.kind for each in form().fields} == {
        "text": "text",
        "number": "int",
        "ratio": "float",
        "price": "decimal",
        "path": "path",
        "length": "timedelta",
        "key": "uuid",
        "colour": "choice",
        "word": "choice",
        "paths": "list",
        "names": "list",
        "item": "json",
        "either": "union",
        "day": "date",
        "moment": "datetime",
        "clock": "time",
        "sure": "bool",
        "maybe_text": "text",
        "maybe_day": "date",
        "maybe_sure": "choice",
        "maybe_paths": "list",
        "tries": "int",
        "note": "text",
        "since": "datetime",
    }


def test_what_is_typed_becomes_the_request_that_code_would_make() -> None:
    filled = form()
    for name, text in TYPED.items():
        filled.set(name, text)
    assert [each.problem for each in filled.fields if each.problem] == []
    request = filled.request()
    assert request is not None
    assert request.arguments == {
        "text": "a text",
        "number": 12,
        "ratio": 1.5,
        "price": Decimal("1.50"),
        "path": Path("/a/b"),
        "length": timedelta(hours=1, minutes=30),
        "key": UUID("123e4567-e89b-42d3-a456-426614174000"),
        "colour": Colour.DARK_BLUE,
        "word": 3,
        "paths": [Path("/a"), Path("/b c")],
        "names": {"one", "two"},
        "item": Item(Path("/w")),
        "either": 5,
        "day": date(2026, 2, 3),
        "moment": datetime(2026, 2, 3, 4, 5),  # noqa: DTZ001
        "clock": time(4, 5),
        "sure": True,
        "maybe_text": None,
        "maybe_day": None,
        "maybe_sure": None,
        "maybe_paths": None,
        "tries": 3,
        "note": "none",
        "since": datetime(2026, 1, 1, tzinfo=UTC),
    }
    assert request.text == everything.request(request.arguments).text


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("text", "   ", "This cannot be empty."),
        ("number", "12.5", "Write a whole number, such as 12."),
        ("ratio", "1,5", "Write a number, such as 1.5."),
        ("price", "a", "Write a number, such as 1.5."),
        ("path", "", "Choose a file or a folder."),
        ("path", "~nobody-of-this-name/x", "There is no user of that name on this computer."),
        ("path", "file://elsewhere/x", "This leads to no place on this computer."),
        ("length", "90", "Write how long, with its unit: 90s, 5m or 1h30m."),
        ("key", "5", "Write a UUID: 32 digits of 0-9 and a-f."),
        ("colour", "", "Choose one."),
        ("word", "ask", "Write one of: skip, overwrite, 3."),
        ("paths", "\n", "Add at least one."),
        ("names", "\n", "Write at least one, each on a line of its own."),
        ("paths", "/a\n\nfile://elsewhere/x", "Line 3: This leads to no place on this computer."),
        ("item", '{"count": 1}', "This is not what is needed: what it says lacks 'where' of Item."),
        ("day", "tomorrow", "Write a date, such as 2026-11-29."),
        ("tries", "", "Write a whole number, such as 12."),
    ],
)
def test_what_does_not_fit_is_said_in_plain_words_beside_it(name: str, text: str, said: str) -> None:
    filled = form()
    filled.set(name, text)
    assert filled.field(name).error == said
    assert not filled.valid


def test_an_empty_field_is_not_complained_of_before_somebody_was_there() -> None:
    filled = FormViewModel(copy_folder)
    assert not filled.valid
    assert [each.error for each in filled.fields] == ["", "", "", "", ""]
    filled.leave("source")
    assert [each.error for each in filled.fields] == ["Choose a folder.", "", "", "", ""]


def test_a_request_that_cannot_be_made_shows_every_error() -> None:
    filled = FormViewModel(copy_folder)
    filled.set("source", "/a")
    assert filled.request() is None
    assert [each.error for each in filled.fields] == ["", "Choose a folder.", "", "", ""]
    assert filled.first_wrong == "destination"


def test_it_is_checked_with_each_letter() -> None:
    filled = form()
    seen: list[str] = []
    filled.changed.connect(lambda: seen.append(filled.field("length").error))
    for text in ("9", "90", "90s"):
        filled.set("length", text)
    assert [bool(each) for each in seen] == [True, True, False]


def test_paths_are_absolute_and_home_is_ones_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.chdir(tmp_path)
    filled = FormViewModel(copy_folder)
    filled.set("source", "~/Pictures")
    filled.set("destination", "backup/..")
    request = filled.request()
    assert request is not None
    assert request.arguments["source"] == Path("/home/ann/Pictures")
    # `..` stays: where it leads is found when the path is used.
    assert request.arguments["destination"] == tmp_path / "backup" / ".."


def test_a_path_is_shown_as_it_will_be_used_once_it_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    filled = FormViewModel(copy_folder)
    filled.set("source", "~/Pictures")
    assert filled.field("source").text == "~/Pictures"
    filled.leave("source")
    assert filled.field("source").text == "/home/ann/Pictures"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("  /a/b", "/a/b"),
        ("/a/b ", "/a/b "),
        ("file:///a/b%20c%23d", "/a/b c#d"),
        ("file://localhost/a", "/a"),
        ("FILE:///a%FF", os.fsdecode(b"/a\xff")),
    ],
)
def test_a_pasted_path_is_understood(text: str, path: str) -> None:
    filled = FormViewModel(copy_folder)
    filled.set("source", text)
    assert filled.field("source").value == Path(path)


def test_a_name_that_is_no_text_stays_what_it_is_until_somebody_types() -> None:
    odd = Path(os.fsdecode(b"/tmp/a\xffb"))
    filled = FormViewModel(copy_folder)
    filled.fill({"source": odd})
    source = filled.field("source")
    assert source.text == "/tmp/a?b"
    filled.set("source", "/tmp/a?b")  # an editor that shows it says it again
    filled.leave("source")
    assert source.value == odd
    filled.set("source", "/tmp/ab")
    assert source.value == Path("/tmp/ab")


def test_what_a_program_fills_in_is_checked_and_all_or_nothing() -> None:
    filled = FormViewModel(copy_folder)
    filled.fill({"source": "/a", "existing": "overwrite", "verify": False})
    assert [each.text for each in filled.fields] == ["/a", "", "no", "overwrite", ""]
    with pytest.raises(InvalidInput):
        filled.fill({"source": "/b", "existing": "ask"})
    with pytest.raises(InvalidInput):
        filled.fill({"source": "/b", "nothing": 1})
    assert filled.field("source").value == Path("/a")
    assert not filled.field("destination").error


def test_plain_values_of_a_workflow_that_was_fill_the_form_of_the_next() -> None:
    filled = form()
    for name, text in TYPED.items():
        filled.set(name, text)
    request = filled.request()
    assert request is not None
    again = form()
    again.fill({**everything.bind(request.text), "colour": "blue", "item": {"where": "/w"}})
    second = again.request()
    assert second is not None
    assert second.text == request.text


def test_paths_say_whether_a_file_or_a_folder_is_meant() -> None:
    @workflow("sums", title="Check sums")
    async def sums(
        run: Run,
        sum_file: Path,
        directories: list[Path],
        where: Annotated[Path, Help("The profile")],
        both: Annotated[Path, Help("A file or a folder")],
    ) -> None: ...

    assert [each.wants for each in FormViewModel(sums).fields] == ["file", "folder", "either", "either"]
    # Its own words do not tell, so those of the task do.
    assert FormViewModel(copy_folder).field("destination").wants == "folder"


def test_choices_are_shown_as_words() -> None:
    filled = form()
    assert filled.field("colour").labels == ("Red", "Dark blue")
    assert filled.field("word").labels == ("skip", "overwrite", "3")
    assert FormViewModel(copy_folder).field("existing").labels == ("Skip", "Overwrite")
    assert filled.field("maybe_sure").choices == ("yes", "no")


def test_fields_whose_editor_always_shows_something_begin_with_that() -> None:
    filled = form()
    assert filled.field("day").value == NOON.date()
    assert filled.field("moment").value == NOON.replace(minute=0, second=0)
    assert filled.field("sure").value is False
    assert filled.field("maybe_day").value is None


def test_a_moment_with_a_time_zone_is_shown_in_local_time_and_keeps_a_zone() -> None:
    filled = form()
    since = filled.field("since")
    local = datetime(2026, 1, 1, tzinfo=UTC).astimezone()
    assert since.text == local.replace(tzinfo=None).isoformat()
    filled.set("since", "2026-07-01T08:00:00")
    assert since.value == datetime(2026, 7, 1, 8).astimezone()


def test_arrows_change_a_number_however_large_or_exact() -> None:
    filled = form()
    for name, before, after in (
        ("number", "99999999999999999999", "100000000000000000000"),
        ("price", "1.50", "2.50"),
        ("number", "twelve", "1"),
        ("ratio", "", "1"),
    ):
        filled.set(name, before)
        filled.step(name, 1)
        assert filled.field(name).text == after


@workflow("mix")
async def mix(
    run: Run, share: Annotated[float, Between(0.5, 2)], price: Decimal, sizes: list[float]
) -> None: ...


def test_numbers_are_written_and_read_as_one_does_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regional, "point", lambda: ",")
    filled = FormViewModel(mix)
    filled.fill({"share": 1.5, "price": Decimal("1.50"), "sizes": [0.5, 2.0]})
    assert [each.text for each in filled.fields] == ["1,5", "1,50", "0,5\n2,0"]
    for typed, meant in (("0,75", 0.75), ("0.75", 0.75), ("1", 1.0), ("1,", 1.0)):
        filled.set("share", typed)
        assert (filled.field("share").value, filled.field("share").error) == (meant, "")
    filled.set("price", "1.234,50")
    assert filled.field("price").value == Decimal("1234.50")
    filled.step("price", 1)
    assert filled.field("price").text == "1235,50"
    for name, typed, said in (
        ("share", "half", "Write a number from 0,5 to 2."),
        ("share", "0,4", "Write a number from 0,5 to 2."),
        ("price", "1,2,3", "Write a number, such as 1,5."),
    ):
        filled.set(name, typed)
        assert filled.field(name).error == said


def test_paths_are_added_to_a_list_whatever_their_names_and_each_once() -> None:
    filled = form()
    filled.set("paths", "/a\n\n")
    filled.add("paths", [Path("/b"), Path("/c d")])
    assert filled.field("paths").text == "/a\n/b\n/c d"
    odd = [Path("/two\nlines"), Path(os.fsdecode(b"/\xff"))]
    filled.add("paths", [*odd, Path("/a")])
    assert filled.field("paths").value == [Path("/a"), Path("/b"), Path("/c d"), *odd]
    filled.put_paths("paths", [])
    assert filled.field("paths").error == "Add at least one."


def test_an_input_that_cannot_be_stored_is_said_of_the_form_as_a_whole() -> None:
    @workflow("notes")
    async def notes(run: Run, text: str) -> None: ...

    filled = FormViewModel(notes)
    filled.set("text", "half of a character: \ud800")
    assert filled.valid
    assert filled.request() is None
    assert filled.error.startswith("This cannot be started: ")
    filled.set("text", "whole")
    assert filled.error == ""
    assert filled.request() is not None


def test_a_form_works_where_the_folder_it_was_started_in_is_gone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    filled = FormViewModel(copy_folder)
    filled.set("source", "here")
    assert filled.field("source").error == "Write the whole path, from the top."
    filled.set("source", "/a")
    assert filled.field("source").error == ""


@workflow("login")
async def login(run: Run, name: str, password: Secret, pin: Secret | None = None) -> None: ...


def test_a_secret_is_typed_as_it_is_and_shown_by_nothing() -> None:
    form = FormViewModel(login)
    assert [each.kind for each in form.fields] == ["text", "secret", "secret"]
    form.set("name", "Ann")
    assert (form.valid, form.first_wrong) == (False, "password")
    form.leave("password")
    assert form.field("password").error == "This cannot be empty."
    form.set("password", " hunter2 ")
    request = form.request()
    assert request is not None and request.secrets == {"password": " hunter2 "}
    assert "hunter2" not in repr(request) and "hunter2" not in request.text
    assert "hunter2" not in repr(form.field("password").value)
    form.set("pin", Secret("1234"))
    assert form.field("pin").text == "1234"
    form.set("pin", "")
    assert form.field("pin").value is None
    with pytest.raises(InvalidInput) as refused:
        form.fill({"password": ["hunter2"]})
    assert "hunter2" not in str(refused.value)
