"""Lists of cases against a plain model: each filter and order, alone and together, for any cases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from karat.core.explanation import Explanation
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.presentation import case_explanation
from karat.core.presentation.case_explanation import explanation_of
from karat.core.results.columns.columns import STATES
from karat.core.results.result import CaseResult, MetricSummary, RunInfo, RunResult
from karat.core.scores import Score
from karat.store import RunRecord, Store, open_store
from karat.store.cases.case_lines import line_of
from karat.store.cases.case_list import MOST, CaseLists
from karat.store.cases.case_pages import CaseQuery, searched_words
from karat.store.viewer_queries import Viewing
from tests.store.samples import a_run

METRICS = ("recall", "precision")
WORDS = ("mexico", "MÉXICO", "Straße", "STRASSE", "a", "50%_x", "␀", "\x00b", "x\x1ey", "ﬁn", "\ud800")
TAGS = ("weo", "trade", "b c", "50%")
REASONS = ("", "COUNTRY wrong", "timeout")


@st.composite
def cases(draw: st.DrawFn) -> list[CaseResult]:
    found = []
    for number in range(draw(st.integers(0, 8))):
        status = draw(st.sampled_from(STATES))
        values = {name: draw(st.sampled_from((None, 0.0, 0.25, 1.0))) for name in METRICS}
        scores = {name: Score(value) for name, value in values.items() if draw(st.booleans())}
        question = " ".join(draw(st.lists(st.sampled_from(WORDS), max_size=3)))
        tags = tuple(draw(st.lists(st.sampled_from(TAGS), max_size=2, unique=True)))
        name = f"{draw(st.sampled_from('zäaB'))}{number}"
        found.append(CaseResult(name, status, scores, {}, question[:3], tags, question, draw(st.sampled_from(REASONS))))
    return found


_ends = st.sampled_from((None, 0.0, 0.25, 0.5))
queries = st.builds(
    CaseQuery,
    search=st.lists(st.sampled_from((*WORDS, "ss", "é", "x", "fin")), max_size=2).map(" ".join),
    status=st.sampled_from(("", "", *STATES, "nonsense")),
    tag=st.sampled_from(("", "", *TAGS, "we")),
    review=st.sampled_from(("", "", "open", "wanted", "done", "fail")),
    reason=st.sampled_from(("", "", *REASONS, "COUNTRY")),
    in_set=st.sampled_from(("", "", "hard", "none")),
    metric=st.sampled_from((None, None, 0, 1, 7)),
    at_least=_ends,
    at_most=_ends,
    sort=st.sampled_from(("position", "case_id", "status", "reason", 0, 1, 7)),
    descending=st.booleans(),
)


def modelled(given: list[CaseResult], query: CaseQuery, reviewed: dict[str, str], hard: set[str]) -> list[int]:
    """What the query means, case by case."""
    rows: list[tuple[int, CaseResult, Any]] = []
    for position, case in enumerate(given):
        line = line_of(case, explanation_of("data_query", case))
        wanted = line.wants_review or case.status == "error"
        word = reviewed.get(case.id)
        reviews = {"": True, "open": wanted and word is None, "wanted": line.wants_review, "done": word is not None}
        value = _value(case, query.metric)
        within = value is not None and (query.at_least is None or value >= query.at_least)
        within = within and value is not None and (query.at_most is None or value <= query.at_most)
        if (
            (not query.status or case.status == query.status)
            and (not query.tag or query.tag in line.tags)
            and (not query.reason or line.reason == query.reason)
            and (not query.in_set or (query.in_set == "hard" and case.id in hard))
            and all(one in line.searched for one in searched_words(query.search))
            and (query.metric is None or within)
            and reviews.get(query.review, word == query.review)
        ):
            rows.append((position, case, line))
    if query.sort == "position":
        return [position for position, _, _ in rows][:: -1 if query.descending else 1]
    if isinstance(query.sort, int):
        place = query.sort
        valued = [row for row in rows if _value(row[1], place) is not None]
        valued.sort(key=lambda row: _value(row[1], place) or 0.0, reverse=query.descending)
        return [row[0] for row in (*valued, *(row for row in rows if _value(row[1], place) is None))]
    texts = {"case_id": lambda row: row[1].id, "status": lambda row: row[1].status, "reason": lambda row: row[2].reason}
    rows.sort(key=texts[query.sort], reverse=query.descending)
    return [position for position, _, _ in rows]


def _value(case: CaseResult, metric: int | None) -> float | None:
    score = case.scores.get(METRICS[metric]) if metric is not None and metric < len(METRICS) else None
    return None if score is None else score.value


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(str(tmp_path_factory.mktemp("lists") / "k.db")) as store:
        yield store


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(given_cases=cases(), asked=st.lists(queries, min_size=8, max_size=12))
def test_a_list_is_what_the_query_says(kept: Store, given_cases: list[CaseResult], asked: list[CaseQuery]) -> None:
    run = kept.create_run(a_run(suite=f"s{len(given_cases)}"))
    summary = tuple(MetricSummary(name, None, 0, None, None) for name in METRICS)
    scoring = kept.add_scoring(run, RunResult(RunInfo("data_query"), summary, tuple(given_cases)))
    reviewed = {case.id: ("fail", "pass")[place % 2] for place, case in enumerate(given_cases[::3])}
    for case, verdict in reviewed.items():
        kept.add_review(run, case, verdict)
    hard = {case.id for case in given_cases[1::2]}
    Viewing(kept).add_to_set(kept.run(run).suite, "hard", sorted(hard))
    known = {case.id for case in given_cases}
    hard |= {
        case for case in known if any(item.name == "hard" for item in Viewing(kept).sets(kept.run(run).suite, case))
    }
    for query in asked:
        expected = modelled(given_cases, query, reviewed, hard)
        assert Viewing(kept).case_order(run, scoring, query) == expected
        count, lines = Viewing(kept).case_page(run, scoring, query, 1, 3)
        assert (count, [line.position for line in lines]) == (len(expected), expected[1:4])
        for line in lines:
            own = given_cases[line.position]
            assert (line.case_id, line.question, line.tags) == (own.id, own.question, own.tags)
            assert line.figures == tuple(_value(own, place) for place in range(len(METRICS)))


def test_only_a_few_lists_are_kept(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "k.db")) as store:
        run = store.create_run(a_run())
        result = RunResult(RunInfo("data_query"), (), tuple(CaseResult(str(n), "scored", {}) for n in range(100)))
        scorings = [store.add_scoring(run, result) for _ in range(MOST + 2)]
        with store._reading() as connection:
            lists = CaseLists()
            first = lists.of(connection, scorings[0])
            assert lists.of(connection, scorings[0]) is first
            for scoring in scorings:
                lists.of(connection, scoring)
            assert len(lists._held) == MOST and lists.of(connection, scorings[0]) is not first
            small = CaseLists(room=15_000)
            for scoring in scorings[:3]:
                small.of(connection, scoring)
            assert list(small._held) == [scorings[2]], "the last one is kept, however large"


def test_each_case_is_explained_once_when_it_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    explained: list[object] = []
    explain = case_explanation._explain("data_query")

    def watched(details: JsonMapping, target: object) -> Explanation:
        explained.append(details)
        return explain(details, target)

    monkeypatch.setattr(case_explanation, "_explain", lambda _: watched)
    details: JsonObject = {"dimensions": [], "label_drift": []}
    cases = tuple(CaseResult(f"case {n}", "scored", {}, details) for n in range(50))
    with open_store(f"sqlite:///{tmp_path / 'karat.db'}") as store:
        run = store.create_run(RunRecord(suite="data_query", cases=50))
        store.add_scoring(run, RunResult(RunInfo("data_query", cases=50), (), cases))
    assert len(explained) == 50
