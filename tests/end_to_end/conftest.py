"""Tests with whole processes. The campaign is a program of its own, so its modules lie here side by side."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
