"""Where an effect runs: on the loop, on a thread, or in a process of its own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stepfast.body.current import StepBookmark, current_step, in_context
from stepfast.body.noting import line_of
from stepfast.body.run import Place
from stepfast.errors import DefinitionError, UnstorableValue
from stepfast.interfaces import Claim
from stepfast.passes.containing import called, is_async, plain
from stepfast.passes.passing import Pass
from stepfast.system.threads import Threads

if TYPE_CHECKING:
    from stepfast.body.steps import PassRun
    from stepfast.processes.running import Processes

__all__ = ["Performing"]


class Performing:
    """Where the effects of one pass run.

    Args:
        claim: whose steps they are.
        making: the pass.
        threads: where plain functions run.
        processes: gives where those run that are to have a process of their own; made where there are none.
    """

    def __init__(
        self,
        claim: Claim,
        making: Pass,
        threads: Threads[None],
        processes: Callable[[], Processes] | None,
    ) -> None:
        self._claim = claim
        self._pass = making
        self._threads = threads
        self._processes = processes

    async def on_thread(self, bookmark: StepBookmark, call: Callable[[], Any], what: str) -> Any:
        """Call a plain function on a thread as the step of `bookmark`; `what` it is, for messages."""
        step = in_context(bookmark, call)
        return plain(await self._pass.perform_on_thread(self._threads.submit(lambda _: step())), what)

    def placed(self, run: PassRun, name: str, effect: Any, where: Place) -> Any:
        """The effect as one that does it where it is to be done."""
        if where == "process":
            return functools.partial(self._in_process, run, effect)
        if where not in ("loop", "thread"):
            raise DefinitionError(f'where={where!r} of {name!r}: "loop", "thread" or "process" is needed')
        if where == "thread" and is_async(effect):
            raise DefinitionError(f"the effect of {name!r} is a coroutine function, and runs on no thread")
        if where == "loop" and not is_async(effect):
            return functools.partial(_on_loop, effect, name)
        return effect

    async def _in_process(self, run: PassRun, effect: Any, *args: Any) -> Any:
        """Do an effect in a process of its own; called as an effect, of the step that is current."""
        bookmark, notes = current_step.get(), run.notes
        assert bookmark is not None, "an effect is called in its step"
        name = bookmark.step

        def bookmarked(text: str) -> None:
            notes.bookmark(name, text)
            bookmark.text = text

        from stepfast.processes.running import (  # and all that they need, which few steps do
            Processes,
            Unreturnable,
        )

        if self._processes is None:
            self._processes = functools.cache(Processes)
        try:
            return await self._processes().run(
                functools.partial(effect, *args),
                name=name,
                id=self._claim.id,
                owner=self._claim.lock,
                run=run,
                log=lambda level, text: notes.log(name, level, line_of(text)),
                progress=run.progress,
                bookmark=bookmark.text,
                bookmarked=bookmarked,
            )
        except Unreturnable as error:
            failed = UnstorableValue(str(error))
            self._pass.fail(failed)  # the effect has happened, as in `Doing._encoded`
            raise failed from error


async def _on_loop(effect: Any, name: str, *args: Any) -> Any:
    return plain(called(functools.partial(effect, *args)), f"the effect of step {name!r}")
