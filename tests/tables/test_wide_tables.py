"""A table of many columns: those that differ are always listed, and the others that are not are counted."""

from __future__ import annotations

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
