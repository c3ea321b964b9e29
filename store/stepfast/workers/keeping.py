"""The secrets of the workflows of one store, in a keeper beside it (`stepfast.secrets.SecretKeeper`).

What is secret in a workflow's input is kept together, as one JSON object, under a reference made of the
store's identity and the workflow's id: so whoever deletes the workflow need not read its input to forget it.

- A secret is kept before its workflow is started, so that none is ever started without. A crash in between
  leaves it behind; starting the same id again overwrites it.
- It is forgotten before its workflow is deleted, so that none outlives its workflow. A crash in between
  leaves a finished workflow without its secret, which the next sweep deletes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from stepfast.body.run import Transaction
from stepfast.definitions.definition import Definition, Request
from stepfast.errors import AlreadyStarted, SecretError, SecretLost, UnknownWorkflow
from stepfast.interfaces import Durable
from stepfast.retention import Forget, Forgets, Retention, Swept
from stepfast.secrets import NOTHING, Secret, SecretKeeper, Veil
from stepfast.system.threads import once

__all__ = ["Keeping", "Kept"]

T = TypeVar("T")

NO_KEEPER = (
    "this program has no keeper of secrets; give it one: Engine.open(..., secrets=keeper), with a "
    "stepfast.SecretKeeper"
)


class Kept(NamedTuple):
    """What `Keeping.keep` did for a workflow that is about to be started; `new`: nothing was there before."""

    id: str
    texts: Mapping[str, str]
    new: bool

    def __repr__(self) -> str:
        return f"Kept({self.id!r}, new={self.new})"


class _SecretsFirst(Exception):
    """Raised inside a sweep: the workflow's secrets are to be forgotten before it is deleted."""


