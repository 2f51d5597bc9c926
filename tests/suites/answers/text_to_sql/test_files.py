"""Question files and prediction files as they are, and which prediction answers which question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.problems import UserError
from karat.core.records import AnyCase
from karat.suites.answers import suite
from karat.suites.answers.records import Answer, Queries
from karat.suites.answers.responses import stored_answer
from karat.suites.answers.text_to_sql.files.pairing import paired
from karat.suites.answers.text_to_sql.queries.gold_choices import BadChoices, queries_in
from karat.suites.answers.text_to_sql.running.databases import suite_files
from tests.suites.answers.text_to_sql.making import database, question_file

BIRD = {"question_id": 1471, "db_id": "shop", "question": "How many?", "evidence": "FR is France", "SQL": "select 1"}


def _write(file: Path, text: Any) -> Path:
    file.write_text(text if isinstance(text, str) else json.dumps(text))
    return file


def _queries(file: Path) -> dict[str, Queries]:
    return {case.id: _gold(case) for case in suite.load_cases(file).cases}


def _gold(case: AnyCase) -> Queries:
    queries = next(turn.target.queries for turn in case.conversation if turn.target is not None)
    assert isinstance(queries, Queries)
    return queries


def _paired(questions: Path, predictions: Path) -> tuple[dict[str, Answer | None], list[str]]:
    loaded = paired(suite.load_cases(questions).cases, suite.read_predictions(predictions))
    found = {one.case_id: stored_answer(one.response) if one.response else None for one in loaded.predictions}
    return found, [problem.message for problem in loaded.problems]


def test_bird(tmp_path: Path) -> None:
    found = _queries(_write(tmp_path / "dev.json", [BIRD | {"difficulty": "simple"}]))["1471"]
    assert (found.form, found.sql, found.database, found.evidence) == ("bird", ("select 1",), "shop", "FR is France")
    assert found.difficulty == "simple"


def test_spider_rows_are_ids_and_parsed_sql_is_not_read(tmp_path: Path) -> None:
    row = {"db_id": "shop", "question": "?", "query": "select 2", "sql": {"from": {}}, "query_toks": ["select"]}
    found = _queries(_write(tmp_path / "dev.json", [row, row]))
    assert list(found) == ["0", "1"]
    assert (found["1"].form, found["1"].sql) == ("spider", ("select 2",))


def test_gold_text_with_dialogues(tmp_path: Path) -> None:
    file = _write(tmp_path / "dev_gold.sql", "select 1\tshop\nselect 2\tshop\n\nselect 3\tshop\nselect 4 from x\n")
    loaded = suite.load_cases(file)
    about = [(case.id, case.metadata["dialogue"], case.metadata["turn"]) for case in loaded.cases]
    assert about == [("0", 0, 0), ("1", 0, 1), ("2", 1, 0)]
    (problem,) = loaded.problems
    assert (problem.line, problem.message) == (5, "a gold line without a tab")


def test_sparc_dialogues_are_asked_turn_by_turn(tmp_path: Path) -> None:
    turns = [{"utterance": "Names?", "query": "select 1"}, {"utterance": "In France?", "query": "select 2"}]
    file = _write(tmp_path / "dev.json", [{"database_id": "shop", "interaction": turns}])
    first, second = suite.load_cases(file).cases
    assert [turn.content for turn in second.conversation] == ["Names?", "In France?"]
    assert second.scored_turns == (1,)
    assert _gold(first).sql == ("select 1",)


def test_defog_choices(tmp_path: Path) -> None:
    text = 'db_name,db_type,query_category,query,question,instructions\nshop,sqlite,group_by,"%s",Who?,\n'
    gold = "SELECT {name, id}, 1 FROM t GROUP BY {};SELECT 2;"
    found = _queries(_write(tmp_path / "q.csv", text % gold))["0"]
    assert found.sql == (
        "SELECT name, 1 FROM t GROUP BY name",
        "SELECT id, 1 FROM t GROUP BY id",
        "SELECT name, id, 1 FROM t GROUP BY name, id",
        "SELECT 2",
    )
    assert found.category == "group_by"


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        ("select {a, b from t", "column 8 of the gold does not close"),
        (f"select {{{', '.join('abcdefgh')}}} from t", "255 queries; at most 64"),
        (";".join(f"select {n}" for n in range(70)), "more than 64 queries"),
    ],
)
def test_choices_that_cannot_be_used(gold: str, said: str) -> None:
    with pytest.raises(BadChoices, match=said):
        queries_in(gold)


def test_several_golds_of_the_ibm_toolkit(tmp_path: Path) -> None:
    found = _queries(_write(tmp_path / "q.json", [BIRD | {"sql": ["select 1", "select 2"]}]))["1471"]
    assert (found.form, found.sql) == ("ibm", ("select 1", "select 2"))


def test_a_team_yaml(tmp_path: Path) -> None:
    text = "- id: no\n  question: Who?\n  db: shop\n  sql: [select 1, select 2]\n  order: no\n  tags: [a, b]\n"
    (case,) = suite.load_cases(_write(tmp_path / "team.yaml", text)).cases
    queries = _gold(case)
    assert (case.id, case.tags, queries.sql, queries.order) == ("no", ("a", "b"), ("select 1", "select 2"), False)


def test_a_row_without_gold_names_its_fields_and_line(tmp_path: Path) -> None:
    rows = [{"id": "a", "question": "?", "sql": "select 1"}, {"id": "b", "question": "?", "sqll": "x"}]
    file = _write(tmp_path / "t.jsonl", "\n".join(map(json.dumps, rows)))
    (problem,) = suite.load_cases(file).problems
    assert problem.line == 2
    assert "id, question, sqll" in problem.message
    assert 'Did you mean "sql"?' in problem.hint


def test_two_questions_with_one_id_name_both_lines(tmp_path: Path) -> None:
    row = json.dumps({"id": "a", "question": "?", "sql": "select 1"})
    (problem,) = suite.load_cases(_write(tmp_path / "t.jsonl", f"{row}\n\n{row}\n")).problems
    assert (problem.line, "line 1" in problem.message) == (3, True)


@pytest.fixture
def two(tmp_path: Path) -> Path:
    return _write(tmp_path / "two.json", [BIRD, BIRD | {"question_id": 1500}])


def test_bird_keys_are_rows(two: Path, tmp_path: Path) -> None:
    given = {"1": "select 5\t----- bird -----\tother", "0": 7, "9": "select 9"}
    found, problems = _paired(two, _write(tmp_path / "p.json", given))
    assert found["1500"] is not None
    assert found["1500"].text == "select 5"
    assert found["1471"] is not None
    assert found["1471"].problem == "no prediction"
    assert any("another database than the question: 1500" in one for one in problems)
    assert any("unknown questions: row 9" in one for one in problems)


def test_lines_answer_questions_in_order(two: Path, tmp_path: Path) -> None:
    found, problems = _paired(two, _write(tmp_path / "p.txt", "select 1\tshop\nselect 2\n"))
    assert {name: one and one.text for name, one in found.items()} == {"1471": "select 1", "1500": "select 2"}
    assert problems == []


def test_nothing_shifts_when_a_line_is_missing(two: Path, tmp_path: Path) -> None:
    loaded = paired(
        suite.load_cases(two).cases, suite.read_predictions(_write(tmp_path / "p.txt", "select 2\tother\n"))
    )
    assert all(one.error is not None for one in loaded.predictions)
    (problem,) = loaded.problems
    assert problem.message == "1 prediction for 2 questions"
    assert 'line 1: it names the database "other"' in problem.hint


def _sessions(*sizes: int) -> list[dict[str, Any]]:
    turns = ({"utterance": "?", "query": "select 0"} for _ in iter(int, 1))
    return [{"database_id": "shop", "interaction": [next(turns) for _ in range(size)]} for size in sizes]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a", "", "b", "c"], ["a", "b", "c"]),
        (["a", "", "", "b", "c", ""], ["a", "b", "c"]),
        (["a", "b", "c"], ["a", "b", "c"]),
        (["a", "", "b"], None),  # as many lines as turns, and yet the last turn has none
        (["a", "b", "", "c"], None),
    ],
)
def test_blank_lines_part_dialogues_and_nothing_shifts(
    tmp_path: Path, lines: list[str], expected: list[str] | None
) -> None:
    questions = _write(tmp_path / "sparc.json", _sessions(1, 2))
    found, problems = _paired(questions, _write(tmp_path / "p.txt", "\n".join(lines) + "\n"))
    if expected is None:
        assert problems
        assert set(found.values()) == {None}
    else:
        assert [one and one.text for one in found.values()] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n\nc\n", ["a", "", "c"]),
        ("a\n\nb\nc\n", None),  # a line too many and one that is missing look the same
        ("a\tshop\n\nb\tSHOP\nc\tshop\n", ["a", "b", "c"]),
    ],
)
def test_a_blank_line_between_single_questions_is_a_missing_prediction(
    tmp_path: Path, text: str, expected: list[str] | None
) -> None:
    questions = _write(tmp_path / "dev.json", [{"db_id": "shop", "question": "?", "query": "select 0"}] * 3)
    found, problems = _paired(questions, _write(tmp_path / "p.txt", text))
    texts = [one.text for one in found.values() if one]
    assert texts == (expected or []) and len(found) == 3
    if expected and "" in expected:
        assert problems == ["1 question without a prediction: 1"]


def test_a_broken_question_moves_no_prediction(tmp_path: Path) -> None:
    rows = [json.dumps(BIRD | {"question_id": number}) for number in (10, 11, 12)]
    questions = _write(tmp_path / "q.jsonl", "\n".join((rows[0], "{broken", rows[2])))
    found, _ = _paired(questions, _write(tmp_path / "p.json", {"0": "a", "1": "b", "2": "c"}))
    assert {name: one and one.text for name, one in found.items()} == {"10": "a", "12": "c"}
    csv = _write(tmp_path / "q.csv", "id,db,question,sql\nx,shop,?,a\ny,shop,?,a,b,c\nz,shop,?,a\n")
    found, _ = _paired(csv, _write(tmp_path / "p.txt", "a\nb\nc\n"))
    assert {name: one and one.text for name, one in found.items()} == {"x": "a", "z": "c"}


@pytest.mark.parametrize(
    ("row", "given", "expected"),
    [
        ({"id": 1}, {"1": "a", "2": "b"}, {"1": "a", "2": "b", "3": ""}),
        ({"question_id": 1, "db_id": "shop"}, {"1": "a", "2": "b"}, {"1": "", "2": "a", "3": "b"}),
    ],
)
def test_numbers_are_ids_of_own_questions_and_rows_of_bird(
    tmp_path: Path, row: dict[str, Any], given: dict[str, str], expected: dict[str, str]
) -> None:
    (name, first), *more = row.items()
    rows = [{name: first + place, **dict(more), "question": "?", "SQL": "select 0"} for place in range(3)]
    found, _ = _paired(_write(tmp_path / "q.json", rows), _write(tmp_path / "p.json", given))
    assert {name: one.text if one else None for name, one in found.items()} == expected


def test_fields_of_questions_in_another_case(tmp_path: Path) -> None:
    file = _write(tmp_path / "q.csv", "ID,Question,SQL,Database,Prediction\n7,Who?,select 1,shop,select 1\n")
    (case,) = suite.load_cases(file).cases
    assert (case.id, case.question, case.metadata["prediction"]) == ("7", "Who?", "select 1")
    assert (_gold(case).sql, _gold(case).database) == (("select 1",), "shop")


def test_a_value_that_is_no_text_is_listed(two: Path, tmp_path: Path) -> None:
    _, problems = _paired(two, _write(tmp_path / "p.json", {"0": 7, "1": "select 1"}))
    assert problems == ["1 question without a prediction: 1471"]


def test_a_key_that_is_missing_moves_no_other(two: Path, tmp_path: Path) -> None:
    found, problems = _paired(two, _write(tmp_path / "p.jsonl", '{"id": "1500", "sql": "select 2"}\n'))
    assert found["1500"] is not None
    assert found["1500"].text == "select 2"
    assert problems == ["1 question without a prediction: 1471"]


def test_the_last_of_two_predictions_counts_and_is_said(two: Path, tmp_path: Path) -> None:
    rows = '{"row": 0, "query": "select 1"}\n{"row": 0, "query": "select 2"}\n{"row": 1, "query": "select 3"}\n'
    found, problems = _paired(two, _write(tmp_path / "p.jsonl", rows))
    assert found["1471"] is not None
    assert found["1471"].text == "select 2"
    assert any("in place of the one in line 1" in one for one in problems)


def test_a_fence_is_kept_for_the_public_figures(two: Path, tmp_path: Path) -> None:
    text = "```sql\nselect 1\n```\nor\n```sql\nselect 2\n```"
    found, _ = _paired(two, _write(tmp_path / "p.json", {"0": text, "1": "select 3;"}))
    first = found["1471"]
    assert first is not None
    assert (first.text, first.raw, first.first_sql) == ("select 2", text, "select 1")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.csv", "id,answer\n1471,select 5\n"),
        ("p.csv", "Question_ID,SQL\n1471,select 5\n"),
        ("p.tsv", "id\tmodel\toutput\n1471\tgpt\tselect 5\n"),
        ("p.jsonl", '{"id": 1471, "answer": "select 5"}\n'),
        ("p.jsonl", '{"id": 1471, "response": "```sql\\nselect 5\\n```"}\n'),
        ("p.json", '{"1471": "select 5"}'),
        ("p.json", '{"1471": {"response": "select 5"}}'),
        ("p.json", '{"id": 1471, "sql": "select 5"}'),
    ],
)
def test_sql_is_found_under_the_names_that_people_give_it(two: Path, tmp_path: Path, name: str, text: str) -> None:
    found, _ = _paired(two, _write(tmp_path / name, text))
    assert found["1471"] is not None
    assert (found["1471"].text, found["1471"].problem) == ("select 5", "")


def test_a_list_of_texts_is_in_the_order_of_the_questions(two: Path, tmp_path: Path) -> None:
    found, problems = _paired(two, _write(tmp_path / "p.json", ["select 10", "select 20\tshop"]))
    assert [one.text for one in found.values() if one is not None] == ["select 10", "select 20"]
    assert problems == []
    found, problems = _paired(two, _write(tmp_path / "q.json", ["select 10", None]))
    assert [one.problem for one in found.values() if one is not None] == ["", "no prediction"]
    found, problems = _paired(two, _write(tmp_path / "r.json", ["select 10"]))
    assert set(found.values()) == {None}
    assert problems == ["1 prediction for 2 questions"]


def test_rows_as_floats_and_sql_in_upper_case_in_json_lines(two: Path, tmp_path: Path) -> None:
    lines = '{"row": 1.0, "SQL": "select 20"}\n{"row": "0", "SQL": "select 10"}\n'
    found, _ = _paired(two, _write(tmp_path / "p.jsonl", lines))
    texts = {name: one.text for name, one in found.items() if one is not None}
    assert texts == {"1471": "select 10", "1500": "select 20"}


def test_an_object_of_ids_that_are_words_is_read(tmp_path: Path) -> None:
    row = '{"id": "buyers", "db": "shop", "question": "?", "sql": "select 1"}\n'
    found, problems = _paired(_write(tmp_path / "q.jsonl", row), _write(tmp_path / "p.json", {"buyers": "select 5"}))
    assert found["buyers"] is not None
    assert (found["buyers"].text, problems) == ("select 5", [])


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("p.csv", "id,note\n1471,select 5\n", ("the fields id, note", "predicted_sql")),
        ("p.csv", "id,answer,output\n1471,select 5,7\n", ("the fields id, answer, output", "answer and output could")),
        ("p.csv", "id,sql\nnone,select 5\n", ("none of the 1 prediction", "none", "1471")),
        ("p.json", '{"none": "select 5"}', ("none of the 1 prediction", "none", "1471")),
    ],
)
def test_predictions_of_no_question_are_an_error_and_no_score(
    two: Path, tmp_path: Path, name: str, text: str, said: tuple[str, ...]
) -> None:
    with pytest.raises(UserError) as caught:
        _paired(two, _write(tmp_path / name, text))
    assert all(words in f"{caught.value.message} {caught.value.hint}" for words in said)


def test_sql_as_python_values(tmp_path: Path) -> None:
    database(tmp_path)
    rows = [{"id": name, "db": "shop", "question": "?", "sql": "SELECT 1"} for name in ("a", "b")]
    given = [{"id": "a", "sql": "SELECT 1"}, {"instance_id": "b", "sql": "SELECT 2"}]
    result = karat.score("answers", question_file(tmp_path, rows), given, options={"databases": str(tmp_path)})
    assert [case.scores["strict"].value for case in result.cases] == [1, 0]


def test_a_test_suite_is_found_in_whatever_case(tmp_path: Path) -> None:
    file = database(tmp_path / "suite", "Shop")
    assert suite_files(str(tmp_path / "suite"), "shop") == (str(file),)
    with pytest.raises(UserError, match="no folder"):
        suite_files(str(tmp_path / "suite"), "shoe")


@pytest.mark.parametrize("written", ["loans;count", "loans, count", "loans | count"])
def test_tags_of_a_cell_are_separated(written: str, tmp_path: Path) -> None:
    """As karat import reads them, and karat export writes them."""
    file = _write(tmp_path / "q.csv", f'id,question,sql,tags\na,How many?,SELECT 1,"{written}"\n')
    assert [case.tags for case in suite.load_cases(file).cases] == [("loans", "count")]


def test_too_many_fields_name_the_separator_of_the_file(tmp_path: Path) -> None:
    file = _write(tmp_path / "q.csv", "id;question;sql\na;How many?;SELECT 1;2\n")
    (problem,) = suite.load_cases(file).problems
    assert (problem.message, problem.hint) == (
        "4 fields in a file with 3 columns",
        "Quote fields that contain a semicolon.",
    )
