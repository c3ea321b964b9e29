"""The statements of the store, each with the reason for its guard.

`:now` is bound from the store's clock and numbers (`:change`, `:receipt`, `:token`, `:position`) from the
file's one counter, so that the text of a statement never changes and is prepared once.
"""

from __future__ import annotations

from functools import cache

from stepfast.sqlite.schema import CURRENT

# Of one that is being cancelled: is a pass owed that tidies up?
TIDIES = "(cleanup = 0 AND name IN (SELECT name FROM stepfast_cleanups))"
_CANCELLED = f"CASE WHEN {TIDIES} THEN 'queued' ELSE 'cancelled' END"

META = "SELECT version, counter, mark FROM stepfast_meta"
# What every schema to come has.
COUNTER = "SELECT counter FROM stepfast_meta"
SCHEMA = "SELECT version FROM stepfast_meta"
# The mark is random: after a COMMIT that failed on I/O it tells whether that one is there.
KEEP_COUNTER = "UPDATE stepfast_meta SET counter = :counter, mark = :mark"

# --- checkpoint -----------------------------------------------------------------------------------

# The fence and the record in one statement: the SELECT gives a row only under the claim as it stands.
# Equality, not >=: a token that is not the claim's is refused whichever way it differs, and so is any
# token when there is no claim. ON CONFLICT DO NOTHING: the first writer wins.
RECORD = """
INSERT INTO stepfast_records (workflow, kind, name, position, value, started_at, recorded_at, attempts)
SELECT key, :kind, :name, :position, :value, :started_at, :now, :attempts
  FROM stepfast_workflows WHERE key = :workflow AND token = :token
ON CONFLICT (workflow, kind, name) DO NOTHING RETURNING 1
"""


@cache
def record_rows(count: int) -> str:
    """The same for several records, all of them or none, as `calls.Insert` has it.

    What the fence stops has no key, which no record may lack, and a name that is there is a conflict. Each
    statement gives up the interpreter's lock and has to get it back, so one is better than `count`; as a
    commit of its own it is the only one.
    """
    rows = ", ".join(f"({', '.join(f'?{5 + 7 * n + i}' for i in range(7))}, {n})" for n in range(count))
    return f"""
    INSERT INTO stepfast_records (workflow, kind, name, position, value, started_at, recorded_at, attempts)
    SELECT w.key, column3, column4, coalesce(?2, m.counter) << 20 | (?3 + column8), column5, column6, ?1,
           column7
      FROM (VALUES {rows}) CROSS JOIN stepfast_meta m
      LEFT JOIN stepfast_workflows w ON w.key = column1 AND w.token = column2 AND m.version = {CURRENT}
     LIMIT ?4
    """


# When RECORD gave no row: is it the fence (no row here) or a record that was there (its value)?
RECORDED = """
SELECT (SELECT value FROM stepfast_records WHERE workflow = :workflow AND kind = :kind AND name = :name)
  FROM stepfast_workflows WHERE key = :workflow AND token = :token
"""

HOLDS = "SELECT 1 FROM stepfast_workflows WHERE key = :workflow AND token = :token"
HOLDS_AS = HOLDS + " AND owner = :owner"

# One aggregated row: 200 rows fetched one by one give up and retake the GIL 200 times, which beside a
# busy thread was measured at 75 ms instead of 11.
_RECORDS = """
SELECT json_group_array(json_array(kind, name, value, position, started_at, recorded_at, attempts))
  FROM stepfast_records WHERE workflow = {workflow}
"""
_MESSAGES = (
    "SELECT json_group_array(json_array(position, value)) FROM stepfast_messages WHERE workflow = {workflow}"
)
_BOOKMARKS = "SELECT json_group_object(step, value) FROM stepfast_bookmarks WHERE workflow = {workflow}"
_RECORDS_OF, _MESSAGES_OF, _BOOKMARKS_OF = (
    each.format(workflow=":workflow") for each in (_RECORDS, _MESSAGES, _BOOKMARKS)
)
# The row is asked for because parts outlive it for a while when a workflow is deleted.
LOAD_RECORDS = f"""
{_RECORDS_OF} AND position > :after AND EXISTS (SELECT 1 FROM stepfast_workflows WHERE key = :workflow)
"""
LOAD = f"""
SELECT ({_RECORDS_OF} AND position > :after), ({_MESSAGES_OF} AND position > :after), ({_BOOKMARKS_OF})
  FROM stepfast_workflows WHERE key = :workflow
"""

