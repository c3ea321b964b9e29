"""What may name a step or a wait."""

from __future__ import annotations

import re
from contextlib import suppress

from stepfast.errors import UnstorableValue
from stepfast.passes.tidying import PREFIX

__all__ = ["check_name"]

LONGEST_NAME = 500

# What most are called, found out by one call: this runs for every step.
_usual = re.compile(rf"(?!{PREFIX})[\x01-\x7f]{{1,{LONGEST_NAME}}}").fullmatch


def check_name(name: str) -> None:
    """Raise `UnstorableValue` for what cannot name one."""
    if type(name) is str:
        if _usual(name):
            return
        if name.startswith(PREFIX):
            raise UnstorableValue(f"{name!r} cannot name a step: what begins with {PREFIX!r} is a clean-up's")
    with suppress(UnicodeEncodeError, AttributeError):
        if name and len(name.encode("utf-8")) <= LONGEST_NAME and "\0" not in name:
            return
    raise UnstorableValue(
        f"{name!r} cannot name a step or a wait: a name is text of 1 to {LONGEST_NAME} bytes that is valid "
        "Unicode without NUL; for a file name that is not, use its position or repr()"
    )
