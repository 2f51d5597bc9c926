"""A result as JSON, in the same layout for all suites (``json_layout``).

``{"run": {…}, "summary": [{"metric", "mean", "n", "low", "high", "undefined", "with_errors_as_zero"}…], "cases":
[{"id", "status", "scores": {metric: number or null}, "details": {…}, …}…]}``. There is no NaN: a number that is none is
null, and ``reasons`` says why.

Where cases were tried several times, before the cases: ``"repeats": {"tries", "metrics": [{"metric", "spread",
"pass_k": [{"k", "at": {"mean", "n", "low", "high"}, "hat": {…}, "left_out"}…]}…]}``. Where people reviewed cases:
``"reviews": [{"case", "verdict", "reviewer", "comment", "created"}…], "with_reviews": [{"metric", "mean", "n", "low",
"high"}…]``. Where cases are not right: ``"failure_groups": {"failing", "groups": [{"key", "label", "outcome", "cases",
"found_in"}…], "further_groups", "further_cases"}``. Where a suite has figures of the run as a whole: ``"figures":
{…}``. Where the run has notes (``karat.core.run_notes.notes``): ``"notes": {name: …}``. Where a judge was asked:
``"judge": {"version", "asked", "right", "wrong", "abstained", "counts", "misses", "corrected": […], …}``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from karat.core import plugins
from karat.core.bulk.sequence import in_chunks
from karat.core.files.atomic import write_atomically
from karat.core.json_types import JsonObject
from karat.core.metric import Metric
from karat.core.problems import UserError
from karat.core.report import visible
from karat.core.results.facts import facts_of
from karat.core.results.result import CaseResult, RunResult
from karat.core.run_notes.notes import NOTES
from karat.core.scores import Score
from karat.core.suite import Suite
from karat.reports.json_layout import (
    CaseJson,
    FailureGroupsJson,
    MetricTriesJson,
    RepeatJson,
    ResultJson,
    ReviewedJson,
    RunJson,
    TriesJson,
)
from karat.reports.sections.failure_groups import failure_groups
from karat.stats.intervals.estimates import estimate
from karat.stats.repeats import Tries, tries_of
from karat.stats.reviewed import reviewed_rates

_MARGIN = b"\n    "


def json_parts(result: RunResult, metrics: Sequence[Metric] | None = None) -> Iterator[bytes]:
    """The whole result, indented, UTF-8, with a line end, piece by piece: a chunk of cases is held at a time.
    ``metrics``: those of its suite, which is asked when they are not given."""
    suite = _suite(result.run.suite)
    found: JsonObject = {}
    if suite is not None and (figures := suite.figures(result, estimate)):
        found["figures"] = figures
    if result.notes:
        found[NOTES] = result.notes
    if result.reviews or result.run.repeats > 1 or facts_of(result.cases).most_tries:
        if metrics is None:
            # A suite that is not installed here: nothing is known to be a rate.
            metrics = () if suite is None else suite.metrics_for(result.run.headline)
        tries = tries_of(result, metrics)
        if tries is not None:
            found["repeats"] = _tries(tries)
        if result.reviews:
            found["reviews"] = result.reviews
            rates = reviewed_rates(result, metrics)
            found["with_reviews"] = tuple(
                ReviewedJson(rate.metric, **msgspec.structs.asdict(rate.reviewed)) for rate in rates
            )
    if result.judge is not None:
        found["judge"] = result.judge
    groups = failure_groups(result)
    if groups.failing:
        found["failure_groups"] = FailureGroupsJson(groups.failing, groups.groups, groups.further, groups.further_cases)
    run = RunJson(**msgspec.structs.asdict(result.run))
    head = _formatted(ResultJson(run, result.summary, **found))
    if not result.cases:
        yield head + b"\n"
        return
    before, _, after = head.rpartition(b"[]")  # the cases are the last key
    yield before
    between = b"["
    for chunk in in_chunks(result.cases):
        # A line break of JSON is never within a text, so a case can be moved to the right.
        cases = (_MARGIN + _formatted(_case(case)).replace(b"\n", _MARGIN) for case in chunk)
        yield between + b",".join(cases)
        between = b","
    yield b"\n  ]" + after + b"\n"


def result_json(result: RunResult, metrics: Sequence[Metric] | None = None) -> bytes:
    """The whole result as one piece."""
    return b"".join(json_parts(result, metrics))


def write_json(result: RunResult, path: Path) -> None:
    """The whole result as a file, replaced in one step. A chunk of cases is held at a time."""

    def write(part: Path) -> None:
        with part.open("wb") as file:
            for piece in json_parts(result):
                file.write(piece)

    write_atomically(path, write)


def _formatted(value: msgspec.Struct) -> bytes:
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:  # half of a surrogate pair, which UTF-8 cannot hold
        data = msgspec.json.encode(_mended(msgspec.to_builtins(value, str_keys=True)))
    return msgspec.json.format(data, indent=2)


def _suite(name: str) -> Suite | None:
    """The suite, where it is installed."""
    try:
        return plugins.load_suite(name)
    except (UserError, ImportError):
        return None


def _tries(tries: Tries) -> TriesJson:
    return TriesJson(
        tries.tries, tuple(MetricTriesJson(item.metric, item.spread, item.pass_k) for item in tries.metrics)
    )


def _case(case: CaseResult) -> CaseJson:
    repeats = tuple(RepeatJson(one.status, _values(one.scores), one.error) for one in case.repeats)
    return CaseJson(
        case.id,
        case.status,
        case.name,
        case.tags,
        case.question,
        case.error,
        _values(case.scores),
        {name: score.reason for name, score in case.scores.items() if score.value is None and score.reason},
        case.details,
        repeats or msgspec.UNSET,
    )


def _values(scores: Mapping[str, Score]) -> dict[str, float | None]:
    return {name: score.value for name, score in scores.items()}


def _mended(value: object) -> object:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_mended(item) for item in value]
    return value
