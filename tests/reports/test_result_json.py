"""The JSON layout that every suite shares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from karat.core.problems import UserError
from karat.core.results.result import CaseResult, CaseReview, MetricSummary, RepeatResult, RunInfo, RunResult
from karat.core.scores import Score
from karat.reports.json import json_parts, result_json, write_json
from karat.stats.intervals.rates import wilson
from tests.reports.reviewed_sample import REVIEWED, TRIED
from tests.reports.sample_results import CASES, RESULT, RUN, SUMMARY


def loaded(result: RunResult) -> Any:
    def no_constant(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    return json.loads(result_json(result), parse_constant=no_constant)


def test_the_layout() -> None:
    found = loaded(RESULT)
    assert list(found) == ["run", "summary", "figures", "failure_groups", "cases"]
    assert found["run"]["suite"] == "data_query"
    assert found["run"]["repeats"] == 1  # defaults are written too
    assert found["summary"][0] == {
        "metric": "macro_recall",
        "mean": 0.375,
        "n": 4,
        "low": 0.0,
        "high": 0.75,
        "undefined": 0,
        "with_errors_as_zero": 0.3,
    }
    first, nothing = found["cases"][0], found["cases"][3]
    assert first["id"] == "all_right"
    assert first["status"] == "scored"
    assert first["tags"] == ["weo", "imf"]
    assert first["scores"]["macro_recall"] == 1.0
    assert first["reasons"] == {}
    assert first["details"]["dimensions"][0]["dimension"] == "INDICATOR"
    assert nothing["scores"]["macro_precision"] is None
    assert nothing["reasons"] == {"macro_precision": "nothing was selected"}
    assert found["cases"][4]["error"] == "429 after 5 tries"
    assert all("repeats" not in case for case in found["cases"])


def test_it_is_indented_by_two_and_ends_with_a_line_end() -> None:
    lines = result_json(RESULT).decode().split("\n")
    assert lines[1] == '  "run": {'
    assert lines[-1] == ""


def test_repeats_are_listed_where_there_are_any() -> None:
    tries = (RepeatResult("scored", {"macro_recall": Score(1.0)}), RepeatResult("error", {}, {}, "timeout"))
    case = msgspec.structs.replace(CASES[0], repeats=tries)
    found = loaded(RunResult(RUN, SUMMARY, (case,)))["cases"][0]["repeats"]
    assert found == [
        {"status": "scored", "scores": {"macro_recall": 1.0}, "error": ""},
        {"status": "error", "scores": {}, "error": "timeout"},
    ]


def test_reviews_and_the_rates_with_them_where_there_are_any() -> None:
    found = loaded(REVIEWED)
    assert list(found) == ["run", "summary", "figures", "reviews", "with_reviews", "failure_groups", "cases"]
    assert found["reviews"][0] == {
        "case": "imports_vietnam",
        "verdict": "accept",
        "reviewer": "Ada",
        "comment": "Both codes are in use.\nSee 2024.",
        "created": "2026-11-15T09:50:33.123Z",
        "adjudication": False,
    }
    low, high = wilson(1, 4)
    assert found["with_reviews"] == [{"metric": "fully_right", "mean": 0.25, "n": 4, "low": low, "high": high}]
    assert found["summary"] == loaded(RESULT)["summary"], "the rule's figures stay"


def test_what_several_tries_tell() -> None:
    found = loaded(TRIED)
    assert list(found) == ["run", "summary", "figures", "repeats", "failure_groups", "cases"]
    recall, precision, right = found["repeats"]["metrics"]
    assert found["repeats"]["tries"] == 3
    assert (recall["metric"], recall["pass_k"]) == ("macro_recall", [])
    assert precision == {"metric": "macro_precision", "spread": None, "pass_k": []}
    assert right["spread"] == pytest.approx((2 / 21) ** 0.5)
    assert [one["k"] for one in right["pass_k"]] == [1, 2, 3]
    last = right["pass_k"][2]
    assert last == {
        "k": 3,
        "at": {
            "mean": pytest.approx(2 / 3),
            "n": 3,
            "low": pytest.approx(0.2077, abs=1e-4),
            "high": last["at"]["high"],
        },
        "hat": {"mean": pytest.approx(1 / 3), "n": 3, "low": last["hat"]["low"], "high": last["hat"]["high"]},
        "left_out": 3,
    }


def test_a_suite_that_is_not_installed_leaves_out_what_only_it_knows() -> None:
    strange = msgspec.structs.replace(REVIEWED, run=RunInfo("elsewhere", repeats=2))
    found = loaded(strange)
    assert (found["repeats"], found["with_reviews"]) == ({"tries": 2, "metrics": []}, [])
    assert len(found["reviews"]) == 3


def test_half_of_a_surrogate_pair_in_a_review() -> None:
    found = loaded(msgspec.structs.replace(RESULT, reviews=(CaseReview("late", "pass", "\ud800", "ok 😀"),)))
    assert (found["reviews"][0]["reviewer"], found["reviews"][0]["comment"]) == ("\\ud800", "ok 😀")


def test_there_is_no_nan_and_keys_of_details_become_text() -> None:
    case = CaseResult("c", "scored", {"m": Score(float("nan"))}, {"alternative": {1: 0}})
    found = loaded(RunResult(RUN, (MetricSummary("m", float("inf"), 1, None, None),), (case,)))
    assert found["cases"][0]["scores"] == {"m": None}
    assert found["cases"][0]["details"] == {"alternative": {"1": 0}}
    assert found["summary"][0]["mean"] is None


def test_half_of_a_surrogate_pair_does_not_break_the_file() -> None:
    case = CaseResult("c\ud800", "scored", {}, {"found": ["\udfff", {1: "ok 😀"}]})
    found = loaded(RunResult(RUN, (), (case,)))["cases"][0]
    assert found["id"] == "c\\ud800"
    assert found["details"] == {"found": ["\\udfff", {"1": "ok 😀"}]}


def test_no_cases() -> None:
    assert loaded(RunResult(RunInfo("data_query"), (), ()))["cases"] == []


def test_writing(tmp_path: Path) -> None:
    write_json(RESULT, tmp_path / "out" / "r.json")
    assert (tmp_path / "out" / "r.json").read_bytes() == result_json(RESULT)
    with pytest.raises(UserError, match="cannot write"):
        write_json(RESULT, tmp_path / "out" / "r.json" / "below.json")


def test_the_pieces_are_the_document_formatted_as_a_whole() -> None:
    whole = result_json(RESULT)
    assert msgspec.json.format(whole, indent=2) + b"\n" == whole
    assert b"".join(json_parts(RESULT)) == whole and len(list(json_parts(RESULT))) == 3
    empty = msgspec.structs.replace(RESULT, cases=())
    assert msgspec.json.decode(result_json(empty))["cases"] == []
    assert msgspec.json.format(result_json(empty), indent=2) + b"\n" == result_json(empty)
