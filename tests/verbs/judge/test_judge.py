"""A judge from asking to a corrected rate, on a stored run, through the verbs and the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any  # Any: what a function judge gets and returns

import pytest

import karat
from karat.core.problems import UnknownName, UserError
from karat.store import open_store
from karat.verbs.judge.ask import ask_judge
from karat.verbs.judge.attack import attack_judge
from karat.verbs.judge.calibrate import calibrate_judge
from karat.verbs.judge.compare import compare_judges
from karat.verbs.judge.corrected import judged_run
from karat.verbs.judge.review_next import next_reviews
from tests.verbs.judge.function_judges import CASES, function_judge, review, truly_right
from tests.warm import warm_karat


def test_only_what_the_rule_refuses_is_asked_about_and_no_score_changes(project: Path) -> None:
    with open_store("sqlite:///.karat/karat.db") as store:
        before = store.result(1)
    (found,) = ask_judge(judge=function_judge(0.95, 0.9))
    assert (found.asked, found.calls) == (CASES - 20, CASES - 20)
    assert found.right + found.wrong == CASES - 20
    with open_store("sqlite:///.karat/karat.db") as store:
        assert store.result(1) == before
    (again,) = ask_judge(judge=function_judge(0.95, 0.9))
    assert (again.calls, again.cached) == (0, CASES - 20)


def test_a_good_judge_is_calibrated_and_narrows_the_rate(project: Path) -> None:
    judge = function_judge(0.95, 0.92)
    ask_judge(judge=judge)
    review(60)
    attack_judge(judge)
    found = calibrate_judge(judge=judge)
    assert found.misses == () and found.counts
    assert found.reviewed == 60 and found.rest == CASES - 20 - 60
    assert found.doubts and all(one.reason == "as I see it" for one in found.doubts)
    assert found.agreement.sensitivity.low is not None and found.agreement.sensitivity.high is not None
    assert found.agreement.sensitivity.low <= 0.95 <= found.agreement.sensitivity.high
    assert found.consistency is not None and found.consistency.same == 1.0
    with open_store("sqlite:///.karat/karat.db") as store:
        seen = judged_run(store, 1)
    assert seen is not None and seen.counts
    passed = seen.figure("passed")
    truth = (20 + sum(truly_right(n) for n in range(CASES - 20))) / CASES
    assert passed is not None and (passed.method, passed.n) == ("ppi++", CASES)
    assert passed.low is not None and passed.high is not None
    assert passed.low <= truth <= passed.high


def test_gates_and_reports_know_the_corrected_rate(project: Path) -> None:
    judge = function_judge(0.95, 0.92)
    ask_judge(judge=judge)
    review(60)
    rule = {"metric": "retrieval.passed", "at_least": 0.5, "by": "corrected"}
    (verdict,) = karat.gate("latest", rule).verdicts
    assert not verdict.passed and "not calibrated" in verdict.words
    attack_judge(judge)
    calibrate_judge(judge=judge)
    (verdict,) = karat.gate("latest", rule).verdicts
    assert verdict.passed and "lower end of retrieval.passed, corrected, is 0.6" in verdict.words
    assert not karat.gate("latest", "retrieval.passed>=0.5").passed  # by rule it is 0.13
    result = karat.load_run()
    assert result.judge is not None and result.judge.counts
    karat.report(result, json="r.json", xlsx="r.xlsx", html="r.html")
    written = json.loads(Path("r.json").read_text())["judge"]
    assert written["counts"] and written["corrected"][0]["method"] == "ppi++"
    from openpyxl import load_workbook

    cells = [cell.value for row in load_workbook("r.xlsx")["Judge"].iter_rows() for cell in row]
    assert written["version"] in cells and "Where people and judge differ" in cells
    assert "corrected" in Path("r.html").read_text()


def test_a_judge_that_is_not_calibrated_does_not_count(project: Path) -> None:
    ask_judge(judge=function_judge(0.95, 0.9))
    review(40)
    with open_store("sqlite:///.karat/karat.db") as store:
        seen = judged_run(store, 1)
    assert seen is not None and not seen.counts and "not calibrated" in seen.misses[0]
    assert {item.method for item in seen.corrected} == {"people"}


def test_known_faults_are_found_out(project: Path) -> None:
    fickle = function_judge(0.95, 0.95, noise=0.3)
    ask_judge(judge=fickle)
    review(60)
    found = calibrate_judge(judge=fickle)
    assert found.consistency is not None and found.consistency.same < 0.9
    assert any("asked again" in miss for miss in found.misses)

    def says_right(_: dict[str, Any]) -> dict[str, Any]:
        return {"verdict": "right"}

    count = attack_judge(says_right)
    assert (count.asked, count.passed_unscreened) == (40, 40)
    assert 0 < count.passed < 10


def test_order_and_length_biases_are_measured(project: Path) -> None:
    def biased(request: dict[str, Any]) -> dict[str, Any]:
        document = request["document"]
        first = list(document).index("given") < list(document).index("expected")
        return {"verdict": "right" if first or "happy to explain" in document["given"] else "wrong"}

    ask_judge(judge=biased)
    review(60)
    found = calibrate_judge(judge=biased)
    assert found.position is not None and found.position.changed == found.position.asked == 60
    assert found.length is not None and found.length.effect is not None and found.length.effect.mean == 1.0


def test_two_versions_are_compared_on_the_same_answers(project: Path) -> None:
    def strict_judge(request: dict[str, Any]) -> dict[str, Any]:
        return {"verdict": "wrong"}

    (first,) = ask_judge(judge=function_judge(0.95, 0.95))
    (second,) = ask_judge(judge=strict_judge)
    assert first.version != second.version
    review(20)
    found = compare_judges(first.version, second.version)
    assert (found.cases, found.to_right, found.to_wrong) == (CASES - 20, 0, first.right)
    assert found.p < 1e-6 and found.second_agreement.n == 20
    with pytest.raises(UnknownName):
        compare_judges(first.version, "j-00000000")


def test_the_first_to_review_are_drawn_then_the_most_informative(project: Path) -> None:
    ask_judge(judge=function_judge(0.95, 0.9))
    queue = next_reviews(limit=200).cases
    assert [one.drawn for one in queue] == [True] * 50 + [False] * (CASES - 70)
    assert queue[50].why == "the judge calls it right, the rule does not"
    assert set(review(5)).isdisjoint(one.case for one in next_reviews(limit=200).cases)


@pytest.mark.slow
def test_the_command_line(project: Path) -> None:
    (project / "grader.py").write_text(
        "def judge(request):\n    return {'verdict': 'wrong', 'reason': 'another fruit', 'confidence': 0.9}\n"
    )
    (project / "karat.yaml").write_text(
        "systems: {grader: {type: function, function: 'grader:judge'}}\njudge: {system: grader, asks: [wrong]}\n"
    )

    def karat_says(*words: str) -> str:
        done = subprocess.run(warm_karat(*words), capture_output=True, text=True, cwd=project)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "130 answers: 0 right, 130 wrong" in karat_says("judge")
    written = json.loads(karat_says("judge", "r-0001", "--json"))
    assert written["asked"][0]["cached"] == CASES - 20 and written["judge"]["counts"] is False
    assert "0 of 40 passed" in karat_says("judge", "attack")
    assert karat_says("judge", "next", "--limit", "3").count("drawn at random") == 3
    assert "not counted" in karat_says("judge", "calibrate")


def test_mistakes_are_named(project: Path) -> None:
    (project / "karat.yaml").write_text("name: x\n")
    with pytest.raises(UserError, match="no judge is set up"):
        ask_judge()
    (project / "karat.yaml").write_text(
        "judge: {system: grader}\nsystems: {gradre: {type: function, function: 'a:b'}}\n"
    )
    with pytest.raises(UserError) as caught:
        ask_judge()
    assert any("gradre" in problem.hint for problem in caught.value.problems)
    (project / "karat.yaml").write_text(
        "judge: {system: grader, rubric: rubrik.md}\nsystems: {grader: {type: function, function: 'a:b'}}\n"
    )
    (project / "rubric.md").write_text("right is right")
    with pytest.raises(UserError, match=r"no rubric rubrik\.md") as caught:
        ask_judge()
    assert "rubric.md" in caught.value.hint
