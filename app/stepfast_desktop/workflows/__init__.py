"""The workflows that Stepfast ships. They import `stepfast` and nothing of the window."""

from __future__ import annotations

from typing import Any

from stepfast import Definition
from stepfast_desktop.workflows.copy_folder import copy_folder

__all__ = ["ALL"]

ALL: tuple[Definition[..., Any], ...] = (copy_folder,)
