"""What a program that imports the engine pays for: not what it may never come to, and every name is there."""

from __future__ import annotations

import copy
import json
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import stepfast
from stepfast import Run, hints, state, workflow
from stepfast.late import STANDARD, Needed

# Each of these costs a program milliseconds of its start.
DEAR = {
    *("bz2", "ctypes", "decimal", "fractions", "hashlib", "hmac", "lzma", "multiprocessing", "numbers"),
    *("pickle", "platform", "random", "secrets", "shutil", "statistics", "sysconfig", "tempfile", "uuid"),
    *("xml", "zipfile", "zoneinfo"),
}
SELDOM = {
    f"stepfast.{name}"
    for name in (
        *("details", "durably", "exporting", "memory", "schedules", "testing", "values.rare_tags", "working"),
        *("body.current", "body.noting", "body.parenting", "body.steps", "body.trying"),
        *("passes.attempt", "passes.outcome", "passes.passing", "passes.settling"),
        *("processes.child", "processes.groups", "processes.output", "processes.running"),
        *("system.files", "system.suspended"),
        *("sqlite.care.backups", "sqlite.care.copying", "sqlite.care.daily", "sqlite.care.doctor"),
        *("sqlite.care.restoring", "sqlite.care.sweeping", "sqlite.care.upkeep"),
        *("sqlite.log.lock_holders", "sqlite.reading.histories"),
        *("sqlite.moves.asking", "sqlite.moves.deleting", "sqlite.moves.lining_up"),
    )
}

IMPORTED = "import asyncio, sqlite3; before = set(sys.modules); import stepfast"
OPENED = (
    IMPORTED
    + """
from pathlib import Path

@stepfast.workflow("copy")
async def copy(run: stepfast.Run, source: Path, verify: bool = True) -> int: ...

async def main():
    async with stepfast.Engine.open(sys.argv[1], [copy]) as engine:
        assert await engine.list() == []
        assert (await engine.changes(0)).rows == ()

asyncio.run(main())
"""
)


def fresh(code: str, *arguments: object) -> Any:
    """What a new program prints as JSON."""
    argv = [sys.executable, "-c", f"import json, sys\n{code}", *map(str, arguments)]
    return json.loads(subprocess.run(argv, check=True, capture_output=True, text=True).stdout)


@pytest.mark.parametrize("code", [IMPORTED, OPENED], ids=["imported", "opened"])
def test_a_program_that_shows_lists_imports_nothing_that_it_does_not_need(tmp_path: Path, code: str) -> None:
    report = f"{code}\nprint(json.dumps(sorted(set(sys.modules) - before)))"
    loaded = set(fresh(report, tmp_path / "work.db"))
    assert "stepfast.workers.worker" in loaded
    assert loaded & DEAR == set()
    assert loaded & SELDOM == set()


WORKED = """
import asyncio
from datetime import timedelta
from pathlib import Path

import stepfast
from stepfast.late import import_all

import_all()
before = set(sys.modules)

class Refuses:
    def find_spec(self, name, path=None, target=None):
        raise ModuleNotFoundError(f"{name} is imported late", name=name)

sys.meta_path.insert(0, Refuses())

def fails() -> None:
    raise OSError("it fails")

@stepfast.workflow("work")
async def work(run: stepfast.Run, well: bool = True) -> int:
    await run.step("one", lambda: run.bookmark.set(1))
    await run.transact("two", lambda db: None)
    await run.sleep("a while", timedelta(milliseconds=1))
    run.log("working")
    if not well:
        await run.step("fails", fails)
    return await run.child("child", part())

@stepfast.workflow("part")
async def part(run: stepfast.Run) -> int:
    return 1

async def main():
    folder = Path(sys.argv[1])
    async with stepfast.Engine.open(folder / "work.db", [work, part]) as engine:
        assert await (await engine.start(work(), id="w")).result() == 1
        try:
            await (await engine.start(work(False), id="f")).result()
        except stepfast.WorkflowFailed:
            pass
        await engine.get("f")
        await engine.history("w")
        await engine.log("w")
        await (await engine.rerun("f", "fails")).finished()
        await engine.retry("f")
        await engine.handle("f").finished()
        await engine.schedule("daily", work(), stepfast.Every(timedelta(days=1)))
        await engine.schedules()
        await engine.unschedule("daily")
        await engine.list(stepfast.Filter(text="w"))
        await engine.bulk("remove", stepfast.Filter())
        await engine.backup(folder / "copy.db")
        await engine.sweep(stepfast.Retention())
        await engine.delete("w")
    stepfast.restore(folder / "work.db", folder / "copy.db")

asyncio.run(main())
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def test_who_has_imported_all_imports_no_more_whatever_it_does(tmp_path: Path) -> None:
    assert fresh(WORKED, tmp_path) == []


def test_other_packages_are_imported_whole_with_it() -> None:
    code = "from stepfast.late import import_all; import_all('xml'); print(json.dumps([*sys.modules]))"
    assert {"xml.dom.minidom", "xml.sax.handler"} <= set(fresh(code))


def test_what_functions_import_of_the_standard_library_is_among_what_is_imported_with_all() -> None:
    found = set()
    for path in Path(stepfast.__file__).parent.rglob("*.py"):
        for line in path.read_text("utf-8").splitlines():
            if late := re.match(r" {8,}(?:import|from) (\w+)", line):
                found.add(late[1])
    assert found - {"stepfast"} <= {*STANDARD, "pkgutil"}


def test_what_is_said_to_be_imported_seldom_is_there() -> None:
    for name in sorted(SELDOM):
        import_module(name)


@pytest.mark.parametrize("name", ["stepfast", "stepfast.sqlite", "stepfast.views", "stepfast.interfaces"])
def test_every_public_name_can_be_had(name: str) -> None:
    names = fresh(
        f"import {name} as module\n"
        "lost = [each for each in module.__all__ if getattr(module, each, None) is None]\n"
        f"exec('from {name} import *', space := dict())\n"
        "print(json.dumps([lost, sorted(set(module.__all__) - space.keys())]))"
    )
    assert names == [[], []]


def test_what_is_given_late_is_listed_and_what_is_not_there_is_an_error() -> None:
    listed, said = fresh(
        "import stepfast\n"
        "try:\n    stepfast.Nothing\n"
        "except AttributeError as error:\n    print(json.dumps([dir(stepfast), str(error)]))"
    )
    assert set(stepfast.__all__) <= set(listed)
    assert said == "module 'stepfast' has no attribute 'Nothing'"


def test_a_name_that_is_given_late_is_the_one_of_its_module() -> None:
    from stepfast.passes.outcome import Failed

    assert stepfast.Failed is Failed
    assert "Failed" in vars(stepfast), "it is asked for once"


def test_types_whose_modules_few_programs_need_are_known_when_they_are_first_met_with() -> None:
    code = """
