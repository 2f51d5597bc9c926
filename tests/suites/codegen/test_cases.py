"""Task files: what is read, how paths are resolved, and what a mistake looks like."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from karat.core.case_files.loaded import LoadedCases
from karat.core.problems import UserError
from karat.core.records import Case, truth_hash
from karat.suites.codegen.cases import load_cases, recognises, truth
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Task
from karat.suites.codegen.tasks.check import check_cases
from karat.suites.codegen.tasks.schemas import head, schema_of, values_of

SALES = "city,price,sold\nRome,1,2024-01-02\nOslo,2.5,2024-01-03\nRome,,2024-01-04\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sales.csv").write_text(SALES)
    return tmp_path


def written(folder: Path, text: str, name: str = "tasks.yaml") -> LoadedCases:
    (folder / name).write_text(text)
    return load_cases(folder / name)


def task_of(case: Case[Task]) -> Task:
    target = case.conversation[1].target
    assert target is not None
    return target


def test_a_task_with_a_table_file(folder: Path) -> None:
    loaded = written(
        folder,
        """
- id: total
  question: What is the total price?
  tables: {sales: sales.csv}
  reference: result = sales.price.sum()
  tags: [easy]
  cluster: sums
  timeout: 3
  memory: 200
""",
    )
    assert loaded.problems == ()
    (case,) = loaded.cases
    task = task_of(case)
    assert (case.id, case.question, case.tags) == ("total", "What is the total price?", ("easy",))
    assert Path(task.tables["sales"].path) == (folder / "sales.csv").resolve()
    assert (task.cluster, task.timeout, task.memory_mb) == ("sums", 3.0, 200)
    assert case.scored_turns == (0,)
    told = case.conversation[0].content
    assert "- sales (also as df): city (text: Oslo, Rome), price (float), sold (datetime)" in told
    assert "`result`" in told


def test_tables_of_the_file_stand_for_tasks_that_name_none(folder: Path) -> None:
    loaded = written(
        folder,
        """
tables: {sales: sales.csv}
tasks:
  - {id: a, question: How many?, expected: 3}
  - {id: b, question: How many?, expected: 1, tables: {other: {x: [1]}}}
""",
    )
    assert [list(task_of(case).tables) for case in loaded.cases] == [["sales"], ["other"]]


def test_inline_tables_as_columns_and_as_rows_and_under_headings(folder: Path) -> None:
    loaded = written(
        folder,
        """
- id: a
  question: q
  expected: 1
  tables:
    columns_of_lists: {code: [NO, "7"], n: [1, 2.5]}
    rows: [{code: NO, n: 1}, {code: "7", flag: true}]
    headed: {columns: [a, b], rows: [[1, x], [null, 007]]}
""",
    )
    assert loaded.problems == ()
    tables = task_of(loaded.cases[0]).tables
    assert tables["columns_of_lists"].columns == {"code": ["NO", "7"], "n": [1, 2.5]}
    assert tables["rows"].columns == {"code": ["NO", "7"], "n": [1, None], "flag": [None, True]}
    assert tables["headed"].columns == {"a": [1, None], "b": ["x", "007"]}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("2.50", 2.5),
        ('"3"', "3"),
        ("Rome", "Rome"),
        ("[1, two]", [1, "two"]),
        ("{a: 1}", {"a": 1}),
        ("true", True),
    ],
)
def test_an_expected_value_keeps_its_kind(folder: Path, text: str, value: object) -> None:
    (case,) = written(folder, f"- {{id: a, question: q, expected: {text}}}").cases
    expected = task_of(case).expected
    assert expected is not None
    assert expected.value == value
    assert type(expected.value) is type(value)


def test_an_expected_table_file_or_named_figures(folder: Path) -> None:
    loaded = written(
        folder,
        """
