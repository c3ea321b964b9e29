"""The private bus, for all tests here."""

from __future__ import annotations

import sys
from pathlib import Path

# With importlib as the import mode, a module that tests share is found only this way.
sys.path.insert(0, str(Path(__file__).parent))

from private_bus import bus, no_bus, services

__all__ = ["bus", "no_bus", "services"]
