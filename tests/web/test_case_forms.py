"""The page of a case in the form of its suite, from real runs of the four suites."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

import karat
from karat.core.case_form import CellTable, EqualRows, RankedKey, RankedList
from karat.core.presentation.case_forms import form_of
from karat.core.results.result import CaseResult, RunResult
from karat.tables.explain.table_view import table_view
from karat.tables.matching import match_tables
from karat.tables.table import table_of
from karat.web.app import create_app
from tests.suites.answers.text_to_sql.making import database, question_file
from tests.web.conftest import HERE


@contextmanager
def viewing(store: str) -> Iterator[TestClient]:
    with TestClient(create_app(store), base_url=HERE) as client:
        yield client


def ran(tmp_path: Path, suite: str, cases: list[Any] | str, predictions: list[Any] | str, **options: Any) -> str:
    """A run in a store of its own; the store's address."""
    store = f"sqlite:///{tmp_path}/karat.db"
    karat.run(suite=suite, cases=cases, predictions=predictions, options=options, store=store)
    return store


def words(text: str) -> str:
    """What a person reads of a page."""
    body = text[text.index("<main") : text.index("</main>")]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


EXAMPLES = Path(__file__).parents[2] / "examples"


def page_of(client: TestClient, case: str, query: str = "") -> str:
    """The page of the case in the first run."""
    found = client.get("/api/runs/r-0001/cases").json()["cases"]
    position = next(one["position"] for one in found if one["case_id"] == case)
    answer = client.get(f"/runs/r-0001/cases/{position}{query}")
    assert answer.status_code == 200
    return answer.text


def test_terms_with_their_names_and_what_came_in_their_place(tmp_path: Path) -> None:
    example = EXAMPLES / "data_query"
    store = ran(tmp_path, "data_query", str(example / "cases"), str(example / "predictions.jsonl"))
    with viewing(store) as client:
        wrong = page_of(client, "dollar_ten_years")
        assert "Wrong: asked for End-of-period, got Average; period asked $TODAY-10Y to $TODAY-1M" in words(wrong)
        assert "FREQ, CURRENCY, CURRENCY_DENOM and dataset are right." in words(wrong)
        pair = wrong[wrong.index('<div class="pair"><div class="term missing">') :]
        assert pair.index("End-of-period") < pair.index("≠") < pair.index('class="term extra"') < pair.index("Average")
        assert "4 parts right" in words(wrong) and "recall 0 of 1 · precision 0 of 1" in words(wrong)
        right = page_of(client, "population_chile")
        assert 'class="verdict is-right"' in right and "parts as expected" in words(right)
        assert 'class="term missing"' not in right and 'class="term extra"' not in right
        assert "wrong no" not in right, "nothing of a right answer is red"
        failed = page_of(client, "yen_and_pound")
        assert 'class="verdict is-error"' in failed and "Error: " in words(failed)


def test_a_failed_call_says_how_to_retry_it(client: TestClient) -> None:
    text = client.get("/runs/r-0001/cases/58").text
    assert "Error: 429 after 5 tries" in words(text)
    assert "Retry all 2 failed calls: karat run --resume r-0001 --retry-errors" in words(text)


def test_tables_cell_by_cell(tmp_path: Path) -> None:
    example = EXAMPLES / "answers"
    store = ran(tmp_path, "answers", str(example / "gold"), str(example / "submission"))
    with viewing(store) as client:
        scrambled = page_of(client, "tickets_by_line")
        assert "Wrong: the values of tickets are all there, in other rows" in words(scrambled)
        assert "strict says wrong, spider2 says right" in words(scrambled)
        assert '<td class="data was num" data-l="tickets expected">5210</td>' in scrambled
        assert "given value belongs to row 2" in scrambled and "3 of 3 rows differ, in 1 of 2 columns" in scrambled
        missing = page_of(client, "ships_built_before_1970")
        assert "3 rows where 4 are expected" in missing and "row missing" in missing and "⋯ 2 equal rows" in missing
        column = page_of(client, "fares")
        assert "✗ not given" in column and "no column like it was given" in column
        number = page_of(client, "passengers_in_may")
        assert "Wrong: expected 12840, the answer says 12,480" in words(number)
        assert "boxed is-wrong" in number and "boxed is-right" not in number
        right = page_of(client, "busiest_line")
        assert "boxed is-right" in right and "is-wrong" not in right
        review = page_of(client, "home_port")
        assert "Needs review: the answer denies what it names" in words(review)
        for case in ("tickets_by_line", "fares", "busiest_line", "year_book", "timetable"):
            assert str(EXAMPLES) not in page_of(client, case), "no path of the server"


