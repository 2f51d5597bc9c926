"""A problem's own tests over answers that were made elsewhere. Runs in the sandbox, in a process that never ran the
answer.

The tests run as published. Only ``exec``, by which they would run the answer, is replaced: it hands over what the
answer gave.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any  # Any: what the tests of a problem define, among them functions to call

import numpy


def judged(context: str, solution: str, texts: list[str], decode: Callable[[str], object]) -> dict[str, object]:
    """Whether the tests hold, with the input and the error where they do not."""
    names = loaded(context)
    make = names["generate_test_case"]
    used = 0

    def seeded(number: int) -> object:
        random.seed(number)
        numpy.random.seed(number)
        return make(number)

    def hand_over(_code: object, env: dict[str, object], *_more: object) -> None:
        nonlocal used
        used += 1
        env["result"] = decode(texts[used - 1])

    names["generate_test_case"], names["exec"] = seeded, hand_over
    error = tried(names["test_execution"], solution)
    if not error and used != len(texts):
        error = f"the tests looked at {used} of {len(texts)} results"
    about_text = tried(names["test_string"], solution) if "test_string" in names else ""
    return {"execution": error, "input": used, "string": about_text}


def published(context: str, reference: str, idle: list[str]) -> dict[str, object]:
    """What the tests say, exactly as published, of code that is trusted: the reference, and answers that do nothing."""
    names = loaded(context)
    error = tried(names["test_execution"], reference)
    if not error and "test_string" in names:
        error = tried(names["test_string"], reference)
    passing = [code for code in idle if not tried(names["test_execution"], code)]
    return {"reference": error, "idle": passing}


def loaded(context: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "problem"}
    exec(compile(context, "<problem>", "exec"), names)  # noqa: S102 (the problem's own code)
    return names


def tried(test: Callable[[str], object], solution: str) -> str:
    """Empty when the test holds, else its error."""
    try:
        test(solution)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"[:500]
    return ""
