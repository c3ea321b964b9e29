"""The settings as a person sees them: each with its title and what is wrong with what was typed.

Each is applied as soon as it is right. What does not do is said beside the field, and changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from stepfast import Retention
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.format import number_text
from stepfast_desktop.viewmodels.preferences import MOST_RUNNING, Kept, Preferences
from stepfast_desktop.viewmodels.words import translate

__all__ = ["Choice", "LoginStart", "NumberField", "PreferencesPage", "read_number"]

DAYS, KEEP = "retention_days", "retention_keep"


class LoginStart(Protocol):
    """Whether the program starts when this person logs in."""

    def is_on(self) -> bool: ...

    def turn(self, on: bool, /) -> object:
        """Raises `OSError` or `StepfastError` where that cannot be."""


class Finished(Protocol):
    """What goes by the retention: an `Engine`."""

    retention: Retention


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a setting, and what it is called."""

    value: str
    label: str


@dataclass(slots=True)
class NumberField:
    """A whole number. Empty, it is `empty`: no limit.

    Attributes:
        text: what is in the field.
        error: what is wrong with that; empty where nothing is.
        none: what an empty field means, in words.
    """

    name: str
    least: int
    most: int
    empty: int | None
    none: str
    text: str = ""
    error: str = ""


class PreferencesPage:
    """All settings of a window.

    Args:
        preferences: where most of them are kept.
        kept: where "retention" is.
        finished: what the retention is set of at once; None where nothing works.
        login: None where the system has no way to start a program at login.
    """

    def __init__(
        self, preferences: Preferences, kept: Kept, finished: Finished, login: LoginStart | None = None
    ) -> None:
        self.changed: Event[[]] = Event()
        self.login_turned: Event[[]] = Event()
        """Starting at login was turned on or off, or could not be."""
        self._preferences = preferences
        self._kept = kept
        self._finished = finished
        self._login = login
        self._written: set[str] = set()
        self._language = preferences["language"]
        self.login_on: bool | None = None
        """Whether the program starts at login; None where that is not known (yet)."""
        self.login_error = ""
        no_limit, everything = translate("Settings", "no limit"), translate("Settings", "keep all")
        retention = finished.retention
        days = None if retention.age is None else max(1, round(retention.age / timedelta(days=1)))
        self._numbers = {
            each.name: each
            for each in (
                NumberField("at_once", 1, MOST_RUNNING, 0, no_limit),
                NumberField("speed_limit", 1, 1_000_000, 0, no_limit),
                NumberField("long_minutes", 0, 1440, None, ""),
                NumberField(DAYS, 1, 36_500, 0, everything),
                NumberField(KEEP, 0, 100_000_000, None, everything),
            )
        }
        for name in ("at_once", "speed_limit", "long_minutes"):
            self._fill(name, preferences[name])
        self._fill(DAYS, days)
        self._fill(KEEP, retention.keep)

    # --- reading ----------------------------------------------------------------------------------

    def number(self, name: str) -> NumberField:
        """A field for a number. Raises `KeyError`."""
        return self._numbers[name]

    def value(self, name: str) -> object:
        """What is chosen or ticked."""
        return self._preferences[name]

    def choices(self, name: str) -> list[Choice]:
        """What may be chosen. Raises `KeyError` for what is no choice."""
        return _choices()[name]

    @property
    def language_note(self) -> str:
        """Said beside the language: it is spoken from the next start on."""
        if self._preferences["language"] == self._language:
            return ""
        return translate("Settings", "Stepfast speaks it from its next start on.")

    @property
    def has_login(self) -> bool:
        """Can the system start the program at login?"""
        return self._login is not None

    # --- what a person does -----------------------------------------------------------------------

    def write(self, name: str, text: str) -> None:
        """Something was typed into the field of a number.

        What is kept changes only when the field is left: on the way to 180 a person types 1, and what is
        deleted by that is gone.
        """
        field = self._numbers[name]
        field.text = text
        self._written.add(name)
        value, field.error = read_number(field, text)
        if not field.error and name not in (DAYS, KEEP):
            self._preferences.set(name, value)
        self.changed.emit()

    def leave(self, name: str) -> None:
        """A person is done with the field of a number."""
        field = self._numbers[name]
        value, wrong = read_number(field, field.text)
        if not wrong and name in (DAYS, KEEP) and name in self._written:
            self._keep(name, value)
        self._written.discard(name)

    def choose(self, name: str, value: object) -> None:
        """Something was chosen or ticked."""
        self._preferences.set(name, value)
        self.changed.emit()

    async def look_at_login(self) -> None:
        """See whether the program starts at login."""
        await self._with_login(lambda _login: None)

    async def turn_login(self, on: bool) -> None:
        """Start at login, or not any more."""
        await self._with_login(lambda login: login.turn(on))
        if not self.login_error:
            self._preferences.set("offered_login_start", True)
        self.login_turned.emit()

    async def _with_login(self, do: Callable[[LoginStart], object]) -> None:
        login = self._login
        if login is None:
            return

        def work() -> bool:
            do(login)
            return login.is_on()

        self.login_error = ""
        try:
            self.login_on = await asyncio.to_thread(work)
        except Exception as error:  # of the system's own tools, of whatever kind
            text = translate("Settings", "That could not be changed: {reason}")
            self.login_error = text.format(reason=str(error) or type(error).__name__)
        self.changed.emit()

    # --- details ----------------------------------------------------------------------------------

    def _fill(self, name: str, value: int | None) -> None:
        field = self._numbers[name]
        field.text = "" if value is None or value == field.empty else str(value)

    def _keep(self, name: str, value: int | None) -> None:
        before = self._finished.retention
        age, keep = before.age, before.keep
        if name == DAYS:
            age = timedelta(days=value) if value else None
        else:
            keep = value
        if (age, keep) != (before.age, before.keep):
            self._finished.retention = Retention(age, keep, before.removed_after)
            days = None if age is None else age / timedelta(days=1)
            self._kept.put("retention", {"days": days, "keep": keep})


