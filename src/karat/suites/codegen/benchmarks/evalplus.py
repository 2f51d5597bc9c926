"""EvalPlus: HumanEval's form with many inputs (``base_input``, ``plus_input``). The functions of the answer and of the
reference are called with each, and all results must agree.

HumanEval+ has the head of the function in its prompt, MBPP+ has it in the solution. Some tasks of MBPP+ are called with
tuples, sets or complex numbers, which JSON does not have: those are left out.
"""

from __future__ import annotations

import re

import msgspec

from karat.core.json_types import Json
from karat.core.problems import Problem
from karat.core.records import Case, Turn, Where
from karat.suites.codegen.benchmarks.companion_files import LeftOut, Neighbours
from karat.suites.codegen.benchmarks.published_set import PublishedSet
from karat.suites.codegen.question.default_prompt import WRITE
from karat.suites.codegen.records import Task, Unfinished

KEYS = frozenset({"task_id", "prompt", "entry_point", "canonical_solution", "plus_input"})
MOST_INPUTS = 1_000
TIMEOUT = 60.0
_CALLS = """[insert]
import copy as _copy
result = [{name}(*_copy.deepcopy(_arguments)) for _arguments in {inputs}]
"""
"""An error ends it, in the reference too: two functions that fail alike would be equal."""
OTHER_TYPES = frozenset(
    [
        *(2, 63, 64, 70, 75, 94, 106, 115, 116, 120, 124, 132, 143, 222, 237, 250, 252, 259, 261, 272),
        *(273, 278, 299, 307, 394, 399, 400, 401, 405, 409, 413, 417, 421, 424, 429, 438, 444, 445, 446, 470),
        *(473, 560, 579, 580, 596, 614, 615, 616, 617, 630, 720, 722, 726, 740, 744, 750, 753, 763, 780, 791),
        *(808, 809),
    ]
)
"""The tasks of MBPP+ whose inputs JSON cannot hold."""


class _Row(msgspec.Struct, frozen=True):
    task_id: str
    prompt: str
    entry_point: str
    canonical_solution: str
    plus_input: list[Json] | None
    base_input: list[Json] | None = None


def read(told: _Row, _beside: Neighbours, source: Where) -> list[Case[Task] | Problem | LeftOut]:
    """One task as a case, or why it cannot be asked."""
    if _number(told.task_id) in OTHER_TYPES:
        return [LeftOut("EvalPlus", told.task_id, "its inputs are of types that JSON does not have")]
    head = re.search(rf"^def {re.escape(told.entry_point)}\b", told.prompt, re.MULTILINE)
    inputs = [*(told.base_input or ()), *(told.plus_input or ())]
    if not inputs or not all(isinstance(one, list) for one in inputs):
        return [Problem("its inputs are not lists of arguments", file=source.file, line=source.line)]
    before, rest = (told.prompt[: head.start()], told.prompt[head.start() :]) if head is not None else ("", "")
    task = Task(
        reference=(told.prompt if head is not None else "") + told.canonical_solution,
        template=_CALLS.replace("{name}", told.entry_point).replace("{inputs}", repr(inputs[:MOST_INPUTS])),
        unfinished=Unfinished(before, rest, told.entry_point) if head is not None else None,
        timeout=TIMEOUT,
    )
    shown = f"Write this function, whole:\n```python\n{told.prompt.rstrip()}\n```"
    if head is None:
        shown = f"Write the function `{told.entry_point}`."
    conversation: tuple[Turn[Task], ...] = (
        Turn(role="system", content=f"{shown}\n\n{WRITE}"),
        Turn(role="user", content=told.prompt, target=task),
    )
    return [Case(told.task_id, conversation, source=source)]


def _number(name: str) -> int | None:
    """Of a task of MBPP+."""
    found = re.fullmatch(r"mbpp/(\d+)", name.lower())
    return int(found[1]) if found else None


SET = PublishedSet("an EvalPlus task", KEYS, _Row, read)
