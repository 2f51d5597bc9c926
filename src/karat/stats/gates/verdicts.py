"""Gates: what must hold for a run. The verdict and its words come from one place, so they agree.

- Floor, ceiling: the run's figure against the limit; the limit itself passes. An undefined figure passes no gate.
- Errors and cases without an answer leave the mean. A floor, ceiling or "no worse than" that holds only because of that
  fails: it must also hold with every failed call and every unanswered case counted as the worst value, in both runs.
  ``missing: leave_out`` judges by the cases that were answered.
- ``by: corrected``: the end of the interval of the rate that people and a judge correct, not its mean. A judge that
  does not count passes no gate.
- ``no_worse_than``: paired on case id, over the cases with a value in both runs. It passes when the lower end of the
  one-sided interval of the difference is above ``-margin`` (where lower is better: the upper end below ``margin``).
  Fewer than ``FEWEST`` such cases prove nothing, so the rule fails, unless it is about a quantity that is worse by more
  than the margin in none of them. A quantity that every case moved by the same amount shows no spread: that amount
  itself is compared with the margin, so that a cost which did not change never breaks a gate.
- ``no_new_failures``: no case that was right in the baseline is wrong now. Cases that are not in both runs are not
  looked at; when there are none to look at, or none of them was right, the rule fails: it has shown nothing. A rule for
  all suites is not asked of a suite without a case of its tag; when that is so in every suite it fails, for a tag with
  a typing mistake must not pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from karat.core.metric import Metric, pass_metric
from karat.core.problems import count_of
from karat.core.results.columns.columns import Columns, columns_of
from karat.core.results.result import RunResult
from karat.stats.gates.figures import (
    are_right,
    counted_values,
    mean_of,
    mean_of_values,
    metric_named,
    values_of,
    with_metric_name,
    without_answer,
)
from karat.stats.gates.reasons import is_reason, reason_values
from karat.stats.gates.rules import CONFIDENCE, CaseFilter, Gate, limits_text, number, parse_gate, rule_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from karat.stats.compare.pairing import Pairs

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

__all__ = ["CaseFilter", "Gate", "Verdict", "exit_code", "judge", "parse_gate", "rule_text", "settle"]

FEWEST = 10
"""Cases in both runs that "no worse than" needs at least."""
SHOWN = 5
"""Newly failing cases that the words name."""

Baselines = Callable[[str], RunResult | str]
"""The name of a baseline → its result, or why there is none, in words."""


class Verdict(msgspec.Struct, frozen=True):
    """What became of one rule, in words.

    ``not_judged``: there is no baseline to compare with. ``not_asked``: the suite has no case of the rule's tag.

    >>> import karat
    >>> cases, answers = [{"id": "q1", "relevant": ["x"]}], [{"id": "q1", "results": ["x"]}]
    >>> result = karat.score(suite="retrieval", cases=cases, predictions=answers)
    >>> verdict = karat.gate(result, "retrieval.passed>=0.9")[0]
    >>> verdict.passed, verdict.value
    (True, 1.0)
    """

    rule: str
    """The rule, as it is written."""
    state: Literal["passed", "failed", "not_judged", "not_asked"]
    """``passed``, ``failed``, ``not_judged`` (no baseline) or ``not_asked`` (no case with the rule's tag)."""
    words: str
    """The verdict in one sentence."""
    suite: str = ""
    """The suite."""
    run: str = ""
    """The run that was checked."""
    baseline: str = ""
    """The run it was compared with; empty if there is none."""
    value: float | None = None
    """The number that decided: the figure, the end of the interval, or how many cases are newly wrong."""
    n: int = 0
    """How many cases it covers."""
    cases: tuple[str, ...] = ()
    """All newly wrong cases."""

    @property
    def passed(self) -> bool:
        """Whether the rule holds."""
        return self.state == "passed"


def no_baselines(name: str) -> RunResult | str:
    """No run to compare with."""
    return f'there is no run "{name}" to compare with'


def judge(
    gates: Sequence[Gate],
    result: RunResult,
    metrics: Sequence[Metric] = (),
    baselines: Baselines = no_baselines,
) -> list[Verdict]:
    """A verdict for each rule on this run's suite; ``metrics`` are the suite's."""
    return [
        msgspec.structs.replace(
            _verdict(gate, result, metrics, baselines),
            rule=rule_text(gate),
            suite=result.run.suite,
            run=result.run.id,
        )
        for gate in (with_metric_name(gate, metrics) for gate in gates)
        if gate.suite in ("", result.run.suite)
    ]


def settle(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The last word on all runs together: each rule passed or failed. What could not be judged has failed."""
    asked = {verdict.rule for verdict in verdicts if verdict.state != "not_asked"}
    return [
        verdict if verdict.passed else msgspec.structs.replace(verdict, state="failed")
        for verdict in verdicts
        if verdict.state != "not_asked" or verdict.rule not in asked
    ]


def exit_code(verdicts: Sequence[Verdict]) -> int:
    """1 when a rule failed or could not be judged, else 0."""
    return 0 if all(verdict.passed for verdict in verdicts) else 1


def _verdict(gate: Gate, result: RunResult, metrics: Sequence[Metric], baselines: Baselines) -> Verdict:
    if gate.kind == "limit":
        return _limit(gate, result, metrics)
    baseline = baselines(gate.baseline)
    if isinstance(baseline, str):
        return Verdict("", "not_judged", f"{rule_text(gate)}: {baseline}")
    if gate.no_new_failures is not None:
        found = _no_new_failures(gate.no_new_failures, gate, result, baseline, metrics)
    else:
        found = _no_worse_than(gate, result, baseline, metrics)
    words = found.words
    truths = {baseline.run.truth_set, result.run.truth_set} - {""}
    if len(truths) > 1:
        words += f" (the truth set differs from that of {_name(baseline)})"
    return msgspec.structs.replace(found, words=words, baseline=baseline.run.id)


def _corrected(gate: Gate, result: RunResult, metric: Metric) -> Verdict:
    """A limit on the corrected rate: the end of its interval that is nearer to the limit must hold."""
    start, wanted, seen = f"{gate.metric}, corrected,", limits_text(gate), result.judge
    if seen is None:
        return Verdict("", "failed", f"{start} is not known, wanted {wanted}: no judge was asked about the run")
    if not seen.counts:
        return Verdict(
            "", "failed", f"{start} is not known, wanted {wanted}: the judge does not count, {seen.misses[0]}"
        )
    figure = seen.figure(metric.name)
    if figure is None or figure.low is None or figure.high is None:
        why = "it is no pass rate of the run" if figure is None else "nobody has reviewed a drawn case"
        return Verdict("", "failed", f"{start} is not known, wanted {wanted}: {why}")
    holds = (gate.at_least is None or figure.low >= gate.at_least) and (
        gate.at_most is None or figure.high <= gate.at_most
    )
    end = figure.high if gate.at_least is None else figure.low
    side = "upper" if gate.at_least is None else "lower"
    words = f"the {side} end of {start} is {end:.4g} over {count_of(figure.n, 'case')}, wanted {wanted}"
    return Verdict("", "passed" if holds else "failed", words, value=end, n=figure.n)


def _why(result: RunResult, metric: str) -> str:
    """What the first case that has no value says about it: one that was scored, if there is one. The others only say
    that there was nothing to score."""
    scored = next((case for case in result.cases if case.status == "scored"), None)
    for case in (*([] if scored is None else [scored]), *result.cases[:SHOWN]):
        score = case.scores.get(metric)
        if score is not None and score.value is None and score.reason:
            return f": {score.reason}"
    return ""


def _limit(gate: Gate, result: RunResult, metrics: Sequence[Metric]) -> Verdict:
    metric = metric_named(gate.metric.partition(".")[2], metrics)
    if gate.by == "corrected":
        return _corrected(gate, result, metric)
    mean, n = mean_of_values(reason_values(result, metric)) if is_reason(metric) else mean_of(result, metric.name)
    wanted = limits_text(gate)
    if mean is None:
        return Verdict("", "failed", f"{gate.metric} is undefined{_why(result, metric.name)}, wanted {wanted}")
    limits = [limit for limit in (gate.at_least, gate.at_most) if limit is not None]
    holds = _within(mean, gate)
    words = f"{gate.metric} is {telling(mean, limits)} over {count_of(n, 'case')}, wanted {wanted}"
    counted = counted_values(result, columns_of(result, groups=False), metric, missing=gate.missing == "count")
    worst = mean_of_values(counted.values)[0] if counted.left_out else mean
    if holds and worst is not None and not _within(worst, gate):
        words += (
            f"; it holds only because {counted.left_out} were left out: "
            f"with {counted} counted it is {telling(worst, limits)}"
        )
        return Verdict("", "failed", words, value=worst, n=n)
    unanswered = 0 if is_reason(metric) else without_answer(result, metric)
    if unanswered:
        rest = "has no answer and is not counted" if unanswered == 1 else "have no answer and are not counted"
        words += f"; {count_of(unanswered, 'case')} {rest}"
    return Verdict("", "passed" if holds else "failed", words, value=mean, n=n)


def _within(mean: float, gate: Gate) -> bool:
    return (gate.at_least is None or mean >= gate.at_least) and (gate.at_most is None or mean <= gate.at_most)


def _no_worse_than(gate: Gate, result: RunResult, baseline: RunResult, metrics: Sequence[Metric]) -> Verdict:
    from karat.stats.compare.pairing import pair_columns

    metric = metric_named(gate.metric.partition(".")[2], metrics)
    before, now = (columns_of(run, groups=False) for run in (baseline, result))
    pairs = pair_columns(before, now)
    start = f"{gate.metric} against {_name(baseline)}"
    if is_reason(metric):
        return _paired_verdict(
            gate, metric, start, pairs, reason_values(baseline, metric), reason_values(result, metric)
        )
    found = _paired_verdict(gate, metric, start, pairs, values_of(before, metric.name), values_of(now, metric.name))
    if not found.passed:
        return found
    missing = gate.missing == "count"
    worst_now = counted_values(result, now, metric, missing=missing)
    if not worst_now.left_out:
        return found
    worst_before = counted_values(baseline, before, metric, missing=missing)
    counted = _paired_verdict(gate, metric, start, pairs, worst_before.values, worst_now.values)
    if counted.passed:
        return found
    words = (
        f"{found.words}; it holds only because {worst_now.left_out} were left out: "
        f"with {worst_now} counted, {counted.words}"
    )
    return msgspec.structs.replace(counted, words=words)


def _paired_verdict(gate: Gate, metric: Metric, start: str, pairs: Pairs, before: Floats, now: Floats) -> Verdict:
    import numpy as np

    from karat.stats.compare.paired import paired_difference
    from karat.stats.intervals.spread import numbered

    first, second = before[pairs.places_a], now[pairs.places_b]
    known = np.flatnonzero(~(np.isnan(first) | np.isnan(second)))
    first, second = first[known], second[known]
    clusters = numbered(pairs.ids) if pairs.clusters is None else pairs.clusters
    n = len(known)
    margin, confidence = gate.margin or 0.0, gate.confidence or CONFIDENCE
    if not n:
        return Verdict("", "failed", f"{start}: no case has a value in both runs, wanted at least {FEWEST}")
    if n < FEWEST:
        worse = float((first - second if metric.higher_is_better else second - first).max())
        if metric.kind == "quantity" and worse <= margin:  # nothing to infer: no case moved by more than is allowed
            words = (
                f"{start}: at most {telling(max(worse, 0.0), [margin])} worse in each of "
                f"{count_of(n, 'case')}, wanted at most {number(margin)}"
            )
            return Verdict("", "passed", words, value=worse, n=n)
        words = f"{start}: only {count_of(n, 'case')} with a value in both runs, wanted at least {FEWEST}"
        return Verdict("", "failed", words, n=n)
    # One-sided at 95 % is the end of the two-sided interval at 90 %: 5 % lie beyond each of its ends.
    found = paired_difference(first, second, clusters[known], kind=metric.kind, confidence=2 * confidence - 1)
    limit = -margin if metric.higher_is_better else margin
    end = found.low if metric.higher_is_better else found.high
    if end is None:  # a quantity that every case moved by the same amount, mostly by nothing
        holds = found.mean >= limit if metric.higher_is_better else found.mean <= limit
        words = (
            f"{start}: difference {found.mean:+.4g} in each of {count_of(n, 'case')}, wanted at "
            f"{'least' if metric.higher_is_better else 'most'} {number(limit + 0.0)}"
        )
        return Verdict("", "passed" if holds else "failed", words, value=found.mean, n=n)
    holds = end > limit if metric.higher_is_better else end < limit
    least, wanted = ("at least", "above") if metric.higher_is_better else ("at most", "below")
    words = (
        f"{start}: difference {found.mean:+.4g} over {count_of(n, 'case')}, with {number(100 * confidence)} % "
        "confidence "
        f"{least} {telling(end, [limit])}, wanted {wanted} {number(limit + 0.0)}"
    )
    return Verdict("", "passed" if holds else "failed", words, value=end, n=n)


def _are_right(result: RunResult, columns: Columns, metric: Metric) -> NDArray[np.bool_]:
    if not is_reason(metric):
        return are_right(columns, metric)
    without: NDArray[np.bool_] = (reason_values(result, metric) <= 0) & columns.has_status("scored")
    return without


def _no_new_failures(
    rule: CaseFilter, gate: Gate, result: RunResult, baseline: RunResult, metrics: Sequence[Metric]
) -> Verdict:
    from karat.stats.compare.pairing import pair_columns

    chosen = metric_named(rule.metric.partition(".")[2], metrics) if rule.metric else pass_metric(metrics)
    start = f"{rule_text(gate)}" if rule.than != "baseline" else f"{rule_text(gate)} against {_name(baseline)}"
    if chosen is None or chosen.kind == "quantity":
        return Verdict("", "failed", f"{start}: {result.run.suite} has no metric by which a case is right")
    pairs = pair_columns(columns_of(result, groups=False), columns_of(baseline, groups=False))
    looked_at = _looked_at(pairs.a, rule)[pairs.places_a]
    now, before = pairs.places_a[looked_at], pairs.places_b[looked_at]
    if not len(now):
        what = f"case with the tag {rule.tag}" if rule.tag else "case"
        tagged = any(side.has_tag(rule.tag).any() for side in (pairs.a, pairs.b))
        absent = bool(rule.tag) and not rule.metric and not tagged
        words = f"{start}: no {what} is in {'either run' if absent else 'both runs'}, wanted at least 1"
        return Verdict("", "not_asked" if absent else "failed", words)
    right = _are_right(baseline, pairs.b, chosen)[before]
    if not right.any():
        words = (
            f"{start}: none of {count_of(len(now), 'case')} in both runs was right in the baseline by "
            f"{chosen.title}, wanted at least 1: compare with a run in which some are"
        )
        return Verdict("", "failed", words, n=len(now))
    lost = now[right & ~_are_right(result, pairs.a, chosen)[now]]
    broken = tuple(pairs.a.case_ids[place] for place in lost.tolist())
    words = f"{start}: {len(broken):,} of {count_of(int(right.sum()), 'case')} right in the baseline by {chosen.title} "
    words += f"({count_of(len(now), 'case')} in both runs) no longer right, wanted 0"
    if broken:
        more = f" and {len(broken) - SHOWN:,} more" if len(broken) > SHOWN else ""
        words += f": {', '.join(broken[:SHOWN])}{more}"
    return Verdict("", "failed" if broken else "passed", words, value=float(len(broken)), n=len(now), cases=broken)


def _looked_at(columns: Columns, rule: CaseFilter) -> Flags:
    """Of each case, whether the rule is about it."""
    found = ~columns.has_status("not_applicable")
    return found & columns.has_tag(rule.tag) if rule.tag else found


def _name(baseline: RunResult) -> str:
    return baseline.run.id or baseline.run.name or "the baseline"


def telling(value: float, limits: Sequence[float]) -> str:
    """A number with as few digits as still show on which side of the limits it lies."""
    for digits in range(4, 18):
        text = f"{value:.{digits}g}"
        if all(
            (float(text) > limit) == (value > limit) and (float(text) < limit) == (value < limit) for limit in limits
        ):
            break
    return text