class Keeping:
    """The keeper, if there is one, and the store whose workflows have secrets in it."""

    def __init__(self, durable: Durable, keeper: SecretKeeper | None) -> None:
        self._durable = durable
        self._keeper = keeper
        self._identity: str | None = None

    @property
    def possible(self) -> bool:
        """Is there a keeper?"""
        return self._keeper is not None

    # --- starting ---------------------------------------------------------------------------------

    async def keep(self, id: str, request: Request[Any]) -> Kept | None:
        """Keep what is secret in the input of a workflow that is about to be started; None: nothing is.

        Raises `SecretError` where it cannot be kept, and `AlreadyStarted` where the workflow is there already
        with another secret.
        """
        texts = request.secrets
        if not texts:
            return None
        there = await self.fetch(id)
        if there == texts:
            return Kept(id, texts, new=False)
        if there is not None and await self._started(id):
            raise AlreadyStarted(id, "another secret")
        text = json.dumps(texts)
        await self._ask("kept", id, lambda keeper, reference: keeper.keep(reference, text), Veil(texts))
        return Kept(id, texts, new=True)

    async def keep_copy(self, id: str, new_id: str) -> Kept | None:
        """Keep the secrets of a workflow for another one as well, which is about to be made of it."""
        texts = await self.fetch(id)
        if texts is None:
            return None
        text = json.dumps(texts)
        await self._ask("kept", new_id, lambda keeper, reference: keeper.keep(reference, text), Veil(texts))
        return Kept(new_id, texts, new=True)

    async def take_back(self, kept: Kept | None) -> None:
        """The workflow was not started under that id after all."""
        if kept is not None and kept.new:
            await self.forget(kept.id)

    async def same(self, kept: Kept | None, id: str) -> bool:
        """Whether the workflow `id`, which has the same input but for secrets, has these secrets too."""
        return kept is None or kept.id == id or await self.fetch(id) == kept.texts

    async def _started(self, id: str) -> bool:
        try:
            await self._durable.catalogue.summary(id)
        except UnknownWorkflow:
            return False
        return True

    # --- running ----------------------------------------------------------------------------------

    async def reveal(
        self, id: str, definition: Definition[..., Any], arguments: dict[str, object]
    ) -> tuple[dict[str, object], Veil]:
        """The arguments with the texts of their secrets, and what keeps those out of what a pass writes.

        Raises `SecretError` where the keeper cannot be asked now, and `SecretLost` where it has no such
        secret: the message says what to do.
        """
        wanted = [name for name in definition.secrets if isinstance(arguments[name], Secret)]
        if not wanted:
            return arguments, NOTHING
        texts = await self.fetch(id) or {}
        if missing := [name for name in wanted if name not in texts]:
            raise SecretLost(
                f"the secret {missing[0]!r} of workflow {id!r} is not kept any more; start it again with the "
                "same id and input, which gives the secret anew, and retry it"
            )
        found = {name: texts[name] for name in wanted}
        return {**arguments, **{name: Secret(text).named(name) for name, text in found.items()}}, Veil(found)

    async def fetch(self, id: str) -> dict[str, str] | None:
        """What is secret in the input of a workflow, by name; None where nothing is kept of it."""
        text = await self._ask("fetched", id, lambda keeper, reference: keeper.fetch(reference))
        if text is None:
            return None
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
            # What it is instead may be secret.
            raise SecretError(f"what is kept as the secrets of workflow {id!r} is not what was kept")
        return found

    # --- deleting ---------------------------------------------------------------------------------

    async def forget(self, id: str) -> None:
        """Forget what is secret in the input of a workflow. Raises `SecretError` where that cannot be."""
        await self._ask("forgotten", id, lambda keeper, reference: keeper.forget(reference))

    async def sweep(
        self,
        retention: Retention,
        forgets: Forgets,
        secretive: frozenset[tuple[str, int]],
        after: Swept | None,
    ) -> Swept:
        """`Durable.sweep`, in which the secrets of a workflow go before it does.

        No password store is asked inside a commit, which others wait for: a workflow with secrets is left in
        the first round, and swept in the next, its secrets being gone.

        Args:
            forgets: what the program knows how to forget.
            secretive: the names and versions of those that have secrets.
        """
        gone: set[str] = set()
        given = {
            offered: _after_secrets(forget, gone) if offered in secretive else forget
            for offered, forget in forgets.items()
        }
        deleted: list[str] = []
        refused: dict[str, Exception] = {}
        while True:
            swept = await self._durable.sweep(retention, given, after=after)
            deleted += swept.deleted
            first = [
                id for id, error in swept.failed if isinstance(error, _SecretsFirst) and id not in refused
            ]
            if not first:
                failed = tuple((id, refused.get(id, error)) for id, error in swept.failed)
                return Swept(tuple(deleted), failed, swept.more, swept.mark)
            for id in first:
                try:
                    await self.forget(id)
                    gone.add(id)
                except SecretError as error:
                    refused[id] = error

    # --- asking -----------------------------------------------------------------------------------

    async def _ask(
        self, what: str, id: str, call: Callable[[SecretKeeper, str], T], veil: Veil | None = None
    ) -> T:
        keeper = self._keeper
        if keeper is None:
            raise SecretError(f"the secrets of workflow {id!r} cannot be {what}: {NO_KEEPER}")
        if self._identity is None:
            self._identity = await self._durable.identity()
        reference = f"{self._identity}/{id}"

        def asking() -> T:
            return call(keeper, reference)

        try:
            return await once(asking)
        except Exception as error:
            said = str(error) if isinstance(error, SecretError) else f"{type(error).__name__}: {error}"
            raise SecretError(
                f"the secrets of workflow {id!r} cannot be {what}: {veil.masked(said) if veil else said}"
            ) from None


def _after_secrets(forget: Forget | None, gone: set[str]) -> Forget:
    def forget_after(transaction: Transaction, id: str) -> None:
        if id not in gone:
            raise _SecretsFirst
        if forget is not None:
            forget(transaction, id)

    return forget_after
