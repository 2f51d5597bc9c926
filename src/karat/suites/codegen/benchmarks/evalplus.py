"""EvalPlus: HumanEval's form with many inputs (``base_input``, ``plus_input``). The functions of the answer and of the
reference are called with each, and all results must agree."""

from __future__ import annotations

import msgspec

from karat.core.json_types import Json
from karat.core.problems import Problem
from karat.core.records import Case, Turn, Where
from karat.suites.codegen.benchmarks.companion_files import Neighbours
from karat.suites.codegen.benchmarks.published_set import PublishedSet
from karat.suites.codegen.question.default_prompt import WRITE
from karat.suites.codegen.records import Task, Unfinished

KEYS = frozenset({"task_id", "prompt", "entry_point", "canonical_solution", "plus_input"})
MOST_INPUTS = 1_000
TIMEOUT = 60.0
_CALLS = """[insert]
def _called(arguments):
    import copy
    try:
        return {name}(*copy.deepcopy(arguments))
    except Exception as error:
        return "raised " + type(error).__name__
result = [_called(arguments) for arguments in {inputs}]
"""


class _Row(msgspec.Struct, frozen=True):
    task_id: str
    prompt: str
    entry_point: str
    canonical_solution: str
    plus_input: list[Json]
    base_input: list[Json] = []


def read(told: _Row, _beside: Neighbours, source: Where) -> list[Case[Task] | Problem]:
    """One task as a case, or why it cannot be asked."""
    head = told.prompt.index(f"def {told.entry_point}")
    inputs = [*told.base_input, *told.plus_input]
    if not inputs or not all(isinstance(one, list) for one in inputs):
        return [Problem("its inputs are not lists of arguments", file=source.file, line=source.line)]
    before, rest = told.prompt[:head], told.prompt[head:]
    task = Task(
        reference=told.prompt + told.canonical_solution,
        template=_CALLS.replace("{name}", told.entry_point).replace("{inputs}", repr(inputs[:MOST_INPUTS])),
        unfinished=Unfinished(before, rest, told.entry_point),
        timeout=TIMEOUT,
    )
    shown = f"Write this function, whole:\n```python\n{told.prompt.rstrip()}\n```"
    conversation: tuple[Turn[Task], ...] = (
        Turn(role="system", content=f"{shown}\n\n{WRITE}"),
        Turn(role="user", content=told.prompt, target=task),
    )
    return [Case(told.task_id, conversation, source=source)]


SET = PublishedSet("an EvalPlus task", KEYS, _Row, read)
