"""Why code is wrong: beside its reference, cell by cell, and by the requirements it misses."""

from __future__ import annotations

from karat.core.explanation import Explanation, plain_details
from karat.suites.codegen import suite
from karat.suites.codegen.details import details
from tests.suites.codegen.tasks import MEANS, judge_code


def explained(code: str, *, with_target: bool = True) -> Explanation:
    """As it is read back from the store."""
    return suite.explain(plain_details(details([(0, judge_code(code))])), MEANS if with_target else None)


def test_right_code() -> None:
    found = explained('result = df.groupby("city")["price"].mean()')
    assert (found.outcome, found.reason, found.cells, found.parts) == ("right", "", None, ())


def test_wrong_code_beside_its_reference_and_cell_by_cell() -> None:
    found = explained('result = df.groupby("city")["price"].sum()')
    assert found.outcome == "wrong" and found.reason
    assert found.cells is not None and any(cell.mark == "changed" for row in found.cells.rows for cell in row.cells)
    assert {line.mark for line in found.lines} >= {"missing", "extra"}
    assert (
        "".join(line.text for line in found.lines if line.mark == "extra")
        == 'result = df.groupby("city")["price"].sum()'
    )
    assert explained('result = df.groupby("city")["price"].sum()', with_target=False).lines == ()


def test_code_that_fails_gives_its_error() -> None:
    found = explained('result = df.groupby("city")["cost"].mean()')
    assert found.outcome == "wrong"
    assert found.reason == found.headline == "KeyError: 'Column not found: cost'"


def test_requirements_that_are_missed_are_a_part() -> None:
    found = explained("result = df.price.mean()")
    (part,) = found.parts
    assert part.label == "requirements" and any("city" in words for words in part.missing)
