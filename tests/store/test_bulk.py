"""Runs that are larger than a block: in chunks, seen when they are finished, and read without loading them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sqlalchemy import delete

from karat.core.problems import UserError
from karat.core.records import CallError, Prediction
from karat.core.results.columns.columns import STATES
from karat.core.results.result import CaseResult, MetricSummary, RepeatResult, RunInfo, RunResult, has_errors
from karat.core.scores import Score
from karat.store import Store, open_store
from karat.store.blocks.block import ROWS
from karat.store.schema import scoring_blocks
from karat.store.scorings.scored_cases import ScoredCases
from karat.store.viewer_queries import Viewing
from tests.store.samples import a_run

COUNT = 2 * ROWS + 300
INFO = RunInfo("data_query", id="r-0001", cases=COUNT, karat="0.1.0")
SUMMARY = (MetricSummary("recall", 0.5, 3, None, None), MetricSummary("precision", None, 0, None, None))


def _case(number: int) -> CaseResult:
    if number % 7 == 0:
        return CaseResult(f"c{number}", "error", {}, error="no answer")
    if number % 11 == 0:
        tries = (
            RepeatResult("scored", {"recall": Score(0.5)}),
            RepeatResult("error", {"recall": Score(None, "error")}, error="x"),
        )
        return CaseResult(f"c{number}", "scored", {"recall": Score(0.5)}, repeats=tries)
    details = {"cluster": f"k{number // 10}"} if number > ROWS else {}
    return CaseResult(f"c{number}", "scored", {"recall": Score(number / COUNT)}, details, f"Ä{number}")


CASES = tuple(map(_case, range(COUNT)))
RESULT = RunResult(INFO, SUMMARY, CASES)


def test_a_scoring_is_seen_when_it_is_finished(store: Store) -> None:
    run = store.create_run(a_run())
    scoring = store.begin_scoring(run, INFO)
    for begin in range(0, COUNT, 700):
        store.add_results(scoring, CASES[begin : begin + 700])
        assert store.scorings(run) == [] and store.runs()[0].scoring is None
        with pytest.raises(UserError, match="has no scores yet"):
            store.result(run)
    store.finish_scoring(scoring, INFO, SUMMARY)
    assert [item.id for item in store.scorings(run)] == [scoring]
    assert store.result(run) == RESULT
    with pytest.raises(UserError, match="is not being written"):
        store.add_results(scoring, CASES[:1])


def test_the_cases_of_a_large_run_are_read_when_they_are_asked_for(store: Store) -> None:
    run = store.create_run(a_run())
    store.add_scoring(run, RESULT)
    found = store.result(run)
    assert isinstance(found.cases, ScoredCases) and len(found.cases) == COUNT
    assert found == RESULT and found == RESULT and found.cases != CASES[:-1]
    assert (found.cases[0], found.cases[ROWS], found.cases[-1]) == (CASES[0], CASES[ROWS], CASES[-1])
    assert found.cases[ROWS - 2 : ROWS + 2] == CASES[ROWS - 2 : ROWS + 2]
    assert found.cases[5::-2] == CASES[5::-2] and found.cases[10:5] == ()
    with pytest.raises(IndexError):
        found.cases[COUNT]
    store.close()
    assert found.cases[ROWS + 1] == CASES[ROWS + 1], "closing does not take them away"
    assert found.status_counts() == RESULT.status_counts()


def test_columns(store: Store) -> None:
    run = store.create_run(a_run())
    found = store.columns(store.add_scoring(run, RESULT))
    assert found.case_ids == [case.id for case in CASES] and found.metrics == ("recall", "precision")
    assert [STATES[code] for code in found.statuses] == [case.status for case in CASES]
    assert found.clusters == [case.cluster for case in CASES]
    for row, metric in enumerate(found.metrics):
        scores = [case.scores.get(metric) for case in CASES]
        expected = np.array([None if score is None else score.value for score in scores], float)
        np.testing.assert_array_equal(found.figures[row], expected)
    assert found.failed.tolist() == [has_errors(case) for case in CASES]


def test_columns_without_clusters_and_errors(store: Store) -> None:
    plain = tuple(CaseResult(str(number), "scored", {"recall": Score(1.0)}) for number in range(3))
    run = store.create_run(a_run())
    found = store.columns(store.add_scoring(run, RunResult(INFO, SUMMARY, plain)))
    assert found.clusters is None and not found.failed.any()
    empty = store.columns(store.add_scoring(run, RunResult(INFO, SUMMARY, ())))
    assert empty.figures.matrix().shape == (2, 0) and empty.case_ids == []


_KILLED = """
import os, signal, sys
from karat.core.results.result import CaseResult, RunInfo
from karat.store import open_store
store = open_store(sys.argv[1])
scoring = store.begin_scoring(1, RunInfo("data_query"))
store.add_results(scoring, [CaseResult("a", "scored", {})])
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_scored_is_removed(url: str) -> None:
    with open_store(url) as store:
        run = store.create_run(a_run())
        assert subprocess.run([sys.executable, "-c", _KILLED, url], check=False).returncode == -9
        assert store.scorings(run) == []
        mine = store.begin_scoring(run, INFO)
        with store._engine.connect() as connection:
            assert connection.exec_driver_sql("SELECT id FROM scorings").scalars().all() == [mine]
            assert connection.exec_driver_sql("SELECT count(*) FROM scoring_blocks").scalar() == 0
        other = store.begin_scoring(run, INFO)
        store.finish_scoring(mine, INFO, ())
        store.finish_scoring(other, INFO, ())
        assert [item.id for item in store.scorings(run)] == [mine, other], "one that is still written is left alone"


