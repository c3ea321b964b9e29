"""Running `stepfast work` at login, by what each system has for it; nothing here runs a workflow.

`systemd` is Linux's way, `launchd` that of macOS, `task_scheduler` that of Windows; `interfaces` says what
each MUST do.
"""

from __future__ import annotations

import sys

from .interfaces import Service, ServiceError, Status, Worker, worker_of
from .launchd import Launchd
from .systemd import Systemd
from .task_scheduler import TaskScheduler

__all__ = ["Service", "ServiceError", "Status", "Worker", "service_of", "worker_of"]


def service_of(platform: str = sys.platform) -> Service:
    """How the system does it. Raises `ServiceError` where there is no way that is known here."""
    if platform == "win32":
        return TaskScheduler()
    if platform == "darwin":
        return Launchd()
    if platform.startswith("linux"):
        return Systemd()
    raise ServiceError(
        f"services of {platform} are not known here; let the system run `stepfast work` at login"
    )
