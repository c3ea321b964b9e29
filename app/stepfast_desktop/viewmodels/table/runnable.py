"""What somebody alive can run: which rows wait for nobody, what would help, and what kinds are called."""

from __future__ import annotations

from stepfast import Engine, Summary
from stepfast.state import Queued
from stepfast_desktop.viewmodels.starting.elsewhere import one_line
from stepfast_desktop.viewmodels.words import known, translate

__all__ = ["Runnable"]


class Runnable:
    """The offers of living programs, as they were read last. What was offered once is remembered."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._offered: frozenset[tuple[str, int]] | None = None
        self._commands: dict[tuple[str, int], str] = {}
        self._titles: dict[str, str] = {}
        for each in sorted(engine.registry, key=lambda each: each.version):
            self._titles[each.name] = known(one_line(each.title)) or each.name
        self._ours = frozenset(self._titles)

    async def read(self) -> bool:
        """Read what is offered; is it anything else than before? Raises `StepfastError`."""
        offers = await self._engine.offers()
        # When nobody offers it any more, it says what would help.
        self._commands.update({(each.name, each.version): each.command for each in offers if each.command})
        before = dict(self._titles)
        for each in sorted(offers, key=lambda each: each.version):
            if each.name not in self._ours and (title := known(one_line(each.title))):
                self._titles[each.name] = title
        offered = frozenset((each.name, each.version) for each in offers)
        if offered == self._offered and before == self._titles:
            return False
        self._offered = offered
        return True

    def title(self, name: str) -> str:
        """What a definition is called where one starts it; its name, where nobody said."""
        return self._titles.get(name, name)

    def stranded(self, row: Summary) -> bool:
        """Does it wait for a program that is not there?"""
        if self._offered is None or not isinstance(row.state, Queued):
            return False
        return (row.name, row.version) not in self._offered

    def advice(self, row: Summary) -> str:
        """What would help one that is stranded; a command is text to read, and never run."""
        if not self.stranded(row):
            return ""
        command = self._commands.get((row.name, row.version), "stepfast work --load MODULE:ATTRIBUTE")
        return (
            translate("Table", "Start a program that has {name}, version {version}, for instance:").format(
                name=row.name, version=row.version
            )
            + f"\n{command}"
            + self._other_versions(row)
        )

    def _other_versions(self, row: Summary) -> str:
        versions = sorted(version for name, version in self._offered or () if name == row.name)
        if not versions:
            return ""
        return "\n" + translate(
            "Table",
            "Or let it go on with version {version}, which does not say that it can: {command}",
        ).format(version=versions[-1], command=f"stepfast continue-anyway {row.id}")
