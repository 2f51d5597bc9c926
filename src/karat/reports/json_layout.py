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
    """The suite, such as ``answers``."""
    id: str
    """The run's id in its store, such as ``r-0012``; empty if it was not stored."""
    name: str
    """The name given with ``--name``; empty if there is none."""
    system: str
    """The system that answered."""
    cases: int
    """How many cases the run has."""
    repeats: int
    """How often each case was asked."""
    truth_set: str
    """The hash of the cases with their targets. Two results are comparable if it is the same."""
    started: str
    """When the run started: ISO 8601, UTC."""
    finished: str
    """When its last answer arrived; empty if the run is not complete."""
    today: str
    """The date that relative dates in cases and answers mean, ``YYYY-MM-DD``."""
    karat: str
    """The version of Karat that scored the run."""
    options: JsonObject
    """The suite's options, as they were used."""
    tags: tuple[str, ...]
    """The tags of the run."""
    prompt: str
    """The hash of the prompt template; empty if there is none."""
    headline: tuple[str, ...]
    """The metrics that are shown and compared first."""


class MetricTriesJson(msgspec.Struct, frozen=True):
    """What the tries tell by one metric."""

    metric: str
    """The metric's name."""
    spread: float | None
    """The standard deviation between tries at the same case, over all cases; null if it cannot be computed."""
    pass_k: tuple[PassK, ...]
    """pass@k and pass^k for each k up to the number of tries."""


class TriesJson(msgspec.Struct, frozen=True):
    """What several tries at the cases tell."""

    tries: int
    """How often each case was tried."""
    metrics: tuple[MetricTriesJson, ...]
    """One entry per metric."""


class ReviewedJson(msgspec.Struct, frozen=True):
    """A pass rate with people's verdicts in place of the rule's."""

    metric: str
    """The metric's name."""
    mean: float | None
    """The share of cases that are right once people's verdicts replace the rule's; null without a case."""
    n: int
    """How many cases it covers."""
    low: float | None
    """The lower end of the 95 % interval."""
    high: float | None
    """The upper end of the 95 % interval."""


class FailureGroupsJson(msgspec.Struct, frozen=True):
    """The cases that are not right, put together by what is wrong with them; each case is in one group."""

    failing: int
    """Cases that are not right."""
    groups: tuple[FailureGroup, ...]
    """The groups, largest first. Groups of one case are combined into the last one."""
    further_groups: int
    """Groups that are too small to be listed."""
    further_cases: int
    """Cases in the groups that are not listed."""


class RepeatJson(msgspec.Struct, frozen=True):
    """One of several tries at a case."""

    status: State
    """The state of this try."""
    scores: dict[str, float | None]
    """Metric → value, or null if it has none."""
    error: str
    """Why the try failed; empty if it did not."""


class CaseJson(msgspec.Struct, frozen=True):
    """One case. ``scores`` has a number or null for every metric, ``reasons`` says why a number is missing."""

    id: str
    """The case's id."""
    status: State
    """The state of the case: whether its answer was scored, failed or is missing."""
    name: str
    """The case's name, if it has one."""
    tags: tuple[str, ...]
    """The case's tags."""
    question: str
    """The question, or the last question of a conversation."""
    error: str
    """Why there is no usable answer; empty if there is one."""
    scores: dict[str, float | None]
    """Metric → value, or null if it has none."""
    reasons: dict[str, str]
    """Metric → why its value is null."""
    details: JsonObject
    """What the suite found, in its own shape; empty if there was nothing to compare."""
    repeats: tuple[RepeatJson, ...] | UnsetType = UNSET
    """Each try at the case, if there were several."""


class ResultJson(msgspec.Struct, frozen=True):
    """The result of a run."""

    run: RunJson
    """Which run this is."""
    summary: tuple[MetricSummary, ...]
    """The mean of each metric."""
    figures: JsonObject | UnsetType = UNSET
    """Figures of the run as a whole, if the suite has any."""
    notes: JsonObject | UnsetType = UNSET
    """Remarks on the run as a whole, by name."""
    repeats: TriesJson | UnsetType = UNSET
    """What several tries per case show."""
    reviews: tuple[CaseReview, ...] | UnsetType = UNSET
    """People's verdicts on cases of this run."""
    with_reviews: tuple[ReviewedJson, ...] | UnsetType = UNSET
    """Pass rates in which people's verdicts replace the rule's."""
    judge: JudgeSummary | UnsetType = UNSET
    """What the judge says. Only if one was asked about the run."""
    failure_groups: FailureGroupsJson | UnsetType = UNSET
    """Cases that are not right, grouped by cause. Only if there are any."""
    cases: tuple[CaseJson, ...] = ()
    """Every case, in the order of the case files."""
