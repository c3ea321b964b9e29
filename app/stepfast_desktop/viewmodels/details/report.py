"""The details of a workflow as text, for a bug report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stepfast_desktop.viewmodels.details.newest_lines import LogRow
from stepfast_desktop.viewmodels.details.page import Outcome, StatePart, StepRow
from stepfast_desktop.viewmodels.details.values import Pair
from stepfast_desktop.viewmodels.words import labelled, translate

__all__ = ["report_text"]

MOST_STEPS = 1000


def report_text(
    version: str,
    state: StatePart,
    given: Sequence[Pair],
    outcome: Outcome,
    steps: Sequence[StepRow],
    log: Sequence[LogRow],
) -> str:
    """All that is shown, from the title to the end of the log. `version` is the definition's."""
    lines = [f"{state.title} ({version})", ""]
    facts = [Pair(translate("Details", "State"), state.text), *state.facts]
    if state.progress:
        facts.insert(1, Pair(translate("Details", "Progress"), state.progress))
    lines += [*_lines_of(facts), *filter(None, [state.needs])]
    lines += [
        translate("Details", "It waits for an answer to “{name}”: {hint}").format(
            name=each.label, hint=each.hint
        )
        for each in state.asked
    ]
    lines += _section(translate("Details", "Input"), _lines_of(given))
    lines += _section(translate("Details", "Result"), _lines_of(outcome.result))
    if (failure := outcome.failure) is not None:
        error = [failure.headline, failure.message, "", *failure.traceback.splitlines()]
        lines += _section(translate("Details", "Error"), error)
    problems = [*_lines_of(outcome.problems), *filter(None, [outcome.more_problems])]
    lines += _section(translate("Details", "Problems"), problems)
    lines += _section(translate("Details", "Steps"), _step_lines(steps))
    lines += _section(translate("Details", "Log"), [f"{each.time:<9} {each.text}".rstrip() for each in log])
    return "\n".join(lines) + "\n"


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["", title, *(f"    {line}".rstrip() for line in lines)] if lines else []


def _lines_of(pairs: Iterable[Pair]) -> list[str]:
    lines = []
    for pair in pairs:
        first, *others = pair.text.split("\n")
        lines.append(labelled(pair.label, first) if pair.label else first)
        lines += [f"    {each}" for each in others]
    return lines


def _step_lines(steps: Sequence[StepRow]) -> list[str]:
    lines = [_step_line(each) for each in steps[-MOST_STEPS:]]
    if (earlier := len(steps) - len(lines)) > 0:
        lines.insert(0, translate("Details", "(%n earlier one(s))", None, earlier))
    return lines


def _step_line(step: StepRow) -> str:
    tries = translate("Details", "%n attempt(s)", None, step.tries) if step.tries > 1 else ""
    return "  ".join(filter(None, [step.started, step.name, step.took, tries]))
