import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepfast_desktop.workflows.copy_folder import plan, walk
from stepfast_desktop.workflows.copy_folder.errors import CopyError
from stepfast_desktop.workflows.copy_folder.places import Places
from stepfast_desktop.workflows.copy_folder.plan import Item, Planned
from stepfast_desktop.workflows.copy_folder.waking import Patience
from stepfast_desktop.workflows.copy_folder.walk import BATCH_ITEMS, Walker

MakePlaces = Callable[..., Places]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    def limit(entries: int) -> None:
        for module in (plan, walk):
            monkeypatch.setattr(module, "AT_ONCE", entries)

    return limit


def walker(places: Places, *, caseless: bool = False, stop: Any = lambda: None) -> Walker:
    return Walker(
        places, caseless=caseless, stop=stop, report=lambda done, total, text: None, patience=Patience(stop)
    )


def planned(places: Places, *, anew: bool = False, **options: Any) -> tuple[list[Item], Planned, int]:
    """The whole plan, and the chunks that it took; `anew`: each chunk by a walker that knows nothing."""
    walking = walker(places, **options)
    items, so_far, chunks = [Item.root(False)], Planned(), 0
    while not so_far.complete:
        if anew:
            walking = walker(places, **options)
        frontier = [one for one in items if one.kind == "folder" and one.position >= so_far.folder]
        chunk = walking.walk(so_far, frontier[: walk.AT_ONCE])
        assert len(chunk.items) <= walk.AT_ONCE
        items += chunk.items
        so_far = chunk.planned
        chunks += 1
    assert [one.position for one in items] == list(range(so_far.rows))
    return items, so_far, chunks


def test_a_tree_is_planned_level_by_level_and_by_name(tree: Path, places: MakePlaces) -> None:
    items, so_far, _ = planned(places(tree))
    paths = [one.path for one in items]
    assert paths[0] == ""
    assert sorted(paths[1:], key=lambda path: (path.count(os.sep), path)) == paths[1:]
    assert {one.kind for one in items if one.path.startswith("to-")} == {"link"}
    assert so_far.files == sum(one.kind == "file" for one in items)
    assert so_far.bytes == sum(one.size for one in items) > 0


@pytest.mark.parametrize("anew", [False, True], ids=["in one pass", "in a pass for each chunk"])
@pytest.mark.parametrize("entries", [1, 2, 3, 7, 2000])
def test_a_plan_made_in_any_chunks_is_the_same(
    tree: Path, places: MakePlaces, at_once: Any, entries: int, anew: bool
) -> None:
    whole, *_ = planned(places(tree))
    at_once(entries)
    items, *_ = planned(places(tree), anew=anew)
    assert items == whole


