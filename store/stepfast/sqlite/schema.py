"""The tables, and the numbered steps from one version of them to the next.

`migrations[n]` makes version n out of version n - 1. Each runs in one transaction together with its row
in `stepfast_migrations`; `migrating.py` says when, and backs the file up first. A released migration is
never edited: a frozen file of each version lies in `tests/data/` and must open for ever. One thing must stay
in every version to come, since older programs read it to see that they must not write: the column `version`
of `stepfast_meta`.

Layout, and why:

- `stepfast_workflows` has one row a workflow with what scheduling and lists need, so that taking and
  settling are one guarded UPDATE each. Inputs and results lie apart, so lists never read them.
- Records are WITHOUT ROWID and keyed by workflow, kind and name: one B-tree page is dirtied by a step,
  and a workflow's records lie together. Their order is `position`: the counter as it stands, shifted by
  20 bits, and in those bits a number of the writer's own, so that a step does not write the counter. Nobody
  else records steps under the claim, and each claim moves the counter. (Up to schema 1 it was the counter.)
- `place` is the number of the wakeup that made a row ready: its place in the queue among equal priorities.
  `receipt` moves with every wakeup; if places were receipts, another wakeup would cost a row its place.
- `stepfast_meta` is one row: version, counter, horizon. It is read once a batch and written once a batch,
  with a mark that tells after a failed commit whether it is there.
- `stepfast_progress` is what changes all the time. It has its own change number, so a view sees it and
  the row of the workflow stays untouched by a step.
- Counts by state and name are kept by triggers, in the commit that changes the state, whoever makes it.
"""

from __future__ import annotations

import sqlite3
from itertools import chain

from stepfast.finding import findable
from stepfast.sqlite.faults import as_damage, damage

__all__ = ["CURRENT", "FUNCTIONS", "MIGRATIONS", "schema_version"]

