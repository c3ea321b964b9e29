"""A selection of some keys, or of all but some."""

from __future__ import annotations

from array import array

from stepfast_desktop.viewmodels.table.selection import Selection

KEYS = array("q", [5, 4, 3, 2, 1])


def test_some_keys_are_selected_in_the_order_of_the_table() -> None:
    selection = Selection()
    selection.replace([1, 4])
    selection.add([3])
    selection.take_away([4])
    assert selection.among(KEYS) == [3, 1]
    assert selection.count(5) == 2
    assert selection.has(3) and not selection.has(4)


def test_everything_is_selected_but_for_exceptions_and_what_comes_later_too() -> None:
    selection = Selection()
    selection.select_all()
    selection.take_away([4])
    assert selection.everything
    assert selection.among(KEYS) == [5, 3, 2, 1]
    assert (selection.exceptions, selection.chosen) == ({4}, frozenset())
    assert selection.count(5) == 4
    assert selection.has(99)
    selection.add([4])
    assert selection.count(5) == 5


def test_a_new_choice_ends_selecting_everything() -> None:
    selection = Selection()
    selection.select_all()
    selection.replace([2])
    assert not selection.everything
    assert selection.among(KEYS) == [2]
    assert (selection.exceptions, selection.chosen) == (frozenset(), {2})
    selection.clear()
    assert selection.count(5) == 0
