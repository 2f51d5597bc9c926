"""BigCodeBench: a function to write, judged by its ``unittest`` class in the same process.

Told by ``complete_prompt``, ``instruct_prompt``, ``libs`` and the keys of HumanEval. An answer may be the whole
function or go on from the prompt. Its references were written for 73 pinned packages on Python 3.10; elsewhere some
fail, and their tasks are ``gold_error``.
"""

from __future__ import annotations

import ast

import msgspec

from karat.core.problems import Problem
from karat.core.records import Case, Turn, Where
from karat.suites.codegen.benchmarks.companion_files import Neighbours
from karat.suites.codegen.benchmarks.published_set import PublishedSet
from karat.suites.codegen.harness.unit_tests import count_tests
from karat.suites.codegen.question.default_prompt import WRITE
from karat.suites.codegen.records import Task, Unfinished, UnitTests

KEYS = frozenset({"task_id", "complete_prompt", "instruct_prompt", "canonical_solution", "test", "entry_point", "libs"})
TIMEOUT = 120.0


class _Row(msgspec.Struct, frozen=True):
    task_id: str
    complete_prompt: str
    instruct_prompt: str
    canonical_solution: str
    test: str
    entry_point: str
    libs: str | tuple[str, ...] = ()


def read(told: _Row, _beside: Neighbours, source: Where) -> list[Case[Task] | Problem]:
    """One task as a case, or why it cannot be asked."""
    count = count_tests(told.test)
    libs = told.libs if isinstance(told.libs, tuple) else _modules(told.libs)
    head = told.complete_prompt.find(f"def {told.entry_point}(")
    if head < 0:
        return [Problem(f"its prompt has no function {told.entry_point}", file=source.file, line=source.line)]
    if not count:
        return [Problem("its test has no unittest class with tests", file=source.file, line=source.line)]
    before, rest = told.complete_prompt[:head], told.complete_prompt[head:]
    task = Task(
        reference=told.complete_prompt + told.canonical_solution,
        unfinished=Unfinished(before, rest, told.entry_point),
        unit_tests=UnitTests(told.test, count),
        libs=libs,
        timeout=TIMEOUT,
    )
    conversation: tuple[Turn[Task], ...] = (
        Turn(role="system", content=f"Write the function `{told.entry_point}`, with its imports.\n\n{WRITE}"),
        Turn(role="user", content=told.instruct_prompt, target=task),
    )
    return [Case(told.task_id, conversation, tags=libs, source=source)]


def _modules(libs: str) -> tuple[str, ...]:
    """The list is written as Python. Raises ValueError for anything else."""
    try:
        return msgspec.convert(ast.literal_eval(libs or "[]"), tuple[str, ...])
    except (ValueError, SyntaxError):  # a ValidationError is a ValueError
        raise ValueError(f"libs is not a list of modules: {libs[:80]}") from None


SET = PublishedSet("a BigCodeBench task", KEYS, _Row, read)
