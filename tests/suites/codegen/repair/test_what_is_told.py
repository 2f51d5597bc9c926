"""What a system learns about its code: never the tests, even when they share a process with the answer."""

from __future__ import annotations

import json

import msgspec
import pytest

from karat.core.records import Case, Turn
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Task, UnitTests
from karat.suites.codegen.repair.follow_up import follow_up

FRAMES = (
    "import sys\nframe, said = sys._getframe(), ''\nwhile frame:\n"
    "    said += repr({name: repr(value)[:3000] for name, value in frame.f_locals.items()})\n    frame = frame.f_back\n"
)
TESTED = Task(
    unit_tests=UnitTests(
        "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(f(7), 424242)\n",
        1,
    )
)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (f"{FRAMES}print(said)\nraise ValueError('end')", "Error (value_error): ValueError: end"),
        (f"{FRAMES}raise ValueError(said)", "ValueError"),
        (
            "def f(n):\n    import sys, os\n    print(sys._getframe(1).f_code.co_consts, flush=True)\n    os._exit(1)",
            "it did not come to its end in the tests of the task",
        ),
        ("def f(n):\n    print('at', n, flush=True)\n    while True: pass", "no answer within 2 s"),
        ("import nowhere_at_all\ndef f(n): return n", "ModuleNotFoundError"),
    ],
)
def test_tests_in_the_process_of_the_answer_are_never_told(code: str, told: str) -> None:
    case = Case("t", (Turn("user", "Write f.", msgspec.structs.replace(TESTED, timeout=2.0)),))
    said = follow_up(case, 0, [json.dumps({"code": code}).encode()], Options())
    assert said is not None and told in said
    assert "424242" not in said.replace(code, "") and "assertEqual" not in said and "at 7" not in said


def test_frames_are_those_of_the_answer_with_its_own_lines() -> None:
    """What a task puts around the code may hold the inputs of its tests."""
    task = Task(setup="import math\nlimit = 3", template="[insert]\nresult = [total(3), total(4242)]", timeout=5.0)
    code = "def part(n):\n    return [][n]\n\ndef total(n):\n    return part(n) + 1"
    case = Case("t", (Turn("user", "Write total.", task),))
    said = follow_up(case, 0, [json.dumps({"code": code}).encode()], Options())
    assert said is not None and "line 5, in total" in said and "line 2, in part" in said
    assert "4242" not in said and "limit" not in said
