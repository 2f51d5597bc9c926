"""A failed case as pytest shows it: the page of ``karat show``, in the suite's own terms."""

from __future__ import annotations

from io import StringIO

import msgspec

from karat.core import plugins
from karat.reports.cases.case_view import case_view
from karat.reports.console.case import print_case
from karat.runs.baseline import find_run
from karat.testing.project_runs import CaseOutcome, ProjectRuns
from karat.verbs.inputs.projects import open_store_here

WIDTH = 110


def failure_text(runs: ProjectRuns, place: int, outcome: CaseOutcome) -> str:
    """Question, expected, given, difference and scores, and the commands that show more."""
    from rich.console import Console

    lines = [f"{outcome.suite} {outcome.case.id}: {outcome.verdict.reason}"]
    result = runs.result(place)
    if outcome.case.id in runs.suites[place].by_id:
        with open_store_here(runs.store, runs.file) as opened:
            run_id = find_run(opened, result.run.id)
            stored = opened.case(run_id, outcome.case.id)
            answers = opened.case_predictions(run_id, [outcome.case.id])
        metrics = plugins.load_suite(result.run.suite).metrics_for(result.run.headline)
        page = StringIO()
        print_case(
            case_view(result.run, outcome.result, msgspec.json.decode(stored) if stored else {}, answers, metrics),
            Console(file=page, width=WIDTH, force_terminal=False, force_jupyter=False, no_color=True),
        )
        lines += ["", page.getvalue().rstrip()]
    source = outcome.case.source
    if source.file:
        lines += ["", f"case   {source.file}:{source.line}"]
    lines += [f"show   karat show {outcome.case.id} --run {result.run.id}"]
    return "\n".join(lines)
