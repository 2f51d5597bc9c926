"""Every form that a result can have, through the real sandbox: right where it says the same as the reference, wrong
where it does not."""

from __future__ import annotations

import re

import pytest

from karat.suites.codegen.metrics.correctness import Correctness
from karat.suites.codegen.records import TableSource, Task
from tests.suites.codegen.tasks import judge_code

HEAD = """import collections, dataclasses, datetime, enum, fractions, itertools, types
Pair = collections.namedtuple("Pair", "low high")
Other = collections.namedtuple("Other", "least most")
@dataclasses.dataclass
class Ends:
    low: object
    high: object
class Colour(enum.Enum):
    RED = 7
"""
POLARS, ARROW, DUCKDB = "import polars as pl\n", "import pyarrow as pa\n", "import duckdb\n"
FRAME = "pd.DataFrame({'city': ['a', 'b', 'a'], 'n': [1, 2, 3]})"
TABLES = {"t": TableSource(columns={"city": ["a", "b", "a"], "n": [1, 2, 3]})}


def judged(reference: str, code: str, question: str = "What is it?") -> Correctness:
    task = Task(tables=TABLES, reference=f"{HEAD}result = {reference}")
    lines = code.splitlines()
    whole = "\n".join((HEAD, *lines[:-1], f"result = {lines[-1]}"))
    return judge_code(whole, question=question, task=task).correctness


