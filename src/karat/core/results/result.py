"""What scoring yields: a figure for each metric, a result for each case, and the run they belong to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

import msgspec

from karat.core.expect.findings import METRIC_NAMES
from karat.core.installed.extras import install_command
from karat.core.json_types import JsonObject
from karat.core.metric import Kind
from karat.core.problems import Problem, UserError
from karat.core.results.estimate import Estimate as Estimate
from karat.core.results.judged import JudgeSummary
from karat.core.scores import Score, State

if TYPE_CHECKING:
    import altair
    import pandas
    import polars
    import pyarrow


class RunInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which run this is: enough to tell whether two figures may be compared.

    >>> import karat
    >>> cases, answers = [{"id": "q1", "relevant": ["x"]}], [{"id": "q1", "results": ["x"]}]
    >>> result = karat.score(suite="retrieval", cases=cases, predictions=answers)
    >>> result.run.suite, result.run.cases
    ('retrieval', 1)
    """

    suite: str
    """The suite, such as ``answers``."""
    id: str = ""
    """The run's id in its store, such as ``r-0012``; empty if it was not stored."""
    name: str = ""
    """The name given to the run; empty if there is none."""
    system: str = ""
    """The system that answered."""
    cases: int = 0
    """How many cases the run has."""
    repeats: int = 1
    """How often each case was asked."""
    truth_set: str = ""
    """The hash of the cases with their targets. Two results are comparable if it is the same."""
    started: str = ""
    """When the run started: ISO 8601, UTC."""
    finished: str = ""
    """When the run was finished; empty if it is not."""
    today: str = ""
    """The date that relative dates in cases and answers mean, ``YYYY-MM-DD``."""
    karat: str = ""
    """The version of Karat that scored the run."""
    options: JsonObject = {}
    """The suite's options, as they were used."""
    tags: tuple[str, ...] = ()
    """The tags of the run."""
    prompt: str = ""
    """The hash of the prompt; empty for the bare question and for recorded answers."""
    headline: tuple[str, ...] = ()
    """The metrics that are shown and compared first, if the cases decide that (``Suite.headline``); empty: the suite's
    own."""


def why_no_interval(n: int) -> str:
    """What is said in the place of an interval where the values of a quantity show no spread."""
    return "" if not n else "n = 1" if n == 1 else "all equal"


def interval_text(low: float, high: float, show: Callable[[float], str], between: str = " – ") -> str:
    """Both ends as ``show`` writes them. Ends that it writes alike get as many digits as tell them apart: no interval
    looks like certainty."""
    ends = show(low), show(high)
    sign, digits = "+" if ends[0][:1] in "+-−" else "", 4
    while ends[0] == ends[1] and low != high and digits < 18:
        ends = f"{low:{sign}.{digits}g}", f"{high:{sign}.{digits}g}"
        digits += 1
    return between.join(ends)


class Estimator(Protocol):
    """(values, kind of metric, the cluster of each value) → estimate. Handed to what needs intervals but must not know
    the stats package."""

    def __call__(self, values: Sequence[float], kind: Kind, clusters: Sequence[str] | None = None, /) -> Estimate: ...


class MetricSummary(msgspec.Struct, frozen=True):
    """A metric over a set of cases: the mean over ``n`` of them, with its 95 % interval.

    ``undefined`` cases had an answer but no value here (0/0, not asked for). ``with_errors_as_zero`` is the mean when
    every failed call counts 0; it is None when no call failed.

    >>> import karat
    >>> cases, answers = [{"id": "q1", "relevant": ["x"]}], [{"id": "q1", "results": ["x"]}]
    >>> result = karat.score(suite="retrieval", cases=cases, predictions=answers)
    >>> summary = result.metric("passed")
    >>> summary.mean, summary.n
    (1.0, 1)
    """

    metric: str
    """The metric's name."""
    mean: float | None
    """The mean over ``n`` cases; None if no case has a value."""
    n: int
    """How many cases have a value."""
    low: float | None
    """The lower end of the 95 % interval."""
    high: float | None
    """The upper end of the 95 % interval."""
    undefined: int = 0
    """Cases with an answer for which the metric has no value."""
    with_errors_as_zero: float | None = None
    """The mean if every failed call counts 0; None if no call failed."""


class CaseResult(msgspec.Struct, frozen=True):
    """One case: its state as a whole, its scores (means over turns and repeats), and the evidence.

    >>> import karat
    >>> cases, answers = [{"id": "q1", "relevant": ["x"]}], [{"id": "q1", "results": ["x"]}]
    >>> result = karat.score(suite="retrieval", cases=cases, predictions=answers)
    >>> result.cases[0].id, result.cases[0].scores["passed"].value
    ('q1', 1.0)
    """

    id: str
    """The case's id."""
    status: State
    """The state of the case as a whole."""
    scores: dict[str, Score]
    """Metric → score: the mean over turns and repeats."""
    details: JsonObject = {}
    """What the suite found, in its own shape."""
    name: str = ""
    """The case's name, if it has one."""
    tags: tuple[str, ...] = ()
    """The case's tags."""
    question: str = ""
    """The question, or the last question of a conversation."""
    error: str = ""
    """Why there is no usable answer; empty if there is one."""
    repeats: tuple[RepeatResult, ...] = ()
    """Each try, if there were several."""

    @property
    def cluster(self) -> str:
        """What the case is a variant of; empty for most. Kept among the details, where the JSON has it."""
        return str(self.details.get("cluster") or "")