def test_a_scoring_that_fails_leaves_nothing(store: Store) -> None:
    run = store.create_run(a_run())
    with pytest.raises(AttributeError):
        store.add_scoring(run, RunResult(INFO, SUMMARY, (*CASES, None)))  # type: ignore[arg-type]  # wrong on purpose
    with store._engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM scorings").scalar() == 0


def test_cases_in_chunks(store: Store) -> None:
    run = store.create_run(a_run())
    items = [(f"id {number}\n\ud800", b"%d\n" % number) for number in range(COUNT)]
    store.add_cases(run, items[:700])
    store.add_cases(run, iter(items[700:]))
    assert [len(chunk) for chunk in store.case_chunks(run, 1200)] == [1200, 1100]
    assert [one for chunk in store.case_chunks(run) for one in chunk] == [data for _, data in items] == store.cases(run)
    assert store.case_ids(run) == [name for name, _ in items]
    assert store.case(run, items[1999][0]) == b"1999\n" and store.case(run, "id 1") is None
    assert list(store.case_chunks(run + 1)) == [] and store.case_ids(run + 1) == []


def test_answers_are_the_same_before_and_after_they_move(store: Store) -> None:
    run = store.create_run(a_run())
    given = [Prediction(f"c{number}", response=b"%d" % number, latency=0.5) for number in range(COUNT)]
    again = [
        Prediction("c5", error=CallError("timeout", "␀ too late\x00", 3)),
        Prediction("c5", repeat=1, response=b"second"),
        Prediction("c5", turn=None, response=b"no turn"),
        Prediction(f"c{ROWS}", response=b"asked again", tokens=2**62, cost=float("inf")),
    ]
    expected = [*(one for one in given if one.case_id not in ("c5", f"c{ROWS}")), *again]

    def check() -> None:
        assert store.predictions(run) == expected
        assert store.attempts(run, "c5") == [given[5], again[0]] and store.attempts(run, "c5", None) == [again[2]]
        assert store.case_predictions(run, ["c7", "c5", "none"]) == [again[2], again[0], again[1], given[7]]
        found = store.progress(run)
        assert (found.answered, found.errors) == (COUNT + 1, 1)
        assert [(one.case_id, one.message) for one in found.failures] == [("c5", "␀ too late\x00")]
        answered = store.answered(run)
        assert len(answered) == COUNT + 1 and answered["c5", 0, 1] is False and answered["c7", 0, 0] is False

    for begin in range(0, COUNT, 400):
        store.add_predictions(run, given[begin : begin + 400])
    assert _rows(store) < 2 * ROWS, "they do not pile up as rows"
    store.add_predictions(run, again)
    assert _rows(store) > 0
    check()
    newest = Viewing(store).newest_prediction(run)
    store.set_status(run, "finished")
    assert _rows(store) == 0 and Viewing(store).newest_prediction(run) == newest == COUNT + len(again)
    check()
    assert store.answered(run)["c5", 0, 0] is False, "the one without a turn came last"


def _rows(store: Store) -> int:
    with store._engine.connect() as connection:
        return int(connection.exec_driver_sql("SELECT count(*) FROM predictions").scalar_one())


def test_large_answers_do_not_wait_for_a_thousand(store: Store) -> None:
    run = store.create_run(a_run())
    given = [Prediction(f"c{number}", response=bytes([number]) * 3_000_000) for number in range(4)]
    for one in given:
        store.add_predictions(run, [one])
    assert _rows(store) == 1
    assert store.predictions(run) == given and store.case_predictions(run, ["c2"]) == [given[2]]


def test_another_process_sees_answers_that_move(url: str) -> None:
    with open_store(url) as one, open_store(url) as other:
        run = one.create_run(a_run())
        one.add_predictions(run, [Prediction("a", response=b"1")])
        assert other.case_predictions(run, ["a"]) == [Prediction("a", response=b"1")]
        one.set_status(run, "finished")
        one.add_predictions(run, [Prediction("a", response=b"2")])
        assert other.attempts(run, "a") == [Prediction("a", response=b"1"), Prediction("a", response=b"2")]
        assert other.progress(run).answered == 1


def test_answers_are_found_among_sorted_and_new_blocks(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.store.predictions.answer_index.TAIL", 3)
    run = store.create_run(a_run())
    for attempt in range(5):
        made = [Prediction(f"case {n}", response=b"%d" % attempt) for n in range(attempt, ROWS * 2, 2)]
        store.add_predictions(run, made)
        own = [one.response for one in store.attempts(run, "case 10")]
        assert own == [b"%d" % done for done in range(0, attempt + 1, 2)]
    assert [one.response for one in store.case_predictions(run, ["case 10", "case 11", "absent"])] == [b"4", b"3"]
    assert store.progress(run).answered == ROWS * 2


def test_columns_of_which_a_block_is_gone_are_refused(store: Store) -> None:
    run = store.create_run(a_run())
    cases = tuple(CaseResult(f"case {n}", "scored", {"recall": Score(1.0)}) for n in range(2 * ROWS + 1))
    scoring = store.add_scoring(run, RunResult(INFO, SUMMARY, cases))
    with store._writing() as connection:
        gone = (scoring_blocks.c.kind == "columns") & (scoring_blocks.c.first == ROWS)
        connection.execute(delete(scoring_blocks).where(gone))
    with pytest.raises(UserError, match="damaged"):
        store.columns(scoring)
