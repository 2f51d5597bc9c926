"""Differences by tag, and by the groups that a suite's explanations name: dimensions, fields, functions.

A group with figures is compared by those, each case's mean over its turns and repeats. A group without is compared by
the headline metrics over the cases that belong to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from karat.core.case_explanation import explanation_of
from karat.core.problems import count_of
from karat.core.results.result import CaseResult
from karat.core.suite import Metric
from karat.stats.compare.paired import paired_difference
from karat.stats.compare.pairing import Pairs
from karat.stats.compare.records import GroupComparison, TagComparison

MOST = 100
"""Tags, or names of one kind, that are compared: those with most cases."""

Figures = dict[tuple[str, str, str], float]
"""(kind, name, metric) → the case's value."""


def compare_tags(pairs: Pairs, metrics: Sequence[Metric]) -> tuple[tuple[TagComparison, ...], list[str]]:
    """Each tag that a case has in either run, in the order of the alphabet; and what was left out, in words."""
    rows: dict[str, list[int]] = {}
    for row, (a, b) in enumerate(pairs.pairs):
        for tag in dict.fromkeys((*a.tags, *b.tags)):
            rows.setdefault(tag, []).append(row)
    kept, warnings = _largest(rows, "tag")
    found = (
        TagComparison(tag, metric.name, difference)
        for tag in kept
        for metric in metrics
        if (difference := pairs.difference(metric.name, rows[tag])) is not None
    )
    return tuple(found), warnings


def compare_groups(
    suite: str, pairs: Pairs, metrics: Sequence[Metric]
) -> tuple[tuple[GroupComparison, ...], list[str]]:
    """By the groups that the suite's explanations name, such as dimensions or fields; and what was left out, in
    words."""
    members: dict[str, dict[str, list[int]]] = {}
    values: dict[tuple[str, str], dict[str, tuple[list[float], list[float], list[int]]]] = {}
    for row, (a, b) in enumerate(pairs.pairs):
        before, named = _groups(suite, a)
        after, also_named = _groups(suite, b)
        for kind, name in dict.fromkeys((*named, *also_named)):
            members.setdefault(kind, {}).setdefault(name, []).append(row)
        for key, value in before.items():
            if key in after:
                kind, name, metric = key
                column = values.setdefault((kind, name), {}).setdefault(metric, ([], [], []))
                column[0].append(value)
                column[1].append(after[key])
                column[2].append(row)
    by_member, said = _by_member(pairs, metrics, members)
    by_figure, said_too = _by_figure(pairs, values)
    return (*by_member, *by_figure), [*said, *said_too]


def _by_member(
    pairs: Pairs, metrics: Sequence[Metric], members: Mapping[str, Mapping[str, Sequence[int]]]
) -> tuple[list[GroupComparison], list[str]]:
    """The metrics over the cases of each group."""
    found: list[GroupComparison] = []
    warnings: list[str] = []
    for kind, rows in members.items():
        kept, said = _largest(rows, kind)
        warnings += said
        found += [
            GroupComparison(kind, name, metric.name, difference)
            for name in kept
            for metric in metrics
            if (difference := pairs.difference(metric.name, rows[name])) is not None
        ]
    return found, warnings


def _by_figure(
    pairs: Pairs, values: Mapping[tuple[str, str], Mapping[str, tuple[list[float], list[float], list[int]]]]
) -> tuple[list[GroupComparison], list[str]]:
    """The figures that the cases have in each group."""
    found: list[GroupComparison] = []
    warnings: list[str] = []
    for kind in dict.fromkeys(kind for kind, _ in values):
        sizes = {
            name: max((c[2] for c in columns.values()), key=len)
            for (other, name), columns in values.items()
            if other == kind
        }
        kept, said = _largest(sizes, kind)
        warnings += said
        for name in kept:
            for metric, (first, second, rows) in values[kind, name].items():
                clusters = None if pairs.clusters is None else [pairs.clusters[row] for row in rows]
                found.append(GroupComparison(kind, name, metric, paired_difference(first, second, clusters)))
    return found, warnings


def _groups(suite: str, case: CaseResult) -> tuple[Figures, list[tuple[str, str]]]:
    """The case's figures in its groups, mean over turns and repeats; and the groups to which it belongs as a whole."""
    found: dict[tuple[str, str, str], list[float]] = {}
    named: dict[tuple[str, str], None] = {}
    for one in case.repeats or (case,):
        if not one.details:
            continue
        for group in explanation_of(suite, one).groups:
            if not group.figures:
                named[group.kind, group.name] = None
            for metric, value in group.figures:
                found.setdefault((group.kind, group.name, metric), []).append(value)
    means = {key: sum(numbers) / len(numbers) for key, numbers in found.items()}
    return means, list(named)


def _largest(rows: Mapping[str, Sequence[int]], noun: str) -> tuple[list[str], list[str]]:
    if len(rows) <= MOST:
        return sorted(rows), []
    kept = sorted(rows, key=lambda name: (-len(rows[name]), name))[:MOST]
    said = f"Compared by {noun} for the {MOST} with most cases; {count_of(len(rows) - MOST, noun)} more left out."
    return sorted(kept), [said]
