"""One dimension of a selection beside that of its target: what was found, what was too much, what is missing.

Without a codelist, "everything selected" has neither true nor false positives, and a target term that ``not_in`` leaves
out is missing. Where the target says ``all``, an answer that says ``all`` is right, one that names terms cannot be
judged, and one that says nothing misses it.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from karat.suites.data_query.selection.selection import Term

Key = Term | tuple[str, Term]
"""What a term compares by: the Term itself, or (dataset, Term) when datasets count."""
Id = str | tuple[str, str]
"""The id of such a term, with its dataset when datasets count."""
Terms = dict[Key, Term]
EVERYTHING = Term("*", "everything")
"""What is in the lists where everything was expected: found, or missing."""


class LabelDrift(msgspec.Struct, frozen=True, gc=False):
    """The right id under another name: often the case file, not the assistant, is out of date. An answer without a name
    is no drift."""

    dimension: str
    """The dimension's name."""
    id: str
    """The code."""
    expected: str
    """Its name in the target."""
    found: str
    """Its name in the answer."""


class Counts(msgspec.Struct, frozen=True, gc=False):
    """True positives, false positives, false negatives."""

    tp: int
    fp: int
    fn: int

    def recall(self, zero: float | None = None) -> float | None:
        """TP / (TP + FN); 0/0 is ``zero``."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else zero

    def precision(self, zero: float | None = None) -> float | None:
        """TP / (TP + FP); 0/0 is ``zero``."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else zero

    def f(self, beta: float = 1.0, zero: float | None = None) -> float | None:
        """(1 + β²) TP / ((1 + β²) TP + β² FN + FP); 0/0 is ``zero``."""
        weight = beta * beta
        below = (1 + weight) * self.tp + weight * self.fn + self.fp
        return (1 + weight) * self.tp / below if below else zero


class DimensionComparison(msgspec.Struct, frozen=True):
    """One dimension: what was found, what was too much, what is missing."""

    dimension: str
    in_target: bool
    true_positives: tuple[Term, ...]
    false_positives: tuple[Term, ...]
    false_negatives: tuple[Term, ...]
    counts: Counts
    by_id: Counts
    everything: bool = False
    """Everything was selected, and no codelist was at hand to say what that is."""
    everything_expected: bool = False
    """The same in the target."""
    undecided: bool = False
    """No codelist was at hand to say whether the selected terms are the expected ones. Not right, and not counted."""
    default: bool = False
    """The system filled this dimension in by itself."""

    @property
    def uncounted(self) -> bool:
        """Everything was selected or expected, and nothing can be counted."""
        return (self.everything or self.everything_expected) and not (
            self.counts.tp or self.counts.fp or self.counts.fn
        )


def compare_dimension(
    name: str,
    wanted: Terms,
    given: Terms,
    default: bool,
    drifts: list[LabelDrift],
) -> DimensionComparison:
    """A dimension where both sides list their terms. Labels that drifted are added to ``drifts``."""
    hits = tuple(term for key, term in wanted.items() if key in given)
    missed = [key for key in wanted if key not in given]
    extra = [key for key in given if key not in wanted]
    counts = Counts(len(hits), len(extra), len(missed))
    by_id = _by_id(wanted, given) if missed or extra else counts
    if missed and extra:  # only then can an id be on both sides under two names
        found = {id_of(key): given[key] for key in extra}
        drifts.extend(
            LabelDrift(name, wanted[key].id, wanted[key].name, found[id_of(key)].name)
            for key in missed
            if id_of(key) in found and found[id_of(key)].name
        )
    return DimensionComparison(
        name,
        bool(wanted),
        hits,
        tuple(given[k] for k in extra),
        tuple(wanted[k] for k in missed),
        counts,
        by_id,
        default=default,
    )


def compare_open_dimension(
    name: str, wanted: Terms, given: Terms, wanted_out: set[Id] | None, given_out: set[Id] | None, default: bool
) -> DimensionComparison:
    """A dimension where one side at least takes all codes but those in its set, and no codelist says which these
    are."""
    hits: tuple[Term, ...] = ()
    extra: tuple[Term, ...] = ()
    missed: tuple[Term, ...] = ()
    if wanted_out is None:
        missed = tuple(term for key, term in wanted.items() if given_out and id_of(key) in given_out)
    elif given_out is None:
        extra = tuple(term for key, term in given.items() if id_of(key) in wanted_out)
        missed = () if given else (EVERYTHING,)
    elif wanted_out == given_out:
        hits = (EVERYTHING,)
    in_target = bool(wanted) or wanted_out is not None
    counts = Counts(len(hits), len(extra), len(missed))
    return DimensionComparison(
        name,
        in_target,
        hits,
        extra,
        missed,
        counts,
        counts,
        everything=given_out is not None,
        everything_expected=wanted_out is not None,
        undecided=in_target and not hits,
        default=default,
    )


def id_of(key: Key) -> Id:
    """The id of a term, with its dataset when datasets count."""
    return key.id if isinstance(key, Term) else (key[0], key[1].id)


def _by_id(wanted: Iterable[Key], given: Iterable[Key]) -> Counts:
    left, right = {id_of(key) for key in wanted}, {id_of(key) for key in given}
    hits = len(left & right)
    return Counts(hits, len(right) - hits, len(left) - hits)