FORGET_BOOKMARK = "DELETE FROM stepfast_bookmarks WHERE workflow = :workflow AND step = :step"
BOOKMARK = """
INSERT INTO stepfast_bookmarks (workflow, step, value) VALUES (:workflow, :step, :value)
ON CONFLICT (workflow, step) DO UPDATE SET value = excluded.value
"""
PROGRESS = """
INSERT INTO stepfast_progress (workflow, step, done, total, text, from_done, from_at, change)
VALUES (:workflow, :step, :done, :total, :text, :from_done, :from_at, :change)
ON CONFLICT (workflow) DO UPDATE SET step = coalesce(excluded.step, step),
    done = coalesce(excluded.done, done), total = CASE WHEN :done IS NULL THEN total ELSE excluded.total END,
    text = CASE WHEN :done IS NULL THEN text ELSE excluded.text END,
    from_done = CASE WHEN :done IS NULL THEN from_done ELSE excluded.from_done END,
    from_at = CASE WHEN :done IS NULL THEN from_at ELSE excluded.from_at END, change = excluded.change
"""
# Where it failed, whatever step was noted last.
FAILED_AT = """
INSERT INTO stepfast_progress (workflow, step, change) VALUES (:workflow, :step, :change)
ON CONFLICT (workflow) DO UPDATE SET step = excluded.step, change = excluded.change
"""
LOG = """
INSERT INTO stepfast_log (workflow, position, at, level, step, text)
VALUES (:workflow, :position, :at, :level, :step, :text)
"""

ATTEMPTED = "UPDATE stepfast_workflows SET attempts = attempts + 1 WHERE key = :workflow"
HEAVY = "UPDATE stepfast_workflows SET heavy = 1 WHERE key = :workflow AND NOT heavy"

# --- claims ---------------------------------------------------------------------------------------

# token IS NULL: at most one claim. Only a pending workflow can be claimed. The delivery, if one is out,
# is whoever's asked for it, so `taken` stays; but not where another owner took it. The row names one owner:
# a delivery whose taker died while the claim was another's would be out for ever.
CLAIM = """
UPDATE stepfast_workflows
   SET state = 'running', token = :token, due = NULL, waits = NULL,
       taken = CASE WHEN owner = :owner THEN taken END, owner = :owner,
       started_at = coalesce(started_at, :now), change = :change
 WHERE id = :id AND token IS NULL AND state IN ('queued', 'sleeping', 'waiting')
RETURNING key
"""

# token = :token: releasing a claim that somebody else has taken since would free theirs. What was asked of
# the holder is carried out now that there is none. A delivery that is out (`taken`) stays with its taker.
RELEASE = f"""
UPDATE stepfast_workflows
   SET state = CASE intent WHEN 'cancel' THEN {_CANCELLED} WHEN 'pause' THEN 'paused' ELSE 'queued' END,
       finished_at = CASE WHEN intent = 'cancel' AND NOT {TIDIES} THEN :now END,
       cleanup = CASE WHEN intent = 'cancel' THEN 1 ELSE cleanup END,
       owner = CASE WHEN taken IS NULL OR intent IS NOT NULL THEN NULL ELSE owner END,
       taken = CASE WHEN intent IS NULL THEN taken END,
       intent = NULL, token = NULL, change = :change
 WHERE key = :workflow AND token = :token
RETURNING state, cleanup
"""

# --- schedule -------------------------------------------------------------------------------------

