"""Recorded answers to cases that are not there: ``karat run`` and ``karat score`` both say so; cases left out on
purpose are not meant."""

from __future__ import annotations

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
