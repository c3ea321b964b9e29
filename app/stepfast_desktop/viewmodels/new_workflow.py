"""Starting a workflow: what there is to start, its form, and what is dropped on the window.

What this program has comes first, in its own order. What only other programs offer is started there: its
form is made from the schema they publish (`elsewhere`), and the file carries the input to them. Where a form
cannot be made of that, it is listed with the reason and cannot be started.
"""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from stepfast import Definition, Engine, Handle, Request
from stepfast.errors import StepfastError
from stepfast.views import Offer
from stepfast_desktop.viewmodels.elsewhere import Elsewhere, Posted, UnreadableForm, elsewhere, one_line
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.fields import Field, Wants
from stepfast_desktop.viewmodels.form import Asking, FormViewModel
from stepfast_desktop.viewmodels.words import translate

__all__ = ["Card", "Choice", "NewWorkflowViewModel"]

AnyForm = FormViewModel[Request[Any]] | FormViewModel[Posted]


class Card(NamedTuple):
    """A task as an empty table shows it."""

    name: str
    title: str
    summary: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A definition that a person may choose; `refusal` says why it cannot be started, where it cannot."""

    name: str
    title: str
    summary: str
    refusal: str = ""


class NewWorkflowViewModel:
    """What to start, and with which input.

    Attributes:
        choices: what there is.
        chosen: the name of the one whose form is shown; None where there is nothing to choose.
        error: why the last start came to nothing; empty where it did not.
        starting: whether a start is under way.
        changed: emitted after any of these changed, or `form`, or what is in it.
        started: emitted with the id of each workflow that was started.
    """

    def __init__(self, engine: Engine, *, new_id: Callable[[str], str] | None = None) -> None:
        self._engine = engine
        self._new_id = new_id or _new_id
        # Of several versions the newest, which is what one starts.
        newest = {each.name: each for each in sorted(engine.registry, key=lambda each: each.version)}
        self._here = {each.name: newest[each.name] for each in engine.registry}
        self._elsewhere: dict[str, Elsewhere] = {}
        # Kept by name, so that looking at another task loses nothing that was typed.
        self._forms: dict[str, AnyForm] = {}
        self.choices: tuple[Choice, ...] = ()
        self.chosen: str | None = None
        self.error = ""
        self.starting = False
        self.changed: Event[[]] = Event()
        self.started: Event[[str]] = Event()
        self._looking: asyncio.Task[None] | None = None
        self._list(())

    @property
    def cards(self) -> list[Card]:
        """The tasks that an empty table shows."""
        return [Card(each.name, each.title, each.summary) for each in self.choices if not each.refusal]

    @property
    def choice(self) -> Choice | None:
        """The one that is chosen."""
        return next((each for each in self.choices if each.name == self.chosen), None)

    @property
    def form(self) -> AnyForm | None:
        """The form of what is chosen; None where it has none."""
        return self._form_of(self.chosen) if self.chosen is not None else None

    @property
    def startable(self) -> bool:
        """Would `start` start it?"""
        return self.form is not None and self.form.valid and not self.starting

    def look(self) -> None:
        """Look, in the background, what other programs offer by now."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self.refresh(), name="offers of other programs")

    async def refresh(self) -> None:
        """Look what other programs offer by now."""
        try:
            self._list(await self._engine.offers())
        except StepfastError as error:
            text = translate("NewWorkflow", "What other programs offer cannot be read: {reason}.")
            self.error = text.format(reason=_bare(error))
        self.changed.emit()

    async def close(self) -> None:
        """Look no more."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait({self._looking})

    def choose(self, name: str) -> None:
        """Show the form of this one. Raises `KeyError` for a name that is none of the choices."""
        if all(each.name != name for each in self.choices):
            raise KeyError(name)
        if name != self.chosen:
            self.error = ""
        self.chosen = name
        self.changed.emit()

    def discard(self) -> None:
        """Forget what was put into the forms, and what came to nothing."""
        self._forms.clear()
        self.error = ""
        self.changed.emit()

    async def start(self) -> Handle[Any] | None:
        """Start what is chosen with what its form says; None, and why, where that cannot be."""
        form, name = self.form, self.chosen
        if form is None or name is None or self.starting:
            return None
        self.error = ""
        request = form.request()
        if request is None:
            self.changed.emit()
            return None
        self.starting = True
        self.changed.emit()
        try:
            handle = await self._begin(request)
        except StepfastError as error:
            self.error = translate("NewWorkflow", "It was not started: {reason}.").format(reason=_bare(error))
            return None
        finally:
            self.starting = False
            self.changed.emit()
        # The next one begins with an empty form.
        if self._forms.get(name) is form:
            del self._forms[name]
        self.changed.emit()
        self.started.emit(handle.id)
        return handle

    async def drop(self, paths: Sequence[Path]) -> str | None:
        """Choose what can be done with what was dropped on the window, and fill it in.

        That is the first definition of this program whose first path fits: a file or a folder, or a list of
        them. Returns None where its form is to be shown now, else what to say.
        """
        # On a thread: a look at a disk that has gone to sleep, or a share that is gone, can take long.
        kinds = await asyncio.to_thread(lambda: [_kind_of(each) for each in paths])
        if not paths or not all(kinds):
            return _refusal(paths, kinds)
        for name in self._here:
            form = self._form_of(name)
            field = _first_path(form.fields) if form is not None else None
            value = _fitting(field, paths, kinds) if field is not None else None
            if form is not None and field is not None and value is not None:
                form.fill({field.name: value})
                self.choose(name)
                return None
        return _refusal(paths, kinds)

    # --- the definitions --------------------------------------------------------------------------

    def _list(self, offers: Iterable[Offer]) -> None:
        found = [Choice(each.name, each.title, _sentence(each.summary)) for each in self._here.values()]
        newest = {each.name: each for each in sorted(offers, key=lambda each: each.version)}
        others = [each for name, each in newest.items() if name not in self._here]
        known = self._elsewhere
        self._elsewhere = {}
        for offer in sorted(others, key=lambda each: (each.title, each.name)):
            title = one_line(offer.title) or offer.name
            summary = translate("NewWorkflow", "Runs in another program that is open.")
            try:
                made = elsewhere(offer)
            except UnreadableForm:
                reason = translate(
                    "NewWorkflow",
                    "It runs in another program, in a form that cannot be shown here. Start it there.",
                )
                found.append(Choice(offer.name, title, summary, reason))
                continue
            if offer.name in known and _alike(known[offer.name], made):
                made = known[offer.name]  # and what was typed into its form stays
            else:
                self._forms.pop(offer.name, None)
            self._elsewhere[offer.name] = made
            found.append(Choice(offer.name, title, summary))
        for gone in known.keys() - self._elsewhere.keys():
            self._forms.pop(gone, None)
        self.choices = tuple(found)
        if self.choice is None:
            self.chosen = found[0].name if found else None

    def _form_of(self, name: str) -> AnyForm | None:
        if name not in self._forms:
            if name in self._here:
                self._keep(name, FormViewModel(_asking(self._here[name])))
            elif name in self._elsewhere:
                self._keep(name, FormViewModel(self._elsewhere[name]))
        return self._forms.get(name)

    def _keep(self, name: str, form: AnyForm) -> None:
        self._forms[name] = form
        form.changed.connect(self.changed.emit)

    async def _begin(self, request: Request[Any] | Posted) -> Handle[Any]:
        if isinstance(request, Posted):
            id = self._new_id(request.name)
            begun = await self._engine.durable.start(id, request.name, request.version, request.text)
            return self._engine.handle(begun.id)
        return await self._engine.start(request, id=self._new_id(request.definition.name))


def _new_id(name: str) -> str:
    return f"{name}-{uuid.uuid4().hex[:8]}"


def _asking(definition: Definition[..., Any]) -> Asking[Request[Any]]:
    return definition


def _alike(one: Elsewhere, other: Elsewhere) -> bool:
    """Do both ask for the same? (Enums made of one schema twice are two types, so not by `==`.)"""

    def told(each: Elsewhere) -> list[object]:
        return [each.name, each.version, *((p.name, p.required, p.words, p.title) for p in each.parameters)]

    return told(one) == told(other)


def _sentence(summary: str) -> str:
    """A docstring's first paragraph without its marks for code, which nobody outside of code knows."""
    return re.sub(r"`+([^`]*)`+", r"\1", summary)