def test_a_query_beside_gold_with_both_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    database(tmp_path / "databases")
    gold = "SELECT c.country, COUNT(c.id) AS n\nFROM customer AS c\nGROUP BY c.country"
    sql = "SELECT country, COUNT(id) FROM customer WHERE country <> 'DE' GROUP BY country"
    rows = [
        {"id": "by", "db": "shop", "question": "How many customers per country?", "sql": gold},
        {
            "id": "lucky",
            "db": "shop",
            "question": "Names in FR?",
            "sql": "select name from customer where country='FR'",
        },
    ]
    given = [
        {"id": "by", "sql": sql},
        {"id": "lucky", "sql": "select distinct name from customer where country = 'FR'"},
    ]
    question_file(tmp_path, rows)
    question_file(tmp_path, given, "given.jsonl")
    options = {"databases": str(tmp_path / "databases"), "counterexamples": True}
    store = ran(tmp_path, "answers", str(tmp_path / "team.jsonl"), str(tmp_path / "given.jsonl"), **options)
    with viewing(store) as client:
        wrong = page_of(client, "by")
        assert "Wrong: the query has the extra filter country <> 'DE'" in words(wrong)
        assert '<mark class="m">WHERE country &lt;&gt; &#39;DE&#39;</mark>' in wrong
        assert '<mark class="o">AS n</mark>' in wrong, "a name does not count"
        assert "row missing: DE, 1" in wrong and "Two results" in wrong and "3 × 2" in wrong and "2 × 2" in wrong
        lucky = page_of(client, "lucky")
        assert 'class="verdict is-right"' in lucky and "Smallest data that tell them apart" in lucky
        assert "They differ where rows repeat." in lucky and "made rows refute it" in lucky
        assert "INSERT INTO" in lucky and "<details" in lucky[: lucky.index("INSERT INTO")]


def test_ranked_lists(tmp_path: Path) -> None:
    keys = [f"k{number}" for number in range(1, 31)]
    cases = [
        {"id": "lost", "question": "Which?", "relevant": ["k2", "k20", "nowhere"]},
        {"id": "found", "question": "Which?", "relevant": ["k1", "k3"]},
    ]
    answers = [{"id": name, "results": keys} for name in ("lost", "found")]
    store = ran(tmp_path, "retrieval", cases, answers, max_results=14)
    with viewing(store) as client:
        lost = page_of(client, "lost")
        assert "Wrong: 1 of 3 needed keys found; k20 came at rank 20, nowhere is not in the list" in words(lost)
        cut = lost.index("n = 14: the list that counts ends here")
        assert lost.index("k2 <") < cut < lost.index('<li class="lost"><span>20</span>') < lost.index("nowhere <")
        found = page_of(client, "found")
        assert "Right: all 2 needed keys found, the last at rank 3" in words(found)
        assert 'class="lost"' not in found and "wrong no" not in found, "a right case is not red"
        shown, folded = found[: found.index("more scores")], found[found.index("more scores") :]
        assert shown.count('<th scope="row" title=') == 4 and folded.count('<th scope="row" title=') > 40


def test_keys_that_are_not_in_the_list_are_named_together(tmp_path: Path) -> None:
    needed = ["k2", "k20", "cod", "herring"]
    cases = [{"id": "lost", "question": "Which?", "relevant": needed}]
    answers = [{"id": "lost", "results": [f"k{number}" for number in range(1, 31)]}]
    with viewing(ran(tmp_path, "retrieval", cases, answers, max_results=14)) as client:
        said = "1 of 4 needed keys found; k20 came at rank 20, cod and herring are not in the list"
        assert said in words(page_of(client, "lost"))


def test_an_answer_that_needs_review_is_not_called_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES / "answers")
    for _ in range(2):
        store = ran(tmp_path, "answers", "gold", "submission")
    with viewing(store) as client:
        page = page_of(client, "home_port", "?baseline=r-0002")
        assert "Needs review: the answer denies what it names" in words(page)
        assert "What changed since r-0002 needs review there" in words(page)
        assert "not right" not in page and "boxed is-wrong" not in page and "boxed is-right" not in page
        assert "boxed is-right" in page_of(client, "busiest_line")


