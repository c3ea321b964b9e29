"""The durable store over one SQLite file: `connect` opens it, `migrate` makes it or brings it up to date."""

from typing import TYPE_CHECKING

from stepfast.late import given_late
from stepfast.sqlite.catalogue import SqliteCatalogue
from stepfast.sqlite.checkpointer import SqliteCheckpointer
from stepfast.sqlite.durable import SqliteDurable, connect
from stepfast.sqlite.file.migrating import migrate
from stepfast.sqlite.scheduler import SqliteScheduler

if TYPE_CHECKING:
    from stepfast.sqlite.care.restoring import Restored, restore
else:
    __getattr__ = given_late(
        __name__, dict.fromkeys(["Restored", "restore"], "stepfast.sqlite.care.restoring")
    )

__all__ = [
    "Restored",
    "SqliteCatalogue",
    "SqliteCheckpointer",
    "SqliteDurable",
    "SqliteScheduler",
    "connect",
    "migrate",
    "restore",
]