# A sleeper whose time has come is ready, with a new receipt, exactly like one that was woken.
DUE = "SELECT key FROM stepfast_workflows WHERE due <= :now ORDER BY due LIMIT :limit"
NEXT_DUE = """
SELECT min(due) FROM (SELECT min(due) AS due FROM stepfast_workflows WHERE due IS NOT NULL
                      UNION ALL SELECT min(due) FROM stepfast_schedules WHERE due IS NOT NULL)
"""
MAKE_READY = """
UPDATE stepfast_workflows
   SET state = 'queued', due = NULL, waits = NULL, receipt = :receipt, place = :receipt, change = :change
 WHERE key = :workflow AND state IN ('sleeping', 'waiting')
"""

# A wakeup renews the receipt whatever the state, so a delivery that is out is answered for in vain. It
# makes a sleeping or waiting row ready; a paused or blocked one stays, since resuming makes a pass anyway;
# a running one keeps its claim, and settling compares receipts. One whose delivery was out is ready from now
# on: in its old place it would go before what has waited since, as often as it is woken.
_WAKE = """
UPDATE stepfast_workflows
   SET receipt = :receipt, change = :change,
       state = CASE WHEN state IN ('sleeping', 'waiting') THEN 'queued' ELSE state END,
       place = CASE WHEN state IN ('sleeping', 'waiting') OR (state = 'queued' AND taken = receipt)
                    THEN :receipt ELSE place END,
       due = CASE WHEN state IN ('sleeping', 'waiting') THEN NULL ELSE due END,
       waits = CASE WHEN state IN ('sleeping', 'waiting') THEN NULL ELSE waits END
 WHERE {which} AND finished_at IS NULL
RETURNING key, state
"""
WAKE = _WAKE.format(which="id = :id")
WAKE_KEY = _WAKE.format(which="key = :key")

# One sub-select for each definition offered walks the index `stepfast_ready` from its start, so what is
# queued for others costs nothing. `token IS NULL` cannot be false for a queued row; `taken` may be: such a
# row is out with somebody, unless its receipt was renewed since.
READY_OF = """
SELECT * FROM (SELECT key, priority, place, name, version FROM stepfast_workflows
                WHERE state = 'queued' AND name = ? AND version = ? AND (taken IS NULL OR taken <> receipt)
                ORDER BY priority DESC, place, key LIMIT ?)
"""

# What runs of the names and in the queues that have a limit, whoever holds it.
RUNNING_OF = """
SELECT name, n FROM stepfast_counts
 WHERE state = 'running' AND name IN (SELECT value FROM json_each(:names))
"""
RUNNING_IN = """
SELECT queue, count(*) FROM stepfast_workflows
 WHERE token IS NOT NULL AND queue IN (SELECT value FROM json_each(:queues)) GROUP BY queue
"""

TAKE = """
UPDATE stepfast_workflows SET taken = receipt, owner = :owner, change = :change
 WHERE key = :workflow AND state = 'queued'
RETURNING id, receipt
"""

# Answering for a delivery. `receipt = :receipt`: a wakeup since renewed it, so the row has moved on;
# `token IS NULL`: a claimed row is answered for by settling.
WAKE_AT = """
UPDATE stepfast_workflows
   SET state = 'sleeping', due = :due, taken = NULL, owner = NULL, change = :change
 WHERE key = :workflow AND receipt = :receipt AND taken = :receipt AND token IS NULL AND state = 'queued'
RETURNING 1
"""
DONE = """
UPDATE stepfast_workflows
   SET state = 'waiting', due = NULL, taken = NULL, owner = NULL, change = :change
 WHERE key = :workflow AND receipt = :receipt AND taken = :receipt AND token IS NULL AND state = 'queued'
RETURNING 1
"""

# --- taking and settling, fused -------------------------------------------------------------------

