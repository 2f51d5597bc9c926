"""Differences by tag, and by dimension, function and field, from what the cases' details hold.

- ``dimensions`` (data queries): recall, precision and F1 of each dimension, mean over turns and repeats;
- ``fields`` (retrieval): recall of each field, found / relevant;
- ``functions`` (answers): the headline metrics over the cases that use the function.
Another suite's details take part when they hold one of these keys in the same form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from karat.core.problems import count_of
from karat.core.result import CaseResult
from karat.core.suite import Metric
from karat.stats.comparison import GroupComparison, TagComparison
from karat.stats.paired import paired_difference
from karat.stats.pairing import Pairs, finite

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


def compare_groups(pairs: Pairs, metrics: Sequence[Metric]) -> tuple[tuple[GroupComparison, ...], list[str]]:
    """By function, by dimension, by field; and what was left out, in words."""
    by_function, said = _by_function(pairs, metrics)
    by_part, said_too = _by_part(pairs)
    return (*by_function, *by_part), [*said, *said_too]


def _by_function(pairs: Pairs, metrics: Sequence[Metric]) -> tuple[list[GroupComparison], list[str]]:
    rows: dict[str, list[int]] = {}
    for row, (a, b) in enumerate(pairs.pairs):
        names = (*_listed(a.details, "functions"), *_listed(b.details, "functions"))
        for name in dict.fromkeys(name for name in names if isinstance(name, str)):
            rows.setdefault(name, []).append(row)
    kept, warnings = _largest(rows, "function")
    found = [
        GroupComparison("function", name, metric.name, difference)
        for name in kept
        for metric in metrics
        if (difference := pairs.difference(metric.name, rows[name])) is not None
    ]
    return found, warnings


def _by_part(pairs: Pairs) -> tuple[list[GroupComparison], list[str]]:
    values: dict[tuple[str, str], dict[str, tuple[list[float], list[float], list[int]]]] = {}
    for row, (a, b) in enumerate(pairs.pairs):
        if not a.details or not b.details:
            continue
        before, after = _figures(a), _figures(b)
        for key, value in before.items():
            if key in after:
                kind, name, metric = key
                column = values.setdefault((kind, name), {}).setdefault(metric, ([], [], []))
                column[0].append(value)
                column[1].append(after[key])
                column[2].append(row)
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


def _figures(case: CaseResult) -> Figures:
    """What the details say of each dimension and field, mean over turns and repeats."""
    found: Figures = {}
    several: dict[tuple[str, str, str], list[float]] = {}
    tries: Sequence[Mapping[str, Any]] = [r.details for r in case.repeats] if case.repeats else [case.details]
    for details in tries:
        for key, value in _parts(details):
            if key in found:
                several.setdefault(key, [found[key]]).append(value)
            else:
                found[key] = value
    for key, numbers in several.items():
        found[key] = sum(numbers) / len(numbers)
    return found


def _parts(details: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str, str], float]]:
    for part in _listed(details, "dimensions"):
        if isinstance(part, dict) and "dimension" in part:
            for key in _dimension_keys(str(part["dimension"])):
                if (value := finite(part.get(key[2]))) is not None:
                    yield key, value
    for part in _listed(details, "fields"):
        if isinstance(part, dict) and "field" in part:
            found, relevant = finite(part.get("found")), finite(part.get("relevant"))
            if found is not None and relevant:
                yield ("field", str(part["field"]), "recall"), found / relevant


@lru_cache(10_000)
def _dimension_keys(name: str) -> tuple[tuple[str, str, str], ...]:
    """The keys of a dimension's figures, made once."""
    return tuple(("dimension", name, metric) for metric in ("recall", "precision", "f1"))


def _listed(details: Mapping[str, Any], key: str) -> Sequence[Any]:
    found = details.get(key)
    return found if isinstance(found, list | tuple) else ()


def _largest(rows: Mapping[str, Sequence[int]], noun: str) -> tuple[list[str], list[str]]:
    if len(rows) <= MOST:
        return sorted(rows), []
    kept = sorted(rows, key=lambda name: (-len(rows[name]), name))[:MOST]
    said = f"Compared by {noun} for the {MOST} with most cases; {count_of(len(rows) - MOST, noun)} more left out."
    return sorted(kept), [said]
