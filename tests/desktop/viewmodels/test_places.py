"""Where rows stand, of as many as are asked for."""

from __future__ import annotations

import random
from array import array

import pytest

from stepfast_desktop.viewmodels.table.places import Places

KEYS = array("q", random.Random(3).sample(range(1, 5000), 2000))


@pytest.mark.parametrize("few", [1, 3, 4, 5, 700])
async def test_rows_are_found_one_by_one_and_many_at_once(few: int) -> None:
    places = Places()
    places.put(KEYS, {})
    asked = {*KEYS[-few:], 6000}
    assert places.among(asked) == {key: 2000 - few + at for at, key in enumerate(KEYS[-few:])}
    assert [*places.among(asked)] == [*KEYS[-few:]], "from above"
    for key in asked:
        assert places.index(key) == (None if key == 6000 else KEYS.index(key))


async def test_what_is_known_is_known_until_the_keys_are_others() -> None:
    places = Places()
    places.put(KEYS, await places.read(KEYS, {KEYS[7], 6000}))
    assert (places.known(KEYS[7]), places.known(6000), places.known(KEYS[8])) == (7, "nowhere", "unknown")
    places.put(KEYS, await places.read(KEYS, {KEYS[7], KEYS[8]}))
    assert (places.known(KEYS[7]), places.known(KEYS[8])) == (7, 8)
    others = KEYS[1:]
    places.put(others, await places.read(others, {KEYS[0], KEYS[7]}))
    assert (places.known(KEYS[0]), places.known(KEYS[7]), places.known(KEYS[8])) == ("nowhere", 6, "unknown")
    assert places.index(KEYS[8]) == 7


async def test_a_row_that_is_painted_has_a_place_from_then_on() -> None:
    places = Places()
    places.put(KEYS, {})
    places.see(KEYS[11], 11)
    assert places.known(KEYS[11]) == 11
