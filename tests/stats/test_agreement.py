"""Agreement, kappa and alpha, against figures by hand and against statsmodels."""

from __future__ import annotations

import random

import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from karat.stats.agreement import Confusion, agreement, alpha, confusion, constant, kappa, pairs_of


def test_a_table_by_hand() -> None:
    counts = confusion([(True, True)] * 14 + [(True, False)] + [(False, True)] * 3 + [(False, False)] * 21)
    assert counts == Confusion(14, 1, 3, 21)
    assert round(agreement(counts).mean or 0, 3) == 0.897
    assert round(kappa(counts).mean or 0, 3) == 0.789
    word, always = constant(counts)
    assert (word, round(always.mean or 0, 3)) == ("wrong", 0.564)


def test_kappa_and_its_interval_are_those_of_statsmodels() -> None:
    draw = random.Random(1)
    for _ in range(100):
        cells = [draw.randrange(1, 40) for _ in range(4)]
        ours, theirs = kappa(Confusion(*cells)), cohens_kappa([cells[:2], cells[2:]])
        assert ours.mean == pytest.approx(theirs.kappa)
        assert ours.low == pytest.approx(max(-1, theirs.kappa_low))
        assert ours.high == pytest.approx(min(1, theirs.kappa_upp))


@pytest.mark.parametrize(
    ("counts", "mean"),
    [
        (Confusion(), None),
        (Confusion(5, 0, 0, 0), None),  # both always say right: nothing to tell chance from
        (Confusion(5, 3, 0, 0), 0.0),  # one always says right
        (Confusion(5, 0, 0, 4), 1.0),  # all agree: no certainty is claimed
    ],
)
def test_kappa_without_an_interval(counts: Confusion, mean: float | None) -> None:
    found = kappa(counts)
    assert (found.mean, found.low, found.high, found.n) == (mean, None, None, counts.n)


def test_agreement_of_nothing_is_none() -> None:
    assert agreement(Confusion()).mean is None and constant(Confusion())[1].mean is None


def test_alpha_with_missing_verdicts() -> None:
    """Nominal data by hand: 3 cases seen twice or more, 7 verdicts; Do = 2/2, De = (4 · 3 + 3 · 4) / 6."""
    votes = [["right", "right", "wrong"], ["wrong", "wrong"], ["right", "right"], ["right"], []]
    found = alpha(votes)
    assert found.n == 3
    # unequal ordered pairs: case 1 has 4, over 3 - 1; margins: 4 right, 3 wrong
    assert found.mean == pytest.approx(1 - (4 / 2) / ((49 - 16 - 9) / 6))
    assert alpha([["right", "right"], ["wrong", "wrong"]]).mean == 1.0
    assert alpha([["right", "right"]]).mean is None and alpha([]).mean is None


def test_pairs_of_people_with_the_most_common_cases_first() -> None:
    said = {"ada": {"a": True, "b": False}, "ben": {"a": True, "b": True, "c": True}, "cy": {"c": False}, "di": {}}
    assert [(one.first, one.second, one.counts.n) for one in pairs_of(said)] == [("ada", "ben", 2), ("ben", "cy", 1)]
