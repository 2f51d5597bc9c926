"""Which environment a task runs in, and its warm sandbox.

A task names one (``environment``), else the option ``environment`` does, else a set that was made for a version of a
package gets the project's environment with that version, where there is one. The option ``python`` is the short form
for tasks without any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from karat.core.problems import Problem, UserError
from karat.core.records import Case
from karat.environments import Environment, python_of
from karat.environments.interpreter import locked_here
from karat.environments.records import required_name
from karat.sandbox import Sandbox
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Task
from karat.suites.codegen.running.sandbox_client import warm_box


class UsedEnvironment(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a result was made with."""

    name: str = ""
    """The environment of the project; empty for Karat's own Python or that of the option ``python``."""
    ran_with: dict[str, str] = {}
    """The versions of Python, pandas and numpy; an empty version means not installed."""


def environment_of(task: Task, options: Options) -> str:
    """The name of the environment; empty: none is named."""
    return task.environment or options.environment or _made_for(task.made_for, options.environments)


def box_for(task: Task, options: Options) -> Sandbox:
    """The warm sandbox of a task."""
    name = environment_of(task, options)
    if not name:
        return warm_box(options.python, unsafe=options.unsafe)
    python = python_of(name, options.environments)
    idle = options.environments[name].idle
    return warm_box(python, unsafe=options.unsafe, environment=name, idle=idle)


def used(box: Sandbox) -> UsedEnvironment:
    """The environment with its versions."""
    said = box.versions()
    return UsedEnvironment(box.environment, {"python": said.python, "pandas": said.pandas, "numpy": said.numpy})


def check_environments(cases: Sequence[Case[Task]], options: Options) -> None:
    """UserError where a task, or the options, name an environment that is not there or not built."""
    if options.environment and options.python:
        raise UserError("the options environment and python cannot be combined", hint="Keep one of them.")
    if options.environment:
        python_of(options.environment, options.environments)
    found: dict[str, Case[Task]] = {}
    for case in cases:
        for task in tasks_of(case):
            if name := environment_of(task, options):
                found.setdefault(name, case)
    problems, hints = [], []
    for name, case in found.items():
        try:
            python_of(name, options.environments)
        except UserError as error:
            where = case.source
            message = f'the task "{case.id}": {error.message}'
            problems.append(Problem(message, file=where.file, line=where.line, hint=error.hint))
            hints.append(error.hint)
    if problems:
        raise UserError(problems[0].message, hint=hints[0], problems=problems[1:])


def tasks_of(case: Case[Task]) -> Iterator[Task]:
    return (turn.target for turn in case.conversation if turn.target is not None)


def group(case: Case[Task], options: Options) -> str:
    """Tasks of one environment are run one after the other."""
    return next((environment_of(task, options) for task in tasks_of(case)), "")


def _made_for(wanted: str, environments: Mapping[str, Environment]) -> str:
    """The first environment that has the wanted version, ``pandas==1.5``, by its lock or by what it asks for."""
    package, _, version = wanted.partition("==")
    if not version:
        return ""
    for name, environment in environments.items():
        found = _version_in(name, environment, package)
        if found == version or found.startswith(f"{version}."):
            return name
    return ""


def _version_in(name: str, environment: Environment, package: str) -> str:
    if environment.path:
        from karat.sandbox.interpreter import interpreter

        try:
            python = python_of(name, {name: environment})
            return interpreter(python).distributions().get(package, "")
        except UserError:
            return ""
    try:
        locked = locked_here(name, environment)
    except UserError:
        locked = None
    if locked is not None:
        return locked.version_of(package)
    asked = [one for one in environment.packages if required_name(one) == package and "==" in one]
    return asked[0].partition("==")[2].partition(";")[0].strip() if asked else ""
