"""The diagnostics over a real file, and the report of one workflow."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stepfast import Engine, Run, WorkflowFailed, workflow
from stepfast.sqlite.care.backups import backups_folder, backups_of
from stepfast_desktop.viewmodels import words
from stepfast_desktop.viewmodels.trouble.bug_report import BugReport
from stepfast_desktop.viewmodels.trouble.diagnostics import Diagnostics
from stepfast_desktop.viewmodels.trouble.redacting import without_person


class Desk:
    def __init__(self) -> None:
        self.opened: list[Path] = []
        self.copied = ""

    def copy(self, text: str) -> None:
        self.copied = text

    def open(self, path: Path) -> None:
        self.opened.append(path)


@workflow("pay")
async def pay(run: Run, account: str, amounts: list[int], home: str) -> dict[str, str]:
    run.log(f"looking in {home}")
    who = await run.step("who", lambda: f"owner of {account}")
    run.problem(f"/private/{account}", "it is overdrawn")
    return {"owner": who}


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    async with Engine.open(tmp_path / "data" / "work.db", [pay]) as opened:
        request = pay(account="DE-4711", amounts=[*range(30)], home=str(Path.home()))
        await (await opened.start(request, id="p")).result()
        yield opened


async def test_a_look_tells_what_is_where_and_a_check_whether_it_is_whole(
    engine: Engine, tmp_path: Path
) -> None:
    desk = Desk()
    found = Diagnostics(engine, desk, tmp_path / "log" / "stepfast.log")
    await found.look()
    assert [each.title for each in found.sections] == ["Program", "Files"]
    assert str(tmp_path / "data" / "work.db") in found.text and "SQLite" in found.text
    busy: list[str] = []
    found.changed.connect(lambda: busy.append(found.busy))
    await found.check()
    assert busy[0].startswith("Reading the file") and busy[-1] == ""
    assert (found.verdict, found.well) == ("All is well.", True)
    assert "1 completed" in found.text and "good" in found.text
    await found.look()
    assert "1 completed" in found.text  # what is known stays
    found.copy()
    assert desk.copied == found.text
    found.open_log_folder()
    found.open_data_folder()
    assert desk.opened == [tmp_path / "log", tmp_path / "data"]


async def test_a_backup_is_made_beside_the_others_and_listed(engine: Engine) -> None:
    found = Diagnostics(engine, Desk(), None)
    await found.read_backups()
    assert found.backups == ()
    await found.back_up()
    await found.back_up()
    assert found.well and str(backups_folder(engine.path or Path())) in found.verdict
    await found.read_backups()
    assert found.backups is not None and len(found.backups) == 2
    assert all(each.usable and each.holds.startswith("1 workflow, ") for each in found.backups)
    newest = found.backups[0].path
    newest.write_bytes(b"not what SQLite wrote")
    await found.read_backups()
    assert [each.usable for each in found.backups] == [False, True]
    assert found.backups[0].holds == "damaged itself"
    assert len(backups_of(engine.path or Path())) == 2


async def test_a_backup_that_lies_elsewhere_is_one_of_them_and_what_is_none_is_said(
    engine: Engine, tmp_path: Path
) -> None:
    found = Diagnostics(engine, Desk(), None)
    await found.back_up()
    await found.read_backups()
    elsewhere = await engine.backup(tmp_path / "elsewhere.db")
    for _ in range(2):
        await found.add_backup(elsewhere)
    assert found.backups is not None and len(found.backups) == 2
    assert found.backups[0].path == elsewhere and found.backups[0].usable
    assert found.backups[0].holds.startswith("1 workflow, ") and found.refused == ""
    # In the words of the window, as all moments.
    at = datetime.fromtimestamp(elsewhere.stat().st_mtime, UTC).astimezone()
    assert found.backups[0].made.startswith(f"{at.day} {at:%b} {at.year} "), found.backups[0]
    for none, why in ((b"not what SQLite wrote", "none.db"), (b"", "none.db"), (None, "none.db")):
        file = tmp_path / "none.db"
        file.unlink(missing_ok=True) if none is None else file.write_bytes(none)
        await found.add_backup(file)
        assert why in found.refused and found.backups[0].path == elsewhere
    await found.read_backups()
    assert found.refused == "" and found.backups is not None and len(found.backups) == 1


async def test_a_backup_that_cannot_be_made_is_said(engine: Engine) -> None:
    backups_folder(engine.path or Path()).write_text("a file is in its place")
    found = Diagnostics(engine, Desk(), None)
    await found.back_up()
    assert not found.well and found.verdict.startswith("No backup was made: ")


async def test_a_report_has_no_values_unless_they_are_wanted(engine: Engine, tmp_path: Path) -> None:
    report = BugReport(engine, "p")
    await report.read()
    assert "4711" not in report.text and str(Path.home()) not in report.text
    found = json.loads(report.text)["workflow"]
    assert found["state"] == "completed"
    assert found["input"]["account"] == "<text, 7 characters>"
    assert found["input"]["amounts"][-1] == "<and 10 more>"
    assert found["result"] == {"owner": "<text, 16 characters>"}
    assert {each["name"] for each in found["records"]} >= {"who"}
    assert [each["text"] for each in found["log"]] == ["looking in ~"]
    report.want(log=False)
    assert "looking" not in report.text
    report.want(values=True)
    assert "owner of DE-4711" in report.text and "/private/DE-4711" in report.text
    target = tmp_path / report.file_name
    assert await report.save(target)
    assert target.read_text("utf-8") == report.text
    assert not await report.save(target) and "is there already" in report.error


@workflow("tell")
async def tell(run: Run, folder: str, who: str) -> dict[str, int]:
    run.log(f"{who} looks in {folder}/, as whoever does")
    await run.step("upload:Taxes 2025.pdf", lambda: [f"{folder}/Taxes 2025.pdf"])
    await run.step("of", lambda: {f"{folder}/Taxes 2025.pdf": 1, "/srv/x": 2})
    raise LookupError(f"no {folder!r} of {who}; whoever it is")


async def test_what_a_report_leaves_out_it_leaves_out_wherever_it_stands(engine: Engine) -> None:
    folder = f"/media/{Path.home().name}/Tresor"
    async with Engine.open(engine.path or Path(), [tell]) as other:
        handle = await other.start(tell(folder=folder, who="Anna"), id="for Anna")
        with pytest.raises(WorkflowFailed):
            await handle.result()
    report = BugReport(engine, "for Anna")
    await report.read()
    for private in ("Tresor", "Anna", "Taxes", "/srv/x", f"/{Path.home().name}/"):
        assert private not in report.text, report.text
    found = json.loads(report.text)["workflow"]
    assert found["error"]["message"] == "no '<left out>' of <left out>; whoever it is"
    assert "raise LookupError" in found["error"]["traceback"]
    assert [each["name"] for each in found["records"]][:2] == ["upload:<left out>", "of"]
    assert found["records"][1]["value"] == {"<name 1>": "<number>", "<name 2>": "<number>"}
    assert found["log"][0]["text"] == "<left out> looks in <left out>/, as whoever does"
    report.want(values=True)
    assert "Tresor" in report.text and f"/{Path.home().name}/" not in report.text


def test_only_the_home_folder_and_the_user_are_left_out_of_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/an"))
    text = json.dumps(["/home/an", "/home/an/x", "/home/anna", "/home/an.old/x", "/media/an/x", "an"])
    assert json.loads(without_person(text)) == [
        *("~", "~/x", "/home/anna", "/home/an.old/x", "/media/<user>/x", "an")
    ]


async def test_a_report_is_in_english_whatever_the_window_speaks(engine: Engine) -> None:
    words.use(lambda context, text, disambiguation, n: f"[{text}]")
    try:
        report = BugReport(engine, "p")
        await report.read()
        report.want(log=False)
    finally:
        words.use(None)
    found = json.loads(report.text)
    assert {"Python", "system", "workflows"} <= found["versions"].keys()
    assert found["workflow"]["log"] == "1 line, left out"


async def test_a_report_of_what_is_gone_says_so(engine: Engine) -> None:
    report = BugReport(engine, "none")
    await report.read()
    assert report.text == "" and "none" in report.error
