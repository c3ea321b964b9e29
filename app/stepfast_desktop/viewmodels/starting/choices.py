"""What there is to start: the definitions of this program, their presets, and what other programs offer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from stepfast import Definition, Registry
from stepfast.views import Offer
from stepfast_desktop.viewmodels.starting.elsewhere import Elsewhere, UnreadableForm, elsewhere, one_line
from stepfast_desktop.viewmodels.starting.presets import Presets
from stepfast_desktop.viewmodels.words import known, translate

__all__ = ["Card", "Choice", "Choices", "sentence"]


class Card(NamedTuple):
    """A task as an empty table shows it; with the title of a preset, that."""

    name: str
    title: str
    summary: str
    preset: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person may choose: a definition, or a `preset` of it by its title.

    `refusal` says why it cannot be started, where it cannot.
    """

    name: str
    title: str
    summary: str
    refusal: str = ""
    preset: str = ""

    @property
    def findable(self) -> str:
        """What a search looks through."""
        return f"{self.name} {self.title} {self.summary}".casefold()


class Choices:
    """Lists them; `all` is what there is, definitions in their order, each before its presets."""

    def __init__(self, registry: Registry, presets: Presets) -> None:
        # Of several versions the newest, which is what one starts.
        newest = {each.name: each for each in sorted(registry, key=lambda each: each.version)}
        self._here = {each.name: newest[each.name] for each in registry}
        self._presets = presets
        self._elsewhere: dict[str, Elsewhere] = {}
        self._others: list[Choice] = []
        self.all: tuple[Choice, ...] = ()
        self.renew()

    @property
    def cards(self) -> list[Card]:
        """All that can be started."""
        return [
            Card(each.name, each.title, each.summary, each.preset) for each in self.all if not each.refusal
        ]

    @property
    def names_here(self) -> list[str]:
        """The names of the definitions of this program."""
        return [*self._here]

    def here(self, name: str) -> Definition[..., Any] | None:
        """The definition of that name, if it is this program's."""
        return self._here.get(name)

    def elsewhere(self, name: str) -> Elsewhere | None:
        """The definition of that name, if it is another program's and has a form."""
        return self._elsewhere.get(name)

    def renew(self) -> None:
        """Make `all` anew: presets may have changed."""
        own = [
            Choice(each.name, known(each.title), known(sentence(each.summary)))
            for each in self._here.values()
        ]
        found: list[Choice] = []
        for each in [*own, *self._others]:
            found.append(each)
            if not each.refusal:
                of = translate("NewWorkflow", "A preset of “{title}”").format(title=each.title)
                found += [Choice(each.name, title, of, "", title) for title in self._presets.of(each.name)]
        self.all = tuple(found)

    def read(self, offers: Iterable[Offer]) -> list[str]:
        """Take what other programs offer by now; returns the names of those whose forms are not what they
        were."""
        newest = {each.name: each for each in sorted(offers, key=lambda each: each.version)}
        others = [each for name, each in newest.items() if name not in self._here]
        before, self._elsewhere, self._others = self._elsewhere, {}, []
        other_forms = []
        for offer in sorted(others, key=lambda each: (each.title, each.name)):
            title = known(one_line(offer.title)) or offer.name
            summary = translate("NewWorkflow", "Runs in another program that is open.")
            try:
                made = elsewhere(offer)
            except UnreadableForm:
                reason = translate(
                    "NewWorkflow",
                    "It runs in another program, in a form that cannot be shown here. Start it there.",
                )
                self._others.append(Choice(offer.name, title, summary, reason))
                continue
            if offer.name in before and _alike(before[offer.name], made):
                made = before[offer.name]  # and what was typed into its form stays
            else:
                other_forms.append(offer.name)
            self._elsewhere[offer.name] = made
            self._others.append(Choice(offer.name, title, summary))
        self.renew()
        return [*other_forms, *(before.keys() - self._elsewhere.keys())]


def _alike(one: Elsewhere, other: Elsewhere) -> bool:
    """Do both ask for the same? (Enums made of one schema twice are two types, so not by `==`.)"""

    def told(each: Elsewhere) -> list[object]:
        return [each.name, each.version, *((p.name, p.required, p.words, p.title) for p in each.parameters)]

    return told(one) == told(other)


def sentence(summary: str) -> str:
    """A docstring's first paragraph without its marks for code, which nobody outside of code knows."""
    return re.sub(r"`+([^`]*)`+", r"\1", summary)
