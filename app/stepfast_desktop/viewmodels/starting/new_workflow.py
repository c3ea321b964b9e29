"""Starting a workflow: what there is to start, its form, and what is dropped on the window.

What this program has comes first, in its own order, each with the presets that a person saved of it. What
only other programs offer is started there: its form is made from the schema they publish (`elsewhere`), and
the file carries the input to them. Where a form cannot be made of that, it is listed with the reason and
cannot be started.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from stepfast import AlreadyStarted, Definition, Engine, Handle, Request
from stepfast.errors import StepfastError
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.format import readable, time_text
from stepfast_desktop.viewmodels.preferences import Kept
from stepfast_desktop.viewmodels.starting.choices import Card, Choice, Choices
from stepfast_desktop.viewmodels.starting.dropped import fitting, kind_of, refusal
from stepfast_desktop.viewmodels.starting.elsewhere import Posted
from stepfast_desktop.viewmodels.starting.fields import Wants
from stepfast_desktop.viewmodels.starting.form import Asking, FormViewModel
from stepfast_desktop.viewmodels.starting.limits import Limits
from stepfast_desktop.viewmodels.starting.naming import made_up
from stepfast_desktop.viewmodels.starting.presets import OF_ITS_DAY, Presets, Remembered
from stepfast_desktop.viewmodels.starting.start_options import StartOptions
from stepfast_desktop.viewmodels.starting.there import looking_at
from stepfast_desktop.viewmodels.words import listed, translate

__all__ = ["Card", "Choice", "NewWorkflowViewModel"]

AnyForm = FormViewModel[Request[Any]] | FormViewModel[Posted]

LOOK_SECONDS = 1.0
"""How long a start waits for what a look at the input finds first; the workflow looks too."""


class NewWorkflowViewModel:
    """What to start, and with which input.

    Attributes:
        choices: what there is.
        chosen: the name of the one whose form is shown; None where there is nothing to choose.
        preset: the title of the preset that its form was filled in from; empty for none.
        error: why the last start came to nothing; empty where it did not.
        note: what of a preset does not fit any more; empty where all of it does.
        starting: whether a start is under way.
        changed: emitted after any of these changed, or `form`, or what is in it.
        started: emitted with what to say of each workflow that was started.
    """

    def __init__(self, engine: Engine, kept: Kept | None = None) -> None:
        """`kept` is where presets, last values and limits are kept; nowhere for None."""
        self._engine = engine
        kept = Remembered() if kept is None else kept
        self._presets = Presets(kept)
        self.limits = Limits(engine, kept)
        self.limits.changed.connect(self._limited)
        self._choices = Choices(engine.registry, self._presets)
        # Kept by name, so that looking at another task loses nothing that was typed.
        self._forms: dict[str, AnyForm] = {}
        self._options: dict[str, StartOptions] = {}
        self._from: dict[str, str] = {}  # the presets that forms were filled in from
        self.chosen: str | None = None
        self.error = ""
        self.note = ""
        self.starting = False
        self.changed: Event[[]] = Event()
        self.started: Event[[str]] = Event()
        self._looking: asyncio.Task[None] | None = None
        self._choose_one_that_is_there()

    @property
    def choices(self) -> tuple[Choice, ...]:
        return self._choices.all

    @property
    def cards(self) -> list[Card]:
        """The tasks that an empty table shows."""
        return self._choices.cards

    @property
    def choice(self) -> Choice | None:
        """The one that is chosen."""
        return next((each for each in self.choices if each.name == self.chosen and not each.preset), None)

    @property
    def preset(self) -> str:
        return self._from.get(self.chosen or "", "")

    @property
    def presets(self) -> list[str]:
        """The titles of the presets of what is chosen."""
        return self._presets.of(self.chosen) if self.chosen is not None else []

    @property
    def form(self) -> AnyForm | None:
        """The form of what is chosen; None where it has none."""
        return self._form_of(self.chosen) if self.chosen is not None else None

    @property
    def options(self) -> StartOptions | None:
        """What else may be said of a start of what is chosen; None where that has no form."""
        if self.chosen is None or self.form is None:
            return None
        if self.chosen not in self._options:
            self._options[self.chosen] = made = self.limits.options(self._choices.here(self.chosen))
            made.form.changed.connect(self.changed.emit)
        return self._options[self.chosen]

    @property
    def startable(self) -> bool:
        """Would `start` start it?"""
        form, options = self.form, self.options
        return (
            form is not None
            and options is not None
            and form.valid
            and options.form.valid
            and not self.starting
        )

    def matching(self, text: str) -> list[Choice]:
        """The choices with every word of `text` in their title, name or summary."""
        words = text.casefold().split()
        return [each for each in self.choices if all(word in each.findable for word in words)]

    def look(self) -> None:
        """Look, in the background, what other programs offer by now."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self.refresh(), name="offers of other programs")

    async def refresh(self) -> None:
        """Look what other programs offer by now."""
        try:
            for name in self._choices.read(await self._engine.offers()):
                self._drop_form(name)
        except StepfastError as error:
            text = translate("NewWorkflow", "What other programs offer cannot be read: {reason}.")
            self.error = text.format(reason=_bare(error))
        self._choose_one_that_is_there()
        self.changed.emit()

    async def close(self) -> None:
        """Look no more."""
        for form in self._forms.values():
            form.close()
        for options in self._options.values():
            await options.close()
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait({self._looking})

    def choose(self, name: str, preset: str = "") -> None:
        """Show the form of this one, filled in from a preset where one is named.

        Raises `KeyError` for a name that is none of the choices, and for a preset that there is not.
        """
        if all(each.name != name for each in self.choices):
            raise KeyError(name)
        if name != self.chosen:
            self.error = self.note = ""
        self.chosen = name
        if preset:
            self._fill_in(name, preset)
        self.changed.emit()

    def discard(self) -> None:
        """Forget what was put into the forms, and what came to nothing."""
        for name in [*self._forms]:
            self._drop_form(name)
        self.error = self.note = ""
        self.changed.emit()

    def look_again(self) -> None:
        """Look once more at an input that cannot be started: who comes back may have connected a disk."""
        if self.form is not None and any(each.level == "error" for each in self.form.findings):
            self.form.look_again()

    # --- presets ----------------------------------------------------------------------------------

    def reset(self) -> None:
        """Have in the form what its definition begins with, and not what was used last."""
        if self.chosen is not None and self.form is not None:
            self._from.pop(self.chosen, None)
            self.note = ""
            self.form.reset()

    def save_preset(self, title: str) -> None:
        """Keep what is filled in, but for secrets, under a title; in the place of one that has it."""
        title = " ".join(title.split())
        if self.chosen is not None and self.form is not None and title:
            self._presets.save(self.chosen, title, self.form.values)
            self._from[self.chosen] = title
            self._presets_changed()

    def rename_preset(self, to: str) -> None:
        """Give the preset that the form was filled in from another title."""
        to = " ".join(to.split())
        if self.chosen is not None and self.preset and to:
            self._presets.rename(self.chosen, self.preset, to)
            self._from[self.chosen] = to
            self._presets_changed()

    def delete_preset(self) -> None:
        """Keep the preset no more that the form was filled in from. What is filled in stays."""
        if self.chosen is not None and self.preset:
            self._presets.delete(self.chosen, self._from.pop(self.chosen))
            self._presets_changed()

    def _presets_changed(self) -> None:
        self._choices.renew()
        self.changed.emit()

    def _fill_in(self, name: str, preset: str) -> None:
        values = self._presets.values(name, preset)
        form = self._form_of(name)
        if form is None:
            return
        form.reset()
        left = form.fill_what_fits(values)
        self._from[name] = preset
        self.note = ""
        if left:
            text = translate("NewWorkflow", "Of this preset, this does not fit any more: {names}.")
            self.note = text.format(names=listed(left))

    # --- starting ---------------------------------------------------------------------------------

    async def start(self) -> Handle[Any] | None:
        """Start what is chosen with what its form says; None, and why, where that cannot be."""
        form, options, name = self.form, self.options, self.chosen
        if form is None or options is None or name is None or self.starting:
            return None
        self.error = ""
        self.starting = True
        self.changed.emit()
        try:
            await form.looked(LOOK_SECONDS)
            request = form.request() if options.form.valid else None
            if request is None:
                options.form.show_errors()
                return None
            definition = self._choices.here(name)
            again = None if definition is None else definition.again
            id = options.id or made_up(name, form.fields, form.values, again)
            handle = await self._begin(request, options, id)
        except AlreadyStarted:
            handle = None
        except StepfastError as error:
            self.error = translate("NewWorkflow", "It was not started: {reason}.").format(reason=_bare(error))
            return None
        finally:
            self.starting = False
            self.changed.emit()
        if handle is None or (options.id is not None and not handle.created):
            options.refuse(options.id or "")
            return None
        self._remember(name, form)
        # The next one begins anew.
        if self._forms.get(name) is form:
            self._drop_form(name)
        self.changed.emit()
        self.started.emit(_started_text(handle.id, options.at))
        return handle

    async def _begin(
        self, request: Request[Any] | Posted, options: StartOptions, id: str
    ) -> Handle[Any] | None:
        if isinstance(request, Posted):
            at = None if options.at is None else options.at.timestamp()
            begun = await self._engine.durable.start(
                id, request.name, request.version, request.text, at=at, priority=options.priority
            )
            return self._engine.handle(begun.id) if begun.created else None
        self.limits.set(request.definition, options.at_once)
        return await self._engine.start(request, id=id, at=options.at, priority=options.priority)

    def _remember(self, name: str, form: AnyForm) -> None:
        kinds = {each.name: each.kind for each in form.fields}
        values = {each: value for each, value in form.values.items() if kinds[each] not in OF_ITS_DAY}
        definition = self._choices.here(name)
        if definition is not None and definition.again is not None:
            values.pop(definition.again, None)  # of that one time
        self._presets.remember(name, values)

    async def drop(self, paths: Sequence[Path], card: Card | None = None) -> str | None:
        """Choose what can be done with what was dropped on the window, and fill it in.

        That is the card that it was dropped on, if any path that it asks for fits; else the first definition
        of this program whose first path does: a file or a folder, or a list of them. Returns None where its
        form is to be shown now, else what to say.
        """
        # On a thread: a look at a disk that has gone to sleep, or a share that is gone, can take long.
        kinds = await asyncio.to_thread(lambda: [kind_of(each) for each in paths])
        if not paths or not all(kinds):
            return refusal(paths, kinds)
        if card is not None and self._take(card.name, paths, kinds, preset=card.preset, anywhere=True):
            return None
        if any(self._take(name, paths, kinds) for name in self._choices.names_here):
            return None
        return refusal(paths, kinds)

    def _take(
        self,
        name: str,
        paths: Sequence[Path],
        kinds: Sequence[Wants | None],
        *,
        preset: str = "",
        anywhere: bool = False,
    ) -> bool:
        """Choose this one if these fit the first field for paths, or any; with them in that."""
        form = self._form_of(name)
        fields = [each for each in form.fields if each.of_paths] if form is not None else []
        for field in fields if anywhere else fields[:1]:
            value = fitting(field, paths, kinds)
            if form is not None and value is not None:
                self.choose(name, preset)
                form.fill({field.name: value})
                return True
        return False

    async def again(self, id: str, *, problems: bool = False) -> str | None:
        """Choose the definition of a workflow, with the inputs that it has; secrets stay empty.

        What does not fit the form any more, as another version asks for other things, is left as it begins.

        Args:
            id: of the workflow.
            problems: so that only what was a problem there is tried again, where the definition can.

        Returns:
            None where its form is to be shown now, else what to say.
        """
        try:
            details = await self._engine.get(id)
            await self.refresh()
        except StepfastError as error:
            return translate("NewWorkflow", "It cannot be read: {reason}.").format(reason=_bare(error))
        name = details.summary.name
        choice = next((each for each in self.choices if each.name == name), None)
        form = None if choice is None or choice.refusal else self._form_of(name)
        if form is None:
            text = translate("NewWorkflow", "“{name}” is not known here, so it cannot be started anew.")
            return choice.refusal if choice is not None else text.format(name=name)
        values = dict(details.input) if isinstance(details.input, dict) else {}
        definition = self._choices.here(name)
        if definition is not None and definition.again is not None:
            values[definition.again] = id if problems else None
        secret = {each.name for each in form.fields if each.kind == "secret"}
        form.reset()
        self._from.pop(name, None)
        form.fill_what_fits({name: value for name, value in values.items() if name not in secret})
        self.choose(name)
        return None

    # --- the forms --------------------------------------------------------------------------------

    def _choose_one_that_is_there(self) -> None:
        if self.choice is None:
            self.chosen = self.choices[0].name if self.choices else None

    def _form_of(self, name: str) -> AnyForm | None:
        if name in self._forms:
            return self._forms[name]
        form: AnyForm
        if (definition := self._choices.here(name)) is not None:
            form = FormViewModel(_asking(definition))
        elif (other := self._choices.elsewhere(name)) is not None:
            form = FormViewModel(other)
        else:
            return None
        names = () if definition is None else definition.looks_at
        look = None if definition is None or definition.preview is None else definition.look
        if (both := looking_at(form.fields, look, names)) is not None:
            form.watch(both, names, [each.name for each in form.fields if each.there])
        form.fill_what_fits(self._presets.last(name))
        form.changed.connect(self.changed.emit)
        self._forms[name] = form
        return form

    def _limited(self, name: str) -> None:
        """Another limit was set: what nobody has begun to fill in has the new one in it."""
        options = self._options.get(name)
        if options is not None and not options.used:
            del self._options[name]
            self.changed.emit()

    def _drop_form(self, name: str) -> None:
        if (form := self._forms.pop(name, None)) is not None:
            form.close()
        self._options.pop(name, None)
        self._from.pop(name, None)


def _started_text(id: str, at: datetime | None) -> str:
    if at is None:
        return translate("Window", "{id} has started").format(id=readable(id))
    text = translate("NewWorkflow", "{id} starts {time}")
    return text.format(id=readable(id), time=time_text(at, datetime.now(UTC)))


def _asking(definition: Definition[..., Any]) -> Asking[Request[Any]]:
    return definition


def _bare(error: StepfastError) -> str:
    return str(error).rstrip(".")
