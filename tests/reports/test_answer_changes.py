"""The difference of two answers in the suite's own terms: only what both explanations say."""

from __future__ import annotations

from karat.core.explanation import Cell, CellRow, Cells, Explanation, Line, Part
from karat.reports.compare.answer_changes import MOST_CELLS, answer_changes, only_answer
from karat.reports.compare.comparison import part_words


def told(before: Explanation, after: Explanation) -> list[str]:
    return [part_words(part) for part in answer_changes(before, after)]


def right(*parts: Part, **more: object) -> Explanation:
    return Explanation(outcome="right", parts=parts, **more)  # type: ignore[arg-type]  # any field of it


def wrong(*parts: Part, headline: str = "it is wrong", **more: object) -> Explanation:
    return Explanation(outcome="wrong", reason=headline, headline=headline, parts=parts, **more)  # type: ignore[arg-type]  # any field of it


def test_terms_of_a_part_before_and_after() -> None:
    before = right(Part("COUNTRY", ("CHL · Chile",)), Part("INDICATOR", ("LP",)))
    after = wrong(Part("COUNTRY", (), ("CHL · Chile",), ("PER · Peru",)), Part("INDICATOR", ("LP",)))
    assert told(before, after) == ["COUNTRY: ✓ CHL · Chile → ✗ PER · Peru"]
    assert told(after, before) == ["COUNTRY: ✗ PER · Peru → ✓ CHL · Chile"]


def test_two_wrong_answers_that_differ() -> None:
    before = wrong(Part("COUNTRY", (), ("CHL",), ("PER",)))
    after = wrong(Part("COUNTRY", (), ("CHL",), ("BOL", "PER")))
    assert told(before, after) == ["COUNTRY: ✗ PER → ✗ BOL, PER"]
    assert told(before, before) == []


def test_a_part_that_is_not_listed_is_as_expected() -> None:
    before = right(Part("COUNTRY", ("GHA",)))
    after = wrong(Part("COUNTRY", ("GHA",)), Part("period", (), ("2010 to 2019",), ("2010 to open",)))
    assert told(before, after) == ["period: ✓ 2010 to 2019 → ✗ 2010 to open"]
    still = wrong(Part("COUNTRY", (), ("GHA",), ("KEN",)))
    assert "period: ✓ 2010 to 2019 → ✗ 2010 to open" in told(still, after), "it lists other parts"


def test_a_wrong_answer_without_parts_is_never_called_right() -> None:
    before = wrong(headline="no table in the answer")
    after = wrong(Part("answer", (), ("41", "42")), headline="values differ")
    assert all("✓" not in line for line in told(before, after))
    assert told(before, after)[0].startswith("reason: ✗ no table in the answer → ✗ values differ")


def test_what_a_rule_calls_missing_is_not_said_to_be_given() -> None:
    before, after = right(), wrong(Part("requirements", missing=("Filter missing: branch == Mill",)))
    assert told(before, after) == ["requirements: ✓ as expected → ✗ lacks Filter missing: branch == Mill"]


def test_what_a_right_answer_lacks_is_not_right_because_the_answer_is() -> None:
    """Code may give the right result without all that the question asks for."""
    before = wrong(Part("requirements", missing=("code that can be parsed",)))
    after = right(Part("requirements", missing=("a table in the result",)))
    assert told(before, after) == ["requirements: ✗ lacks code that can be parsed → lacks a table in the result"]


def test_a_lost_key_is_named_where_the_terms_do_not_show_it() -> None:
    before = right(Part("item", ("3 of 3",), note="at rank 1, 2, 6"))
    after = wrong(Part("item", ("2 of 3",), ("Leeks",), note="at rank 1, 2"))
    assert told(before, after) == ["item: ✓ 3 of 3 (at rank 1, 2, 6) → ✗ 2 of 3 (at rank 1, 2; without Leeks)"]


