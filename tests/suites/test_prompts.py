"""What each suite tells a model: hints from real files and databases, bounded, and without the expected answer."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.core.records import Case, Turn
from karat.core.system import PromptedConfig
from karat.runs.calls.calling import first_request
from karat.runs.calls.prompts import hints_of
from karat.suites.answers.options import Engine
from karat.suites.answers.records import Gold
from karat.suites.codegen.records import TableSource, Task
from karat.suites.data_query.prompts import MOST_CODES, MOST_CODES_IN_ALL
from karat.suites.retrieval.records import Truths
from karat.systems.prompts.prompt import Prompt
from karat.systems.prompts.rendering import Renderer
from tests.suites.data_query.building import case, target


def hint(suite: str, name: str, asked: Case[Any], **options: Any) -> Any:
    loaded = load_suite(suite)
    return loaded.prompting.hints[name].of(asked, loaded.options(**options))


def default_text(suite: str, asked: Case[Any], **options: Any) -> str:
    """The last message that the suite's default prompt sends."""
    loaded = load_suite(suite)
    prompt = Prompt(PromptedConfig(type="function", prompt=loaded.prompting.default), loaded)
    hints = hints_of(prompt, loaded, asked, loaded.options(**options))
    with Renderer() as renderer:
        return str(prompt.applied(first_request(asked), hints, renderer).messages[-1]["content"])


def gold(name: str) -> Case[Gold]:
    return Case(name, (Turn("user", "How many ships?", Gold(name, ())),))


def engine(**settings: Any) -> dict[str, Engine]:
    return {"": Engine(**settings)}


def test_answers_shows_the_tables_of_the_database_of_the_case(tmp_path: Path) -> None:
    for name, sql in {
        "a": "CREATE TABLE ships (id INTEGER PRIMARY KEY, 'full name' TEXT)",
        "b": "CREATE TABLE ports (x)",
    }.items():
        with sqlite3.connect(tmp_path / f"{name}.db") as opened:
            opened.execute(sql)
            opened.execute(f"CREATE VIEW seen_{name} AS SELECT 1 AS one")
            opened.execute("CREATE VIEW broken AS SELECT * FROM nowhere")
    options = {"engines": engine(engine="sqlite", database=str(tmp_path / "{id}.db"))}
    assert hint("answers", "schema", gold("a"), **options) == [
        {"name": "seen_a", "columns": [{"name": "one", "type": ""}]},
        {"name": "ships", "columns": [{"name": "id", "type": "INTEGER"}, {"name": "full name", "type": "TEXT"}]},
    ]
    assert [table["name"] for table in hint("answers", "schema", gold("b"), **options)] == ["ports", "seen_b"]
    text = default_text("answers", gold("a"), **options)
    assert "sqlite database" in text
    assert "- ships(id INTEGER, full name TEXT)\n" in text
    assert "```sql" in text
    assert "Question: How many ships?" in text
    with pytest.raises(UserError, match="does not exist"):
        hint("answers", "schema", gold("c"), **options)


