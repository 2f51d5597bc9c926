"""A comparison made case by case from objects, as plainly as it can be said: what the columns must agree with."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from karat.core.metric import Metric
from karat.core.presentation.case_explanation import explanation_of
from karat.core.results.clusters import clusters_of
from karat.core.results.groups import case_groups
from karat.core.results.result import CaseResult, RunResult, fails, value_with_errors
from karat.reports.compare.answer_changes import PartChange, answer_changes, only_answer
from karat.reports.compare.changes import SECTIONS, Change, Move, Side
from karat.reports.console.run import reason_of
from karat.stats.compare.case_changes import CaseChange
from karat.stats.compare.paired import Difference, paired_difference
from karat.stats.compare.pairing import value_of
from karat.stats.compare.right_wrong import Verdict, deciding_metric
from karat.stats.compare.significance.mcnemar import mcnemar

Pair = tuple[CaseResult, CaseResult]
Value = Callable[[CaseResult], float | None]


def pairs_of(a: RunResult, b: RunResult) -> list[Pair]:
    later = {case.id: case for case in b.cases}
    return [(case, later[case.id]) for case in a.cases if case.id in later]


def difference(pairs: Sequence[Pair], clusters: Sequence[str] | None, value: Value, **more: Any) -> Difference | None:
    """The difference of the pairs that have both values; ``clusters`` are those of the pairs."""
    rows = [row for row, (a, b) in enumerate(pairs) if value(a) is not None and value(b) is not None]
    first, second = ([value(pairs[row][side]) for row in rows] for side in (0, 1))
    own = None if clusters is None else [clusters[row] for row in rows]
    return paired_difference(first, second, own, **more) if rows else None  # type: ignore[arg-type]  # keywords of every kind


def differences(a: RunResult, b: RunResult, metrics: Sequence[Metric]) -> list[Any]:
    """(metric, difference, table of verdicts, values in one run only) of each metric, without Holm's adjustment."""
    pairs = pairs_of(a, b)
    clusters = clusters_of([x if x.cluster else y for x, y in pairs])
    headline = [item for item in metrics if item.headline]
    columns = {m.name: [(value_of(x, m.name), value_of(y, m.name)) for x, y in pairs] for m in metrics}
    family = {m.name: tuple(columns[m.name]) for m in headline if any(None not in column for column in columns[m.name])}
    found = []
    for metric in metrics:
        tests = len(set(family.values())) if metric.name in family else 1
        both = [column for column in columns[metric.name] if column[0] is not None and column[1] is not None]
        verdicts = metric.kind == "rate" and both and all(value in (0, 1) for column in both for value in column)
        table = mcnemar([x == 1 for x, _ in both], [y == 1 for _, y in both]) if verdicts else None
        only_a = sum(x is not None and y is None for x, y in columns[metric.name])
        only_b = sum(x is None and y is not None for x, y in columns[metric.name])
        own = difference(pairs, clusters, _value(metric.name), kind=metric.kind, tests=tests)
        found.append((metric.name, own, table, only_a, only_b))
    return found


def _value(metric: str) -> Value:
    return lambda case: value_of(case, metric)


def tags(a: RunResult, b: RunResult, metrics: Sequence[Metric]) -> list[Any]:
    pairs = pairs_of(a, b)
    names = {tag for pair in pairs for case in pair for tag in case.tags}
    rows = {tag: [row for row, (x, y) in enumerate(pairs) if tag in (*x.tags, *y.tags)] for tag in sorted(names)}
    return _over(pairs, rows, metrics)


def _over(pairs: list[Pair], rows: dict[str, list[int]], metrics: Sequence[Metric]) -> list[Any]:
    clusters = clusters_of([x if x.cluster else y for x, y in pairs])
    found = []
    for name, some in rows.items():
        own = None if clusters is None else [clusters[row] for row in some]
        for metric in metrics:
            one = difference([pairs[row] for row in some], own, _value(metric.name), kind=metric.kind)
            found += [(name, metric.name, one)] if one is not None else []
    return found


