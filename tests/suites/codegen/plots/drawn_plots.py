"""Plots of the tests: a small table, drawn and judged in the sandbox."""

from __future__ import annotations

from pathlib import Path

import yaml

from karat.core.yaml.structs import Findings
from karat.suites.codegen.comparison import Comparison, judged
from karat.suites.codegen.options import Options
from karat.suites.codegen.plots.expectation.expected import read_plot
from karat.suites.codegen.plots.received_figures import figures_of
from karat.suites.codegen.plots.records import Figure
from karat.suites.codegen.records import Expected, HiddenTest, TableSource, Task
from karat.suites.codegen.running.sandbox_client import warm_box

SALES: dict[str, list[object]] = {"region": ["North", "South", "East"], "qty": [5, 3, 4], "price": [1.0, 2.5, 3.0]}
OPTIONS = Options(performance=False, perturb="no", relations="no")


def task(plot: str, reference: str = "", tests: tuple[HiddenTest, ...] = ()) -> Task:
    """A task over the table that expects this plot."""
    findings = Findings("tasks.yaml")
    gold = read_plot(yaml.compose(plot), Path(), findings)
    assert not findings.problems, findings.problems
    return Task(
        tables={"sales": TableSource(columns=SALES)}, expected=Expected(plot=gold), reference=reference, tests=tests
    )


def scored(plot: str, code: str, reference: str = "", options: Options = OPTIONS) -> Comparison:
    """The whole judgement of code that draws."""
    return judged("Plot the quantity by region.", task(plot, reference), [code], options, warm_box())


def figures(code: str) -> list[Figure]:
    """What code draws."""
    from karat.sandbox import Limits

    outcome = warm_box().run(code, {"sales": SALES}, limits=Limits(figures=20))
    assert outcome.status in ("ok", "no_result"), (outcome.error, outcome.detail)
    return figures_of(outcome.figures)
