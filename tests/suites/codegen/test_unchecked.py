"""How many passes could not be checked on changed tables, and why."""

from __future__ import annotations

import karat
from karat.suites.codegen.perturb.unchecked import unchecked_passes

TABLE = {"t": {"a": [1, 2, 4]}}


def test_passes_that_nothing_could_check_are_counted_by_their_reason() -> None:
    question = "What is the total a?"
    result = karat.score(
        suite="codegen",
        cases=[
            {"id": "checked", "question": question, "tables": TABLE, "reference": "result = t.a.sum()"},
            {"id": "bare", "question": question, "tables": TABLE, "expected": {"value": 7}},
            {"id": "constant", "question": question, "tables": TABLE, "expected": {"value": 7}},
        ],
        predictions=[
            {"id": "checked", "code": "result = sum(t.a)"},
            {"id": "bare", "code": "result = sum(t.a)"},
            {"id": "constant", "code": "result = 7"},
        ],
        options={"performance": False},
        workers=1,
    )
    assert {case.id: case.scores["passed"].value for case in result.cases} == {"checked": 1, "bare": 1, "constant": 0}
    assert dict(unchecked_passes(result)) == {"there is no reference to compute the right result on changed tables": 1}
