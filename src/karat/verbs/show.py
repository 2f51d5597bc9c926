"""``karat.show`` and ``karat show``: one case of a stored run, and the same case in another one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core import plugins
from karat.core.problems import UserError, count_of, did_you_mean
from karat.core.results.columns.columns import columns_of
from karat.core.results.failures.failure_groups import SINGLE, FailureGroup
from karat.core.results.result import CaseResult, RunResult
from karat.reports.cases.case_view import CaseView, case_view
from karat.reports.sections.failure_groups import failure_groups
from karat.runs.baseline import find_run
from karat.verbs.inputs.projects import open_store_here

if TYPE_CHECKING:
    from karat.store.store import Store


class ShownCase(msgspec.Struct, frozen=True):
    """A case in one run, and in the run it is compared with.

    >>> import karat
    >>> cases, answers = [{"id": "q1", "relevant": ["lemon"]}], [{"id": "q1", "results": ["lime"]}]
    >>> _ = karat.run(suite="retrieval", cases=cases, predictions=answers, store="doctest_shown.db")
    >>> karat.show("q1", store="doctest_shown.db").case.status
    'scored'
    """

    case: CaseView
    """The case in the run."""
    against: CaseView | None = None
    """The case in the other run; None if there is none."""


def show(
    case: str,
    run: str = "latest",
    *,
    against: str | None = None,
    store: str | Path = "",
    config: str | Path | None = None,
) -> ShownCase:
    """One case of a stored run: what was asked, expected and given, how they differ, and its scores.

    ``case`` is its id, its name, or the start of its id. ``run`` is a stored run: ``r-0012``, ``12``, ``latest``, or
    its name or tag. ``against`` names another run, whose answer to the same case is shown too. ``store`` is the
    project's store by default.

    >>> import karat
    >>> cases, answers = [{"id": "q1", "relevant": ["lemon"]}], [{"id": "q1", "results": ["lime"]}]
    >>> _ = karat.run(suite="retrieval", cases=cases, predictions=answers, store="doctest_show.db")
    >>> found = karat.show("q1", store="doctest_show.db")
    >>> found.case.id, found.case.status, found.against
    ('q1', 'scored', None)
    """
    with open_store_here(store, config) as opened:
        return _shown(opened, case, run, against)


def _shown(store: Store, case: str, run: str, against: str | None) -> ShownCase:
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
        _group(result, found.id),
    )


def _group(result: RunResult, case_id: str) -> FailureGroup | None:
    """The failure group of a case; None for one of its own."""
    groups = failure_groups(result)
    if not groups.failing:
        return None
    found = groups.find(columns_of(result, groups=False).case_ids.index(case_id))
    return found if found is not None and found.key != SINGLE else None


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
