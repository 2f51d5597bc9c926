"""What is kept of a case: its dimensions with their terms, label drift, datasets and periods. ``details`` in the store
and in ``--json``."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.matching.dimension_comparison import DimensionComparison, LabelDrift
from karat.suites.data_query.options import Options
from karat.suites.data_query.reasons import REASONS, reasons
from karat.suites.data_query.selection.selection import Period, Term
from karat.suites.data_query.selection.stages import StageComparison


class DimensionDetails(msgspec.Struct, frozen=True):
    """One dimension in one turn. The rates are None where everything was selected or expected and nothing can be
    counted."""

    dimension: str
    turn: int = 0
    in_target: bool = True
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    true_positives: tuple[Term, ...] = ()
    false_positives: tuple[Term, ...] = ()
    false_negatives: tuple[Term, ...] = ()
    everything_selected: bool | msgspec.UnsetType = msgspec.UNSET
    everything_expected: bool | msgspec.UnsetType = msgspec.UNSET
    is_default: bool | msgspec.UnsetType = msgspec.UNSET
    """The system filled this dimension in by itself."""


class DatasetDetails(msgspec.Struct, frozen=True):
    """The datasets of one turn."""

    turn: int
    expected: tuple[str, ...]
    found: tuple[str, ...]
    unexpected: tuple[str, ...]


class PeriodDetails(msgspec.Struct, frozen=True):
    """An expected period and the one given, with the dataset where the entries of an answer differ."""

    turn: int
    expected: Period
    found: Period | None
    right: bool = True
    """Whether both ends are."""
    dataset: str | msgspec.UnsetType = msgspec.UNSET


class ScopeDetails(msgspec.Struct, frozen=True):
    """Whether the question of a turn is out of scope, and whether the answer declined it."""

    turn: int
    expected: bool
    found: bool


class OutcomeDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the response to a turn did, and what it should have done."""

    expected: tuple[str, ...]
    """Any of these is right; empty: the case does not say."""
    found: str
    how: str
    """What says so."""
    turn: int = 0


class Details(msgspec.Struct, frozen=True):
    """Everything that was found about a case, over its turns."""

    dimensions: tuple[DimensionDetails, ...] = ()
    label_drift: tuple[LabelDrift, ...] = ()
    datasets: tuple[DatasetDetails, ...] = ()
    alternative: int | dict[int, int] | msgspec.UnsetType = msgspec.UNSET
    """Which alternative counted, by turn where there are several turns; not there: the target itself."""
    period: tuple[PeriodDetails, ...] | msgspec.UnsetType = msgspec.UNSET
    """Not there: no period was expected."""
    out_of_scope: tuple[ScopeDetails, ...] | msgspec.UnsetType = msgspec.UNSET
    """Not there: the case does not say whether it is out of scope."""
    outcome: OutcomeDetails | tuple[OutcomeDetails, ...] | msgspec.UnsetType = msgspec.UNSET
    """What the response did; a list where there are several turns."""

    stages: tuple[StageComparison, ...] | msgspec.UnsetType = msgspec.UNSET
    """What the stages before the answer had, for each turn that lists them."""

    reasons: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """Why the case is not fully right, the main reason first; not there: it is."""
    main_reason: str | msgspec.UnsetType = msgspec.UNSET
    notes: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """What was read in another way than the answer has it, such as the ends of a period in the wrong order."""

    @property
    def outcomes(self) -> tuple[OutcomeDetails, ...]:
        """The outcome of every turn."""
        if self.outcome is msgspec.UNSET:
            return ()
        return (self.outcome,) if isinstance(self.outcome, OutcomeDetails) else self.outcome


def details(turns: Sequence[tuple[int, Comparison]]) -> Details:
    """What is kept of the comparisons of a case."""
    alternatives = {turn: c.alternative for turn, c in turns if c.alternative is not None}
    chosen = alternatives if len(turns) > 1 else next(iter(alternatives.values()), msgspec.UNSET)
    scopes = tuple(
        ScopeDetails(turn, expected, c.selection.declines)
        for turn, c in turns
        if (expected := c.target.is_out_of_scope) is not None
    )
    periods = tuple(period for turn, c in turns for period in _periods(turn, c))
    every = {reason for _, c in turns for reason in reasons(c)}
    why = tuple(reason for reason in REASONS if reason in every)
    outcomes = tuple(OutcomeDetails(c.outcome.expected, c.outcome.found, c.outcome.how, turn) for turn, c in turns)
    return Details(
        tuple(_dimension(turn, d, c.options) for turn, c in turns for d in c.dimensions),
        tuple(drift for _, c in turns for drift in c.drifts),
        tuple(DatasetDetails(turn, c.expected_datasets, c.found_datasets, c.unexpected_datasets) for turn, c in turns),
        chosen if alternatives else msgspec.UNSET,
        periods or msgspec.UNSET,
        scopes or msgspec.UNSET,
        outcomes[0] if len(outcomes) == 1 else outcomes,
        tuple(c.stages for _, c in turns if c.stages is not None) or msgspec.UNSET,
        why or msgspec.UNSET,
        why[0] if why else msgspec.UNSET,
        tuple(note for _, c in turns for note in c.notes) or msgspec.UNSET,
    )


def _periods(turn: int, comparison: Comparison) -> list[PeriodDetails]:
    rows = {(one.expected, one.found): one for one in comparison.periods}
    several = len(rows) > 1
    return [
        PeriodDetails(turn, expected, found, all(one.ends), one.dataset if several else msgspec.UNSET)
        for (expected, found), one in rows.items()
    ]


def _dimension(turn: int, dimension: DimensionComparison, options: Options) -> DimensionDetails:
    counts, zero = dimension.counts, options.zero_division
    uncounted = dimension.uncounted
    return DimensionDetails(
        dimension.dimension,
        turn,
        dimension.in_target,
        None if uncounted else counts.precision(zero),
        None if uncounted else counts.recall(zero),
        None if uncounted else counts.f(1.0, zero),
        dimension.true_positives,
        dimension.false_positives,
        dimension.false_negatives,
        dimension.everything or msgspec.UNSET,
        dimension.everything_expected or msgspec.UNSET,
        dimension.default or msgspec.UNSET,
    )
