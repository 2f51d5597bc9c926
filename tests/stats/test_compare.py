"""Comparing two runs: what was planted is found, what is not there is not claimed, and the edges are said in words."""

from __future__ import annotations

import math
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from karat.core.problems import p_words
from karat.core.results.result import RunInfo, RunResult
from karat.stats.compare.case_changes import CaseChange
from karat.stats.compare.runs import RunComparison, compare_runs
from tests.stats.runs import case, metric, run, scored_run

SCORE = metric("score")


def only(found: RunComparison) -> tuple[float, float, float, float]:
    difference = found.metrics[0].difference
    assert difference is not None and difference.low is not None and difference.high is not None
    p = found.metrics[0].p_adjusted
    assert p is not None
    return difference.mean, difference.low, difference.high, p


def planted(seed: int, shift: float) -> tuple[RunResult, RunResult]:
    """300 cases of different difficulty, each answered twice with some noise, the second time better by the shift."""
    rng = np.random.default_rng(seed)
    level = rng.uniform(0.3, 0.7, 300)
    before, after = level + rng.normal(0, 0.12, 300), level + shift + rng.normal(0, 0.12, 300)
    return scored_run(before.tolist()), scored_run(after.tolist())


def test_a_planted_difference_of_five_points_is_found() -> None:
    found = [only(compare_runs(*planted(seed, 0.05), [SCORE])) for seed in range(60)]
    assert sum(p <= 0.05 for *_, p in found) == 60  # the least detectable one is 2.7 points
    assert sum(low <= 0.05 <= high for _, low, high, _ in found) >= 53  # of 60 expected 57
    assert np.mean([mean for mean, *_ in found]) == pytest.approx(0.05, abs=0.004)
    # error = 0.12·sqrt(2/300) = 0.0098, so the interval is 2·1.96 of that wide
    assert np.mean([high - low for _, low, high, _ in found]) == pytest.approx(0.0384, rel=0.05)


def test_where_there_is_no_difference_none_is_claimed() -> None:
    found = [only(compare_runs(*planted(1_000 + seed, 0.0), [SCORE])) for seed in range(100)]
    assert sum(p <= 0.05 for *_, p in found) <= 11  # of 100 expected 5, standard deviation 2.2
    assert sum(low <= 0 <= high for _, low, high, _ in found) >= 88


def test_pass_or_fail_has_its_table() -> None:
    a = run([case(str(i), {"passed": float(i < 6)}) for i in range(10)], ("passed",))
    b = run([case(str(i), {"passed": float(i in (1, 2, 3, 4, 5, 7, 8))}) for i in range(10)], ("passed",))
    (found,) = compare_runs(a, b, [metric("passed", "rate")]).metrics
    assert found.mcnemar is not None and found.difference is not None
    assert (found.mcnemar.both, found.mcnemar.only_a, found.mcnemar.only_b, found.mcnemar.neither) == (5, 1, 2, 2)
    assert found.mcnemar.p == found.difference.p == found.p_adjusted == 1.0


def test_a_rate_with_repeats_has_no_table() -> None:
    (found,) = compare_runs(scored_run([0.5, 1.0]), scored_run([1.0, 1.0]), [metric("score", "rate")]).metrics
    assert found.mcnemar is None and found.difference is not None


def test_holm_is_over_the_headlines() -> None:
    rng = np.random.default_rng(1)
    names = ["one", "two", "side"]
    a, b = (
        run([case(str(i), dict(zip(names, row, strict=True))) for i, row in enumerate(rows)], names)
        for rows in (rng.random((40, 3)).tolist(), np.add(rng.random((40, 3)), [0.3, 0.1, 0.3]).tolist())
    )
    metrics = [metric("one"), metric("two"), metric("side", headline=False)]
    one, two, side = compare_runs(a, b, metrics).metrics
    assert one.difference is not None and two.difference is not None
    assert one.difference.p < two.difference.p
    assert one.p_adjusted == pytest.approx(2 * one.difference.p)
    assert two.p_adjusted == pytest.approx(max(2 * one.difference.p, two.difference.p))
    assert side.p_adjusted is None and side.difference is not None
    (alone,) = compare_runs(a, b, [metric("side", headline=False)]).metrics  # no headline: all are the family
    assert alone.difference is not None and alone.p_adjusted == alone.difference.p


