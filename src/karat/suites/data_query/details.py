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
    """The dimension's name."""
    turn: int = 0
    """The user turn, from 0."""
    in_target: bool = True
    """Whether the target names this dimension."""
    precision: float | None = None
    """Of the selected terms, the share that is right."""
    recall: float | None = None
    """Of the expected terms, the share that was selected."""
    f1: float | None = None
    """The harmonic mean of precision and recall."""
    true_positives: tuple[Term, ...] = ()
    """Terms that are expected and selected."""
    false_positives: tuple[Term, ...] = ()
    """Terms that are selected but not expected."""
    false_negatives: tuple[Term, ...] = ()
    """Terms that are expected but not selected."""
    everything_selected: bool | msgspec.UnsetType = msgspec.UNSET
    """The answer selects every term of the codelist."""
    everything_expected: bool | msgspec.UnsetType = msgspec.UNSET
    """The target expects every term of the codelist."""
    is_default: bool | msgspec.UnsetType = msgspec.UNSET
    """The system filled this dimension in by itself."""


class DatasetDetails(msgspec.Struct, frozen=True):
    """The datasets of one turn."""

    turn: int
    """The user turn, from 0."""
    expected: tuple[str, ...]
    """The datasets of the target."""
    found: tuple[str, ...]
    """The datasets of the answer."""
    unexpected: tuple[str, ...]
    """Those of the answer that the target does not have."""


class PeriodDetails(msgspec.Struct, frozen=True):
    """An expected period and the one given, with the dataset where the entries of an answer differ."""

    turn: int
    """The user turn, from 0."""
    expected: Period
    """The period of the target."""
    found: Period | None
    """The period of the answer."""
    right: bool = True
    """Whether both ends are right."""
    dataset: str | msgspec.UnsetType = msgspec.UNSET
    """The dataset, if the entries of an answer have different periods."""


class ScopeDetails(msgspec.Struct, frozen=True):
    """Whether the question of a turn is out of scope, and whether the answer declined it."""

    turn: int
    """The user turn, from 0."""
    expected: bool
    """Whether the question is out of scope."""
    found: bool
    """Whether the answer declined it."""


class OutcomeDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the response to a turn did, and what it should have done."""

    expected: tuple[str, ...]
    """The right outcomes, any of which counts; empty if the case does not say."""
    found: str
    """What the response did."""
    how: str
    """How that was recognised."""
    turn: int = 0
    """The user turn, from 0."""


class Details(msgspec.Struct, frozen=True):
    """Everything that was found about a case, over its turns."""

    dimensions: tuple[DimensionDetails, ...] = ()
    """Each dimension, with its terms."""
    label_drift: tuple[LabelDrift, ...] = ()
    """Right ids with another name."""
    datasets: tuple[DatasetDetails, ...] = ()
    """The datasets of each turn."""
    alternative: int | dict[int, int] | msgspec.UnsetType = msgspec.UNSET
    """Which alternative counted, by turn if there are several; absent for the target itself."""
    period: tuple[PeriodDetails, ...] | msgspec.UnsetType = msgspec.UNSET
    """The periods; absent if none was expected."""
    out_of_scope: tuple[ScopeDetails, ...] | msgspec.UnsetType = msgspec.UNSET
    """Whether questions were declined; absent if the case does not say whether it is out of scope."""
    outcome: OutcomeDetails | tuple[OutcomeDetails, ...] | msgspec.UnsetType = msgspec.UNSET
    """What the response did; a list if there are several turns."""

    stages: tuple[StageComparison, ...] | msgspec.UnsetType = msgspec.UNSET
    """What the stages before the answer had, for each turn that lists them."""

    reasons: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """Why the case is not fully right, main reason first; absent if it is."""
    main_reason: str | msgspec.UnsetType = msgspec.UNSET
    """The first of the reasons."""
    notes: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """What was read differently from how the answer puts it, such as a period with its ends swapped."""

    @property
    def outcomes(self) -> tuple[OutcomeDetails, ...]:
        """The outcome of every turn."""
        if self.outcome is msgspec.UNSET:
            return ()
        return (self.outcome,) if isinstance(self.outcome, OutcomeDetails) else self.outcome

    def judged(self) -> Details:
        """What a case is judged by: a turn that rightly does something else than to answer is right, whatever it does
        not select."""
        settled = {one.turn for one in self.outcomes if one.found != "answer" and one.found in one.expected}
        if not settled:
            return self
        return msgspec.structs.replace(
            self,
            dimensions=tuple(one for one in self.dimensions if one.turn not in settled),
            datasets=tuple(one for one in self.datasets if one.turn not in settled),
            period=tuple(one for one in self.period or () if one.turn not in settled),
            out_of_scope=tuple(one for one in self.out_of_scope or () if one.turn not in settled),
        )


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
