"""A judge against people: the reference figures, abstentions, and sides that always say the same."""

from __future__ import annotations

import json

import pytest

from karat.stats.judged import agreement, alpha
from tests.conftest import NO_SHARED_DATA, ROOT

REFERENCE = ROOT.parent / "shared" / "data" / "judge" / "agreement_reference.json"


@pytest.mark.shared_data
@pytest.mark.skipif(not REFERENCE.exists(), reason=NO_SHARED_DATA)
def test_the_reference_figures() -> None:
    reference = json.loads(REFERENCE.read_text(encoding="utf-8"))
    for case in reference["judge_against_people"]:
        (both, only_people), (only_judge, neither) = case["table_human_by_judge"]
        human = [1] * (both + only_people) + [0] * (only_judge + neither)
        judge = [1] * both + [0] * only_people + [1] * only_judge + [0] * neither
        found = agreement(human, judge)
        assert (found.n, found.agreement, found.base_rate, found.constant) == pytest.approx(
            (case["n"], case["agreement"], case["base_rate"], case["constant"])
        )
        assert found.kappa.mean == pytest.approx(case["kappa"], abs=1e-9)
        if "low" in case:
            assert (found.kappa.low, found.kappa.high) == pytest.approx((case["low"], case["high"]), abs=1e-6)
        else:
            assert found.kappa.low is None
    for case in reference["people_among_themselves"]:
        assert alpha(case["votes_by_person"]) == pytest.approx(case["alpha_nominal"], abs=1e-9)


def test_an_abstention_is_no_agreement_and_says_nothing_of_the_rest() -> None:
    found = agreement([1, 1, 1, 0, 0], [1, 1, 0, 0, 0.5])
    assert (found.n, found.abstained, found.agreement) == (5, 1, 0.6)
    assert found.sensitivity.mean == pytest.approx(2 / 3)
    assert (found.specificity.mean, found.specificity.n) == (1.0, 1)
    # 2 both right, 1 only people, 1 both wrong: agreement 3/4, chance (3·2 + 1·2) / 16 = 1/2.
    assert found.kappa.mean == pytest.approx(0.5)


def test_people_who_always_say_the_same_leave_kappa_undefined() -> None:
    assert agreement([1, 1, 1], [1, 0, 1]).kappa.mean is None
    assert agreement([1, 0, 1], [1, 1, 1]).kappa.mean == 0.0


def test_nothing_reviewed_gives_no_figure() -> None:
    found = agreement([], [])
    assert (found.n, found.agreement, found.kappa.mean, found.specificity.mean) == (0, None, None, None)


@pytest.mark.parametrize(("human", "judge"), [([1], [1, 0]), ([0.5], [1]), ([1], [0.7])])
def test_what_cannot_be_a_verdict_is_refused(human: list[float], judge: list[float]) -> None:
    with pytest.raises(ValueError):
        agreement(human, judge)


def test_alpha_needs_two_people() -> None:
    assert alpha([[1, 0, 1]]) is None
    assert alpha([[1, 1, 1], [1, 1, 1]]) is None