- {id: a, question: q, expected: {city: [Rome, Oslo], n: [2, 1]}}
- {id: b, question: q, expected: [{city: Rome, n: 2}]}
- {id: c, question: q, expected: {file: sales.csv}}
- {id: d, question: q, expected: {named: {mean: 1.75}}}
""",
    )
    found = [task_of(case).expected for case in loaded.cases]
    assert loaded.problems == ()
    assert [e.table for e in found[:2] if e] == [{"city": ["Rome", "Oslo"], "n": [2, 1]}, {"city": ["Rome"], "n": [2]}]
    assert found[2] is not None
    assert Path(found[2].file).name == "sales.csv"
    assert found[3] is not None
    assert found[3].named == {"mean": "1.75"}


def test_jsonl_is_read_by_the_same_reader(folder: Path) -> None:
    row = {"id": "a", "question": "q", "tables": {"sales": "sales.csv"}, "expected": "7", "timeout": 2.5}
    loaded = written(folder, json.dumps(row) + "\n\n" + '{"id": "b", "quest\n', "tasks.jsonl")
    assert loaded.cases[0].source.line == 1
    assert task_of(loaded.cases[0]).timeout == 2.5
    expected = task_of(loaded.cases[0]).expected
    assert expected is not None
    assert expected.value == "7"
    (problem,) = loaded.problems
    assert (problem.line, "not valid JSON" in problem.message) == (3, True)


# -- mistakes ---------------------------------------------------------------------------------------------------------


def test_a_missing_table_file_names_the_nearest(folder: Path) -> None:
    loaded = written(folder, "- id: a\n  question: q\n  tables:\n    sales: sale.csv\n")
    (problem,) = loaded.problems
    assert (problem.line, problem.column, problem.hint) == (4, 12, 'Did you mean "sales.csv"?')
    assert problem.message == 'there is no file "sale.csv"'
    assert loaded.cases == ()


def test_an_unknown_key_names_the_nearest_also_in_jsonl(folder: Path) -> None:
    (problem,) = written(folder, "- id: a\n  question: q\n  refernce: x\n").problems
    assert (problem.line, problem.hint) == (3, 'Did you mean "reference"?')
    (problem,) = written(folder, '{"id": "a", "question": "q", "tag": []}', "t.jsonl").problems
    assert (problem.line, problem.hint) == (1, 'Did you mean "tags"?')


def test_columns_of_different_lengths(folder: Path) -> None:
    (problem,) = written(folder, "- {id: a, question: q, tables: {t: {x: [1], y: [1, 2]}}}").problems
    assert "x 1, y 2" in problem.message


def test_the_same_id_twice(folder: Path) -> None:
    loaded = written(folder, "- {id: a, question: q, expected: 1}\n- {id: a, question: r, expected: 2}\n")
    assert [case.question for case in loaded.cases] == ["q"]
    assert loaded.problems[0].line == 2


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        load_cases(tmp_path / "none.yaml")
    with pytest.raises(UserError, match="there are no tasks"):
        load_cases(tmp_path)


# -- what belongs to it -----------------------------------------------------------------------------------------------


def test_recognises_tasks_and_nothing_else(folder: Path) -> None:
    written(folder, "- {id: a, question: q, tables: {s: sales.csv}}")
    assert recognises(folder / "tasks.yaml")
    assert recognises(folder)
    (folder / "gold.jsonl").write_text('{"instance_id": "x", "evaluation": {}}\n')
    assert not recognises(folder / "gold.jsonl")
    (folder / "case.yaml").write_text("id: x\nconversation: []\n")
    assert not recognises(folder / "case.yaml")
    assert not recognises(folder / "absent")


def test_the_truth_is_the_contents_not_the_place(tmp_path: Path) -> None:
    hashes = []
    for name, data in (("one", SALES), ("two", SALES), ("three", SALES + "Bern,1,2024-02-02\n")):
        place = tmp_path / name
        place.mkdir()
        (place / "sales.csv").write_text(data)
        hashes.append(truth_hash(written(place, "- {id: a, question: q, tables: {s: sales.csv}}").cases, truth))
    assert hashes[0] == hashes[1] != hashes[2]


def test_schema_and_values(folder: Path) -> None:
    task = task_of(written(folder, "- {id: a, question: q, tables: {s: sales.csv, t: {k: [a, b]}}}").cases[0])
    assert schema_of(task).tables == {"s": ("city", "price", "sold"), "t": ("k",)}
    assert values_of(task) == {"city": {"Rome", "Oslo"}, "k": {"a", "b"}}
    assert [column.kind for column in head(task.tables["s"])] == ["text", "float", "datetime"]


def test_check_finds_what_cannot_be_judged(folder: Path) -> None:
    loaded = written(
        folder,
        "- {id: a, question: q}\n- {id: b, question: q, reference: 'result = (1'}\n- {id: c, question: q, expected: "
        "1}\n",
    )
    found = check_cases(loaded.cases, (), Options()).problems
    assert [(problem.line, problem.severity) for problem in found] == [(1, "warning"), (2, "error")]
    assert "correctness cannot be judged" in found[0].message
    assert "line 1" in found[1].message


def test_tasks_without_a_reference_are_told_once(folder: Path) -> None:
    loaded = written(
        folder,
        """