def test_answers_shows_duckdb_tables_too(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(str(tmp_path / "x.duckdb")) as opened:
        opened.execute(
            "CREATE TABLE ships (id INTEGER, built DATE); CREATE SCHEMA old; CREATE TABLE old.boats (n VARCHAR)"
        )
    found = hint("answers", "schema", gold("a"), engines=engine(engine="duckdb", database=str(tmp_path / "x.duckdb")))
    assert {table["name"]: [column["type"] for column in table["columns"]] for table in found} == {
        "ships": ["INTEGER", "DATE"],
        "old.boats": ["VARCHAR"],
    }


def test_answers_without_a_database_asks_for_the_answer_alone() -> None:
    assert hint("answers", "schema", gold("a")) == []
    text = default_text("answers", gold("a"))
    assert "answer alone" in text
    assert "sql" not in text.lower()


def test_data_query_lists_the_codes_of_the_structures_and_cuts_them(tmp_path: Path) -> None:
    (tmp_path / "CL_AREA.csv").write_text("id,name\nNO,Norway\nSE,Sweden\n")
    long = "".join(f"C{n},Code {n}\n" for n in range(MOST_CODES + 7))
    (tmp_path / "CL_ITEM.csv").write_text("id,name\n" + long)
    found = hint("data_query", "codelists", case("c", target({"A": ["a"]})), structures=(str(tmp_path),))
    assert {one["dimension"]: (len(one["codes"]), one["more"]) for one in found} == {
        "AREA": (2, 0),
        "ITEM": (MOST_CODES, 7),
    }
    text = default_text("data_query", case("c", target({"A": ["secret"]})), structures=(str(tmp_path),))
    assert "AREA:\n- NO: Norway\n- SE: Sweden\n" in text
    assert "- and 7 more\n" in text
    assert '"indicator_selection"' in text
    assert "secret" not in text
    for number in range(20):
        (tmp_path / f"CL_{number}.csv").write_text("id,name\n" + long)
    many = hint("data_query", "codelists", case("c", target({})), structures=tuple(map(str, tmp_path.glob("*.csv"))))
    assert sum(len(one["codes"]) for one in many) == MOST_CODES_IN_ALL
    assert len(many) == 22


def test_data_query_names_the_dataset_of_a_dimension_where_the_structures_do(tmp_path: Path) -> None:
    import json

    structure = {
        "data": {
            "codelists": [{"id": "CL_X", "agencyID": "AG", "version": "1.0", "codes": [{"id": "a", "name": "Alpha"}]}],
            "dataStructures": [
                {
                    "id": "DSD",
                    "agencyID": "AG",
                    "version": "1.0",
                    "dataStructureComponents": {
                        "dimensionList": {
                            "dimensions": [
                                {
                                    "id": "ITEM",
                                    "localRepresentation": {
                                        "enumeration": "urn:sdmx:org.sdmx.infomodel.codelist.Codelist=AG:CL_X(1.0)"
                                    },
                                }
                            ]
                        }
                    },
                }
            ],
            "dataflows": [
                {
                    "id": "FLOW",
                    "agencyID": "AG",
                    "version": "1.0",
                    "structure": "urn:sdmx:org.sdmx.infomodel.datastructure.DataStructure=AG:DSD(1.0)",
                }
            ],
        }
    }
    file = tmp_path / "s.json"
    file.write_text(json.dumps(structure))
    (found,) = hint("data_query", "codelists", case("c", target({})), structures=(str(file),))
    assert (found["dataset"], found["dimension"], found["codes"]) == ("AG:FLOW(1.0)", "ITEM", {"a": "Alpha"})


def test_data_query_without_structures_has_no_codes() -> None:
    assert hint("data_query", "codelists", case("c", target({}))) == []
    assert "codes to choose from" not in default_text("data_query", case("c", target({})))


def test_retrieval_names_the_fields_and_not_their_truths() -> None:
    sheet = Case("q", (Turn("user", "Which cheese?", Truths({"Shelf[product]": {"brie": 1}, "Shelf[kind]": {}})),))
    text = default_text("retrieval", sheet)
    assert '{"fields": {"Shelf[product]": [' in text
    assert "brie" not in text
    documents = Case("q", (Turn("user", "Which paper?", Truths({"documents": {"d1": 1}})),))
    text = default_text("retrieval", documents)
    assert '{"fields": {"documents": [' in text
    assert "d1" not in text


def test_codegen_shows_columns_types_and_first_rows(tmp_path: Path) -> None:
    file = tmp_path / "fees.csv"
    file.write_text("name,fee\n" + "".join(f"n{n},{n}.5\n" for n in range(9)) + "x" * 200 + ",1\n")
    tables = {"fees": TableSource(path=str(file)), "k": TableSource(columns={"v": [1, None, "y" * 500]})}
    turns = (Turn[Task]("system", "own words"), Turn("user", "Total?", Task(tables=tables, reference="secret = 1")))
    asked = Case("t", turns)
    fees, k = hint("codegen", "tables", asked)
    assert fees["columns"] == [{"name": "name", "type": "text"}, {"name": "fee", "type": "float"}]
    assert fees["rows"] == [[f"n{n}", f"{n}.5"] for n in range(5)]
    assert [row[0][:2] for row in k["rows"]] == ["1", "", "yy"]
    assert len(k["rows"][2][0]) == 80
    assert hint("codegen", "instructions", asked) == "own words"
    text = default_text("codegen", asked)
    assert "```python\nresult = ...\n```" in text
    assert "n4 | 4.5" in text
    assert "secret" not in text
    file.write_text("name,fee\nnew,2\n")
    assert hint("codegen", "tables", asked)[0]["rows"] == [["new", "2"]]


def test_a_task_that_says_itself_where_the_answer_goes_is_not_told_otherwise() -> None:
    asked = Case("t", (Turn("user", "Finish it", Task(template="x = 1\n[insert]\n")),))
    assert hint("codegen", "answer", asked) == ""
    assert "Leave the answer" not in default_text("codegen", asked)
