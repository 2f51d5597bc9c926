"""The layout of ``--json`` as structs, in the order in which the keys are written. Its JSON Schema:
``karat.reports.json_schema``."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from karat.core.json_types import JsonObject
from karat.core.results.failures.failure_groups import FailureGroup
from karat.core.results.judged import JudgeSummary
from karat.core.results.result import CaseReview, MetricSummary
from karat.core.scores import State
from karat.stats.repeats import PassK


class RunJson(msgspec.Struct, frozen=True):
    """Which run this is."""

    suite: str
    id: str
    name: str
    system: str
    cases: int
    repeats: int
    truth_set: str
    started: str
    finished: str
    today: str
    karat: str
    options: JsonObject
    tags: tuple[str, ...]
    prompt: str
    headline: tuple[str, ...]


class MetricTriesJson(msgspec.Struct, frozen=True):
    """What the tries tell by one metric."""

    metric: str
    spread: float | None
    pass_k: tuple[PassK, ...]


class TriesJson(msgspec.Struct, frozen=True):
    """What several tries at the cases tell."""

    tries: int
    metrics: tuple[MetricTriesJson, ...]


class ReviewedJson(msgspec.Struct, frozen=True):
    """A pass rate with people's verdicts in place of the rule's."""

    metric: str
    mean: float | None
    n: int
    low: float | None
    high: float | None


class FailureGroupsJson(msgspec.Struct, frozen=True):
    """The cases that are not right, put together by what is wrong with them; each case is in one group."""

    failing: int
    """Cases that are not right."""
    groups: tuple[FailureGroup, ...]
    """The largest first; groups of one case are folded into the last one."""
    further_groups: int
    """Groups that are not listed, for they are too small."""
    further_cases: int


class RepeatJson(msgspec.Struct, frozen=True):
    """One of several tries at a case."""

    status: State
    scores: dict[str, float | None]
    error: str


class CaseJson(msgspec.Struct, frozen=True):
    """One case. ``scores`` has a number or null for every metric, ``reasons`` says why a number is missing."""

    id: str
    status: State
    name: str
    tags: tuple[str, ...]
    question: str
    error: str
    scores: dict[str, float | None]
    reasons: dict[str, str]
    details: JsonObject
    """What the suite found, in its own shape; empty where there was nothing to compare."""
    repeats: tuple[RepeatJson, ...] | UnsetType = UNSET


class ResultJson(msgspec.Struct, frozen=True):
    """The result of a run."""

    run: RunJson
    summary: tuple[MetricSummary, ...]
    figures: JsonObject | UnsetType = UNSET
    """Figures of the run as a whole, where the suite has some."""
    notes: JsonObject | UnsetType = UNSET
    """What belongs to the run as a whole, by name: see ``karat.core.run_notes.notes``."""
    repeats: TriesJson | UnsetType = UNSET
    reviews: tuple[CaseReview, ...] | UnsetType = UNSET
    with_reviews: tuple[ReviewedJson, ...] | UnsetType = UNSET
    judge: JudgeSummary | UnsetType = UNSET
    """Only where a judge was asked about the run."""
    failure_groups: FailureGroupsJson | UnsetType = UNSET
    """Only where a case is not right."""
    cases: tuple[CaseJson, ...] = ()
