"""One snippet leaves a mark by every channel there is; the next one finds none."""

from __future__ import annotations

import pytest

from tests.sandbox.boxes import Box

SALES: dict[str, object] = {"sales": {"price": [1, 2, 3]}}

CHANNELS = {
    "file": ("open('mark', 'w').write('x')", "open('mark').read()"),
    "file above": ("open('../mark', 'w').write('x')", "open('../mark').read()"),
    "temporary file": ("open('/tmp/mark', 'w').write('x')", "open('/tmp/mark').read()"),
    "shared memory": (
        "from multiprocessing import shared_memory as s; s.SharedMemory('mark', True, 10)",
        "from multiprocessing import shared_memory as s; s.SharedMemory('mark').size",
    ),
    "memory segment": (
        "import ctypes; assert ctypes.CDLL(None).shmget(4711, 4096, 0o1666) >= 0",
        "import ctypes; assert ctypes.CDLL(None).shmget(4711, 4096, 0o666) >= 0",
    ),
    "semaphore": (
        "import ctypes; assert ctypes.CDLL(None).semget(4711, 1, 0o1666) >= 0",
        "import ctypes; assert ctypes.CDLL(None).semget(4711, 1, 0o666) >= 0",
    ),
    "message queue": (
        "import ctypes; assert ctypes.CDLL(None).msgget(4711, 0o1666) >= 0",
        "import ctypes; assert ctypes.CDLL(None).msgget(4711, 0o666) >= 0",
    ),
    "keyring": (
        "import ctypes; assert ctypes.CDLL(None).syscall(248, b'user', b'mark', b'x', 1, -4) > 0",
        "import ctypes; assert ctypes.CDLL(None).syscall(249, b'user', b'mark', None, 0) > 0",
    ),
    "posix queue": (
        "import ctypes; assert ctypes.CDLL(None).mq_open(b'/mark', 0o102, 0o666, None) >= 0",
        "import ctypes; assert ctypes.CDLL(None).mq_open(b'/mark', 2) >= 0",
    ),
    "posix semaphore": (
        "import ctypes; l = ctypes.CDLL(None); l.sem_open.restype = ctypes.c_void_p; assert l.sem_open(b'/mark', "
        "0o100, 0o666, 1)",
        "import ctypes; l = ctypes.CDLL(None); l.sem_open.restype = ctypes.c_void_p; assert l.sem_open(b'/mark', 0)",
    ),
    "abstract socket": (
        "import socket; s = socket.socket(socket.AF_UNIX); s.bind('\\0mark'); s.listen(); globals()['kept'] = s",
        "import socket; socket.socket(socket.AF_UNIX).connect('\\0mark')",
    ),
    "lock": (
        "import fcntl, os; kept = open(os.__file__); fcntl.lockf(kept, fcntl.LOCK_SH | fcntl.LOCK_NB)",
        "import fcntl, os; kept = open(os.__file__, 'r+'); fcntl.lockf(kept, fcntl.LOCK_EX | fcntl.LOCK_NB)",
    ),
    "attribute of a file": (
        "import os; os.setxattr(os.__file__, 'user.mark', b'x')",
        "import os; os.getxattr(os.__file__, 'user.mark')",
    ),
    "sharing by uring": ("import ctypes; assert ctypes.CDLL(None).syscall(425, 4, b'x' * 200) >= 0", "assert False"),
    "priority": ("import os; os.nice(5); assert os.nice(0) == 5", "import os; assert os.nice(0) >= 5"),
    "environment": ("import os; os.environ['MARK'] = 'x'", "import os; os.environ['MARK']"),
    "module": ("pd.mark = 'x'", "pd.mark"),
    "builtins": ("import builtins; builtins.mark = 'x'", "mark"),
    "table": ("df['mark'] = 'x'", "df['mark']"),
    "table's file": ("open('sales.csv', 'w').write('mark\\n1')", "pd.read_csv('sales.csv')['mark']"),
    "bytecode": (
        "import pandas, os; open(os.path.dirname(pandas.__file__) + '/mark.py', 'w').write('x = 1')",
        "import pandas.mark",
    ),
}


@pytest.mark.parametrize("channel", CHANNELS)
def test_nothing_is_left_for_the_next(any_box: Box, channel: str) -> None:
    leave, look = CHANNELS[channel]
    any_box.run(leave, SALES)
    assert any_box.run(look, SALES).status in ("error", "refused"), channel


def test_a_lock_ends_with_its_holder(any_box: Box) -> None:
    code = "import fcntl, os; fcntl.flock(open(os.__file__), fcntl.LOCK_EX | fcntl.LOCK_NB); result = 1"
    assert [any_box.run(code).status for _ in range(2)] == ["ok", "ok"]


def test_only_the_tables_of_this_run_are_in_its_folder(any_box: Box) -> None:
    any_box.run("1", {"secret": {"x": [1]}})
    seen = any_box.run("import os; 'csv', sorted(os.listdir('.'))", {"a": {"x": [1]}, "b": {"x": [2]}})
    assert seen.result == ["csv", ["a.csv", "b.csv"]]


SEARCH = """
# Everything near any object, read through the kernel so that a hole is an error and not the end.
import ctypes, gc, os, re
libc = ctypes.CDLL(None, use_errno=True)
wanted = re.compile(rb"canary-of-the-[r]eference")  # which does not match itself
places = {id(thing) >> 20 for thing in gc.get_objects()}
places |= {id(gc) >> 20, ctypes.addressof(ctypes.create_string_buffer(10)) >> 20}
places |= {place + step for place in places for step in (-1, 1)}
fd = os.open('dump', os.O_RDWR | os.O_CREAT)
found = read = 0
for place in sorted(places):
    os.ftruncate(fd, 0)
    os.lseek(fd, 0, 0)
    for piece in range(16):
        read += max(0, libc.write(fd, ctypes.c_void_p((place << 20) + (piece << 16)), 1 << 16))
    found += len(wanted.findall(os.pread(fd, 1 << 20, 0)))
result = [read > 10_000_000, found]
"""


def test_the_code_and_the_answer_before_are_not_in_its_memory(any_box: Box) -> None:
    """The one before may have been the reference."""
    secret = "canary-" + "of-the-reference"
    for _ in range(3):
        seen = any_box.run(f"x = '{secret}'  # {secret}\nprint(x)\nresult = [x + str(n) for n in range(100)]", SALES)
        assert seen.status == "ok" and secret in seen.stdout
    assert any_box.run(SEARCH, SALES).result == [True, 0]
    assert any_box.run("x = 'canary-of-the-reference'\n" + SEARCH, SALES).result != [True, 0], "the search is blind"
