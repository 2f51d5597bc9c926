"""Evidence in words."""

from __future__ import annotations

from karat.suites.answers.evidence import evidence_in_short, evidence_lines

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
    assert (
        evidence_in_short({"missing": ["12840"], "given": "12,480 in May"})
        == 'missing: ["12840"]; given: 12,480 in May'
    )
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
