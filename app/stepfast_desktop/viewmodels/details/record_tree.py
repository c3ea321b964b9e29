"""What a workflow has recorded, as a tree: a record, and in it what its value is made of.

A value is read when its record is looked at, and taken apart when it is opened.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from stepfast import Engine, StepfastError
from stepfast.definitions.annotations import json_of
from stepfast.errors import UnstorableValue
from stepfast.interfaces import Kind
from stepfast.values import codec
from stepfast_desktop.viewmodels.details.values import value_text
from stepfast_desktop.viewmodels.details.waits import try_text
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.format import count_text, readable, size_text
from stepfast_desktop.viewmodels.words import translate

if TYPE_CHECKING:
    from stepfast.views import RecordOutline

__all__ = ["Node", "RecordTree"]

MOST_CHARACTERS = 200
MOST_PARTS = 1000
FEW_PARTS = 8
AT_ONCE = 500
LARGE = 100_000
"""Characters of a value that is read only when it is opened."""

_Key: TypeAlias = tuple[str, str]


class Node:
    """A row of the tree: a record, or a part of one's value."""

    def __init__(self, parent: Node | None, row: int, name: str) -> None:
        self.parent = parent
        self.row = row
        self.name = name
        self.kind = ""
        self.text = ""
        self.read = True
        """Is its value known?"""
        self.parts: list[Node] | None = []
        """None where it is not taken apart yet."""
        self._value: Any = None

    @property
    def value(self) -> Any:
        """The value, plain; only where it is `read`."""
        return self._value

    @property
    def opens(self) -> bool:
        """Is there, or may there be, something in it?"""
        return self.parts is None or bool(self.parts)

    def put(self, value: Any) -> None:
        """Take this as its value."""
        self._value, self.read = value, True
        self.text = _short(value)
        self.parts = None if _is_made_of_parts(value) else []

    def open(self) -> list[Node]:
        """What it is made of."""
        if self.parts is None and self.read:
            self.parts = [*_parts(self, self._value)]
        return self.parts or []


class _Record(Node):
    def __init__(self, row: int, outline: RecordOutline) -> None:
        super().__init__(None, row, _name_of(outline))
        self.outline = outline
        self.kind = _kind_text(outline.kind)
        self.read = False
        large = outline.size > LARGE
        self.parts = None if large else []
        self.text = size_text(outline.size) if large else ""


class RecordTree:
    """The records in order. Belongs to the loop that its engine was opened on."""

    def __init__(self, engine: Engine) -> None:
        self.reset: Event[[]] = Event()
        """Records of another workflow."""
        self.adding: Event[[int]] = Event()
        """So many come at the end: told before and, by `added`, after."""
        self.added: Event[[]] = Event()
        self.opening: Event[[Node, int]] = Event()
        """The value of a record is known now, and is made of so many parts; told before they are there."""
        self.read: Event[[Node]] = Event()
        """The value of a record is known now, and its parts are there."""
        self.records: list[_Record] = []
        """The first of them, and `more` as somebody wants them: a tree is laid out whole."""
        self._engine = engine
        self._id: str | None = None
        self._outlines: Sequence[RecordOutline] = ()
        self._telling = False
        self._reading: dict[_Key, asyncio.Task[None]] = {}

    async def close(self) -> None:
        """Read nothing more."""
        tasks = [*self._reading.values()]
        self.show(None, ())
        if tasks:
            await asyncio.wait(tasks)

    def show(self, id: str | None, outlines: Sequence[RecordOutline]) -> None:
        """The records of this workflow, which may be those that are shown and more."""
        before = self._outlines
        same = id == self._id and len(outlines) >= len(before)
        if same and (not before or before[-1] is outlines[len(before) - 1]):
            all_made = len(self.records) == len(before)
            self._outlines = outlines
            if all_made and len(outlines) > len(before):
                self.more()
            return
        for task in self._reading.values():
            task.cancel()
        self._reading.clear()
        # Whoever shows them knows them by where they lie: they go once nobody does.
        gone, self._id = self.records, id
        self._telling = True
        self._outlines = outlines
        self.records = [_Record(row, each) for row, each in enumerate(outlines[:AT_ONCE])]
        self.reset.emit()
        self._telling = False
        gone.clear()

    @property
    def has_more(self) -> bool:
        """Are there records that are not among `records` yet?"""
        return not self._telling and len(self.records) < len(self._outlines)

    def more(self) -> None:
        """The next of them, as somebody comes to the end of those that are there."""
        if not self.has_more:
            return
        there = len(self.records)
        some = self._outlines[there : there + AT_ONCE]
        # Whoever hears of it may ask for more at once.
        self._telling = True
        self.adding.emit(len(some))
        self.records += [_Record(there + n, each) for n, each in enumerate(some)]
        self.added.emit()
        self._telling = False

    def look_at(self, node: Node) -> None:
        """Somebody sees this record: its value is read, unless it is a large one."""
        if isinstance(node, _Record) and not node.read and node.outline.size <= LARGE:
            self._read(node)

    def open(self, node: Node) -> None:
        """Somebody opens this record, or asks for its value."""
        if isinstance(node, _Record) and not node.read:
            self._read(node)

    async def copied(self, node: Node) -> str:
        """The whole value of a node as JSON, a text as it is."""
        self.open(node)
        if isinstance(node, _Record) and (task := self._reading.get(_key(node))) is not None:
            await asyncio.wait({task})
        value = json_of(node.value)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)

    def _read(self, record: _Record) -> None:
        key = _key(record)
        if self._id is not None and key not in self._reading:
            self._reading[key] = asyncio.create_task(self._read_one(self._id, record), name="record")

    async def _read_one(self, id: str, record: _Record) -> None:
        try:
            found = await self._engine.record(id, record.outline.kind, record.outline.name)
            if found is None:
                return
            try:
                value = codec.decode(found.text)
            except UnstorableValue:
                value = found.text
        except StepfastError as error:
            record.text, record.read, record.parts = str(error), True, []
            self.read.emit(record)
            return
        finally:
            self._reading.pop(_key(record), None)
        record.parts = []
        record.put(value)
        parts = [*_parts(record, value)]
        record.parts = []
        if parts:
            self.opening.emit(record, len(parts))
        record.parts = parts
        self.read.emit(record)


