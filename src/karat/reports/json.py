"""A result as JSON, in the same layout for all suites.

``{"run": {…}, "summary": [{"metric", "mean", "n", "low", "high", "undefined", "with_errors_as_zero"}…], "cases": [{"id", "status",
"scores": {metric: number or null}, "details": {…}, …}…]}``. There is no NaN: a number that is none is null, and ``reasons`` says why.

Where cases were tried several times, before the cases: ``"repeats": {"tries", "metrics": [{"metric", "spread", "pass_k": [{"k", "at": {"mean",
"n", "low", "high"}, "hat": {…}, "left_out"}…]}…]}``. Where people reviewed cases: ``"reviews": [{"case", "verdict", "reviewer", "comment",
"created"}…], "with_reviews": [{"metric", "mean", "n", "low", "high"}…]``. Where a suite has figures of the run as a whole: ``"figures": {…}``. Where the run has
notes (``karat.core.notes``): ``"notes": {name: …}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from karat.core import plugins
from karat.core.files.atomic import write_bytes
from karat.core.notes import NOTES
from karat.core.problems import UserError
from karat.core.report import visible
from karat.core.results.result import CaseResult, RunResult
from karat.core.scores import Score
from karat.core.suite import Metric, Suite
from karat.stats.intervals.estimates import estimate
from karat.stats.repeats import Tries, tries_of
from karat.stats.reviewed import reviewed_rates


def result_json(result: RunResult, metrics: Sequence[Metric] | None = None) -> bytes:
    """The whole result, indented, UTF-8, with a line end. ``metrics``: those of its suite, which is asked when they are not given."""
    plain: dict[str, Any] = {
        "run": msgspec.structs.asdict(result.run),
        "summary": [msgspec.structs.asdict(item) for item in result.summary],
    }
    suite = _suite(result.run.suite)
    if suite is not None and (figures := suite.figures(result, estimate)):
        plain["figures"] = figures
    if result.notes:
        plain[NOTES] = result.notes
    if result.reviews or result.run.repeats > 1 or any(case.repeats for case in result.cases):
        if metrics is None:
            # A suite that is not installed here: nothing is known to be a rate.
            metrics = () if suite is None else suite.metrics_for(result.run.headline)
        tries = tries_of(result, metrics)
        if tries is not None:
            plain["repeats"] = _tries(tries)
        if result.reviews:
            plain["reviews"] = [msgspec.structs.asdict(review) for review in result.reviews]
            rates = reviewed_rates(result, metrics)
            plain["with_reviews"] = [{"metric": rate.metric, **msgspec.structs.asdict(rate.reviewed)} for rate in rates]
    plain["cases"] = [_case(case) for case in result.cases]
    try:
        data = msgspec.json.encode(plain)
    except UnicodeEncodeError:  # half of a surrogate pair, which UTF-8 cannot hold
        data = msgspec.json.encode(_mended(msgspec.to_builtins(plain, str_keys=True)))
    return msgspec.json.format(data, indent=2) + b"\n"


def write_json(result: RunResult, path: Path) -> None:
    """The whole result as a file, replaced in one step."""
    write_bytes(path, result_json(result))


def _suite(name: str) -> Suite | None:
    """The suite, where it is installed."""
    try:
        return plugins.load_suite(name)
    except (UserError, ImportError):
        return None


def _tries(tries: Tries) -> dict[str, Any]:
    metrics = [
        {"metric": item.metric, "spread": item.spread, "pass_k": [msgspec.to_builtins(found) for found in item.pass_k]}
        for item in tries.metrics
    ]
    return {"tries": tries.tries, "metrics": metrics}


def _case(case: CaseResult) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": case.id,
        "status": case.status,
        "name": case.name,
        "tags": case.tags,
        "question": case.question,
        "error": case.error,
        "scores": _values(case.scores),
        "reasons": {name: score.reason for name, score in case.scores.items() if score.value is None and score.reason},
        "details": case.details,
    }
    if case.repeats:
        found["repeats"] = [
            {"status": one.status, "scores": _values(one.scores), "error": one.error} for one in case.repeats
        ]
    return found


def _values(scores: Mapping[str, Score]) -> dict[str, float | None]:
    return {name: score.value for name, score in scores.items()}


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_mended(item) for item in value]
    return value
