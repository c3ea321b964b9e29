"""What is found of an input while it is filled in: on a thread, one look at a time, and told as it comes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import pytest

from stepfast import Engine, Finding, Run, workflow
from stepfast.hints import File
from stepfast_desktop.viewmodels.starting import new_workflow
from stepfast_desktop.viewmodels.starting.new_workflow import NewWorkflowViewModel
from stepfast_desktop.viewmodels.starting.previewing import Previewing
from stepfast_desktop.workflows.copy_folder import copy_folder


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.002)


class Looks:
    """A preview that goes on as it is told, and what became of each look."""

    def __init__(self) -> None:
        self.began: list[Any] = []
        self.ended: list[Any] = []
        self.threads: set[int] = set()
        self.go_on = threading.Event()

    def __call__(self, arguments: Mapping[str, object]) -> Iterator[Finding]:
        about = arguments["a"]
        self.began.append(about)
        self.threads.add(threading.get_ident())
        try:
            yield Finding("size", f"{about} so far", going_on=True)
            while not self.go_on.wait(0.002):
                yield Finding("size", f"{about} so far", going_on=True)
            yield Finding("size", f"{about} in all")
            yield Finding("odd", "odd", "warning")
        finally:
            self.ended.append(about)


async def test_findings_come_as_they_are_found_and_later_ones_take_the_place_of_earlier_ones() -> None:
    looks, heard = Looks(), []
    previewing = Previewing(looks, lambda: heard.append([each.text for each in previewing.findings]), pause=0)
    previewing.ask({"a": 1})
    assert previewing.looking and not previewing.findings
    await until(lambda: heard)
    assert heard[0] == ["1 so far"]
    looks.go_on.set()
    await until(lambda: not previewing.looking)
    assert heard[-1] == ["1 in all", "odd"]
    assert looks.threads.isdisjoint({threading.get_ident()})


async def test_another_input_ends_the_look_at_the_one_before_and_one_goes_on_at_a_time() -> None:
    looks = Looks()
    previewing = Previewing(looks, lambda: None, pause=0)
    previewing.ask({"a": 1})
    await until(lambda: previewing.findings)
    previewing.ask({"a": 2})
    assert previewing.findings == (), "what was found of another input is nothing of this one"
    await until(lambda: looks.ended == [1] and looks.began == [1, 2])
    looks.go_on.set()
    await until(lambda: not previewing.looking)
    assert previewing.findings[0].text == "2 in all"


async def test_nobody_looks_at_what_is_typed_over_in_a_moment() -> None:
    looks = Looks()
    looks.go_on.set()
    previewing = Previewing(looks, lambda: None, pause=3600)  # however long the machine takes in between
    for number in range(4):
        previewing.ask({"a": number})
        await asyncio.sleep(0.005)
    previewing._pause = 0.01
    previewing.ask({"a": 4})
    await until(lambda: not previewing.looking)
    assert looks.began == [4]
    previewing.ask({"a": 4})
    assert not previewing.looking, "the same is not looked at twice by itself"
    previewing.again()
    assert previewing.findings, "what was found stays until it is found anew"
    await until(lambda: not previewing.looking)
    assert looks.began == [4, 4]
    previewing.ask(None)
    assert previewing.findings == () and not previewing.looking


async def test_a_look_that_raises_is_a_warning_and_where_it_raised_is_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def look(arguments: Mapping[str, object]) -> Iterator[Finding]:
        yield Finding("first", "first")
        raise OSError("it is haunted.")

    previewing = Previewing(look, lambda: None, pause=0)
    previewing.ask({"a": 1})
    await until(lambda: not previewing.looking)
    assert [(each.level, each.text) for each in previewing.findings] == [
        ("note", "first"),
        ("warning", "This could not be looked at before it starts: it is haunted."),
    ]
    assert "a preview failed" in caplog.text and 'raise OSError("it is haunted.")' in caplog.text


async def test_closed_it_tells_nothing_more() -> None:
    looks, heard = Looks(), []
    previewing = Previewing(looks, lambda: heard.append(1), pause=0)
    previewing.ask({"a": 1})
    await until(lambda: heard)
    previewing.close()
    heard.clear()
    looks.go_on.set()
    await until(lambda: looks.ended)
    await asyncio.sleep(0.01)
    assert not heard and not previewing.looking


# --- in a form ------------------------------------------------------------------------------------


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "a").write_bytes(bytes(1000))
    return folder


async def test_a_form_says_of_real_folders_what_there_is_and_what_cannot_be(
    source: Path, tmp_path: Path
) -> None:
    async with Engine.open(tmp_path / "s.db", [copy_folder]) as engine:
        view_model = NewWorkflowViewModel(engine)
        form = view_model.form
        assert form is not None and form.watched
        assert not form.looking, "as long as nothing is filled in there is nothing to look at"
        form.set("source", str(source / "not there"))
        await until(lambda: form.error_of("source"))
        assert (
            form.error_of("source")
            == f"“{source}/not there” is not there. Check its name, or connect its disk."
        )
        form.set("source", str(source / "a"))
        await until(lambda: form.error_of("source"))
        assert form.error_of("source") == f"“{source}/a” is a file. Choose a folder."
        form.set("source", str(source))
        await until(lambda: not form.looking)
        assert form.findings == (), "where it goes is not known yet"
        form.set("destination", str(source / "inside"))
        assert view_model.startable, "nothing is known against it yet"
        await until(lambda: form.findings)
        assert "inside the source" in form.error_of("destination")
        assert form.first_wrong == "destination"
        assert not view_model.startable
        form.set("destination", str(tmp_path / "copy"))
        await until(lambda: form.findings and not form.looking)
        assert form.findings[0].text.startswith("1 file, 1.0 kB.")
        assert view_model.startable
        assert form.error_of("destination") == ""
        await view_model.close()


async def test_a_start_waits_for_what_is_found_first(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new_workflow, "LOOK_SECONDS", 60.0)  # a busy machine may find it later than after 1 s
    async with Engine.open(tmp_path / "s.db", [copy_folder]) as engine:
        view_model = NewWorkflowViewModel(engine)
        assert view_model.form is not None
        view_model.form.fill({"source": source, "destination": source / "inside"})
        assert view_model.startable
        assert await view_model.start() is None
        assert await engine.list() == []
        assert "inside the source" in view_model.form.error_of("destination")
        await view_model.close()


async def test_a_folder_that_comes_back_is_found_when_a_person_does(source: Path, tmp_path: Path) -> None:
    async with Engine.open(tmp_path / "s.db", [copy_folder]) as engine:
        view_model = NewWorkflowViewModel(engine)
        form = view_model.form
        assert form is not None
        source.rename(tmp_path / "away")
        form.fill({"source": source, "destination": tmp_path / "copy"})
        await until(lambda: form.error_of("source"))
        (tmp_path / "away").rename(source)
        await until(lambda: not form.looking)
        view_model.look_again()
        await until(lambda: form.findings and not form.error_of("source"))
        await view_model.close()


async def test_a_definition_without_a_preview_is_not_looked_at(tmp_path: Path) -> None:
    @workflow("plain")
    async def plain(run: Run, text: str = "") -> None: ...

    async with Engine.open(tmp_path / "s.db", [plain]) as engine:
        form = NewWorkflowViewModel(engine).form
        assert form is not None and not form.watched
        form.set("text", "a")
        assert not form.looking and form.findings == ()


async def test_every_file_of_a_list_must_be_there_where_a_definition_says_so(tmp_path: Path) -> None:
    @workflow("sums")
    async def sums(
        run: Run, files: Annotated[list[Path], File(there=True)], to: Path | None = None
    ) -> None: ...

    (tmp_path / "a").touch()
    async with Engine.open(tmp_path / "s.db", [sums]) as engine:
        view_model = NewWorkflowViewModel(engine)
        form = view_model.form
        assert form is not None and form.watched
        form.add("files", [tmp_path / "a", tmp_path / "gone"])
        await until(lambda: form.error_of("files"))
        assert f"“{tmp_path}/gone” is not there" in form.error_of("files")
        assert not view_model.startable
        form.put_paths("files", [tmp_path / "a", tmp_path])
        await until(lambda: form.error_of("files"))
        assert form.error_of("files") == f"“{tmp_path}” is a folder. Choose a file."
        form.put_paths("files", [tmp_path / "a"])
        await until(lambda: not form.looking)
        assert view_model.startable
        await view_model.close()