SAME = [
    ("{'a': 2, 'b': 1}", "collections.Counter(t.city)"),  # a Counter is the mapping of its counts
    ("collections.Counter(t.city)", "t.city.value_counts()"),
    ("t.city.value_counts()", "collections.Counter(t.city)"),
    ("{'a': 4, 'b': 2}", "collections.defaultdict(int, a=4, b=2)"),
    ("{'a': 4, 'b': 2}", "collections.OrderedDict([('b', 2), ('a', 4)])"),
    ("{'a': 4, 'b': 2}", "types.MappingProxyType({'a': 4, 'b': 2})"),
    ("['a', 'b']", "{'a': 4, 'b': 2}.keys()"),
    ("[4, 2]", "{'a': 4, 'b': 2}.values()"),
    ("{'a': 4, 'b': 2}", "{'a': 4, 'b': 2}.items()"),
    ("[0, 1, 2]", "range(3)"),
    ("range(1, 4)", "t.n"),
    ("[1, 4, 9]", "(n * n for n in t.n)"),
    ("['1', '2', '3']", "map(str, t.n)"),
    ("[['a', 1], ['b', 2]]", "zip(['a', 'b'], [1, 2])"),
    ("[1, 2, 3]", "collections.deque(t.n)"),
    ("{'a', 'b'}", "t.city.unique()"),
    ("['a', 'b']", "set(t.city)"),
    ("frozenset('ab')", "['b', 'a']"),
    ("(1, 3)", "Pair(1, 3)"),
    ("Pair(1, 3)", "(1, 3)"),
    ("Pair(1, 3)", "Pair(low=1, high=3)"),
    ("Pair(1, 3)", "Other(1, 3)"),
    ("Pair(1, 3)", "{'high': 3, 'low': 1}"),
    ("{'low': 1, 'high': 3}", "Pair(1, 3)"),
    ("{'low': 1, 'high': 3}", "Ends(1, 3)"),
    ("Ends(1, 3)", "types.SimpleNamespace(high=3, low=1)"),
    ("pd.Series({'low': 1, 'high': 3})", "Pair(1, 3)"),
    ("t", "list(t.itertuples(index=False))"),
    ("pd.DataFrame({'low': [1, 2], 'high': [3, 4]})", "[Ends(1, 3), Ends(2, 4)]"),
    ("3 + 4j", "complex(3, 4.0000000001)"),
    ("3", "complex(3, 1e-17)"),
    ("[1 + 2j, 1 - 2j]", "np.roots([1, -2, 5])"),
    ("np.array([1j, 2])", "[2 + 0j, 1j]"),
    ("6", "np.int64(t.n.sum())"),
    ("2.5", "np.float32(2.5)"),
    ("True", "np.bool_(True)"),
    ("pd.Timestamp('2024-01-02')", "np.datetime64('2024-01-02')"),
    ("datetime.date(2024, 1, 2)", "np.datetime64('2024-01-02T00:00')"),
    ("[datetime.datetime(2024, 1, 2), None]", "np.array(['2024-01-02', 'NaT'], dtype='datetime64[D]')"),
    ("pd.Timedelta(hours=3)", "np.timedelta64(3, 'h')"),
    ("[[1, 2], [3, 4]]", "np.array([[1, 2], [3, 4]])"),
    (FRAME, "np.array([('a', 1), ('b', 2), ('a', 3)], dtype=[('city', 'U5'), ('n', int)])"),
    ("[1, None, 3]", "np.ma.array([1, 2, 3], mask=[0, 1, 0])"),
    ("7", "Colour.RED"),
    ("0.75", "fractions.Fraction(3, 4)"),
    ("t.groupby('city', as_index=False).n.sum()", POLARS + "pl.from_pandas(t).group_by('city').agg(pl.col('n').sum())"),
    ("t.groupby('city').n.sum()", POLARS + "pl.from_pandas(t).lazy().group_by('city').agg(pl.col('n').sum())"),
    ("[1, None, 3]", POLARS + "pl.Series('x', [1.0, float('nan'), 3.0])"),
    (FRAME, ARROW + "pa.table({'city': ['a', 'b', 'a'], 'n': [1, 2, 3]})"),
    (FRAME, ARROW + "pa.RecordBatch.from_pydict({'n': [1, 2, 3], 'city': ['a', 'b', 'a']})"),
    ("[1, None, 3]", ARROW + "pa.array([1, None, 3])"),
    ("[1, 2, 3]", ARROW + "pa.chunked_array([[1, 2], [3]])"),
    ("6", ARROW + "pa.scalar(6)"),
    ("t[t.n > 1]", DUCKDB + "duckdb.sql('SELECT * FROM t WHERE n > 1')"),
    ("t[t.n > 1]", DUCKDB + "duckdb.execute('SELECT n, city FROM t WHERE n > 1')"),
    ("t[t.n > 1]", DUCKDB + "duckdb.sql('FROM t WHERE n > 1').df()"),
    ("t[t.n > 1]", DUCKDB + "duckdb.sql('FROM t WHERE n > 1').fetchall()"),
    ("t[t.n > 1]", DUCKDB + "duckdb.sql('FROM t WHERE n > 1').to_arrow_table()"),
    ("2.5", DUCKDB + "duckdb.sql('SELECT 2.5::DECIMAL(4, 2) AS x')"),
    ("[1, None, 3]", DUCKDB + "duckdb.sql('SELECT unnest([1, NULL, 3]) AS x')"),
    ("pd.Timestamp('2024-01-02 10:00', tz='Europe/Paris')", "pd.Timestamp('2024-01-02 09:00', tz='UTC')"),
    (
        "pd.Timestamp('2024-01-02 10:00', tz='UTC')",
        DUCKDB + "duckdb.sql(\"SELECT '2024-01-02 10:00:00+00'::TIMESTAMPTZ AS x\")",
    ),
    ("pd.Timedelta(minutes=90)", "'PT1H30M'"),
    ("[pd.Timedelta(days=2), pd.Timedelta(minutes=-90)]", "['P2D', '-1 days +22:30:00']"),
    ("[pd.Timedelta(days=1.5), None]", POLARS + "pl.Series([datetime.timedelta(hours=36), None])"),
    ("t.city", "t.city.astype('category')"),
    ("['a', None]", POLARS + "pl.Series(['a', None], dtype=pl.Categorical)"),
    ("[None, None]", POLARS + "pl.Series([None, None])"),
    ("[None, None]", ARROW + "pa.nulls(2)"),
    ("datetime.datetime(2024, 1, 2)", "datetime.date(2024, 1, 2)"),
    ("0.1", "__import__('decimal').Decimal('0.1')"),
    ("t", "t.to_dict('records')"),
    ("t", "{'city': list(t.city), 'n': t.n.to_numpy()}"),
    ("t", "t.to_records(index=False)"),
    ("t", "t[::-1].to_dict('list')"),  # a table in no order
    ("t.to_dict('list')", "t[::-1]"),
    ("{'Rome': [1.5, 3], 'Oslo': [2, 0.1]}", "{'Oslo': (2.0, 0.1 + 1e-15), 'Rome': np.array([1.5, 3])}"),
    ("{'Rome': [1.5, 3], 'Oslo': []}", "{'Oslo': [], 'Rome': [1.5, 3.0]}"),
    ("{2020: [1, 2]}", "{2020.0: [1, 2]}"),
    ("6", "np.array(6)"),
    ("6", "{'sum': t.n.sum()}"),  # a key is what the index of a series is
    (
        "t.groupby('city').n.sum()[:1]",
        "t.groupby('city').n.sum()[:1].to_frame().T.to_dict('records')",
    ),  # one wide row for a table of one row
]


