"""From where the rows of a list come: which indexes, and which of the ways there are is the best.

A list is put together from runs: stretches of an index that have the wanted rows in the wanted order, one for
each state, say. SQLite merges them as it reads (`MERGE (UNION ALL)` in its plans), so that the first hundred
rows cost a hundred rows. Where a filter would pass by too many rows of the runs of an order, its rows are
gathered from other indexes and sorted, which costs as much as there are such rows. Every index is named, so
that no plan depends on what SQLite guesses of the file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from stepfast.sqlite.reading.search import Found
from stepfast.state import FINISHED, PENDING, STATES
from stepfast.views import Filter

__all__ = [
    "MOST_NAMES",
    "TO_PASS",
    "TO_SIFT",
    "TO_SORT",
    "Counts",
    "Group",
    "Run",
    "Sift",
    "Way",
    "below",
    "ways",
]

Counts = Mapping[tuple[str, str], int]
"""How many there are by state and name, without those that were removed and without zeros."""


@dataclass(frozen=True, slots=True)
class Group:
    """Rows with a common place in an order: of two groups, all of the one come before all of the other.

    Args:
        states: those of its rows.
        by: what they are ordered by, an expression; only by when they were started where it is None.
        index: what the indexes of the expression are called after, where it has some.
        newest: of rows that are equal in it, the newest comes first.
    """

    states: frozenset[str]
    by: str | None = None
    index: str | None = None
    newest: bool = False


class Run(NamedTuple):
    """The rows `w` of `source` of which all of `where` is true."""

    source: str
    where: tuple[str, ...]


class Sift(NamedTuple):
    """Keys, as one text that is there or that `sql` gives: the rows that have them are `wanted`, or are not.

    For whoever reads all keys: in Python, it is half the work of a lookup for each row in SQLite.
    """

    wanted: bool
    sql: str = ""
    keys: str = ""


class Way(NamedTuple):
    """Runs that have the wanted rows between them, and what reading them costs, in microseconds or so."""

    runs: list[Run]
    cost: float
    sifts: tuple[Sift, ...] = ()


# Measured, of 100,000 rows.
TO_SORT = 1.5  # a row that is read by its key, and sorted
TO_READ = 1.0  # a row that is read to see whether it is wanted
TO_PASS = 0.2  # an entry of an index
TO_SIFT = 0.2  # a key, those of a sift and those that go through it

MOST_NAMES = 20
"""So many names have runs of their own: a statement cannot be put together from any number."""

IN_LIST = "w.removed_at IS NULL"
HAS_FINISHED = f"w.finished_at IS NOT NULL AND {IN_LIST}"
IS_PENDING = "w.finished_at IS NULL"
ASKING = frozenset({"waiting", "blocked"})
# As `rows.waits_text` writes it. No name looks so: in it, a quotation mark is escaped.
IS_ASKED = """(w.state = 'blocked' OR instr(w.waits, '["answer",'))"""
HAS_PROBLEMS = "w.problems > 0"
BY_ID = "sqlite_autoindex_stepfast_workflows_1"
IS_FOUND = "EXISTS (SELECT 1 FROM stepfast_findable f WHERE f.workflow = w.key AND instr(f.text, :text))"
# Of anybody who is on the lists: it stands below that one, unless it goes on where that one has finished.
IS_BELOW = """EXISTS (SELECT 1 FROM stepfast_workflows a WHERE a.key = w.parent AND a.removed_at IS NULL
                        AND (a.finished_at IS NULL OR w.finished_at IS NOT NULL))"""
IS_ON_TOP = f"(w.parent IS NULL OR NOT {IS_BELOW})"
IS_A_CHILD = "w.parent IN (SELECT value FROM json_each(:parents))"
KEYS = "SELECT group_concat(key) FROM stepfast_workflows w INDEXED BY {} WHERE {}"


def ways(group: Group, filter: Filter, counts: Counts, found: Found | None, limit: int | None) -> list[Way]:
    """The ways to read the first `limit` rows of a group, or all of them; none where there are no rows."""
    return [*_Wanted(group, filter, counts, found, limit).ways()]


def below(filter: Filter) -> str:
    """The statement for the keys of what stands below others, so that a filter for the top leaves it out."""
    others = f"w.parent NOT IN ({', '.join(map(str, map(int, filter.parents)))})"
    return KEYS.format("stepfast_children", f"w.parent IS NOT NULL AND {IS_BELOW} AND {others}")


class _Wanted:
    """What a list has of one group, and the ways to read it."""

    def __init__(
        self, group: Group, filter: Filter, counts: Counts, found: Found | None, limit: int | None
    ) -> None:
        self._group = group
        self._filter = filter
        self._counts = counts
        self._found = found
        self._limit = limit
        self._by_name = 0 < len(filter.names) <= MOST_NAMES
        self._there = {state for state, _ in counts}
        states = group.states & (filter.states or group.states)
        if filter.needs_answer:
            states &= ASKING
        if not filter.removed:
            states &= self._there
        # The run with the most rows comes last: there, it is merged only once.
        self._states = sorted(states, key=lambda state: (self._count([state]), state))
        self._matching = self._count(self._states, filter.names)
        if found is not None:
            self._matching = min(self._matching, found.count)
        # A page looks at its rows one by one; whoever reads all keys sifts them.
        self._sifts: tuple[Sift, ...] = ()
        # What one reads a row for, and no index tells.
        self._check_rows: tuple[str, ...] = (IS_ASKED,) if filter.needs_answer else ()
        if filter.problems:
            self._check_rows += (HAS_PROBLEMS,)
        self._checks: tuple[str, ...] = self._check_rows
        if found is not None and (found.known or not found.others):
            if limit is None:
                self._sifts = (Sift(not found.others, keys=found.keys),)
            else:
                self._checks += (IS_FOUND,)
        self._check_top: tuple[str, ...] = ()
        if filter.top:
            self._check_top = (f"({IS_ON_TOP} OR {IS_A_CHILD})" if filter.parents else IS_ON_TOP,)
            if limit is None:
                self._sifts += (Sift(False, below(filter)),)
            else:
                self._checks += self._check_top

    def ways(self) -> Iterator[Way]:
        if not self._states:
            return
        if self._filter.parents and not self._filter.top:
            is_there = "w.removed_at IS NOT NULL" if self._filter.removed else IN_LIST
            where = (IS_A_CHILD, is_there, *self._check_states(STATES), *self._check_names(), *self._checks)
            yield Way([self._with_progress(_run("stepfast_children", *where))], 0.0, self._sifts)
            return
        if self._filter.removed:
            where = (*self._check_states(FINISHED), *self._check_names(), *self._checks)
            run = _run("stepfast_by_removal", "w.removed_at IS NOT NULL", *where)
            yield Way([self._with_progress(run)], 0.0, self._sifts)
            return
        if not self._matching:
            return
        if self._found is not None and not self._found.others:
            where = (
                IN_LIST,
                *self._check_states(self._there),
                *self._check_names(),
                *self._check_rows,
                *self._check_top,
            )
            source = "json_each(:found) f CROSS JOIN stepfast_workflows w ON w.key = f.value"
            yield Way([self._with_progress(Run(source, where))], TO_SORT * self._found.count)
        yield self._gathered()
        match self._group.index:
            case "name" | "start" as index if not (index == "name" and self._by_name):
                yield self._split(index)
            case "finish":
                where = (HAS_FINISHED, *self._check_states(FINISHED), *self._check_names())
                run = _run("stepfast_by_finish", *where, *self._checks)
                yield self._way([run], self._count(FINISHED), reads=bool(self._filter.names))
            case "id":
                yield self._by_id()

    def _gathered(self) -> Way:
        """From the indexes by state and name, in which rows lie by when they were started."""
        if self._by_name:
            names = [f":name{place}" for place in range(len(self._filter.names))]
            runs, passed = self._halves("name", [f"w.name = {name}" for name in names], self._filter.names)
        else:
            where = (*self._check_names(), *self._checks)
            runs = [_run("stepfast_listed", IN_LIST, f"w.state = '{each}'", *where) for each in self._states]
            passed = self._count(self._states)
        runs = [self._with_progress(run) for run in runs]
        if self._group.by is None or (self._group.index == "name" and self._by_name):
            return self._way(runs, passed, reads=bool(self._filter.names) and not self._by_name)
        if self._there.issubset(self._states) and not (self._filter.names or self._checks):
            # All of them: the table is read from its beginning to its end.
            runs = [self._with_progress(Run("stepfast_workflows w NOT INDEXED", (IN_LIST,)))]
        return Way(runs, TO_PASS * passed + TO_SORT * self._matching, self._sifts)

    def _split(self, index: str) -> Way:
        """In an order that has one index for what is pending and one for what has finished."""
        names = self._check_names()
        runs, passed = self._halves(index, [" AND ".join(names) or "TRUE"])
        return self._way(runs, passed, reads=bool(names))

    def _halves(
        self, index: str, conditions: list[str], names: Collection[str] = ()
    ) -> tuple[list[Run], int]:
        """Runs of what meets one of these, in what is pending and in what has finished; and how many pass."""
        runs: list[Run] = []
        passed = 0
        for half, states, is_there in (
            ("pending", PENDING, IS_PENDING),
            ("finished", FINISHED, HAS_FINISHED),
        ):
            there = self._there.intersection(states)
            if there.intersection(self._states):
                name, where = f"stepfast_{half}_by_{index}", (*self._check_states(there), *self._checks)
                runs += [_run(name, is_there, condition, *where) for condition in conditions]
                passed += self._count(there, names)
        return runs, passed

    def _by_id(self) -> Way:
        """From the index that keeps ids unique, which knows neither states nor what was removed."""
        everything = self._count(self._there)
        if self._limit is not None:
            checks = (*self._check_states(self._there), *self._check_names(), *self._checks)
            return self._way([_run(BY_ID, IN_LIST, *checks)], everything, reads=True)
        sifts = [*self._sifts, Sift(False, KEYS.format("stepfast_by_removal", "w.removed_at IS NOT NULL"))]
        others = self._there.difference(self._states)
        if others:
            wanted = self._count(self._states) <= self._count(others)
            states = _among(self._states if wanted else sorted(others))
            sifts.append(Sift(wanted, KEYS.format("stepfast_listed", f"{IN_LIST} AND {states}")))
        checks = (*self._check_names(), *self._check_rows)
        way = self._way([_run(BY_ID, *checks)], everything, reads=bool(checks))
        known = min(self._count(self._states), self._count(others))
        return Way(way.runs, way.cost + TO_SIFT * (known + everything), tuple(sifts))

    def _way(self, runs: list[Run], passed: float, *, reads: bool) -> Way:
        """One that passes so many rows in the wanted order; `reads` each, to see whether it is wanted."""
        reads = reads or bool(self._checks)
        if self._limit is not None:
            passed = min(passed, self._limit * passed / self._matching)
        known = passed + self._found.known if self._found is not None and self._sifts else 0.0
        return Way(runs, (TO_READ if reads else TO_PASS) * passed + TO_SIFT * known, self._sifts)

    def _with_progress(self, run: Run) -> Run:
        if self._group.by is None or not self._group.by.startswith("p."):
            return run
        return Run(f"{run.source} LEFT JOIN stepfast_progress p ON p.workflow = w.key", run.where)

    def _check_states(self, passed: Iterable[str]) -> tuple[str, ...]:
        """Nothing, where rows in the states that are passed are wanted all."""
        return () if set(passed).issubset(self._states) else (_among(self._states),)

    def _check_names(self) -> tuple[str, ...]:
        return ("w.name IN (SELECT value FROM json_each(:names))",) if self._filter.names else ()

    def _count(self, states: Iterable[str], names: Collection[str] = ()) -> int:
        return sum(
            n for (state, name), n in self._counts.items() if state in states and (not names or name in names)
        )


def _run(index: str, *where: str) -> Run:
    return Run(f"stepfast_workflows w INDEXED BY {index}", where)


def _among(states: Iterable[str]) -> str:
    return f"w.state IN ({', '.join(repr(state) for state in states)})"
