"""Looking tasks over before anything is asked: what can be seen without running code.

Whether a reference runs is seen when answers are scored: one that does not makes its task ``gold_error``. Only a set
that was made for another version than the one here has its references run now, see ``runnable``.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from pathlib import Path

import msgspec

from karat.core.case_files.case_checks import CheckedCases
from karat.core.problems import Problem, UserError, count_of
from karat.core.records import Case
from karat.engines import EngineError
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Task
from karat.suites.codegen.running.execution import snippet_of
from karat.suites.codegen.running.sql_programs import guarded, reference_language
from karat.suites.codegen.tasks.runnable import environment_problems
from karat.suites.codegen.tasks.schemas import schema_of


def check_cases(
    cases: Sequence[Case[Task]],
    structures: Sequence[Path],  # noqa: ARG001 (the signature of every check)
    options: Options,
) -> CheckedCases:
    """Tasks that no answer can be compared with, references that are not Python, tables without a column."""
    problems: list[Problem] = []
    first: dict[str, Case[Task]] = {}
    for case in cases:
        if case.id in first:
            before = first[case.id].source
            problems.append(_problem(case, f'the task "{case.id}" appears twice: also in line {before.line}'))
        first.setdefault(case.id, case)
        for turn in case.conversation:
            if turn.target is not None:
                problems.extend(_task_problems(case, turn.target))
    problems.extend(_without_reference(cases))
    problems.extend(environment_problems(cases, options))
    return CheckedCases(tuple(problems))


def _without_reference(cases: Sequence[Case[Task]]) -> list[Problem]:
    """One word on all tasks whose right code is taken as it is, since nothing says what is right on other tables."""
    bare = [case for case in cases if any(_is_bare(turn.target) for turn in case.conversation)]
    if not bare:
        return []
    has = "has" if len(bare) == 1 else "have"
    message = (
        f'{count_of(len(bare), "task")} {has} "expected" and no "reference" (the first: "{bare[0].id}"): '
        "right code cannot be checked on changed tables"
    )
    hint = "With a reference, code that fits only these tables is found as well. Without one, only constants are."
    return [_problem(bare[0], message, hint, warning=True)]


def _is_bare(task: Task | None) -> bool:
    if task is None or task.expected is None or task.reference.strip() or task.harness is not None:
        return False
    return bool(task.tables) and task.expected.named is None and not task.expected.only_files


def _task_problems(case: Case[Task], task: Task) -> list[Problem]:
    found: list[Problem] = []
    for number, step in enumerate(task.steps, start=1):
        if step.reference.strip():
            alone = msgspec.structs.replace(task, reference=step.reference, setup="", steps=())
            found.extend(_reference_problems(case, alone, f" of step {number}"))
    if task.expected is None and not task.reference.strip() and not task.tests and not task.steps:
        message = f'the task "{case.id}" has no "expected", "reference" or "tests": correctness cannot be judged'
        hint = "Put the right result under expected, or code that computes it under reference."
        found.append(_problem(case, message, hint, warning=True))
    if task.reference.strip():
        found.extend(_reference_problems(case, task))
    elif _needs_reference(task):
        message = f'the plot of the task "{case.id}" is to be the reference\'s, and the task has no reference'
        hint = "Write code that draws it under reference, or the points under series."
        found.append(_problem(case, message, hint))
    try:
        empty = [name for name, columns in schema_of(task).tables.items() if not columns]
    except UserError as error:
        return [*found, _problem(case, f'a table of the task "{case.id}" cannot be read: {error.message}')]
    said = (f'the table "{name}" of the task "{case.id}" has no column' for name in empty)
    return [*found, *(_problem(case, message, warning=True) for message in said)]


def _needs_reference(task: Task) -> bool:
    plot = task.expected.plot if task.expected is not None else None
    return plot is not None and any(panel.reference for panel in plot.panels)


def _reference_problems(case: Case[Task], task: Task, which: str = "") -> list[Problem]:
    if reference_language(task) == "sql":
        return _query_problems(case, task)
    snippet = snippet_of(msgspec.structs.replace(task, harness=None), task.reference)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(snippet.code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = snippet.own_line(getattr(error, "lineno", 0) or 0)
        at = f", line {line}" if line else ""
        why = error.msg if isinstance(error, SyntaxError) else str(error)
        return [_problem(case, f'the reference{which} of the task "{case.id}"{at}: {why}')]
    return []


def _query_problems(case: Case[Task], task: Task) -> list[Problem]:
    try:
        guarded(task.reference)
    except EngineError as error:
        return [_problem(case, f'the reference of the task "{case.id}": {error.message}')]
    return []


def _problem(case: Case[Task], message: str, hint: str = "", *, warning: bool = False) -> Problem:
    where = case.source
    return Problem(message, file=where.file, line=where.line, hint=hint, severity="warning" if warning else "error")
