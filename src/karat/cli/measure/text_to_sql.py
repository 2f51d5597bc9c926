"""``karat answers --questions``: every figure with its denominator, where they disagree, and why the rest failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from karat.cli import exit_codes

if TYPE_CHECKING:
    from karat.cli.printing.outputs import Outputs
    from karat.core.results.result import RunResult


def answers_in_sql(
    questions: Path,
    predictions: Path | None,
    databases: str,
    test_suite: str,
    settings: Sequence[str],
    workers: int | None,
    outputs: Outputs,
) -> None:
    """Score, write the reports, print. Exit code 3 when something could not be read or run."""
    from karat.cli.measure.answers import print_errors
    from karat.cli.printing.consoles import print_problems, stderr
    from karat.cli.printing.results import nothing_scored
    from karat.verbs.answers.questions import score_queries, write_examples

    result = score_queries(questions, predictions, databases, test_suite=test_suite, settings=settings, workers=workers)
    written = _written(result, outputs)
    written += write_examples(result, Path("counterexamples"))
    print_problems(result.problems, stderr())
    if outputs.json != "-":
        _print(result, written)
    failed = print_errors(result)
    if failed or nothing_scored(result) or any(problem.severity == "error" for problem in result.problems):
        raise typer.Exit(exit_codes.ERRORS)


def _written(result: RunResult, outputs: Outputs) -> list[str]:
    """The reports; the JSON with the keys of this verb in its cases."""
    from karat.cli.printing.outputs import write_data
    from karat.reports.json import result_json
    from karat.verbs.answers.questions import with_case_keys

    written = replace(outputs, json=None).write(result)
    if outputs.json is not None:
        write_data(with_case_keys(result_json(result)) + b"\n", outputs.json)
        written += [outputs.json] if outputs.json != "-" else []
    return written


def _print(result: RunResult, written: Sequence[str]) -> None:
    from karat.cli.measure.answers import rate
    from karat.cli.options.verbosity import quiet
    from karat.cli.printing.consoles import stdout
    from karat.suites.answers.gold.headline_profile import EVERY
    from karat.suites.answers.presentation.highlights import highlights

    states = Counter(case.status for case in result.cases)
    missing = sum(case.details.get("reason") == "missing_prediction" for case in result.cases)
    head = f"questions {len(result.cases)} · answered {states['scored'] - missing} · missing {missing}"
    head += f" · errors {states['error']}" if states["error"] else ""
    head += f" · gold fails {states['not_applicable']}" if states["not_applicable"] else ""
    lines = [head, "                    right"]
    for name in dict.fromkeys((*result.run.headline, "strict", *EVERY)):
        values = [value for case in result.cases if (value := case.scores[name].value) is not None]
        if values and name == "bird_f1":
            lines.append(f"  {name:<15} {'':>8}    {sum(values) / len(values):6.1%}")
        elif values and not name.endswith("_of_gold"):
            right = round(sum(values))
            lines.append(f"  {name:<15} {right:>8}    {rate(right, len(values))}  of {len(values)}")
    for name in ("bird_rves", "fair_rves"):
        values = [value for case in result.cases if (value := case.scores[name].value) is not None]
        lines += [f"  {name:<15} {'':>8}    {sum(values) / len(values):6.2f}  of {len(values)}"] if values else []
    review = [case for case in result.cases if case.details.get("strict", {}).get("state") == "needs_review"]
    if review:
        why = Counter(case.details["strict"]["reason"] for case in review).most_common()
        lines.append(f"  needs review    {len(review):>8}    " + " · ".join(f"{count} {name}" for name, count in why))
    lines += [] if quiet() else highlights(result)
    console = stdout()
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True, style="bold" if line is head else None)
    for name in () if quiet() else written:
        console.print(f"saved {name}", markup=False, highlight=False, soft_wrap=True)
