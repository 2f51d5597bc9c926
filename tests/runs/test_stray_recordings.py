"""Recorded answers to cases that are not there: ``karat run`` and ``karat score`` both say so; cases left out on
purpose are not meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import karat

CASES = [{"id": name, "question": "?", "relevant": ["x"]} for name in ("q1", "q2")]
ANSWERS = [{"id": name, "results": ["x"]} for name in ("q1", "q2", "q3")]


def warned(**more: Any) -> list[str]:
    result = karat.run(suite="retrieval", cases=CASES, predictions=ANSWERS, **more)
    return [problem.message for problem in result.problems]


def test_run_and_score_warn_of_the_same_strangers(tmp_path: Path) -> None:
    scored = karat.score(suite="retrieval", cases=CASES, predictions=ANSWERS)
    (message,) = [problem.message for problem in scored.problems]
    assert "q3" in message
    assert warned(store=tmp_path / "a.db") == [message]


def test_cases_left_out_on_purpose_are_no_strangers(tmp_path: Path) -> None:
    (message,) = warned(store=tmp_path / "a.db", limit=1)
    assert "q3" in message
    assert "q2" not in message


def test_a_second_answer_to_one_turn_is_said_and_the_first_counts(tmp_path: Path) -> None:
    """An answer without a turn is of turn 0 here, so that the second is one too many."""
    cases, recorded = [{"id": "q1", "question": "?", "reference": "result = 7"}], tmp_path / "code.jsonl"
    first, second = {"id": "q1", "code": "result = 8"}, {"id": "q1", "turn": 0, "code": "result = 7"}
    for lines, passed in (((first, second), 0.0), ((second, first), 1.0)):
        recorded.write_text("".join(json.dumps(line) + "\n" for line in lines))
        for result in (
            karat.score(suite="codegen", cases=cases, predictions=recorded),
            karat.run(suite="codegen", cases=cases, predictions=recorded, store=tmp_path / "a.db"),
        ):
            (message,) = [problem.message for problem in result.problems]
            assert message == '1 prediction for turns that have one already: q1 "turn": 0'
            assert next(iter(result.cases)).scores["passed"].value == passed


def test_a_stranger_that_is_nearly_a_case_is_told_which() -> None:
    def hint(name: str) -> str:
        scored = karat.score(suite="retrieval", cases=CASES, predictions=[*ANSWERS[:2], {"id": name, "results": ["x"]}])
        return scored.problems[0].hint

    assert hint("Q2") == 'They are ignored. Did you mean "q2" instead of "Q2"? Ids must be equal to the letter.'
    assert hint("other") == 'They are ignored. A prediction is expected for "q1", for example.'
