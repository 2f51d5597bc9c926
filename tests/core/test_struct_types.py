"""Types that several threads decode at once: without ``settle_types`` this program crashes Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import karat
from karat.core.struct_types import settle_types

# Types that name each other: while one thread resolves the names, another one needs the type.
PROGRAM = """
import sys, threading, types
import msgspec
from karat.core.struct_types import settle_types

sys.setswitchinterval(1e-6)
SOURCE = '''
import msgspec
class A(msgspec.Struct):
    b: "B | None" = None
    c: "list[C]" = []
class B(msgspec.Struct):
    x: "dict[str, A] | None" = None
    y: "C | None" = None
class C(msgspec.Struct):
    z: "tuple[B, ...]" = ()
'''
for number in range(150):
    module = types.ModuleType(f"types_{number}")
    sys.modules[module.__name__] = module
    exec(SOURCE, module.__dict__)
    if sys.argv[1:]:
        settle_types()
    start = threading.Barrier(4)
    def decode(name):
        start.wait()
        text = b'{"b": {"y": {}}, "c": [{}], "x": {"k": {}}, "y": {}, "z": [{}]}'
        msgspec.json.decode(text, type=getattr(module, name))
    threads = [threading.Thread(target=decode, args=(name,)) for name in "ABCA"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_settled_types_are_decoded_by_several_threads() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, "settle"], capture_output=True, timeout=100)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("file", ["runs/scores/live_scoring.py", "web/app.py"])
def test_it_is_called_where_threads_begin(file: str) -> None:
    """Whether a first decode meets another one is chance: no test of a run shows it."""
    source = (Path(karat.__file__).parent / file).read_text(encoding="utf-8")
    assert source.index("settle_types()") < source.index("Thread(target")


def test_it_may_be_called_again() -> None:
    settle_types()
    settle_types()
