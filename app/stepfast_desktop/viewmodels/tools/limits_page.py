"""How many run at once, as settings: of each definition and each queue of the program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from stepfast_desktop.viewmodels.format import label_text, number_text, readable
from stepfast_desktop.viewmodels.starting.kept_limits import MOST_AT_ONCE
from stepfast_desktop.viewmodels.starting.limits import Limits, most_of
from stepfast_desktop.viewmodels.tools.preferences_page import NumberField, read_number
from stepfast_desktop.viewmodels.words import known, translate

__all__ = ["Limited", "LimitsPage"]


@dataclass(frozen=True, slots=True)
class Limited:
    """What has a limit: `title` is what a person reads, `field` what is filled in."""

    title: str
    field: NumberField
    set: Callable[[int | None], None]
    get: Callable[[], int | None]


class LimitsPage:
    """A field for each definition and each queue of the program, applied as soon as it is right."""

    def __init__(self, limits: Limits) -> None:
        no_limit = translate("Settings", "no limit")
        self.definitions: list[Limited] = []
        self.queues: list[Limited] = []
        for each in limits.definitions:
            # Its own limit holds whatever is set, so that an empty field means that.
            own = each.at_once
            none = no_limit if own is None else number_text(own)
            field = NumberField(f"definition {each.name}", 1, most_of(each), own, none)
            self.definitions.append(
                Limited(
                    label_text(known(each.title)), field, partial(limits.set, each), partial(limits.of, each)
                )
            )
        for queue in limits.queues:
            field = NumberField(f"queue {queue}", 1, MOST_AT_ONCE, None, no_limit)
            self.queues.append(
                Limited(
                    translate("Settings", "Queue “{queue}”").format(queue=readable(queue)),
                    field,
                    partial(limits.set_queue, queue),
                    partial(limits.of_queue, queue),
                )
            )
        self._all = {each.field.name: each for each in (*self.definitions, *self.queues)}
        self.look()

    def look(self) -> None:
        """Show what holds now: a start may have set another limit."""
        for each in self._all.values():
            value = each.get()
            each.field.text = "" if value in (None, each.field.empty) else str(value)
            each.field.error = ""

    def number(self, name: str) -> NumberField:
        """The field of that name. Raises `KeyError`."""
        return self._all[name].field

    def write(self, name: str, text: str) -> None:
        """Somebody typed into a field."""
        each = self._all[name]
        each.field.text = text
        value, each.field.error = read_number(each.field, text)
        if not each.field.error:
            each.set(value)

    def leave(self, name: str) -> None:
        """Nothing is kept back until a field is left."""
