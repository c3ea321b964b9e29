"""What a person prefers: each value with its default, kept as soon as it is set, and told to who goes by it.

Kept where the settings of the data folder are (`settings.py` says where). A value there that is none of those
allowed is as good as none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from stepfast_desktop.viewmodels.events import Event

__all__ = ["MOST_RUNNING", "PREFERENCES", "Kept", "Preference", "Preferences", "preferred"]

MOST_RUNNING = 256
"""Workflows that run at once in one program, where a person has not said fewer."""


class Kept(Protocol):
    """Where values are kept, by name: `settings.Settings`."""

    def get(self, name: str) -> Any: ...

    def put(self, name: str, value: Any) -> None: ...


@dataclass(frozen=True, slots=True)
class Preference:
    """One of them; `allows` says of a JSON value whether it may be its value."""

    name: str
    default: Any
    allows: Callable[[Any], bool]


def _one_of(*values: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in values


def _yes_or_no(value: Any) -> bool:
    return isinstance(value, bool)


def _whole(least: int, most: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


PREFERENCES: dict[str, Preference] = {
    each.name: each
    for each in (
        # How it looks and speaks.
        Preference("appearance", "system", _one_of("system", "light", "dark")),
        Preference("language", "", _one_of("", "en", "de", "zh_CN")),  # "": the system's
        Preference("sidebar", True, _yes_or_no),
        # Closing the window: quit, hide where there is a tray, or hand over to a worker without a window.
        Preference("closing", "quit", _one_of("quit", "hide", "background")),
        Preference("tray", True, _yes_or_no),
        # What is said only once: that what runs is parked when one quits, and that it could start by itself.
        Preference("told_parked", False, _yes_or_no),
        Preference("offered_login_start", False, _yes_or_no),
        # Quit, and some step had not let go: that it ended without warning would be wrong the next time.
        Preference("quit_in_a_step", False, _yes_or_no),
        # Notifications, each kind by itself; a long one is one that took at least so many minutes.
        Preference("notify_failed", True, _yes_or_no),
        Preference("notify_question", True, _yes_or_no),
        Preference("notify_finished", True, _yes_or_no),
        Preference("long_minutes", 5, _whole(0, 1440)),
        # When the system may not sleep by itself because something runs.
        Preference("keep_awake", "mains", _one_of("never", "mains", "always")),
        # How many workflows run at once in one program; 0 for as many as it can.
        Preference("at_once", 0, _whole(0, MOST_RUNNING)),
        # Megabytes a second that all copying together may move; 0 for no limit.
        Preference("speed_limit", 0, _whole(0, 1_000_000)),
        Preference("log_level", "info", _one_of("debug", "info", "warning", "error")),
    )
}


def preferred(kept: Kept, name: str) -> Any:
    """The value that is kept of one, as it is now; its default where there is none."""
    preference = PREFERENCES[name]
    value = kept.get(name)
    return value if value is not None and preference.allows(value) else preference.default


class Preferences:
    """The preferences of one data folder. `changed` is told the name of each that got another value."""

    def __init__(self, kept: Kept) -> None:
        self.changed: Event[[str]] = Event()
        self._kept = kept
        self._values: dict[str, Any] = {name: preferred(kept, name) for name in PREFERENCES}

    @property
    def kept(self) -> Kept:
        """Where they are kept, for what else of a window is to be kept beside them."""
        return self._kept

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def set(self, name: str, value: Any) -> None:
        """Prefer this from now on, the next time the program starts too.

        Raises:
            ValueError: it is none of the values that are allowed.
        """
        if not PREFERENCES[name].allows(value):
            raise ValueError(f"{value!r} is no value of {name}")
        if value != self._values[name]:
            self._values[name] = value
            self._kept.put(name, value)
            self.changed.emit(name)
