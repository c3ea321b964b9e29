"""What is wrong with the file or its disk, as notices above the table that go when the cause is gone.

What each condition is, and how the engine finds out that it is over: docs/faults.md.
"""

from __future__ import annotations

from collections.abc import Callable

from stepfast import Engine
from stepfast.health import Condition, Disk
from stepfast_desktop.viewmodels.events import Event
from stepfast_desktop.viewmodels.feed import Feed
from stepfast_desktop.viewmodels.format import readable, size_text
from stepfast_desktop.viewmodels.notices import Notice, Notices
from stepfast_desktop.viewmodels.trouble.mishaps import Desktop
from stepfast_desktop.viewmodels.words import translate

__all__ = ["Faults"]

Button = tuple[str, Callable[[], object]]

# What leads nowhere by itself: a person may close these, and is told again when it comes again.
CLOSABLE = ("no-backup", "old-reader", "uncopied")
# Their messages say more than we could: which program, or where what could be saved is.
TELLING = ("locked", "gone", "failing", "old-reader", "no-backup", "damaged", "read-only")

# With so many bytes free it is not for want of them that a disk takes nothing more.
PLENTY = 64 * 1024 * 1024


class Faults:
    """Follows the conditions of the engine.

    Attributes:
        asked: emitted with what a person wants done that takes more than this: "restore" (choose a backup),
            "reopen" (open the file anew) or "quit".
    """

    def __init__(
        self, engine: Engine, feed: Feed, notices: Notices, desktop: Desktop, *, read_only: bool = False
    ) -> None:
        """In a window that is `read_only`, nothing is offered that changes the file."""
        self.asked: Event[[str]] = Event()
        self._engine = engine
        self._feed = feed
        self._notices = notices
        self._desktop = desktop
        self._read_only = read_only
        self._said: dict[str, Condition] = {}
        self._stop = feed.conditions_changed.connect(self._look)
        self._look()

    def close(self) -> None:
        """Follow no more."""
        self._stop()

    def _look(self) -> None:
        now = {each.kind: each for each in self._feed.conditions}
        for kind in [*self._said]:
            if kind not in now:
                del self._said[kind]
                self._notices.hide(_key(kind))
        for kind, condition in now.items():
            before = self._said.get(kind)
            # One that a person has closed stays closed, unless it says something else.
            if before is None or (before.message, before.disk) != (condition.message, condition.disk):
                self._said[kind] = condition
                self._notices.show(self._notice(condition))

    def _notice(self, condition: Condition) -> Notice:
        text = _headline(condition.kind) if condition.disk is None else _full(condition.disk)
        if condition.kind in TELLING:
            text = f"{text} {_sentence(condition.message)}"
        return Notice(
            _key(condition.kind),
            text,
            tuple(self._buttons(condition.kind)),
            severity="error" if condition.stops_work else "warning",
            stays=condition.kind not in CLOSABLE,
        )

    def _buttons(self, kind: str) -> list[Button]:
        open_folder = (translate("Faults", "Open folder"), self._open_folder)
        again = (translate("Faults", "Try again now"), self._engine.try_again)
        reopen = (translate("Faults", "Open the file anew"), lambda: self.asked.emit("reopen"))
        match kind:
            case "full" | "read-only" | "failing":
                return [open_folder, again]
            case "locked":
                return [again]
            case "gone":
                return [open_folder, reopen]
            case "damaged" if not self._read_only:
                return [(translate("Faults", "Restore a backup ..."), lambda: self.asked.emit("restore"))]
            case "newer":
                return [(translate("Faults", "Quit"), lambda: self.asked.emit("quit"))]
            case "uncopied":
                return [reopen]
            case "no-backup":
                return [open_folder]
            case _:
                return []

    def _open_folder(self) -> None:
        path = self._engine.path
        if path is not None:
            # The nearest that is there: the folder itself may be what is gone.
            self._desktop.open(next(each for each in (path.parent, *path.parents) if each.is_dir()))


def _headline(kind: str) -> str:
    match kind:
        case "full":
            return translate(
                "Faults",
                "The disk is full, so nothing new is begun. Nothing that is recorded is lost; make some room "
                "there, and it goes on by itself.",
            )
        case "read-only":
            return translate(
                "Faults", "The file of your workflows cannot be written, so nothing new is begun."
            )
        case "failing":
            return translate("Faults", "The disk reports errors, so nothing new is begun.")
        case "locked":
            return translate("Faults", "Another program keeps the file of your workflows to itself.")
        case "gone":
            return translate("Faults", "The file of your workflows is not where it was.")
        case "damaged":
            return translate("Faults", "The file of your workflows is damaged. Nothing is written to it.")
        case "newer":
            return translate(
                "Faults",
                "A newer Stepfast has opened this file, and this one can write to it no more. Quit, and "
                "start the newer one.",
            )
        case "uncopied":
            return translate(
                "Faults",
                "After an error of the disk the file's log is only added to, and grows. All is safe; close "
                "the other programs that use the file, then open it anew.",
            )
        case "no-backup":
            return translate("Faults", "No backup can be made.")
        case "old-reader":
            return translate("Faults", "Another program reads for so long that the file's log grows.")
        case _:
            return translate("Faults", "Something is wrong with the file of your workflows.")


def _full(disk: Disk) -> str:
    if disk.free is not None and disk.free >= PLENTY:
        text = translate(
            "Faults",
            "The disk at {disk} takes nothing more, though {size} are free there: perhaps a quota is used "
            "up. Nothing new is begun. Nothing that is recorded is lost; make some room there, and it goes "
            "on by itself.",
        )
    else:
        text = translate(
            "Faults",
            "The disk at {disk} is full ({size} free), so nothing new is begun. Nothing that is recorded is "
            "lost; make some room there, and it goes on by itself.",
        )
    return text.format(disk=readable(disk.mount), size="?" if disk.free is None else size_text(disk.free))


def _key(kind: str) -> str:
    return f"fault {kind}"


def _sentence(text: str) -> str:
    # A program's name at the beginning stays as it is.
    if text.startswith("/") or "(process " in text.partition(" has ")[0]:
        return f"{text}."
    return f"{text[:1].upper()}{text[1:]}."
