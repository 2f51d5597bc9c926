"""A table of many columns: those that differ are always listed, and the others that are not are counted."""

from __future__ import annotations

from karat.tables.explain.alignment import shown_pair
from karat.tables.explain.table_view import table_view


def test_a_differing_column_far_right_is_listed_and_the_rest_is_counted() -> None:
    names = [f"c{n}" for n in range(20)]
    evidence = {
        "gold_size": [5, 200],
        "pred_size": [5, 200],
        "shown_columns": names,
        "compared": [[name, name] for name in names],
        "columns": [{"gold": "c150", "nearest": "c150", "share": 0.0}],
        "rows": [{"gold_row": 1, "pred_row": 1, "gold": ["1"] * 20, "pred": ["1"] * 20, "differs": []}],
    }
    view = table_view(evidence)
    assert view is not None
    assert [one.expected for one in view.compared if not one.right] == ["c150"]
    assert view.unlisted == 200 - 21


def test_the_columns_that_differ_come_right_after_those_that_name_the_rows() -> None:
    """Nobody has to scroll a wide table to find what is wrong in it; a narrow one keeps its order."""
    for width, differs, order in ((9, [6, 8], [0, 1, 6, 8, 2, 3, 4, 5, 7]), (5, [4], [0, 1, 2, 3, 4])):
        names = [f"c{n}" for n in range(width)]
        gold = [str(n) for n in range(width)]
        given = [f"{text}!" if place in differs else text for place, text in enumerate(gold)]
        row = {"gold_row": 1, "pred_row": 1, "gold": gold, "pred": given, "differs": differs}
        view = table_view({"shown_columns": names, "rows": [row]})
        assert view is not None
        assert [column.name for column in view.columns] == [f"c{n}" for n in order]
        (line,) = view.lines
        assert [cell.expected for cell in line.cells] == [gold[n] for n in order]  # type: ignore[union-attr]  # no fold here


def test_two_long_cells_are_cut_where_they_differ() -> None:
    """Cut at their beginning they would look the same, and be marked as wrong."""
    same = "the same words again and again " * 5
    expected, given = shown_pair(f"{same}12.4 days", f"{same}12.9 days", 80)
    assert expected is not None and given is not None and expected != given
    assert expected.startswith("…") and expected.endswith("12.4 days") and given.endswith("12.9 days")
    assert max(len(expected), len(given)) <= 80
    for left, right in ((same, f"{same}and more"), (f"{same}and more", same)):
        assert len(set(shown_pair(left, right, 80))) == 2, "one is the beginning of the other"
    assert shown_pair("a" * 100, None, 80) == ("a" * 79 + "…", None)
    assert shown_pair("short", "other", 80) == ("short", "other")