def _key(record: _Record) -> _Key:
    return (record.outline.kind, record.outline.name)


def _name_of(outline: RecordOutline) -> str:
    name = readable(outline.name)
    if outline.kind in (Kind.ATTEMPT, Kind.BEGUN):
        return try_text(outline.kind, name)
    return name


def _kind_text(kind: str) -> str:
    match kind:
        case Kind.STEP:
            return translate("Records", "step")
        case Kind.SLEEP:
            return translate("Records", "sleep")
        case Kind.ANSWER:
            return translate("Records", "answer")
        case Kind.RECEIVED:
            return translate("Records", "message")
        case Kind.STARTED:
            return translate("Records", "task started")
        case Kind.CHILD:
            return translate("Records", "task ended")
        case Kind.BEGUN:
            return translate("Records", "begun")
        case Kind.ATTEMPT:
            return translate("Records", "attempt")
    return kind


def _is_made_of_parts(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple | set | frozenset) and bool(value)


def _parts(parent: Node, value: Any) -> list[Node]:
    if not _is_made_of_parts(value):
        return []
    if isinstance(value, Mapping):
        pairs = [(readable(str(name)), item) for name, item in [*value.items()][:MOST_PARTS]]
    else:
        items = sorted(value, key=str) if isinstance(value, set | frozenset) else value
        pairs = [(str(place), item) for place, item in enumerate([*items][:MOST_PARTS])]
    made = []
    for row, (name, item) in enumerate(pairs):
        node = Node(parent, row, name)
        node.put(item)
        made.append(node)
    if (more := len(value) - len(made)) > 0:
        made.append(Node(parent, len(made), translate("Details", "and %n more", None, more)))
    return made


def _short(value: Any) -> str:
    """A value on one line; of one that is made of parts, how many there are and what the first ones say."""
    if not isinstance(value, Mapping | list | tuple | set | frozenset):
        return _line(value)
    said: list[str] = []
    if isinstance(value, Mapping):
        for name, item in islice(value.items(), FEW_PARTS):
            said.append(f"{readable(str(name))}: {_count(item) or _line(item)}")
    else:
        said += [_count(item) or _line(item) for item in islice(value, FEW_PARTS)]
    if len(value) > len(said):
        said.append("…")
    return _cut(f"{_count(value)} {', '.join(said)}".strip())


def _count(value: Any) -> str:
    """How many parts a value is made of; empty for one that is not."""
    if isinstance(value, Mapping):
        return f"{{{count_text(len(value))}}}"
    if isinstance(value, list | tuple | set | frozenset):
        return f"[{count_text(len(value))}]"
    return ""


def _line(value: Any) -> str:
    text = value_text(value[: MOST_CHARACTERS + 1] if isinstance(value, str) else value)
    return _cut(" ".join(text.split()))


def _cut(line: str) -> str:
    return line if len(line) <= MOST_CHARACTERS else f"{line[:MOST_CHARACTERS]}…"
