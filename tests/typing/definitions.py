"""What the type checker must know of definitions, requests and shapes; checked by mypy, never run.

An ignore that is not needed is an error here (`warn_unused_ignores`), so each one is an assertion too.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, assert_type

from stepfast.body.run import Run, Transaction
from stepfast.definitions.definition import Definition, Registry, Request, workflow
from stepfast.values.shapes import Shape, decode_as, encode_as, lift


@dataclass
class Receipt:
    path: Path


def forget(transaction: Transaction, id: str) -> None: ...


@workflow("publish", version=2, accepts=(1,), forget=forget)
async def publish(run: Run, folder: Path, to: str, *, quiet: bool = False) -> Receipt:
    return Receipt(folder)


# P and T flow through the decorator; the Run does not belong to P.
request = publish(Path("a"), to="site")
assert_type(request, Request[Receipt])
assert_type(request.definition, Definition[..., Receipt])
assert_type(request.text, str)
assert_type(publish.body, Callable[..., Coroutine[Any, Any, Receipt]])
assert_type(publish.name, str)
assert_type(publish.version, int)
assert_type(publish.accepts, tuple[int, ...])
assert_type(publish.bind("{}"), dict[str, object])
assert_type(publish.request({"folder": "a"}), Request[Receipt])
publish(Path("a"), "site", quiet=True)

# Wrong arguments are errors where they are written.
publish()  # type: ignore[call-arg]
publish(Path("a"), 5)  # type: ignore[arg-type]
publish(Path("a"), "site", True)  # type: ignore[call-arg]
publish(Path("a"), "site", loud=True)  # type: ignore[call-arg]
publish.version = 3  # type: ignore[misc]


# A body may ask for more than a Run; what is no async function, or takes no Run, is none.
class MyRun(Run): ...


@workflow("mine")
async def mine(run: MyRun, number: int) -> None: ...


assert_type(mine(5), Request[None])


@workflow("plain")  # type: ignore[arg-type]
def plain(run: Run) -> int:
    return 1


@workflow("no-run")  # type: ignore[type-var]
async def no_run(number: int) -> None: ...


@workflow("bad-forget", forget=lambda transaction: None)  # type: ignore[misc, arg-type]
async def bad_forget(run: Run) -> None: ...


@workflow("family")
async def family(run: Run) -> Receipt:
    assert_type(await run.child("one", mine(5)), None)
    return assert_type(await run.child("other", publish(Path("a"), "site")), Receipt)


@workflow("limited", at_once=2, queue="disk")
async def limited(run: Run) -> None: ...


# A step's value is what its effect returns, wherever it runs; its arguments are checked in each place.
async def stepping(run: Run) -> None:
    assert_type(await run.step("a", divmod, 7, 2, where="process"), tuple[int, int])
    assert_type(await run.step("b", number_of, None, where="thread"), int)
    await run.step("d", number_of, None, where="elsewhere")  # type: ignore[call-overload]


registry = Registry([publish, mine])
assert_type(registry.find("publish", 1), Definition[..., Any])
Registry([plain_function := len])  # type: ignore[list-item]


# Shapes: a type or a function, and the value is of what it says.
def number_of(plain: object) -> int:
    return 1


def shaped(shape: Shape[Receipt]) -> Receipt:
    return decode_as("", shape)


shaped(Receipt)
shaped(lambda plain: Receipt(Path("a")))
shaped(number_of)  # type: ignore[arg-type]
assert_type(decode_as("", Receipt), Receipt)
assert_type(decode_as("", list[Receipt]), list[Receipt])
assert_type(decode_as("", number_of), int)
assert_type(decode_as("", None), object)
assert_type(lift({}, Receipt), Receipt)
assert_type(lift({}, number_of), int)
encode_as(None, int | None)
