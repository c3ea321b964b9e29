"""The settings as a person sees them: applied at once where they do, and said beside the field where not."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from stepfast import Retention
from stepfast_desktop.settings import RETENTION, Settings
from stepfast_desktop.viewmodels.preferences import PREFERENCES, Preferences
from stepfast_desktop.viewmodels.tools.preferences_page import PreferencesPage


class Works:
    """What the retention is set of."""

    def __init__(self, retention: Retention = RETENTION) -> None:
        self.retention = retention


class Login:
    """A system that starts programs at login, until it does not let itself be told."""

    def __init__(self) -> None:
        self.on = False
        self.wrong: Exception | None = None

    def is_on(self) -> bool:
        return self.on

    def turn(self, on: bool) -> None:
        if self.wrong is not None:
            raise self.wrong
        self.on = on


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path, tmp_path / "settings.json")


@pytest.fixture
def preferences(settings: Settings) -> Preferences:
    return Preferences(settings)


@pytest.fixture
def works() -> Works:
    return Works()


@pytest.fixture
def page(settings: Settings, preferences: Preferences, works: Works) -> PreferencesPage:
    return PreferencesPage(preferences, settings, works)


@pytest.mark.parametrize(
    ("name", "typed", "meant"),
    [
        ("speed_limit", "20", 20),
        ("speed_limit", " 20 ", 20),
        ("speed_limit", "", 0),
        ("at_once", "3", 3),
        ("at_once", "", 0),
        ("long_minutes", "0", 0),
    ],
)
def test_a_number_counts_as_soon_as_it_is_right(
    page: PreferencesPage, preferences: Preferences, settings: Settings, name: str, typed: str, meant: int
) -> None:
    preferences.set(name, 7)
    page.write(name, typed)
    assert (preferences[name], page.number(name).error) == (meant, "")
    assert Preferences(settings)[name] == meant


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("speed_limit", "fast", "A whole number from 1 to 1,000,000, or nothing: no limit"),
        ("speed_limit", "1.5", "A whole number"),
        ("speed_limit", "-3", "A whole number"),
        ("at_once", "257", "from 1 to 256"),
        ("at_once", "9" * 400, "from 1 to 256"),
        ("long_minutes", "", "A whole number from 0 to 1,440"),
        ("retention_days", "0", "or nothing: keep all"),
        ("retention_keep", "many", "or nothing: keep all"),
    ],
)
def test_what_does_not_do_is_said_and_changes_nothing(
    page: PreferencesPage, preferences: Preferences, works: Works, name: str, typed: str, said: str
) -> None:
    before = {each: preferences[each] for each in PREFERENCES}
    told: list[str] = []
    page.changed.connect(lambda: told.append(page.number(name).error))
    page.write(name, typed)
    assert said in told[-1]
    assert {each: preferences[each] for each in PREFERENCES} == before and works.retention == RETENTION
    page.leave(name)
    assert {each: preferences[each] for each in PREFERENCES} == before and works.retention == RETENTION
    page.write(name, "5")
    assert page.number(name).error == ""


def test_the_retention_is_set_once_its_field_is_left_and_kept(
    page: PreferencesPage, works: Works, settings: Settings
) -> None:
    assert (page.number("retention_days").text, page.number("retention_keep").text) == ("180", "100000")
    page.write("retention_days", "3")
    page.write("retention_days", "30")
    assert works.retention == RETENTION  # on the way there, nothing is deleted
    page.leave("retention_days")
    assert works.retention == Retention(timedelta(days=30), 100_000) == settings.retention
    page.write("retention_keep", "0")
    page.leave("retention_keep")
    assert works.retention == Retention(timedelta(days=30), 0) == settings.retention
    for name in ("retention_days", "retention_keep"):
        page.write(name, "")
        page.leave(name)
    assert works.retention == Retention() == settings.retention


def test_what_nobody_touched_stays_as_exact_as_it_was(preferences: Preferences, settings: Settings) -> None:
    works = Works(Retention(timedelta(hours=12), None))
    page = PreferencesPage(preferences, settings, works)
    assert page.number("retention_days").text == "1"
    page.leave("retention_days")
    assert works.retention.age == timedelta(hours=12)


def test_everything_that_is_kept_shows_as_nothing_in_the_field(
    preferences: Preferences, settings: Settings
) -> None:
    page = PreferencesPage(preferences, settings, Works(Retention()))
    assert page.number("retention_days").text == page.number("retention_keep").text == ""


def test_each_choice_is_one_that_is_allowed(page: PreferencesPage, preferences: Preferences) -> None:
    for name in ("appearance", "language", "closing", "keep_awake", "log_level"):
        for choice in page.choices(name):
            page.choose(name, choice.value)
            assert page.value(name) == preferences[name] == choice.value and choice.label


def test_the_language_is_said_to_come_with_the_next_start(page: PreferencesPage) -> None:
    assert page.language_note == ""
    page.choose("language", "de")
    assert "next start" in page.language_note
    page.choose("language", "")
    assert page.language_note == ""


async def test_starting_at_login_is_turned_on_and_off(preferences: Preferences, settings: Settings) -> None:
    login = Login()
    page = PreferencesPage(preferences, settings, Works(), login)
    assert page.has_login and page.login_on is None
    await page.look_at_login()
    assert page.login_on is False
    await page.turn_login(True)
    assert page.login_on is True and login.on
    login.wrong = OSError("the folder is read-only")
    await page.turn_login(False)
    assert page.login_on is True and "the folder is read-only" in page.login_error
    login.wrong = None
    await page.turn_login(False)
    assert page.login_on is False and page.login_error == ""


async def test_where_the_system_cannot_nothing_is_offered(page: PreferencesPage) -> None:
    await page.look_at_login()
    assert not page.has_login and page.login_on is None
