"""Inputs that are kept: what was started last, of each definition, and what a person saved under a name.

Kept with the settings of the data folder, by definition and by the names of the parameters, so that what a
definition of another day still knows can be filled in. Nothing that is secret is ever handed to this.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from stepfast.errors import StepfastError
from stepfast.values.codec import decode, encode
from stepfast.values.plain import lower
from stepfast_desktop.viewmodels.preferences import Kept

__all__ = ["Presets", "Remembered"]

LAST = "last_values"
PRESETS = "presets"

OF_ITS_DAY = ("date", "datetime")
"""Kinds of fields whose last value says nothing about the next one."""

Input = dict[str, object]


class Remembered:
    """A `Kept` that keeps nothing beyond its own life: for a window without settings."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        return self._values.get(name)

    def put(self, name: str, value: Any) -> None:
        self._values[name] = value


class Presets:
    """What is kept of the inputs of each definition, which is given by its name."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._last = _named(kept.get(LAST))
        self._presets = {name: _named(each) for name, each in _named(kept.get(PRESETS)).items()}

    def last(self, name: str) -> Input:
        """The values that one was started with last, by parameter; empty where there are none."""
        return _read(self._last.get(name))

    def remember(self, name: str, values: Mapping[str, object]) -> None:
        """One was started with these values."""
        if (written := _written(values)) != self._last.get(name):
            self._last[name] = written
            self._kept.put(LAST, self._last)

    def of(self, name: str) -> list[str]:
        """The titles of the presets of a definition, in the order of the alphabet."""
        return sorted(self._presets.get(name, {}), key=str.casefold)

    def values(self, name: str, title: str) -> Input:
        """The values of a preset. Raises `KeyError`."""
        return _read(self._presets[name][title])

    def save(self, name: str, title: str, values: Mapping[str, object]) -> None:
        """Keep a preset, in the place of one of that title."""
        self._presets.setdefault(name, {})[title] = _written(values)
        self._keep()

    def rename(self, name: str, title: str, to: str) -> None:
        """Give a preset another title, in the place of one that has it. Raises `KeyError`."""
        mine = self._presets[name]
        mine[to] = mine.pop(title)
        self._keep()

    def delete(self, name: str, title: str) -> None:
        """Keep a preset no more. Raises `KeyError`."""
        del self._presets[name][title]
        self._keep()

    def _keep(self) -> None:
        self._kept.put(PRESETS, {name: mine for name, mine in self._presets.items() if mine})


def _written(values: Mapping[str, object]) -> dict[str, Any]:
    """As plain JSON, with the codec's tags."""
    found = {}
    for name, value in values.items():
        with suppress(StepfastError):  # what cannot be written is filled in again by hand
            found[name] = json.loads(encode(lower(value), about=f"the input {name!r}"))
    return found


def _read(written: object) -> Input:
    found: Input = {}
    for name, value in _named(written).items():
        with suppress(StepfastError):
            found[name] = decode(json.dumps(value), about=f"the kept input {name!r}")
    return found


def _named(value: object) -> dict[str, Any]:
    """What is in the settings, where it is what was put there."""
    return dict(value) if isinstance(value, dict) else {}
