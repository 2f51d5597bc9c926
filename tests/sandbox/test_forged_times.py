"""Code that tries to look quicker than it is: every figure comes from the server or the kernel."""

from __future__ import annotations

import pytest

from karat.sandbox import INSTRUCTIONS, Counter, Sandbox
from karat.sandbox.kernel_counters import counter_trouble

TASK_CLOCK: Counter = (1, 1)
"""Nanoseconds on a processor: an event that every kernel counts, also where the machine has no counter of its own."""
WORK = """
def work():
    import os
    start = os.times().user
    while os.times().user - start < 0.1:
        sum(range(10_000))
"""
TRICKS = {
    "plain": "work()",
    "clocks patched": (
        "import time, resource\n"
        "time.monotonic = time.perf_counter = time.time = time.process_time = lambda: 0.0\n"
        "resource.getrusage = None\n"
        "work()"
    ),
    "in a thread": "import threading\nt = threading.Thread(target=work)\nt.start()\nt.join()",
    "in many threads": (
        "import threading\n"
        "ts = [threading.Thread(target=work) for _ in range(8)]\n"
        "[t.start() for t in ts]\n"
        "[t.join() for t in ts]"
    ),
    "when the answer is made": "result = (work() or 1 for _ in range(1))",
    "in an exit handler": "import atexit\natexit.register(lambda: None)\nwork()",
    "after a refused fork": "import os\ntry:\n    os.fork()\nexcept OSError:\n    pass\nwork()",
    "counters stopped": (
        "import ctypes\n"
        "ctypes.CDLL(None).prctl(31, 0, 0, 0, 0)\n"
        "import fcntl\n"
        "for fd in range(3, 64):\n"
        "    try:\n"
        "        fcntl.ioctl(fd, 0x2401, 0)\n"
        "    except OSError:\n"
        "        pass\n"
        "work()"
    ),
    "nice to itself": "import os\ntry:\n    os.nice(19)\nexcept OSError:\n    pass\nwork()",
}


@pytest.fixture(scope="module")
def box() -> Sandbox:
    return Sandbox()


@pytest.mark.parametrize("trick", TRICKS, ids=str)
def test_work_is_seen_whatever_the_code_does(box: Sandbox, trick: str) -> None:
    code = f"{WORK}\nresult = 1\n{TRICKS[trick]}"
    outcome = box.over(counter=TASK_CLOCK)(code)
    assert outcome.status == "ok", outcome
    assert outcome.busy > 0.09 and outcome.wall >= outcome.busy - 0.01
    assert outcome.counted is not None and outcome.counted > 80_000_000


def test_sleeping_costs_its_time(box: Sandbox) -> None:
    outcome = box.over(counter=TASK_CLOCK)("import time\ntime.sleep(0.2)\nresult = 1")
    assert outcome.busy > 0.15 and outcome.counted is not None and outcome.counted < 100_000_000


def test_a_sleeper_cannot_hide_behind_its_own_busy_threads(box: Sandbox) -> None:
    code = (
        "import threading, hashlib, time\n"
        "data = b'x' * 10_000_000\n"
        "def spin():\n"
        "    while True:\n"
        "        hashlib.sha256(data)\n"  # without the interpreter's lock
        "for _ in range(8):\n"
        "    threading.Thread(target=spin, daemon=True).start()\n"
        "time.sleep(0.3)\n"
        "result = 1"
    )
    outcome = box.over()(code)
    assert outcome.status == "ok" and outcome.busy > 0.25


def test_what_it_leaves_running_costs_nothing_and_ends(box: Sandbox) -> None:
    start = "threading.Thread(target=lambda: [work() for _ in range(50)], daemon=True).start()"
    assert box.over()(f"{WORK}\nimport threading\n{start}\nresult = 1").status == "ok"
    assert box.run("result = 2").result == 2


def test_an_event_that_is_not_there_is_not_counted(box: Sandbox) -> None:
    assert box.over(counter=(6, 12_345))("result = 1").counted is None
    assert box.run("result = 1").counted is None and box.run("result = 1").busy == 0


def test_a_failure_before_the_code_is_still_reported(box: Sandbox) -> None:
    outcome = box.over(counter=TASK_CLOCK)("1 / 0")
    assert outcome.status == "error" and outcome.counted is not None


def test_instructions_are_counted_alike_where_the_machine_counts_them(box: Sandbox) -> None:
    run = box.over(counter=INSTRUCTIONS)
    code = "result = sum(range(1_000_000))"
    counts = [run(code).counted for _ in range(4)][1:]
    if None in counts:
        pytest.skip("this machine has no counter of instructions")
    known = [count for count in counts if count is not None]
    assert max(known) <= 1.01 * min(known)


def test_the_trouble_with_a_counter_is_said() -> None:
    assert counter_trouble(TASK_CLOCK) == ""
    assert counter_trouble((6, 12_345))
