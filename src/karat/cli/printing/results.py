"""A result in the terminal, and the exit code it means."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from karat.cli import exit_codes
from karat.cli.options.verbosity import quiet, verbose
from karat.cli.printing.consoles import print_problems, stderr, stdout
from karat.cli.printing.outputs import Outputs
from karat.core import plugins
from karat.core.problems import count_of

if TYPE_CHECKING:
    from karat.core.results.result import RunResult
    from karat.reports.console.advice import Origin
    from karat.stats.gates.verdicts import Baselines, Gate


def show(
    result: RunResult,
    outputs: Outputs,
    *,
    gates: Sequence[Gate] = (),
    saved: Sequence[str] = (),
    baselines: Baselines | None = None,
    origin: Origin | None = None,
) -> int:
    """Print and write a result. Returns its exit code: 1 when a gate is broken, 3 when something failed, else 0."""
    from karat.reports.console.run import print_result
    from karat.reports.sections.expectations import untraced_lines
    from karat.stats.gates.reasons import reason_metrics
    from karat.stats.gates.verdicts import judge, no_baselines

    suite = plugins.load_suite(result.run.suite)
    written = outputs.write(result)
    metrics = suite.metrics_for(result.run.headline)
    errors = [problem for problem in result.problems if problem.severity == "error"]
    print_problems(result.problems, stderr())
    if outputs.json != "-":
        print_result(
            result,
            metrics,
            stdout(),
            highlights=(*suite.highlights(result), *untraced_lines(result)),
            advice=suite.advice(result, origin.cases if origin is not None else ""),
            saved=[*saved, *written],
            brief=quiet(),
            every_case=verbose(),
            origin=origin,
        )
    if errors:
        stderr().print(f"{count_of(len(errors), 'mistake')} in the files; everything else was scored", style="yellow")
    verdicts = judge(gates, result, (*metrics, *reason_metrics(suite)), baselines or no_baselines)
    broken = [verdict for verdict in verdicts if verdict.state == "failed"]
    for verdict in broken:
        stderr().print(f"gate failed: {verdict.words}", style="bold red", markup=False, soft_wrap=True)
    for verdict in verdicts:
        if verdict.state in ("not_judged", "not_asked"):
            stderr().print(f"gate not checked: {verdict.words}", style="yellow", markup=False, soft_wrap=True)
    if broken:
        return exit_codes.BROKEN
    failed = errors or nothing_scored(result) or "error" in result.status_counts()
    return exit_codes.ERRORS if failed else 0


def nothing_scored(result: RunResult) -> bool:
    """Whether not one case has an answer. That is said, because figures over no case look like a run that went well."""
    counts = result.status_counts()
    if not counts or not set(counts) <= {"missing", "not_applicable"}:
        return False
    if "not_applicable" in counts:
        first = next(case for case in result.cases if case.status == "not_applicable")
        truth = f"the truth of {counts['not_applicable']:,} of {count_of(len(result.cases), 'case')} cannot be used"
        words = f'nothing was scored: {truth}, such as "{first.id}": {first.error}'
    else:
        words = (
            f"nothing was scored: no prediction for any of {count_of(len(result.cases), 'case')}, "
            f'such as "{result.cases[0].id}"'
        )
    stderr().print(words, style="bold red", markup=False, soft_wrap=True)
    return True


def typed() -> str:
    """The command that runs right now, as it was typed."""
    return shlex.join(["karat", *(_without_secrets(word) for word in sys.argv[1:])])


def _without_secrets(word: str) -> str:
    """A word of the command line; a URL in it, alone or behind ``NAME=``, without what is secret there."""
    from karat.core.remote.address import KINDS, address_of

    found = re.search(rf"(?:^|=)((?:{'|'.join(KINDS)})://.+)", word)
    if found is None:
        return word
    address = address_of(found[1])
    return word if address is None else f"{word[: found.start(1)]}{address.shown}"


def store_flags(config: Path | None, store: str | None) -> tuple[str, ...]:
    """The options that find the store of a run again; none for that of the working folder."""
    return ("--store", store) if store is not None else ("--config", str(config)) if config is not None else ()


def leave(codes: Iterable[int]) -> None:
    """End the command with the code that weighs most: a broken gate, then errors, then none."""
    found = set(codes)
    if code := next((code for code in (exit_codes.BROKEN, exit_codes.ERRORS) if code in found), 0):
        raise typer.Exit(code)