tables: {sales: sales.csv}
tasks:
- {id: a, question: How many?, expected: {value: 3}}
- {id: b, question: How many?, reference: result = len(sales)}
- {id: c, question: How many?, expected: {value: 3}}
""",
    )
    (problem,) = check_cases(loaded.cases, (), Options()).problems
    assert problem.severity == "warning" and problem.line == 4
    assert problem.message.startswith('2 tasks have "expected" and no "reference" (the first: "a")')


def test_a_mapping_without_a_known_name_is_a_value(folder: Path) -> None:
    (case,) = written(folder, "- {id: a, question: q, expected: {North: 19, South: 5}}").cases
    expected = task_of(case).expected
    assert expected is not None and expected.value == {"North": 19, "South": 5}


@pytest.mark.parametrize(
    ("text", "name", "meant"),
    [("{vaue: 3}", "vaue", "value"), ("{Value: 3}", "Value", "value"), ("{fiel: a.csv}", "fiel", "file")],
)
def test_a_lone_name_that_is_a_slip_is_no_value(folder: Path, text: str, name: str, meant: str) -> None:
    """As a mapping, ``{vaue: 3}`` made every answer wrong."""
    (problem,) = written(folder, f"- id: a\n  question: q\n  expected: {text}\n").problems
    assert f'unknown name "{name}"' in problem.message
    assert f'Did you mean "{meant}"?' in problem.hint and "{value: {…}}" in problem.hint


@pytest.mark.parametrize("text", ["{name: Anna}", "{values: [1, 2]}", "{North: 3}", "{value: {vaue: 3}}"])
def test_a_lone_name_may_be_the_result(folder: Path, text: str) -> None:
    assert written(folder, f"- id: a\n  question: q\n  expected: {text}\n").problems == ()


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("{value: 3, tabel: {a: [1]}}", 'unknown name "tabel" beside "value"', 'Did you mean "table"?'),
        ("{value: [1, 2], city: [Rome, Oslo]}", 'unknown name "city" beside "value"', "write {value: {…}}"),
        ("{value: 3, table: {a: [1]}}", "a result has one form, and this one has 2: value, table", ""),
        ("{table: 3}", "expected a table here", "Columns"),
        ("{named: 3}", "expected names with a figure each here", ""),
        ("{file: [a]}", "expected the path of a CSV or Parquet file here", ""),
    ],
)
def test_a_mapping_with_a_known_name_holds_only_known_names(folder: Path, text: str, message: str, hint: str) -> None:
    loaded = written(folder, f"- id: a\n  question: q\n  expected: {text}\n")
    (problem,) = loaded.problems
    assert not loaded.cases
    assert problem.message == message and hint in problem.hint and problem.line == 3