def groups(a: RunResult, b: RunResult, metrics: Sequence[Metric]) -> list[Any]:
    pairs = pairs_of(a, b)
    clusters = clusters_of([x if x.cluster else y for x, y in pairs])
    sides = [(case_groups(a.run.suite, x), case_groups(a.run.suite, y)) for x, y in pairs]
    members: dict[str, dict[str, list[int]]] = {}
    figures: dict[str, dict[str, dict[str, list[tuple[float, float, int]]]]] = {}
    for row, ((before, named), (after, also)) in enumerate(sides):
        for kind, name in dict.fromkeys((*named, *also)):
            members.setdefault(kind, {}).setdefault(name, []).append(row)
        for key in before:
            if key in after:
                kind, name, metric = key
                column = figures.setdefault(kind, {}).setdefault(name, {}).setdefault(metric, [])
                column.append((before[key], after[key], row))
    found = [(kind, *one) for kind in members for one in _over(pairs, dict(sorted(members[kind].items())), metrics)]
    for kind, names in figures.items():
        for name in sorted(names):
            for metric, column in names[name].items():
                own = None if clusters is None else [clusters[row] for _, _, row in column]
                one = paired_difference([x for x, _, _ in column], [y for _, y, _ in column], own)
                found.append((kind, name, metric, one))
    return found


def changed(a: RunResult, b: RunResult, metrics: Sequence[Metric]) -> list[CaseChange]:
    first = metrics[0].name
    ids_a, ids_b = {case.id for case in a.cases}, {case.id for case in b.cases}
    status, moved = [], []
    for x, y in pairs_of(a, b):
        if x.status != y.status:
            values = value_of(x, first), value_of(y, first)
            status.append(CaseChange(x.id, "status", first, *values, x.status, y.status))
    for metric in metrics:
        for x, y in pairs_of(a, b):
            before, after = value_of(x, metric.name), value_of(y, metric.name)
            if before is None or after is None or x.status != y.status or abs(after - before) <= 1e-9:
                continue
            better = (after > before) == metric.higher_is_better
            moved.append(
                CaseChange(x.id, "better" if better else "worse", metric.name, before, after, x.status, y.status)
            )
    moved.sort(key=lambda change: (change.kind == "better", -abs((change.value_b or 0) - (change.value_a or 0))))
    gone = [
        CaseChange(x.id, "only_a", first, value_of(x, first), None, x.status, None)
        for x in a.cases
        if x.id not in ids_b
    ]
    new = [
        CaseChange(y.id, "only_b", first, None, value_of(y, first), None, y.status)
        for y in b.cases
        if y.id not in ids_a
    ]
    return [*status, *moved, *gone, *new]


def shown(a: RunResult, b: RunResult, metrics: Sequence[Metric]) -> list[Change]:
    """Each changed case once, in the order in which reports show them."""
    cases = [{case.id: case for case in run.cases} for run in (a, b)]
    by_case: dict[str, list[CaseChange]] = {}
    for change in changed(a, b, metrics):
        by_case.setdefault(change.id, []).append(change)
    found = []
    for name, own in by_case.items():
        kinds = {change.kind for change in own}
        sides = [side.get(name) for side in cases]
        either = sides[1] or sides[0]
        assert either is not None
        moves = tuple(Move(change.metric, change.value_a, change.value_b) for change in own)
        told = [
            Side(side.status, side.error or reason_of(a.run.suite, side)) if side is not None else Side()
            for side in sides
        ]
        kind: Any = "mixed" if kinds == {"better", "worse"} else own[0].kind
        question = either.question or (sides[0].question if sides[0] is not None else "")
        verdict, parts = _verdict(sides, metrics), _parts(a.run.suite, sides)
        found.append(Change(name, kind, question, moves, told[0], told[1], verdict, parts))
    return sorted(found, key=lambda change: (list(SECTIONS).index(change.section), -_size(change), change.id))


def _verdict(sides: Sequence[CaseResult | None], metrics: Sequence[Metric]) -> Verdict:
    """By the figure that says right or wrong, where both runs have it."""
    metric = deciding_metric(metrics)
    values = [value_of(side, metric.name) if side is not None and metric is not None else None for side in sides]
    if metric is None or None in values:
        return ""
    best = 1.0 if metric.higher_is_better else 0.0
    was, now = (abs((value or 0.0) - best) <= 1e-9 for value in values)
    return ("right" if now else "newly_wrong") if was else ("newly_right" if now else "wrong")


def _parts(suite: str, sides: Sequence[CaseResult | None]) -> tuple[PartChange, ...]:
    before, after = (None if side is None else explanation_of(suite, side, None) for side in sides)
    if before is None or after is None:
        return only_answer(before, after)
    return answer_changes(before, after)


def _size(change: Change) -> float:
    total = 0.0
    for move in change.moves:
        total += abs(move.b - move.a) if move.a is not None and move.b is not None else 0.0
    return total


def with_errors(result: RunResult, metric: str, worst: float) -> tuple[float | None, int]:
    """The mean with failed tries as the worst value, and how many cases fail."""
    values = [value for case in result.cases if (value := value_with_errors(case, metric, worst)) is not None]
    failed = sum(fails(case, metric) for case in result.cases)
    return (math.fsum(values) / len(values) if values and failed else None), failed
