"""The durable store over one SQLite file: `connect` opens it, `migrate` makes it or brings it up to date."""

from stepfast.sqlite.catalogue import SqliteCatalogue
from stepfast.sqlite.checkpointer import SqliteCheckpointer
from stepfast.sqlite.durable import SqliteDurable, connect
from stepfast.sqlite.migrating import migrate
from stepfast.sqlite.restoring import Restored, restore
from stepfast.sqlite.scheduler import SqliteScheduler

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
