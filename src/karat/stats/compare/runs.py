"""Two runs compared case by case, from columns of numbers: no case is read as an object.

- A case counts once: its value is the mean over its turns and repeats. A metric is compared over the cases that have a
  value in both runs; how many have one in a single run is said.
- Cases that a suite calls variants of one (``cluster`` in their details) are drawn and swapped together.
- What can be detected (``power``) is said for the test as it is used, Holm's adjustment included.
- Holm's adjustment is over the headline metrics that have a difference; over all, when no metric is a headline. Metrics
  with the same values in both runs count once. Other metrics, tags and groups are for looking: they keep their plain
  p-value and no claim rests on it.
- For a ``rate`` with values 0 and 1, McNemar's table is given. Its p is the same as the difference's, unless cases are
  clustered: then the difference's p is the right one, as McNemar's test takes every case for independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from karat.core.bulk.gc_pause import no_collecting
from karat.core.metric import Metric
from karat.core.problems import count_of
from karat.core.results.columns.columns import columns_of
from karat.core.results.result import RunResult
from karat.stats.compare.case_changes import CaseChange
from karat.stats.compare.cases import changed_cases
from karat.stats.compare.groups import compare_groups, compare_tags
from karat.stats.compare.pairing import Pairs, pair_columns
from karat.stats.compare.records import (
    GroupComparison,
    MetricComparison,
    RunComparison,
    SharedPlaces,
    TagComparison,
)
from karat.stats.compare.right_wrong import right_wrong
from karat.stats.compare.significance.holm import holm
from karat.stats.compare.significance.mcnemar import McNemar, mcnemar_table
from karat.stats.compare.value_pairs import ValuePairs
from karat.stats.compare.warnings import warnings_of

__all__ = [
    "CaseChange",
    "GroupComparison",
    "MetricComparison",
    "RunComparison",
    "TagComparison",
    "compare_runs",
]


def compare_runs(a: RunResult, b: RunResult, metrics: Sequence[Metric]) -> RunComparison:
    """b against a, over these metrics. Runs without a case, or without a shared one, give no difference and say why."""
    with no_collecting():
        return _compare_runs(a, b, metrics)


def _compare_runs(a: RunResult, b: RunResult, metrics: Sequence[Metric]) -> RunComparison:
    pairs = pair_columns(columns_of(a), columns_of(b), metrics)
    judged = [metric for metric in metrics if metric.headline] or list(metrics)
    family = {
        metric.name: pairs.columns[metric.name].test for metric in judged if pairs.columns[metric.name].known.any()
    }
    tests = len(set(family.values()))
    compared = _adjusted([_compare_metric(pairs, m, tests if m.name in family else 1) for m in metrics], family)
    tags, tags_left_out = compare_tags(pairs, judged)
    groups, groups_left_out = compare_groups(pairs, judged)
    warnings = warnings_of(a, b, pairs, compared)
    return RunComparison(
        a.run,
        b.run,
        _count_paired(pairs),
        len(pairs),
        compared,
        tags,
        groups,
        changed_cases(pairs, judged),
        (*warnings, *tags_left_out, *groups_left_out),
        right_wrong(pairs, metrics),
        SharedPlaces(pairs.places_a, pairs.places_b),
    )


def _count_paired(pairs: Pairs) -> int:
    import numpy as np

    if not pairs.columns:
        return 0
    return int(np.logical_or.reduce([column.known for column in pairs.columns.values()]).sum())


def _compare_metric(pairs: Pairs, metric: Metric, tests: int) -> MetricComparison:
    import numpy as np

    found = pairs.columns[metric.name].counted()
    difference = pairs.difference(metric.name, tests=tests)
    only_a = found.number(~np.isnan(found.a) & np.isnan(found.b))
    only_b = found.number(np.isnan(found.a) & ~np.isnan(found.b))
    return MetricComparison(
        metric.name,
        metric.title,
        metric.kind,
        metric.headline,
        difference,
        _verdicts(found.known()) if difference is not None and metric.kind == "rate" else None,
        None,
        "" if difference is not None else _why_undefined(pairs, only_a, only_b),
        metric.higher_is_better,
        only_a,
        only_b,
    )


def _verdicts(found: ValuePairs) -> McNemar | None:
    import numpy as np

    if not (np.isin(found.a, (0.0, 1.0)).all() and np.isin(found.b, (0.0, 1.0)).all()):
        return None
    return mcnemar_table(*(found.number((found.a == was) & (found.b == now)) for was in (1, 0) for now in (1, 0)))


def _why_undefined(pairs: Pairs, only_a: int, only_b: int) -> str:
    some_a, some_b = len(pairs.a), len(pairs.b)
    if not some_a or not some_b:
        which = "neither run has" if not some_a and not some_b else "run A has no" if not some_a else "run B has no"
        return f"{which} {'a case' if which.startswith('neither') else 'cases'}"
    if not len(pairs):
        return "the runs share no case"
    shared = count_of(len(pairs), "shared case")
    if only_a or only_b:
        return f"no case has a value in both runs: of {shared}, {only_a:,} have one in A only, {only_b:,} in B only"
    return f"no value in either run, over {shared}"


def _adjusted(found: Sequence[MetricComparison], family: Mapping[str, bytes]) -> tuple[MetricComparison, ...]:
    import msgspec

    tested = [item for item in found if item.metric in family and item.difference is not None]
    p_values = [item.difference.p for item in tested if item.difference is not None]
    adjusted = holm(p_values, [family[item.metric] for item in tested])
    by_metric = {item.metric: p for item, p in zip(tested, adjusted, strict=True)}
    return tuple(msgspec.structs.replace(item, p_adjusted=by_metric.get(item.metric)) for item in found)
