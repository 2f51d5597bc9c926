"""What ``karat tune`` says, as its JSON holds it."""

from __future__ import annotations

import msgspec

from karat.search.choose.heldout import HeldOut, Stability
from karat.search.choose.pareto import More, Point


class FieldTuned(msgspec.Struct, frozen=True):
    """The chosen option of a field. ``tokens`` in the worst question; ``mrr``: the sum of 1 / rank over the truths
    found, averaged over questions."""

    field: str
    n: int
    model: str
    tokens: int
    recall: float | None
    mrr: float | None


class Missing(msgspec.Struct, frozen=True, omit_defaults=True):
    """A key that was not found; at ``rank`` it would have come, None when it is not among the values."""

    field: str
    key: str
    rank: int | None
    nearest: str = ""


class QuestionDetail(msgspec.Struct, frozen=True):
    """One question. ``passed`` is None when it has no truths at all."""

    question: str
    passed: bool | None
    missing: tuple[Missing, ...]


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
    asked: tuple[str, ...] = ()
    """The models and rankers as they were asked for; ``models`` has one entry for each combination of their
    settings."""
    notes: tuple[str, ...] = ()
    """What to know of the options: how deep they are known, over which settings the choice is the best."""
