"""The corrected rate: the reference figures, the example by hand, when people stand alone, and that the interval
holds."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any  # Any: reference figures as the file has them, and settings by name

import numpy as np
import pytest

from karat.stats.judged import CorrectedRate, corrected_rate
from tests.conftest import NO_SHARED_DATA, ROOT

REFERENCE = ROOT.parent / "shared" / "data" / "judge" / "ppi_reference.json"
COVERAGE = ROOT.parent / "shared" / "data" / "judge" / "coverage.json"


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def by_hand(**more: Any) -> CorrectedRate:
    """60 reviewed: 40 both right, 4 only the judge, 2 only people, 14 both wrong;
    the judge passes 150 of 240 others."""
    human = [1.0] * 40 + [0.0] * 4 + [1.0] * 2 + [0.0] * 14
    judge = [1.0] * 44 + [0.0] * 16
    return corrected_rate(human, judge, [1.0] * 150 + [0.0] * 90, **more)


def test_the_example_by_hand() -> None:
    found = by_hand()
    assert found.lam == pytest.approx(0.1533 / (1.25 * 0.2293), abs=1e-3)
    assert found.mean is not None and found.low is not None and found.high is not None
    assert [round(value, 3) for value in (found.mean, found.low, found.high)] == [0.642, 0.548, 0.726]
    assert (found.method, found.why, round(found.effective or 0)) == ("ppi++", "", 109)
    assert found.people is not None and found.people.mean == 0.7
    assert found.rogan_gladen is not None and found.rogan_gladen.mean == pytest.approx(0.552, abs=5e-4)


@pytest.mark.shared_data
@pytest.mark.skipif(not REFERENCE.exists(), reason=NO_SHARED_DATA)
def test_the_reference_figures() -> None:
    for case in read(REFERENCE)["cases"]:
        clusters = case.get("clusters")
        more = {}
        if clusters:
            more = {
                "clusters": clusters["labelled"],
                "rest_clusters": clusters["rest"],
                "settled_clusters": clusters["settled"],
            }
        found = corrected_rate(case["human"], case["judge"], case["rest"], settled=case["settled"], **more)
        expected = case["expected"]
        shown = expected["shown"]
        assert (found.method, found.why) == (shown["method"], shown["why"]), case["id"]
        for name in ("mean", "low", "high", "effective"):
            assert getattr(found, name) == pytest.approx(shown[name], abs=1e-6), (case["id"], name)
        assert found.lam == pytest.approx(expected["lam"], abs=1e-9)
        for name in ("people", "ppi", "ppi_plus", "rogan_gladen"):
            figures = expected.get(name, {})
            if "mean" in figures:
                own = getattr(found, name)
                assert (own.mean, own.low, own.high) == pytest.approx(
                    (figures["mean"], figures["low"], figures["high"]), abs=1e-9
                ), (case["id"], name)
        assert found.rogan_gladen_why == expected["rogan_gladen"].get("reason", "")


def test_people_stand_alone_where_the_judge_must_not_count_or_adds_nothing() -> None:
    assert by_hand(people_only="the judge is stale").why == "the judge is stale"
    assert by_hand(people_only="the judge is stale").mean == 0.7
    few = corrected_rate([1.0] * 20 + [0.0] * 9, [1.0] * 20 + [0.0] * 9, [1.0] * 100)
    assert (few.method, few.why) == ("people", "too few")
    constant = corrected_rate([1.0] * 30 + [0.0] * 10, [1.0] * 40, [1.0] * 100)
    assert (constant.method, constant.why, constant.lam, constant.ppi_plus) == ("people", "no gain", 0.0, None)
    no_rest = corrected_rate([1.0] * 30 + [0.0] * 10, [1.0] * 30 + [0.0] * 10, [])
    assert (no_rest.method, no_rest.mean, no_rest.effective) == ("people", 0.75, 40.0)


def test_no_review_gives_no_figure() -> None:
    assert corrected_rate([], [], [1.0, 0.0]).mean is None
    assert corrected_rate([1.0], [1.0], [1.0], settled=[1.0, 0.0]).method == "undefined"
    assert corrected_rate([1.0], [1.0], [1.0]).mean == 1.0


def test_one_cluster_of_reviews_proves_nothing() -> None:
    found = corrected_rate([1.0] * 40, [1.0] * 40, [1.0] * 9, clusters=["a"] * 40, rest_clusters=["b"] * 9)
    assert (found.mean, found.low, found.high, found.why) == (1.0, 0.0, 1.0, "too few")


def test_clusters_widen_the_interval_and_settled_cases_narrow_it() -> None:
    alone = by_hand()
    grouped = by_hand(clusters=[f"a{i % 35}" for i in range(60)], rest_clusters=[f"b{i // 40}" for i in range(240)])
    settled = by_hand(settled=[1.0, 0.0] * 400)
    assert alone.high is not None and alone.low is not None
    assert grouped.high is not None and grouped.low is not None
    assert settled.high is not None and settled.low is not None
    assert grouped.high - grouped.low > alone.high - alone.low > settled.high - settled.low
    assert settled.mean == pytest.approx((300 * 0.6420339752 + 400) / 1100, abs=1e-9)


@pytest.mark.parametrize(
    "bad",
    [
        {"human": [1.0], "judge": [1.0, 0.0]},
        {"human": [1.0, 2.0], "judge": [1.0, 0.0]},
        {"human": [1.0, math.nan], "judge": [1.0, 0.0]},
        {"human": [1.0, 0.0], "judge": [1.0, -0.5]},
        {"rest": [1.5]},
        {"settled": [math.inf]},
        {"clusters": ["a"]},
        {"rest_clusters": ["a"]},
        {"clusters": ["a", "b"], "rest_clusters": []},
    ],
)
def test_what_cannot_be_a_verdict_is_refused(bad: dict[str, Any]) -> None:
    given: dict[str, Any] = {"human": [1.0, 0.0], "judge": [1.0, 0.0], "rest": [1.0], **bad}
    with pytest.raises(ValueError):
        corrected_rate(**given)


def covered(setting: dict[str, Any], draws: int, random: np.random.Generator) -> int:
    hits = 0
    n, total = setting["n"], setting["n"] + setting["rest"]
    for _ in range(draws):
        truth = random.random(total) < setting["rate"]
        said = np.where(
            truth, random.random(total) < setting["sensitivity"], random.random(total) > setting["specificity"]
        )
        found = corrected_rate(truth[:n].astype(float), said[:n].astype(float), said[n:].astype(float))
        assert found.low is not None and found.high is not None
        hits += found.low <= setting["rate"] <= found.high
    return hits


def settings() -> list[dict[str, Any]]:
    """The settings of the simulation behind the method, 24 for each number of reviews."""
    return [
        {"n": n, "rest": rest, "rate": rate, "sensitivity": sensitivity, "specificity": specificity}
        for n in (30, 50, 100, 200)
        for rest in (100, 1000)
        for rate in (0.2, 0.5, 0.8, 0.95)
        for sensitivity, specificity in ((0.95, 0.95), (0.9, 0.8), (0.7, 0.7))
    ]


def test_the_interval_holds_what_it_promises() -> None:
    """Between 93 % and 97 % of the intervals contain the rate, for each number of reviews from 30 on."""
    random = np.random.default_rng(20261118)
    for n in (30, 50, 100, 200):
        chosen = [setting for setting in settings() if setting["n"] == n]
        hits = sum(covered(setting, 60, random) for setting in chosen)
        assert 0.93 <= hits / (60 * len(chosen)) <= 0.97, n


@pytest.mark.proof
def test_the_interval_holds_in_every_setting() -> None:
    random = np.random.default_rng(1)
    for setting in settings():
        assert covered(setting, 2000, random) / 2000 >= 0.92, setting


@pytest.mark.shared_data
@pytest.mark.skipif(not COVERAGE.exists(), reason=NO_SHARED_DATA)
def test_the_settings_are_those_of_the_simulation() -> None:
    names = ("n", "rest", "rate", "sensitivity", "specificity")
    recorded = {tuple(row[name] for name in names) for row in read(COVERAGE)["rows"]}
    assert {tuple(setting[name] for name in names) for setting in settings()} == recorded
