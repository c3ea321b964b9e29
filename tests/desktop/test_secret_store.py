"""The system's password store as a keeper: what it is asked, and what is said where there is none."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from stepfast import Engine, MemoryDurable, Run, Secret, SecretError, workflow
from stepfast_desktop import secret_store
from stepfast_desktop.secret_store import SystemKeeper


@workflow("login")
async def login(run: Run, password: Secret) -> int:
    return await run.step("try", lambda: len(password.reveal()))


class Store:
    """A backend of `keyring`, which raises where there is nothing to delete."""

    def __init__(self) -> None:
        self.texts: dict[tuple[str, str], str] = {}
        self.locked = False

    def set_password(self, service: str, username: str, password: str) -> None:
        self.texts[service, username] = password

    def get_password(self, service: str, username: str) -> str | None:
        return self.texts.get((service, username))

    def delete_password(self, service: str, username: str) -> None:
        if self.locked or (service, username) not in self.texts:
            raise RuntimeError("no such password")
        del self.texts[service, username]


@pytest.fixture(autouse=True)
def nothing_found_before() -> None:
    secret_store._of_system.cache_clear()


async def test_a_secret_lies_in_the_store_until_its_workflow_is_deleted() -> None:
    store = Store()
    async with Engine.over(MemoryDurable(), [login], secrets=SystemKeeper(lambda: store)) as engine:
        handle = await engine.start(login(Secret("hunter2")), id="l")
        assert await handle.result() == 7
        ((service, reference),) = store.texts
        assert service == "Stepfast" and reference.endswith("/l")
        assert store.texts[service, reference] == '{"password": "hunter2"}'
        await engine.delete("l")
    assert store.texts == {}


def test_to_forget_what_is_not_there_is_no_error_and_what_stays_is_one() -> None:
    store = Store()
    keeper = SystemKeeper(lambda: store)
    keeper.forget("x")
    keeper.keep("x", "text")
    store.locked = True
    with pytest.raises(RuntimeError):
        keeper.forget("x")
    assert keeper.fetch("x") == "text"


def test_without_the_library_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(SecretError, match=r"pip install 'stepfast\[desktop\]'"):
        SystemKeeper().fetch("x")


@pytest.mark.parametrize("name", ["keyring.backends.fail", "keyring.backends.null"])
def test_without_a_store_it_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    library = ModuleType("keyring")
    backend = type("Keyring", (Store,), {"__module__": name})
    monkeypatch.setattr(library, "get_keyring", backend, raising=False)
    monkeypatch.setitem(sys.modules, "keyring", library)
    with pytest.raises(SecretError, match="no password store that is open to this program"):
        SystemKeeper().keep("x", "text")


def test_the_library_names_its_empty_backends_as_this_program_knows_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("keyring")
    from keyring.backends import fail, null

    for backend in (fail, null):
        assert backend.Keyring.__module__ in secret_store.NONE
    monkeypatch.setattr("keyring.get_keyring", fail.Keyring)
    with pytest.raises(SecretError, match="no password store"):
        SystemKeeper().fetch("x")