@pytest.mark.parametrize(("reference", "code"), SAME)
def test_what_says_the_same_is_right(reference: str, code: str) -> None:
    found = judged(reference, code)
    assert found.passed, (found.reason, found.evidence)


DIFFERENT = [
    ("{'a': 2, 'b': 1}", "collections.Counter(a=2, b=2)"),
    ("{'a': 2, 'b': 1}", "collections.defaultdict(int, a=1, b=2)"),
    ("['a', 'b']", "{'a': 4, 'c': 2}.keys()"),
    ("[4, 2]", "{'a': 4, 'b': 3}.values()"),
    ("6", "{'sum': 7}"),
    ("6", "{'sum': 6, 'n': 3}"),
    ("t.groupby('city').n.sum()[:1]", "[{'b': 4}]"),
    ("{'a': 4, 'b': 2}", "{'a': 2, 'b': 4}.items()"),
    ("[0, 1, 2]", "range(4)"),
    ("[1, 4, 9]", "(n + n for n in t.n)"),
    ("[1, 1, 2]", "{1, 2}"),
    ("{'Rome': [1.5, 3]}", "{'Rome': [3, 1.5]}"),
    ("{'Rome': [1.5, 3], 'Oslo': [2, 4]}", "{'Rome': [3, 1.5], 'Oslo': [4, 2]}"),
    ("{'Rome': [1.5, 3], 'Oslo': [2, 4]}", "{'Oslo': [1.5, 3], 'Rome': [2, 4]}"),
    ("{'a': [1, 2, 0]}", "{'a': [2, 0, 1]}"),
    ("{'a': ['b'], 'b': ['c']}", "{'b': ['a'], 'c': ['b']}"),
    ("{'a': [], 'b': []}", "{'a': [], 'c': []}"),
    ("{'a': [1, 2], 'b': [3]}", "{'a': [1], 'b': [2, 3]}"),
    ("(1, 3)", "(3, 1)"),  # the places of a tuple mean something
    ("(1, 3)", "[3, 1]"),
    ("(1, 3)", "Pair(3, 1)"),
    ("Pair(1, 3)", "Pair(low=3, high=1)"),
    ("Pair(1, 3)", "Other(3, 1)"),
    ("Pair(1, 3)", "{'low': 3, 'high': 1}"),
    ("{'low': 1, 'high': 3}", "Ends(3, 1)"),
    ("t", "list(t.assign(n=t.n + 1).itertuples(index=False))"),
    ("pd.DataFrame({'low': [1, 2], 'high': [3, 4]})", "[Ends(3, 1), Ends(4, 2)]"),
    ("3 + 4j", "3 - 4j"),
    ("3 + 4j", "3"),
    ("3", "3 + 1e-3j"),
    ("[1 + 2j, 1 - 2j]", "[1 + 2j, 1 + 2j]"),
    ("pd.Timestamp('2024-01-02')", "np.datetime64('2024-01-03')"),
    ("[[1, 2], [3, 4]]", "np.array([[2, 1], [4, 3]])"),
    (FRAME, "np.array([('a', 1), ('b', 2), ('b', 3)], dtype=[('city', 'U5'), ('n', int)])"),
    ("[1, None, 3]", "np.ma.array([1, 2, 3], mask=[1, 0, 0])"),
    ("7", "Colour"),
    ("t.groupby('city').n.sum()", POLARS + "pl.from_pandas(t).group_by('city').agg(pl.col('n').max())"),
    ("[1, None, 3]", POLARS + "pl.Series([1, 2, 3])"),
    ("t.n", POLARS + "pl.col('n')"),
    (FRAME, ARROW + "pa.table({'city': ['a', 'b', 'a'], 'n': [3, 2, 1]})[:2]"),
    ("[1, 2, 3]", ARROW + "pa.array([1, 2, 4])"),
    ("6", ARROW + "pa.scalar(7)"),
    ("[1, 2, 3]", "open('/dev/null')"),
    ("[1, 2, 3]", "lambda: [1, 2, 3]"),
    ("t.groupby('city').n.sum()", DUCKDB + "duckdb.sql('SELECT city, max(n) FROM t GROUP BY city')"),
    ("pd.Timestamp('2024-01-02 10:00', tz='UTC')", "pd.Timestamp('2024-01-02 10:00')"),  # nobody knows its zone
    ("[pd.Timestamp('2024-01-02')]", POLARS + "pl.Series([datetime.datetime(2024, 1, 2)]).dt.replace_time_zone('UTC')"),
    ("pd.Timedelta(minutes=90)", "'PT90S'"),
    ("np.zeros((2, 2)).tolist()", "np.zeros((2, 2, 1))"),
]


