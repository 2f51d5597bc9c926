"""Why an answer is not fully right, as fixed labels. A case has all that apply; the first is its main reason."""

from __future__ import annotations

from collections.abc import Iterator

from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.formats.operators import meaning
from karat.suites.data_query.matching.dimension_comparison import DimensionComparison
from karat.suites.data_query.matching.hierarchy import nearness
from karat.suites.data_query.matching.structure_facts import (
    parents_of,
    selected_ids,
    target_ids,
    unavailable,
    unknown_codes,
)
from karat.suites.data_query.selection.outcomes import NOT_STATED, REFUSALS

REASONS = (
    "call_failed",
    "unreadable",
    "refused",
    "clarified",
    "answered_instead",
    "other_outcome",
    "wrong_dataset",
    "unknown_code",
    "not_available",
    "dimension_missing",
    "label_only",
    "parent_or_child",
    "wrong_term",
    "too_few",
    "too_many",
    "defaults_only",
    "dimension_added",
    "wrong_combination",
    "wrong_period",
)
"""In the order in which they count as the main reason. The first two are of cases without a comparison."""


def reasons(comparison: Comparison) -> tuple[str, ...]:
    """Every reason that applies, the main one first; none where the answer is fully right."""
    if comparison.wholly_right:
        return ()
    found = set(_outcome(comparison))
    if (comparison.outcome.found == "answer" and comparison.outcome.right is not False) or not found:
        found |= set(_answer(comparison))
    return tuple(one for one in REASONS if one in found) or ("other_outcome",)


def _outcome(comparison: Comparison) -> Iterator[str]:
    outcome = comparison.outcome
    if outcome.right is None and comparison.scope_right is False:
        yield "refused"
    if outcome.right is not False:
        return
    if outcome.found == "answer":
        yield "answered_instead"
    elif outcome.found == "clarification":
        yield "clarified"
    elif outcome.found in (*REFUSALS, NOT_STATED) and "answer" in outcome.expected:
        yield "refused"
    else:
        yield "other_outcome"


def _answer(comparison: Comparison) -> Iterator[str]:
    if comparison.datasets.fp or comparison.datasets.fn:
        yield "wrong_dataset"
    if unknown_codes(comparison):
        yield "unknown_code"
    if unavailable(comparison):
        yield "not_available"
    if not comparison.terms_right and comparison.terms_right_by_id:
        yield "label_only"
    for dimension in comparison.dimensions:
        yield from _dimension(comparison, dimension)
    if _only_defaults_too_much(comparison):
        yield "defaults_only"
    if comparison.series.exact is False and comparison.terms_right:
        yield "wrong_combination"
    if comparison.period not in (None, 1.0):
        yield "wrong_period"


def _only_defaults_too_much(comparison: Comparison) -> bool:
    """Whether something is selected too much, and the system filled in all of it by itself."""
    extra = {(one.dimension, code) for one in comparison.dimensions for code in selected_ids(one) - target_ids(one)}
    filled_in: set[tuple[str, str]] = set()
    asked_for: set[tuple[str, str]] = set()
    for part in comparison.selection.indicator_selection:
        for one in part.dimensions:
            terms = {(one.dimension_name, term.id) for term in one.values}
            if meaning(one.operator) != "in":  # all codes, or all but these
                terms = {key for key in extra if key[0] == one.dimension_name} - terms
            (filled_in if one.is_default else asked_for).update(terms)
    return bool(extra) and extra <= filled_in - asked_for


def _dimension(comparison: Comparison, dimension: DimensionComparison) -> Iterator[str]:
    # Where datasets count (dataset_aware), the right ids of another dataset are missed and too much, too.
    missed, extra = bool(dimension.by_id.fn), bool(dimension.by_id.fp)
    if not dimension.in_target:
        if extra:
            yield "dimension_added"
        return
    if dimension.undecided and not missed and not extra:
        yield "too_many" if dimension.everything else "too_few"
    elif missed and not selected_ids(dimension) and not dimension.everything:
        yield "dimension_missing"
    elif missed and extra:
        yield "wrong_term"
        if _is_parent_or_child(comparison, dimension):
            yield "parent_or_child"
    elif missed:
        yield "too_few"
    elif extra:
        yield "too_many"


def _is_parent_or_child(comparison: Comparison, dimension: DimensionComparison) -> bool:
    """Whether a code that was missed is near in the hierarchy to one that is too much."""
    wanted, given = target_ids(dimension), selected_ids(dimension)
    depth = comparison.options.hierarchy_depth
    parents = parents_of(comparison, dimension.dimension)
    return any(nearness(one, other, parents, depth) for one in wanted - given for other in given - wanted)
