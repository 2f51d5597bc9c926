"""The sentence at the top of a run: what came of it, and how that differs from the baseline."""

from __future__ import annotations

from collections.abc import Mapping

from karat.core.metric import right_words
from karat.core.problems import count_of
from karat.store import RunRow, run_name
from karat.web.compare.baseline_diff import Against
from karat.web.compare.changed_verdicts import Newly
from karat.web.formatting import figure, shown, signed
from karat.web.run_page.figures import Figure
from karat.web.run_page.where_it_fails import Tally


def run_title(
    row: RunRow,
    main: Figure | None,
    tally: Tally,
    against: Mapping[str, Against] | None,
    changed: Newly,
    held_out: Figure | None = None,
) -> str:
    """``codes-by-search: 85 of 118 fully right, 13 more than the baseline``. Cases are counted where each was tried
    once; else it is the mean that is said. ``held_out``: what is to be expected of new cases, which comes first."""
    change = against.get(main.name) if against and main is not None else None
    counted = main is not None and main.kind == "rate" and main.higher_is_better and row.repeats < 2
    said = _said(row, main, tally, counted=counted)
    if held_out is not None:
        said = f"{figure(held_out.summary.mean, held_out.kind)} {held_out.title}; {said}"
    if main is not None and change is not None:
        more = len(changed.right) - len(changed.wrong) if counted else None
        said += f", {_changed(main, change, more)}"
    return shown(f"{row.name or run_name(row.id)}: {said}")


def _said(row: RunRow, main: Figure | None, tally: Tally, *, counted: bool) -> str:
    if main is None:
        return f"{count_of(row.cases, 'case')}, no figure"
    if main.summary.mean is None:
        return f"no case has a value of {main.title}" if row.cases else "no cases"
    if counted:
        return right_words(tally.right, tally.scored, main.title, partly=tally.partly)
    return f"{main.title} {figure(main.summary.mean, main.kind)} over {main.summary.n:,}"


def _changed(main: Figure, change: Against, more: int | None) -> str:
    found = change.difference
    where = "" if found.n == main.summary.n else f" on the {count_of(found.n, 'case')} in both"
    if more is None:
        return f"{signed(found.mean, main.kind)} against the baseline{where}"
    if not more:
        return f"as many as the baseline{where}"
    return f"{abs(more):,} {'more' if more > 0 else 'fewer'} than the baseline{where}"
