"""The figures of a run as a whole, for its JSON."""

from __future__ import annotations

from karat.core.explanation import read_details
from karat.core.json_types import JsonObject
from karat.core.results.result import Estimator, RunResult
from karat.suites.data_query.details import Details
from karat.suites.data_query.summaries import outcomes


def figures(result: RunResult, _estimate: Estimator) -> JsonObject:
    """What there is data for, by name."""
    kept = [found for case in result.cases if (found := read_details(Details, case.details)) is not None]
    all_of_them = {"outcomes": outcomes.figures(result, kept)}
    return {name: value for name, value in all_of_them.items() if value}
