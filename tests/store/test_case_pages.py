"""Pages of cases, reviews and progress, on both databases; and the lines of a store that an older karat wrote."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from karat.core.problems import UserError
from karat.core.results.result import CaseResult, MetricSummary, RunInfo, RunResult
from karat.core.scores import Score
from karat.store import Store, open_store
from karat.store.cases.case_pages import CaseQuery
from karat.store.database import revision
from karat.store.filters_and_case_sets import CaseSet, SavedFilter
from karat.store.viewer_queries import Viewing
from tests.store.samples import a_result, a_run, answer, failure

VERDICT = {"state": "needs_review", "reason": "", "normalised": []}
REVIEWED = {"reason": "", "evidence": {}, "flips": False, "functions": [], "spider2": VERDICT, "strict": VERDICT}


def _result() -> RunResult:
    """Cases c0 … c5: recall 0.0, 0.2 … 1.0; c5 has none; odd ones have the tag "50%_off", even ones "b"."""
    cases = []
    for number in range(6):
        value = None if number == 5 else number / 5
        state: Any = "scored" if value is not None else "error"
        scores = {"precision": Score(0.5), "recall": Score(value, state)}
        details = REVIEWED if number == 2 else {}
        if number == 2:
            scores["needs_review"] = Score(1.0)
        tag = "50%_off" if number % 2 else "b"
        error = "" if value is not None else "ÄRGER ␀\x00"
        cases.append(
            CaseResult(f"c{number}", state, scores, details, "", (tag, "all"), f"Was ist GRÖSSE {number}?", error)
        )
    summary = tuple(MetricSummary(name, 0.5, 5, None, None) for name in ("precision", "recall"))
    return RunResult(RunInfo("answers", cases=6), summary, tuple(cases))


def _filled(store: Store) -> tuple[int, int]:
    run = store.create_run(a_run())
    return run, store.add_scoring(run, _result())


def test_filters_and_orders(store: Store) -> None:
    run, scoring = _filled(store)

    def found(**query: Any) -> list[int]:
        asked = CaseQuery(**query)
        order = Viewing(store).case_order(run, scoring, asked)
        count, lines = Viewing(store).case_page(run, scoring, asked, 0, 100)
        assert (count, [line.position for line in lines]) == (len(order), order)
        return order

    assert found() == [0, 1, 2, 3, 4, 5]
    assert found(search="größe 3") == [3]
    assert found(search="ärger") == [5]
    assert found(search="50%_off") == [1, 3, 5]
    assert found(search="0%o") == [], "% and _ stand for themselves"
    assert found(tag="50%_off") == [1, 3, 5]
    assert found(tag="50") == []
    assert found(status="error") == [5]
    assert found(metric=1, at_most=0.2) == [0, 1]
    assert found(metric=1, at_least=0.8) == [4]
    assert found(metric=1) == [0, 1, 2, 3, 4]
    assert found(sort=1, descending=True) == [4, 3, 2, 1, 0, 5], "no value comes last"
    assert found(sort="case_id", descending=True) == [5, 4, 3, 2, 1, 0]
    assert found(reason="ÄRGER ␀\x00") == [5]
    assert found(search="größe", answered=((1, 2),)) == [0, 1, 2, 3, 4, 5]
    assert found(search="größe paris", answered=((), (1, 4))) == [1, 4], "one word in the question, one in the answer"
    assert found(review="wanted") == [2]
    assert found(review="open") == [2, 5]
    assert Viewing(store).case_page(run, scoring, CaseQuery(), 4, 2)[1][0].position == 4


def test_counts_by_tags(store: Store) -> None:
    _, scoring = _filled(store)
    found = {
        (item.tags, item.status): (item.cases, item.valued, item.total)
        for item in Viewing(store).tag_counts(scoring, 1)
    }
    assert found == {
        (("50%_off", "all"), "scored"): (2, 2, pytest.approx(0.8)),
        (("50%_off", "all"), "error"): (1, 0, 0.0),
        (("b", "all"), "scored"): (3, 3, pytest.approx(1.2)),
    }


def test_one_case_and_its_answers(store: Store) -> None:
    run, scoring = _filled(store)
    store.add_cases(run, [("c1", b'{"id":"c1"}')])
    store.add_predictions(run, [answer("c1", b"old"), answer("c2"), answer("c1", b"new", repeat=1)])
    store.add_predictions(run, [answer("c1", b"newer")])
    assert store.case_result(scoring, 3) == _result().cases[3]
    assert store.case_result(scoring, 6) is None
    assert store.case(run, "c1") == b'{"id":"c1"}' and store.case(run, "c9") is None
    assert [item.response for item in store.case_predictions(run, ["c1"])] == [b"newer", b"new"]
    assert store.run_row(run) == store.runs()[0]
    with pytest.raises(UserError, match="there is no run r-0099"):
        store.run_row(99)


def test_progress(store: Store) -> None:
    run = store.create_run(a_run())
    store.add_predictions(run, [answer("a"), answer("a", turn=1), failure("b"), failure("c", "http_500")])
    store.add_predictions(run, [answer("c")])
    found = store.progress(run)
    assert (found.answered, found.errors, [item.case_id for item in found.failures]) == (3, 1, ["b"])


def test_a_review_is_kept_for_good(store: Store) -> None:
    run, scoring = _filled(store)
    store.add_review(run, "c2", "pass", reviewer="Ada", comment="gut ␀\x00")
    store.add_review(run, "c2", "fail", reviewer="Ada")
    store.add_review(run, "c5", "gold_wrong")
    assert [(item.case_id, item.verdict) for item in store.reviews(run)] == [("c2", "fail"), ("c5", "gold_wrong")]
    assert Viewing(store).case_order(run, scoring, CaseQuery(review="done")) == [2, 5]
    assert Viewing(store).case_order(run, scoring, CaseQuery(review="fail")) == [2]
    assert Viewing(store).case_order(run, scoring, CaseQuery(review="open")) == []
    assert store.undo_review(run, "c2") and not store.undo_review(run, "c2")
    history = store.review_history(run, "c2")
    assert [(item.verdict, bool(item.undone)) for item in history] == [("fail", True), ("pass", True)]
    assert history[1].comment == "gut ␀\x00"
    assert store.result(run).cases == _result().cases, "the rule's word is untouched"
    with pytest.raises(UserError, match="not a verdict"):
        store.add_review(run, "c2", "perhaps")
    store.delete_run(run)
    assert store.review_history(run, "c2") == []


def test_an_older_store_gets_its_lines(url: str) -> None:
    from alembic import command

    with open_store(url) as store:
        run, scoring = _filled(store)
        second = store.add_scoring(run, a_result())
        expected = [pages(store, run, number) for number in (scoring, second)]
        with store._writer.begin() as connection:
            command.downgrade(revision.alembic_config(connection), "0001")
    with open_store(url) as store:
        assert [pages(store, run, number) for number in (scoring, second)] == expected
        assert Viewing(store).case_order(run, scoring, CaseQuery(search="ärger")) == [5]


def pages(store: Store, run: int, scoring: int) -> list[object]:
    """Every line. The reason of a case whose details its suite cannot read is newer than the migration."""
    count, lines = Viewing(store).case_page(run, scoring, CaseQuery())
    return [
        count,
        *(msgspec.structs.replace(line, reason="") if line.reason == "nothing selected" else line for line in lines),
    ]


def _parted(number: int, cluster: str = "", **parts: list[str]) -> CaseResult:
    terms = {key: [{"id": word, "name": ""} for word in words] for key, words in parts.items()}
    details: dict[str, Any] = {"dimensions": [{"dimension": "COUNTRY\x00", **terms}]}
    return CaseResult(f"p{number}", "scored", {}, details | ({"cluster": cluster} if cluster else {}))


def test_reasons_that_many_cases_share(url: str) -> None:
    from alembic import command

    cases = (
        _parted(0, true_positives=["GHA"]),
        _parted(1, "twins ␀", false_negatives=["GHA"]),
        _parted(2, "twins ␀", false_negatives=["FRA"]),
        _parted(3, true_positives=["GHA"], false_negatives=["FRA"]),
        _parted(4, false_positives=["FRA"]),
    )
    expected = [("COUNTRY\x00 not selected", 2), ("COUNTRY\x00 incomplete", 1), ("COUNTRY\x00 wrong", 1)]
    with open_store(url) as store:
        run = store.create_run(a_run())
        scoring = store.add_scoring(run, RunResult(RunInfo("data_query", cases=5), (), cases))
        assert Viewing(store).reasons(scoring) == expected
        columns = store.columns(scoring)
        with store._writer.begin() as connection:
            command.downgrade(revision.alembic_config(connection), "0002")
            connection.exec_driver_sql("UPDATE lines SET reason = ''")
    with open_store(url) as store:
        assert Viewing(store).reasons(scoring) == expected, "an older store gets them too"
        again = store.columns(scoring)
        assert (again.case_ids, again.clusters) == (columns.case_ids, columns.clusters)
    assert columns.case_ids == ["p0", "p1", "p2", "p3", "p4"] and columns.clusters is not None
    assert columns.clusters[1] == columns.clusters[2] != columns.clusters[0] == ""


def test_columns_and_the_upper_part(store: Store) -> None:
    _, scoring = _filled(store)
    figures = store.columns(scoring).figures.matrix().T.tolist()
    assert figures[:5] == [[0.5, 0.0], [0.5, 0.2], [0.5, 0.4], [0.5, 0.6], [0.5, 0.8]]
    assert figures[5][0] == 0.5 and figures[5][1] != figures[5][1], "NaN: no value"
    assert [Viewing(store).upper(scoring, 1, place) for place in (0, 1, 5)] == [0.8, 0.6, None], "no value, no place"
    assert Viewing(store).upper(scoring, 7, 0) is None
    assert Viewing(store).places(scoring) == {f"c{number}": number for number in range(6)}


def test_filters_and_sets_are_shared(store: Store) -> None:
    run, scoring = _filled(store)
    viewing = Viewing(store)
    suite = store.run(run).suite
    viewing.save_filter(suite, " bad\n ones ␀\x00 ", "status=error")
    viewing.save_filter(suite, "bad ones ␀\x00", "status=missing")
    viewing.save_filter("other", "x", "q=1")
    assert viewing.filters(suite) == [SavedFilter("bad ones ␀\x00", "status=missing")]
    viewing.drop_filter(suite, "bad ones ␀\x00")
    assert viewing.filters(suite) == []
    with pytest.raises(UserError, match="a name is needed"):
        viewing.save_filter(suite, " \n", "q=1")
    viewing.add_to_set(suite, "hard", ["c1", "c4", "c1"])
    viewing.add_to_set(suite, "hard", ["c4", "c0"])
    viewing.add_to_set(suite, "easy", ["c5"])
    viewing.add_to_set("other", "hard", ["c3"])
    assert viewing.sets(suite) == [CaseSet("easy", 1), CaseSet("hard", 3)]
    assert viewing.sets(suite, "c4") == [CaseSet("hard", 3)]
    assert Viewing(store).case_order(run, scoring, CaseQuery(in_set="hard")) == [0, 1, 4]
    viewing.take_from_set(suite, "hard", "c4")
    assert viewing.sets(suite, "c4") == []


def test_newest_prediction(store: Store) -> None:
    run = store.create_run(a_run())
    assert Viewing(store).newest_prediction(run) == 0
    store.add_predictions(run, [answer("a")])
    first = Viewing(store).newest_prediction(run)
    store.add_predictions(run, [answer("a")])
    assert Viewing(store).newest_prediction(run) > first > 0
