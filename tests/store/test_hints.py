"""What a signature says beside a type, and what a definition says of an input before it is started."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import pytest

from stepfast import DefinitionError, Finding, InvalidInput, Run, Secret, workflow
from stepfast.definitions.annotations import ask
from stepfast.definitions.parameters import from_text, schema, schema_of
from stepfast.hints import Between, File, Folder, Help, Lines, Title, Unit


@workflow("fetch")
async def fetch(
    run: Run,
    into: Annotated[Path, Folder()],
    lists: Annotated[list[Path], File()],
    at_once: Annotated[int, Between(1, 16), Unit("downloads")] = 4,
    ratio: Annotated[Decimal | None, Between(most=Decimal("0.5"))] = None,
    notes: Annotated[str, Lines()] = "",
) -> None: ...


def test_a_number_out_of_its_bounds_is_refused_by_every_way_in() -> None:
    with pytest.raises(InvalidInput, match="'at_once' is 17; it needs a whole number from 1 to 16"):
        fetch(Path("/a"), [], 17)
    with pytest.raises(InvalidInput, match=r"a decimal number up to 0\.5, or nothing"):
        fetch(Path("/a"), [], ratio=Decimal("0.51"))
    at_once = fetch.parameters[2]
    with pytest.raises(InvalidInput, match="from 1 to 16"):
        fetch.request({"into": Path("/a"), "lists": [], "at_once": from_text(at_once, "0")})
    for number in (1, 16):
        assert fetch(Path("/a"), [], number).arguments["at_once"] == number


def test_what_was_started_before_the_bounds_were_drawn_goes_on() -> None:
    text = fetch(Path("/a"), []).text.replace('"at_once":4', '"at_once":99')
    assert fetch.bind(text)["at_once"] == 99


def test_a_default_out_of_its_own_bounds_is_an_error_of_the_definition() -> None:
    with pytest.raises(DefinitionError, match=r"the default of .* does not fit"):

        @workflow("w")
        async def body(run: Run, number: Annotated[int, Between(1)] = 0) -> None: ...


@pytest.mark.parametrize("wrong", [lambda: Between(2, 1), lambda: Between("a"), lambda: Between(True)])  # type: ignore[arg-type]
def test_bounds_that_are_none_are_refused(wrong: Any) -> None:
    with pytest.raises(DefinitionError):
        wrong()


def test_bounds_of_what_is_no_number_are_an_error_of_the_definition() -> None:
    with pytest.raises(DefinitionError, match=r"'text' of .* is for numbers"):

        @workflow("w")
        async def body(run: Run, text: Annotated[str, Between(1)]) -> None: ...


def test_the_hint_nearest_to_the_parameter_is_the_one_that_counts() -> None:
    inner = Annotated[int, Between(1, 9), Title("Inner"), Help("of the type")]
    asked = ask(Annotated[inner, Between(2, 3), Title("Outer")])
    assert (asked.title, asked.help, asked.bounds) == ("Outer", "of the type", Between(2, 3))


def test_the_schema_has_them_for_forms_elsewhere() -> None:
    known = schema(fetch.parameters)["properties"]
    assert known["into"]["wants"] == "folder"
    assert known["lists"]["wants"] == "file"
    assert (known["at_once"]["minimum"], known["at_once"]["maximum"]) == (1, 16)
    assert known["at_once"]["unit"] == "downloads"
    assert known["ratio"]["maximum"] == "0.5"
    assert known["notes"]["lines"] is True
    assert schema_of(int) == {"type": "integer"}


# --- previews -------------------------------------------------------------------------------------


def look(folder: Path, least: int) -> Iterator[Finding]:
    yield Finding("seen", f"{folder} {least}", "warning", about="folder")


@workflow("looked", preview=look)
async def looked(run: Run, folder: Path, least: int = 3, other: bool = False) -> None: ...


def test_a_preview_is_given_the_inputs_that_it_names() -> None:
    found = [*looked.look(looked(Path("/a")).arguments)]
    assert found == [Finding("seen", "/a 3", "warning", "folder")]
    assert [*fetch.look({})] == []


def test_a_preview_that_is_none_is_an_error_of_the_definition() -> None:
    async def waits(folder: Path) -> None:
        await asyncio.sleep(0)

    def no_generator(folder: Path) -> list[Finding]:
        return []

    def asks_too_much(size: int) -> Iterator[Finding]:
        yield Finding("size", str(size))

    def asks_for_secrets(token: Secret) -> Iterator[Finding]:
        yield Finding("token", token.reveal())

    async def body(run: Run, folder: Path, token: Secret) -> None: ...

    for wrong, why in (
        (waits, "plain generator"),
        (no_generator, "plain generator"),
        (asks_too_much, "'size', which is no input"),
        (asks_for_secrets, "'token', which is a secret"),
    ):
        with pytest.raises(DefinitionError, match=why):
            workflow("w", preview=wrong)(body)  # type: ignore[arg-type]
