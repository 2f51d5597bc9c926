"""Rules that compare with a baseline, with numbers that can be checked by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from karat.core.results.result import CaseResult, RunInfo, RunResult
from karat.core.scores import Score
from karat.stats.gates.verdicts import CaseFilter, Gate, Verdict, judge, settle
from tests.stats.gate_results import METRICS, baselines, case, run

Z = 1.6448536269514722
"""95 % of a normal distribution lie below."""


def values(numbers: Sequence[float], name: str = "r-0002") -> RunResult:
    return run([case(f"c{i}", number) for i, number in enumerate(numbers)], name)


def verdict(gate: Gate, now: RunResult, before: RunResult | None) -> Verdict:
    found = baselines({"baseline": before} if before else {})
    (one,) = judge([gate], now, METRICS, found)
    return one


def no_worse(metric: str = "demo.right", margin: float = 0.02, confidence: float | None = None) -> Gate:
    return Gate(metric, no_worse_than="baseline", margin=margin, confidence=confidence)


def test_no_worse_than_by_hand() -> None:
    # 100 cases, 60 right before; 5 lost and 4 gained. Agresti and Min: centre (4 - 5) / 102, spread from 10 / 102
    # changed.
    before = values([1.0] * 60 + [0.0] * 40, "r-0001")
    now = values([0.0] * 5 + [1.0] * 55 + [1.0] * 4 + [0.0] * 36)
    centre = -1 / 102
    low = centre - Z * math.sqrt((10 / 102 - centre**2) / 102)
    wide = verdict(no_worse(margin=0.07), now, before)
    assert wide.value == pytest.approx(low, abs=1e-9)
    assert wide.passed
    assert wide.words == (
        "demo.right against r-0001: difference -0.01 over 100 cases, with 95 % confidence at least -0.06077, wanted "
        "above -0.07"
    )
    narrow = verdict(no_worse(margin=0.06), now, before)
    assert not narrow.passed
    assert verdict(no_worse(margin=0.06, confidence=0.8), now, before).passed  # less sure: the end is nearer


def test_where_lower_is_better_the_upper_end_counts() -> None:
    before, now = values([1.0] * 200, "r-0001"), values([1.0] * 200)
    one = verdict(no_worse("demo.wrong_dataset"), now, before)
    assert one.passed
    assert "at most 0.00814" in one.words  # 1.645 / 202
    worse = verdict(no_worse("demo.wrong_dataset"), values([0.0] * 50 + [1.0] * 150), before)
    assert not worse.passed
    assert verdict(no_worse("demo.errors"), now, before).passed


def test_few_cases_prove_nothing_even_when_all_are_equal() -> None:
    same = verdict(no_worse(), values([1.0] * 20), values([1.0] * 20, "r-0001"))
    assert not same.passed
    assert "wanted above -0.02" in same.words
    few = verdict(no_worse(), values([1.0] * 9), values([1.0] * 9, "r-0001"))
    assert few.words == "demo.right against r-0001: only 9 cases with a value in both runs, wanted at least 10"
    none = verdict(no_worse(), values([1.0]), run([case("other", 1.0)], "r-0001"))
    assert none.words == "demo.right against r-0001: no case has a value in both runs, wanted at least 10"
    assert not few.passed and not none.passed


def test_without_a_baseline_a_rule_is_not_judged_and_that_does_not_pass() -> None:
    one = verdict(no_worse(), values([1.0]), None)
    assert (one.state, one.passed) == ("not_judged", False)
    assert one.words.endswith('there is no run "baseline"')
    assert settle([one])[0].state == "failed"


def failures(tag: str = "", metric: str = "", than: str = "baseline") -> Gate:
    return Gate(no_new_failures=CaseFilter(tag, metric, than))


def test_new_failures_by_hand() -> None:
    before = run([case(name, 1.0, tags=["x"]) for name in "abcd"] + [case("e", 0.0)], "r-0001")
    now = run(
        [
            case("a", 1.0, tags=["x"]),
            case("b", 0.5, tags=["x"]),
            case("c", None, "error", tags=["x"]),
            case("e", 0.0),
            case("new", 0.0),
        ]
    )
    one = verdict(failures("x"), now, before)
    assert not one.passed
    assert one.cases == ("b", "c")
    assert one.words == (
        "no new failures in tag x against r-0001: 2 of 3 cases right in the baseline by fully right (3 cases in both "
        "runs) no longer right, wanted 0: b, c"
    )
    assert verdict(failures("x"), before, before).passed
    # Wrong before and wrong now is not new; a case that cannot be judged is nobody's failure.
    same = [case("d", 1.0), case("e", 0.0), case("a", None, "not_applicable")]
    assert verdict(failures(), run(same), before).passed
    # By another metric, no other cases are right.
    assert verdict(failures("x", "demo.wrong_dataset"), now, before).cases == ("c",)


def test_missing_answers_and_many_failures() -> None:
    before = run([case(f"c{i}", 1.0) for i in range(8)], "r-0001")
    now = run([case(f"c{i}", None, "missing") for i in range(8)])
    one = verdict(failures(), now, before)
    assert len(one.cases) == 8
    assert one.words.endswith("wanted 0: c0, c1, c2, c3, c4 and 3 more")


def test_a_tag_that_no_case_has_passes_nothing() -> None:
    both = values([1.0] * 3)
    one = verdict(failures("critcal"), both, both)
    assert (one.state, settle([one])[0].state) == ("not_asked", "failed")
    assert "no case with the tag critcal is in either run" in one.words
    # Asked of two suites, and one of them has such cases: the other is not held against it.
    tagged = run([case("a", 1.0, tags=["critcal"])])
    other = verdict(failures("critcal"), tagged, tagged)
    assert [found.state for found in settle([one, other])] == ["passed"]
    # The tag is there, but on no case of both runs.
    gone = verdict(failures("critcal"), tagged, both)
    assert gone.state == "failed"


def test_other_truths_are_said() -> None:
    before = run([case("a", 1.0)], "r-0001", truth_set="other")
    assert verdict(failures(), run([case("a", 1.0)]), before).words.endswith(
        "(the truth set differs from that of r-0001)"
    )


def test_an_unchanged_cost_never_breaks_a_gate() -> None:
    def costs(value: float, name: str) -> RunResult:
        cases = [CaseResult(f"c{i}", "scored", {"cost": Score(value)}) for i in range(13)]
        return RunResult(RunInfo("demo", name, truth_set="one"), (), tuple(cases))

    before = costs(0.017, "r-0001")
    for margin in (0.0, 0.0001):
        same = verdict(no_worse("demo.cost", margin=margin), costs(0.017, "r-0002"), before)
        assert same.passed and "difference +0 in each of 13 cases" in same.words
        assert not verdict(no_worse("demo.cost", margin=margin), costs(0.018, "r-0002"), before).passed


def test_no_new_failures_shows_nothing_where_nothing_was_right() -> None:
    rule = Gate(no_new_failures=CaseFilter())
    one = verdict(rule, values([0.0] * 12), values([0.5] * 12, "r-0001"))
    assert not one.passed
    said = "none of 12 cases in both runs was right in the baseline by fully right, wanted at least 1: compare with"
    assert f"{said} a run in which some are" in one.words