_BEGIN = """
UPDATE stepfast_workflows AS w
   SET state = 'running', taken = NULL, token = :number + 1 + {two}, owner = :owner, queue = :queue,
       started_at = coalesce(w.started_at, :now), change = :number + 2 + {two}
       {which} AND w.state = 'queued' AND w.token IS NULL
"""
_BEGUN = """
       w.token, w.key, w.id, w.name, w.version, w.receipt, coalesce(w.renewed_at, w.started_at), w.cleanup,
       (SELECT {input} FROM stepfast_payloads WHERE workflow = w.key)
"""
# What began is asked for by a second statement: RETURNING makes a table each time, which was 5 us of 40.
# A workflow takes two numbers behind `:number`, its token and its change.
_ONE = "WHERE w.key = :workflow"
BEGIN_PASS = _BEGIN.format(which=_ONE, two="0")
# With its checkpoint, if that is not more than is read at once; all of it one text (a moment to 10 us is
# enough here).
_FEW = """
NOT w.heavy AND (SELECT count(*) FROM (SELECT 1 FROM stepfast_records WHERE workflow = w.key LIMIT 65))
    + (SELECT count(*) FROM (SELECT 1 FROM stepfast_messages WHERE workflow = w.key LIMIT 65))
    + (SELECT count(*) FROM stepfast_bookmarks WHERE workflow = w.key) <= 64
"""
_PARTS = (each.format(workflow="w.key") for each in (_RECORDS, _MESSAGES, _BOOKMARKS))
BEGUN_PASS = f"""
SELECT json_array({_BEGUN.format(input="input")},
       CASE WHEN {_FEW} THEN json_array({", ".join(f"json(({part}))" for part in _PARTS)}) END)
  FROM stepfast_workflows AS w {_ONE} AND w.token = :number + 1
"""
# Many of one queue at once, of which each costs half: the indices are opened once. `:keys` is JSON. What
# began is one text (a moment to 10 us is enough here), without long inputs, and with whether there is
# anything in its checkpoint, which is read elsewhere then.
BEGIN_PASSES = _BEGIN.format(which="FROM json_each(:keys) AS r WHERE w.key = r.value", two="2 * r.key")
BEGUN_PASSES = f"""
SELECT json_group_array(json_array({_BEGUN.format(input="CASE WHEN length(input) <= 4096 THEN input END")},
       EXISTS (SELECT 1 FROM stepfast_records WHERE workflow = w.key)
       OR EXISTS (SELECT 1 FROM stepfast_messages WHERE workflow = w.key)
       OR EXISTS (SELECT 1 FROM stepfast_bookmarks WHERE workflow = w.key)))
  FROM json_each(:keys) AS r CROSS JOIN stepfast_workflows AS w
 WHERE w.key = r.value AND w.token = :number + 1 + 2 * r.key
"""