def _bare(error: StepfastError) -> str:
    return str(error).rstrip(".")


# --- what was dropped -----------------------------------------------------------------------------


def _kind_of(path: Path) -> Wants | None:
    try:
        if path.is_dir():
            return "folder"
        return "file" if path.exists() else None
    except OSError:
        return None


def _first_path(fields: Iterable[Field]) -> Field | None:
    return next((each for each in fields if each.of_paths), None)


def _fitting(field: Field, paths: Sequence[Path], kinds: Sequence[Wants | None]) -> object:
    """What of the paths goes into the field; None where they do not fit."""
    if any(field.wants not in (kind, "either") for kind in kinds):
        return None
    if field.kind == "list":
        return [*paths]
    return paths[0] if len(paths) == 1 else None


def _refusal(paths: Sequence[Path], kinds: Sequence[Wants | None]) -> str:
    if not paths:
        return translate("NewWorkflow", "What was dropped is no file or folder of this computer.")
    gone = [path for path, kind in zip(paths, kinds, strict=True) if kind is None]
    if gone:
        text = translate("NewWorkflow", "“{name}” is not there, or cannot be read.")
        return text.format(name=gone[0].name or gone[0])
    if len(paths) > 1:
        return translate(
            "NewWorkflow",
            "Those are %n thing(s). Drop one folder at a time: each becomes a workflow of its own.",
            None,
            len(paths),
        )
    name = paths[0].name or str(paths[0])
    if kinds[0] == "file":
        text = translate("NewWorkflow", "“{name}” is a file, and no task here takes a file. Drop a folder.")
    else:
        text = translate("NewWorkflow", "“{name}” is a folder, and no task here takes a folder.")
    return text.format(name=name)