VERSION_1 = (
    """
    CREATE TABLE stepfast_meta (
        singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
        version   INTEGER NOT NULL,
        counter   INTEGER NOT NULL,
        horizon   INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE stepfast_migrations (
        version    INTEGER PRIMARY KEY,
        applied_at REAL NOT NULL,
        program    TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE stepfast_workflows (
        key         INTEGER PRIMARY KEY,
        id          TEXT NOT NULL UNIQUE,
        name        TEXT NOT NULL,
        version     INTEGER NOT NULL,
        title       TEXT,
        state       TEXT NOT NULL CHECK (state IN ('queued', 'running', 'sleeping', 'waiting', 'paused',
                                                   'blocked', 'completed', 'failed', 'cancelled')),
        priority    INTEGER NOT NULL DEFAULT 0,
        due         REAL,
        place       INTEGER NOT NULL,
        receipt     INTEGER NOT NULL,
        taken       INTEGER,
        token       INTEGER,
        owner       INTEGER,
        intent      TEXT CHECK (intent IN ('pause', 'cancel')),
        waits       TEXT,
        problems    INTEGER NOT NULL DEFAULT 0,
        attempts    INTEGER NOT NULL DEFAULT 0,
        parent      INTEGER,
        queue       TEXT,
        created_at  REAL NOT NULL,
        started_at  REAL,
        finished_at REAL,
        removed_at  REAL,
        change      INTEGER NOT NULL,
        CHECK (token IS NULL OR owner IS NOT NULL),
        CHECK ((state = 'running') = (token IS NOT NULL)),
        CHECK ((state IN ('completed', 'failed', 'cancelled')) = (finished_at IS NOT NULL))
    ) STRICT
    """,
    # The next of 100,000 ready workflows of a definition costs what the next of ten does.
    """
    CREATE INDEX stepfast_ready ON stepfast_workflows (name, version, priority DESC, place)
        WHERE state = 'queued'
    """,
    "CREATE INDEX stepfast_due ON stepfast_workflows (due) WHERE due IS NOT NULL",
    "CREATE INDEX stepfast_held ON stepfast_workflows (owner) WHERE owner IS NOT NULL",
    "CREATE INDEX stepfast_by_state ON stepfast_workflows (state, key)",
    "CREATE INDEX stepfast_by_change ON stepfast_workflows (change)",
    "CREATE INDEX stepfast_by_finish ON stepfast_workflows (finished_at) WHERE finished_at IS NOT NULL",
    "CREATE INDEX stepfast_by_removal ON stepfast_workflows (removed_at) WHERE removed_at IS NOT NULL",
    "CREATE INDEX stepfast_children ON stepfast_workflows (parent) WHERE parent IS NOT NULL",
    """
    CREATE TABLE stepfast_payloads (
        workflow INTEGER PRIMARY KEY,
        input    TEXT NOT NULL,
        result   TEXT,
        failure  TEXT
    ) STRICT
    """,
    """
    CREATE TABLE stepfast_problems (
        workflow INTEGER NOT NULL,
        position INTEGER NOT NULL,
        about    TEXT NOT NULL,
        message  TEXT NOT NULL,
        PRIMARY KEY (workflow, position)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE stepfast_records (
        workflow    INTEGER NOT NULL,
        kind        TEXT NOT NULL,
        name        TEXT NOT NULL,
        position    INTEGER NOT NULL,
        value       TEXT NOT NULL,
        started_at  REAL NOT NULL,
        recorded_at REAL NOT NULL,
        attempts    INTEGER NOT NULL,
        PRIMARY KEY (workflow, kind, name)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE stepfast_attempts (
        workflow   INTEGER NOT NULL,
        step       TEXT NOT NULL,
        attempt    INTEGER NOT NULL,
        started_at REAL NOT NULL,
        ended_at   REAL,
        failure    TEXT,
        PRIMARY KEY (workflow, step, attempt)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE stepfast_bookmarks (
        workflow INTEGER NOT NULL,
        step     TEXT NOT NULL,
        value    TEXT NOT NULL,
        PRIMARY KEY (workflow, step)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE stepfast_messages (
        workflow   INTEGER NOT NULL,
        position   INTEGER NOT NULL,
        value      TEXT NOT NULL,
        arrived_at REAL NOT NULL,
        PRIMARY KEY (workflow, position)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE stepfast_log (
        workflow INTEGER NOT NULL,
        position INTEGER NOT NULL,
        at       REAL NOT NULL,
        level    TEXT NOT NULL,
        step     TEXT,
        text     TEXT NOT NULL,
        PRIMARY KEY (workflow, position)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE stepfast_progress (
        workflow INTEGER PRIMARY KEY,
        step     TEXT,
        done     REAL,
        total    REAL,
        text     TEXT NOT NULL DEFAULT '',
        change   INTEGER NOT NULL
    ) STRICT
    """,
    "CREATE INDEX stepfast_progress_by_change ON stepfast_progress (change)",
    """
    CREATE TABLE stepfast_tombstones (
        change     INTEGER PRIMARY KEY,
        id         TEXT NOT NULL,
        deleted_at REAL NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE stepfast_counts (
        state TEXT PRIMARY KEY,
        n     INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TRIGGER stepfast_count_started AFTER INSERT ON stepfast_workflows WHEN new.removed_at IS NULL BEGIN
        INSERT INTO stepfast_counts (state, n) VALUES (new.state, 1)
            ON CONFLICT (state) DO UPDATE SET n = n + 1;
    END
    """,
    """
    CREATE TRIGGER stepfast_count_deleted AFTER DELETE ON stepfast_workflows WHEN old.removed_at IS NULL BEGIN
        UPDATE stepfast_counts SET n = n - 1 WHERE state = old.state;
    END
    """,
    """
    CREATE TRIGGER stepfast_count_moved AFTER UPDATE OF state, removed_at ON stepfast_workflows
        WHEN old.state <> new.state OR (old.removed_at IS NULL) <> (new.removed_at IS NULL)
    BEGIN
        UPDATE stepfast_counts SET n = n - 1 WHERE state = old.state AND old.removed_at IS NULL;
        INSERT INTO stepfast_counts (state, n) SELECT new.state, 1 WHERE new.removed_at IS NULL
            ON CONFLICT (state) DO UPDATE SET n = n + 1;
    END
    """,
    """
    CREATE TABLE stepfast_owners (
        key        INTEGER PRIMARY KEY,
        file       TEXT NOT NULL,
        boot       TEXT NOT NULL,
        pid        INTEGER NOT NULL,
        beat       INTEGER NOT NULL,
        doorbell   TEXT,
        started_at REAL NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE stepfast_offers (
        owner   INTEGER NOT NULL,
        name    TEXT NOT NULL,
        version INTEGER NOT NULL,
        title   TEXT NOT NULL,
        form    TEXT NOT NULL,
        command TEXT NOT NULL,
        PRIMARY KEY (owner, name, version)
    ) STRICT, WITHOUT ROWID
    """,
    "INSERT INTO stepfast_meta (singleton, version, counter, horizon) VALUES (1, 1, 0, 0)",
)

