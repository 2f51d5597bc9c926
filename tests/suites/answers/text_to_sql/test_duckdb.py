"""Text-to-SQL on DuckDB: values that SQLite has not, and gold that moves."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from karat.suites.answers import suite
from karat.suites.answers.options import Options
from karat.suites.answers.text_to_sql.files.predictions import prediction_field
from tests.suites.answers.text_to_sql.making import question_file

SHOP = (
    "create table sale(id int, name text, items int[], about struct(a int), price float)",
    "insert into sale values (1, 'a', [1, 2], {'a': 1}, 0.1), (2, 'b', null, null, 'nan'), (3, 'b', [3], null, null)",
    "create view sold as select * from sale",
)

FIRST = "select distinct on (name) name, id from sale order by name, length(name)"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("duckdb") / "shop.duckdb"
    with duckdb.connect(str(file)) as connection:
        for statement in SHOP:
            connection.execute(statement)
    return file


@pytest.mark.parametrize(
    ("gold", "given", "expected"),
    [
        ("select items from sale where id = 1", "select [1, 2]", "right"),
        ("select items from sale where id = 1", "select [2, 1]", "wrong"),
        ("select about, id from sale", "select id, about from sold", "right"),
        ("select price from sale where id = 2", "select 'nan'::float", "right"),
        ("select price from sale where id = 2", "select null::float", "wrong"),
        ("select id, price from sale", "select id, price from sold", "right"),
        ("select name from sale limit 1", "select name from sale limit 1", "gold_error"),
        ("select name from sold limit 1", "select name from sold limit 1", "gold_error"),
        ("select name from sold where id > 1 limit 1", "select 'b'", "right"),
        ("select any_value(name) from sold", "select 'a'", "gold_error"),
        ("select first(name) from sold where id > 1", "select 'b'", "right"),
        ("select any_value(name order by id) from sold", "select 'a'", "right"),
        (FIRST, "select 'a', 1 union all select 'b', 3", "right"),  # two rows of b are tied
        (FIRST, "select 'a', 1 union all select 'b', 1", "wrong"),
        (FIRST, "select name, id from sale", "needs_review"),
        ("select distinct on (name) name, id from sale order by name", "select name, id from sale", "gold_error"),
        ("select name from sale tablesample 100%", "select name from sale", "gold_error"),
        ("select name from sale using sample 100% (bernoulli, 7)", "select name from sale", "right"),
        ("select name from sold limit 3", "select name from sale", "right"),
    ],
)
def test_verdicts(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gold: str, given: str, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    row = {"id": "q", "question": "What is there?", "sql": gold, "prediction": given}
    cases = suite.load_cases(question_file(tmp_path, [row])).cases
    (prediction,) = prediction_field(cases).predictions
    found = suite.compare(cases[0], 0, prediction, Options(databases=str(shop)))
    assert found.strict.state == expected, found.strict
