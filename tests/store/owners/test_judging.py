"""Who is dead: signs of life of processes that are really killed, stopped and forked; the clock is ours."""

from __future__ import annotations

import select
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from children import Starter, hears, kill
from presences import PRESENT, make_old, peer, seconds, stop, watching

from stepfast.sqlite.engines.owners import (
    BEAT,
    GAP,
    LEASE,
    Presence,
    owners_folder,
    take_out,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks, and kills with POSIX signals")


# The judgement by boot and lock


def test_a_killed_owner_is_dead_at_the_first_look_and_a_living_one_is_not(
    start: Starter, database: Path
) -> None:
    living, killed = start(PRESENT), start(PRESENT)
    peers = [replace(peer(hears(living)), key=1), replace(peer(hears(killed)), key=2)]
    watch = watching(database)
    assert watch.judge(peers, 0.0) == []
    kill(killed)
    assert watch.judge(peers, 1.0) == [peers[1]]
    assert watching(database).judge(peers, 1.0) == [peers[1]]
    assert watch.still_dead(peers[1]) and not watch.still_dead(peers[0])


def test_an_owner_of_another_boot_is_dead_whatever_became_of_its_file(database: Path) -> None:
    presence = Presence(database)
    watch = watching(database)
    held, missing = peer(presence.file, boot="an earlier one"), peer("1-0123456789abcdef.lock", boot="before")
    assert watch.judge([held, missing], 0.0) == [held, missing]
    assert watch.still_dead(held) and watch.still_dead(missing)
    presence.leave()


def test_a_boot_that_is_not_known_is_never_another_one(database: Path) -> None:
    presence = Presence(database)
    assert watching(database, boot="").judge([peer(presence.file, boot="some")], 0.0) == []
    assert watching(database, boot="some").judge([peer(presence.file, boot="")], 0.0) == []
    assert watching(database, boot="").judge([peer(presence.file, boot="")], 0.0) == []
    presence.leave()


def test_an_owner_whose_forked_child_lives_on_is_dead(start: Starter, database: Path) -> None:
    script = """
presence = Presence(database)
if os.fork():
    signal.pause()
say(presence.file)
signal.pause()
"""
    process = start(script)
    one = peer(hears(process))
    watch = watching(database)
    assert watch.judge([one], 0.0) == []
    kill(process)
    assert watch.judge([one], 1.0) == [one]
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], 0)[0] == []  # the child still has it


def test_an_owner_whose_pool_was_forked_and_lives_on_is_dead(start: Starter, database: Path) -> None:
    script = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