# Counts by state were enough for a window; by name as well, they say how a list is read best.
COUNTS_BY_NAME = (
    "DROP TRIGGER stepfast_count_started",
    "DROP TRIGGER stepfast_count_deleted",
    "DROP TRIGGER stepfast_count_moved",
    "DROP TABLE stepfast_counts",
    """
    CREATE TABLE stepfast_counts (
        state TEXT NOT NULL,
        name  TEXT NOT NULL,
        n     INTEGER NOT NULL,
        PRIMARY KEY (state, name)
    ) STRICT, WITHOUT ROWID
    """,
    """
    INSERT INTO stepfast_counts (state, name, n)
    SELECT state, name, count(*) FROM stepfast_workflows WHERE removed_at IS NULL GROUP BY state, name
    """,
    """
    CREATE TRIGGER stepfast_count_started AFTER INSERT ON stepfast_workflows WHEN new.removed_at IS NULL BEGIN
        INSERT INTO stepfast_counts (state, name, n) VALUES (new.state, new.name, 1)
            ON CONFLICT (state, name) DO UPDATE SET n = n + 1;
    END
    """,
    """
    CREATE TRIGGER stepfast_count_deleted AFTER DELETE ON stepfast_workflows WHEN old.removed_at IS NULL BEGIN
        UPDATE stepfast_counts SET n = n - 1 WHERE state = old.state AND name = old.name;
    END
    """,
    """
    CREATE TRIGGER stepfast_count_moved AFTER UPDATE OF state, removed_at ON stepfast_workflows
        WHEN old.state <> new.state OR (old.removed_at IS NULL) <> (new.removed_at IS NULL)
    BEGIN
        UPDATE stepfast_counts SET n = n - 1
         WHERE state = old.state AND name = old.name AND old.removed_at IS NULL;
        INSERT INTO stepfast_counts (state, name, n)
            SELECT new.state, new.name, 1 WHERE new.removed_at IS NULL
            ON CONFLICT (state, name) DO UPDATE SET n = n + 1;
    END
    """,
)

