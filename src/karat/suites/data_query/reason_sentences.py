"""What keeps an answer from being fully right, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.matching.dimension_comparison import DimensionComparison
from karat.suites.data_query.selection.outcomes import NOT_STATED
from karat.suites.data_query.selection.selection import Term, split_version

FEW = 3
"""Terms or datasets that are named; the rest is counted."""


def failure_reasons(comparison: Comparison) -> Iterator[str]:
    """One phrase for each thing that is wrong. None where the answer is fully right."""
    yield from _outcome(comparison)
    if comparison.outcome.right and comparison.outcome.found != "answer":
        return
    yield from _datasets(comparison)
    yield from _dimension_names(comparison.dimensions)
    for dimension in comparison.dimensions:
        yield from _terms(dimension)
    if not comparison.datasets.fp and not comparison.datasets.fn:
        yield from _series(comparison)
    yield from _period(comparison)


def nameless(dimension: DimensionComparison) -> list[Term]:
    """Expected terms whose id was selected without a name."""
    given = {term.id for term in dimension.false_positives if not term.name}
    return [term for term in dimension.false_negatives if term.id in given and term.name]


def other_letter_case(dimension: DimensionComparison) -> list[tuple[Term, Term]]:
    """(expected, selected) where the ids differ by letter case only."""
    return _twins(dimension.false_negatives, dimension.false_positives)


def _twins(expected: Iterable[Term], found: Iterable[Term]) -> list[tuple[Term, Term]]:
    folded = {term.id.casefold(): term for term in found}
    pairs = ((term, folded.get(term.id.casefold())) for term in expected)
    return [(term, twin) for term, twin in pairs if twin is not None and twin.id != term.id]


def _outcome(comparison: Comparison) -> Iterator[str]:
    expected, found = comparison.outcome.expected, comparison.outcome.found
    if comparison.outcome.right is not False:
        if comparison.outcome.right is None and comparison.scope_right is False:
            yield "the answer declines, and the case expects one"
    elif found == "out_of_scope" and expected == ("answer",):
        yield "the answer declines, and the case expects one"
    elif found in ("answer", NOT_STATED) and expected == ("out_of_scope",):
        yield "the case is out of scope, and the answer does not decline"
    elif found != NOT_STATED or "answer" not in expected:
        yield f"{' or '.join(expected)} expected, found {found}"


def _series(comparison: Comparison) -> Iterator[str]:
    if comparison.series.exact is False and comparison.terms_right_by_id:
        yield "the terms are right, and combined into other series"


def _datasets(comparison: Comparison) -> Iterator[str]:
    if not comparison.datasets.fp and not comparison.datasets.fn:
        return
    unexpected = comparison.unexpected_datasets
    right = {dataset for dataset in comparison.found_datasets if dataset not in unexpected}
    bases = {split_version(dataset)[0] for dataset in right}
    missing = [dataset for dataset in comparison.expected_datasets if split_version(dataset)[0] not in bases]
    if comparison.datasets.fn and not missing:  # only the versions differ
        missing = [dataset for dataset in comparison.expected_datasets if dataset not in right]
    if comparison.datasets.fn:
        yield f"dataset missing: {_listed(missing)}"
    if unexpected:
        yield f"dataset not asked for: {_listed(unexpected)}"
    for wanted, found in _twins(map(Term, missing), map(Term, unexpected)):
        yield f"the dataset {found.id} is {wanted.id} but for letter case"


def _dimension_names(dimensions: Sequence[DimensionComparison]) -> Iterator[str]:
    missing = (Term(one.dimension) for one in dimensions if one.in_target and one.false_negatives)
    added = (Term(one.dimension) for one in dimensions if not one.in_target)
    for wanted, found in _twins(missing, added):
        yield f"the dimension {found.id} is {wanted.id} but for letter case"


def _terms(dimension: DimensionComparison) -> Iterator[str]:
    name = dimension.dimension
    missed, extra = list(dimension.false_negatives), list(dimension.false_positives)
    for note, pairs in (
        ("without a name", [(term, Term(term.id)) for term in nameless(dimension)]),
        ("with another name", _renamed(missed, extra)),
        ("in another letter case", other_letter_case(dimension)),
    ):
        if pairs:
            yield f"{name}: {_listed([found.id for _, found in pairs])} {note}"
            told, given = {wanted for wanted, _ in pairs}, {found.id for _, found in pairs}
            missed = [term for term in missed if term not in told]
            extra = [term for term in extra if term.id not in given]
    if missed:
        yield f"{name}: {_listed([term.id for term in missed])} missing"
    if extra:
        yield f"{name}: {_listed([term.id for term in extra])} not asked for"
    if dimension.undecided and not dimension.false_negatives and not dimension.false_positives:
        yield (
            f"{name}: everything {'selected' if dimension.everything else 'expected'}, and no codelist says "
            "what that is"
        )


def _renamed(missed: Sequence[Term], extra: Sequence[Term]) -> list[tuple[Term, Term]]:
    named = {term.id: term for term in extra if term.name}
    return [(term, named[term.id]) for term in missed if term.id in named]


def _period(comparison: Comparison) -> Iterator[str]:
    for end, word in enumerate(("start", "end")):
        if any(not one.ends[end] for one in comparison.periods):
            yield f"the {word} of the period is wrong"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - FEW:,} more" if len(names) > FEW else ""
    return f"{', '.join(names[:FEW])}{more}"
