"""The store in memory: the interfaces of `stepfast.interfaces` over dicts, for tests and for trying a body.

    durable = MemoryDurable()                            # one engine, its memory its own
    one, other = MemoryDurable(shared), MemoryDurable(shared)    # two engines, where shared = Memory()
    one.die()                                            # as SIGKILL would
    await other.takeover()                               # ... and what it held is owed a pass again

It runs the same contract suite as the SQLite store (`stepfast.testing.contract`), and keeps nothing.
"""

from stepfast.memory.catalogue import MemoryCatalogue
from stepfast.memory.durable import MemoryDurable
from stepfast.memory.rows import Memory
from stepfast.memory.views import MemoryCheckpointer, MemoryScheduler

__all__ = ["Memory", "MemoryCatalogue", "MemoryCheckpointer", "MemoryDurable", "MemoryScheduler"]
