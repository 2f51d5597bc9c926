"""What ``karat tune`` says, as its JSON holds it."""

from __future__ import annotations

import msgspec

from karat.search.choose.heldout import HeldOut, Stability
from karat.search.choose.limits import Unit
from karat.search.choose.next_questions import More
from karat.search.choose.pareto import Point


class FieldTuned(msgspec.Struct, frozen=True):
    """The chosen option of a field. ``tokens`` in the worst question; ``mrr``: the sum of 1 / rank over the truths
    found, averaged over questions."""

    field: str
    n: int
    """0: the field is left out, and has no model."""
    model: str | None
    tokens: int
    recall: float | None
    mrr: float | None


class Missing(msgspec.Struct, frozen=True, omit_defaults=True):
    """A key that was not found; at ``rank`` it would have come, None when it is not among the values, or (``deeper``)
    below the depth to which the ranking is known."""

    field: str
    key: str
    rank: int | None
    nearest: str = ""
    deeper: bool = False


class QuestionDetail(msgspec.Struct, frozen=True):
    """One question. ``passed`` is None when it has no truths at all. ``held_out`` values are those of choices made
    without it."""

    question: str
    passed: bool | None
    missing: tuple[Missing, ...]
    held_out_passed: float | None = None
    held_out_recall: float | None = None


class Curve(msgspec.Struct, frozen=True):
    """Recall and cost of a field against n, at every n where something new is found."""

    field: str
    model: str
    n: tuple[int, ...]
    recall: tuple[float, ...]
    tokens: tuple[int, ...]


class Tuning(msgspec.Struct, frozen=True):
    """All of it, as ``karat tune --json`` writes it."""

    fields: tuple[FieldTuned, ...]
    passed: int
    questions: int
    mean_recall: float | None
    tokens: int
    held_out: HeldOut | None
    stability: tuple[Stability, ...]
    optimal: bool
    gap: float
    gap_in: str
    seconds: float
    budget_tokens: int
    max_n: int | None
    encoding: str
    models: tuple[str, ...]
    more: tuple[More, ...]
    pareto: tuple[Point, ...]
    pareto_complete: bool
    questions_detail: tuple[QuestionDetail, ...]
    curves: tuple[Curve, ...]
    warnings: tuple[str, ...]
    recall_asked: float | None = None
    """Over the pairs of a question and a field that have a truth; ``mean_recall`` counts 1 for a pair without."""
    passes: str = "all"
    """When a question passes: ``all`` of its truths are found, ``any``, or a share of them."""
    unit: Unit = "tokens"
    """What the budget and all ``tokens`` count."""
    required: tuple[str, ...] = ()
    """Fields that could not be left out."""
    passed_bound: int | None = None
    """No choice within the budget passes more; None in a tuning of an earlier version."""
    recall_bound: float | None = None
    """No choice within the budget that passes as many questions has a higher mean recall."""
    known_to: int | None = None
    """The largest budget that the front was computed for."""
    asked: tuple[str, ...] = ()
    """The models and rankers as they were asked for; ``models`` has one entry for each combination of their
    settings."""
    notes: tuple[str, ...] = ()
    """What to know of the options: how deep they are known, over which settings the choice is the best."""
