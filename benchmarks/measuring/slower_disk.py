"""A disk whose syncs take longer than those of the one that is there, as a virtual disk may have none."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["on_a_slower_disk"]

SOURCE = Path(__file__).with_suffix(".c")
TOLD = "STEPFAST_SYNC_NANOSECONDS"


def on_a_slower_disk(milliseconds: float) -> int | None:
    """Run this very program again where each sync takes so much longer; returns how that ended.

    None within that run, which goes on. Raises `SystemExit` where it cannot be: it takes Linux and `cc`.
    """
    if TOLD in os.environ:
        return None
    if not milliseconds > 0:
        raise SystemExit(f"--sync {milliseconds:g}: how many milliseconds longer, more than 0")
    if sys.platform != "linux":
        raise SystemExit("a slower disk is made by preloading a library, which is done on Linux alone")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "slower_disk.so"
        compile_it = ["cc", "-O2", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"]
        try:
            subprocess.run(compile_it, check=True)
        except FileNotFoundError:
            raise SystemExit("a slower disk takes a C compiler (Debian: gcc and libc6-dev)") from None
        told = {"LD_PRELOAD": str(library), TOLD: str(round(milliseconds * 1e6))}
        return subprocess.run([sys.executable, *sys.orig_argv[1:]], env=os.environ | told).returncode
