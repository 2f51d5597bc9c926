"""``karat show``: one case of a stored run, and the same case in another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.core import plugins
from karat.core.problems import UserError, count_of, did_you_mean
from karat.core.results.result import CaseResult
from karat.reports.case_view import CaseView, case_view
from karat.runs.baseline import find_run

if TYPE_CHECKING:
    from karat.store.store import Store


class ShownCase(msgspec.Struct, frozen=True):
    """A case in one run, and in the run it is compared with."""

    case: CaseView
    against: CaseView | None = None


def show_case(store: Store, case: str, run: str = "latest", against: str | None = None) -> ShownCase:
    """The case of that id or name, or the only one whose id begins like this."""
    run_id = find_run(store, run)
    view = _view(store, run_id, case)
    if against is None:
        return ShownCase(view)
    other_id = find_run(store, against)
    if other_id == run_id:
        raise UserError(
            f'"{against}" is the same run, which cannot be compared with itself',
            hint="karat runs list shows all runs.",
        )
    other = _view(store, other_id, view.id, exactly=True)
    if other.run.suite != view.run.suite:
        raise UserError(f"the runs are of different suites: {view.run.suite}, {other.run.suite}")
    return ShownCase(view, other)


def _view(store: Store, run_id: int, word: str, *, exactly: bool = False) -> CaseView:
    result = store.result(run_id)
    found = _find_case(result.cases, word, result.run.id, exactly=exactly)
    stored = store.case(run_id, found.id)
    return case_view(
        result.run,
        found,
        msgspec.json.decode(stored) if stored is not None else {},
        store.case_predictions(run_id, [found.id]),
        plugins.load_suite(result.run.suite).metrics_for(result.run.headline),
    )


def _find_case(cases: Sequence[CaseResult], word: str, run: str, *, exactly: bool = False) -> CaseResult:
    """The case of that id; else the only one of that name; else the only one whose id begins like this."""
    exact = [case for case in cases if case.id == word]
    named = [] if exactly else [case for case in cases if case.name == word]
    begun = [] if exactly or not word else [case for case in cases if case.id.startswith(word)]
    for found in (exact, named, begun):
        if len(found) == 1:
            return found[0]
        if found:
            listed = ", ".join(case.id for case in found[:5]) + (", …" if len(found) > 5 else "")
            how = "are named" if found is named else "start with"
            raise UserError(f'{count_of(len(found), "case")} of {run} {how} "{word}": {listed}', hint="Give one id.")
    known = {text for case in cases for text in (case.id, case.name) if text}
    hint = did_you_mean(word, known) or f"{run} has {count_of(len(cases), 'case')}; karat runs show {run} lists some."
    raise UserError(f'{run} has no case "{word}"', hint=hint)
