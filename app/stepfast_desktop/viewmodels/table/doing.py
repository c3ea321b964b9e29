"""What is asked of the selected workflows, and what is said when it was done.

An action hits the workflows that were selected when the menu opened or the press began (`take_aim`): rows
that move and a selection that changes meanwhile change nothing about that. What cannot be taken back, and
what ends more than one, is asked for first, with the number of those that it hits.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from stepfast import Engine, StepfastError, Summary
from stepfast.placing import Where
from stepfast.state import FINISHED
from stepfast.views import EVERYTHING, Filter
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.feed import Changed, Feed
from stepfast_desktop.viewmodels.table.actions import ACTION, PRIORITIES, Action, fits, left_text
from stepfast_desktop.viewmodels.table.agreeing import Question, question
from stepfast_desktop.viewmodels.table.aiming import Aim, is_counted, may_fit, of_those
from stepfast_desktop.viewmodels.table.queue_order import QueueOrder
from stepfast_desktop.viewmodels.table.removing import Removing
from stepfast_desktop.viewmodels.table.table import TableViewModel
from stepfast_desktop.viewmodels.table.turns import Turns
from stepfast_desktop.viewmodels.words import sentences, translate

__all__ = ["DoingViewModel"]

WHILE = 2.0  # seconds after which, and every so often, it is said that something is still being done
MANY = 500  # whose ids are read, or which are deleted, at once


class DoingViewModel:
    """Carries out the actions on what a table has selected. Belongs to the loop of its engine."""

    def __init__(self, engine: Engine, feed: Feed, table: TableViewModel) -> None:
        self.message: Event[[str]] = Event()
        """What was done, or why it was not: for the status line."""
        self.changed: Event[[]] = Event()
        """What can be done, or what it is called, may be another thing now; not while an aim is taken."""
        self.asked: Event[[Question]] = Event()
        """A person is to agree first."""
        self.copied: Event[[str]] = Event()
        """A text for the clipboard."""
        self._engine = engine
        self._table = table
        self._aim: Aim | None = None
        self._kinds: list[tuple[Summary | None, int]] | None = None
        self._seen: Aim | None = None
        self.at_work: Event[[str]] = Event()
        """Something takes a while; said now and then until it is done."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._turns = Turns()
        self._reached = 0  # the number of the last change that was made from here
        self._just: frozenset[int] = frozenset()  # whom it was made to: what is known of them may be old
        self.removing = Removing(engine)
        self.queue = QueueOrder(engine, table)
        self._disconnect = [
            table.selection_changed.connect(self._tell),
            table.counts_changed.connect(self._tell),
            table.reordered.connect(self._tell),
            table.rows_changed.connect(self._read_more),
            self.removing.changed.connect(self._tell),
            feed.changed.connect(self._hear),
        ]

    async def close(self) -> None:
        """Do nothing more."""
        for each in self._disconnect:
            each()
        tasks = {*self._tasks}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    # --- whom it hits -----------------------------------------------------------------------------

    def take_aim(self) -> None:
        """A menu opens, or a button is pressed: who is selected now is hit, whatever comes."""
        self._forget_seen()
        self._aim = self._selected()

    def drop_aim(self) -> None:
        """The menu is closed, or the button let go."""
        if self._aim is not None:
            self._aim = None
            self._tell()

    @property
    def aim(self) -> Aim:
        """Whom an action hits now."""
        return self._aim or self._selected()

    def _selected(self) -> Aim:
        table = self._table
        selection = table.selection
        return Aim(
            table.matching,
            None if selection.everything else frozenset(selection.chosen),
            frozenset(selection.exceptions),
            table.at,
            table.selected_count,
        )

    def _tell(self) -> None:
        if self._aim is None:
            self._forget_seen()
            self.changed.emit()

    def _forget_seen(self) -> None:
        self._seen = self._kinds = None

    @property
    def _shown(self) -> Aim:
        """Whom an action would hit, as it was when that was told last."""
        if self._aim is not None:
            return self._aim
        if self._seen is None:
            self._seen = self._selected()
        return self._seen

    def _read_more(self, _first: int, _last: int) -> None:
        if self._kinds is None or any(row is None for row, _ in self._kinds):
            self._tell()

    # --- what can be done, and what it is called ---------------------------------------------------

    def enabled(self, name: str) -> bool:
        """Can it do something for at least one selected row? What is not read is believed to fit."""
        action, aim = ACTION[name], self._shown
        if action.single and aim.count != 1:
            return False
        if aim.keys is None:
            return aim.count > 0 and may_fit(action, aim, self._table.counts) != 0
        if action.where != "anywhere" and aim.shown.removed != (action.where == "removed"):
            return False
        return any(row is None or fits(action, row) for row in self._chosen(aim.keys))

    def label(self, name: str) -> str:
        """What it is called, with the number of those that it hits where that is more than one."""
        action, aim = ACTION[name], self._shown
        if aim.count < 2 or not self.enabled(name):
            return action.label()
        if aim.keys is not None:
            kinds = self._kinds_of(aim.keys)
            return action.many(sum(n for row, n in kinds if row is None or fits(action, row)))
        fit = may_fit(action, aim, self._table.counts)
        return action.matching() if fit is None else action.many(fit)

    @property
    def only(self) -> str | None:
        """The id of the only one that is selected, where it is read."""
        aim = self.aim
        keys = aim.keys or frozenset(self._table.keys).difference(aim.without) if aim.count == 1 else ()
        row = self._table.known(next(iter(keys))) if keys else None
        return None if row is None else row.id

    def hint(self, name: str) -> str:
        """What it does; or, where it can do nothing, why not."""
        action = ACTION[name]
        if self.enabled(name):
            return action.hint()
        return action.why() if self._shown.count else translate("Actions", "Nothing is selected")

    def has_priority(self, name: str) -> bool:
        """Has all that is selected, as far as it is known, the priority of that name?"""
        rows = self._chosen(self._shown.keys or frozenset())
        return bool(rows) and all(row and row.priority == PRIORITIES[name] for row in rows)

    def _chosen(self, keys: frozenset[int]) -> list[Summary | None]:
        """One of each kind that are selected; None for what is not read."""
        return [row for row, _ in self._kinds_of(keys)]

    def _kinds_of(self, keys: frozenset[int]) -> list[tuple[Summary | None, int]]:
        """One of each kind that are selected, and how many there are of it.

        Kept, since every action asks for it: of twenty thousand that are selected, only once.
        """
        if self._kinds is None:
            rows = self._table.known_among(keys)
            counts = Counter(map(_kind, rows))
            first = {_kind(row): row for row in rows}
            self._kinds = [(first[kind], n) for kind, n in counts.items()]
            if unread := len(keys) - len(rows):
                self._kinds.append((None, unread))
        return self._kinds

    def _fitting(self, action: Action, aim: Aim) -> list[int]:
        """The chosen keys, oldest first, without those for which it is known to do nothing."""
        rows = {key: self._table.known(key) for key in sorted(aim.keys or ())}
        return [key for key, row in rows.items() if row is None or fits(action, row)]

    # --- doing it ---------------------------------------------------------------------------------

    def perform(self, name: str) -> None:
        """Ask it of every selected workflow for which it can do something, and say what came of it."""
        action, aim = ACTION[name], self.aim
        # Of all that match, the counts may be of a moment ago; the store knows.
        none = aim.count == 0 or (aim.keys is not None and not self._fitting(action, aim))
        if none or (action.single and aim.count > 1):
            return
        match name:
            case "cancel" | "cancel-remove" if aim.count > 1:
                self._do(self._ask_first(action, aim))
            case "delete":
                self._do(self._ask_first(action, aim))
            case "copy":
                self._do(self._copy(action, aim))
            case "first" | "up" | "down" | "last":
                self._do(self._line_up(action, aim))
            case _:
                self._do(self._ask(action, aim))

    def perform_on_all(self, name: str) -> None:
        """Ask it of every workflow for which it can do something, whatever is shown and selected."""
        self._do(self._ask_all(ACTION[name]))

    async def _ask_all(self, action: Action) -> None:
        aim = Aim(EVERYTHING, None, frozenset(), self._table.at, 0)
        await self._ask(action, aim, await self._engine.keys(of_those(EVERYTHING, action)))

    async def _ask(self, action: Action, aim: Aim, keys: Sequence[int] | None = None) -> None:
        """Ask it of whom the aim hits, or of `keys`, which were found to be those; once it is its turn."""
        turn = self._turns.take()
        saying: asyncio.Task[None] | None = None
        try:
            if keys is None and not (turn.at_once and self._reached <= aim.upto):
                # What was asked before, and is not seen here yet, neither spares nor changes whom it hits.
                keys = await self._whom(aim)
            saying = asyncio.create_task(self._say_at_work(aim.count if keys is None else len(keys)))
            await turn.comes()
            await self._ask_now(action, aim, keys)
        finally:
            turn.done()
            if saying is not None:
                saying.cancel()

    async def _whom(self, aim: Aim) -> list[int]:
        """All whom the aim hits, whatever can be done with them by now."""
        if aim.keys is not None:
            return sorted(aim.keys)
        # One counter numbers workflows and changes: what has a higher key was started since one looked.
        keys = await self._engine.keys(aim.shown)
        return [key for key in keys if key <= aim.upto and key not in aim.without]

    async def _say_at_work(self, n: int) -> None:
        while True:
            await asyncio.sleep(WHILE)
            self.at_work.emit(translate("Actions", "At work on %n workflow(s) ...", None, n))

    async def _ask_now(self, action: Action, aim: Aim, keys: Sequence[int] | None) -> None:
        of: Filter | Sequence[int]
        if keys is not None:
            of = keys
        elif aim.keys is None:
            of = of_those(aim.shown, action)
        else:
            of = sorted({*self._fitting(action, aim), *(aim.keys & self._just)})
        # What was agreed to is asked whatever it has come to while a person read the question.
        upto = aim.upto if aim.keys is None and keys is None else None
        options: dict[str, Any] = {"upto": upto, "without": aim.without}
        if action.name in PRIORITIES:
            came = await self._engine.prioritise(of, PRIORITIES[action.name], **options)
        elif action.name == "cancel-remove":
            came = await self._engine.bulk("cancel", of, **options)
        else:
            came = await self._engine.bulk(action.name, of, **options)
        for row in await self._engine.rows([*came.done[-1:], *came.asked[-1:]]):
            self._reached = max(self._reached, row.change)
        self._just = frozenset([*came.done, *came.asked])
        said = [action.said(len(came.done) + len(came.asked)), *left_text(came.left)]
        match action.name:
            case "remove":
                self.removing.removed(came.done, self._name(came.done))
            case "restore":
                self.removing.forget(came.done)
            case "cancel-remove":
                removed = await self.removing.once_cancelled([*came.done, *came.asked])
                if removed:
                    said.insert(1, translate("Actions", "%n removed", None, removed))
                if still := len(came.done) + len(came.asked) - removed:
                    text = translate("Actions", "%n still stopping, and removed then", None, still)
                    said.insert(2 if removed else 1, text)
        self._say(said)

    async def _copy(self, action: Action, aim: Aim) -> None:
        keys = await self._keys(action, aim)
        ids: list[str] = []
        for start in range(0, len(keys), MANY):
            ids += [row.id for row in await self._engine.rows(keys[start : start + MANY])]
        self.copied.emit("\n".join(ids))
        self._say([action.said(len(ids))])

    async def _keys(self, action: Action, aim: Aim, order: str = "created") -> list[int]:
        """The keys of those whom it hits, as they are now."""
        if aim.keys is not None:
            return self._fitting(action, aim)
        keys = await self._engine.keys(of_those(aim.shown, action), order=order)
        return [key for key in keys if key not in aim.without]

    def _name(self, keys: Sequence[int]) -> str:
        """The name of the only one, where it is known."""
        row = self._table.known(keys[0]) if len(keys) == 1 else None
        return "" if row is None else row.id

    # --- asking first -----------------------------------------------------------------------------

    async def _ask_first(self, action: Action, aim: Aim) -> None:
        # The number that is agreed to is the number of those to whom it is done.
        keys = await self._keys(action, aim)
        if aim.keys is None:
            # One counter numbers workflows and changes: what has a higher key was started since one looked.
            keys = [key for key in keys if key <= aim.upto]
        if not keys:
            return
        go_on = partial(self._go_on, action, aim, keys)
        self.asked.emit(question(action.name, len(keys), go_on))

    def _go_on(self, action: Action, aim: Aim, keys: Sequence[int]) -> None:
        self._do(self._delete(action, keys) if action.name == "delete" else self._ask(action, aim, keys))

    async def _delete(self, action: Action, keys: Sequence[int]) -> None:
        deleted, refused = 0, []
        for start in range(0, len(keys), MANY):
            rows = await self._engine.rows(keys[start : start + MANY])
            # What was brought back meanwhile stays.
            gone = [row for row in rows if row.removed_at is not None]
            came = await asyncio.gather(
                *(self._engine.delete(row.id) for row in gone), return_exceptions=True
            )
            for row, error in zip(gone, came, strict=True):
                if isinstance(error, StepfastError):
                    refused.append(str(error))
                elif error is not None:
                    raise error
                else:
                    deleted += 1
                    self.removing.forget([row.key])
        said = [action.said(deleted)]
        if left := len(keys) - deleted - len(refused):
            said.append(translate("Actions", "%n left, changed meanwhile", None, left))
        self._say([*said, *refused[:1]])

    # --- taking back, and what has finished -------------------------------------------------------

    @property
    def can_undo(self) -> bool:
        return bool(self.removing.entries)

    @property
    def undo_label(self) -> str:
        """What Undo would do."""
        return self.removing.undo_label

    def undo(self) -> None:
        """Bring back what was removed last, and say what that is."""
        self._do(self._undo())

    async def _undo(self) -> None:
        self._say(await self.removing.undo())

    @property
    def finished_count(self) -> int | None:
        """How many `remove_finished` would remove; None for some, where only a search could tell."""
        shown, counts = self._table.matching, self._table.counts
        if shown.removed:
            return 0
        states = frozenset(FINISHED).intersection(shown.states or FINISHED)
        there = sum(counts.get(each, 0) for each in states)
        counted = is_counted(shown, counts, len(self._table.keys))
        return there if counted or not there else None

    def remove_finished(self) -> None:
        """Remove all that has finished and matches what is shown."""
        if self.finished_count != 0:
            action = ACTION["remove"]
            self._do(self._ask(action, replace(self._selected(), keys=None, without=frozenset())))

    # --- the queue --------------------------------------------------------------------------------

    def move_to(self, index: int) -> None:
        """Put what is selected and queued before the row at `index`, or behind the last that is queued."""
        aim = self.aim
        if aim.keys is not None and (moved := self._fitting(ACTION["first"], aim)):
            self._do(self._drop(moved, *self.queue.beside(moved, index)))

    async def _drop(self, moved: Sequence[int], where: Where | None, other: int | None) -> None:
        self._say(await self.queue.put(moved, where, other))

    async def _line_up(self, action: Action, aim: Aim) -> None:
        moved = await self._keys(action, aim, order="queue")
        self._say(await self.queue.move(moved, action.name, of_those(aim.shown, action)))

    # --- saying, and what runs --------------------------------------------------------------------

    def _hear(self, changed: Changed) -> None:
        if changed.reset:
            self._do(self._look_again())
        elif cancelled := self.removing.hear(changed):
            self._do(self._remove_cancelled(cancelled))

    async def _look_again(self) -> None:
        await self._remove_cancelled(await self.removing.look())

    async def _remove_cancelled(self, keys: Collection[int]) -> None:
        if removed := await self.removing.remove_cancelled(keys):
            self._say([translate("Actions", "%n workflow(s) stopped and removed", None, removed)])

    def _say(self, said: Sequence[str]) -> None:
        if text := sentences(said):
            self.message.emit(text)
        self._tell()

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._told(work), name="asking")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _told(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except StepfastError as error:
            self.message.emit(str(error))


def _kind(row: Summary) -> tuple[object, ...]:
    """What decides what can be done with it."""
    return (row.state.name, row.intent, row.removed_at is None, row.priority)