def test_a_folder_of_5000_files_is_planned_in_chunks_and_listed_once(
    tmp_path: Path, places: MakePlaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for number in range(5000):
        (source / f"{number:05}").touch()
    listed = []
    listdir = os.listdir
    monkeypatch.setattr(os, "listdir", lambda path: (listed.append(path), listdir(path))[1])
    items, so_far, chunks = planned(places(source))
    assert (so_far.files, chunks, len(listed)) == (5000, 3, 1)
    assert [one.path for one in items[1:]] == [f"{number:05}" for number in range(5000)]
    assert so_far.batches == 5000 // BATCH_ITEMS


@pytest.mark.usefixtures("small_pieces")
def test_batches_are_small_and_no_item_has_a_lower_one_than_its_folder(
    tmp_path: Path, places: MakePlaces
) -> None:
    source = tmp_path / "source"
    for number in range(300):
        folder = source / f"{number % 7}" / f"{number % 3}"
        folder.mkdir(parents=True, exist_ok=True)
        size = (5 << 20) if number % 50 == 0 else 70_000
        with open(folder / f"{number}", "wb") as file:
            file.truncate(size)
    items, so_far, _ = planned(places(source))
    batches: dict[int, list[Item]] = {}
    batch_of = {"": -1}
    for one in items[1:]:
        assert one.batch is not None
        batches.setdefault(one.batch, []).append(one)
        batch_of[one.path] = one.batch
        assert one.batch >= batch_of[os.path.dirname(one.path)]
    assert sorted(batches) == list(range(so_far.batches))
    for content in batches.values():
        large = [one for one in content if one.size >= 4 << 20]
        assert len(content) == 1 if large else len(content) <= BATCH_ITEMS
        assert large or sum(one.size for one in content) <= 4 << 20


def test_names_that_are_no_text_are_planned(tree: Path, places: MakePlaces) -> None:
    items, *_ = planned(places(tree))
    assert b"no-utf8-\xff\xfe" in [os.fsencode(one.path) for one in items]


def test_what_is_no_file_is_a_problem_and_never_opened(tmp_path: Path, places: MakePlaces) -> None:
    source = tmp_path / "source"
    source.mkdir()
    os.mkfifo(source / "pipe")
    (source / "file").touch()
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(source)  # the path of a socket is short
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
        items, so_far, _ = planned(places(source))
    problems = {one.path: one.message for one in items if one.result == "problem"}
    assert problems == {
        "pipe": "not a regular file: a named pipe",
        "socket": "not a regular file: a socket",
    }
    assert so_far.problems == 2
    assert all(one.batch is None for one in items if one.result)


def test_links_are_not_followed(tmp_path: Path, places: MakePlaces) -> None:
    source = tmp_path / "source"
    (source / "folder").mkdir(parents=True)
    (source / "folder" / "up").symlink_to("..")
    items, *_ = planned(places(source))
    assert [(one.path, one.kind) for one in items] == [
        ("", "folder"),
        ("folder", "folder"),
        (os.path.join("folder", "up"), "link"),
    ]


def test_a_folder_that_cannot_be_read_is_a_problem_and_the_rest_goes_on(
    tree: Path, places: MakePlaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    listdir = os.listdir

    def refuse(path: str) -> list[str]:
        if path.endswith("deep"):
            raise PermissionError(13, "Permission denied")
        return listdir(path)

    monkeypatch.setattr(os, "listdir", refuse)
    items, so_far, _ = planned(places(tree))
    assert [(one.path, one.message) for one in items if one.result] == [
        ("deep", "the folder could not be read: no permission")
    ]
    assert so_far.problems == 1
    assert "script" in [one.path for one in items]


def test_what_vanishes_while_it_is_planned_is_a_problem(
    tree: Path, places: MakePlaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    listdir = os.listdir
    monkeypatch.setattr(os, "listdir", lambda path: [*listdir(path), "vanished"])
    items, *_ = planned(places(tree))
    problems = [one for one in items if one.result]
    assert {one.message for one in problems} == {"it is not there any more"}
    assert "script" in [one.path for one in items if not one.result]


def test_a_source_that_vanishes_while_it_is_planned_ends_the_step(
    tree: Path, places: MakePlaces, at_once: Any
) -> None:
    at_once(3)
    found = places(tree)
    walking = walker(found)
    chunk = walking.walk(Planned(), [Item.root(False)])
    tree.rename(tree.with_name("moved"))
    with pytest.raises(CopyError, match="is not there any more"):
        walking.walk(chunk.planned, [Item.root(False)])


def test_a_walk_stops_when_asked_to(tree: Path, places: MakePlaces) -> None:
    class Stop(BaseException):
        pass

    calls = 0

    def stop() -> None:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise Stop

    with pytest.raises(Stop):
        planned(places(tree), stop=stop)
    assert calls == 4


def test_names_that_the_destination_cannot_tell_apart_are_a_problem(
    tmp_path: Path, places: MakePlaces
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("Read.me", "read.me", "other", "caf\u00e9", "cafe\u0301"):
        (source / name).touch()
    items, so_far, _ = planned(places(source), caseless=True)
    assert [one.path for one in items if one.result] == ["café", "read.me"]
    assert "'Read.me'" in str([one.message for one in items if one.path == "read.me"])
    assert so_far.problems == 2
    items, so_far, _ = planned(places(source), caseless=False)
    assert so_far.problems == 0


def test_what_was_there_before_is_remembered(tree: Path, tmp_path: Path, places: MakePlaces) -> None:
    destination = tmp_path / "destination"
    (destination / "deep").mkdir(parents=True)
    (destination / "deep" / "03").touch()
    walking = walker(places(tree, destination))
    items: list[Item] = [Item.root(True)]
    so_far = Planned()
    while not so_far.complete:
        frontier = [one for one in items if one.kind == "folder" and one.position >= so_far.folder]
        chunk = walking.walk(so_far, frontier)
        items, so_far = [*items, *chunk.items], chunk.planned
    assert [one.path for one in items if one.existed] == ["", "deep", os.path.join("deep", "03")]
