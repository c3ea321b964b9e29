"""Definitions: a function under a name and a version, requests for it, and what a program can run."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from dataclasses import dataclass
from datetime import date
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from stepfast.definitions.definition import Definition, Registry, workflow
from stepfast.errors import DefinitionError, InvalidInput, UnknownDefinition
from stepfast.values.plain import same

if TYPE_CHECKING:
    from stepfast.body.run import Run, Transaction


class Policy(Enum):
    SKIP = "skip"
    OVERWRITE = "overwrite"


@dataclass
class Receipt:
    path: Path
    size: int


def forget_rows(transaction: Transaction, id: str) -> None: ...


@workflow("copy-folder", version=3, accepts=[2, 1], forget=forget_rows)
async def copy(
    run: Run,
    source: Path,
    destination: Path,
    *,
    verify: bool = True,
    policy: Policy = Policy.SKIP,
    names: list[str] = ["a"],  # noqa: B006 - that it is not shared is tested below
    after: date | None = None,
    last: Receipt | None = None,
) -> list[Receipt]:
    """Copy a folder,
    and verify it.

    In batches.
    """
    return [Receipt(source, int(verify))]


def test_a_definition_knows_what_was_said_about_it() -> None:
    assert (copy.name, copy.version, copy.title) == ("copy-folder", 3, "Copy folder")
    assert (copy.accepts, copy.offered_versions) == ((1, 2), (1, 2, 3))
    assert copy.summary == "Copy a folder, and verify it."
    assert copy.forget is forget_rows
    assert copy.returns == list[Receipt]
    assert [parameter.name for parameter in copy.parameters][:3] == ["source", "destination", "verify"]


def test_a_definition_stands_in_for_its_function() -> None:
    assert copy.__name__ == "copy" and copy.__qualname__ == "copy"  # type: ignore[attr-defined]
    assert copy.__module__ == __name__
    assert copy.__doc__ is not None and copy.__doc__.startswith("Copy a folder")
    assert copy.__wrapped__ is copy.body  # type: ignore[attr-defined]
    assert "source" in inspect.signature(copy).parameters
    assert inspect.iscoroutinefunction(copy.body)


def test_a_definition_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        copy.version = 4  # type: ignore[misc]


def test_a_definition_may_have_a_title_and_no_docstring() -> None:
    @workflow("a.b_c-d", title="Do it")
    async def titled(run: Run) -> None: ...

    @workflow("a.b_c-d")
    async def untitled(run: Run): ...  # type: ignore[no-untyped-def]

    assert (titled.title, titled.summary, titled.version, titled.accepts) == ("Do it", "", 1, ())
    assert (untitled.title, untitled.returns) == ("A b c d", object)
    assert titled.returns is type(None)


async def body(run: Run) -> None: ...
def plain(run: Run) -> None: ...
async def generator(run: Run) -> Any:
    yield 1


@pytest.mark.parametrize("name", ["", "Copy", "-copy", "copy folder", "kopiér", "a" * 101, "copy\n", 5, body])
def test_a_name_that_could_not_be_kept_for_ever_is_refused(name: Any) -> None:
    with pytest.raises(DefinitionError):
        workflow(name)
    assert workflow("a" * 100)(body).name == "a" * 100


@pytest.mark.parametrize("version", [0, -1, True, 1.0, "1"])
def test_a_version_is_a_whole_number_from_one_up(version: Any) -> None:
    with pytest.raises(DefinitionError, match="the version of 'copy'"):
        workflow("copy", version=version)


@pytest.mark.parametrize("accepts", [[2], [3], [0], [True], ["1"]])
def test_only_older_versions_can_be_accepted(accepts: Any) -> None:
    with pytest.raises(DefinitionError, match="only versions from 1 to 1 are older"):
        workflow("copy", version=2, accepts=accepts)


@pytest.mark.parametrize("function", [plain, generator, functools.partial(body), "body", Receipt])
def test_only_an_async_function_can_be_a_body(function: Any) -> None:
    with pytest.raises(DefinitionError, match="must be an `async def` function"):
        workflow("copy")(function)


def test_what_can_be_no_body_is_called_by_its_name_and_not_by_where_it_lies_in_memory() -> None:
    with pytest.raises(DefinitionError, match=r"function; plain is none$"):
        workflow("copy")(plain)  # type: ignore[arg-type]


@pytest.mark.parametrize("forget", [body, "forget"])
def test_only_a_plain_function_can_forget(forget: Any) -> None:
    with pytest.raises(DefinitionError, match="forget= of 'copy'"):
        workflow("copy", forget=forget)


def test_a_signature_that_cannot_be_stored_is_refused_where_it_is_defined() -> None:
    async def starred(run: Run, *paths: Path) -> None: ...
    async def returning(run: Run) -> type[int]: ...  # type: ignore[empty-body]

    with pytest.raises(DefinitionError, match="starred"):
        workflow("copy")(starred)
    with pytest.raises(DefinitionError, match=r"what .*returning\(\) returns cannot be stored"):
        workflow("copy")(returning)


def test_a_request_holds_the_input_as_text_in_the_order_of_the_signature() -> None:
    request = copy(Path("a"), last=Receipt(Path("r"), 1), destination=Path("b"), policy=Policy.OVERWRITE)
    assert request.definition is copy
    assert request.text == (
        '{"source":{"$path":"a"},"destination":{"$path":"b"},"verify":true,"policy":"overwrite",'
        '"names":["a"],"after":null,"last":{"path":{"$path":"r"},"size":1}}'
    )
    assert list(request.arguments) == [parameter.name for parameter in copy.parameters]
    assert request.arguments["policy"] is Policy.OVERWRITE


def test_equal_inputs_make_equal_requests_however_they_are_given() -> None:
    one = copy(Path("a"), Path("b"))
    other = copy.request({"destination": "b", "verify": True, "source": "a"})
    assert one == other and hash(one) == hash(other) and one.text == other.text
    assert one != copy(Path("a"), Path("c"))


def test_binding_gives_back_what_the_request_was_made_of() -> None:
    request = copy(Path("a"), Path("b"), after=date(2026, 11, 29), last=Receipt(Path("r"), 1))
    assert same(copy.bind(request.text), request.arguments)


def test_a_default_is_not_shared_between_workflows() -> None:
    for given in (copy(Path("a"), Path("b")).arguments, copy.bind('{"source":"a","destination":"b"}')):
        names = given["names"]
        assert isinstance(names, list)
        names.append("changed")
    assert copy(Path("a"), Path("b")).arguments["names"] == ["a"]


def test_an_input_from_before_a_parameter_was_added_takes_its_default() -> None:
    bound = copy.bind('{"source":"a","destination":{"$path":"b"}}')
    assert bound["source"] == Path("a") and bound["policy"] is Policy.SKIP and bound["verify"] is True


CALLS: list[tuple[tuple[object, ...], dict[str, object], str]] = [
    ((), {}, "the input 'source' of 'copy-folder' is missing; it needs a path"),
    ((Path("a"),), {}, "the input 'destination' of 'copy-folder' is missing"),
    (
        (Path("a"), Path("b")),
        {"verfy": True},
        "'copy-folder' has no input 'verfy'; it takes source, destination, verify (optional), policy",
    ),
    ((Path("a"), Path("b"), True), {}, "'copy-folder' takes 2 inputs by position and got 3; it takes source"),
    ((Path("a"),), {"source": Path("b")}, "the input 'source' of 'copy-folder' is given twice"),
    ((Path("a"), 5), {}, "the input 'destination' is 5, which is not of type Path; it needs a path"),
    (
        (Path("a"), Path("b")),
        {"names": ["\ud800"]},
        "the input of 'copy-folder', at .names[0], is a text with",
    ),
]


@pytest.mark.parametrize(("args", "kwargs", "said"), CALLS)
def test_an_input_that_does_not_fit_says_what_would(
    args: tuple[object, ...], kwargs: dict[str, object], said: str
) -> None:
    call: Any = copy
    with pytest.raises(InvalidInput) as refused:
        call(*args, **kwargs)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"source":"a"}', "the input 'destination' of 'copy-folder' is missing"),
        ('{"source":"a","destination":"b","speed":1}', "'copy-folder' has no input 'speed'"),
        ('{"source":"a","destination":1}', "the input 'destination' of 'copy-folder' is 1, which is not of"),
        ('["a"]', "the input of 'copy-folder' is ['a'], and not an object by name"),
        ("{", "the input of 'copy-folder' cannot be read"),
    ],
)
def test_a_stored_input_that_does_not_fit_is_an_error_that_names_it(text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        copy.bind(text)
    assert said in str(refused.value)


def test_a_definition_without_inputs_says_so() -> None:
    made: Any = workflow("nothing")(body)
    assert made().text == "{}" and made.bind("{}") == {}
    with pytest.raises(InvalidInput, match="it takes none"):
        made(1)


def version(number: int, accepts: tuple[int, ...] = ()) -> Definition[[], None]:
    return workflow("count", version=number, accepts=accepts)(body)


def test_a_registry_finds_the_exact_version_before_one_that_accepts_it() -> None:
    first, second, fourth = version(1), version(2, (1,)), version(4, (1, 2, 3))
    registry = Registry([second, copy, fourth, first])
    assert [registry.find("count", number) for number in (1, 2, 3, 4)] == [first, second, fourth, fourth]
    assert registry.find("count") is fourth
    assert registry.offers == [
        *(("copy-folder", number) for number in (1, 2, 3)),
        *(("count", number) for number in (1, 2, 3, 4)),
    ]
    assert list(registry) == [second, copy, fourth, first]
    assert len(registry) == 4


def test_an_unknown_definition_is_answered_with_those_that_there_are() -> None:
    registry = Registry([copy, version(2)])
    for name, number, said in (
        ("count", 1, "no definition of 'count' version 1; it has copy-folder 1, copy-folder 2"),
        ("move", None, "no definition of 'move'; it has copy-folder 1"),
    ):
        with pytest.raises(UnknownDefinition) as refused:
            registry.find(name, number)
        assert said in str(refused.value)
    with pytest.raises(UnknownDefinition, match="none at all"):
        Registry([]).find("move")


def test_two_definitions_of_one_name_and_version_are_refused() -> None:
    with pytest.raises(DefinitionError, match=r"'count' version 1 is defined twice, by .*body and .*body"):
        Registry([version(1), version(1)])
    same_twice = version(1)
    assert len(Registry([same_twice, same_twice])) == 1


def test_a_function_that_is_no_definition_is_refused() -> None:
    functions: Any = [body]
    with pytest.raises(DefinitionError, match=r'put @workflow\("a-name"\) above it'):
        Registry(functions)