presence = Presence(database)
context = multiprocessing.get_context("fork")
pool = ProcessPoolExecutor(2, context, initializer=say, initargs=[presence.file])
list(pool.map(abs, range(4)))
signal.pause()
"""
    process = start(script)
    one = peer(hears(process))
    assert hears(process) == one.file  # the other worker runs too
    kill(process)
    assert watching(database).judge([one], 0.0) == [one]
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], 0)[0] == []  # idle workers still have it


def test_a_row_that_names_a_path_of_its_own_is_neither_opened_nor_believed(database: Path) -> None:
    owners_folder(database).mkdir()
    thesis = database.parent / "thesis.lock"
    thesis.touch()
    make_old(thesis)
    inside = owners_folder(database) / "notes.lock"
    inside.touch()
    made_up = [peer("../thesis.lock"), peer(str(thesis)), peer("notes.lock"), peer(""), peer("1-\n.lock")]
    watch = watching(database)
    assert watch.judge(made_up, 0.0) == []
    for one in made_up:
        take_out(owners_folder(database), one.file)
    assert thesis.exists() and inside.exists()


def test_a_file_that_cannot_be_looked_at_leaves_it_to_the_lease(database: Path) -> None:
    owners_folder(database).mkdir()
    one = peer("1-0123456789abcdef.lock")
    (owners_folder(database) / one.file).symlink_to("itself")
    watch = watching(database)
    assert next(now for now in seconds(0, 70) if watch.judge([one], now)) == LEASE


# The judgement by lease


def test_a_stopped_owner_is_dead_after_a_lease_and_alive_again_once_its_beat_moves(
    start: Starter, database: Path
) -> None:
    process = start(PRESENT)
    one = peer(hears(process))
    stop(process)
    watch = watching(database)
    assert next(now for now in seconds(100, 200) if watch.judge([one], now)) == 100 + LEASE
    assert watch.still_dead(one)
    process.send_signal(signal.SIGCONT)
    woken = replace(one, beat=one.beat + 1)
    assert not watch.still_dead(woken)
    assert watch.judge([woken], 201.0) == []
    assert not watch.still_dead(one)


def test_an_owner_whose_beat_moves_is_never_dead(database: Path) -> None:
    presence = Presence(database)
    watch = watching(database)
    for now in seconds(0, 3_600):
        assert watch.judge([peer(presence.file, beat=int(now / BEAT))], now) == []
    presence.leave()


def test_an_owner_without_claims_owes_no_beats_and_its_lease_begins_with_its_first_claim(
    start: Starter, database: Path
) -> None:
    process = start(PRESENT)
    holding = peer(hears(process))
    idle = replace(holding, holds=False)
    watch = watching(database)
    assert not any(watch.judge([idle], now) for now in seconds(0, 600))
    assert next(now for now in seconds(601, 700) if watch.judge([holding], now)) == 601 + LEASE
    kill(process)
    assert watching(database).judge([idle], 0.0) == [idle]


def test_where_a_cleaner_took_the_file_only_the_lease_decides(start: Starter, database: Path) -> None:
    process = start(PRESENT)
    one = peer(hears(process))
    (owners_folder(database) / one.file).unlink()
    watch = watching(database)
    for now in seconds(0, 300):
        assert watch.judge([replace(one, beat=int(now / BEAT))], now) == []
    owners_folder(database).rmdir()
    silent = replace(one, beat=1_000)
    assert next(now for now in seconds(301, 400) if watch.judge([silent], now)) == 301 + LEASE
    assert watch.still_dead(silent)
    assert not watch.still_dead(replace(silent, beat=1_001))


def test_a_time_in_which_nobody_watched_does_not_count(database: Path) -> None:
    presence = Presence(database)
    one = peer(presence.file)
    watch = watching(database)
    assert not any(watch.judge([one], now) for now in seconds(0, 59))
    # A day's sleep, of us or of the machine; then nearly a lease, and our own suspension for a moment.
    assert not any(watch.judge([one], now) for now in seconds(86_400, 86_459))
    assert not any(watch.judge([one], now) for now in seconds(86_459 + GAP + 0.1, 86_459 + 69))
    assert watch.judge([one], 86_459 + GAP + 0.1 + 60) == [one]
    presence.leave()


def test_looks_with_less_than_a_gap_between_them_are_watching(database: Path) -> None:
    presence = Presence(database)
    one = peer(presence.file)
    watch = watching(database)
    assert [watch.judge([one], now * GAP) for now in range(7)] == [[]] * 6 + [[one]]
    presence.leave()


def test_a_clock_that_went_back_was_not_watched(database: Path) -> None:
    presence = Presence(database)
    one = peer(presence.file)
    watch = watching(database)
    watch.judge([one], 1_000.0)
    assert next(now for now in seconds(0, 100) if watch.judge([one], now)) == LEASE
    presence.leave()


def test_a_peer_that_was_gone_meanwhile_is_watched_anew(database: Path) -> None:
    presence = Presence(database)
    one = peer(presence.file)
    watch = watching(database)
    assert not any(watch.judge([one], now) for now in seconds(0, 59))
    assert watch.judge([], 59.5) == []
    assert next(now for now in seconds(60, 200) if watch.judge([one], now)) == 60 + LEASE
    assert watch.judge([], 201.0) == []
    assert not watch.still_dead(one)
    presence.leave()