VERSION_2 = (
    "ALTER TABLE stepfast_meta ADD COLUMN mark INTEGER NOT NULL DEFAULT 0",
    # Does its checkpoint have a value that nobody should have to wait for? Of older ones nothing is known.
    "ALTER TABLE stepfast_workflows ADD COLUMN heavy INTEGER NOT NULL DEFAULT 0",
    "UPDATE stepfast_workflows SET heavy = 1",
    # Workflows whose row is gone, and whose parts (records, log lines and so on) go little by little.
    "CREATE TABLE stepfast_leftovers (workflow INTEGER PRIMARY KEY) STRICT",
    # Definitions with a `forget`: only a program that has it may delete their workflows.
    "CREATE TABLE stepfast_forgets (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID",
    # Lists. One index for each order that is indexed, without what was removed; names and starts have
    # one for what is pending and one for what has finished, so that a wait moves no entry of the larger one.
    # `state` is in them so that a filter need not read the row; in front, it would cost 8 us more for each at
    # every end of a workflow. Ids need none besides their UNIQUE: a second one would be 35 us (measured).
    "DROP INDEX stepfast_by_state",
    "DROP INDEX stepfast_by_finish",
    "CREATE INDEX stepfast_listed ON stepfast_workflows (state) WHERE removed_at IS NULL",
    """
    CREATE INDEX stepfast_by_finish ON stepfast_workflows (finished_at, key, state)
        WHERE finished_at IS NOT NULL AND removed_at IS NULL
    """,
    """
    CREATE INDEX stepfast_pending_by_name ON stepfast_workflows (name, key, state)
        WHERE finished_at IS NULL
    """,
    """
    CREATE INDEX stepfast_pending_by_start ON stepfast_workflows (started_at, key, state)
        WHERE finished_at IS NULL
    """,
    """
    CREATE INDEX stepfast_finished_by_name ON stepfast_workflows (name, key, state)
        WHERE finished_at IS NOT NULL AND removed_at IS NULL
    """,
    """
    CREATE INDEX stepfast_finished_by_start ON stepfast_workflows (started_at, key, state)
        WHERE finished_at IS NOT NULL AND removed_at IS NULL
    """,
    *COUNTS_BY_NAME,
    # Search. What is found of each workflow (`stepfast.finding`), and up to which key it is in the index, a
    # virtual table that is made where SQLite has FTS5 (`search.py`). No trigger writes to that one, so that
    # a SQLite without FTS5 can write to the file: what is deleted of it waits in `stepfast_unfindable`.
    "ALTER TABLE stepfast_meta ADD COLUMN searchable INTEGER NOT NULL DEFAULT 0",
    "CREATE TABLE stepfast_findable (workflow INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
    "CREATE TABLE stepfast_unfindable (workflow INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
    """
    INSERT INTO stepfast_findable (workflow, text)
    SELECT key, stepfast_findable(id, name) FROM stepfast_workflows
    """,
    """
    CREATE TRIGGER stepfast_found_no_more AFTER DELETE ON stepfast_workflows BEGIN
        INSERT INTO stepfast_unfindable (workflow, text)
            SELECT workflow, text FROM stepfast_findable, stepfast_meta
             WHERE workflow = old.key AND workflow <= searchable;
        DELETE FROM stepfast_findable WHERE workflow = old.key;
    END
    """,
)

VERSION_3: tuple[str, ...] = (
    # What runs in each queue: counted before anything of a queue that has a limit begins. `queue` is written
    # when a pass begins, as the definition of whoever begins it has it.
    """
    CREATE INDEX stepfast_queues ON stepfast_workflows (queue)
        WHERE queue IS NOT NULL AND token IS NOT NULL
    """,
    # How many children of a parent are pending is asked whenever one of them ends.
    "DROP INDEX stepfast_children",
    """
    CREATE INDEX stepfast_children ON stepfast_workflows (parent, finished_at) WHERE parent IS NOT NULL
    """,
    "ALTER TABLE stepfast_offers ADD COLUMN at_once INTEGER",
    "ALTER TABLE stepfast_offers ADD COLUMN queue TEXT",
    "ALTER TABLE stepfast_offers ADD COLUMN queue_at_once INTEGER",
    # What is started again and again. `rule` is JSON; `due` the next run, NULL where nobody could tell.
    """
    CREATE TABLE stepfast_schedules (
        name       TEXT PRIMARY KEY,
        definition TEXT NOT NULL,
        version    INTEGER NOT NULL,
        input      TEXT NOT NULL,
        rule       TEXT NOT NULL,
        missed     TEXT NOT NULL CHECK (missed IN ('once', 'skip')),
        due        REAL,
        change     INTEGER NOT NULL
    ) STRICT
    """,
    "CREATE INDEX stepfast_schedules_due ON stepfast_schedules (due) WHERE due IS NOT NULL",
    # When a person had it tried again: from then on its timeout counts.
    "ALTER TABLE stepfast_workflows ADD COLUMN renewed_at REAL",
    # Definitions with an `on_cancel`; and, of one that was cancelled, that what is owed is that.
    "CREATE TABLE stepfast_cleanups (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID",
    "ALTER TABLE stepfast_workflows ADD COLUMN cleanup INTEGER NOT NULL DEFAULT 0",
    # Where the last pass began to say how far it is.
    "ALTER TABLE stepfast_progress ADD COLUMN from_done REAL",
    "ALTER TABLE stepfast_progress ADD COLUMN from_at REAL",
    # Attempts are records.
    "DROP TABLE stepfast_attempts",
)


