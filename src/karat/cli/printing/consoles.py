"""One console for results, one for everything else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from karat.core.problems import Problem

SHOWN_PROBLEMS = 20


@cache
def stdout() -> Console:
    from karat.cli.printing.terminal import Terminal

    return Terminal()


@cache
def stderr() -> Console:
    from karat.cli.printing.terminal import Terminal

    return Terminal(stderr=True)


def notes() -> Console:
    """Where remarks go that are neither figures nor errors: standard error, and nowhere with ``--quiet``."""
    from karat.cli.options.verbosity import quiet
    from karat.cli.printing.terminal import Terminal

    return Terminal(stderr=True, silent=True) if quiet() else stderr()


def print_problems(problems: Sequence[Problem], console: Console, *, most: int = SHOWN_PROBLEMS) -> None:
    """Each problem with its line and caret; past a screenful, how many more there are."""
    from karat.cli.options.verbosity import quiet, verbose
    from karat.core.problems import count_of, problem_text

    if quiet():
        problems = [problem for problem in problems if problem.severity == "error"]
    most = len(problems) if verbose() else most
    for problem in problems[:most]:
        head, *rest = problem_text(problem).split("\n")
        console.print(head, style="yellow" if problem.severity == "warning" else "red", markup=False, soft_wrap=True)
        for line in rest:
            console.print(line, markup=False, soft_wrap=True, style="dim" if line.startswith("    ") else None)
    if len(problems) > most:
        console.print(f"… and {count_of(len(problems) - most, 'more problem')}: --verbose lists them all", markup=False)
