"""Target against selection, dimension by dimension: the counts that every metric of the suite is made of.

- Terms pool over datasets by the name of their dimension; ``dataset_aware`` makes the dataset part of the term.
- A term is (id, name), both exact. A term given twice counts once.
- A dimension with no target terms is "not in target": all that is selected there is a false positive.
- ``all`` and ``not_in`` are expanded where a codelist is at hand; ``dimension_comparison`` says what holds without one.
- With alternatives, each is compared and the best whole one counts for every metric: right in everything first, then by
  outcome, recall, precision, series, datasets and period; of equal ones the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from karat.core.records import Case, Prediction
from karat.suites.data_query.formats.operators import on_codes
from karat.suites.data_query.formats.suspect_ids import refuse_suspect_ids
from karat.suites.data_query.matching.dimension_comparison import (
    Counts,
    DimensionComparison,
    Id,
    LabelDrift,
    Terms,
    compare_dimension,
    compare_open_dimension,
    id_of,
)
from karat.suites.data_query.matching.known_codes import codes_at_hand, expanded
from karat.suites.data_query.options import Options
from karat.suites.data_query.periods.comparison import PeriodComparison, compare_periods
from karat.suites.data_query.periods.filters import with_period
from karat.suites.data_query.responses import Reading, outcome_of, read
from karat.suites.data_query.selection.outcomes import NOT_STATED, Found, OutcomeComparison, SaysError
from karat.suites.data_query.selection.selection import DatasetSelection, Selection, Target, Term, dataset_keys
from karat.suites.data_query.selection.stages import Stage, StageComparison, compare_stages
from karat.suites.data_query.series.comparison import SeriesComparison, compare_series


class Comparison(msgspec.Struct, frozen=True):
    """All that the metrics look at."""

    dimensions: tuple[DimensionComparison, ...]
    drifts: tuple[LabelDrift, ...]
    expected_datasets: tuple[str, ...]
    found_datasets: tuple[str, ...]
    datasets: Counts
    unexpected_datasets: tuple[str, ...]
    target: Selection
    selection: Selection
    options: Options
    periods: tuple[PeriodComparison, ...]
    """The period of each entry of the answer; empty where none is expected."""
    series: SeriesComparison
    """The series that the entries stand for."""
    outcome: OutcomeComparison
    """What the response does, beside what it should do."""
    alternative: int | None = None
    """Which alternative counted; None: the target itself."""
    stages: StageComparison | None = None
    """What the stages before the answer had; None: the response does not say."""
    notes: tuple[str, ...] = ()
    """What was read in another way than the answer has it."""

    @property
    def terms_right(self) -> bool:
        """Every dimension has exactly its target terms. "Everything" in a dimension of the target is not exactly
        those."""
        return all(not d.counts.fp and not d.counts.fn and not d.undecided for d in self.dimensions)

    @property
    def terms_right_by_id(self) -> bool:
        """The same by id alone."""
        return all(not d.by_id.fp and not d.by_id.fn and not d.undecided for d in self.dimensions)

    @property
    def scope_right(self) -> bool | None:
        """Whether the answer declines exactly when the case is out of scope; None where the case does not say."""
        expected = self.target.is_out_of_scope
        return None if expected is None else self.selection.declines == expected

    @property
    def period(self) -> float | None:
        """Half for each right end, the mean over the entries of the answer; None where no period is expected."""
        return sum(sum(one.ends) for one in self.periods) / (2 * len(self.periods)) if self.periods else None

    def _right(self, terms: bool) -> bool:
        """The response does what it should, and where that is to answer, all that the case asks for is right."""
        if self.outcome.right is False or (self.outcome.right is None and self.scope_right is False):
            return False
        if self.outcome.right and self.outcome.found != "answer":
            return True
        return (
            terms
            and self.series.exact is not False
            and not self.datasets.fp
            and not self.datasets.fn
            and self.period in (None, 1.0)
        )

    @property
    def wholly_right(self) -> bool:
        """Right in everything that the case asks for."""
        return self._right(self.terms_right)

    @property
    def wholly_right_by_id(self) -> bool:
        """The same with terms compared by id alone."""
        return self._right(self.terms_right_by_id)


def compare(case: Case[Target], turn: int, prediction: Prediction, options: Options) -> Comparison:
    """The comparison of one user turn. Raises Unreadable when the response holds no selection."""
    target = _target_of(case, turn)
    try:
        reading = read(prediction.response, options.today, options.outcome_from, options.stages_from)
    except SaysError as error:
        if not any("error" in one.outcomes for one in (target, *target.alternatives)):
            raise
        reading = Reading(Selection(), Found("error", error.how))
    refuse_suspect_ids((target, *target.alternatives), reading.selection, options)
    found = compare_selection(target, reading.selection, options, outcome_of(reading, options.silence))
    if reading.notes:
        found = msgspec.structs.replace(found, notes=reading.notes)
    return msgspec.structs.replace(found, stages=_stages(reading.stages, found)) if reading.stages else found


def _stages(stages: Sequence[Stage], found: Comparison) -> StageComparison | None:
    wanted: dict[tuple[str, str], str] = {}
    given: set[tuple[str, str]] = set()
    for one in found.dimensions:
        if one.in_target and not one.everything_expected:
            terms = (*one.true_positives, *one.false_negatives)
            wanted.update({(one.dimension, term.id): term.name for term in terms})
        given |= {(one.dimension, term.id) for term in (*one.true_positives, *one.false_positives)}
    return compare_stages(stages, wanted, given)


def perfect(case: Case[Target], turn: int, options: Options) -> list[Comparison]:
    """The target and each alternative, compared as if it had been the answer."""
    target = _target_of(case, turn)
    return [
        compare_selection(
            target, with_period(right, options.today), options, (next(iter(right.outcomes), NOT_STATED), "the target")
        )
        for right in (target, *target.alternatives)
    ]


def _target_of(case: Case[Target], turn: int) -> Target:
    target = [message.target for message in case.conversation if message.role == "user"][turn]
    if target is None:
        raise ValueError(f"turn {turn + 1} of case {case.id!r} has no target")
    return target


def compare_selection(
    target: Target, selection: Selection, options: Options, outcome: tuple[str, str] | None = None
) -> Comparison:
    """Target and alternatives against one selection; the best of them. ``outcome``: what the response does and what
    says so; None: as the selection shows."""
    does = outcome or outcome_of(Reading(selection), options.silence)
    best = _compare_one(target, selection, options, None, does)
    if not target.alternatives:
        return best
    others = (_compare_one(t, selection, options, number, does) for number, t in enumerate(target.alternatives))
    return max((best, *others), key=_goodness)


def _goodness(comparison: Comparison) -> tuple[float, ...]:
    """What is undefined comes last."""
    recalls = [r for d in comparison.dimensions if (r := d.counts.recall()) is not None]
    precisions = [p for d in comparison.dimensions if (p := d.counts.precision()) is not None]
    series = comparison.series.f1
    figures = (
        comparison.outcome.right,
        sum(recalls) / len(recalls) if recalls else None,
        sum(precisions) / len(precisions) if precisions else None,
        None if isinstance(series, str) else series,
        comparison.datasets.f(),
        comparison.period,
    )
    return (comparison.wholly_right, *(-1.0 if figure is None else float(figure) for figure in figures))


def _compare_one(
    target: Selection, selection: Selection, options: Options, alternative: int | None, does: tuple[str, str]
) -> Comparison:
    target = with_period(target, options.today)
    expected_ids = selected_datasets(target)
    found_ids = selected_datasets(selection)
    left, right = dataset_keys(
        (*expected_ids, *(part.dataset_id for part in target.indicator_selection)),
        (*found_ids, *(part.dataset_id for part in selection.indicator_selection)),
        strict_versions=options.strict_versions,
    )
    expected_sets, found_sets = {left[one] for one in expected_ids}, {right[one] for one in found_ids}

    wanted, wanted_open, _ = _pool(target.indicator_selection, left, options)
    given, given_open, defaults = _pool(
        selection.indicator_selection, right, options, leave_defaults=options.ignore_defaults
    )

    drifts: list[LabelDrift] = []
    dimensions = [
        compare_open_dimension(
            name,
            wanted.get(name, {}),
            given.get(name, {}),
            wanted_open.get(name),
            given_open.get(name),
            name in defaults,
        )
        if name in wanted_open or name in given_open
        else compare_dimension(name, wanted.get(name, {}), given.get(name, {}), name in defaults, drifts)
        for name in dict.fromkeys((*wanted, *wanted_open, *given, *sorted(given_open)))
    ]
    hits = len(expected_sets & found_sets)
    return Comparison(
        dimensions=tuple(dimensions),
        drifts=tuple(drifts),
        expected_datasets=tuple(expected_ids),
        found_datasets=tuple(found_ids),
        datasets=Counts(hits, len(found_sets) - hits, len(expected_sets) - hits),
        unexpected_datasets=tuple(i for i in found_ids if right[i] not in expected_sets),
        target=target,
        selection=selection,
        options=options,
        periods=compare_periods(target, selection, left, right, options.today),
        series=compare_series(
            target.indicator_selection,
            selection.indicator_selection,
            left,
            right,
            lambda dataset, dimension: codes_at_hand(dataset, dimension, options),
            ignore_defaults=options.ignore_defaults,
        ),
        outcome=OutcomeComparison(target.outcomes, *does),
        alternative=alternative,
    )


def selected_datasets(selection: Selection) -> list[str]:
    """The ids of the datasets that a response selects, each once."""
    if selection.datasets_selection is not None:
        return list(dict.fromkeys(selection.datasets_selection.datasets))
    return list(dict.fromkeys(part.dataset_id for part in selection.indicator_selection))


def _pool(
    parts: Sequence[DatasetSelection], keys: Mapping[str, str], options: Options, *, leave_defaults: bool = False
) -> tuple[dict[str, Terms], dict[str, set[Id]], set[str]]:
    """Terms by dimension; what is left out in dimensions where all the rest is selected; dimensions that only the
    system itself filled in."""
    pool: dict[str, Terms] = {}
    left_out: dict[str, set[Id]] = {}
    defaults: set[str] = set()
    asked_for: set[str] = set()
    aware = options.dataset_aware
    for part in parts:
        for dimension in part.dimensions:
            name = dimension.dimension_name
            if dimension.is_default and leave_defaults:
                continue
            if dimension.values or dimension.everything:
                (defaults if dimension.is_default else asked_for).add(name)
            terms: Iterable[Term] = dimension.values
            dataset = keys.get(part.dataset_id, part.dataset_id) if aware else ""
            if dimension.operator != "in":
                meaning = on_codes(dimension.operator, name)
                if meaning == "excluded":
                    continue
                if meaning != "in":
                    named = {term.id for term in dimension.values} if meaning == "not_in" else set()
                    codes = expanded(part.dataset_id, name, options)
                    if not codes:
                        keyed: set[Id] = {(dataset, code) for code in named} if aware else {*named}
                        left_out[name] = left_out[name] & keyed if name in left_out else keyed
                        continue
                    terms = [term for term in codes if term.id not in named]
            if not terms:
                continue
            held = pool.setdefault(name, {})
            if aware:
                for term in terms:
                    held.setdefault((dataset, term), term)
            else:
                for term in terms:
                    held.setdefault(term, term)
    for name, out in left_out.items():
        out.difference_update(id_of(key) for key in pool.get(name, ()))
    return pool, left_out, defaults - asked_for
