"""A folder copied through `kill -9`: the sample of the campaign, the whole of it, and its witnesses tried."""

import os
import signal
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import trees
from campaign import Campaign, size
from evidence import Disproved, Evidence
from moments import Moment, Timeline, choose

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")


def through(campaign: Campaign) -> list[Moment | None]:
    """Run a campaign and remove its trees, whatever comes of it; gives the kills that hit."""
    try:
        runs = campaign.run()
    except AssertionError as failed:
        failed.add_note(f"replay these kills: {campaign.replay()}")
        raise
    finally:
        for path in campaign.heavy():
            trees.remove(path)
    return [run.moment for run in runs if run.code == -signal.SIGKILL]


def test_a_copy_killed_three_times_is_complete_and_nothing_recorded_runs_again(tmp_path: Path) -> None:
    # Named, and not drawn: one that is bound to a delay may come when a run has ended on a slow machine. And
    # held, or it may on a fast one, or where it is this process that does not come to look.
    moments = [Moment.parse(each) for each in ("plan:0+0", "part:20000000+0", "copy:1+0")]
    campaign = Campaign(
        tmp_path / "campaign",
        files=300,
        large=size("64MB"),
        kills=3,
        seed=20261129,
        moments=moments,
        held=True,
    )
    assert through(campaign) == moments


@pytest.mark.campaign
@pytest.mark.timeout(3600)
def test_the_whole_campaign(tmp_path: Path) -> None:
    seed = Random().randrange(10**6)
    hit = through(Campaign(tmp_path / "campaign", files=5000, large=size("1GB"), kills=20, seed=seed))
    assert len(hit) == 20


# ------------------------------------------------------------------------- would the campaign notice it?


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evidence]:
    """A small tree that was copied in peace, and what is seen of it."""
    folder = tmp_path_factory.mktemp("copied") / "campaign"
    campaign = Campaign(folder, files=30, large=size("1MB"), kills=0, seed=7)
    campaign.run()
    # Not the campaign's own, which has read the source since it looked last.
    evidence = replace(campaign.evidence, scratch=folder)
    evidence.look()
    yield evidence
    for path in campaign.heavy():
        trees.remove(path)


def a_file(evidence: Evidence) -> Path:
    """One that is watched, and not empty."""
    files = (Path(os.fsdecode(path)) for path in evidence.watched)
    found = ((each, (evidence.source / each).lstat()) for each in files)
    return next(each for each, what in found if stat.S_ISREG(what.st_mode) and what.st_size)


def test_a_file_that_is_copied_again_is_noticed(copied: Evidence) -> None:
    file = copied.destination / a_file(copied)
    found, content = file.stat(), file.read_bytes()
    file.unlink()
    file.write_bytes(content)
    os.chmod(file, found.st_mode)
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))
    with pytest.raises(Disproved, match="in place and recorded"):
        copied.look()
    copied.forget(file)


def test_a_source_that_is_read_again_is_noticed(copied: Evidence) -> None:
    if not copied.keeps_access_times:
        pytest.skip("this file system keeps no times of access")
    file = a_file(copied)
    (copied.source / file).read_bytes()
    with pytest.raises(Disproved, match="read again"):
        copied.look()
    copied.forget(copied.destination / file)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE stepfast_records SET recorded_at = recorded_at + 1 WHERE name = 'copy:0'",
        "UPDATE stepfast_records SET started_at = started_at + 1 WHERE name = 'plan:0'",
        "UPDATE stepfast_records SET value = '[]' WHERE name = 'check'",
        "UPDATE stepfast_records SET attempts = 2 WHERE name = 'copy:0'",
        "DELETE FROM stepfast_records WHERE name = 'tidy'",
        "UPDATE copy_folder_items SET outcome = NULL WHERE batch = 0 AND kind = 'file'",
    ],
)
def test_a_checkpoint_that_changed_is_noticed(copied: Evidence, change: str) -> None:
    saved = copied.database.read_bytes()
    with closing(sqlite3.connect(copied.database)) as connection:
        assert connection.execute(change).rowcount
        connection.commit()
    with pytest.raises(Disproved):
        copied.look()
    copied.database.write_bytes(saved)
    copied.look()


def test_a_copy_that_differs_in_anything_is_noticed(tmp_path: Path) -> None:
    trees.make(tmp_path / "tree", files=20, large=100, rng=Random(1))
    original = trees.describe(tmp_path / "tree")
    film = tmp_path / "tree" / "m in the middle" / "film.bin"
    found = film.stat()

    def told() -> list[str]:
        return [
            each for each in trees.differences(original, trees.describe(tmp_path / "tree")) if "film" in each
        ]

    assert told() == []
    os.chmod(film, 0o640)
    assert "mode" in told()[0]
    content = film.read_bytes()
    film.write_bytes(content[::-1])
    os.chmod(film, found.st_mode)
    os.utime(film, ns=(0, found.st_mtime_ns))
    assert len(told()) == 1 and "content" in told()[0]
    film.write_bytes(content)
    os.utime(film, ns=(0, found.st_mtime_ns + 1))
    assert len(told()) == 1 and "mtime_ns" in told()[0]
    film.rename(film.with_name("film 2"))
    assert sorted(each.partition(":")[0] for each in told()) == ["missing", "too much"]


def test_one_seed_makes_one_tree_and_moments_in_every_phase(tmp_path: Path) -> None:
    twice = []
    for name in ("one", "other"):
        trees.make(tmp_path / name, files=60, large=1000, rng=Random("seed"))
        twice.append(trees.describe(tmp_path / name))
    assert trees.differences(*twice) == []

    steps = ["check", "begin", "table", "plan:0", *(f"copy:{each}" for each in range(30)), "finish:0", "tidy"]
    points = [(name, 0.1 * number) for number, name in enumerate([*steps, "completed", "ended"], 1)]
    timeline = Timeline(tuple(points), "copy:7")
    one, other = (choose(Random(5), 20, timeline, 1000) for _ in range(2))
    assert one == other and len(one) == 20
    assert {phase for phase, _ in one} == {"starting", "planning", "batches", "large", "end"}
    assert [Moment.parse(str(moment)).after for _, moment in one] == [moment.after for _, moment in one]
    for kills in range(1, 40):
        assert len(choose(Random(kills), kills, timeline, 1000)) == kills


def test_the_replay_names_the_very_moments(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, files=3, large=5, kills=9, seed=4)
    campaign.done = [Moment("copy:1", 0.25), Moment("part:77", 0.0)]
    assert campaign.replay().endswith(
        "campaign.py --files 3 --large 5 --seed 4 --at copy:1+0.2500 --at part:77+0.0000"
    )
