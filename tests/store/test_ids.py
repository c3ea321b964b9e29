"""The ids of workflows for which nobody chose one."""

from __future__ import annotations

import re
from itertools import islice, pairwise

from stepfast.ids import random_ends


def test_they_are_beside_one_another_in_an_index() -> None:
    """A page of it has a hundred; of ids that were random, each would be written to another page."""
    ends = [*islice(random_ends(), 1000)]
    assert all(re.fullmatch("[0-9a-f]{8}", each) for each in ends)
    assert len(set(ends)) == len(ends)
    steps = [(int(after, 16) - int(before, 16)) % 16**8 for before, after in pairwise(ends)]
    assert all(1 <= each <= 256 for each in steps)


def test_two_programs_come_to_different_ones() -> None:
    firsts = {next(random_ends()) for _ in range(1000)}
    assert len(firsts) > 990
