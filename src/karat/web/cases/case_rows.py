"""The rows of a list of cases: what each was asked, what came of it and why, in two lines."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.results.result import CaseResult
from karat.reports.console.run import reason_of
from karat.store import RunRow
from karat.store.cases.case_list import Line
from karat.web.cases.attempts import tries_text
from karat.web.compare.changed_verdicts import Newly
from karat.web.formatting import STATES
from karat.web.lookup import scoring_of
from karat.web.page import Viewer
from karat.web.run_page.figures import Figure
from karat.web.run_page.where_it_fails import full_value


class CaseRow(msgspec.Struct, frozen=True):
    """A case in the list. ``outcome`` is right or wrong, or why it is neither."""

    line: Line
    outcome: str
    why: str = ""
    """One line that says what is wrong; empty for a right answer."""
    tries: str = ""
    """Several tries at it, in groups."""
    change: str = ""
    main: float | None = None
    """Its value in the main figure."""


def case_rows(viewer: Viewer, row: RunRow, lines: Sequence[Line], main: Figure | None, changed: Newly) -> list[CaseRow]:
    """Only the cases of one page are opened for it."""
    words = dict.fromkeys(changed.wrong, "newly wrong") | dict.fromkeys(changed.right, "newly right")
    outcomes = [_outcome(line, main) for line in lines]
    wanted = [line.position for line, outcome in zip(lines, outcomes, strict=True) if _is_opened(row, outcome)]
    results = dict(zip(wanted, viewer.viewing.results_at(scoring_of(row), wanted), strict=True))
    return [
        _row(row, line, outcome, results.get(line.position), main, words.get(line.position, ""))
        for line, outcome in zip(lines, outcomes, strict=True)
    ]


def _is_opened(row: RunRow, outcome: str) -> bool:
    """Whether the list says more of a case than its line has."""
    return outcome != "right" or row.repeats > 1


def _row(row: RunRow, line: Line, outcome: str, found: CaseResult | None, main: Figure | None, change: str) -> CaseRow:
    if found is None:
        return CaseRow(line, outcome, change=change, main=_value(line, main))
    why = "" if outcome == "right" else found.error or reason_of(row.suite, found) or line.reason
    return CaseRow(line, outcome, why, tries_text(found, main), change, _value(line, main))


def _outcome(line: Line, main: Figure | None) -> str:
    value = _value(line, main)
    if line.status in ("error", "missing"):  # also where it counts 0
        return STATES.get(line.status, line.status)
    if value is None or main is None or main.kind == "quantity":
        return "" if line.status == "scored" else STATES.get(line.status, line.status)
    return "right" if value == full_value(main) else "wrong"


def _value(line: Line, main: Figure | None) -> float | None:
    return line.figures[main.index] if main is not None and main.index < len(line.figures) else None