class RepeatResult(msgspec.Struct, frozen=True):
    """One try at a case, when it was tried several times."""

    status: State
    scores: dict[str, Score]
    details: JsonObject = {}
    error: str = ""


def value_with_errors(case: CaseResult, metric: str, error: float = 0.0) -> float | None:
    """A case's value when a failed try counts ``error``, in metrics that the case can have; None where it has none all
    the same. Nothing changes where no try failed."""
    tries = case.repeats or (case,)
    values = [error if _failed(one, metric) else _value(one, metric) for one in tries]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def fails(case: CaseResult, metric: str) -> bool:
    """Whether the case, or one of the tries at it, failed and counts in this metric."""
    return any(_failed(one, metric) for one in case.repeats or (case,))


def _failed(one: CaseResult | RepeatResult, metric: str) -> bool:
    score = one.scores.get(metric)
    if score is None and metric in METRIC_NAMES:
        return False  # the case expects nothing of the way to its answer
    return one.status == "error" and (score is None or score.state == "error")


def _value(one: CaseResult | RepeatResult, metric: str) -> float | None:
    score = one.scores.get(metric)
    return None if score is None else score.value


def has_errors(case: CaseResult) -> bool:
    """Whether the case, or one of the tries at it, failed."""
    return case.status == "error" or any(found.status == "error" for found in case.repeats)


class CaseReview(msgspec.Struct, frozen=True):
    """A person's verdict on a case of a run, beside the rule's: each person's newest one, unless it was taken back."""

    case: str
    """The case's id."""
    verdict: str
    """``pass``, ``fail``, ``gold_wrong`` or ``accept``."""
    reviewer: str = ""
    """Who gave the verdict."""
    comment: str = ""
    """What the reviewer wrote."""
    created: str = ""
    """When: ISO 8601, UTC."""
    adjudication: bool = False
    """Whether this verdict settles the case, whatever other reviewers say."""


class RunResult(msgspec.Struct, frozen=True):
    """A scored run: what ``karat.score`` and ``karat.run`` return and every report is made from.

    >>> import karat
    >>> cases, answers = [{"id": "q1", "relevant": ["x"]}], [{"id": "q1", "results": ["x"]}]
    >>> result = karat.score(suite="retrieval", cases=cases, predictions=answers)
    >>> result.metric("passed").mean, result.status_counts()
    (1.0, {'scored': 1})
    """

    run: RunInfo
    """Which run this is."""
    summary: tuple[MetricSummary, ...]
    """The mean of each metric."""
    cases: Sequence[CaseResult]
    """Each case, in order. Those of a large stored run are read from the store when you look at them."""
    problems: tuple[Problem, ...] = ()
    """What could not be read and was left out; not kept in the store."""
    reviews: tuple[CaseReview, ...] = ()
    """People's verdicts on the run's cases, as the store has them now."""
    notes: JsonObject = {}
    """Remarks on the run as a whole, by name, as JSON values. All scorings of a run share
    them."""
    judge: JudgeSummary | None = None
    """What a judge says about the run's answers, as the store has it now."""

    def __repr__(self) -> str:
        from karat.core.results.text import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from karat.core.results.text import as_html

        return as_html(self)

    def plot(self, *metrics: str) -> altair.LayerChart:
        """The metrics named, or the headline metrics, with their intervals as an Altair chart (extra ``plot``)."""
        from karat.core.results.plot import plot

        chart: altair.LayerChart = plot(self, metrics)
        return chart

    def status_counts(self) -> dict[State, int]:
        """How many cases are in each state; states that do not occur are left out."""
        from karat.core.results.facts import facts_of

        return dict(facts_of(self.cases).states)

    def metric(self, name: str) -> MetricSummary:
        """The summary of one metric, by any of its names (``recall_at_10``, ``R@10``). An unknown one is an
        :class:`UnknownName`, which is a KeyError too."""
        known = {item.metric: item for item in self.summary}
        return known[name if name in known else self._name_of(name)]

    def _name_of(self, name: str) -> str:
        """The name under which the run has a metric."""
        from karat.core.metrics.metric_names import find_metric
        from karat.core.results.text import known_metrics

        return find_metric(name, [*known_metrics(self).values()], f'the run has no metric "{name}"').name

    def rows(self) -> list[JsonObject]:
        """One flat row a case: id, name, status, tags, question, error, and a column for each metric."""
        return [
            {
                "id": c.id,
                "name": c.name,
                "status": c.status,
                "tags": list(c.tags),
                "question": c.question,
                "error": c.error,
            }
            | {m.metric: c.scores[m.metric].value if m.metric in c.scores else None for m in self.summary}
            for c in self.cases
        ]

    def to_polars(self) -> polars.DataFrame:
        """The rows as a ``polars.DataFrame`` (extra ``polars``)."""
        frame: polars.DataFrame = _library("polars", "polars").DataFrame(self.rows(), infer_schema_length=None)
        return frame

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a ``pandas.DataFrame`` (extra ``pandas``)."""
        frame: pandas.DataFrame = _library("pandas", "pandas").DataFrame(self.rows())
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a ``pyarrow.Table`` (extra ``arrow``)."""
        table: pyarrow.Table = _library("pyarrow", "arrow").Table.from_pylist(self.rows())
        return table


def _library(name: str, extra: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise UserError(f"{name} is not installed", hint=install_command(extra)) from error
