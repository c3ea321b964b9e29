"""A password store for tests: a JSON file that the variable KEYRING_FILE names, as a backend of `keyring`."""

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError


class FileKeyring(KeyringBackend):
    priority = 1  # type: ignore[assignment]

    def _read(self) -> dict[str, str]:
        file = Path(os.environ["KEYRING_FILE"])
        return json.loads(file.read_text()) if file.exists() else {}

    def _write(self, texts: dict[str, str]) -> None:
        Path(os.environ["KEYRING_FILE"]).write_text(json.dumps(texts))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._write(self._read() | {f"{service} {username}": password})

    def get_password(self, service: str, username: str) -> str | None:
        return self._read().get(f"{service} {username}")

    def delete_password(self, service: str, username: str) -> None:
        texts = self._read()
        if texts.pop(f"{service} {username}", None) is None:
            raise PasswordDeleteError
        self._write(texts)
