"""Two runs side by side, ready for any writer: the statistics, and each case that changed with both answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from karat.core.json_types import JsonObject
from karat.core.metric import Kind as MetricKind
from karat.core.metric import Metric
from karat.core.problems import count_of
from karat.core.results.failures.failure_groups import FailureGroups
from karat.core.results.judged import JudgeChanges
from karat.core.results.result import RunInfo, RunResult
from karat.core.results.usage import USAGE
from karat.reports.compare.answer_changes import PartChange
from karat.reports.compare.changes import Answers, Change, Changes, changes_between, no_answers
from karat.reports.console.run import figure
from karat.reports.sections.failure_groups import compared_failure_groups
from karat.stats.compare.runs import MetricComparison, RunComparison

ALPHA = 0.05
"""Below this adjusted p-value a difference is called one."""
SHORT_NOTE = 60
WIDTH = 110
"""Columns of a comparison that is printed in Python."""


class Compared(msgspec.Struct, frozen=True):
    """One comparison, and the words that go with it.

    >>> import karat
    >>> cases, answers = [{"id": "q1", "relevant": ["x"]}], [{"id": "q1", "results": ["x"]}]
    >>> result = karat.score(suite="retrieval", cases=cases, predictions=answers)
    >>> compared = karat.compare(result, result)
    >>> compared.counts()["worse"]
    0
    """

    a: RunInfo
    """The run before."""
    b: RunInfo
    """The run after."""
    comparison: RunComparison
    """The figures: differences, intervals and p values."""
    changes: Changes
    """A sequence of :class:`Change`; cases and answers are read when you look at them."""
    metrics: dict[str, Metric]
    """Name → metric."""
    failure_groups: FailureGroups | None = None
    """The failure groups of b, compared with a on the cases that both have."""
    judge: JudgeChanges | None = None
    """Verdicts that a judge changed; None if no version judged both runs."""

    def __repr__(self) -> str:
        from io import StringIO

        from rich.console import Console

        from karat.reports.console.comparison import print_comparison

        out = StringIO()
        print_comparison(
            self, Console(file=out, width=WIDTH, color_system=None, force_terminal=False, force_jupyter=False)
        )
        return out.getvalue().rstrip()

    def _repr_html_(self) -> str:
        from karat.reports.notebook import comparison_html

        return comparison_html(self)

    def to_dict(self) -> JsonObject:
        """What ``karat compare --json`` writes of this comparison, as plain values."""
        found: JsonObject = msgspec.json.decode(msgspec.json.encode(as_plain([self])["comparisons"][0]))
        return found

    def title(self, metric: str) -> str:
        """A metric's name for people."""
        return self.metrics[metric].title if metric in self.metrics else metric

    def kind(self, metric: str) -> MetricKind:
        """How a metric's values are written."""
        return self.metrics[metric].kind if metric in self.metrics else "share"

    def counts(self) -> dict[str, int]:
        """How many cases changed in each way; all ways are there."""
        return self.changes.counts()


def outcome(item: MetricComparison) -> str:
    """``better``, ``worse`` or ``no clear difference``; empty where no claim is made."""
    found = item.difference
    if found is None or item.p_adjusted is None:
        return ""
    if item.p_adjusted >= ALPHA or found.mean == 0:
        return "no clear difference"
    return "better" if (found.mean > 0) == item.higher_is_better else "worse"


def headline_sentence(item: Compared) -> str:
    """The answer in a sentence: ``search is better than main: 13 more of 118 cases right, 4 newly wrong``."""
    found = item.comparison.right_wrong
    if not item.comparison.n_shared:
        return "The runs share no case"
    if found is None or not found.n:
        return _by_first_figure(item)
    metric = next((one for one in item.comparison.metrics if one.metric == found.metric), None)
    said = outcome(metric) if metric is not None else ""
    net = found.newly_right - found.newly_wrong
    more = f"{abs(net):,} {'more' if net > 0 else 'fewer'} of {count_of(found.n, 'case')} right"
    same = f"as many of {count_of(found.n, 'case')} right as before"
    lost = f", {found.newly_wrong:,} newly wrong" if found.newly_wrong else ", none newly wrong"
    return f"{_verdict(item, said)}: {more if net else same}{lost}"


def _verdict(item: Compared, said: str) -> str:
    if said not in ("better", "worse"):
        return "No clear difference"
    first, second = shown_names(item.a, item.b)
    return f"{second} is {said} than {first}"


