"""What a live system may return: SQL or an answer in every form, and responses that say nothing."""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.records import Case, Prediction, Turn
from karat.core.suite import Unreadable
from karat.runs.scores.scoring import score_try
from karat.suites.answers import suite
from karat.suites.answers.options import Options
from karat.suites.answers.records import Answer, Entry, Gold
from karat.suites.answers.responses import answer_given, read_answer
from tests.reply_forms import body, chat, json_forms, text_forms, tool_call

SQL = "SELECT name, \"a{b}\" FROM t WHERE x > '```'"
FENCED = f"First try:\n```sql\nSELECT 0\n```\nBetter:\n```sql\n{SQL}\n```\nDone."


@pytest.mark.parametrize("form", json_forms({"sql": SQL}))
def test_sql_is_found_in_every_form(form: str) -> None:
    assert read_answer(json_forms({"sql": SQL})[form], live=True) == Answer("", "sql", SQL)


@pytest.mark.parametrize("form", json_forms({"answer": "Oslo, 1.5 {km}"}))
def test_an_answer_is_found_in_every_form(form: str) -> None:
    assert read_answer(json_forms({"answer": "Oslo, 1.5 {km}"})[form], live=True) == Answer(
        "", "answer", "Oslo, 1.5 {km}"
    )


@pytest.mark.parametrize("form", text_forms(FENCED))
def test_the_last_sql_block_is_the_answer_and_the_first_is_kept(form: str) -> None:
    assert read_answer(text_forms(FENCED)[form], live=True) == Answer("", "sql", SQL, first_sql="SELECT 0")


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        (chat(SQL), Answer("", "sql", SQL)),
        (chat(f"```\n{SQL}\n```"), Answer("", "sql", SQL)),
        (chat("WITH a AS (SELECT 1) SELECT * FROM a"), Answer("", "sql", "WITH a AS (SELECT 1) SELECT * FROM a")),
        (chat(tool_calls=[tool_call({"query": SQL}, "run_sql")]), Answer("", "sql", SQL)),
        (chat("Select the best: Oslo."), Answer("", "answer", "Select the best: Oslo.")),
        (chat('```sql\nSELECT 1\n```\n{"answer": 42}'), Answer("", "answer", "42")),
        (chat("<think>Perhaps 7?</think>It is 42."), Answer("", "answer", "It is 42.")),
        ({"answer": "<think>Perhaps 7?</think>It is 42."}, Answer("", "answer", "It is 42.")),
        (chat(None, refusal="I may not."), Answer("", "answer", problem="refused: I may not.")),
    ],
)
def test_further_forms(response: Any, answer: Answer) -> None:
    assert read_answer(body(response), live=True) == answer


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (body(chat('{"answer": "Os')), "starts like JSON but is not valid"),
        (body(chat("It is 42, because", finish="length")), "cut off"),
        (body(chat("```sql\nSELECT 1\n```\nand", finish="length")), "cut off"),
        (body(chat('{"answer": 1} {"answer": 2}')), "2 different answers"),
        (body(chat('{"sql": "SELECT 1"}', tool_calls=[tool_call({"sql": "SELECT 2"})])), "2 different answers"),
        (body(chat(tool_calls=[tool_call({"q": "x"}, "look_up")])), "its keys are: q"),
        (body(chat("42", finish="content_filter")), "content filter"),
        (b"<html><body>42</body></html>", "web page"),
        (b"\xff\xfe\xff", "not UTF-8"),
        (b"", "empty"),
    ],
)
def test_what_cannot_be_read_is_an_error(response: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_answer(response, live=True)


@given(st.binary(max_size=200) | st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["choices", "message", "content",
                "answer", "sql", "query", "response", "output", "kind", "instance_id"]), inner, max_size=4),
    max_leaves=10).map(body))  # fmt: skip
def test_any_bytes_are_an_answer_or_unreadable(response: bytes) -> None:
    with suppress(Unreadable):
        assert isinstance(read_answer(response, live=True), Answer)


# -- SQL of a live system is run on the engine of its case
# -----------------------------------------------------------------


@pytest.fixture
def table_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case[Gold]:
    monkeypatch.chdir(tmp_path)
    for name, value in (("shop", 7), ("zoo", 9)):
        with sqlite3.connect(tmp_path / f"{name}.sqlite") as connection:
            connection.execute("CREATE TABLE t (n INTEGER)")
            connection.execute("INSERT INTO t VALUES (?)", (value,))
        connection.close()
    (tmp_path / "gold.csv").write_text("n\n9\n", encoding="utf-8")
    gold = Gold("zoo", (Entry("table_match", {"gold": "gold.csv"}, (str(tmp_path / "gold.csv"),)),))
    return Case("zoo", (Turn("user", "How many?", gold),), metadata={"db_id": "zoo"})


def options(path: str) -> Options:
    return msgspec.convert({"engines": {"": {"engine": "sqlite", "database": path}}}, Options)


def scored(case: Case[Gold], response: Any, given: Options) -> Any:
    found = Prediction(case.id, response=body(response), latency=0.1)
    return score_try(suite, case, {0: found}, given)