# token = :token: only the claim that stands may settle. A pass that finished stays finished, whatever was
# asked meanwhile. Otherwise an intent is carried out; a pass that stopped for an intent which was taken
# back since (resume) is owed another; and sleeping or waiting with a receipt that moved was woken. Only what
# was woken goes behind those that are ready: what was stopped goes on in its place, as in a takeover.
SETTLE = f"""
UPDATE stepfast_workflows
   SET state = CASE WHEN :state IN ('completed', 'failed') THEN :state
                    WHEN :state = 'tidied' THEN 'cancelled'
                    WHEN intent = 'cancel' THEN {_CANCELLED}
                    WHEN intent = 'pause' THEN 'paused'
                    WHEN :state = 'blocked' THEN :state
                    WHEN :state IN ('sleeping', 'waiting') AND receipt = :receipt THEN :state
                    ELSE 'queued' END,
       place = CASE WHEN intent IS NULL AND :state IN ('sleeping', 'waiting') THEN :change ELSE place END,
       due = CASE WHEN intent IS NULL AND :state IN ('sleeping', 'waiting') AND receipt = :receipt
                  THEN :due END,
       waits = CASE WHEN intent IS NULL AND (:state = 'blocked' OR (:state IN ('sleeping', 'waiting')
                         AND receipt = :receipt)) THEN :waits END,
       finished_at = CASE WHEN :state IN ('completed', 'failed', 'tidied')
                               OR (intent = 'cancel' AND NOT {TIDIES}) THEN :now END,
       cleanup = CASE WHEN intent = 'cancel' AND :state NOT IN ('completed', 'failed') THEN 1
                      ELSE cleanup END,
       problems = CASE WHEN :state IN ('completed', 'failed') THEN :problems ELSE problems END,
       intent = NULL, token = NULL, owner = NULL, taken = NULL, change = :change
 WHERE key = :workflow AND token = :token
"""
SETTLED = "SELECT state, name, queue, parent, cleanup FROM stepfast_workflows WHERE key = :workflow"
# As SETTLE, for many that completed, of which each costs a third. `:keys` and `:tokens` are JSON. A token is
# of one claim alone, so who has one of these has its own.
COMPLETE = """
UPDATE stepfast_workflows AS w
   SET state = 'completed', due = NULL, waits = NULL, finished_at = :now,
       problems = 0, intent = NULL, token = NULL, owner = NULL, taken = NULL, change = :number + 1 + r.key
  FROM json_each(:keys) AS r
 WHERE w.key = r.value AND w.token IN (SELECT value FROM json_each(:tokens))
"""
# Those of them that somebody is to be told of: who is held back by a limit, a parent, children.
COMPLETED = """
SELECT json_group_array(json_array(w.key, w.queue IS NOT NULL OR w.name IN limited, w.parent, w.cleanup))
  FROM json_each(:keys) AS r CROSS JOIN stepfast_workflows AS w WHERE w.key = r.value
   AND (w.queue IS NOT NULL OR w.name IN limited OR w.parent IS NOT NULL OR w.cleanup)
""".replace("limited", "(SELECT value FROM json_each(:limited))")
RESULTS = """
UPDATE stepfast_payloads SET result = json_extract(r.value, '$[1]'), failure = NULL
  FROM json_each(:results) AS r WHERE workflow = json_extract(r.value, '$[0]')
"""
RESULT = "UPDATE stepfast_payloads SET result = :result, failure = :failure WHERE workflow = :workflow"
PROBLEM = """
INSERT INTO stepfast_problems (workflow, position, about, message)
VALUES (:workflow, :position, :about, :message)
"""

# --- starting, and what comes from outside --------------------------------------------------------

FIND = """
SELECT w.key, w.name, w.version, p.input FROM stepfast_workflows w
  JOIN stepfast_payloads p ON p.workflow = w.key WHERE w.id = :id
"""
JOINABLE = """
SELECT w.key, w.id FROM stepfast_workflows w JOIN stepfast_payloads p ON p.workflow = w.key
 WHERE w.state IN ('queued', 'running', 'sleeping', 'waiting', 'paused', 'blocked')
   AND w.name = :name AND w.version = :version AND p.input = :input AND w.removed_at IS NULL
 ORDER BY w.key LIMIT 1
"""
START = """
INSERT INTO stepfast_workflows (key, id, name, version, state, priority, due, place, receipt, created_at,
                                change)
VALUES (:key, :id, :name, :version, CASE WHEN :due > :now THEN 'sleeping' ELSE 'queued' END, :priority,
        CASE WHEN :due > :now THEN :due END, :receipt, :receipt, :now, :change)
"""
# Many that are new and ready now, of one definition and priority. `:ids`, `:inputs` and `:texts` are JSON;
# each takes three numbers: key, receipt and change.
START_MANY = """
INSERT INTO stepfast_workflows (key, id, name, version, state, priority, place, receipt, created_at, change)
SELECT :number + 3 * key + 1, value, :name, :version, 'queued', :priority, :number + 3 * key + 2,
       :number + 3 * key + 2, :now, :number + 3 * key + 3
  FROM json_each(:ids)
"""
KEEP_INPUTS = """
INSERT INTO stepfast_payloads (workflow, input)
SELECT :number + 3 * key + 1, value FROM json_each(:inputs)
"""
KEEP_FINDABLES = """
INSERT INTO stepfast_findable (workflow, text)
SELECT :number + 3 * key + 1, value FROM json_each(:texts)
"""
KEEP_INPUT = "INSERT INTO stepfast_payloads (workflow, input) VALUES (:workflow, :input)"
KEEP_FINDABLE = "INSERT INTO stepfast_findable (workflow, text) VALUES (:workflow, :text)"
# What came before a step, all of it where that is not recorded. Positions stay: those of messages are named
# in records.
COPY_RECORDS = """
INSERT INTO stepfast_records (workflow, kind, name, position, value, started_at, recorded_at, attempts)
SELECT :new, kind, name, position, value, started_at, recorded_at, attempts FROM stepfast_records
 WHERE workflow = :old AND kind NOT IN ('attempt', 'begun', 'started')
   AND position < coalesce((SELECT position FROM stepfast_records
                             WHERE workflow = :old AND kind = 'step' AND name = :step), 9223372036854775807)
"""
COPY_MESSAGES = """
INSERT INTO stepfast_messages (workflow, position, value, arrived_at)
SELECT :new, position, value, arrived_at FROM stepfast_messages WHERE workflow = :old
"""
COPY_WEIGHT = """
UPDATE stepfast_workflows SET heavy = (SELECT heavy FROM stepfast_workflows WHERE key = :old) WHERE key = :new
"""
STATE_OF = "SELECT key, state FROM stepfast_workflows WHERE id = :id"

