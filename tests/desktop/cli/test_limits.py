"""A worker without a window goes by the settings, and by what becomes of them while it works."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Stepfast

MB = 1_000_000


def prefer(stepfast: Stepfast, **values: object) -> None:
    """As the window keeps it: whole, and then under its name."""
    file = stepfast.folder / "config" / "settings.json"
    file.parent.mkdir(exist_ok=True)
    new = file.with_suffix(".new")
    new.write_text(json.dumps({str(stepfast.data.resolve()): values}))
    new.replace(file)


def test_one_that_is_queued_says_what_it_waits_for(stepfast: Stepfast) -> None:
    stepfast.data.mkdir()
    prefer(stepfast, at_once=1)
    until = stepfast.folder / "until"
    stepfast("start", "long", "--until", until, "--id", "first")
    nobody = "no running process will carry it out; start one with: stepfast --data"
    assert f"WAITS FOR\n  {nobody}" in stepfast("show", "first").stdout
    stepfast.begin("work")
    stepfast.eventually(lambda: stepfast.state("first") == "running")
    assert "WAITS FOR" not in stepfast("show", "first").stdout
    stepfast("start", "long", "--until", until, "--id", "second")
    behind = "WAITS FOR\n  It waits for a free place, behind 1 workflow at work.\n"
    stepfast.eventually(lambda: behind in stepfast("show", "second").stdout)
    until.touch()
    stepfast.eventually(lambda: stepfast.state("second") == "completed")


def test_a_worker_copies_no_faster_than_is_set_and_hears_of_a_change(stepfast: Stepfast) -> None:
    stepfast.program = [sys.executable, "-m", "stepfast_desktop"]
    source, target = stepfast.folder / "source", stepfast.folder / "target"
    source.mkdir()
    (source / "large").write_bytes(b"x" * 80 * MB)
    stepfast.data.mkdir()
    prefer(stepfast, speed_limit=1)
    stepfast("start", "copy-folder", "--source", source, "--destination", target, "--id", "c")
    stepfast.begin("work")

    def written() -> int:
        return sum(each.stat().st_size for each in target.rglob("*") if each.is_file())

    stepfast.eventually(lambda: target.exists() and written() > 0)
    began, before = time.monotonic(), written()
    stepfast.eventually(lambda: time.monotonic() - began > 1.5)
    assert (written() - before) / (time.monotonic() - began) < 3 * MB
    prefer(stepfast, speed_limit=0)
    # At 1 MB a second it would take longer than is waited for here.
    stepfast.eventually(lambda: stepfast.state("c") == "completed")
    assert (target / "large").read_bytes() == (source / "large").read_bytes()
