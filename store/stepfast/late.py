"""What is imported when it is first wanted, and not by every program that starts.

A module may give names that it has not imported. Python asks its `__getattr__` for what it does not have (PEP
562), also in `from ... import`. Type checkers do not, so it imports the same names under `TYPE_CHECKING`.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module

__all__ = ["Needed", "given_late", "import_all", "imported"]

logger = logging.getLogger("stepfast")

_imported: set[str] = set()

# Of the standard library, what functions of the engine import.
STANDARD = (
    "ctypes",
    "decimal",
    "fcntl",
    "hashlib",
    "hmac",
    "select",
    "shutil",
    "tempfile",
    "uuid",
    "zoneinfo",
)


def given_late(module: str, places: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a module.

    Args:
        module: its `__name__`.
        places: the names that it gives late, and the module that each of them is in.
    """

    def give(name: str) -> object:
        place = places.get(name)
        if place is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = getattr(import_module(place), name)
        setattr(sys.modules[module], name, value)  # and is not asked again
        return value

    return give


async def imported(*modules: str) -> None:
    """Import modules on a thread: it takes longer than a loop should stand still.

    What is imported from them right after this costs nothing more. Raises what importing them raises.
    """
    if _imported.issuperset(modules):
        return
    from stepfast.system.threads import once

    def import_them() -> None:
        for each in modules:
            import_module(each)

    await once(import_them)
    _imported.update(modules)


def import_all(*packages: str) -> None:
    """Import all of the engine now, with what it needs of the standard library; takes about 0.1 s.

    For a program that will not be able to import later: one that gives up its privileges or changes its root,
    or that goes on for so long that it may be updated under its feet.

    Args:
        packages: names of others of which all modules are imported too.

    Raises what importing them raises.
    """
    import pkgutil

    import stepfast

    found = pkgutil.walk_packages(stepfast.__path__, "stepfast.")
    names = [each.name for each in found if not each.name.startswith("stepfast.testing")]
    for package in packages:
        within = import_module(package).__path__
        names += [each.name for each in pkgutil.walk_packages(within, f"{package}.")]
    for name in names:
        import_module(name)
    for name in STANDARD:
        with suppress(ModuleNotFoundError):  # it is of another system
            import_module(name)
    _imported.update(names)


class Needed:
    """Modules that many tasks of one loop need at once, and a program may never come to need."""

    def __init__(self, *modules: str) -> None:
        self._modules = modules
        self._importing: asyncio.Future[None] | None = None

    async def there(self) -> bool:
        """Have them imported; False where they cannot be now: the program is being updated, perhaps."""
        if self._importing is None:
            self._importing = asyncio.ensure_future(imported(*self._modules))
        try:
            await asyncio.shield(self._importing)
        except Exception:
            logger.exception("a part of Stepfast cannot be loaded; it is tried again, or start it anew")
            self._importing = None
            return False
        return True
