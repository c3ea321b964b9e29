"""For people who embed the engine or write a store: the virtual clock and the contract suite.

`VirtualClock` goes wherever a clock is taken; `reached` waits until a workflow sleeps, waits or has ended.
`docs/testing-your-workflows.md` has tests that skip a month. `CONTRACT` is one async function for each
thing that a store owes (`stepfast.interfaces`); each takes a `Stores`, which you write for your store in a
few lines, and raises AssertionError where the store does not keep its word. No test framework is needed:

    for promise in CONTRACT:
        await promise(MyStores())

`docs/a-store-of-your-own.md` has the whole of it.
"""

from stepfast.testing.clock import VirtualClock
from stepfast.testing.contract import CONTRACT, Promise, Stores
from stepfast.testing.keepers import MemoryKeeper
from stepfast.testing.reaching import reached

__all__ = ["CONTRACT", "MemoryKeeper", "Promise", "Stores", "VirtualClock", "reached"]
