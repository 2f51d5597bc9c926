"""Failures of cases are kept in the store as keys: groups of a large run are made without reading its cases."""

from __future__ import annotations

import pytest
from sqlalchemy import delete

from karat.core.results.failures.failure_columns import failure_columns_of, make_failures
from karat.core.results.failures.failure_groups import SINGLE, group_failures
from karat.core.results.result import CaseResult, MetricSummary, RunInfo, RunResult
from karat.core.scores import Score
from karat.store import Store
from karat.store.blocks.block import ROWS
from karat.store.blocks.kinds import fault_of
from karat.store.schema import scoring_blocks
from karat.store.scorings.failure_blocks import FAILURES
from karat.store.scorings.scored_cases import ScoredCases
from karat.store.scorings.stored_results import StoredResults
from tests.store.samples import a_run

COUNT = 2 * ROWS + 300
SUITE = "data_query"


def _case(number: int) -> CaseResult:
    if number % 3 == 0:
        return CaseResult(f"c{number}", "scored", {"recall": Score(1.0)})
    if number % 3 == 1:
        return CaseResult(f"c{number}", "error", {}, error=f"timeout after {number % 40} s")
    terms = {"false_negatives": [{"id": "MEX"}], "false_positives": [{"id": "USA"}]}
    if number % 2:
        terms = {"false_negatives": [{"id": f"C{number}"}]}
    return CaseResult(f"c{number}", "scored", {}, {"dimensions": [{"dimension": "COUNTRY", **terms}]})


CASES = tuple(map(_case, range(COUNT)))
RESULT = RunResult(RunInfo(SUITE, cases=COUNT), (MetricSummary("recall", 0.5, 3, None, None),), CASES)


def test_a_large_run_has_the_groups_of_its_cases(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run = store.create_run(a_run())
    scoring = store.add_scoring(run, RESULT)
    stored = store.result(run)
    assert isinstance(stored.cases, ScoredCases)
    expected = group_failures(make_failures(SUITE, CASES))
    with monkeypatch.context() as patched:  # no case is read for them
        patched.setattr(ScoredCases, "iterate", None)
        patched.setattr(StoredResults, "results_from", None)
        for found in (failure_columns_of(stored), store.failures(scoring, SUITE)):
            grouped = group_failures(found)
            assert grouped.groups == expected.groups and (grouped.main == expected.main).all()
    labels = {group.label: group.cases for group in expected.groups}
    assert labels["COUNTRY wrong: asked MEX, got USA"] == sum(n % 6 == 2 for n in range(COUNT))
    assert labels["nothing selected"] == sum(n % 6 == 5 for n in range(COUNT))
    assert SINGLE not in labels and sum(labels.values()) == expected.failing


def test_the_groups_of_selected_cases_are_those_of_these_cases(store: Store) -> None:
    import numpy as np

    from karat.core.results.columns.columns import selected

    run = store.create_run(a_run())
    store.add_scoring(run, RESULT)
    places = np.array([2, 8, 1500, 1502, 2299])
    found = selected(store.result(run).cases, places)
    assert not isinstance(found, tuple)
    some = RunResult(RESULT.run, RESULT.summary, found)
    expected = group_failures(make_failures(SUITE, [CASES[place] for place in places.tolist()]))
    assert group_failures(failure_columns_of(some)).groups == expected.groups


def test_a_scoring_without_keys_gets_them_from_its_cases(store: Store) -> None:
    """As one that an older karat wrote, or that was upgraded from rows."""
    run = store.create_run(a_run())
    scoring = store.add_scoring(run, RESULT)
    with store._writing() as connection:
        connection.execute(delete(scoring_blocks).where(scoring_blocks.c.kind == FAILURES))
    expected = group_failures(make_failures(SUITE, CASES)).groups
    assert group_failures(failure_columns_of(store.result(run))).groups == expected
    assert group_failures(store.failures(scoring, SUITE)).groups == expected


def test_a_check_of_the_store_reads_the_keys(store: Store) -> None:
    run = store.create_run(a_run())
    store.add_scoring(run, RESULT)
    with store._reading() as connection:
        rows = connection.execute(scoring_blocks.select().where(scoring_blocks.c.kind == FAILURES)).all()
    assert len(rows) == 3
    assert [fault_of(FAILURES, row.rows, row.checksum, row.data) for row in rows] == ["", "", ""]
