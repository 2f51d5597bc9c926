"""What the terminal shows of the cases of a run, found by going through them once: a large run has too many of them to
be held, or to be read again for every line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from karat.core.metric import Metric
from karat.core.replies.reply import BEGINNING
from karat.core.results.result import CaseResult, RunResult
from karat.reports.console.page import plain

ROUNDING = 1e-9
FEW = 3
SPARE = 1_000
"""Candidates for the worst cases that may be held beyond those that are shown."""

Rank = tuple[list[float], str]


class Overview:
    """The reasons of undefined values, the values by tag, the worst cases, errors and missing answers."""

    def __init__(self, result: RunResult, headline: Sequence[Metric], most: int) -> None:
        self.undefined: dict[str, Counter[str]] = {}
        """Metric → why scored cases have no value in it."""
        self.tags: dict[str, tuple[float, int]] = {}
        """Tag → the sum of the first headline metric, and over how many cases."""
        self.errors: Counter[str] = Counter()
        """Message, without how a response begins → cases."""
        self.error_text: dict[str, str] = {}
        """The same → the message itself, where that of all these cases is the same."""
        self.first_error = ""
        self.missing = 0
        self.some_missing: list[str] = []
        self._headline = headline
        self._most = most
        self._ranked: list[tuple[Rank, CaseResult]] = []
        counted = [item.metric for item in result.summary if item.undefined]
        for case in result.cases:
            self._take(case, counted)

    def _take(self, case: CaseResult, counted: Sequence[str]) -> None:
        if case.status == "error":
            whole = plain(case.error) or "no message"
            message = whole.partition(BEGINNING)[0]
            self.errors[message] += 1
            if self.error_text.setdefault(message, whole) != whole:
                self.error_text[message] = message
            self.first_error = self.first_error or case.id
        elif case.status == "missing":
            self.missing += 1
            if len(self.some_missing) < FEW:
                self.some_missing.append(label(case))
        elif case.status == "scored":
            for name in counted:
                if (score := case.scores.get(name)) is not None and score.value is None:
                    self.undefined.setdefault(name, Counter())[score.reason] += 1
        if self._headline:
            self._take_tags(case)
            self._rank(case)

    def _take_tags(self, case: CaseResult) -> None:
        value = value_of(case, self._headline[0])
        for tag in dict.fromkeys(case.tags):
            total, count = self.tags.get(tag, (0.0, 0))
            self.tags[tag] = (total, count) if value is None else (total + value, count + 1)

    def _rank(self, case: CaseResult) -> None:
        if case.status != "scored" or value_of(case, self._headline[0]) is None:
            return
        bad = [badness(value_of(case, metric), metric) for metric in self._headline]
        if any(bad) and not is_right(case, self._headline):
            self._ranked.append((([-one for one in bad], case.id), case))
            if len(self._ranked) > self._most + SPARE:
                self._cut()

    def _cut(self) -> None:
        self._ranked.sort(key=lambda item: item[0])
        del self._ranked[self._most :]

    def worst(self) -> list[CaseResult]:
        """The lowest by the first headline metric, then by the others. A right case is never among them."""
        self._cut()
        return [case for _, case in self._ranked]


def label(case: CaseResult) -> str:
    """The id, which is what other commands take; the name where the id is long and says nothing, as a UUID does."""
    return plain(case.id if len(case.id) <= 32 or not case.name else case.name)


def value_of(case: CaseResult, metric: Metric) -> float | None:
    """The case's value in the metric."""
    score = case.scores.get(metric.name)
    return None if score is None else score.value


def badness(value: float | None, metric: Metric) -> float:
    """How far from the best a share is. A value that is not there says nothing against the case."""
    if value is None or metric.kind == "quantity":
        return 0.0
    return 1.0 - value if metric.higher_is_better else value


def is_right(case: CaseResult, metrics: Sequence[Metric]) -> bool:
    """Whether every headline rate of the case has its best value: rates say right or wrong, shares only how well."""
    rates = [
        (metric, value)
        for metric in metrics
        if metric.headline and metric.kind == "rate" and (value := value_of(case, metric)) is not None
    ]
    return bool(rates) and all(badness(value, metric) <= ROUNDING for metric, value in rates)