def test_what_is_wrong_stands_in_its_own_turn(tmp_path: Path) -> None:
    def selected(*codes: str) -> dict[str, Any]:
        values = [{"id": code, "name": code} for code in codes]
        chosen = {"dataset_id": "A:B", "dimensions": [{"dimension_name": "COUNTRY", "values": values}]}
        return {"indicator_selection": [chosen]}

    turns = [("Mexico?", selected("MEX")), ("Ghana and Kenya?", selected("GHA", "KEN"))]
    asked = [{"role": "user", "content": question, "target": target} for question, target in turns]
    answers = [{"id": "talk", "turn": 0, **selected("MEX")}, {"id": "talk", "turn": 1, **selected("KEN")}]
    store = ran(tmp_path, "data_query", [{"id": "talk", "conversation": asked}], answers)
    with viewing(store) as client:
        page = page_of(client, "talk")
        assert "GHA is missing" in words(page[: page.index("<h2>Answers</h2>")] + "</main>")
        _, first, second = page.split('<details class="fold answer">')
        assert "turn 1" in first and "GHA" not in first and "MEX" in first
        assert "turn 2" in second and "GHA is missing" in words(f"<main{second}")


def test_code_beside_its_reference(tmp_path: Path) -> None:
    cases = [
        {"id": name, "question": question, "tables": {"t": {"columns": {"a": ["x", "y", "x"], "n": [1, 2, 4]}}},
         "reference": 'result = t.groupby("a", as_index=False)["n"].sum()'}
        for name, question in (("sums", "The sum of n by a?"), ("fails", "The total of n by a?"), ("right", "n by a?"))
    ]  # fmt: skip
    answers = [
        {"id": "sums", "code": 'result = t.groupby("a", as_index=False)["n"].mean()'},
        {"id": "fails", "code": 'grouped = t\nresult = grouped.groupby("b")["n"].sum()'},
        {"id": "right", "code": 'result = t.groupby("a", as_index=False)["n"].sum()'},
    ]
    store = ran(tmp_path, "codegen", cases, answers)
    with viewing(store) as client:
        wrong = page_of(client, "sums")
        assert "Wrong: n differs" in words(wrong) and "Result beside the reference’s" in wrong
        assert "✗ 2.5" in wrong and '<td class="data was num" data-l="n expected">5</td>' in wrong
        assert "Reference" in wrong and 'class="l bad"' not in wrong
        failed = page_of(client, "fails")
        assert "the code did not run: KeyError" in words(failed)
        assert re.search(r'<div class="l bad"><i>2</i>', failed)
        right = page_of(client, "right")
        assert "Right: the result equals the expected one" in words(right)
        assert "Table(height" not in right[: right.index("Raw record")], "no internal record"


# -- what a page can be built from -------------------------------------------------------------------------------------


def evidence_of(gold: list[list[str]], given: list[list[str]], names: list[str]) -> Any:
    found = match_tables(table_of(names, gold), table_of(names, given), ignore_order=True).evidence
    return msgspec.json.decode(msgspec.json.encode(found))


def test_many_rows_that_differ_are_counted_and_not_all_kept() -> None:
    gold = [[f"k{row}", str(row)] for row in range(300)]
    given = [[key, str(int(value) + (1000 if int(value) >= 78 else 0))] for key, value in gold]
    table = table_view(evidence_of(gold, given, ["k", "v"]))
    assert table is not None
    lines = [line for line in table.lines if not isinstance(line, EqualRows)]
    assert (len(lines), table.more) == (10, 212)
    assert [line.count for line in table.lines if isinstance(line, EqualRows)] == [78]
    assert table.note == "222 of 300 rows differ, in 1 of 2 columns"


def test_cells_that_are_equal_by_a_rule_are_not_marked() -> None:
    gold = [["1", "2024-01-01", "5"], ["2", "2024-02-01", "6"]]
    given = [["1", "2024-01-01", "5.0"], ["2", "2024-02-01", "7"]]
    table = table_view(evidence_of(gold, given, ["k", "day", "n"]))
    assert table is not None
    (line,) = [line for line in table.lines if not isinstance(line, EqualRows)]
    assert [cell.mark for cell in line.cells] == ["same", "same", "changed"]
    assert [column.differs for column in table.columns] == [False, False, True]


