"""The workflow `copy-folder`. Read `workflow.py` first; each other module is one part of the work.

    definition  what it takes, and what it comes to
    workflow    the body: its steps, in order
    preview     what is said of a copy before it starts; filesystem: what a disk can hold
    places      can it begin, and are the two folders still what they were
    waiting     the wait for a disk that is away
    walk, plan  the source, walked in chunks into a table of the workflow's own
    batch       some 200 files (or one large one), copied as one step
    transfer    one file: temporary name, fsync, read back, rename; with digests, attributes, disk
    folders     folders made on the way, and given times and permissions at the end
    verdict     is it one file that fails, or the disk; errors has the words
    report      what came of it; meter says how far it is

`transfer` and the three it names know nothing of workflows: they copy files.
"""

from __future__ import annotations

from stepfast_desktop.workflows.copy_folder.definition import copy_folder
from stepfast_desktop.workflows.copy_folder.errors import CopyError
from stepfast_desktop.workflows.copy_folder.report import CopyReport

__all__ = ["CopyError", "CopyReport", "copy_folder"]