@pytest.mark.parametrize("path", ["{id}.sqlite", "{database}.sqlite"])
def test_the_case_and_its_database_reach_the_engine(table_case: Case[Gold], path: str) -> None:
    found = scored(table_case, chat("```sql\nSELECT n FROM t\n```"), options(path))
    assert (found.status, found.scores["strict"].value, found.scores["spider2"].value) == ("scored", 1.0, 1.0)
    forged = {"instance_id": "shop", "sql": "SELECT n FROM t"}
    assert scored(table_case, forged, options(path)).scores["strict"].value == 1.0, (
        "the case says which, not the response"
    )


def test_a_case_without_a_database_says_so(table_case: Case[Gold]) -> None:
    nameless = msgspec.structs.replace(table_case, metadata={})
    found = scored(nameless, chat("```sql\nSELECT n FROM t\n```"), options("{database}.sqlite"))
    assert found.status == "error"
    assert "does not say which database" in found.error and "db_id" in found.error


def test_each_profile_judges_its_block(table_case: Case[Gold]) -> None:
    wrong, right = "```sql\nSELECT 1 AS n\n```", "```sql\nSELECT n FROM t\n```"
    found = scored(table_case, chat(f"{wrong}\nNo:\n{right}"), options("{id}.sqlite"))
    assert (found.scores["strict"].value, found.scores["spider2"].value) == (1.0, 0.0)
    found = scored(table_case, chat(f"{right}\nOr:\n{wrong}"), options("{id}.sqlite"))
    assert (found.scores["strict"].value, found.scores["spider2"].value) == (0.0, 1.0)
    broken = "```sql\nSELECT nothing FROM nowhere\n```"
    found = scored(table_case, chat(f"{broken}\nNo:\n{right}"), options("{id}.sqlite"))
    assert (found.scores["strict"].value, found.scores["spider2"].value) == (1.0, 0.0)


def test_words_where_the_gold_is_a_table_are_an_error(table_case: Case[Gold]) -> None:
    found = scored(table_case, chat("There are 9 of them."), options("{id}.sqlite"))
    assert found.status == "error"
    assert "no SQL and no table in the response" in found.error and "There are 9 of them." in found.error


def test_a_refusal_is_a_wrong_answer(table_case: Case[Gold]) -> None:
    found = scored(table_case, chat(None, refusal="I may not."), options("{id}.sqlite"))
    assert (found.status, found.scores["strict"].value, found.details["reason"]) == (
        "scored",
        0.0,
        "missing_prediction",
    )
    number = Gold("zoo", (Entry("number_match", {"gold": [9]}),))
    case = msgspec.structs.replace(table_case, conversation=(Turn("user", "How many?", number),))
    assert scored(case, chat(None, refusal="Not 9."), Options()).scores["strict"].value == 0.0
    assert scored(case, json.loads('{"answer": 9}'), Options()).scores["strict"].value == 1.0


@pytest.mark.parametrize(
    ("response", "near"),
    [
        ({"answr": 3}, "answer"),
        ({"Answers": ["north"]}, "answer"),
        ({"sqll": "SELECT 1"}, "sql"),
        ({"qury": "SELECT 1"}, "query"),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_misspelt_key_is_an_error_with_the_nearest_key(response: dict[str, Any], near: str, wrapped: bool) -> None:
    given = chat(json.dumps(response)) if wrapped else response
    with pytest.raises(Unreadable, match=f'Did you mean "{near}"'):
        read_answer(json.dumps(given).encode())


def test_other_json_is_no_misspelt_key() -> None:
    assert read_answer(b'{"answer": 3, "comment": "of 5"}').text == "3"
    assert read_answer(b'"the value is {x: 1}"').kind == "answer"


QUERY = "SELECT n FROM t WHERE a < 3"


@pytest.mark.parametrize(
    "text",
    [
        f"```sql\n{QUERY}\n```\nOutput:\n```sql\n-- 4\n```",
        f"```sql\n{QUERY}\n```\nTo make it faster:\n```sql\nCREATE INDEX i ON t(a);\n```",
        f"```sql\nSELECT n FROM t\n```\nBetter:\n```sql\n{QUERY}\n```",
        f"{QUERY}\n\nThis query counts all plots that are small.",
        f"{QUERY};\nIt counts all the small plots.",
        QUERY.replace("WHERE", "\n\nWHERE"),
        f'<p>Run</p><pre><code class="language-sql">{QUERY.replace("<", "&lt;")}</code></pre>',
    ],
)
def test_what_is_beside_a_query_is_no_part_of_it(text: str) -> None:
    answer = answer_given(body(chat(text)))
    assert (answer.kind, " ".join(answer.text.rstrip(";").split())) == ("sql", QUERY)


def test_only_statements_beside_a_query_are_an_answer_all_the_same() -> None:
    assert answer_given(body(chat("```sql\nCREATE INDEX i ON t(a)\n```"))).text == "CREATE INDEX i ON t(a)"


def test_a_sentence_that_begins_like_a_query_is_words() -> None:
    assert answer_given(body(chat("Select the rows with two loans from the table, then count."))).kind == "answer"
    assert answer_given(body(chat("SELECT theme FROM t"))).kind == "sql"


@pytest.mark.parametrize("label", ["text", "plaintext", "code", "mssql", "t-sql", "googlesql", "trino", "SQL"])
def test_queries_in_blocks_with_other_labels(label: str) -> None:
    answer = answer_given(body(chat(f"Here:\n```{label}\n{QUERY}\n```\nIt counts.")))
    assert (answer.kind, answer.text) == ("sql", QUERY)
