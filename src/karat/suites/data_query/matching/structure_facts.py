"""What the structures say about a comparison: parents of codes, codes that do not exist, series that are not there.
Nothing where the option ``structures`` gives none."""

from __future__ import annotations

from functools import lru_cache

from karat.suites.data_query.checks.constraints import Allowed
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.matching.dimension_comparison import DimensionComparison
from karat.suites.data_query.matching.hierarchy import HierarchyComparison, Parents, compare_hierarchy
from karat.suites.data_query.matching.known_codes import structures_of
from karat.suites.data_query.options import Options
from karat.suites.data_query.selection.selection import DatasetSelection
from karat.suites.data_query.structures.codelists import Codelists
from karat.suites.data_query.structures.records import Codelist, parse_ref


def target_ids(dimension: DimensionComparison) -> set[str]:
    """The expected ids of a dimension."""
    return {term.id for term in (*dimension.true_positives, *dimension.false_negatives)}


def selected_ids(dimension: DimensionComparison) -> set[str]:
    """The selected ids of a dimension."""
    return {term.id for term in (*dimension.true_positives, *dimension.false_positives)}


def hierarchy(comparison: Comparison) -> HierarchyComparison:
    """How near the selected codes are to the expected ones. Dimensions where one side takes everything are left out."""
    if not comparison.options.structures:
        return HierarchyComparison()
    counted = [one for one in comparison.dimensions if not one.everything and not one.everything_expected]
    target = {one.dimension: target_ids(one) for one in counted if one.in_target}
    selected = {one.dimension: selected_ids(one) for one in counted}
    parents = {name: parents_of(comparison, name) for name in target}
    return compare_hierarchy(target, selected, parents, comparison.options.hierarchy_depth)


def parents_of(comparison: Comparison, dimension: str) -> Parents:
    """Code → the codes above it, over the datasets of target and answer."""
    found: dict[str, tuple[str, ...]] = {}
    for codelist in _lists(comparison, dimension):
        found.update(codelist.parents)
    return found


def unknown_codes(comparison: Comparison) -> bool:
    """Whether a selected id is in no codelist of its dimension, where one is at hand."""
    for one in comparison.dimensions:
        lists = _lists(comparison, one.dimension) if one.false_positives else []
        if any(held.lacking for held in lists):
            continue
        if lists and any(all(term.id not in held.codes for held in lists) for term in one.false_positives):
            return True
    return False


def unavailable(comparison: Comparison) -> bool:
    """Whether no series of an entry of the answer is allowed or has data, by a constraint at hand."""
    if not comparison.options.structures:
        return False
    return any(_is_outside(part, comparison.options) for part in comparison.selection.indicator_selection)


def _lists(comparison: Comparison, dimension: str) -> list[Codelist]:
    options = comparison.options
    if not options.structures:
        return []
    structures = structures_of(options)
    parts = (*comparison.target.indicator_selection, *comparison.selection.indicator_selection)
    found = (structures.find(one, dimension, options.codelists) for one in dict.fromkeys(p.dataset_id for p in parts))
    return [one for one in found if isinstance(one, Codelist) and one.codes]


def _is_outside(part: DatasetSelection, options: Options) -> bool:
    named = tuple(sorted(options.codelists.items()))
    rules = _rules(part.dataset_id, structures_of(options), named)
    return any(not rule.permits(part) for rule in rules)


@lru_cache(maxsize=256)
def _rules(dataset: str, structures: Codelists, named: tuple[tuple[str, str], ...]) -> tuple[Allowed, ...]:
    held = structures.constraints(parse_ref(dataset))
    roles = ([one for one in held if one.role == role] for role in ("allowed", "actual"))
    rules = (Allowed(dataset, own, structures, dict(named)) for own in roles)
    return tuple(rule for rule in rules if rule)
