"""The figures of a run as a whole, for its JSON."""

from __future__ import annotations

from karat.core.explanation import read_details
from karat.core.json_types import JsonObject
from karat.core.results.result import CaseResult, Estimator, RunResult
from karat.suites.data_query.details import Details
from karat.suites.data_query.summaries import confusions, outcomes, stages


def kept_details(result: RunResult) -> list[tuple[CaseResult, Details]]:
    """Every case with what was found about it."""
    pairs = ((case, read_details(Details, case.details)) for case in result.cases)
    return [(case, details) for case, details in pairs if details is not None]


def figures(result: RunResult, estimate: Estimator) -> JsonObject:
    """What there is data for, by name."""
    kept = kept_details(result)
    all_of_them: JsonObject = {
        "outcomes": outcomes.figures(result, [details for _, details in kept]),
        "stages": stages.figures(kept, estimate),
        "confusions": confusions.figures(kept),
        "reasons": confusions.reason_counts(result, kept),
    }
    return {name: value for name, value in all_of_them.items() if value}