def test_cases_that_changed() -> None:
    a = run([case("same", {"score": 0.5}), case("up", {"score": 0.2}), case("down", {"score": 0.9}),
             case("far down", {"score": 1.0}), case("broke", {"score": 1.0}),
             case("gone", {"score": 0.4})])  # fmt: skip
    b = run([case("same", {"score": 0.5 + 1e-13}), case("up", {"score": 0.4}), case("down", {"score": 0.8}),
             case("far down", {"score": 0.0}), case("broke", {"score": None}, "error"),
             case("new", {"score": 0.1})])  # fmt: skip
    found = compare_runs(a, b, [SCORE])
    assert found.cases == (
        CaseChange("broke", "status", "score", 1.0, None, "scored", "error"),
        CaseChange("far down", "worse", "score", 1.0, 0.0, "scored", "scored"),
        CaseChange("down", "worse", "score", 0.9, 0.8, "scored", "scored"),
        CaseChange("up", "better", "score", 0.2, 0.4, "scored", "scored"),
        CaseChange("gone", "only_a", "score", 0.4, None, "scored", None),
        CaseChange("new", "only_b", "score", None, 0.1, None, "scored"),
    )
    assert (found.n_shared, found.n_paired, found.metrics[0].only_a, found.metrics[0].only_b) == (5, 4, 1, 0)


def test_noise_of_a_measurement_is_no_change() -> None:
    noisy = replace(SCORE, noise=0.1)
    changes = compare_runs(scored_run([0.9, 0.9, 1.0]), scored_run([0.82, 1.0, 0.5]), [noisy]).cases
    assert [(change.id, change.kind) for change in changes] == [("case 2", "worse")]
    assert len(compare_runs(scored_run([0.9]), scored_run([0.82]), [SCORE]).cases) == 1


def test_less_is_better_for_seconds() -> None:
    seconds = metric("score", "quantity", higher_is_better=False)
    changes = compare_runs(scored_run([3.0, 1.0]), scored_run([2.0, 4.0]), [seconds]).cases
    assert [(change.id, change.kind) for change in changes] == [("case 1", "worse"), ("case 0", "better")]


def test_by_tag() -> None:
    a = run([case(str(i), {"score": 0.5}, tags=["all", "odd"] if i % 2 else ["all"]) for i in range(6)])
    b = run([case(str(i), {"score": 0.9 if i % 2 else 0.5}, tags=["all"]) for i in range(6)])
    found = compare_runs(a, b, [SCORE]).tags
    assert [(item.tag, item.difference.n) for item in found] == [("all", 6), ("odd", 3)]
    assert [item.difference.mean for item in found] == pytest.approx([0.2, 0.4])


def groups_of(suite: str, before: dict[str, object], after: dict[str, object]) -> dict[tuple[str, str, str], object]:
    runs = [
        msgspec.structs.replace(
            run([case(str(i), {"score": score}, details=details) for i in range(4)]), run=RunInfo(suite)
        )
        for score, details in ((0.5, before), (0.6, after))
    ]
    found = compare_runs(runs[0], runs[1], [SCORE]).groups
    return {(g.kind, g.name, g.metric): (g.difference.n, g.difference.mean) for g in found}


def test_by_dimension() -> None:
    def details(recall: float) -> dict[str, object]:
        turns = [{"dimension": "REF_AREA", "turn": 0, "recall": recall, "precision": 1.0, "f1": None}]
        turns.append({"dimension": "REF_AREA", "turn": 1, "recall": 1.0, "precision": 1.0, "f1": None})
        return {"dimensions": turns}

    assert groups_of("data_query", details(0.0), details(1.0)) == {
        ("dimension", "REF_AREA", "recall"): (4, pytest.approx(0.5)),  # mean over two turns: 0.5 before, 1 after
        ("dimension", "REF_AREA", "precision"): (4, 0.0),
    }


def test_by_field() -> None:
    def details(found: int) -> dict[str, object]:
        field = {"field": "Items[name]", "retrieved": 9, "relevant": 4, "found": found, "ranks": [1], "missing": []}
        return {"fields": [field | {"missing_count": 4 - found}]}

    assert groups_of("retrieval", details(1), details(3)) == {
        ("field", "Items[name]", "recall"): (4, pytest.approx(0.5))
    }


def test_by_function() -> None:
    verdict = {"state": "wrong", "reason": "values_differ", "normalised": []}
    details: dict[str, object] = {"reason": "values_differ", "evidence": {}, "flips": False, "functions": ["exact"]}
    details |= {"spider2": verdict, "strict": verdict}
    assert groups_of("answers", details, details) == {("function", "exact", "score"): (4, pytest.approx(0.1))}


