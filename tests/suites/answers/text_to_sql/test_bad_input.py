"""What bad input gets, line by line of the table in the specification."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import duckdb
import pytest

from karat.core.presentation.case_explanation import explanation_of
from karat.core.problems import UserError
from karat.core.records import Prediction
from karat.core.results.result import CaseResult, RunResult
from karat.reports.json import result_json
from karat.suites.answers import suite
from karat.suites.answers.options import Options
from karat.suites.answers.text_to_sql.files.questions import load_questions
from karat.suites.answers.text_to_sql.gold_check import check_gold_sql
from karat.suites.answers.text_to_sql.running.databases import engine_settings, suite_files
from karat.verbs.answers.questions import score_queries, with_case_keys
from tests.suites.answers.text_to_sql.making import database, question_file

NAMES = "select name from customer"
FIGURES = ("bird_ex", "bird_f1", "spider_exec", "defog_exact", "defog_correct")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    database(tmp_path / "databases")


def scored(rows: list[dict[str, Any]], given: Any = None, *settings: str, databases: str = "databases") -> RunResult:
    """Questions on the shop, scored; ``given`` is a text or rows of predictions."""
    here = Path.cwd()
    predictions = None
    if isinstance(given, str):
        predictions = here / "given.txt"
        predictions.write_text(given)
    elif given is not None:
        predictions = question_file(here, given, "given.jsonl")
    questions = question_file(here, [{"db": "shop", "question": "Who?", "sql": NAMES, **row} for row in rows])
    return score_queries(questions, predictions, databases, settings=settings, workers=1)


def only(rows: list[dict[str, Any]], *settings: str) -> CaseResult:
    (case,) = scored(rows, None, *settings).cases
    return case


def messages(result: RunResult) -> list[str]:
    return [f"{problem.message} {problem.hint}" for problem in result.problems]


@pytest.mark.parametrize(
    ("name", "text", "line", "said"),
    [
        ("gold.sql", "select 1\tshop\nselect 2 shop\n", 2, "a tab and the name of the database"),
        ("dev.json", '[{"db_id": "a", "question": "?", "query": "select 1"},\n'
         '{"db_id": "a", "question": "?", "question_toks": []}]', 2, "nearest format is Spider: db_id"),
        ("q.jsonl", '{"id": 1, "question": "?", "sql": "select 1"}\n{"id": 2, "question": "?", "gold": "x"}\n', 2,
         "nearest format is your own: id, db, question, sql"),
        ("q.csv", "db_name,db_type,query_category,query,question,instructions\nshop,sqlite,x,,Who?,\n", 2,
         "nearest format is defog"),
        ("mini.json", '[{"question_id": 1, "db_id": "a", "question": "?", "evidence": "", "difficulty": "simple", '
         '"SQL": null}]', 1, "nearest format is BIRD"),
    ],
)  # fmt: skip
def test_a_row_without_gold_has_its_line_its_fields_and_the_nearest_format(
    name: str, text: str, line: int, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    (problem,) = suite.load_cases(tmp_path / name).problems
    assert (problem.line, problem.file) == (line, str(tmp_path / name))
    assert said in problem.hint


def test_fewer_predictions_than_questions_are_counted_and_none_is_shifted() -> None:
    rows = [{"id": str(number)} for number in range(4)]
    by_line = scored(rows, f"{NAMES}\tshop\n{NAMES}\tshop\n{NAMES}\tother\n")
    assert any("3 predictions for 4 questions" in said and "line 3" in said for said in messages(by_line))
    assert {case.status for case in by_line.cases} == {"error"}
    by_key = scored(rows, [{"id": "0", "sql": NAMES}, {"id": "3", "sql": NAMES}])
    assert [case.scores["strict"].value for case in by_key.cases] == [1.0, 0.0, 0.0, 1.0]
    assert any("2 questions without a prediction: 1, 2" in said for said in messages(by_key))


def test_databases_that_are_not_there_are_named_with_the_path_that_was_tried(tmp_path: Path) -> None:
    folder = tmp_path / "databases"
    (folder / "broken.sqlite").write_bytes(b"not a database at all" * 50)
    (folder / "lfs.sqlite").write_text(f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 9\n")
    (folder / "empty.sqlite").touch()
    names = ("shopp", "broken", "lfs", "../shop", "empty")
    rows = [{"id": name, "db": name, "prediction": NAMES} for name in (*names, "shop")]
    errors = {case.id: case.error for case in scored(rows).cases}
    assert "databases/shopp/shopp.sqlite" in errors["shopp"] and 'Did you mean "shop"?' in errors["shopp"]
    assert "neither a SQLite nor a DuckDB file" in errors["broken"]
    assert "This is a Git LFS pointer of" in errors["lfs"] and "run git lfs pull" in errors["lfs"]
    assert "cannot be used in a path" in errors["../shop"]
    assert "empty.sqlite is empty" in errors["empty"]
    assert errors["shop"] == ""


def test_a_folder_of_databases_that_is_not_there_is_one_mistake() -> None:
    said = set()
    for name in ("shop", "office"):
        with pytest.raises(UserError) as error:
            engine_settings("nowhere", name)
        said.add(error.value.message)
    assert said == {"nowhere cannot be read: No such file or directory"}


@pytest.mark.parametrize(
    ("text", "state", "reason"),
    [
        ("", "wrong", "missing_prediction"),
        (None, "wrong", "missing_prediction"),
        ("The customers are Ada, Ben and Cleo.", "wrong", "sql_error"),
        (f"```sql\nselect 1\n```\nNo:\n```sql\n{NAMES}\n```", "right", ""),
        (f"{NAMES};", "right", ""),
        (f"{NAMES} ; -- all of them", "right", ""),
        (f"-- all of them\n{NAMES} /* really */", "right", ""),
        (f"/* ; */ {NAMES} -- ; drop table customer", "right", ""),
    ],
)
def test_predictions_that_are_empty_prose_or_wrapped(text: str | None, state: str, reason: str) -> None:
    (case,) = scored([{"id": "a"}], [{"id": "a", "sql": text}]).cases
    assert (case.details["strict"]["state"], case.details["reason"]) == (state, reason)
    if state == "wrong":
        assert {case.scores[name].value for name in FIGURES} == {0.0}


def test_prose_of_a_live_system_is_an_error(tmp_path: Path) -> None:
    (case,) = suite.load_cases(
        question_file(tmp_path, [{"id": "a", "db": "shop", "question": "?", "sql": NAMES}])
    ).cases
    said = Prediction("a", None, response=b"I cannot tell you that.", latency=1.0)
    with pytest.raises(Exception, match="no SQL in the response"):
        suite.compare(case, 0, said, Options(databases="databases"))


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        ("select {name, id from customer", "column 8"),
        (f"select {{{', '.join('abcdefgh')}}} from customer", "at most 64"),
    ],
)
def test_choices_that_do_not_close_or_are_too_many(gold: str, said: str) -> None:
    row = {"db_name": "shop", "db_type": "sqlite", "query": gold, "question": "?", "prediction": NAMES}
    file = Path("q.jsonl")
    file.write_text(json.dumps(row))
    (case,) = score_queries(file, None, "databases", workers=1).cases
    assert case.status == "not_applicable"
    assert "gold_error" in case.error and said in case.error


def test_two_questions_or_two_predictions_of_one_id() -> None:
    found = scored([{"id": "a"}, {"id": "a"}], [{"id": "a", "sql": "select 1"}, {"id": "a", "sql": NAMES}])
    assert any('"a" appears twice: also in line 1' in said for said in messages(found))
    assert any("in place of the one in line 1" in said for said in messages(found))
    assert found.cases[0].scores["strict"].value == 1.0


# -- SQL of another kind of database ----------------------------------------------------------------------------------

FOREIGN = {
    "select extract(year from day) from sale where id = 1": "EXTRACT has another form there",
    "select name from customer where name ilike 'ada'": "ILIKE",
    "select date_trunc('month', day) from sale where id = 2": "date_trunc",
    "select to_char(day, 'YYYY') from sale where id = 2": "to_char",
    "select amount::int from sale where id = 1": "CAST",
}


@pytest.mark.parametrize("gold", FOREIGN)
def test_postgres_sql_on_sqlite_is_offered_a_translation_and_never_translated_silently(gold: str) -> None:
    row = {"id": "a", "sql": gold, "prediction": gold}
    refused = only([row])
    assert refused.status == "not_applicable"
    assert "dialect: postgres → sqlite" in refused.error and "--transpile" in refused.error
    assert FOREIGN[gold].lower() in refused.error.lower()
    cases = suite.load_cases(question_file(Path.cwd(), [{"db": "shop", "question": "?", **row}])).cases
    (problem,) = check_gold_sql(cases, Options(databases="databases"))
    assert "dialect: postgres → sqlite" in problem.message
    done = only([row], "transpile=auto")
    assert done.details["strict"]["state"] == "right"
    assert "transpiled: postgres → sqlite" in done.details["strict"]["normalised"]
    assert "transpiled: postgres → sqlite" in done.details["sql"]["gold_note"]


def test_translated_values_are_those_of_the_other_database() -> None:
    for gold, same, other in (
        ("select extract(month from day) from sale where id = 4", "select 2", "select '02'"),
        (
            "select date_trunc('year', day) from sale where id = 4",
            "select '2024-01-01 00:00:00'",
            "select '2024-02-01'",
        ),
        ("select to_char(day, 'YYYY-MM') from sale where id = 4", "select '2024-02'", "select '2024-01'"),
    ):
        right = only([{"id": "a", "sql": gold, "prediction": same}], "transpile=postgres")
        assert right.scores["bird_ex"].value == 1.0, gold
        wrong = only([{"id": "a", "sql": gold, "prediction": other}], "transpile=postgres")
        assert wrong.scores["bird_ex"].value == 0.0, gold


def test_what_has_no_translation_or_two_says_so() -> None:
    interval = only(
        [{"id": "a", "sql": "select day + interval '1 month' from sale", "prediction": NAMES}], "transpile=auto"
    )
    assert interval.status == "not_applicable"
    assert "postgres → sqlite" in interval.error and "--transpile does not help" in interval.error
    divided = {"id": "a", "sql": "select 7 / 2 from customer where name ilike 'ben'", "prediction": "select 3"}
    unclear = only([divided], "transpile=auto")
    assert unclear.status == "not_applicable"
    assert "--option transpile=" in unclear.error
    assert only([divided], "transpile=postgres").scores["bird_ex"].value == 1.0
    assert only([divided], "transpile=mysql").scores["bird_ex"].value == 0.0
    assert only([{**divided, "dialect": "mysql"}], "transpile=auto").scores["bird_ex"].value == 0.0


def test_a_mistake_in_the_sql_of_the_right_dialect_gets_no_offer() -> None:
    for gold in ("select lenght(name) from customer", "select nam from customer", "selec name from customer"):
        assert "dialect" not in only([{"id": "a", "sql": gold, "prediction": NAMES}]).error


def test_a_profile_that_does_not_judge_is_no_reason_and_notes_are_shown() -> None:
    (case,) = scored([{"id": "q"}], [{"id": "q", "sql": f"```sql\n{NAMES}\n```"}]).cases
    found = explanation_of("answers", case)
    assert (found.outcome, found.note) == ("right", "fence")
    assert found.headline.startswith("right by strict (fence), not by bird_ex")
    (plain,) = scored([{"id": "q"}], [{"id": "q", "sql": NAMES}]).cases
    assert explanation_of("answers", plain).headline == ""


def test_the_words_of_the_database_come_before_the_parts_that_differ(capfd: pytest.CaptureFixture[str]) -> None:
    (case,) = scored([{"id": "q"}], [{"id": "q", "sql": "select name from nowhere where name ->> '$.a b' = 1"}]).cases
    said = explanation_of("answers", case).headline
    assert said.startswith("sql_error: no such table: nowhere; uses the table `nowhere`")
    assert capfd.readouterr().err == ""
    logging.getLogger("sqlglot").warning("a query that it does not know")
    assert capfd.readouterr().err == ""


def test_a_file_that_is_not_there_is_called_what_it_is() -> None:
    questions = question_file(Path.cwd(), [{"id": "q", "db": "shop", "question": "Who?", "sql": NAMES}])
    with pytest.raises(UserError, match="no file of questions") as caught:
        score_queries(Path("team.json"), None, "databases")
    assert "team.jsonl" in caught.value.hint
    question_file(Path.cwd(), [{"id": "q", "sql": NAMES}], "given.jsonl")
    with pytest.raises(UserError, match="no file of predictions") as caught:
        score_queries(questions, Path("givn.jsonl"), "databases")
    assert "given.jsonl" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "text"),
    [("q.csv", "id,question,gold\nq,Who?,select 1\n"), ("q.json", '[{"id": 1, "question": "?", "gold": "select 1"}]')],
)
def test_questions_without_a_place_for_sql_name_their_fields(name: str, text: str) -> None:
    Path(name).write_text(text)
    with pytest.raises(UserError, match="its fields are id, question, gold") as caught:
        score_queries(Path(name), None, "databases")
    assert "sql, query, SQL or gold_sql" in caught.value.hint


def test_counterexamples_are_said_to_be_for_sqlite_only() -> None:
    with duckdb.connect("shop.duckdb") as connection:
        connection.execute("create table customer as select 'Ada' as name")
    rows = [{"id": "q", "prediction": NAMES}]
    result = scored(rows, None, "counterexamples=true", databases="shop.duckdb")
    (problem,) = result.problems
    assert (problem.severity, "1 question on duckdb" in problem.message) == ("warning", True)
    assert scored(rows, None, "counterexamples=true").problems == ()


def test_a_relative_path_is_relative_to_the_working_folder_of_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        folder = tmp_path / name
        (folder / "suite" / "shop").mkdir(parents=True)
        (folder / "shop.sqlite").write_bytes(b"SQLite format 3\x00")
        (folder / "suite" / "shop" / f"{name}.sqlite").touch()
        monkeypatch.chdir(folder)
        assert engine_settings("shop.sqlite", "shop")["path"] == str(folder / "shop.sqlite")
        assert suite_files("suite", "shop") == (str(folder / "suite" / "shop" / f"{name}.sqlite"),)


def test_a_bad_row_does_not_move_the_predictions_of_the_others(tmp_path: Path) -> None:
    gold = tmp_path / "dev_gold.sql"
    gold.write_text("select count(*) from sale\tshop\nselect 1 shop\nselect name from customer where id = 2\tshop\n")
    predicted = tmp_path / "predict.txt"
    predicted.write_text("select count(*) from sale\nselect 1\nselect 'Ben'\n")
    result = score_queries(gold, predicted, "databases", workers=1)
    assert [(case.id, case.scores["strict"].value) for case in result.cases] == [("0", 1.0), ("2", 1.0)]
    assert [(one.line, one.message) for one in result.problems] == [(2, "a gold line without a tab")]


def test_a_file_without_gold_sql_says_where_and_what_may_be_meant(tmp_path: Path) -> None:
    file = question_file(tmp_path, [{"db_id": "shop", "question": "How many?", "queri": "select 1"}], "dev.jsonl")
    with pytest.raises(UserError) as caught:
        score_queries(file, file, "databases", workers=1)
    said = str(caught.value)
    assert f"{file}:1" in said
    assert "queri" in said
    assert "The nearest format is Spider" in said
    assert 'Did you mean "query"?' in said


def test_an_id_is_used_whatever_the_other_fields_are_called(tmp_path: Path) -> None:
    own = {"id": "a", "db_name": "shop", "query": "select 1", "question": ""}
    bird = {"id": "b", "db_id": "shop", "SQL": "select 1", "question": ""}
    defog = {"db_name": "shop", "query": "select 1", "question": "", "query_category": "group_by"}
    found = [load_questions(question_file(tmp_path, [row], "one.jsonl")).cases[0] for row in (own, bird, defog)]
    assert [case.id for case in found] == ["a", "b", "0"]
    golds = [turn.target for case in found for turn in case.conversation]
    assert [gold.queries.form for gold in golds if gold and gold.queries] == ["own", "bird", "defog"]


def test_the_json_of_a_failed_gold_says_so() -> None:
    rows = [{"id": "q", "db": "shop", "question": "?", "sql": "select nme from customer", "prediction": NAMES}]
    (case,) = json.loads(with_case_keys(result_json(scored(rows))))["cases"]
    assert (case["outcome"], case["gold_status"]) == ("gold_error", "error")
    assert "no such column: nme" in case["reason"]


def test_the_sql_in_the_words_of_an_answer_is_run(tmp_path: Path) -> None:
    (case,) = suite.load_cases(
        question_file(tmp_path, [{"id": "a", "db": "shop", "question": "?", "sql": NAMES}])
    ).cases
    words = {"answer": f"<think>select 2?</think>Here it is:\n```sql\n{NAMES}\n```\nIt lists all."}
    said = Prediction("a", None, response=json.dumps(words).encode(), latency=1.0)
    assert suite.compare(case, 0, said, Options(databases="databases")).strict.state == "right"


@pytest.mark.parametrize(
    ("sql", "hint"),
    [
        ("select nme from customer", 'Did you mean "name" (of customer'),
        ("select customer.nme from customer", 'Did you mean "name" (of customer'),
        ("select name from custmer", 'Did you mean "customer"?'),
        ("select name customer", '"name" is a column of customer'),
        ("select name from customer where", ""),
    ],
)
def test_a_name_that_gold_sql_misspells_has_the_nearest_one_in_the_hint(sql: str, hint: str, tmp_path: Path) -> None:
    rows = [{"id": "a", "db": "shop", "question": "?", "sql": sql}]
    (problem,) = check_gold_sql(suite.load_cases(question_file(tmp_path, rows)).cases, Options(databases="databases"))
    assert problem.message.startswith('"a": the gold SQL fails: ')
    assert problem.hint.startswith(hint) and bool(problem.hint) == bool(hint)


def test_a_key_that_is_nearly_one_with_a_meaning_is_warned_of_once(tmp_path: Path) -> None:
    rows = [{"id": name, "question": "?", "sql": "select 1", "ordr": "yes", "owner": "me"} for name in "ab"]
    (problem,) = suite.load_cases(question_file(tmp_path, rows)).problems
    assert (problem.severity, problem.message) == ("warning", 'the key "ordr" has no meaning here')
    assert problem.hint == 'Did you mean "order"?'


def test_a_text_that_yaml_ends_at_a_comma_is_refused_and_not_asked_cut_short(tmp_path: Path) -> None:
    (tmp_path / "q.yaml").write_text("- {id: a, question: Who came, and when, sql: select 1}\n")
    loaded = suite.load_cases(tmp_path / "q.yaml")
    (problem,) = loaded.problems
    assert not loaded.cases
    assert (problem.line, problem.message) == (1, 'the key "and when" has no value')
    assert "put the text in quotes" in problem.hint


def test_a_csv_of_questions_may_have_semicolons(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("\ufeffid;question;sql\r\na;How many, in all?;select count(*), 1 from customer\r\n")
    (case,) = suite.load_cases(tmp_path / "q.csv").cases
    assert case.question == "How many, in all?"


@pytest.mark.parametrize(
    ("first", "meant"),
    [
        ({"id": "a", "question": "How many?", "sqll": "select 1", "db": "shop"}, 'Did you mean "sql"?'),
        ({"id": "a", "question": "How many?", "db_id": "shop"}, "The nearest format is"),
    ],
)
def test_a_first_question_without_gold_does_not_make_the_file_another_one(
    tmp_path: Path, first: dict[str, str], meant: str
) -> None:
    """A file is recognised as JSON lines by its first row, which may be the bad one."""
    rows = [first, {"id": "b", "question": "Who?", "sql": "select 2", "db": "shop"}]
    loaded = suite.load_cases(question_file(tmp_path, rows))
    assert [case.id for case in loaded.cases] == ["b"]
    (problem,) = (one for one in loaded.problems if one.severity == "error")
    assert problem.line == 1
    assert problem.message.startswith("a question without gold SQL; it has the fields id, question")
    assert meant in problem.hint


@pytest.mark.parametrize(
    ("asked", "given", "near"),
    [("2.0", "2", "2.0"), ("2", "2.0", "2"), ("007", "7", "007"), ("q_three", "Q_Three ", "q_three"), ("12", "13", "")],
)
def test_an_id_written_otherwise_is_not_taken_for_the_same_and_the_nearest_is_named(
    asked: str, given: str, near: str
) -> None:
    rows = [{"id": asked}, {"id": "other"}]
    result = scored(rows, [{"id": given, "sql": NAMES}, {"id": "other", "sql": NAMES}])
    (said,) = [one for one in messages(result) if "unknown questions" in one]
    assert (f'"{near}" is nearest to "{given}"' in said) is bool(near)
    assert next(case for case in result.cases if case.id == asked).scores["strict"].reason == "missing_prediction"
    with pytest.raises(UserError) as caught:
        scored(rows, [{"id": given, "sql": NAMES}])
    assert ("is nearest to" in caught.value.hint) is bool(near)


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff"])
def test_an_empty_file_is_called_empty(text: str) -> None:
    questions = question_file(Path.cwd(), [{"id": "a", "db": "shop", "question": "Who?", "sql": NAMES}])
    given = Path("given.json")
    given.write_text(text)
    with pytest.raises(UserError) as caught:
        score_queries(questions, given, "databases", workers=1)
    said = " ".join([str(caught.value), *(one.message for one in caught.value.problems)])
    assert "empty" in said
    assert "not valid JSON" not in said
