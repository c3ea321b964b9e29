"""Running `stepfast work` at login, by what each system has for it; nothing here runs a workflow.

`systemd` is Linux's way, `launchd` that of macOS, `task_scheduler` that of Windows; `interfaces` says what
each MUST do.
"""

from __future__ import annotations

import sys

from .interfaces import Service, ServiceError, Status, Worker, worker_of

__all__ = ["Service", "ServiceError", "Status", "Worker", "service_of", "worker_of"]


def service_of(platform: str = sys.platform) -> Service:
    """How the system does it. Raises `ServiceError` where there is no way that is known here."""
    # Each has formats of its own to import, and one of them is wanted.
    if platform == "win32":
        from .task_scheduler import TaskScheduler

        return TaskScheduler()
    if platform == "darwin":
        from .launchd import Launchd

        return Launchd()
    if platform.startswith("linux"):
        from .systemd import Systemd

        return Systemd()
    raise ServiceError(
        f"services of {platform} are not known here; let the system run `stepfast work` at login"
    )
