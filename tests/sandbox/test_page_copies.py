"""Memory is copied before it is needed: just what the usual writes to, and then writing to it costs no more copies."""

from __future__ import annotations

import platform
import re
import subprocess
import sys

import pytest

KERNEL = tuple(int(part) for part in re.findall(r"\d+", platform.release())[:2])

LEARN = """
import mmap, os, resource, sys
from karat.sandbox.server import page_copies

SIZE = os.sysconf("SC_PAGE_SIZE")
COUNT = 400
memory = mmap.mmap(-1, COUNT * SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.write(b"x" * COUNT * SIZE)
import ctypes
start = ctypes.addressof(ctypes.c_char.from_buffer(memory))


def writes(*numbers):
    def run():
        for number in numbers:
            memory[number * SIZE] = 1
    return run


usual = range(100, 300)
learned = page_copies.learn([writes(*usual, 5), writes(*usual), writes(*usual, 5, 7), lambda: os._exit(1)])
mine = {(place - start) // SIZE for low, size in learned for place in range(low, low + size, SIZE)}
mine &= set(range(COUNT))
"""

WHAT = LEARN + "print(sorted(mine) == list(usual))"

COST = (
    LEARN
    + """
from karat.sandbox.server.isolation import kernel


def faults(before):
    reading, writing = os.pipe()
    if os.fork() == 0:
        before()
        start = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        writes(*usual)()
        os.write(writing, str(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - start).encode())
        os._exit(0)
    os.wait()
    return int(os.read(reading, 20))


singles = [(start + number * SIZE, SIZE) for number in usual]
gone = mmap.mmap(-1, SIZE)
hole = ctypes.addressof(ctypes.c_char.from_buffer(gone)), SIZE
ctypes.CDLL(None).munmap(ctypes.c_void_p(hole[0]), ctypes.c_size_t(SIZE))


def cost(stretches):
    places = kernel.Places(stretches)
    return faults(lambda: page_copies.copy(places))


print(faults(lambda: None), cost(learned), end=" ")
print(cost([hole, *singles[:90], hole, *singles[90:], hole]), cost([learned[0]] * 1500 + singles), end=" ")
kernel.PROCESS_MADVISE = 100_000  # a kernel without the call
print(cost([hole, *singles[:90], hole, *singles[90:]]))
sys.stdout.flush()
os._exit(0)  # the hole is nobody's to give back
"""
)

NOT_TOLD = """
import builtins
from karat.sandbox.server import page_copies
from karat.sandbox.server.isolation.kernel import Places

real = open


def closed(name, *rest, **more):
    if str(name).endswith("pagemap"):
        raise PermissionError(name)
    return real(name, *rest, **more)


builtins.open = closed
print(page_copies.learn([lambda: None, lambda: 1 / 0]))
page_copies.copy(Places([(0, 4096)]))
page_copies.copy(Places([]))
"""


def _said(code: str) -> str:
    """In a process of its own: it forks, and its memory is looked at."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_what_all_write_to_is_learned_and_no_more() -> None:
    assert _said(WHAT) == "True"


@pytest.mark.skipif(KERNEL < (5, 14), reason="this kernel cannot copy pages ahead")
def test_what_was_copied_is_written_without_a_fault() -> None:
    cold, *ready = map(int, _said(COST).split())
    assert cold >= 200
    assert all(count < 60 for count in ready), "learned, with holes, more than one call takes, one at a time"
    assert len(ready) == 4


def test_a_kernel_that_does_not_tell_is_no_error() -> None:
    assert _said(NOT_TOLD) == "[]"
