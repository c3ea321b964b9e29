"""How a view model says that it changed, to whoever shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, ParamSpec

__all__ = ["Event"]

P = ParamSpec("P")


class Event(Generic[P]):
    """Something that happens; `connect` to be called each time. Belongs to the loop's thread."""

    def __init__(self) -> None:
        self._listeners: list[Callable[P, object]] = []

    def connect(self, listener: Callable[P, object]) -> Callable[[], None]:
        """Call `listener` from now on; what is returned ends that."""
        self._listeners.append(listener)

        def disconnect() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return disconnect

    def emit(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call every listener, in the order in which they connected."""
        for listener in [*self._listeners]:
            listener(*args, **kwargs)
