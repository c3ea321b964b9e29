"""An engine that works on a file until it is killed: stepping.py DATABASE. Says `ready` once it does."""

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from process_workflows import ALL

from stepfast import Engine


async def main() -> None:
    async with Engine.open(sys.argv[1], ALL, backups=False):
        os.write(1, b"ready\n")
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