def _on_workflows(*migrations: tuple[str, ...]) -> tuple[str, ...]:
    """The indexes and triggers of the table of workflows that these made, and did not drop."""
    made: dict[str, str] = {}
    for statement in chain(*migrations):
        match statement.split()[:3]:
            case ["CREATE", "INDEX" | "TRIGGER", name] if " ON stepfast_workflows" in statement:
                made[name] = statement
            case ["DROP", "INDEX" | "TRIGGER", name]:
                made.pop(name, None)
    return (*made.values(),)


# The same table with the same constraints, but for how they say what the states are: for an IN in a CHECK
# SQLite makes a table each time, which was 2 us of 8 at each start, beginning and end of a workflow.
VERSION_4: tuple[str, ...] = (
    """
    CREATE TABLE stepfast_workflows_anew (
        key         INTEGER PRIMARY KEY,
        id          TEXT NOT NULL UNIQUE,
        name        TEXT NOT NULL,
        version     INTEGER NOT NULL,
        title       TEXT,
        state       TEXT NOT NULL,
        priority    INTEGER NOT NULL DEFAULT 0,
        due         REAL,
        place       INTEGER NOT NULL,
        receipt     INTEGER NOT NULL,
        taken       INTEGER,
        token       INTEGER,
        owner       INTEGER,
        intent      TEXT,
        waits       TEXT,
        problems    INTEGER NOT NULL DEFAULT 0,
        attempts    INTEGER NOT NULL DEFAULT 0,
        parent      INTEGER,
        queue       TEXT,
        created_at  REAL NOT NULL,
        started_at  REAL,
        finished_at REAL,
        removed_at  REAL,
        change      INTEGER NOT NULL,
        heavy       INTEGER NOT NULL DEFAULT 0,
        renewed_at  REAL,
        cleanup     INTEGER NOT NULL DEFAULT 0,
        CHECK (CASE WHEN state = 'running' THEN token IS NOT NULL AND finished_at IS NULL
                    WHEN state = 'completed' OR state = 'failed' OR state = 'cancelled'
                    THEN token IS NULL AND finished_at IS NOT NULL
                    WHEN state = 'queued' OR state = 'sleeping' OR state = 'waiting' OR state = 'paused'
                         OR state = 'blocked'
                    THEN token IS NULL AND finished_at IS NULL
                    ELSE FALSE END),
        CHECK (token IS NULL OR owner IS NOT NULL),
        CHECK (intent IS NULL OR intent = 'pause' OR intent = 'cancel')
    ) STRICT
    """,
    "INSERT INTO stepfast_workflows_anew SELECT * FROM stepfast_workflows",
    "DROP TABLE stepfast_workflows",
    # Nothing names the new table by this name, and a view of somebody's that names the old one is no reason
    # to refuse what follows.
    "PRAGMA legacy_alter_table = ON",
    "ALTER TABLE stepfast_workflows_anew RENAME TO stepfast_workflows",
    "PRAGMA legacy_alter_table = OFF",
    *_on_workflows(VERSION_1, VERSION_2, VERSION_3),
)

# What statements of a migration call: the name, how many arguments, and what is called.
FUNCTIONS = (("stepfast_findable", 2, findable),)

MIGRATIONS: dict[int, tuple[str, ...]] = {1: VERSION_1, 2: VERSION_2, 3: VERSION_3, 4: VERSION_4}
CURRENT = max(MIGRATIONS)


def schema_version(connection: sqlite3.Connection) -> int:
    """The version of the engine's tables in a file; 0 where there are none."""
    try:
        there = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'stepfast_meta'").fetchone()
    except UnicodeDecodeError as error:
        raise as_damage(error) from None
    if there is None:
        return 0
    row = connection.execute("SELECT version FROM stepfast_meta").fetchone()
    if row is None:
        raise damage("the row that has the version of the tables is gone")
    return int(row[0])