# The first answer under a name wins; the receipt still moves, since whoever asks wants a pass.
ANSWER = """
INSERT INTO stepfast_records (workflow, kind, name, position, value, started_at, recorded_at, attempts)
VALUES (:workflow, 'answer', :name, :position, :value, :now, :now, 1)
ON CONFLICT (workflow, kind, name) DO NOTHING RETURNING 1
"""
# A person has said what became of an interrupted step; nobody holds a blocked workflow.
UNBLOCK = """
UPDATE stepfast_workflows
   SET state = 'queued', waits = NULL, due = NULL, receipt = :receipt, place = :receipt, change = :change
 WHERE id = :id AND state = 'blocked'
RETURNING key
"""
# Nobody makes a pass of it, and nobody has taken it to make one.
REASSIGN = """
UPDATE stepfast_workflows
   SET version = :version, change = :change
 WHERE id = :id AND token IS NULL AND finished_at IS NULL AND (taken IS NULL OR taken <> receipt)
RETURNING key
"""
KEEP_RECORD = """
INSERT INTO stepfast_records (workflow, kind, name, position, value, started_at, recorded_at, attempts)
VALUES (:workflow, :kind, :name, :position, :value, :started_at, :now, :attempts)
ON CONFLICT (workflow, kind, name) DO NOTHING
"""
ANSWERED = """
SELECT value FROM stepfast_records WHERE workflow = :workflow AND kind = 'answer' AND name = :name
"""
MESSAGE = """
INSERT INTO stepfast_messages (workflow, position, value, arrived_at)
VALUES (:workflow, :position, :value, :now)
"""

# --- owners ---------------------------------------------------------------------------------------

