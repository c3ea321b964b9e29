"""What is given back to the C library goes back to the system, and threads have no memory of their own."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import ctypes, threading
from stepfast_desktop.allocator import give_memory_back

class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
                "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]

libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Info
libc.fopen.restype = ctypes.c_void_p
if GIVES:
    give_memory_back()
bytearray(20_000_000)
before = libc.mallinfo2().hblkhd
kept = bytearray(300_000)
large = libc.mallinfo2().hblkhd - before >= 300_000

there, end = threading.Barrier(5), threading.Event()

def live():
    own = [bytearray(5_000) for _ in range(10)]
    there.wait()
    end.wait()

threads = [threading.Thread(target=live) for _ in range(4)]
for each in threads:
    each.start()
there.wait()
file = ctypes.c_void_p(libc.fopen(b"arenas", b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
end.set()
print(large, open("arenas").read().count("<heap nr="))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is the C library of GNU that is told")
def test_large_blocks_are_the_systems_and_threads_share_one_arena(tmp_path: Path) -> None:
    def told(gives: bool) -> list[str]:
        program = PROGRAM.replace("GIVES", str(gives))
        return subprocess.check_output([sys.executable, "-c", program], cwd=tmp_path, text=True).split()

    assert told(True) == ["True", "1"]
    usual = told(False)
    assert usual[0] == "False" and int(usual[1]) > 1, "or it is of no use any more"