from stepfast.values import codec
from stepfast.values.shapes import decode_as, encode_as
assert not {"decimal", "uuid"} & set(sys.modules)
said = [type(codec.decode('{"$decimal":"1.5"}')).__name__]
said.append(type(codec.decode('[{"$uuid":"' + "0" * 32 + '"}]')[0]).__name__)
from decimal import Decimal
from uuid import UUID
said += [codec.encode([Decimal("1.50")]), encode_as({"a": UUID(int=1)}, dict[str, UUID])]
said.append(str(decode_as('"2.5"', Decimal)))
print(json.dumps(said))
"""
    uuid = "00000000-0000-0000-0000-000000000001"
    expected = ["Decimal", "UUID", '[{"$decimal":"1.50"}]', f'{{"a":{{"$uuid":"{uuid}"}}}}', "2.5"]
    assert fresh(code) == expected


@pytest.mark.parametrize(
    ("write", "says"),
    [
        ("from decimal import Decimal\ncodec.encode(Decimal(2))", None),
        ("import uuid\ncodec.encode(uuid.UUID(int=1))", None),
        (
            "from decimal import Decimal\nclass D(Decimal): ...\ncodec.encode(D(2))",
            "the Decimal it is based on",
        ),
        ("from decimal import Decimal\ncodec.encode(Decimal('nan'))", "is a NaN"),
        ("codec.decode('{\"$quaternion\":1}')", "'$quaternion', which this version"),
    ],
)
def test_the_first_value_of_such_a_type_is_kept_or_refused_like_any_other(
    write: str, says: str | None
) -> None:
    body = "\n".join(f"    {line}" for line in write.splitlines())
    code = (
        "from stepfast.values import codec\nfound = None\n"
        f"try:\n{body}\nexcept Exception as error:\n    found = str(error)\nprint(json.dumps(found))"
    )
    found = fresh(code)
    assert found is None if says is None else says in found


# --- a part that cannot be imported ---------------------------------------------------------------


@workflow("counted")
async def counted(run: Run) -> int:
    return await run.step("one", one)


def one() -> int:
    return 1


async def test_a_workflow_waits_for_a_part_of_the_program_that_is_just_being_updated(
    bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    await bench.start(counted(), "w")
    async with bench.at_work([counted]) as worker:
        worker._advancing._needed = Needed("part_of_an_update")
        await bench.reached("w", "sleeping")
        assert "a part of Stepfast cannot be loaded" in caplog.text
        (tmp_path / "part_of_an_update.py").touch()
        monkeypatch.syspath_prepend(tmp_path)  # forgets what it knew of the folder
        bench.clock.advance(10)
        assert await bench.reached("w", "completed", "failed") == "completed"


# --- classes that hold the same -------------------------------------------------------------------

NOW = datetime(2026, 11, 30, tzinfo=UTC)
ALIKE: list[tuple[Any, ...]] = [
    (state.Queued(), state.Paused()),
    (state.Completed(NOW, 1), state.Failed(NOW, 1)),
    (state.MessageWait("a"), state.ChildWait("a"), state.InterruptWait("a")),
    (hints.Title("a"), hints.Help("a"), hints.Unit("a")),
    (hints.Folder(there=True), hints.File(there=True)),
    (hints.Lines(), hints.Rare(), hints.Again()),
]


@pytest.mark.parametrize("alike", ALIKE, ids=lambda each: type(each[0]).__name__)
def test_two_that_hold_the_same_are_equal_only_where_they_are_of_one_class(alike: tuple[Any, ...]) -> None:
    for one, other in combinations(alike, 2):
        assert one != other
        assert not isinstance(one, type(other))
        assert len({one, other}) == 2
    for one in alike:
        for again in (replace(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
            assert type(again) is type(one)
            assert again == one
            assert hash(again) == hash(one)
        assert repr(one).startswith(f"{type(one).__name__}(")
        assert not hasattr(one, "__dict__")
        for name in (*type(one).__match_args__, "anything"):
            with pytest.raises((AttributeError, TypeError)):
                setattr(one, name, "else")