def read_number(field: NumberField, text: str) -> tuple[int | None, str]:
    """The number that is meant by a text in a field, or what is wrong with it."""
    typed = text.strip().replace("\u202f", "").replace("\u00a0", "")
    if not typed and field.none:
        return field.empty, ""
    least, most = number_text(field.least), number_text(field.most)
    wrong = translate("Settings", "A whole number from {least} to {most}").format(least=least, most=most)
    if field.none:
        wrong = translate("Settings", "{number}, or nothing: {none}").format(number=wrong, none=field.none)
    if not typed.isdecimal() or len(typed) > 12 or not field.least <= int(typed) <= field.most:
        return None, wrong
    return int(typed), ""


def _choices() -> dict[str, list[Choice]]:
    return {
        "appearance": [
            Choice("system", translate("Settings", "As the system")),
            Choice("light", translate("Settings", "Light")),
            Choice("dark", translate("Settings", "Dark")),
        ],
        # Each in its own language, so that whoever chose a wrong one finds the way back.
        "language": [
            Choice("", translate("Settings", "As the system")),
            Choice("en", "English"),
            Choice("de", "Deutsch"),
            Choice("zh_CN", "简体中文"),
        ],
        "closing": [
            Choice("quit", translate("Settings", "Quit; what runs carries on the next time")),
            Choice("hide", translate("Settings", "Hide the window, and go on")),
            Choice("background", translate("Settings", "Go on in the background, without a window")),
        ],
        "keep_awake": [
            Choice("never", translate("Settings", "Never")),
            Choice("mains", translate("Settings", "While on mains power")),
            Choice("always", translate("Settings", "Always, on battery too")),
        ],
        "log_level": [
            Choice("error", translate("Settings", "Errors")),
            Choice("warning", translate("Settings", "Warnings")),
            Choice("info", translate("Settings", "What happens")),
            Choice("debug", translate("Settings", "Everything")),
        ],
    }
