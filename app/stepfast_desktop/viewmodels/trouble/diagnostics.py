"""The diagnostics: what `stepfast doctor` prints, and what can be done about it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from stepfast import Engine
from stepfast.errors import StepfastError
from stepfast.sqlite.care.backups import backups_folder
from stepfast.sqlite.care.doctor import Kept, examine, examine_backups, examine_copy, set_aside
from stepfast.system.threads import once
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.format import date_text, size_text, time_text
from stepfast_desktop.viewmodels.trouble import checkup
from stepfast_desktop.viewmodels.trouble.checkup import Fact
from stepfast_desktop.viewmodels.trouble.mishaps import Desktop
from stepfast_desktop.viewmodels.words import translate

__all__ = ["BackupRow", "Diagnostics", "Section"]


class Section(NamedTuple):
    """A title and what stands below it."""

    title: str
    facts: Sequence[Fact]


@dataclass(frozen=True, slots=True)
class BackupRow:
    """A backup as a list shows it; one that is damaged itself cannot be chosen."""

    path: Path
    made: str
    holds: str
    usable: bool


class Diagnostics:
    """What is known of the program and its file.

    Attributes:
        sections: what `doctor` prints.
        verdict, well: what the last look or action came to, and whether that is good.
        busy: what is under way, empty where nothing is.
        backups: the newest first; None until they are read.
        read_only: why no backup can be made or restored here; empty where one can.
        refused: why a file that was chosen is no backup that could be restored; empty where it is one.
    """

    def __init__(self, engine: Engine, desktop: Desktop, log: Path | None, *, read_only: str = "") -> None:
        self.changed: Event[[]] = Event()
        self.sections: tuple[Section, ...] = ()
        self.verdict, self.well = "", True
        self.busy = ""
        self.backups: tuple[BackupRow, ...] | None = None
        self.refused = ""
        self.read_only = read_only
        self._engine = engine
        self._desktop = desktop
        self._log = log

    @property
    def has_file(self) -> bool:
        """Are the workflows in a file at all?"""
        return self._engine.path is not None

    @property
    def has_log(self) -> bool:
        """Is a log kept?"""
        return self._log is not None

    @property
    def text(self) -> str:
        """All of it, to be copied."""
        lines = []
        for title, facts in self.sections:
            wide = max((len(each.label) for each in facts), default=0)
            lines += [title, *(f"  {each.label:<{wide}}  {each.text}".rstrip() for each in facts), ""]
        return "\n".join([*lines, self.verdict]).rstrip() + "\n"

    async def look(self) -> None:
        """Read what is quickly read."""
        names = sorted({each.name for each in self._engine.registry})
        path = self._engine.path
        sections = [Section(translate("Diagnostics", "Program"), checkup.versions(names))]
        if path is not None:
            try:
                sections.append(
                    Section(translate("Diagnostics", "Files"), await once(lambda: checkup.places(path)))
                )
            except OSError as error:
                self._say(str(error), well=False)
        self.sections = (*sections, *(each for each in self.sections[len(sections) :]))
        self.changed.emit()

    async def check(self) -> None:
        """Read the whole file and its backups, whether they are whole."""
        path = self._engine.path
        if path is None or self.busy:
            return
        self._begin(translate("Diagnostics", "Reading the file and its backups ..."))
        try:
            found = await examine(path)
            kept = await examine_backups(path)
            aside = await once(lambda: set_aside(path))
        except (StepfastError, sqlite3.Error, OSError) as error:
            self._end(str(error), well=False)
            return
        sections = [
            *self.sections[:2],
            Section(translate("Diagnostics", "Workflows"), checkup.store(found)),
        ]
        if kept:
            sections.append(Section(translate("Diagnostics", "Backups"), checkup.backups(kept)))
        if aside:
            facts = [Fact("", str(each)) for each in aside]
            sections.append(Section(translate("Diagnostics", "Set aside"), facts))
        if found.integrity:
            facts = [Fact("", each) for each in found.integrity]
            sections.append(Section(translate("Diagnostics", "What is wrong with the file"), facts))
        self.sections = tuple(sections)
        if found.integrity:
            said = translate(
                "Diagnostics", "The file is damaged. Restore a backup; the file is kept beside it."
            )
            self._end(said, well=False)
        else:
            self._end(translate("Diagnostics", "All is well."))

    async def back_up(self) -> None:
        """Make a backup, beside the automatic ones."""
        if self.busy:
            return
        self._begin(translate("Diagnostics", "Making a backup ..."))
        try:
            made = await self._engine.backup()
        except (StepfastError, OSError) as error:
            self._end(
                translate("Diagnostics", "No backup was made: {reason}").format(reason=error), well=False
            )
            return
        self._end(translate("Diagnostics", "A backup was made: {path}").format(path=made))

    async def read_backups(self) -> None:
        """Read which backups there are, and whether they are whole."""
        path = self._engine.path
        found = [] if path is None else await examine_backups(path)
        now = datetime.now(UTC)
        self.backups, self.refused = tuple(_backup_row(each, now) for each in found), ""
        self.changed.emit()

    async def add_backup(self, path: Path) -> None:
        """Have a backup that lies elsewhere among them, before all others."""
        try:
            row = _backup_row(await examine_copy(path), datetime.now(UTC))
        except (StepfastError, OSError) as error:
            self.refused = str(error)
        else:
            others = [each for each in self.backups or () if each.path != path]
            self.backups, self.refused = (row, *others), ""
        self.changed.emit()

    def open_log_folder(self) -> None:
        """Open the folder that the log is in."""
        if self._log is not None:
            self._desktop.open(self._log.parent)

    def open_data_folder(self) -> None:
        """Open the folder that the file is in."""
        if self._engine.path is not None:
            self._desktop.open(self._engine.path.parent)

    def copy(self) -> None:
        """Put all of it on the clipboard."""
        self._desktop.copy(self.text)

    @property
    def backups_place(self) -> str:
        """The folder of the backups."""
        path = self._engine.path
        return "" if path is None else str(backups_folder(path))

    def _begin(self, what: str) -> None:
        self.busy, self.verdict = what, ""
        self.changed.emit()

    def _end(self, verdict: str, *, well: bool = True) -> None:
        self.busy = ""
        self._say(verdict, well=well)

    def _say(self, verdict: str, *, well: bool) -> None:
        self.verdict, self.well = verdict, well
        self.changed.emit()


def _backup_row(each: Kept, now: datetime) -> BackupRow:
    holds = translate("Diagnostics", "damaged itself")
    if each.workflows is not None:
        holds = translate("Diagnostics", "%n workflow(s)", None, each.workflows)
        holds = translate("Diagnostics", "{workflows}, {size}").format(
            workflows=holds, size=size_text(each.size)
        )
    made = translate("Diagnostics", "{date} ({when})").format(
        date=date_text(each.made_at), when=time_text(each.made_at, now)
    )
    return BackupRow(each.path, made, holds, each.workflows is not None)
