"""The last word on a lease: said inside the takeover, where whoever is late has a chance to show himself."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stepfast.sqlite.engines.owners import (
    BEAT,
    CHANCE,
    GAP,
    LEASE,
    WAITED,
    Peer,
    Presence,
    Watch,
    owners_folder,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a file that is open cannot go there")

LOOK = 2.0


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "work.db"


@pytest.fixture
def presence(database: Path) -> Iterator[Presence]:
    presence = Presence(database)
    yield presence
    presence.leave()


@pytest.fixture
def one(presence: Presence) -> Peer:
    """Alive, as far as its lock shows."""
    return Peer(key=7, file=presence.file, boot="this boot", beat=1)


@pytest.fixture
def watch(database: Path) -> Watch:
    return Watch(owners_folder(database), "this boot")


def looks(first: float, last: float) -> Iterator[float]:
    while first <= last:
        yield first
        first += LOOK


def until_silent(watch: Watch, one: Peer) -> float:
    """Watch it for a lease; returns when that was over."""
    return next(now for now in looks(0, 2 * LEASE) if watch.judge([one], now))


def test_one_that_is_silent_is_taken_over_when_its_chance_is_over(watch: Watch, one: Peer) -> None:
    silent = until_silent(watch, one)
    assert silent == LEASE
    taken = []
    for now in looks(silent, silent + 20):
        watch.judge([one], now)
        if watch.to_be_taken_over(one, now, now):
            taken.append(now)
    assert taken[0] == silent + 6 and CHANCE <= 6 < CHANCE + LOOK


def test_a_beat_within_its_chance_saves_it(watch: Watch, one: Peer) -> None:
    silent = until_silent(watch, one)
    assert not watch.to_be_taken_over(one, silent, silent)
    woken = replace(one, beat=2)
    for now in looks(silent + LOOK, silent + LOOK + LEASE - LOOK):
        watch.judge([one], now)  # the row as it was read some time ago
        assert not watch.to_be_taken_over(woken, now, now)
        watch.judge([woken], now)


def test_a_chance_begins_anew_where_nobody_could_have_written(watch: Watch, one: Peer) -> None:
    silent = until_silent(watch, one)
    assert not watch.to_be_taken_over(one, silent, silent)
    for now in looks(silent + LOOK, silent + 40):
        watch.judge([one], now)
        assert not watch.to_be_taken_over(one, now - WAITED, now)
    for now in looks(silent + 42, silent + 44):
        watch.judge([one], now)
        assert not watch.to_be_taken_over(one, now, now)
    watch.judge([one], silent + 46)
    assert watch.to_be_taken_over(one, silent + 46, silent + 46)


def test_a_chance_is_over_with_the_watching(watch: Watch, one: Peer) -> None:
    silent = until_silent(watch, one)
    assert not watch.to_be_taken_over(one, silent, silent)
    woke = silent + GAP + 1  # both of them slept, perhaps
    for now in looks(woke, woke + LEASE + 4):
        watch.judge([one], now)
        assert not watch.to_be_taken_over(one, now, now)
    watch.judge([one], woke + LEASE + 6)
    assert watch.to_be_taken_over(one, woke + LEASE + 6, woke + LEASE + 6)


def test_who_is_dead_by_lock_or_boot_has_no_chance(watch: Watch, one: Peer, presence: Presence) -> None:
    assert watch.to_be_taken_over(replace(one, boot="another"), 0, 0)
    presence.leave(registered=True)
    assert watch.to_be_taken_over(one, 0, 0)


def test_an_idle_one_whose_file_has_gone_is_dead_after_a_lease(
    watch: Watch, one: Peer, presence: Presence
) -> None:
    idle = replace(one, holds=False)
    assert not any(watch.judge([idle], now) for now in looks(0, 10 * LEASE))
    os.unlink(presence.folder / presence.file)
    assert watch.judge([idle], 10 * LEASE + LOOK) == [idle]
    other = Watch(owners_folder(presence.folder.with_name("work.db")), "this boot")
    assert until_silent(other, idle) == LEASE


def test_one_that_was_closed_around_a_step_is_not_dead_because_its_file_has_gone(
    watch: Watch, one: Peer, presence: Presence
) -> None:
    """None of its beats is to be waited for, and its thread still runs."""
    closed = replace(one, holds=False, beat=-1)
    os.unlink(presence.folder / presence.file)
    assert not any(watch.judge([closed], now) for now in looks(0, 10 * LEASE))


def test_what_cannot_be_looked_at_is_no_missing_file(database: Path, watch: Watch) -> None:
    owners_folder(database).mkdir()
    idle = Peer(key=7, file="1-0123456789abcdef.lock", boot="this boot", beat=1, holds=False)
    (owners_folder(database) / idle.file).symlink_to("itself")
    assert not any(watch.judge([idle], now) for now in looks(0, 10 * LEASE))


def test_there_is_time_for_more_than_one_beat_in_a_lease() -> None:
    assert 2 * BEAT < LEASE
