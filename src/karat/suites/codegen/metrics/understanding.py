"""Whether the code shows that the question was understood (contract, section 1).

    understanding = 0.4 × columns + 0.3 × language + 0.3 × statistics

- columns: F1 of the columns that the question mentions and those that the code uses on the way to its result
- language: mean over the patterns asked for (each top N, each bottom N, a filter) of how far the code has them
- statistics: F1 of the operations asked for (mean, sum, max, min, count, median, std, var, groupby) and those found; an
  additional operation counts against the code only if it is the wrong one of a pair (sum for mean, min for max)

A column is mentioned if the question contains its name or one of its values ("in Germany"). A column that is used but
not mentioned counts against the code, unless the question implies it: keys of a join, the column of a condition that
names none ("older than 30"), a group's column if none is named, a column that is only counted.

If there is a reference (see ``confirmed_requirements``), what it does not use is not required, and what it uses never
counts against the code. So the reference itself has 1.

Edge cases: code that cannot be parsed, or whose result uses no table, has 0 in all three. If no column is mentioned,
or no pattern or operation is asked for, that part is 1. A pattern with the right direction and the wrong number counts
half. A filter counts the share of its conditions that are met (see ``matching``); if no condition can be read from the
question, any choice of rows meets it. If ``exec`` or ``getattr`` gets a text that is known only at run time, what was
not found is left out and lowers nothing.

By hand: "average salary by city of people older than 30" and ``df[df.age > 30].groupby("city").salary.sum()``.
Mentioned: salary, city; used: these and age, which "older than 30" implies: F1 = 1. The filter is met: language 1.
Asked mean and groupby; found groupby, and sum, the wrong one of its pair: F1 = 2 × 1 / (2 × 1 + 1 + 1) = 0.5.
Understanding = 0.4 + 0.3 + 0.3 × 0.5 = 0.85.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.codegen.analysis.records import CodeFacts
from karat.suites.codegen.metrics.requirements.confirmed_requirements import counted
from karat.suites.codegen.metrics.requirements.matching import does_nothing, met, taken, takes_some_rows
from karat.suites.codegen.metrics.requirements.operations import operations_of
from karat.suites.codegen.question.records import Asked

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison

COLUMNS_WEIGHT = 0.4
LANGUAGE_WEIGHT = 0.3
STATISTICS_WEIGHT = 0.3

_PAIRS = {"mean": "sum", "sum": "mean", "max": "min", "min": "max"}
_COUNTED = frozenset({"count", "size", "len"})
_IN_ORDER = ("mean", "sum", "max", "min", "count", "median", "std", "var", "groupby")


class UnderstandingDetails(msgspec.Struct, frozen=True):
    column_extraction_score: float
    """0 to 0.4: how well the used columns match the mentioned ones."""
    nl_parsing_score: float
    """0 to 0.3: how many of the requested top-N selections and filters the code has."""
    statistical_understanding_score: float
    """0 to 0.3: how well the operations match the requested ones."""
    extracted_columns: tuple[str, ...]
    """The columns that the code uses."""
    mentioned_columns: tuple[str, ...]
    """The columns that the question mentions."""
    statistical_operations: tuple[str, ...]
    """The operations that the code uses."""


class PromptUnderstanding(msgspec.Struct, frozen=True):
    """How well the code shows that the question was understood, as ``karat.Session`` writes it."""

    understanding_score: float
    """The sum of the three parts, 0 to 1."""
    details: UnderstandingDetails
    """Its parts."""


def understanding_of(asked: Asked, facts: CodeFacts, reference: CodeFacts | None = None) -> PromptUnderstanding:
    """How well the code's facts fit what was asked. What the ``reference`` does is not held against the code, nor what
    it does without."""
    asked = counted(asked, facts, reference)
    named = (column for condition in asked.conditions if (column := condition.column))
    mentioned = tuple(dict.fromkeys((*asked.columns, *named)))
    found, certain = operations_of(facts)
    shares = (0.0, 0.0, 0.0)
    if not does_nothing(facts):
        needed = operations_of(reference)[1] if reference is not None else set()
        free = set(reference.columns) if reference is not None else set()
        shares = (
            _columns(asked, facts, set(mentioned), free),
            _language(asked, facts),
            _statistics(asked, found, certain - needed),
        )
    parts = (COLUMNS_WEIGHT * shares[0], LANGUAGE_WEIGHT * shares[1], STATISTICS_WEIGHT * shares[2])
    operations = tuple(name for name in _IN_ORDER if name in found)
    return PromptUnderstanding(min(sum(parts), 1.0), UnderstandingDetails(*parts, facts.columns, mentioned, operations))


# -- columns ----------------------------------------------------------------------------------------------------------


def _columns(asked: Asked, facts: CodeFacts, mentioned: set[str], free: set[str]) -> float:
    if not mentioned:
        return 1.0
    used = set(facts.columns) - ((_implied(asked, facts) | free) - mentioned)
    return 2 * len(mentioned & used) / (len(mentioned) + len(used))


def _implied(asked: Asked, facts: CodeFacts) -> set[str]:
    """Columns that the question needs without naming them."""
    implied = {key for join in facts.joins for key in join.keys}
    implied |= {
        one.column
        for condition, (_, one) in zip(asked.conditions, met(asked.conditions, facts.filters), strict=True)
        if one is not None and not condition.column
    }
    if asked.grouping and not asked.group_keys:
        implied |= set(facts.group_keys)
    counted = {one.column for one in facts.aggregations if one.function in _COUNTED}
    elsewhere = {one.column for one in facts.aggregations if one.function not in _COUNTED}
    elsewhere |= {one.column for one in facts.filters} | {name for one in facts.orders for name in one.columns}
    return implied | (counted - elsewhere - set(facts.group_keys))


# -- language ---------------------------------------------------------------------------------------------------------


def _language(asked: Asked, facts: CodeFacts) -> float:
    items = [taken(facts, True, count) for count in asked.top]
    items += [taken(facts, False, count) for count in asked.bottom]
    if asked.conditions:
        credits = [share for share, _ in met(asked.conditions, facts.filters)]
        items.append(sum(credits) / len(credits))
    elif asked.filtering:
        items.append(float(takes_some_rows(facts)))
    return sum(items) / len(items) if items else 1.0


# -- statistics -------------------------------------------------------------------------------------------------------


def _statistics(asked: Asked, found: set[str], certain: set[str]) -> float:
    wanted = set(asked.statistics)
    if not wanted:
        return 1.0
    right = len(wanted & found)
    wrong = len({_PAIRS[name] for name in wanted if name in _PAIRS} & certain - wanted)
    return 2 * right / (2 * right + len(wanted - found) + wrong)


def score(comparison: Comparison) -> Score:
    return Score(comparison.understanding.understanding_score)


metric = Metric("understanding", "understanding", "0.4 columns (F1) + 0.3 language + 0.3 statistics", score)
