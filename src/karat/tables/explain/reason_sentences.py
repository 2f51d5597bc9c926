"""The reasons of a comparison of tables as sentences."""

from __future__ import annotations

from collections.abc import Mapping

from karat.core.problems import count_of
from karat.tables.explain.cells import cell_text, cells_of, listed, mappings

LONGEST = 60
"""Characters of a cell in a sentence."""
CHANGES = {
    "case_or_space": "is written in other letters or with other spaces",
    "null_vs_zero": "has zero where nothing is expected, or nothing where zero is",
    "scale_100": "is off by a factor of 100",
    "rounding": "is rounded otherwise",
    "date_format": "has its dates in another form",
}
"""One change that explains every cell that differs in a column."""
_PLAIN = {
    "rows_scrambled": "the values of each column are there, in other rows",
    "order_differs": "the rows are right, in another order",
    "duplicates": "the same rows, not as often as expected",
    "shape_differs": "the values have another shape than expected",
    "labels_swapped": "a header is on the cells of another column",
    "extra_columns": "columns that were not asked for",
    "names_differ": "the cells are right, under other names",
    "no_table": "there is no result that could be compared",
    "ties_all": "all rows that are tied at the cut are given, where some are expected",
}


def table_sentence(reason: str, evidence: Mapping[str, object]) -> str:
    """What is wrong with a table; empty for a reason that is not about tables."""
    wrong = [cell_text(column.get("gold")) for column in mappings(evidence.get("columns"))]
    if reason == "row_count":
        gold, given = listed(evidence.get("gold_size")), listed(evidence.get("pred_size"))
        if gold and given and isinstance(gold[0], int) and isinstance(given[0], int):
            return f"{count_of(given[0], 'row')} where {gold[0]:,} {'is' if gold[0] == 1 else 'are'} expected"
        return "another number of rows than expected"
    if reason == "missing_column":
        gone = [cell_text(one.get("gold")) for one in mappings(evidence.get("columns")) if one.get("nearest") is None]
        named = gone or wrong
        return f"{_listed(named)} {'is' if len(named) == 1 else 'are'} missing" if named else "a column is missing"
    if reason == "values_differ":
        said = f"{_listed(wrong)} {'differs' if len(wrong) == 1 else 'differ'}" if wrong else "values differ"
        cell = first_difference(evidence) if len(wrong) == 1 else None
        return said if cell is None else f"{said}: expected {cell[0]}, got {cell[1]}"
    if reason in CHANGES:
        return f"{_listed(wrong) if wrong else 'a column'} {CHANGES[reason]}"
    if reason == "rows_scrambled" and wrong:
        return f"the values of {_listed(wrong)} are all there, in other rows"
    return _PLAIN.get(reason, "")


def first_difference(evidence: Mapping[str, object]) -> tuple[str, str] | None:
    """Expected and given in the first cell that differs, as far as they fit in a sentence."""
    cells = cells_of(evidence)
    for row in cells.rows if cells is not None else ():
        for cell in row.cells:
            if cell.mark == "changed":
                return (cell.expected, cell.given) if max(len(cell.expected), len(cell.given)) <= LONGEST else None
    return None


def _listed(names: list[str], most: int = 3) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
