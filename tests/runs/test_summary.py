"""From cases to the figures of a run: means, what is left out, and intervals over clusters where cases are variants of
one."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from karat.core import plugins
from karat.core.metric import Kind, Metric
from karat.core.report import about_sheet, summary_table, tags_table
from karat.core.results.result import CaseResult, MetricSummary, RunInfo, RunResult
from karat.core.scores import Score, State, not_applicable
from karat.core.suite import Suite
from karat.runs.scores.summary import summarise
from karat.stats.intervals.estimates import estimate, wilson

CODEGEN = plugins.load_suite("codegen")
PASSED = next(metric for metric in CODEGEN.metrics if metric.name == "passed")


def case(
    name: str, value: float | None, cluster: str = "", tags: Sequence[str] = (), status: State = "scored"
) -> CaseResult:
    score = Score(value) if value is not None else not_applicable("0/0") if status == "scored" else Score(None, status)
    return CaseResult(name, status, {"passed": score}, {"cluster": cluster} if cluster else {}, tags=tuple(tags))


def run_of(cases: Sequence[CaseResult], suite: Suite = CODEGEN) -> RunResult:
    return summarise(suite, RunInfo(suite.name), cases)


def passed(cases: Sequence[CaseResult]) -> MetricSummary:
    return run_of(cases).metric("passed")


FOUR = [case(f"t{i}", float(i % 4 < 2), f"c{i % 4}") for i in range(20)]
"""Four clusters of five variants that agree: two clusters are right, two are wrong."""


def test_means_and_what_is_left_out() -> None:
    found = passed(
        [
            case("a", 1.0),
            case("b", 0.0),
            case("c", None),
            case("d", None, status="error"),
            case("e", None, status="missing"),
        ]
    )
    assert (found.mean, found.n, found.undefined, found.with_errors_as_zero) == (0.5, 2, 1, 1 / 3)
    assert (found.low, found.high) == wilson(0.5, 2)
    assert passed([]) == MetricSummary("passed", None, 0, None, None)


def test_clusters_keep_the_mean_and_widen_the_interval() -> None:
    found = passed(FOUR)
    assert (found.mean, found.n) == (0.5, 20)
    assert found.low is not None and found.high is not None  # four clusters, two of them right: nearly all of 0 to 1
    assert 0 < found.low < 0.05 and found.high == pytest.approx(1 - found.low)
    free = passed([case(f"t{i}", float(i % 4 < 2)) for i in range(20)])
    assert (free.low, free.high) == wilson(0.5, 20)


def test_a_case_without_a_cluster_is_its_own() -> None:
    values = [1.0, 1.0, 0.0, 1.0, 0.0]
    cases = [case(name, value, "v" if name in "ab" else "") for name, value in zip("abcde", values, strict=True)]
    known = estimate(values, "rate", ["v", "v", "c", "d", "e"])
    assert (passed(cases).low, passed(cases).high) == (known.low, known.high)


def test_a_cluster_named_as_another_case_is_not_that_case() -> None:
    cases = [case("a", 1.0, "b"), case("b", 0.0), case("c", 1.0)]
    assert (passed(cases).low, passed(cases).high) == wilson(2 / 3, 3)  # three of their own


def test_a_case_without_a_value_leaves_its_cluster() -> None:
    assert passed([case("a", 1.0, "v"), case("b", None, "v"), case("c", 0.0)]).low == wilson(0.5, 2)[0]


def test_one_cluster_says_next_to_nothing() -> None:
    found = passed([case("a", 1.0, "v"), case("b", 0.0, "v")])
    assert (found.mean, found.n) == (0.5, 2)
    assert found.low is not None and found.high is not None and found.low < 0.11 and found.high > 0.89


def test_clustered_intervals_hold_the_truth_where_plain_ones_do_not() -> None:
    """25 tasks of 1 to 6 variants that agree nine times in ten; the truth is 0.6."""
    rng = random.Random(11)
    clustered = plain = 0
    for _ in range(300):
        cases = []
        for task in range(25):
            right = rng.random() < 0.6
            cases += [
                case(f"{task}.{i}", float(right if rng.random() < 0.9 else rng.random() < 0.6), f"c{task}")
                for i in range(rng.randint(1, 6))
            ]
        found = passed(cases)
        low, high = wilson(found.mean or 0.0, found.n)
        assert found.low is not None and found.high is not None
        clustered += found.low <= 0.6 <= found.high
        plain += low <= 0.6 <= high
    assert 0.90 <= clustered / 300 <= 0.985
    assert plain / 300 < 0.85


# -- the same in the tables of a report -------------------------------------------------------------------------------


def test_tags_keep_variants_together() -> None:
    cases = [case(f"t{i}", float(i % 4 < 2), f"c{i % 4}", ["joins"] if i < 12 else ["sorting"]) for i in range(20)]
    table = tags_table(cases, [PASSED], estimate)
    assert table is not None
    rows = {row[0]: row[1:] for row in table.rows}
    low = rows["joins"][2]
    assert (
        rows["joins"][:2] == (12, 0.5) and isinstance(low, float) and 0 < low < 0.05
    )  # four clusters, not twelve cases
    free = tags_table([case(c.id, c.scores["passed"].value, tags=c.tags) for c in cases], [PASSED], estimate)
    assert free is not None
    assert {row[0]: row[2:5] for row in free.rows}["joins"] == (0.5, *wilson(0.5, 12))


def test_the_notes_say_over_how_many_clusters() -> None:
    result = run_of([*FOUR, case("alone", 1.0), case("failed", None, status="error")])
    note = summary_table(result, "Code", [PASSED]).note
    assert note.endswith("intervals are over 5 clusters.")
    (told,) = (row[1] for row in about_sheet(result, [PASSED]).tables[0].rows if row[0] == "intervals")
    assert str(told).endswith("intervals are over 5 clusters.")
    free = run_of([case("a", 1.0)])
    assert "cluster" not in summary_table(free, "Code", [PASSED]).note


@pytest.mark.parametrize("kind", ["share", "quantity"])
def test_every_kind_of_metric_is_clustered(kind: Kind) -> None:
    metric = Metric("passed", "passed", "", lambda _: Score(0.0), kind=kind)
    kept = [case(f"t{i}", [0.2, 0.4, 0.9][i % 3], f"c{i % 3}", ["x"]) for i in range(12)]
    free = [case(f"t{i}", [0.2, 0.4, 0.9][i % 3], tags=["x"]) for i in range(12)]
    widths = []
    for cases in (kept, free):
        table = tags_table(cases, [metric], estimate)
        assert table is not None
        _, _, mean, low, high, _ = table.rows[0]
        assert mean == pytest.approx(0.5) and isinstance(low, float) and isinstance(high, float)
        widths.append(high - low)
    assert widths[0] > 1.5 * widths[1]


def test_a_failed_call_stays_in_its_cluster() -> None:
    from karat.core.plugins import load_suite
    from karat.core.records import CallError, Case, Prediction, Turn
    from karat.runs.scores.scoring import score_case
    from karat.suites.codegen.records import Task

    suite = load_suite("codegen")
    case = Case("t1", (Turn("user", "How many?", Task(cluster="counting")),))
    failed = Prediction("t1", error=CallError("timeout", "no answer within 5 s"))
    assert score_case(suite, case, {0: {0: failed}}, suite.options()).details == {"cluster": "counting"}
    alone = Case("t2", (Turn("user", "How many?", Task()),))
    assert score_case(suite, alone, {0: {0: failed}}, suite.options()).details == {}