def table(*rows: CellRow) -> Cells:
    return Cells(("who", "net_sales"), rows, "expected 9 × 2, given 9 × 2", ())


def row(number: int, given: str) -> CellRow:
    return CellRow(f"row {number}", (Cell("Ada", "Ada", "same"), Cell("41", given, "changed")))


def test_cells_by_row_and_column() -> None:
    after = wrong(cells=table(row(7, "38"), CellRow("row 9", (Cell("Bo", "", "missing"), Cell("3", "", "missing")))))
    assert told(right(), after) == ["row 7, net_sales: ✓ 41 → ✗ 38", "row 9: ✓ Bo, 3 → ✗ no such row"]


def test_a_row_that_a_wrong_answer_does_not_list_may_differ_or_not() -> None:
    before, after = wrong(cells=table(row(7, "38"))), wrong(cells=table(row(8, "39")))
    assert told(before, after) == [
        "row 7, net_sales: ✗ 38 → not among the rows shown",
        "row 8, net_sales: not among the rows shown → ✗ 39",
    ]


def test_many_cells_are_counted() -> None:
    found = answer_changes(right(), wrong(cells=table(*(row(n, "0") for n in range(40)))))
    assert len(found) == MOST_CELLS and found[-1].label == f"{40 - MOST_CELLS + 1} more cells or rows"


def test_the_line_that_made_the_difference() -> None:
    same = Line("same", "import pandas")
    before = right(lines=(same, Line("same", "x = fee.mean()")))
    after = wrong(lines=(same, Line("missing", "x = fee.mean()"), Line("extra", "x = fee.sum()")))
    assert told(before, after) == ["line 2: ✓ x = fee.mean() → ✗ x = fee.sum()"]


def test_a_comment_above_a_changed_line_is_not_what_became_of_it() -> None:
    before = right(lines=(Line("same", 'result = loans["fee"].sum()'),))
    given = ("# the total fee of all loans", 'result = loans["days"].sum()', "print(result)")
    after = wrong(lines=tuple(Line("extra", text) for text in given))
    assert told(before, after) == [
        "line 1: no such line → # the total fee of all loans",
        'line 2: ✓ result = loans["fee"].sum() → ✗ result = loans["days"].sum()',
        "line 3: no such line → ✗ print(result)",
    ]
    assert told(after, before)[1] == 'line 1: ✗ result = loans["days"].sum() → ✓ result = loans["fee"].sum()'


def test_a_part_that_differs_in_a_right_answer_is_not_wrong() -> None:
    written_otherwise = right(Part("WHERE", (), ("a = 1",), ("1 = a",)))
    after = wrong(Part("WHERE", (), ("a = 1",), ("a = 2",)))
    assert told(written_otherwise, after) == ["WHERE: ✓ 1 = a → ✗ a = 2"]


def test_the_headline_where_the_parts_do_not_say_why() -> None:
    before, after = right(Part("COUNTRY", ("GHA",))), wrong(Part("COUNTRY", ("GHA",)), headline="12 rows of 9")
    assert told(before, after) == ["answer: ✓ right → ✗ 12 rows of 9"]


def test_needs_review_is_neither_right_nor_wrong() -> None:
    review = Explanation(outcome="needs_review", headline="negated")
    assert told(right(), review) == ["answer: ✓ right → negated"]


def test_a_case_that_one_run_lacks_says_what_came_of_it_in_the_other() -> None:
    def alone(before: Explanation | None, after: Explanation | None) -> list[str]:
        return [part_words(part) for part in only_answer(before, after)]

    assert alone(None, right()) == ["answer: not in this run → ✓ right"]
    assert alone(wrong(headline="asked CHL, got PER"), None) == ["answer: ✗ asked CHL, got PER → not in this run"]
    assert alone(None, Explanation(outcome="error", reason="429", headline="429")) == [
        "answer: not in this run → error: 429"
    ]
    assert only_answer(None, None) == ()
