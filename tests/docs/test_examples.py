"""What the documentation shows is run, and type-checked, as it stands there."""

from __future__ import annotations

import ast
import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stepfast import Engine
from stepfast.testing import CONTRACT, VirtualClock

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def python_blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


EXAMPLES = [(page, number, block) for page in PAGES for number, block in enumerate(python_blocks(page))]


def test_the_readme_shows_a_workflow() -> None:
    assert any(page.name == "README.md" for page, _, _ in EXAMPLES)


@pytest.mark.parametrize(
    ("page", "number", "block"), EXAMPLES, ids=[f"{page.name}-{number}" for page, number, _ in EXAMPLES]
)
def test_an_example_passes_a_strict_type_check(page: Path, number: int, block: str, tmp_path: Path) -> None:
    example = tmp_path / "example.py"
    example.write_text(block, "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(example)]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


async def test_the_contract_runs_over_a_store_of_ones_own_as_it_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (block,) = python_blocks(ROOT / "docs" / "a-store-of-your-own.md")
    tree = ast.parse(block)
    # All but the last line, which runs a loop of its own.
    assert ast.unparse(tree.body[-1]) == "asyncio.run(main())"
    tree.body.pop()
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(tree, "a-store-of-your-own.md", "exec"), names)

    await names["main"]()

    kept = capsys.readouterr().out.splitlines()
    assert kept == [f"kept: {promise.__name__}" for promise in CONTRACT]


async def test_a_store_that_breaks_its_word_is_told_so_by_the_example() -> None:
    (block,) = python_blocks(ROOT / "docs" / "a-store-of-your-own.md")
    # Whoever is killed lives on: what they held is never taken over.
    names: dict[str, Any] = {"__name__": "example"}
    exec(
        compile(block.replace("durable.die()", "pass").replace("asyncio.run(main())", ""), "x", "exec"), names
    )
    (promise,) = [each for each in CONTRACT if each.__name__ == "what_a_dead_owner_held_is_taken_over"]

    with pytest.raises(AssertionError):
        await names["check"](promise)


async def test_the_tests_that_are_shown_pass_and_do_not_sleep(tmp_path: Path) -> None:
    (block,) = python_blocks(ROOT / "docs" / "testing-your-workflows.md")
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(block, "testing-your-workflows.md", "exec"), names)
    tests = [each for name, each in names.items() if name.startswith("test_")]
    assert len(tests) == 3
    assert set(re.findall(r"[\w.]*sleep\(", block)) == {"run.sleep("}
    for number, each in enumerate(tests):
        (tmp_path / str(number)).mkdir()
        async with asyncio.timeout(60):  # a month of a workflow's time
            await each(*([tmp_path / str(number)] if "tmp_path" in each.__annotations__ else []))


def test_the_secret_that_is_shown_reaches_the_step_and_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (block,) = python_blocks(ROOT / "docs" / "secrets.md")
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "secrets.md", "exec"), {"__name__": "example"})
    assert capsys.readouterr().out == "authorised by a token of 13 characters\n5\n"
    files = [each for each in tmp_path.rglob("*") if each.is_file()]
    assert files and all(b"horse" not in each.read_bytes() for each in files)


async def test_the_program_that_is_shown_goes_on_with_what_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (block,) = python_blocks(ROOT / "docs" / "writing-workflows.md")
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(block.replace("seconds=5", "seconds=0"), "writing-workflows.md", "exec"), names)
    there, missing = tmp_path / "there", tmp_path / "missing"
    there.write_text("one")
    (tmp_path / "pages.json").write_text(json.dumps([there.as_uri(), missing.as_uri()]))
    monkeypatch.chdir(tmp_path)

    await names["main"]()
    assert "failed: urllib.error.URLError" in capsys.readouterr().out
    there.unlink()  # its page is not fetched again
    missing.write_text("three")
    await names["main"]()
    assert capsys.readouterr().out == f"{ {there.as_uri(): 3, missing.as_uri(): 5} }\n"
    assert ((tmp_path / "0.html").read_text(), (tmp_path / "1.html").read_text()) == ("one", "three")


async def test_the_workflow_of_the_readme_does_what_the_readme_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (block,) = python_blocks(ROOT / "README.md")
    # As `--load mytasks:publish` imports it: nothing is started. (main() would run a loop of its own, which
    # raises where one runs already, as here.)
    names: dict[str, Any] = {"__name__": "mytasks"}
    exec(compile(block, "mytasks.py", "exec"), names)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("hello")
    monkeypatch.chdir(tmp_path)

    clock = VirtualClock()
    async with Engine.open(tmp_path / "work.db", [names["publish"]], clock=clock) as engine:
        handle = await engine.start(names["publish"](Path("site"), to="web"), id="release-42")
        result = asyncio.create_task(handle.result())
        while (await handle.summary()).state.name != "waiting":
            clock.advance(1)
            await asyncio.sleep(0)
        await engine.arrive("release-42", "approved-by", "Ada")
        assert await result == "Ada"
        names_of_steps = [record.name for record in await engine.history("release-42")]
        assert names_of_steps == ["scan", "upload:index.html", "settle", "approved-by", "filed"]
    assert "index.html -> web" in capsys.readouterr().out
