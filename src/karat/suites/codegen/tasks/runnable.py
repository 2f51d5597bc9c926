"""Which tasks of a published set can be judged here: the environment that it was made for is there, or its references
are tried in the one that is."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from karat.core.problems import Problem, UserError, count_of
from karat.core.records import Case
from karat.core.suite import NotApplicable
from karat.environments import python_of
from karat.sandbox.interpreter import Interpreter, interpreter
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Task
from karat.suites.codegen.running.environments import box_for, environment_of, tasks_of
from karat.suites.codegen.running.references import reference_outcome


def environment_problems(cases: Sequence[Case[Task]], options: Options) -> list[Problem]:
    """Environments that are named and not there, each once; and how many references of a set fail here that was made
    for another version."""
    found: list[Problem] = []
    seen: set[str] = set()
    astray: dict[str, list[tuple[Case[Task], Task]]] = {}
    for case in cases:
        for task in tasks_of(case):
            name = environment_of(task, options)
            if not name and task.made_for and task.reference:
                astray.setdefault(task.made_for, []).append((case, task))
            if not name or name in seen:
                continue
            seen.add(name)
            try:
                box_for(task, options)
            except UserError as error:
                found.append(_problem(case, f'the task "{case.id}": {error.message}', error.hint))
    found += _missing_libs(cases, options)
    return [*found, *(_failing(wanted, tasks, options) for wanted, tasks in astray.items())]


def _missing_libs(cases: Sequence[Case[Task]], options: Options) -> list[Problem]:
    """Published tasks that say which modules they need, where those are not there: one problem, with their names."""
    lacking: dict[str, list[Case[Task]]] = {}
    known: dict[str, Interpreter] = {}
    for case in cases:
        for task in tasks_of(case):
            if not task.libs:
                continue
            try:
                name = environment_of(task, options)
                python = python_of(name, options.environments) if name else options.python
                there = known.setdefault(python, interpreter(python))
            except UserError:
                continue
            for lib in task.libs:
                module = lib.partition(".")[0]
                if module not in sys.stdlib_module_names and not there.has(module):
                    lacking.setdefault(module, []).append(case)
    if not lacking:
        return []
    cannot = {case.id: case for found in lacking.values() for case in found}
    names = ", ".join(
        f"{module} {len(found)}" for module, found in sorted(lacking.items(), key=lambda one: -len(one[1]))
    )
    ids = ", ".join(list(cannot)[:20]) + (f" and {len(cannot) - 20} more" if len(cannot) > 20 else "")
    message = f"{count_of(len(cannot), 'task')} cannot run here, because modules are not installed ({names}): {ids}"
    hint = "Their references fail, so that they are left out of every figure. An environment with them can be named."
    return [_problem(next(iter(cannot.values())), message, hint, warning=True)]


def _failing(wanted: str, tasks: Sequence[tuple[Case[Task], Task]], options: Options) -> Problem:
    """Run the references. A task whose reference fails here, or whose own tests accept code that does nothing, has no
    verdict, whatever the answer."""
    box = box_for(tasks[0][1], options)

    def problem_of(one: tuple[Case[Task], Task]) -> str:
        try:
            reference_outcome(box, one[1])
        except NotApplicable as problem:
            return str(problem)
        return ""

    with ThreadPoolExecutor(box.workers) as threads:
        failing = [(case, why) for (case, _), why in zip(tasks, threads.map(problem_of, tasks), strict=True) if why]
    package, _, version = wanted.partition("==")
    here = f"pandas {box.versions().pandas or 'none'}"
    message = (
        f"{len(failing)} of {count_of(len(tasks), 'task')} cannot be judged here with {here}: "
        f"the set was written for {package} {version}"
    )
    if failing:
        message += f" (the first: {failing[0][0].id}: {failing[0][1].splitlines()[0][:200]})"
    hint = f"Name an environment with {package} {version} in karat.yaml; it is then used for this set."
    return _problem(tasks[0][0], message, hint, warning=True)


def _problem(case: Case[Task], message: str, hint: str, *, warning: bool = False) -> Problem:
    where = case.source
    return Problem(message, file=where.file, line=where.line, hint=hint, severity="warning" if warning else "error")
