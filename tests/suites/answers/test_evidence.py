"""Evidence in words."""

from __future__ import annotations

import msgspec

import karat
from karat.core.explanation import Part
from karat.core.presentation.case_explanation import explanation_of
from karat.suites.answers.details import Details, VerdictDetails
from karat.suites.answers.evidence import clipped, evidence_in_short, evidence_lines
from karat.suites.answers.explain import explain
from karat.suites.answers.presentation.highlights import highlights
from karat.suites.answers.strict.strings import string_match

RIGHT = VerdictDetails("right", "", ())
REVIEW = VerdictDetails("needs_review", "hedged", ())
WRONG = VerdictDetails("wrong", "extra_match_excluded", ())
TABLE = {
    "gold_size": [3, 2],
    "pred_size": [2, 2],
    "columns": [{"gold": "ship", "nearest": "ship", "share": 1.0},
        {"gold": "litres", "nearest": "sum", "share": 0.6667, "change": "scale_100"}],
    "shown_columns": ["ship", "litres"],
    "rows": [
        {"gold_row": 3, "gold": ["Swift", "9340"], "pred_row": 3, "pred": ["Swift", None]},
        {"gold_row": 4, "gold": ["Heron", "1"]},
        {"pred_row": 9, "pred": ["Gull", "2"]},
    ],
}  # fmt: skip


def test_a_tables_evidence_line_by_line() -> None:
    assert evidence_lines(TABLE) == [
        "gold 3 rows × 2, answer 2 × 2",
        'gold "ship" ~ "ship" 100% of cells equal',
        'gold "litres" ~ "sum" 67% of cells equal, scale_100',
        "rows of ship | litres:",
        "row 3: Swift | 9340 ≠ Swift | null",
        "row 4: Heron | 1 is missing",
        "answer row 9: Gull | 2 is not expected",
    ]


def test_the_same_in_one_line() -> None:
    assert evidence_in_short(TABLE) == (
        '2 rows for 3; gold "litres" ~ "sum" 67% of cells equal, scale_100; row 3: Swift | 9340 ≠ Swift | null'
    )
    assert evidence_in_short({"missing": ["12840"], "given": "12,480 in May"}) == "missing: 12840; given: 12,480 in May"
    assert evidence_in_short({"found": ["North", "South, too"]}) == 'found: "North", "South, too"'
    assert evidence_in_short({"missing": [21010.5], "found": [1, 2]}) == "missing: 21010.5; found: 1, 2"
    assert evidence_in_short({}) == ""


def test_what_is_not_all_equal_never_reads_100_percent() -> None:
    column = {"gold": "litres", "nearest": "sum", "share": 0.9999}
    assert evidence_lines({"columns": [column]}) == ['gold "litres" ~ "sum" 99.99% of cells equal']
    taken = {"gold": "a", "nearest": "b", "share": 1.0, "taken_by": "c"}
    assert evidence_lines({"columns": [taken]}) == ['gold "a" ~ no column of its own: "b" is gold "c"']


def test_swapped_labels_in_words() -> None:
    assert evidence_lines({"labels": [{"header": "min", "holds": "max"}]}) == [
        'the header "min" is on the cells of gold "max"'
    ]


def test_what_only_spider2_objects_to_is_told_as_its_word() -> None:
    gold = {"instance_id": "a", "evaluation": {"func": "number_match", "parameters": {"gold": 4530}}}
    result = karat.score(suite="answers", cases=[gold], predictions=[{"id": "a", "answer": "We baked 4 530 loaves."}])
    told = explanation_of("answers", result.cases[0])
    assert (told.outcome, told.note) == ("right", "wrong by spider2: wrong_number")
    assert [part.label for part in told.parts] == ["answer, by spider2"]


def test_gold_that_cannot_be_used_is_told_with_its_reason() -> None:
    gold = {"instance_id": "a", "evaluation": {"func": "number_match", "parameters": {"gold": "0,5"}}}
    result = karat.score(suite="answers", cases=[gold], predictions=[{"id": "a", "answer": "0.5"}])
    assert result.cases[0].scores["strict"].reason == "gold_error"
    assert "gold cannot be used in 1 case (a: gold is '0,5', and should be one number)" in highlights(result)


def test_a_text_that_is_cut_says_so() -> None:
    assert (clipped("abc", 3), clipped("abcd", 3)) == ("abc", "abc…")
    verdict = string_match("w" * 300, "gold")
    assert verdict.evidence["given"] == "w" * 200 + "…"


def test_what_an_answer_that_needs_review_names_is_not_too_much() -> None:
    """``Possibly Mara`` holds the gold text: it is no part that a right answer lacks."""
    evidence = {"why": "the answer says that it is not sure", "found": ["Mara"], "given": "Possibly Mara."}
    found = Details("hedged", evidence, False, ("string_match",), RIGHT, REVIEW)
    assert explain(found, None).parts == ()
    wrong = msgspec.structs.replace(found, reason="extra_match_excluded", strict=WRONG)
    assert explain(wrong, None).parts == (Part("answer", extra=("Mara",)),)
