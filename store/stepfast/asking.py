"""What is asked of workflows: answers, messages, and what a person wants done with one or with many."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Literal

from stepfast.body.run import Happened
from stepfast.errors import InvalidInput
from stepfast.interfaces import Durable, Kind, NewRecord
from stepfast.looking import Looking
from stepfast.placing import Where
from stepfast.state import Blocked
from stepfast.system.clock import Clock
from stepfast.values import codec
from stepfast.views import Filter

if TYPE_CHECKING:
    from stepfast.details import Bulk

__all__ = ["Asking"]


class Asking(Looking):
    """The part of an engine that asks things of workflows, whoever carries them out.

    What is asked of one workflow raises `UnknownWorkflow` where none has the id. What is asked of one that
    runs is carried out by its holder as soon as it can, and "running" comes back.
    """

    durable: Durable
    _clock: Clock

    async def arrive(self, id: str, name: str, value: object) -> object:
        """Answer `run.awaiting(name)`; the first answer wins, and is what every caller gets back.

        Raises `UnknownWorkflow`, `AlreadyFinished`, or `UnstorableValue`.
        """
        text = await self.durable.arrive(id, name, codec.encode(value, about=f"the answer {name!r}"))
        return codec.decode(text)

    async def deliver(self, id: str, value: object) -> None:
        """Append a message for `run.receive`; raises as `arrive` does."""
        await self.durable.deliver(id, codec.encode(value, about="the message"))

    async def answer(self, id: str, step: str, said: Happened | Literal["again", "give up"]) -> None:
        """Say what became of an interrupted step of a blocked workflow, which goes on from there.

        Args:
            id: of the workflow.
            step: the step that is asked about: `Blocked.step`.
            said: `Happened(value)`, its effect happened, and came to that; "again", it did not happen, run
                it; "give up", the step fails with `StepInterrupted`.

        Raises:
            UnknownWorkflow, AlreadyFinished, NotAllowed: nothing is asked of it, by now perhaps.
            InvalidInput: that step was not interrupted, or `said` is none of these.
            UnstorableValue: the value cannot be kept.
        """
        from stepfast.body.retrying import GAVE_UP, INTERRUPTED, Attempted, attempt_name
        from stepfast.body.trying import Attempts

        attempts = Attempts()
        for record in await self.history(id):
            if record.kind in (Kind.ATTEMPT, Kind.BEGUN):
                attempts.absorb(record)
        now = self._clock.time()
        if isinstance(said, Happened):
            text = codec.encode(said.value, about=f"what the step {step!r} came to")
            new = NewRecord(Kind.STEP, step, text, now)
        elif said in ("again", "give up"):
            message = "it was said to run it again" if said == "again" else "it was said to give it up"
            attempted = Attempted(INTERRUPTED if said == "again" else GAVE_UP, message=message)
            new = NewRecord(Kind.ATTEMPT, attempt_name(step, attempts.next(step)), attempted.text, now)
        else:
            raise InvalidInput(f'{said!r} says nothing of a step: Happened(value), "again" or "give up" do')
        state = (await self.summary(id)).state
        if isinstance(state, Blocked) and not attempts.interrupted(step):
            raise InvalidInput(f"the step {step!r} of {id!r} was not interrupted; {state.step!r} was")
        await self.durable.unblock(id, new)

    async def pause(self, id: str) -> str:
        """Ask a workflow to stop for now; returns its state, "running" while it is being stopped.

        Raises `AlreadyFinished`.
        """
        return await self.durable.pause(id)

    async def resume(self, id: str) -> str:
        """Let a paused workflow go on; returns its state. Raises `NotAllowed` for one that has finished."""
        return await self.durable.resume(id)

    async def cancel(self, id: str) -> str:
        """End a workflow for good; returns its state, "running" while it is being stopped.

        What its finished steps did stays done. Raises `AlreadyFinished`.
        """
        return await self.durable.cancel(id)

    async def retry(self, id: str) -> str:
        """Let a failed or cancelled workflow go on from where it ended; the step that failed runs again.

        Returns its state. Raises `NotAllowed` for any other.
        """
        return await self.durable.retry(id)

    async def remove(self, ids: Sequence[str]) -> list[str]:
        """Hide finished workflows from lists; returns the ids that were hidden. What is pending stays."""
        return await self.durable.remove(ids)

    async def restore(self, ids: Sequence[str]) -> list[str]:
        """Take `remove` back."""
        return await self.durable.restore(ids)

    async def bulk(
        self,
        action: str,
        of: Filter | Sequence[int],
        *,
        upto: int | None = None,
        without: Collection[int] = (),
    ) -> Bulk:
        """Do something to any number of workflows, in small commits beside which everything else goes on.

        Args:
            action: "pause", "resume", "cancel", "retry", "remove" or "restore".
            of: which: what matches a filter now, or those with these keys.
            upto: spare what has changed since this number (`Changes.at`): so that it is done to what somebody
                saw, and not to what has become of it meanwhile.
            without: keys to be spared.

        Returns:
            The keys of those to which it was done, of those whose holders were asked, and how many were left
            as they are, by reason. Where the program ends in the middle, some of it is done; ask again.
        """
        return await self.durable.bulk(action, of, upto=upto, without=without)

    async def prioritise(
        self,
        of: Filter | Sequence[int],
        priority: int,
        *,
        upto: int | None = None,
        without: Collection[int] = (),
    ) -> Bulk:
        """Give pending workflows another priority: higher goes first among what is ready. As `bulk` else."""
        return await self.durable.prioritise(of, priority, upto=upto, without=without)

    async def line_up(self, keys: Sequence[int], where: Where, other: int | None = None) -> Bulk:
        """Put queued workflows elsewhere in the queue, in one commit.

        Args:
            keys: of those to be moved; they keep their order.
            where: "first" or "last" of all; or right "before" or "after" the queued workflow `other`.
            other: a key; only with "before" and "after".

        Returns:
            what was moved, and how many were left, by reason: their state, "gone", or "changed" where `other`
            is not queued any more. What is moved gets the priority of what it is put beside, and runs there.

        Raises:
            InvalidInput: no such place.
        """
        return await self.durable.line_up(keys, where, other)
