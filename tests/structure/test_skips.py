"""No test is skipped unnoticed where everything that the tests need is installed."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SHARED = runpy.run_path(str(TESTS / "conftest.py"))
SKIPPING = """
import pytest

@pytest.fixture
def tool():
    pytest.skip("there is no such tool")

def test_fixture(tool): pass
@pytest.mark.skipif(True, reason="there is no such tool")
def test_mark(): pass
def test_reviewed(): pytest.skip("root may write anywhere")
@pytest.mark.xfail
def test_fails(): raise ValueError
"""
WITHOUT = "import pytest\npytest.importorskip('there_is_no_such_module')\n"


@pytest.mark.parametrize(
    ("value", "came"), [("1", "1 skipped, 1 xfailed, 3 errors in"), ("", "4 skipped, 1 xfailed in")]
)
def test_a_test_that_is_skipped_has_failed_where_all_have_to_run(
    tmp_path: Path, value: str, came: str
) -> None:
    shutil.copy(TESTS / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]")
    (tmp_path / "test_skipping.py").write_text(SKIPPING)
    (tmp_path / "test_without.py").write_text(WITHOUT)
    environment = {**os.environ, SHARED["MUST_RUN"]: value, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    options = ["-q", "-p", "no:cacheprovider", "--continue-on-collection-errors"]
    command = [sys.executable, "-m", "pytest", *options]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1].startswith(came), done.stdout
    assert ("here it has to run: there is no such tool" in done.stdout) is bool(value)


def test_every_reviewed_reason_is_some_tests() -> None:
    texts = "".join(file.read_text("utf-8") for file in TESTS.rglob("test_*.py") if file != Path(__file__))
    texts += "".join(file.read_text("utf-8") for file in TESTS.rglob("conftest.py") if file.parent != TESTS)
    assert [each for each in SHARED["MAY_SKIP"] if f'"{each}"' not in texts] == []
