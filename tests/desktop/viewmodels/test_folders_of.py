"""Which folders an input and a result lead to."""

from __future__ import annotations

from pathlib import Path

from stepfast_desktop.viewmodels.details.folders_of import existing_folders, paths_in


def test_paths_are_found_wherever_they_stand_in_a_value() -> None:
    value = {"to": Path("/b"), "more": [Path("/a"), {"deep": (Path("/c"), Path("/b"))}], "text": "/no/path"}
    assert paths_in(value, None, Path("/d"), Path("relative")) == tuple(map(Path, ("/b", "/a", "/c", "/d")))
    deep: object = Path("/e")
    for _ in range(10):
        deep = [deep]
    assert paths_in(deep) == ()
    assert len(paths_in([Path(f"/{n}") for n in range(1000)])) == 8


async def test_only_folders_that_are_there_are_offered_and_those_of_files(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    paths = [tmp_path / "folder", tmp_path / "file", tmp_path / "gone" / "file", tmp_path / "folder"]
    assert await existing_folders(paths) == (tmp_path / "folder", tmp_path)
    assert await existing_folders([Path("/\0")]) == ()
