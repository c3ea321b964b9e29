"""What a queued workflow waits for: a limit of its definition, one of its queue, or a free place.

It is read for one workflow, when a person looks at that one; lists do not ask.
"""

from __future__ import annotations

from collections.abc import Sequence

from stepfast import Engine, Filter, Summary
from stepfast.views import Offer
from stepfast_desktop.viewmodels.format import readable
from stepfast_desktop.viewmodels.words import known, translate

__all__ = ["turn_text"]


async def turn_text(engine: Engine, summary: Summary, offers: Sequence[Offer]) -> str:
    """What a queued workflow waits for, in a sentence; "" where nobody who lives can run it.

    `offers` are those of all who live. Raises `StepfastError`.
    """
    ours = [each for each in offers if (each.name, each.version) == (summary.name, summary.version)]
    if not ours:
        return ""
    reached = [await _reached(engine, each, offers) for each in ours]
    if all(reached):
        return reached[0]
    if _is_full(engine, summary) and len(ours) == 1:
        text = translate(
            "Turn", "All {n} places of this program are taken. It runs once one of those that run has ended."
        )
        return text.format(n=engine.concurrency)
    running = (await engine.counts()).get("running", 0)
    if running:
        return translate("Turn", "It waits for a free place, behind %n workflow(s) at work.", None, running)
    return translate("Turn", "It starts as soon as it is its turn.")


async def _reached(engine: Engine, offer: Offer, offers: Sequence[Offer]) -> str:
    """Which limit keeps whoever made this offer from running one more; "" where none does."""
    if offer.at_once is not None and await _running(engine, {offer.name}) >= offer.at_once:
        text = translate(
            "Turn",
            "The limit of “{title}” is reached: {n} at once. It runs once one of those that run has ended.",
        )
        return text.format(title=readable(known(offer.title) or offer.name), n=offer.at_once)
    if offer.queue is not None and offer.queue_at_once is not None:
        names = {each.name for each in offers if each.queue == offer.queue}
        if await _running(engine, names) >= offer.queue_at_once:
            text = translate(
                "Turn",
                "The limit of the queue “{queue}” is reached: {n} at once. It runs once one of those that "
                "run has ended.",
            )
            return text.format(queue=readable(offer.queue), n=offer.queue_at_once)
    return ""


async def _running(engine: Engine, names: set[str]) -> int:
    return len(await engine.keys(Filter(["running"], names)))


def _is_full(engine: Engine, summary: Summary) -> bool:
    """Does this program carry out what it is, and has it no place left?"""
    here = (summary.name, summary.version) in engine.registry.offers
    return here and 0 < engine.concurrency <= engine.running
