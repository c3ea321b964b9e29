"""A disk whose syncs and writes fail: an interposed library, and the scenarios of `failing_disk.py`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from children import STORE
from failing_disk import SCENARIOS
from patient import booked, patient, records, whole

HERE = Path(__file__).parent
KILLED = "killed"


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fails, and is not skipped, where it cannot be made: a test that has no fault shows nothing."""
    made = tmp_path_factory.mktemp("library") / "failing.so"
    compile_it = ["cc", "-shared", "-fPIC", "-Wall", "-Werror", "-O1", "-o", str(made)]
    try:
        subprocess.run([*compile_it, HERE / "failing.c", "-ldl"], check=True, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.fail("there is no C compiler, so no disk can be made to fail (Debian: gcc and libc6-dev)")
    except subprocess.CalledProcessError as error:
        pytest.fail(f"the library that makes a disk fail does not compile: {error.stderr}")
    return made


def begin(library: Path, name: str, folder: Path) -> subprocess.Popen[str]:
    faults = folder / "faults"
    faults.write_bytes(bytes(32))
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-X", "dev", HERE / "failing_disk.py", name, folder],
        env={
            **os.environ,
            "PYTHONPATH": STORE,
            "LD_PRELOAD": str(library),
            "STEPFAST_TEST_FAULTS": str(faults),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.parametrize("name", sorted(SCENARIOS.keys() - {KILLED}))
def test_a_disk_that_fails(library: Path, tmp_path: Path, name: str) -> None:
    with begin(library, name, tmp_path) as child:
        said, _ = child.communicate()
    assert child.returncode == 0, said


@pytest.mark.usefixtures("quiet_loop")
async def test_a_process_that_is_killed_while_the_disk_fails_leaves_a_file_that_goes_on(
    library: Path, tmp_path: Path
) -> None:
    with begin(library, KILLED, tmp_path) as child:
        assert child.stdout is not None
        said: list[str] = []
        while "failing\n" not in said:  # a slow machine has a loop in debug mode say more than that
            said.append(child.stdout.readline())
            assert said[-1], said
        child.kill()
        child.stdout.read()
    path = tmp_path / "work.db"
    async with patient(path, tmp_path, gate_open=True) as again:
        await again.finishes()
        # Whether the effect's record came alive or not: it is there once, and the effect ran again or not.
        assert again.ran()["middle:1"] in (1, 2)
    assert records(path, "middle") == ["step-0", "step-1", "booked", "step-2"]
    assert booked(path) == ["middle"] and whole(path)
