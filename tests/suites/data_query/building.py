"""Short ways to write selections in tests: ``sel({"INDICATOR": ["GDP", "GDPPC"]})``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from karat.core.case_files.case_checks import CheckedCases
from karat.core.explanation import plain_details
from karat.core.records import Case, Turn
from karat.core.scores import Score
from karat.suites.data_query.checks.cases import check_cases
from karat.suites.data_query.comparison import Comparison, compare_selection
from karat.suites.data_query.details import details
from karat.suites.data_query.metrics import METRICS
from karat.suites.data_query.options import Options
from karat.suites.data_query.selection.selection import DatasetSelection, Dimension, Selection, Target, Term

UNCHECKED = "are not checked: no structure file has dataflows or structures"


def check_codes(cases: Sequence[Case[Target]], files: Sequence[Path], options: Options) -> CheckedCases:
    """The check without the note that lists alone say nothing of datasets."""
    found = check_cases(cases, files, options)
    return CheckedCases(tuple(one for one in found.problems if UNCHECKED not in one.message), found.fixes)


Terms = Sequence[str | tuple[str, str]]


def term(word: str | tuple[str, str]) -> Term:
    """``"GDP"`` is (GDP, "name of GDP")."""
    return Term(*word) if isinstance(word, tuple) else Term(word, f"name of {word}")


def part(dimensions: Mapping[str, Terms], dataset: str = "X:D") -> DatasetSelection:
    return DatasetSelection(dataset, tuple(Dimension(n, tuple(term(v) for v in vs)) for n, vs in dimensions.items()))


def sel(dimensions: Mapping[str, Terms], dataset: str = "X:D", **more: Any) -> Selection:
    return Selection((part(dimensions, dataset),), **more)


def target(dimensions: Mapping[str, Terms], dataset: str = "X:D", **more: Any) -> Target:
    return Target((part(dimensions, dataset),), **more)


def compared(expected: Target, found: Selection, **options: Any) -> Comparison:
    return compare_selection(expected, found, Options(**options))


def scores(expected: Target, found: Selection, **options: Any) -> dict[str, float | None]:
    comparison = compared(expected, found, **options)
    return {metric.name: metric.score(comparison).value for metric in METRICS}


def score(name: str, expected: Target, found: Selection, **options: Any) -> Score:
    comparison = compared(expected, found, **options)
    return next(metric for metric in METRICS if metric.name == name).score(comparison)


def case(case_id: str, *targets: Target, tags: tuple[str, ...] = (), name: str = "") -> Case[Target]:
    turns = tuple(Turn("user", f"question {number}", t) for number, t in enumerate(targets))
    return Case(case_id, turns, name, tags)


def kept(*turns: tuple[int, Comparison]) -> dict[str, Any]:
    """The details of a case as JSON has them."""
    return plain_details(details(turns))
