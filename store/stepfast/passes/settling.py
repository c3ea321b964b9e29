"""What a pass came to, as the store is told of it."""

from __future__ import annotations

import math
from typing import assert_never

from stepfast.interfaces import Settlement
from stepfast.passes.outcome import Completed, Failed, Halted, Outcome, Suspended, failure_of
from stepfast.state import InterruptWait, SleepWait

__all__ = ["failed_by", "settlement_of"]


def failed_by(error: Exception) -> Settlement:
    """Of a workflow whose pass came to nothing, or was never made."""
    return Settlement("failed", failure=failure_of(error))


def settlement_of(outcome: Outcome, deadline: float) -> Settlement:
    """`deadline`: the moment from which on the workflow has taken too long; infinity where it never has."""
    match outcome:
        case Completed(_, text, problems):
            return Settlement("completed", result=text, problems=problems)
        case Failed(failure, problems):
            return Settlement("failed", failure=failure, problems=problems)
        case Suspended(waits):
            moments = [each.until.timestamp() for each in waits if isinstance(each, SleepWait)]
            if any(isinstance(each, InterruptWait) for each in waits):
                return Settlement("blocked", waits=waits)
            state = "sleeping" if len(moments) == len(waits) else "waiting"
            if deadline < math.inf:
                moments.append(deadline)
            return Settlement(state, due=min(moments, default=None), waits=waits)
        case Halted(why):
            return Settlement({"pause": "paused", "cancel": "cancelled", "park": "queued"}[why])
        case _:
            assert_never(outcome)