def test_details_of_another_form_are_passed_over() -> None:
    odd = {"dimensions": "none", "fields": [1, {"field": "x"}], "functions": {"a": 1}, "cluster": ""}
    found = compare_runs(
        run([case("x", {"score": 1.0}, details=odd)]), run([case("x", {"score": 0.0}, details=odd)]), [SCORE]
    )
    assert found.groups == ()


def test_variants_of_one_task_count_as_one() -> None:
    a = run([case(str(i), {"score": 0.0}, details={"cluster": f"c{i % 4}"}) for i in range(20)])
    b = run([case(str(i), {"score": 0.2 + i / 100}, details={"cluster": f"c{i % 4}"}) for i in range(20)])
    (found,) = compare_runs(a, b, [SCORE]).metrics
    assert found.difference is not None
    assert (found.difference.n, found.difference.clusters, found.difference.p) == (20, 4, 2 / 16)


def test_many_tags_are_bounded_and_said() -> None:
    a = run([case(str(i), {"score": 0.5}, tags=[f"tag {i}"]) for i in range(130)])
    found = compare_runs(a, a, [SCORE])
    assert len(found.tags) == 100
    assert "Compared by tag for the 100 with most cases; 30 tags more left out." in found.warnings


EMPTY = run([])
ERRORS = run([case(f"case {i}", {"score": None}, "error") for i in range(3)])
NULLS = scored_run([None, None, None])
ONE = scored_run([0.4])
THREE = scored_run([0.4, 0.5, 0.7])
STRANGERS = run([case("elsewhere", {"score": 1.0})])


@pytest.mark.parametrize(
    ("a", "b", "undefined", "warning"),
    [
        (EMPTY, EMPTY, "neither run has a case", "Run A has no cases."),
        (EMPTY, THREE, "run A has no cases", "Run A has no cases."),
        (THREE, EMPTY, "run B has no cases", "Run B has no cases."),
        (ERRORS, ERRORS, "no value in either run, over 3 shared cases", "No case of run A was scored: 3 error."),
        (
            THREE,
            ERRORS,
            "no case has a value in both runs: of 3 shared cases, 3 have one in A only, 0 in B only",
            "Failed calls differ: 0 of 3 in A (0.0 %), 3 in B (100.0 %), which may be chance (p = 0.250). Means leave "
            "failed calls out.",
        ),
        (NULLS, NULLS, "no value in either run, over 3 shared cases", ""),
        (
            THREE,
            STRANGERS,
            "the runs share no case",
            "The runs share no case: A has 3, B 1, and no id is in both. There is nothing to compare.",
        ),
        (ONE, scored_run([0.9]), "", "score: one case cannot show a difference."),
    ],
)
def test_edges_are_said_in_words(a: RunResult, b: RunResult, undefined: str, warning: str) -> None:
    found = compare_runs(a, b, [SCORE, metric("absent", "rate")])
    assert found.metrics[0].undefined == undefined
    assert (found.metrics[0].difference is None) == bool(undefined)
    assert warning in found.warnings if warning else not found.warnings
    assert b"NaN" not in msgspec.json.encode(found, enc_hook=list)


def test_no_metrics() -> None:
    found = compare_runs(THREE, THREE, [])
    assert (found.metrics, found.n_paired, found.n_shared, list(found.cases)) == ((), 0, 3, [])


def test_a_value_that_is_no_number_counts_as_none() -> None:
    found = compare_runs(scored_run([math.nan, 0.5, math.inf]), scored_run([0.5, 0.5, 0.5]), [SCORE])
    difference = found.metrics[0].difference
    assert difference is not None and (difference.n, found.metrics[0].only_b) == (1, 2)


def test_what_differs_between_the_runs_is_said() -> None:
    a = scored_run(
        [0.5, 0.6], truth_set="abc", karat="0.1", repeats=1, today="2024-06-01", options={"errors": "zero", "k": 3}
    )
    b = run([case("case 0", {"score": 0.5}), case("x", {"score": 0.1})], ("score", "other"), suite="else",
        truth_set="def",
            karat="0.2", repeats=3, today="2024-06-02", options={"k": 5})  # fmt: skip
    assert compare_runs(a, b, []).warnings == (
        "The runs are of different suites: A of any, B of else. Metrics of the same name may mean different things.",
        "The truth sets differ: A abc, B def. A difference may come from the questions or the gold.",
        "The runs were scored by different versions of Karat: A 0.1, B 0.2. Score the older one again.",
        'The options differ: errors is "zero" in A, not set in B; k is 3 in A, 5 in B.',
        "Relative dates meant different days: A 2024-06-01, B 2024-06-02.",
        "The numbers of repeats differ: A 1, B 3. Each case counts once, by its mean.",
        "The runs share 1 case; 1 only in A and 1 only in B are left out.",
        "The metrics differ: other in B only.",
    )
    assert compare_runs(a, a, []).warnings == ()