@pytest.mark.parametrize(("reference", "code"), DIFFERENT)
def test_what_says_something_else_is_wrong(reference: str, code: str) -> None:
    found = judged(reference, code)
    assert not found.passed and found.reason
    assert found.score is not None and found.score <= 0.5


def test_values_of_other_classes_are_what_they_hold() -> None:
    given = (
        "np.ma.masked, fractions.Fraction(10 ** 20 + 1), np.array((1, 3), dtype='i8,i8'), np.dtype('int64'), "
        "collections.UserDict(a=1), collections.UserList([1, 2]), collections.UserString('x')"
    )
    right = "[None, 10 ** 20 + 1, {'f0': 1, 'f1': 3}, 'int64', {'a': 1}, [1, 2], 'x']"
    assert judged(right, f"[{given}]").passed
    assert not judged(right, f"[{given}]".replace("20 + 1", "20")).passed


@pytest.mark.parametrize("endless", ["itertools.count()", "range(10 ** 30)", "itertools.cycle([1])", "iter(int, 1)"])
def test_what_has_no_end_is_not_read_to_the_end(endless: str) -> None:
    task = Task(tables=TABLES, reference="result = t.n.sum()")
    found = judge_code(f"{HEAD}result = {endless}", task=task)
    assert found.correctness.score == 0 and "cells" in found.last.error


def test_a_result_without_a_plain_form_is_named() -> None:
    found = judged("6", POLARS + "pl.col('n').sum()")
    assert found.reason.startswith("error: a result of type polars.") and "Expr cannot be compared" in found.reason


@pytest.mark.parametrize("value", ["np.zeros((2, 2, 2))", "print", "open('/dev/null')", "lambda: 6", "object()"])
def test_what_cannot_be_compared_ran_and_is_not_passed(value: str) -> None:
    found = judge_code(f"result = {value}", task=Task(tables=TABLES, reference="result = t.n.sum()"))
    assert found.last.ran and not found.correctness.passed and found.correctness.score == 0
    assert re.fullmatch(r"error: a result of type [\w.]+ cannot be compared.*", found.correctness.reason)


def test_a_result_of_duckdb_is_read_up_to_the_limit() -> None:
    found = judge_code(f"{DUCKDB}result = duckdb.sql('SELECT * FROM range(5000000)')", task=Task(tables=TABLES))
    assert not found.last.ran and found.last.error.startswith("result_too_large: ")


@pytest.mark.parametrize(
    ("library", "code", "right"),
    [
        ("xarray", "xarray.DataArray.from_series(t.groupby('city').n.sum())", True),
        ("xarray", "xarray.Dataset.from_dataframe(t.groupby('city')[['n']].sum())", True),
        ("xarray", "xarray.DataArray([[4, 2]])", False),
        ("pint", "pint.UnitRegistry().Quantity([4, 2], 'kg')", False),
    ],
)
def test_results_of_libraries_that_are_not_always_there(library: str, code: str, right: bool) -> None:
    pytest.importorskip(library)
    assert judged("t.groupby('city').n.sum()", f"import {library}\n{code}").passed is right


def test_a_set_has_no_order() -> None:
    asked = "List the numbers in descending order"
    assert judged("[3, 2, 1]", "sorted(t.n, reverse=True)", asked).passed
    found = judged("[3, 2, 1]", "set(t.n)", asked)
    assert (found.score, found.reason) == (0.5, "order_differs")
    assert judged("{3, 2, 1}", "[1, 2, 3]", asked).passed


def test_an_error_while_an_iterator_is_read_is_the_codes_own() -> None:
    task = Task(tables=TABLES, reference="result = [1, 2, 3]")
    found = judge_code("result = (1 / (n - 2) for n in t.n)", task=task)
    assert not found.last.ran and "ZeroDivisionError" in found.last.error
