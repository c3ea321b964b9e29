"""Statements that are each a whole commit: what calls of one kind ask for, if nothing is in the way of it.

In a transaction each statement gives up the interpreter's lock and has to get it back. Whoever has it
meanwhile may keep it for 5 ms, and ten statements are ten such waits. So what many ask for at once is one
row, put into a view of the write connection's own, and a trigger does all that is to be done. It raises, and
has changed nothing, where the file is not as the writer left it or where more is to be done: then the calls
take the longer way. The counter and the mark are as in a transaction (`transacting.py`).
"""

from __future__ import annotations

from stepfast.sqlite.schema import CURRENT
from stepfast.sqlite.statements import RESULTS

__all__ = ["COMPLETE", "EQUIPMENT", "START"]

NUMBERS = ("counter", "mark", "next_counter", "next_mark")
STARTING = (
    *("name", "version", "priority", "now", "ids", "inputs", "texts", "slots", "owner", "queue", "offered"),
    *NUMBERS,
)
COMPLETING = ("now", "count", "keys", "tokens", "results", "limited", *NUMBERS)

AS_IT_WAS = f"""
SELECT RAISE(ABORT, 'stepfast: others have written') WHERE NOT EXISTS (
    SELECT 1 FROM stepfast_meta WHERE version = {CURRENT} AND counter = new.counter AND mark = new.mark)
"""
KEEP_NUMBERS = "UPDATE stepfast_meta SET counter = new.next_counter, mark = new.next_mark"

# Of one definition and priority, ready now. As many as there are `slots` begin, if nothing else that is
# offered is ready or due. `ids`, `inputs`, `texts` and `offered` are JSON; each takes four numbers: key,
# receipt, change and, perhaps, token.
START_STEPS = (
    """
    SELECT RAISE(ABORT, 'stepfast: there is more to begin') WHERE new.owner IS NOT NULL AND (
        NOT EXISTS (SELECT 1 FROM stepfast_owners WHERE key = new.owner)
        OR EXISTS (SELECT 1 FROM json_each(new.offered) AS o CROSS JOIN stepfast_workflows AS w
                    WHERE w.state = 'queued' AND w.name = json_extract(o.value, '$[0]')
                      AND w.version = json_extract(o.value, '$[1]')
                      AND (w.taken IS NULL OR w.taken <> w.receipt))
        OR EXISTS (SELECT 1 FROM stepfast_workflows WHERE due <= new.now)
        OR EXISTS (SELECT 1 FROM stepfast_schedules WHERE due <= new.now))
    """,
    """
    INSERT INTO stepfast_workflows (key, id, name, version, state, priority, place, receipt, created_at,
                                    change, token, owner, queue, started_at)
    SELECT new.counter + 4 * key + 1, value, new.name, new.version,
           CASE WHEN key < new.slots THEN 'running' ELSE 'queued' END, new.priority,
           new.counter + 4 * key + 2, new.counter + 4 * key + 2, new.now, new.counter + 4 * key + 3,
           CASE WHEN key < new.slots THEN new.counter + 4 * key + 4 END,
           CASE WHEN key < new.slots THEN new.owner END, CASE WHEN key < new.slots THEN new.queue END,
           CASE WHEN key < new.slots THEN new.now END
      FROM json_each(new.ids)
    """,
    """
    INSERT INTO stepfast_payloads (workflow, input)
    SELECT new.counter + 4 * key + 1, value FROM json_each(new.inputs)
    """,
    """
    INSERT INTO stepfast_findable (workflow, text)
    SELECT new.counter + 4 * key + 1, value FROM json_each(new.texts)
    """,
)
# As `statements.COMPLETE`, where nobody is to be told: no parent, no child, nobody whom a limit holds back.
COMPLETE_STEPS = (
    """
    SELECT RAISE(ABORT, 'stepfast: somebody is to be told')
      FROM json_each(new.keys) AS r CROSS JOIN stepfast_workflows AS w
     WHERE w.key = r.value AND (w.queue IS NOT NULL OR w.parent IS NOT NULL OR w.cleanup
           OR w.name IN (SELECT value FROM json_each(new.limited)))
    """,
    """
    UPDATE stepfast_workflows
       SET state = 'completed', due = NULL, waits = NULL, finished_at = new.now, problems = 0, intent = NULL,
           token = NULL, owner = NULL, taken = NULL, change = new.counter + 1 + r.key
      FROM json_each(new.keys) AS r
     WHERE stepfast_workflows.key = r.value AND token IN (SELECT value FROM json_each(new.tokens))
    """,
    "SELECT RAISE(ABORT, 'stepfast: not all are held') WHERE changes() <> new.count",
    RESULTS.replace(":results", "new.results"),
)


def _equipment(view: str, columns: tuple[str, ...], steps: tuple[str, ...]) -> tuple[str, str]:
    """The view, and what putting a row into it does."""
    body = ";\n".join((AS_IT_WAS, *steps, KEEP_NUMBERS))
    return (
        f"CREATE TEMP VIEW {view} AS SELECT {', '.join(f'NULL AS {each}' for each in columns)}",
        f"CREATE TEMP TRIGGER {view}_all INSTEAD OF INSERT ON {view} BEGIN {body}; END",
    )


def _insert(view: str, columns: tuple[str, ...]) -> str:
    return f"INSERT INTO temp.{view} VALUES ({', '.join(f':{each}' for each in columns)})"


EQUIPMENT = (
    *_equipment("stepfast_starting", STARTING, START_STEPS),
    *_equipment("stepfast_completing", COMPLETING, COMPLETE_STEPS),
)
"""What a write connection needs before the others: views and triggers of its own, not of the file's."""

START = _insert("stepfast_starting", STARTING)
COMPLETE = _insert("stepfast_completing", COMPLETING)
