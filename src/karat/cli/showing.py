"""What ``run``, ``score`` and ``demo`` do alike: load the cases, show the result, say what failed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from karat.cli.options import ExitOne
from karat.cli.printing import print_problems, stderr, stdout, write_outputs
from karat.core.problems import Problem, UserError, count_of
from karat.core.records import Case
from karat.core.suite import Suite

if TYPE_CHECKING:
    from karat.core.result import RunResult
    from karat.stats.gates import Gate


def load_for_run(suite: Suite, path: Path) -> tuple[tuple[Case[Any], ...], tuple[Problem, ...]]:
    """The cases that can be read; the rest become problems. No case at all is the user's mistake."""
    loaded = suite.load_cases(path)
    if not loaded.cases:
        raise UserError(f"no case in {path} can be read", problems=loaded.problems)
    return loaded.cases, loaded.problems


def show(
    result: RunResult,
    suite: Suite,
    json_out: str | None,
    xlsx_out: Path | None,
    *,
    gates: Sequence[Gate] = (),
    saved: Sequence[str] = (),
) -> bool:
    """Print and write a result. Returns whether something failed; a broken gate ends the command with 1."""
    from karat.reports.console import print_result
    from karat.stats.gates import judge

    written = write_outputs(result, suite, json_out, xlsx_out)
    errors = [problem for problem in result.problems if problem.severity == "error"]
    print_problems(result.problems, stderr())
    if json_out != "-":
        print_result(result, suite.metrics, stdout(), saved=[*saved, *written])
    if errors:
        stderr().print(f"{count_of(len(errors), 'mistake')} in the files; the rest was scored", style="yellow")
    broken = [verdict for verdict in judge(gates, result) if not verdict.passed]
    for verdict in broken:
        stderr().print(f"gate broken: {verdict.words}", style="bold red", markup=False)
    if broken:
        sys.stdout.flush()
        raise typer.Exit(ExitOne)
    return bool(errors) or any(case.status == "error" for case in result.cases)