def _by_first_figure(item: Compared) -> str:
    metric = next((one for one in item.comparison.metrics if one.difference is not None), None)
    if metric is None or metric.difference is None:
        return "No case has a figure in both runs"
    said = outcome(metric)
    means = (figure(value, metric.kind) for value in (metric.difference.mean_a, metric.difference.mean_b))
    return f"{_verdict(item, said)}: {metric.title} {' → '.join(means)}"


def shown_names(a: RunInfo, b: RunInfo) -> tuple[str, str]:
    """What people call the two runs: their names where both have one and they differ, else their numbers."""
    return (a.name, b.name) if a.name and b.name and a.name != b.name else (label(a), label(b))


def note_words(warnings: Sequence[str]) -> list[str]:
    """Each warning in a few words, for one line: what is before its first stop, as far as there is room."""
    found = []
    room = SHORT_NOTE if len(warnings) > 1 else 2 * SHORT_NOTE
    for text in warnings:
        short = re.split(r"[;.]\s|\s\(", text, maxsplit=1)[0].strip().rstrip(".")
        found.append(short if len(short) <= room else f"{short[:room].rsplit(' ', 1)[0]} …")
    return found


def label(info: RunInfo) -> str:
    """A run as a column's heading."""
    return info.id or info.name or "run"


def same_prompt(item: Compared) -> str:
    """`` · prompt 1a2b… in both``; empty where the prompts differ, which is a warning, or where there is none."""
    return f" · prompt {item.a.prompt} in both" if item.a.prompt and item.a.prompt == item.b.prompt else ""


def side_by_side(
    a: RunResult,
    b: RunResult,
    comparison: RunComparison,
    metrics: Sequence[Metric],
    answers_a: Answers = no_answers,
    answers_b: Answers = no_answers,
) -> Compared:
    """Put together what the writers need."""
    changes = changes_between(a, b, comparison.cases, answers_a, answers_b, comparison.right_wrong)
    named = {metric.name: metric for metric in (*metrics, *USAGE)}
    return Compared(a.run, b.run, comparison, changes, named, compared_failure_groups(a, b, comparison))


def part_words(part: PartChange) -> str:
    """``COUNTRY: ✓ CHL · Chile → ✗ PER · Peru``"""
    marks = {True: "✓ ", False: "✗ ", None: ""}
    sides = (f"{marks[side.right]}{side.text}" for side in (part.before, part.after))
    return f"{part.label}: {' → '.join(sides)}"


def answer_lines(change: Change, longest: int = 200) -> list[str]:
    """How the two answers differ, a line for each part; the answers themselves where no part says it."""
    if change.parts:
        return [part_words(part) for part in change.parts]
    texts = [" ".join((side.answer or side.why).split()) for side in (change.a, change.b)]
    if texts[0] == texts[1]:
        return []
    was, now = (text[:longest] + ("…" if len(text) > longest else "") or "no answer" for text in texts)
    return [f"answer: {was} → {now}"]


def differ_in_system(item: Compared) -> bool:
    """Whether both runs say which system they asked, and it is not the same one."""
    return bool(item.a.system and item.b.system) and item.a.system != item.b.system


def moves_text(item: Compared, change: Change) -> str:
    """``scored → error``, or ``macro recall 1.000 → 0.500 · fully right 1.000 → 0.000``."""
    if change.a.status != change.b.status:
        return f"{change.a.status or 'absent'} → {change.b.status or 'absent'}"
    return " · ".join(
        f"{item.title(m.metric)} {figure(m.a, item.kind(m.metric))} → {figure(m.b, item.kind(m.metric))}"
        for m in change.moves
    )


def as_plain(compared: Sequence[Compared]) -> JsonObject:
    """The comparisons as JSON values; every number as it is, no text cut but answers beyond 20,000 characters."""
    return {
        "comparisons": [
            {
                "run_a": item.a,
                "run_b": item.b,
                "n_paired": item.comparison.n_paired,
                "n_shared": item.comparison.n_shared,
                "warnings": item.comparison.warnings,
                "metrics": [
                    {**msgspec.structs.asdict(metric), "outcome": outcome(metric)} for metric in item.comparison.metrics
                ],
                "tags": item.comparison.tags,
                "groups": item.comparison.groups,
                "right_wrong": item.comparison.right_wrong.counts() if item.comparison.right_wrong else None,
                "failure_groups": item.failure_groups.groups if item.failure_groups is not None else (),
                "counts": item.counts(),
                **({"judge": item.judge} if item.judge is not None else {}),
                "cases": list(item.changes),
            }
            for item in compared
        ]
    }
