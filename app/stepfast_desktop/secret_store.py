"""The system's own password store as a keeper of secrets: Keychain, Credential Manager, Secret Service.

By way of the library `keyring`, which the extra `desktop` installs. Nothing is looked for before a workflow
with a secret comes: the commands work without the library, and without a store.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any, Protocol

from stepfast.errors import SecretError

__all__ = ["Backend", "SystemKeeper"]

SERVICE = "Stepfast"
"""What the store lists our entries under."""

# What `keyring` takes where there is nothing: the one refuses in its own words, the other keeps nothing.
NONE = ("keyring.backends.fail", "keyring.backends.null")


class Backend(Protocol):
    """What of a `keyring.backend.KeyringBackend` is used."""

    def set_password(self, service: str, username: str, password: str) -> None: ...
    def get_password(self, service: str, username: str) -> str | None: ...
    def delete_password(self, service: str, username: str) -> None: ...


@functools.cache
def _of_system() -> Backend:
    try:
        keyring: Any = importlib.import_module("keyring")
    except ImportError as error:
        raise SecretError(
            "the system's password store is reached by the library `keyring`; install it with: pip install "
            "'stepfast[desktop]'"
        ) from error
    found: Backend = keyring.get_keyring()
    if type(found).__module__ in NONE:
        raise SecretError(
            "this system has no password store that is open to this program, so secrets cannot be kept. On "
            "Linux it is one with the Secret Service (GNOME Keyring, KWallet, KeePassXC), within a login"
        )
    return found


class SystemKeeper:
    """A `stepfast.SecretKeeper` over the system's password store.

    Args:
        backend: gives the store, or raises `SecretError`; by default the one that `keyring` finds.
    """

    def __init__(self, backend: Callable[[], Backend] = _of_system) -> None:
        self._backend = backend

    def keep(self, reference: str, text: str) -> None:
        self._backend().set_password(SERVICE, reference, text)

    def fetch(self, reference: str) -> str | None:
        return self._backend().get_password(SERVICE, reference)

    def forget(self, reference: str) -> None:
        backend = self._backend()
        try:
            backend.delete_password(SERVICE, reference)
        except Exception:
            # Each store says in its own way that there is none, which is no error here.
            if backend.get_password(SERVICE, reference) is not None:
                raise
