"""The shapes of the JSON API's answers, for its OpenAPI description."""

from __future__ import annotations

from pydantic import BaseModel

from karat.core.json_types import JsonObject


class FigureOut(BaseModel):
    """A metric of a run: its mean over n cases, with its 95 % interval."""

    metric: str
    mean: float | None
    n: int
    low: float | None
    high: float | None
    undefined: int
    with_errors_as_zero: float | None


class RunOut(BaseModel):
    """A run with the figures of its newest scoring."""

    id: str
    suite: str
    name: str
    system: str
    status: str
    created: str
    started: str
    finished: str
    truth_set: str
    cases: int
    repeats: int
    karat: str
    tags: list[str]
    scoring: int | None
    summary: list[FigureOut]


class RunList(BaseModel):
    """Runs, the newest first."""

    runs: list[RunOut]


class DifferenceOut(BaseModel):
    """A figure of a run minus the baseline's, over the n cases that have a value in both."""

    metric: str
    title: str
    outcome: str
    text: str
    n: int
    mean_a: float
    mean_b: float
    mean: float
    low: float | None
    high: float | None
    p: float
    effect: float | None
    detectable: float | None
    clusters: int


class AgainstOut(BaseModel):
    """A run against a baseline."""

    run: str
    baseline: str
    figures: list[DifferenceOut]


class FailureOut(BaseModel):
    """A call that gave no answer."""

    case_id: str
    kind: str
    message: str


class ProgressOut(BaseModel):
    """Progress of a run."""

    status: str
    scored: bool
    of: int
    answered: int
    errors: int
    failures: list[FailureOut]


class LineOut(BaseModel):
    """A case in a list. ``position`` is its number in addresses."""

    position: int
    case_id: str
    status: str
    name: str
    question: str
    reason: str
    tags: list[str]
    figures: dict[str, float | None]
    wants_review: bool


class CaseList(BaseModel):
    """A page of cases, and how many there are in all."""

    total: int
    page: int
    size: int
    cases: list[LineOut]


class ReviewOut(BaseModel):
    """A person's verdict; ``undone`` is the time it was taken back or replaced, empty while it counts."""

    id: int
    run_id: str
    case_id: str
    verdict: str
    reviewer: str
    comment: str
    created: str
    undone: str
    adjudication: bool
    """It settles the case for everybody."""
    blind: bool
    """What others say was hidden when it was given."""


class CaseOut(BaseModel):
    """A case as it was scored, with all its reviews."""

    position: int
    result: JsonObject
    reviews: list[ReviewOut]
