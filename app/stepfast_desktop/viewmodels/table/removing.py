"""What was removed in this session and can be brought back, and what is to be removed once it has stopped.

To cancel what runs is to ask its holder, so what is cancelled and removed at once goes from the list when the
feed tells that it was cancelled. Where the program ends in between, it is cancelled all the same and stays on
the list: nothing that still runs is ever out of sight. What completed instead, or failed while it tidied up,
stays too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from stepfast import Engine, StepfastError, Summary
from stepfast.state import FINISHED
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.feed import Changed
from stepfast_desktop.viewmodels.words import translate

__all__ = ["Removal", "Removing"]

MOST = 50  # removals that are remembered


@dataclass(slots=True)
class Removal:
    """What was removed at once; `name` is that of the only one."""

    keys: set[int] = field(default_factory=set)
    name: str = ""


class Removing:
    """The removals of one session, the last one at the end."""

    def __init__(self, engine: Engine) -> None:
        self.changed: Event[[]] = Event()
        self.entries: list[Removal] = []
        self._engine = engine
        self._stopping: dict[int, Removal] = {}
        """By key, what is to be removed once it was cancelled, and where that is noted then."""
        self._heard: dict[int, bool] = {}
        """Those that are looked at for the first time: was one told meanwhile that they are cancelled?"""

    @property
    def undo_label(self) -> str:
        """What Undo would do."""
        if not self.entries:
            return translate("Actions", "Undo")
        last = self.entries[-1]
        if last.name:
            return translate("Actions", "Undo: bring {name} back").format(name=last.name)
        return translate("Actions", "Undo: bring %n workflow(s) back", None, len(last.keys))

    def removed(self, keys: Collection[int], name: str = "") -> None:
        """Remember what was removed at once."""
        if keys:
            self._add(Removal({*keys}, name))

    def forget(self, keys: Iterable[int]) -> None:
        """These are back, or gone for good."""
        gone = {*keys}
        for each in self.entries:
            each.keys -= gone
        self.entries = [each for each in self.entries if each.keys]
        self.changed.emit()

    async def undo(self) -> list[str]:
        """Bring back what was removed last; returns what is to be said."""
        if not self.entries:
            return []
        last = self.entries.pop()
        for key in [key for key, removal in self._stopping.items() if removal is last]:
            del self._stopping[key]  # what still stops stays on the list
        try:
            restored = await self._engine.bulk("restore", sorted(last.keys))
        except StepfastError:
            self._add(last)
            raise
        self.changed.emit()
        if last.name and restored.done:
            return [translate("Actions", "{name} brought back").format(name=last.name)]
        said = [translate("Actions", "%n workflow(s) brought back", None, len(restored.done))]
        if gone := sum(restored.left.values()):
            said.append(translate("Actions", "%n left, deleted or brought back meanwhile", None, gone))
        return said

    # --- cancelled, and removed then --------------------------------------------------------------

    async def once_cancelled(self, keys: Sequence[int]) -> int:
        """Remove those that are cancelled, and the others when they are; returns how many are gone."""
        removal = Removal()
        self._stopping.update(dict.fromkeys(keys, removal))
        # Some may have stopped, and been told of, before anybody knew that they are to go. What is told of
        # while one looks is counted here, and not said as if it had come later.
        self._heard.update(dict.fromkeys(keys, False))
        try:
            cancelled = {*self._settle(await self._engine.rows(keys))}
        finally:
            heard = {key for key in keys if self._heard.pop(key, False)}
        return await self.remove_cancelled(cancelled | heard)

    async def look(self) -> list[int]:
        """What is to be removed now, as the file has it."""
        return self._settle(await self._engine.rows([*self._stopping])) if self._stopping else []

    def hear(self, changed: Changed) -> list[int]:
        """What is to be removed now."""
        cancelled = self._settle(changed.rows) if self._stopping else []
        self._heard.update((key, True) for key in cancelled if key in self._heard)
        return [key for key in cancelled if key not in self._heard]

    async def remove_cancelled(self, keys: Collection[int]) -> int:
        """Remove these, which have stopped; returns how many were."""
        of = {key: removal for key in keys if (removal := self._stopping.pop(key, None)) is not None}
        if not of:
            return 0
        done = (await self._engine.bulk("remove", [*of])).done
        for key in done:
            removal = of[key]
            removal.keys.add(key)
            if removal not in self.entries:
                self._add(removal)
        self.changed.emit()
        return len(done)

    def _settle(self, rows: Iterable[Summary]) -> list[int]:
        """The keys of those that are cancelled; what has come to another end, or goes on, is let be."""
        cancelled: list[int] = []
        for row in rows:
            if row.key not in self._stopping:
                continue
            if row.state.name == "cancelled" and row.removed_at is None:
                cancelled.append(row.key)
            elif row.state.name in FINISHED:
                del self._stopping[row.key]
        return cancelled

    def _add(self, removal: Removal) -> None:
        self.entries.append(removal)
        del self.entries[:-MOST]
        self.changed.emit()