REGISTER = """
INSERT INTO stepfast_owners (key, file, boot, pid, beat, doorbell, started_at)
VALUES (:owner, :file, :boot, :pid, 0, :doorbell, :now)
"""
BEAT = "UPDATE stepfast_owners SET beat = beat + 1 WHERE key = :owner RETURNING 1"
# A beat below zero: the engine was closed while a thread of it still ran a step, so none will follow, and
# only the lock, which lasts as long as the process, says whether it is over.
LAST_BEAT = "UPDATE stepfast_owners SET beat = -1 WHERE key = :owner"
# The fifth column: does it owe a beat? An owner that holds nothing owes nobody one.
OWNERS = """
SELECT key, file, boot, beat,
       beat >= 0 AND EXISTS (SELECT 1 FROM stepfast_workflows WHERE owner = stepfast_owners.key), doorbell
  FROM stepfast_owners
"""
OWNER = OWNERS + " WHERE key = :owner"
IS_REGISTERED = "SELECT 1 FROM stepfast_owners WHERE key = :owner"
UNREGISTER = "DELETE FROM stepfast_owners WHERE key = :owner"
WITHDRAW = "DELETE FROM stepfast_offers WHERE owner = :owner"
OFFER = """
INSERT INTO stepfast_offers (owner, name, version, title, form, command, at_once, queue, queue_at_once)
VALUES (:owner, :name, :version, :title, :form, :command, :at_once, :queue, :queue_at_once)
"""
KEEP_CLEANUP = "INSERT INTO stepfast_cleanups (name) VALUES (:name) ON CONFLICT (name) DO NOTHING"
KEEP_FORGET = "INSERT INTO stepfast_forgets (name) VALUES (:name) ON CONFLICT (name) DO NOTHING"
HELD = "SELECT key, token, receipt, intent FROM stepfast_workflows WHERE owner = :owner AND token IS NOT NULL"
HELD_BY = "SELECT key, id FROM stepfast_workflows WHERE owner = :owner"

# A dead owner's claim ends and its workflow is owed a pass, but for what a person asked meanwhile. Its place
# stays, so that what was interrupted goes on first. Rows
# that were only taken (not claimed) are ready again. owner = :owner: looked up again inside the takeover.
TAKE_OVER = f"""
UPDATE stepfast_workflows
   SET state = CASE WHEN state <> 'running' THEN state WHEN intent = 'cancel' THEN {_CANCELLED}
                    WHEN intent = 'pause' THEN 'paused' ELSE 'queued' END,
       finished_at = CASE WHEN state = 'running' AND intent = 'cancel' AND NOT {TIDIES} THEN :now
                          ELSE finished_at END,
       cleanup = CASE WHEN state = 'running' AND intent = 'cancel' THEN 1 ELSE cleanup END,
       intent = NULL, token = NULL, owner = NULL, taken = NULL, receipt = :receipt, change = :change
 WHERE key = :workflow AND owner = :owner
RETURNING state, cleanup
"""

# --- one workflow, and what there is (lists are in `list_statements.py`) ---------------------------

# Which of some workflows are pending and how the others ended, in one row. A value that is long is left out,
# to be read by itself.
ENDS = """
SELECT json_group_array(key) FILTER (WHERE NOT finished),
       json_group_array(json_array(key, state, short, CASE WHEN short THEN result END,
                                   CASE WHEN short THEN failure END)) FILTER (WHERE finished)
  FROM (SELECT w.key, w.state, w.finished_at IS NOT NULL AS finished, p.result, p.failure,
               coalesce(length(p.result), 0) + coalesce(length(p.failure), 0) <= :most AS short
          FROM json_each(:keys) asked CROSS JOIN stepfast_workflows w
          LEFT JOIN stepfast_payloads p ON p.workflow = w.key AND w.finished_at IS NOT NULL
         WHERE w.key = asked.value)
"""
PAYLOAD = "SELECT input, result, failure FROM stepfast_payloads WHERE workflow = :workflow"
PROBLEMS = """
SELECT json_group_array(json_array(about, message))
  FROM (SELECT about, message FROM stepfast_problems WHERE workflow = :workflow ORDER BY position)
"""
LOG_LINES = """
SELECT json_group_array(json_array(position, printf('%.6f', at), level, step, text))
  FROM (SELECT position, at, level, step, text FROM stepfast_log
         WHERE workflow = :workflow AND position > :after ORDER BY position LIMIT :limit)
"""
COUNTS = "SELECT state, sum(n) FROM stepfast_counts GROUP BY state"  # of any schema
OFFERS = """
SELECT owner, name, version, title, form, command, at_once, queue, queue_at_once
  FROM stepfast_offers ORDER BY name, version, owner
"""
