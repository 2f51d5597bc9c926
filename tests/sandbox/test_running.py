"""What a snippet sees, what it may leave as its answer, and what is said about it. The same in all four ways."""

from __future__ import annotations

import msgspec
import pytest

from tests.sandbox.boxes import LIMITS, Box

SALES: dict[str, object] = {"sales": {"price": [1, 2, 3], "item": ["a", "b", None]}}


def test_result_wins_over_the_last_expression(any_box: Box) -> None:
    assert any_box.run("result = 1\n2").result == 1
    assert any_box.run("x = 1\nx + 1").result == 2


def test_tables_are_there_by_name_and_one_of_them_as_df(any_box: Box) -> None:
    assert any_box.run("int(sales.price.sum() + df.price.max() + len(tables))", SALES).result == 6 + 3 + 1
    two: dict[str, object] = {"a": {"x": [1]}, "b": {"x": [2]}}
    assert any_box.run("[int(a.x[0]), int(b.x[0])]", two).result == [1, 2]
    assert any_box.run("df", two).status == "error"


def test_a_table_can_be_read_as_a_file(any_box: Box) -> None:
    assert any_box.run("pd.read_csv('sales.csv').price.tolist()", SALES).result == [1, 2, 3]


def test_a_table_changed_by_one_snippet_is_whole_for_the_next(any_box: Box) -> None:
    any_box.run("df['price'] = 0; df.drop(df.index, inplace=True)", SALES)
    assert any_box.run("int(df.price.sum())", SALES).result == 6


def test_its_own_folder_can_be_used(any_box: Box) -> None:
    code = "import os; df.to_csv('a.csv'); os.mkdir('d'); os.rename('a.csv', 'd/b.csv'); len(pd.read_csv('d/b.csv'))"
    assert any_box.run(code, SALES).result == 3


def test_an_error_has_class_message_line_and_the_snippets_own_lines(any_box: Box) -> None:
    seen = any_box.run("x = 1\ndef f():\n    return df['nope']\nf()", SALES)
    assert seen.status == "error" and seen.error is not None
    assert (seen.error["class"], seen.error["message"], seen.error["line"]) == ("KeyError", "'nope'", 3)
    assert "LookupError" in seen.error["bases"]  # type: ignore[operator]  # plain JSON
    text = str(seen.error["traceback"])
    assert "line 4" in text and "return df['nope']" in text and "pandas" not in text


def test_a_syntax_error_has_its_line(any_box: Box) -> None:
    seen = any_box.run("a = 1\nif a\n    b")
    assert seen.status == "error" and seen.error is not None
    assert (seen.error["class"], seen.error["line"]) == ("SyntaxError", 2)


def test_output_is_kept_up_to_a_cap_and_says_when_it_was_cut(any_box: Box) -> None:
    seen = any_box.run("import sys\nprint('héllo'); print('trouble', file=sys.stderr); result = 1")
    assert (seen.stdout, seen.stderr, seen.stdout_cut) == ("héllo\n", "trouble\n", False)
    cut = any_box.run("print('x' * 1000); result = 1", None, msgspec.structs.replace(LIMITS, output=10))
    assert (cut.status, cut.stdout, cut.stdout_cut) == ("ok", "x" * 10, True)


def test_leaving_early_without_complaint_is_no_error(any_box: Box) -> None:
    assert any_box.run("import sys\nresult = 5\nsys.exit()").result == 5
    assert any_box.run("import sys\nsys.exit('no')").status == "error"


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("None", None),
        ("np.int64(3)", 3),
        ("np.float32(0.5)", 0.5),
        ("float('nan')", None),
        ("pd.NA", None),
        ("np.bool_(True)", True),
        ("2**80", 2**80),
        ("(1, 'a', [None])", [1, "a", [None]]),
        ("np.array([[1, 2], [3, 4]])", [[1, 2], [3, 4]]),
        ("{'a': 1, 2: [3]}", {"a": 1, "2": [3]}),
        ("pd.Timestamp('2020-01-02 03:04')", "2020-01-02T03:04:00"),
        ("pd.Timestamp('2020-01-02').date()", "2020-01-02"),
        ("pd.Index(['x', 'y'])", ["x", "y"]),
        ("pd.Categorical(['x', 'y'])", ["x", "y"]),
        ("pd.Period('2020-01')", "2020-01"),
        ("'\\ud800'", "?"),
    ],
)
def test_values_come_back_as_plain_data(any_box: Box, code: str, wanted: object) -> None:
    assert any_box.run(code).result == wanted


def test_a_frame_comes_back_with_types_and_index(any_box: Box) -> None:
    seen = any_box.run("df.groupby('item', dropna=False).price.agg(['sum', 'mean'])", SALES)
    assert isinstance(seen.result, dict)
    assert seen.result["height"] == 3
    assert [(c["name"], c["dtype"], c["values"]) for c in seen.result["columns"]] == [
        ("sum", "int64", [1, 2, 3]),
        ("mean", "float64", [1.0, 2.0, 3.0]),
    ]
    assert [(c["name"], c["values"]) for c in seen.result["index"]] == [("item", ["a", "b", None])]
    plain = any_box.run("df[df.price > 5]", SALES).result
    assert isinstance(plain, dict) and plain["height"] == 0


def test_a_series_comes_back_with_its_name(any_box: Box) -> None:
    seen = any_box.run("df.price * 1.5", SALES)
    assert isinstance(seen.result, dict)
    assert (seen.result["column"]["name"], seen.result["column"]["values"], seen.result["index"]) == (
        "price",
        [1.5, 3.0, 4.5],
        [],
    )


def test_time_and_memory_are_of_the_snippet(any_box: Box) -> None:
    seen = any_box.run("import time; time.sleep(0.3); held = np.ones(8_000_000); result = 1")
    assert 0.3 <= seen.wall < 5
    assert 0 <= seen.cpu < seen.wall
    assert 60_000_000 < seen.peak_memory < 120_000_000


def test_arrow_parquet_excel_and_threads_work_inside(any_box: Box) -> None:
    code = """
import io, sqlite3, threading, zoneinfo
from concurrent.futures import ThreadPoolExecutor
df.to_parquet('a.parquet')
df.to_excel('a.xlsx', index=False)
with sqlite3.connect('a.db') as db:
    df.to_sql('t', db, index=False)
    n = db.execute('select sum(price) from t').fetchone()[0]
with ThreadPoolExecutor(4) as pool:
    squares = list(pool.map(lambda x: x * x, range(4)))
there = pd.Timestamp('2020-06-01', tz='Europe/Paris').utcoffset().total_seconds()
product = float((np.ones((200, 200)) @ np.ones((200, 200))).sum())
result = [len(pd.read_parquet('a.parquet')), len(pd.read_excel('a.xlsx')), n, squares, there, product]
"""
    assert any_box.run(code, SALES).result == [3, 3, 6, [0, 1, 4, 9], 7200.0, 8_000_000.0]
