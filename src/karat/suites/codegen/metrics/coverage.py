"""Whether the code does all that the question asks for (contract, section 2).

    coverage = 0.3 × filters + 0.3 × groups + 0.2 × sorting + 0.2 × joins

Each part is the mean over the requirements of its kind, 0 to 1:

- filters: each condition, matched one to one with the code's filters (see ``matching``); one more for each two
  conditions that the question joins by "and" or "or" and the code has: whether the code joins them the same way
- groups: each column to group by; if no column is named, whether the code groups at all
- sorting: each top N and bottom N with its direction and number; one more if an order is asked for, with its direction
  if the question gives one
- joins: tables put together, by ``merge``, ``join``, ``concat``, or a lookup in the other table

If there is a reference, only what the reference itself does is required (see ``confirmed_requirements``), so the
reference has 1.

Edge cases: a kind that the question does not ask for counts 1. Code that cannot be parsed, or whose result uses no
table, has 0 in all four. If the question asks for a filter without a readable condition ("only …"), any choice of rows
meets it. If ``exec`` or ``getattr`` gets a text that is known only at run time, what was not found is left out and
lowers nothing. ``missing_requirements`` names every requirement that is not fully met.

By hand: "top 3 names by salary in Berlin with age over 30" and ``df[df.age > 30].nsmallest(3, "salary")``. Two
conditions, one met: filters 0.5. No group: 1. Top 3 against the smallest 3: sorting 0. No join: 1. Coverage = 0.3 × 0.5
+ 0.3 + 0.2 × 0 + 0.2 = 0.65.

By hand: "people older than 30 or in Berlin" and ``df[(df.age > 30) & (df.city == "Berlin")]``. Both conditions, joined
by the wrong word: filters 2/3.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.codegen.analysis.records import CodeFacts
from karat.suites.codegen.metrics.requirements.confirmed_requirements import counted
from karat.suites.codegen.metrics.requirements.matching import (
    FULL,
    does_nothing,
    groups,
    joined_so,
    met,
    sorts,
    taken,
    takes_some_rows,
)
from karat.suites.codegen.metrics.requirements.met_lines import condition_words
from karat.suites.codegen.question.records import Asked

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison

FILTERS_WEIGHT = 0.3
GROUPS_WEIGHT = 0.3
SORTING_WEIGHT = 0.2
JOINS_WEIGHT = 0.2


class CoverageDetails(msgspec.Struct, frozen=True):
    filter_conditions_coverage: float
    """The share of the requested conditions that the code filters by."""
    groupby_columns_coverage: float
    """The share of the requested columns that the code groups by."""
    sorting_coverage: float
    """The share of the requested orders and top-N selections that the code has."""
    join_conditions_coverage: float
    """The share of the requested joins that the code has."""
    missing_requirements: tuple[str, ...]
    """Each requirement that is not fully met, in words."""


class RequirementCoverage(msgspec.Struct, frozen=True):
    """What the question asks for and how much of it the code covers, as ``karat.Session`` writes it."""

    coverage_score: float
    """0.3 × filters + 0.3 × groups + 0.2 × sorting + 0.2 × joins."""
    details: CoverageDetails
    """Its parts."""


class Requirement(msgspec.Struct, frozen=True):
    """One requirement and how far it is met, 0 to 1; in words, for the list of what is missing."""

    share: float
    words: str


def coverage_of(asked: Asked, facts: CodeFacts, reference: CodeFacts | None = None) -> RequirementCoverage:
    """How much of what was asked for the code's facts have. What the ``reference`` does without was not asked for."""
    asked = counted(asked, facts, reference)
    kinds = [list(kind(asked, facts)) for kind in (_filters, _groups, _sorting, _joins)]
    idle = does_nothing(facts)
    if idle:
        kinds = [[Requirement(0.0, one.words) for one in kind] for kind in kinds]
    filters, grouping, sorting, joins = shares = [0.0 if idle else _mean(kind) for kind in kinds]
    missing = [one.words for kind in kinds for one in kind if one.share < FULL]
    if idle:
        missing.insert(0, "Code cannot be parsed" if facts.syntax_error else "No table goes into the result")
    weights = (FILTERS_WEIGHT, GROUPS_WEIGHT, SORTING_WEIGHT, JOINS_WEIGHT)
    score = sum(weight * share for weight, share in zip(weights, shares, strict=True))
    return RequirementCoverage(min(score, 1.0), CoverageDetails(filters, grouping, sorting, joins, tuple(missing)))


def _mean(requirements: list[Requirement]) -> float:
    return sum(one.share for one in requirements) / len(requirements) if requirements else 1.0


def _filters(asked: Asked, facts: CodeFacts) -> Iterable[Requirement]:
    found = met(asked.conditions, facts.filters)
    for condition, (share, _) in zip(asked.conditions, found, strict=True):
        yield Requirement(share, f"Filter {'only in part' if share else 'missing'}: {condition_words(condition)}")
    by_condition = {
        condition: one for condition, (share, one) in zip(asked.conditions, found, strict=True) if share == FULL
    }
    for link in asked.links:
        first, second = by_condition.get(link.first), by_condition.get(link.second)
        if first is not None and second is not None:
            wanted = f"{condition_words(link.first)} {link.word} {condition_words(link.second)}"
            other = "and" if link.word == "or" else "or"
            yield Requirement(
                float(joined_so(facts, first, second, link.word)), f'Filters joined by "{other}": {wanted}'
            )
    if asked.filtering and not asked.conditions:
        yield Requirement(float(takes_some_rows(facts)), "Filter missing")


def _groups(asked: Asked, facts: CodeFacts) -> Iterable[Requirement]:
    for key in asked.group_keys:
        yield Requirement(float(key in facts.group_keys), f"Group by column missing: {key}")
    if asked.grouping and not asked.group_keys:
        yield Requirement(float(groups(facts)), "Group by missing")


def _sorting(asked: Asked, facts: CodeFacts) -> Iterable[Requirement]:
    for largest, counts in ((True, asked.top), (False, asked.bottom)):
        for count in counts:
            share = taken(facts, largest, count)
            words = f"{'Top' if largest else 'Bottom'} {'rows' if count is None else count}"
            yield Requirement(share, f"{words}: {'another number of rows' if share else 'missing'}")
    said = set(asked.ordering) - {"top or bottom"}
    if said:
        directions = [word for word in ("ascending", "descending") if word in said]
        ascending = directions[0] == "ascending" if len(directions) == 1 else None
        words = f"Sorting missing: {directions[0]}" if ascending is not None else "Sorting missing"
        yield Requirement(float(sorts(facts, ascending)), words)


def _joins(asked: Asked, facts: CodeFacts) -> Iterable[Requirement]:
    if asked.joining:
        yield Requirement(float(bool(facts.joins)), "Join/merge operation missing")


def score(comparison: Comparison) -> Score:
    missing = comparison.coverage.details.missing_requirements
    return Score(comparison.coverage.coverage_score, "scored", "; ".join(missing))


metric = Metric(
    "coverage", "coverage", "0.3 filters + 0.3 groups + 0.2 sorting + 0.2 joins, the share of each that is met", score
)
