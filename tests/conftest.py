"""What all tests share."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import settings

from stepfast.testing import reached

MUST_RUN = "STEPFAST_TESTS_MUST_RUN"
"""Set by `packaging/dev.py test` on Linux, once all that the tests need is installed: a test that is skipped
for want of something has failed then. A run in which half of them are skipped is as green as any other."""

MAY_SKIP = (
    "root may write anywhere",
    "only root on Linux can mount a disk of its own",  # without root, others that need a disk fail
    "only root on Linux can bind a folder",
    "only root can have a file that is another's",
    "needs root, to become nobody",
    "this file system keeps no times of access",
    "about the offscreen platform",  # a person may watch them on a screen
    "there is no systemd-analyze",  # to be had only with the whole of systemd
)
"""Reviewed: what is no fault of the machine that runs them."""

# Where the tests run under nohup, or in the background of a shell, what they launch would ignore these too.
for each in ("SIGHUP", "SIGINT"):
    number = getattr(signal, each, None)
    if number is not None and signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if each == "SIGINT" else signal.SIG_DFL)

# Windows that tests launch speak English, whatever the person who runs them does.
os.environ["LC_ALL"], os.environ["LANGUAGE"] = "C.UTF-8", "en"


# Hypothesis tries the same each time, as it does by itself where it finds that this is CI: a change is judged
# by what it did, and what fails, fails again. `--hypothesis-profile=default` tries others, as campaigns do.
settings.register_profile("sample", derandomize=True)
settings.load_profile("sample")

# Ten seconds are what a person waits who writes a test; a machine that does much else beside may take longer.
reached.__kwdefaults__["seconds"] = 60.0


def pytest_collection_finish() -> None:
    _set_apart()


def pytest_runtest_logfinish() -> None:
    # The run keeps some thirty objects of each test, and the window's own collector thaws all when it ends.
    if len(gc.get_objects(generation=2)) > 10_000:
        _set_apart()


def _set_apart() -> None:
    """What is there between two tests is neither's, so no collection need look at it again.

    Many tests collect what they left behind, to hear what it has to say; with all that pytest, Qt and the
    tests themselves are made of, each took 60 ms, a third of the time of all tests.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_worker_in_the_background_outlives_its_test() -> Iterator[None]:
    yield
    background = sys.modules.get("stepfast_desktop.instance.background")
    for each in background._started if background is not None else ():
        try:
            each.wait(60)
        except subprocess.TimeoutExpired:
            each.kill()
            each.wait()
            pytest.fail("it left a worker in the background behind")
    if background is not None:
        background._started.clear()


@pytest.fixture
def only_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is found by the slow look of every 30 s, so that a test which waits for longer than that, on
    a machine that takes its time, proves all the same that somebody was told."""
    for module in ("engines.neighbours", "durable"):
        monkeypatch.setattr(f"stepfast.sqlite.{module}.SLOW_SECONDS", 3600.0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    return _not_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    return _not_skipped((yield))


def _not_skipped(report: Any) -> Any:
    if report.skipped and os.environ.get(MUST_RUN) and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if reason not in MAY_SKIP:
            report.outcome = "failed"
            report.longrepr = f"Skipped, and here it has to run: {reason}"
    return report
