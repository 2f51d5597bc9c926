"""Running an answer on each of a problem's inputs, as the problem's own harness would. Runs in the sandbox, beside the
answer.

``inputs`` is the problem's code without what makes or checks the right results. Chance is fixed while an input is made,
so that the tests, in another process, make the same one, and left free for the answer.
"""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any  # Any: the names that the code of a problem defines, among them functions

import numpy

FILE = "<snippet>"


def answers(inputs: str, program: str, count: int, encode: Callable[[object], str]) -> dict[str, object]:
    """``result`` with the first answer as it is and all of them as exact text; nothing when one is missing."""
    linecache.cache[FILE] = (len(program), None, program.splitlines(keepends=True), FILE)
    code = compile(program, FILE, "exec")
    found = []
    for number in range(1, count + 1):
        names = {"test_input": made(inputs, number)}
        exec(code, names)  # noqa: S102 (what a sandbox is for)
        if "result" not in names:
            return {}
        found.append(names["result"])
    texts = [encode(answer) for answer in found]
    return {"result": {"shown": found[0], "exact": texts}}


def made(inputs: str, number: int) -> object:
    """One input, the code that makes it forgotten again."""
    names: dict[str, Any] = {"__name__": "problem"}
    exec(compile(inputs, "<problem>", "exec"), names)  # noqa: S102 (the problem's own code)
    random.seed(number)
    numpy.random.seed(number)
    test_input = names["generate_test_case"](number)[0]
    random.seed()
    numpy.random.seed()
    return test_input
