"""The random sample: a beginning of a fixed order, whatever people choose to review."""

from __future__ import annotations

import pytest

from karat.judge.calibration import Calibration, Probe, agreement_of, misses_of, tables_of
from karat.judge.sample import JudgedCase, judged_cases, sample_of
from karat.judge.settings import Bar
from karat.store.verdicts.judgements import Judgement
from karat.store.verdicts.reviews import Review, Word

POOL = [JudgedCase(f"c{place}", float(place % 2)) for place in range(40)]


def review(case: str, verdict: Word = "pass", *, blind: bool = True, who: str = "ann") -> Review:
    return Review(1, 1, case, verdict, who, "", "2026-01-01", blind=blind)


def order() -> list[str]:
    return list(sample_of(POOL, [], "seed").order)


def test_the_order_is_fixed_and_random() -> None:
    assert order() == order() and sorted(order()) == sorted(case.id for case in POOL)
    assert order() != [case.id for case in POOL]
    assert list(sample_of(POOL, [], "other").order) != order()


def test_the_sample_is_the_longest_beginning_with_enough_reviews() -> None:
    first = order()[:20]
    found = sample_of(POOL, [review(case) for case in first], "seed")
    assert {case.id for case, _ in found.reviewed} == set(first)
    assert found.skipped == (order()[20],)  # 20 of 21 are still enough
    one_missing = sample_of(POOL, [review(case) for case in first if case != first[3]], "seed")
    assert one_missing.skipped == (first[3],) and len(one_missing.reviewed) == 19
    assert first[3] in {case.id for case in one_missing.rest}


def test_interesting_cases_cannot_bend_the_rate() -> None:
    chosen = [case.id for case in POOL if case.value == 1 and case.id not in order()[:1]]
    found = sample_of(POOL, [review(case) for case in chosen], "seed")
    assert not found.reviewed and found.others == len(chosen)


def test_only_blind_verdicts_count_and_wrong_gold_and_disputes_leave() -> None:
    first, second, third, fourth = order()[:4]
    reviews = [
        review(first, "fail"),
        review(second, "gold_wrong"),
        review(third, "pass"),
        review(third, "fail", who="bob"),
        review(fourth, "pass", blind=False),
    ]
    found = sample_of(POOL, reviews, "seed")
    assert [(case.id, people) for case, people in found.reviewed] == [(first, 0.0)]
    assert (found.gold_wrong, found.disputed, found.drawn) == (1, 1, 3)


def test_variants_of_one_question_are_drawn_together() -> None:
    pool = [JudgedCase(f"c{place}", 1.0, f"k{place // 4}") for place in range(40)]
    clusters = {case.id: case.cluster for case in pool}
    names = [clusters[name] for name in sample_of(pool, [], "seed").order]
    assert [name for place, name in enumerate(names) if place == 0 or names[place - 1] != name] == list(
        dict.fromkeys(names)
    )


def said(case: str, word: str, *, turn: int = 0, repeat: int = 0, role: str = "needs_review") -> Judgement:
    return Judgement(case, turn, repeat, "key", role, {"verdict": word, "reason": "why"})


def test_all_turns_must_be_right_and_tries_are_averaged() -> None:
    found = judged_cases(
        [
            said("turns", "right"),
            said("turns", "cannot_tell", turn=1),
            said("wrong", "right"),
            said("wrong", "wrong", turn=1),
            said("tries", "right"),
            said("tries", "wrong", repeat=1),
            said("passed", "wrong", role="audit"),
        ],
        {},
    )
    assert {case.id: case.value for case in found} == {"turns": 0.5, "wrong": 0.0, "tries": 0.5}


def calibration(right: int, wrong: int, missed: int = 0, passed: int = 0, **more: object) -> Calibration:
    """``right`` and ``wrong`` by people; the judge misses some right ones and passes some wrong ones."""
    pool = [JudgedCase(f"r{n}", float(n >= missed)) for n in range(right)]
    pool += [JudgedCase(f"w{n}", float(n < passed)) for n in range(wrong)]
    reviews = [review(case.id, "pass" if case.id[0] == "r" else "fail") for case in pool]
    sample = sample_of(pool, reviews, "seed")
    fields = {
        "version": "j-1",
        "created": "2026-01-01T00:00:00.000Z",
        "drawn": len(pool),
        "reviewed": len(pool),
        "rest": 0,
        "others": 0,
        "agreement": agreement_of(sample),
        "people_right": right,
        "people_wrong": wrong,
        "consistency": Probe(60, 0),
        "tables": tables_of({"all": [(case.value, people) for case, people in sample.reviewed]}),
    }
    return Calibration(**{**fields, **more})  # type: ignore[arg-type]  # fields by name


def test_the_bar_names_every_demand_that_is_missed() -> None:
    from datetime import UTC, datetime

    from karat.judge.calibration import NOT_CALIBRATED, AttackCount

    at = datetime(2026, 2, 1, tzinfo=UTC)
    tried = AttackCount(40, 0, 3, 0)
    good = calibration(42, 18, missed=2, passed=1, attacks=tried)
    assert misses_of(good, Bar(), at=at) == ()
    assert good.tables == {"all": (40, 1, 2, 17)}
    assert "stale" in misses_of(good, Bar(), stale="another model", at=at)[0]
    late = misses_of(good, Bar(), at=datetime(2026, 12, 1, tzinfo=UTC))
    assert late == ("it was calibrated 334 days ago, at most 180 count",)
    constant = misses_of(calibration(42, 18, passed=18, attacks=tried), Bar(), at=at)
    assert any(miss.startswith("kappa is 0.00") for miss in constant)
    few = misses_of(calibration(12, 5, attacks=AttackCount(40, 2, 3, 0)), Bar(), at=at)
    assert any("review 33 more" in miss for miss in few)
    assert any("people called 5 of them wrong" in miss for miss in few)
    assert any("2 of 40 attacks passed" in miss for miss in few)
    unheld = calibration(0, 0, attacks=AttackCount(40, 2, 3, 0))
    assert misses_of(unheld, Bar(), at=at) == (NOT_CALIBRATED, "2 of 40 attacks passed, wanted 0")
    fickle = misses_of(calibration(42, 18, attacks=tried, consistency=Probe(60, 9)), Bar(), at=at)
    assert fickle == ("asked again, it said the same in 0.850, wanted 0.95",)
    assert any("not measured" in miss for miss in misses_of(calibration(42, 18, consistency=None), Bar(), at=at))


@pytest.mark.parametrize(
    "verdict",
    [
        {"verdict": "right"},
        {"verdict": "wrong", "reason": "other year", "confidence": 0, "gold_suspect": True},
        {"verdict": "cannot_tell", "why": "budget", "confidence": None, "changed": True, "reason": ""},
    ],
)
def test_a_case_asked_once_is_read_as_one_asked_several_times(verdict: dict[str, object]) -> None:
    once = [Judgement("q", 0, 0, "k", "wrong", verdict)]
    twice = [*once, Judgement("q", 0, 1, "k", "wrong", verdict)]
    assert judged_cases(once, {"q": "c"}) == judged_cases(twice, {"q": "c"})
