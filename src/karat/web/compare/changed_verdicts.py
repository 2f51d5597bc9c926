"""Which cases changed from right to wrong since the baseline, and which from wrong to right."""

from __future__ import annotations

import msgspec

from karat.core.problems import UserError
from karat.stats.compare.pairing import pair_columns
from karat.store import RunRow
from karat.store.cases.case_pages import CaseQuery
from karat.web.compare.baseline_diff import columns_in
from karat.web.lookup import run_number
from karat.web.page import Viewer
from karat.web.run_page.figures import Figure, figures_of, main_figure
from karat.web.run_page.where_it_fails import full_value


class Newly(msgspec.Struct, frozen=True):
    """Positions in the run's newest scoring."""

    wrong: tuple[int, ...] = ()
    right: tuple[int, ...] = ()

    def of(self, word: str) -> tuple[int, ...] | None:
        """The cases of a filter; None for a word that is none."""
        return {"newly_wrong": self.wrong, "newly_right": self.right}.get(word)


def newly(viewer: Viewer, row: RunRow, base: RunRow | None, main: Figure | None) -> Newly:
    """By the main figure, over the cases that have a value in both runs; kept, as scorings never change."""
    if base is None or main is None or main.kind == "quantity" or base.id == row.id or base.suite != row.suite:
        return Newly()
    if row.scoring is None or base.scoring is None or main.name not in {item.name for item in figures_of(base)}:
        return Newly()
    return viewer.kept(("newly right or wrong", base.scoring, row.scoring), lambda: _newly(viewer, row, base, main))


def with_change(viewer: Viewer, row: RunRow, query: CaseQuery) -> CaseQuery:
    """The query with the cases that changed since the run it names, where it asks for them."""
    number = run_number(query.against) if query.change else None
    if number is None:
        return query
    try:
        base = viewer.store.run_row(number)
    except UserError:  # it was deleted
        return query
    found = newly(viewer, row, base, main_figure(figures_of(row))).of(query.change)
    if found is not None and query.among is not None:  # those of a failure group
        found = tuple(sorted({*found} & {*query.among}))
    return msgspec.structs.replace(query, among=found if found is not None else query.among)


def _newly(viewer: Viewer, row: RunRow, base: RunRow, main: Figure) -> Newly:
    import numpy as np

    pairs = pair_columns(columns_in(viewer, base), columns_in(viewer, row))
    before, after = pairs.a.column(main.name)[pairs.places_a], pairs.b.column(main.name)[pairs.places_b]
    known = np.isfinite(before) & np.isfinite(after)
    full = full_value(main)
    wrong = pairs.places_b[known & (before == full) & (after != full)]
    right = pairs.places_b[known & (before != full) & (after == full)]
    return Newly(tuple(wrong.tolist()), tuple(right.tolist()))
