"""What a process holds in memory. It imports next to nothing, since that would be measured too."""

from __future__ import annotations

import os
import sys

__all__ = ["held"]


def held() -> float:
    """Megabytes in memory, with the libraries; elsewhere than on Linux the most that it was."""
    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