def test_rows_in_another_order_are_the_same_cells_in_other_rows() -> None:
    names = ["k", "v"]
    gold = [["a", "1"], ["b", "2"], ["c", "3"]]
    found = match_tables(table_of(names, gold), table_of(names, gold[::-1]), ignore_order=False).evidence
    table = table_view(msgspec.json.decode(msgspec.json.encode(found)))
    assert table is not None
    assert {one.note for one in table.compared} == {"the same cells, in other rows"}


def test_evidence_of_an_older_store_is_still_drawn() -> None:
    old = {
        "gold_size": [9, 2],
        "pred_size": [8, 2],
        "columns": [{"gold": "avg_days", "nearest": "days", "share": 0.96}],
        "shown_columns": ["who", "avg_days"],
        "rows": [{"gold_row": 7, "pred_row": 7, "gold": ["Ada", "12.4"], "pred": ["Ada", "12.9"]}],
    }
    table = table_view(old)
    assert isinstance(table, CellTable) and table.more == 0
    assert [column.differs for column in table.columns] == [False, True]


def test_a_form_needs_neither_the_target_nor_the_answer() -> None:
    result: RunResult = karat.score(
        suite="retrieval",
        cases=[{"id": "q", "question": "Which?", "relevant": ["a", "b"]}],
        predictions=[{"id": "q", "results": ["a", "c"]}],
    )
    (view,) = form_of("retrieval", result.cases[0]).views
    assert isinstance(view, RankedList) and not view.right
    keys = [place for place in view.places if isinstance(place, RankedKey)]
    assert [(one.rank, one.state) for one in keys] == [(1, "hit"), (None, "lost")]


@pytest.mark.parametrize("suite", ["data_query", "answers", "codegen", "retrieval"])
def test_details_that_a_form_cannot_read_are_explained_at_least(suite: str, client: TestClient) -> None:
    assert client.get("/runs/r-0004/cases/0").status_code == 200
    case = client.get("/api/runs/r-0004/cases/0").json()["result"]
    assert form_of(suite, msgspec.convert(case, CaseResult)) is not None


LONG = "A question that goes on and on. " * 60


def _dimensions(names: range, wrong: str = "") -> dict[str, Any]:
    values = [{"id": f"V{name}{wrong if not name else ''}", "name": f"value {name}"} for name in names]
    listed = [{"dimension_name": f"D{name:02d}", "values": [one]} for name, one in zip(names, values, strict=True)]
    return {"indicator_selection": [{"dataset_id": "X:D", "dimensions": listed}]}


def _fails(_: object) -> object:
    raise ValueError("no connection")


def test_what_is_long_or_empty_or_all_the_same_leaves_room_for_what_is_wrong(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": LONG, "target": _dimensions(range(30))}]
    cases = [{"id": name, "conversation": turns} for name in ("wrong", "right")]
    given = [{"id": "wrong", **_dimensions(range(30), "x")}, {"id": "right", **_dimensions(range(30))}]
    store = ran(tmp_path, "data_query", cases, given)
    karat.run(suite="data_query", cases=cases[:1], system=_fails, store=store)
    with viewing(store) as client:
        wrong, right = (page_of(client, name) for name in ("wrong", "right"))
        silent = client.get("/runs/r-0002/cases/0").text
    assert '<details class="fold"><summary>30 parts right' in wrong, (
        "29 dimensions and the dataset: what differs is seen"
    )
    assert '<details class="fold" open><summary>31 parts right' in right
    assert '<div class="say data text" tabindex="0"' in wrong, "a long question scrolls, and the keyboard reaches it"
    assert "Raw response" in wrong and "Raw response" not in silent and "0 characters" not in silent


def test_tries_that_all_come_out_alike_are_one_sentence(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/karat.db"
    cases = [{"id": "c", "question": "?", "relevant": ["a"]}]
    karat.run(suite="retrieval", cases=cases, system=lambda _: {"results": ["b"]}, repeats=3, store=store)
    with viewing(store) as client:
        assert "Wrong in all 3 tries" in words(page_of(client, "c"))