def test_too_few_cases_for_the_difference_seen() -> None:
    gaps = [0.12, -0.08, 0.22, -0.18, 0.02] * 6  # mean 0.02, standard deviation about 0.14
    found = compare_runs(scored_run([0.5] * 30), scored_run([0.5 + gap for gap in gaps]), [SCORE])
    difference = found.metrics[0].difference
    assert difference is not None and difference.detectable is not None and found.metrics[0].p_adjusted is not None
    (said,) = found.warnings
    needed = math.ceil(30 * (difference.detectable / difference.mean) ** 2)
    assert said == (
        f"score: 30 cases are too few to tell a difference of {100 * abs(difference.mean):.1f} points from chance "
        f"({p_words(found.metrics[0].p_adjusted)}). They can detect {100 * difference.detectable:.1f} points or more "
        "(80 % power); "
        f"this one would need about {needed:,}."
    )


def test_left_out_cases_are_counted() -> None:
    found = compare_runs(scored_run([0.5, None, 0.5, 0.5]), scored_run([0.5, 0.5, None, None]), [SCORE])
    assert "score: compared over 1 of 4 shared cases; 2 have a value only in A, 1 only in B." in found.warnings


def test_a_hundred_thousand_cases() -> None:
    """Two metrics here; the time for twenty is measured by hand and not judged in a test."""
    rng = np.random.default_rng(2)
    names = ["score", "passed"]
    values = np.stack([rng.random(100_000), rng.random(100_000) < 0.5], axis=1).astype(float)
    later = values.copy()
    later[:, 0] += rng.normal(0.001, 0.02, 100_000)
    a, b = (
        run([case(str(i), dict(zip(names, row, strict=True))) for i, row in enumerate(rows.tolist())], names)
        for rows in (values, later)
    )
    found = compare_runs(a, b, [SCORE, metric("passed", "rate")])
    score, passed = (item.difference for item in found.metrics)
    assert score is not None and passed is not None
    assert score.mean == pytest.approx(0.001, abs=0.0003) and score.p < 1e-10
    assert passed.p == 1.0


def test_metrics_with_the_same_values_in_both_runs_are_one_test() -> None:
    sides = []
    for right in (4, 9):
        cases = [
            case(f"c{i}", {"one": float(i < right), "again": float(i < right), "two": float(i % 3 == 0)})
            for i in range(12)
        ]
        sides.append(run(cases, ("one", "again", "two")))
    metrics = [metric(name, "rate") for name in ("one", "again", "two")]
    found = {item.metric: item for item in compare_runs(sides[0], sides[1], metrics).metrics}
    alone = {item.metric: item for item in compare_runs(sides[0], sides[1], [metrics[0], metrics[2]]).metrics}
    assert found["one"].p_adjusted == found["again"].p_adjusted == alone["one"].p_adjusted
    assert found["one"].difference is not None and alone["one"].difference is not None
    assert found["one"].p_adjusted == pytest.approx(2 * found["one"].difference.p)
    assert found["one"].difference.detectable == alone["one"].difference.detectable


def test_same_warning_about_several_metrics_is_said_once() -> None:
    names = [metric(name, headline=True) for name in ("one", "two", "three")]
    a = run([case(str(i), {m.name: 0.5 for m in names}) for i in range(2)])
    b = run([case("0", {m.name: 0.5 for m in names}), case("1", {m.name: None for m in names})])
    said = [words for words in compare_runs(a, b, names).warnings if "compared over" in words]
    assert said == ["one, two, three: compared over 1 of 2 shared cases; 1 has a value only in A, 0 only in B."]


def test_missing_answers_count_as_failed() -> None:
    missing = run([case(f"case {i}", {"score": None}, "missing") for i in range(3)])
    said = compare_runs(THREE, missing, [SCORE]).warnings
    assert any(w.startswith("Failed calls and missing answers differ: 0 of 3 in A (0.0 %), 3 in B") for w in said)
