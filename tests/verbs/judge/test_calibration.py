"""A judge against people: what proves nothing, how many reviews are needed, second persons, drift, self-preference."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any  # Any: what a function judge gets and returns

import msgspec
import pytest
from sqlalchemy import update

import karat
from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.judge.settings import JudgeSettings
from karat.store import open_store
from karat.store.schema import runs
from karat.store.verdicts.judgements import JudgeRecords
from karat.verbs.judge.ask import ask_judge
from karat.verbs.judge.attack import attack_judge
from karat.verbs.judge.calibrate import calibrate_judge
from karat.verbs.judge.corrected import _rates, judged_run
from karat.verbs.judge.drift import check_drift
from karat.verbs.judge.open_judge import OpenJudge
from karat.verbs.judge.pools import pool_of
from karat.verbs.judge.review_next import next_reviews
from tests.verbs.judge.function_judges import CASES, function_judge, review, truly_right


def test_attacks_without_a_reply_are_no_proof(project: Path) -> None:
    def down(_: dict[str, Any]) -> dict[str, Any]:
        raise RuntimeError("down")

    count = attack_judge(down)
    assert (count.passed, count.failed, count.unanswered) == (0, 40, 40)
    ask_judge(judge=function_judge(0.95, 0.92))
    review(60)
    found = calibrate_judge(judge=function_judge(0.95, 0.92))
    assert any("not tried with attacks" in miss for miss in found.misses)
    with open_store("sqlite:///.karat/karat.db") as store:
        broken = OpenJudge(JudgeSettings("f"), project, None, down).for_suite(load_suite("retrieval"))
        (kept,) = JudgeRecords(store).calibrations(broken.version)
    assert any("gave no reply to 40 of 40 attacks" in miss for miss in kept.figures["misses"])


def test_failed_probes_prove_no_consistency(project: Path) -> None:
    calls = [0]

    def dying(request: dict[str, Any]) -> Any:
        calls[0] += 1
        if calls[0] > CASES - 20:
            raise RuntimeError("down")
        return {"verdict": "right"}

    ask_judge(judge=dying)
    review(55)
    found = calibrate_judge(judge=dying)
    assert found.consistency is not None and found.consistency.asked == 0
    assert "its self-consistency was not measured" in found.misses


def test_people_alone_is_over_the_same_cases_as_the_corrected_rate(project: Path) -> None:
    judge = function_judge(0.95, 0.92)
    ask_judge(judge=judge)
    names = review(60)
    attack_judge(judge)
    calibrate_judge(judge=judge)
    with open_store("sqlite:///.karat/karat.db") as store:
        seen = judged_run(store, 1)
    assert seen is not None
    passed = seen.figure("passed")
    share = sum(truly_right(int(name[1:])) for name in names) / 60
    assert passed is not None and passed.people == pytest.approx((20 + (CASES - 20) * share) / CASES)
    assert passed.people_low is not None and passed.low is not None and passed.low > passed.people_low


def test_a_rate_that_no_settled_case_has_is_not_corrected(project: Path) -> None:
    ask_judge(judge=function_judge(0.95, 0.92))
    review(60)
    with open_store("sqlite:///.karat/karat.db") as store:
        pool = pool_of(store, 1, "")
        none = [msgspec.structs.replace(one, values=(None,) * len(one.values)) for one in pool.others]
        result = store.result(1)
        assert [one.metric for one in _rates(store, result, pool, ())] == list(pool.rates)
        assert _rates(store, result, msgspec.structs.replace(pool, others=tuple(none)), ()) == []
        assert _rates(store, result, msgspec.structs.replace(pool, others=()), ())  # every case was put to the judge


def test_a_case_that_a_rule_settles_after_scoring_again_leaves_the_pool(project: Path) -> None:
    ask_judge(judge=function_judge(0.95, 0.92))
    with open_store("sqlite:///.karat/karat.db") as store:
        before = pool_of(store, 1, "")
        result = store.result(1)
        first = result.cases[0]
        scores = {**first.scores, "passed": msgspec.structs.replace(first.scores["passed"], value=1.0)}
        changed = msgspec.structs.replace(first, scores=scores)
        after = pool_of(store, 1, "", msgspec.structs.replace(result, cases=(changed, *result.cases[1:])))
    assert len(after.cases) == len(before.cases) - 1 and first.id not in after.sample.order
    assert len(after.others) == len(before.others) + 1


def test_how_many_reviews_a_width_needs(project: Path) -> None:
    judge = function_judge(0.95, 0.92)
    ask_judge(judge=judge)
    review(40)
    wide, narrow = next_reviews(width=0.3), next_reviews(width=0.16, limit=200)
    assert (wide.reviewed, wide.wanted, wide.reachable) == (40, 50, True)  # the bar wants more than the width
    assert 50 < narrow.wanted <= CASES - 20 and narrow.reachable
    assert sum(one.drawn for one in narrow.cases) == narrow.wanted - 40
    assert not next_reviews(width=0.01).reachable
    with pytest.raises(UserError, match="between 0 and 1"):
        next_reviews(width=8)


def test_a_share_of_the_draw_goes_to_a_second_person(project: Path) -> None:
    ask_judge(judge=function_judge(0.95, 0.92))
    names = review(50)
    found = [one.case for one in next_reviews(limit=200, overlap=0.2).cases if "second person" in one.why]
    assert 3 <= len(found) <= 20 and set(found) <= set(names)
    assert not any("second" in one.why for one in next_reviews(limit=200, overlap=0.2, reviewer="ann").cases)
    assert not any("second" in one.why for one in next_reviews(limit=200).cases)
    with open_store("sqlite:///.karat/karat.db") as store:
        store.add_review(1, found[0], "pass", reviewer="bob", blind=True)
    assert found[0] not in [one.case for one in next_reviews(limit=200, overlap=0.2).cases]
    calibrated = calibrate_judge(probes=False)
    assert calibrated.people.n == 1


def test_a_changed_version_is_compared_on_the_reviewed_answers(project: Path) -> None:
    good = function_judge(0.95, 0.92)
    (first,) = ask_judge(judge=good)
    review(50)
    calibrate_judge(judge=good)
    asked: list[str] = []

    def other(request: dict[str, Any]) -> dict[str, Any]:
        asked.append(str(request["case"]))
        return {"verdict": "wrong"}

    karat.run(suite="retrieval", cases=[{"id": "n1", "question": "?", "relevant": ["lemon"]}],
              predictions=[{"id": "n1", "results": ["lime"]}])  # fmt: skip
    (second,) = ask_judge(judge=other)
    assert len(asked) == 51 and asked[0] == "n1"
    assert any(f"verdicts differ from {first.version}" in note for note in second.warnings)
    ask_judge(judge=other)
    assert len(asked) == 51  # asked once
    with open_store("sqlite:///.karat/karat.db") as store:
        assert JudgeRecords(store).versions_of_run(1) == [first.version]  # the old run still has its judge


def test_a_month_later_reviewed_answers_are_asked_again_and_a_drifted_judge_is_stale(project: Path) -> None:
    says = ["steady"]
    good = function_judge(0.95, 0.92)

    def served(request: dict[str, Any]) -> Any:
        return good(request) if says[0] == "steady" else {"verdict": "wrong"}

    ask_judge(judge=served)
    review(50)
    calibrate_judge(judge=served)
    suite = load_suite("retrieval")
    opened = OpenJudge(JudgeSettings("f", asks=("wrong",)), project, None, served)
    today = datetime.now(UTC)
    with open_store("sqlite:///.karat/karat.db") as store:
        assert check_drift(store, opened, suite, at=today + timedelta(days=29)) is None
        steady = check_drift(store, opened, suite, at=today + timedelta(days=31))
        assert steady is not None and (steady.asked, steady.changed) == (50, 0)
        assert check_drift(store, opened, suite, at=today + timedelta(days=60)) is None  # a month after the last
        assert JudgeRecords(store).versions()[0].stale == ""
        says[0] = "changed"
        drifted = check_drift(store, opened, suite, at=today + timedelta(days=62))
        assert drifted is not None and drifted.to_right == 0 and drifted.to_wrong == drifted.changed > 20
        assert drifted.agreement.mean is not None and steady.agreement.mean is not None
        assert drifted.agreement.mean < steady.agreement.mean
        seen = judged_run(store, 1)
    assert seen is not None and not seen.counts and "it is stale: asked again on" in seen.misses[0]


def test_a_judge_that_prefers_its_own_family_is_found_out(project: Path) -> None:
    def fond(request: dict[str, Any]) -> dict[str, Any]:
        return {"verdict": "right" if "own" in str(request["document"]["given"]) or truly_right(
            int(str(request["case"])[1:])) else "wrong"}  # fmt: skip

    cases = [{"id": f"c{n}", "question": f"What? {n}", "relevant": ["lemon"]} for n in range(90)]
    for word in ("own", "foreign"):
        karat.run(suite="retrieval", cases=cases, predictions=[{"id": f"c{n}", "results": [word]} for n in range(90)])
    with open_store("sqlite:///.karat/karat.db") as store:
        for run_id, model in ((2, "big-9-2026-01-01"), (3, "other-1")):
            record = store.run(run_id)
            with store._writing() as connection:
                connection.execute(
                    update(runs)
                    .where(runs.c.id == run_id)
                    .values(config=json.dumps({**record.config, "system": {"model": model}}))
                )
    for run in ("r-0002", "r-0003"):
        ask_judge(run, fond)
    with open_store("sqlite:///.karat/karat.db") as store:
        version = JudgeRecords(store).versions_of_run(2)[0]
        JudgeRecords(store).mark_version(version, model="big-9", fingerprint="")
        for run_id in (2, 3):
            for name in pool_of(store, run_id, "").sample.order[: 29 if run_id == 3 else 60]:
                word = "pass" if truly_right(int(name[1:])) else "fail"
                store.add_review(run_id, name, word, reviewer="ann", blind=True)
    assert calibrate_judge(["r-0002", "r-0003"], probes=False).by_system == ()  # 29 of one are too few
    with open_store("sqlite:///.karat/karat.db") as store:
        name = pool_of(store, 3, "").sample.order[29]
        store.add_review(3, name, "pass" if truly_right(int(name[1:])) else "fail", reviewer="ann", blind=True)
    own, other = calibrate_judge(["r-0002", "r-0003"], probes=False).by_system
    assert (own.system, own.own_family, own.false_passes.mean) == ("big-9-2026-01-01", True, 1.0)
    assert (other.system, other.own_family, other.false_passes.mean) == ("other-1", False, 0.0)


def test_rubrics_by_tag_are_one_judge(project: Path) -> None:
    (project / "maps.md").write_text("a map is right when it has a key")
    (project / "karat.yaml").write_text(
        "systems: {grader: {type: function, function: 'nowhere:judge'}}\n"
        "judge: {system: grader, asks: [wrong], rubric: {maps: maps.md}}\n"
    )
    cases = [{"id": f"t{n}", "question": "?", "relevant": ["a"], "tags": ["maps"] if n else []} for n in range(4)]
    karat.run(suite="retrieval", cases=cases, predictions=[{"id": f"t{n}", "results": ["b"]} for n in range(4)])
    told: dict[str, bool] = {}

    def judge(request: dict[str, Any]) -> dict[str, Any]:
        told[str(request["case"])] = "has a key" in request["messages"][0]["content"]
        return {"verdict": "wrong"}

    (found,) = ask_judge("r-0002", judge)
    assert found.asked == 4 and told == {"t0": False, "t1": True, "t2": True, "t3": True}
    with open_store("sqlite:///.karat/karat.db") as store:
        seen = judged_run(store, 2)
    assert seen is not None and seen.asked == 4
    (project / "maps.md").write_text("a map is right when it has a scale")
    assert ask_judge("r-0002", judge)[0].version != found.version


def test_the_same_answer_in_two_runs_is_one_piece_of_evidence(project: Path) -> None:
    judge = function_judge(0.95, 0.92)
    ask_judge(judge=judge)
    review(30)
    alone = calibrate_judge(judge=judge, probes=False)
    cases = [{"id": f"c{n}", "question": f"What is it? {n}", "relevant": ["lemon"]} for n in range(CASES)]
    answers = [{"id": f"c{n}", "results": ["lemon" if n >= CASES - 20 else "lime"]} for n in range(CASES)]
    for place in range(10, CASES - 20):
        answers[place]["results"] = ["grape"]  # another answer to the same case
    karat.run(suite="retrieval", cases=cases, predictions=answers)
    (found,) = ask_judge(judge=judge)
    assert found.cached == 10
    names = review(30, run_id=2)
    again = sum(int(name[1:]) < 10 for name in names)
    assert 0 < again < 30
    both = calibrate_judge(judge=judge, probes=False)
    assert (alone.reviewed, both.reviewed, both.drawn) == (30, 60 - again, 2 * alone.drawn - again)
    assert both.agreement.n == both.people_right + both.people_wrong == 60 - again
    assert [one.case for one in both.doubts if int(one.case[1:]) < 10] == [
        one.case for one in alone.doubts if int(one.case[1:]) < 10
    ]


def test_a_stale_version_is_called_so_where_nothing_is_asked(project: Path) -> None:
    judge = function_judge(0.95, 0.92)
    (first,) = ask_judge(judge=judge)
    with open_store("sqlite:///.karat/karat.db") as store:
        JudgeRecords(store).mark_version(first.version, model="m", fingerprint="", stale="the model changed")
    (again,) = ask_judge(judge=judge)
    assert (first.warnings, again.calls) == ((), 0)
    assert again.warnings == (f"{first.version} is stale: the model changed",)
