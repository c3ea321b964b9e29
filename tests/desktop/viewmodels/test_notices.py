"""The notices of a window: which are shown, in which order, and what closes them."""

from __future__ import annotations

from stepfast_desktop.viewmodels.notices import Notice, Notices, severity_name


def keys(notices: Notices) -> list[str]:
    return [each.key for each in notices.shown]


def test_the_gravest_come_first_and_equals_in_the_order_in_which_they_came() -> None:
    notices = Notices()
    for key, severity in (("a", "info"), ("b", "error"), ("c", "warning"), ("d", "info"), ("e", "error")):
        notices.show(Notice(key, key, severity=severity))  # type: ignore[arg-type]
    assert keys(notices) == ["b", "e", "c", "a", "d"]


def test_one_of_the_same_key_takes_the_place_of_the_other() -> None:
    notices = Notices()
    notices.show(Notice("a", "In 60 seconds"))
    notices.show(Notice("b", "Something else"))
    notices.show(Notice("a", "In 59 seconds"))
    assert [each.text for each in notices.shown] == ["In 59 seconds", "Something else"]


def test_a_change_is_told_and_what_changes_nothing_is_not() -> None:
    notices, told = Notices(), []
    stop = notices.changed.connect(lambda: told.append(keys(notices)))
    notices.show(Notice("a", "x"))
    notices.show(Notice("a", "x"))
    notices.hide("none such")
    notices.hide("a")
    stop()
    notices.show(Notice("b", "x"))
    assert told == [["a"], []]


def test_a_pressed_button_does_what_it_says_once_the_notice_is_gone() -> None:
    notices, seen = Notices(), []
    notices.show(
        Notice("a", "x", buttons=(("No", lambda: None), ("Show", lambda: seen.append("a" in notices))))
    )
    notices.press("a", 1)
    notices.press("a", 1)  # a second click on its way
    assert seen == [False]


def test_a_button_may_show_another_under_the_same_key() -> None:
    notices = Notices()
    notices.show(Notice("a", "x", buttons=(("Again", lambda: notices.show(Notice("a", "y"))),)))
    notices.press("a", 0)
    assert [each.text for each in notices.shown] == ["y"]


def test_one_that_stays_goes_only_with_its_cause() -> None:
    notices, pressed = Notices(), []
    notices.show(Notice("full", "x", buttons=(("Try", lambda: pressed.append(1)),), stays=True))
    notices.close("full")
    notices.press("full", 0)
    assert keys(notices) == ["full"] and pressed == [1]
    notices.hide("full")
    assert keys(notices) == []


def test_who_shows_one_is_told_that_a_person_closed_it() -> None:
    notices, closed = Notices(), []
    notices.show(Notice("a", "x", closed=lambda: closed.append("a")))
    notices.show(Notice("b", "x", closed=lambda: closed.append("b")))
    notices.close("a")
    notices.hide("b")
    assert closed == ["a"]


def test_each_severity_has_a_name() -> None:
    assert [severity_name(each) for each in ("info", "warning", "error")] == ["Notice", "Warning", "Error"]
