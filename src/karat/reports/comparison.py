"""Two runs side by side, ready for any writer: the statistics, and each case that changed with both answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from karat.core.json_types import JsonObject
from karat.core.results.result import CaseResult, RunInfo, RunResult
from karat.core.results.usage import USAGE
from karat.core.suite import Kind as MetricKind
from karat.core.suite import Metric
from karat.reports.console.run import figure, reason_of
from karat.stats.compare.runs import CaseChange, MetricComparison, RunComparison

ALPHA = 0.05
"""Below this adjusted p-value a difference is called one."""
Kind = Literal["worse", "mixed", "better", "status", "only_a", "only_b"]
ORDER: tuple[Kind, ...] = ("worse", "mixed", "better", "status", "only_a", "only_b")
WIDTH = 110
"""Columns of a comparison that is printed in Python."""
ANSWER_CUT = 20_000
"""Characters of an answer that a file keeps."""


class Move(msgspec.Struct, frozen=True):
    """A metric of a case, before and now."""

    metric: str
    a: float | None
    b: float | None


class Side(msgspec.Struct, frozen=True):
    """A case in one of the two runs; empty when it is not in that run."""

    status: str = ""
    why: str = ""
    answer: str = ""


class Change(msgspec.Struct, frozen=True):
    """A case that is not in the second run as it was in the first, with both answers.

    ``mixed``: better by one headline metric and worse by another.
    """

    id: str
    kind: Kind
    question: str
    moves: tuple[Move, ...]
    a: Side
    b: Side


class Compared(msgspec.Struct, frozen=True):
    """One comparison, and the words that go with it."""

    a: RunInfo
    b: RunInfo
    comparison: RunComparison
    changes: tuple[Change, ...]
    metrics: dict[str, Metric]

    def __repr__(self) -> str:
        from io import StringIO

        from rich.console import Console

        from karat.reports.console.comparison import print_comparison

        out = StringIO()
        print_comparison(self, Console(file=out, width=WIDTH, color_system=None, force_terminal=False))
        return out.getvalue().rstrip()

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
        found = Counter(change.kind for change in self.changes)
        return {kind: found[kind] for kind in ORDER}


def outcome(item: MetricComparison) -> str:
    """``better``, ``worse`` or ``no clear difference``; empty where no claim is made."""
    found = item.difference
    if found is None or item.p_adjusted is None:
        return ""
    if item.p_adjusted >= ALPHA or found.mean == 0:
        return "no clear difference"
    return "better" if (found.mean > 0) == item.higher_is_better else "worse"


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
    answers_a: Mapping[str, str],
    answers_b: Mapping[str, str],
) -> Compared:
    """Put together what the writers need. Each case is there once: the worse ones first, the largest move on
    top."""
    cases_a, cases_b = {case.id: case for case in a.cases}, {case.id: case for case in b.cases}
    by_case: dict[str, list[CaseChange]] = {}
    for change in comparison.cases:
        by_case.setdefault(change.id, []).append(change)
    changes = []
    for case_id, found in by_case.items():
        before, after = cases_a.get(case_id), cases_b.get(case_id)
        either = after or before
        changes.append(
            Change(
                case_id,
                _kind(found),
                either.question if either is not None else "",
                tuple(Move(c.metric, c.value_a, c.value_b) for c in found if c.metric),
                _side(a.run.suite, before, answers_a),
                _side(b.run.suite, after, answers_b),
            )
        )
    changes.sort(key=_rank)
    return Compared(a.run, b.run, comparison, tuple(changes), {metric.name: metric for metric in (*metrics, *USAGE)})


def _kind(changes: Sequence[CaseChange]) -> Kind:
    kinds = {change.kind for change in changes}
    return "mixed" if kinds == {"better", "worse"} else changes[0].kind


def _rank(change: Change) -> tuple[int, float, str]:
    moved = sum(abs(move.b - move.a) for move in change.moves if move.a is not None and move.b is not None)
    return ORDER.index(change.kind), -moved, change.id


def _side(suite: str, case: CaseResult | None, answers: Mapping[str, str]) -> Side:
    if case is None:
        return Side()
    answer = answers.get(case.id, "")
    if len(answer) > ANSWER_CUT:
        answer = f"{answer[:ANSWER_CUT]}… ({len(answer) - ANSWER_CUT:,} more characters)"
    return Side(case.status, case.error or reason_of(suite, case), answer)


def why_changed(change: Change) -> str:
    """The reason that goes with a change: why it failed where it did, else why it was or is wrong."""
    if change.a.status != change.b.status:
        failed = change.a if change.b.status == "scored" else change.b
        return failed.why if failed.status != "scored" else ""
    return change.a.why if change.kind == "better" else change.b.why


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
                "counts": item.counts(),
                "cases": item.changes,
            }
            for item in compared
        ]
    }
