"""Tests of a task: what they say of an answer, what the reference says of them, and what code cannot do to them."""

from __future__ import annotations

import msgspec
import pytest

from karat.suites.codegen.comparison import Comparison
from karat.suites.codegen.metrics import tests as tests_metric
from karat.suites.codegen.records import Columns, Expected, HiddenTest, Property, TableSource, Task
from tests.suites.codegen.tasks import judge_code

SALES: Columns = {"region": ["North", "South", "North", "East"], "qty": [12, 5, 7, 9]}
OTHER: Columns = {"region": ["West", "North"], "qty": [2, 7]}
QUESTION = "What is the total qty by region?"
RIGHT = "result = sales.groupby('region').qty.sum()"
BARE = Task(tables={"sales": TableSource(columns=SALES)})
BY_REGION = msgspec.structs.replace(BARE, reference=RIGHT)
NORTH = HiddenTest("abs(result['North'] - 19) < 1e-9")
ELSEWHERE = HiddenTest(tables={"sales": TableSource(columns=OTHER)}, expected=Expected(value={"West": 2, "North": 7}))


def judged(code: str, *tests: HiddenTest, task: Task = BY_REGION) -> Comparison:
    return judge_code(code, question=QUESTION, task=msgspec.structs.replace(task, tests=tests))


def states(found: Comparison) -> list[str]:
    return [part.state for part in found.tests.parts if part.decides]


def problem(found: Comparison) -> str:
    return found.tests.parts[0].reason


# -- what decides -----------------------------------------------------------------------------------------------------


def test_a_right_answer_whose_tests_hold_passes() -> None:
    found = judged(RIGHT, NORTH, ELSEWHERE)
    assert (found.correctness.score, found.correctness.passed, states(found)) == (1.0, True, ["held", "held"])
    assert tests_metric.score(found).value == 1.0


def test_a_failed_test_caps_correctness_by_hand() -> None:
    listed = "result = sales.groupby('region').qty.sum().reindex(['North', 'South', 'East'])"
    found = judged(listed, NORTH, ELSEWHERE, HiddenTest("len(result) == 3"))
    assert states(found) == ["held", "failed", "held"]
    assert found.correctness.score == pytest.approx(0.5 * 2 / 3)
    assert not found.correctness.passed
    assert found.correctness.reason == "test_failed"
    assert found.correctness.evidence["problem"].startswith("test 2 (other tables: sales) failed: ")
    score = tests_metric.score(found)
    assert score.value == pytest.approx(2 / 3) and score.reason.startswith("test 2 (other tables: sales)")


def test_a_wrong_result_stays_wrong_for_its_own_reason_when_tests_hold() -> None:
    found = judged("result = sales.groupby('region').qty.max()", HiddenTest("len(result) == 3"))
    assert states(found) == ["held"]
    assert not found.correctness.passed and found.correctness.reason != "test_failed"


def test_without_expected_and_reference_the_tests_alone_decide() -> None:
    assert judged(RIGHT, NORTH, task=BARE).correctness.score == 1.0
    wrong = judged("result = sales.groupby('region').qty.max()", NORTH, HiddenTest("len(result) == 3"), task=BARE)
    assert (wrong.correctness.score, wrong.correctness.reason) == (0.25, "test_failed")
    broken = judged("result = sales.nothing", NORTH, task=BARE)
    assert (broken.correctness.score, broken.correctness.reason, states(broken)) == (0.0, "did_not_run", ["failed"])


def test_a_constant_does_not_pass_by_tests_alone() -> None:
    found = judged("result = {'North': 19}", NORTH, task=BARE)
    assert (found.correctness.passed, found.correctness.reason) == (False, "only_fits_this_data")


def test_a_task_without_tests_has_no_share() -> None:
    assert tests_metric.score(judged(RIGHT)).state == "not_applicable"


def test_a_test_that_the_reference_fails_is_left_out_and_said() -> None:
    bad = HiddenTest("result['North'] == 20")
    found = judged(RIGHT, bad, NORTH)
    assert (found.correctness.passed, states(found)) == (True, ["error", "held"])
    score = tests_metric.score(found)
    assert score.value == 1.0 and score.reason.startswith("1 test left out: test 1 (assert result['North'] == 20): ")
    alone = tests_metric.score(judged(RIGHT, bad))
    assert alone.state == "not_applicable" and "the reference fails it" in alone.reason


def test_other_tables_with_the_reference() -> None:
    test = HiddenTest(tables={"sales": TableSource(columns=OTHER)}, reference=True)
    listed = "result = {name: sales[sales.region == name].qty.sum() for name in ['North', 'South', 'East']}"
    assert states(judged(RIGHT, test)) == ["held"]
    assert states(judged(listed, test)) == ["failed"]


def test_an_assert_and_a_property_on_other_tables() -> None:
    tables = {"sales": TableSource(columns=OTHER)}
    tests = (
        HiddenTest("result['West'] == sales.qty.iloc[0]", tables=tables),
        HiddenTest(property="rows", value=2, tables=tables),
    )
    assert states(judged(RIGHT, *tests)) == ["held", "held"]


# -- asserts see the result as it was -------------------------------------------------------------------------------

RESULTS = {
    "a frame": ("result = sales.copy()", "result.qty.dtype == 'int64' and list(result.columns) == ['region', 'qty']"),
    "two levels": (
        "result = sales.groupby(['region', 'qty']).size()",
        "result[('North', 12)] == 1 and result.index.names == ['region', 'qty']",
    ),
    "missing numbers": (
        "result = pd.DataFrame({'a': [1, None]})",
        "result.a.isna().sum() == 1 and result.a.sum() == 1",
    ),
    "dates": (
        "result = pd.DataFrame({'d': pd.to_datetime(['2024-01-31'])})",
        "result.d.dt.month.iloc[0] == 1 and result.d.max() == pd.Timestamp('2024-01-31')",
    ),
    "a set": ("result = set(sales.region)", "result == {'North', 'South', 'East'}"),
    "a tuple": ("result = (1, 2.5, None)", "result == (1, 2.5, None)"),
    "a named tuple": (
        "import collections\nresult = collections.namedtuple('P', 'x y')(1, 2)",
        "result.x == 1 and result[1] == 2",
    ),
    "not a number": ("result = float('nan')", "pd.isna(result)"),
    "an array": ("result = np.array([1, 2])", "sum(result) == 3"),
    "several statements": ("result = [3, 1]", "found = sorted(result)\nassert found == [1, 3]\nassert len(found) == 2"),
    "the tables": ("result = len(sales)", "result == len(df) == len(tables['sales'])"),
}


@pytest.mark.parametrize(("code", "text"), RESULTS.values(), ids=RESULTS.keys())
def test_an_assert_gets_the_result(code: str, text: str) -> None:
    found = judged(
        code,
        HiddenTest(text),
        HiddenTest(f"not ({text.splitlines()[0]})" if "\n" not in text else "assert not result"),
        task=BARE,
    )
    assert states(found) == ["held", "failed"], found.tests


# -- properties -------------------------------------------------------------------------------------------------------

TABLE = "result = pd.DataFrame({'name': ['b', 'a', 'c'], 'n': [3, 2, 2], 'x': [0.5, None, 1.5]})"
SERIES = "result = pd.Series({'North': 19, 'South': 5}).sort_values()"


def held(code: str, name: Property, **stated: object) -> str:
    return problem(judged(code, HiddenTest(property=name, **stated), task=BARE))  # type: ignore[arg-type]  # any key


HOLDS: list[tuple[str, Property, dict[str, object]]] = [
    (TABLE, "sorted", {"column": ("n",), "ascending": False}),
    (TABLE, "unique", {"column": ("name",)}),
    (TABLE, "unique", {}),
    (TABLE, "rows", {"value": 3}),
    (TABLE, "rows", {"min": 1, "max": 3}),
    (TABLE, "columns", {"names": ("x", "n", "name")}),
    (TABLE, "no_nulls", {"column": ("name", "n")}),
    (TABLE, "range", {"column": ("x",), "min": 0, "max": 1.5}),
    (TABLE, "sums_to", {"column": ("x",), "value": 2}),
    (TABLE, "subset_of", {"column": ("name",), "values": ("a", "b", "c", "d")}),
    (SERIES, "sorted", {}),
    ("result = sales.groupby('region').qty.sum()", "sums_to", {"of": "sales.qty"}),
    ("result = sales.groupby('region').qty.sum()", "subset_of", {"column": ("region",), "of": "sales.region"}),
    ("result = sales.groupby('region').qty.sum().to_dict()", "subset_of", {"column": ("key",), "of": "sales.region"}),
    ("result = list(sales.qty)", "subset_of", {"values": (5, 7.0, 9, 12)}),
    ("result = sales.qty.max()", "range", {"min": 12, "max": 12}),
    ("result = pd.to_datetime(pd.Series(['2024-02-01']))", "range", {"min": "2024-01-01", "max": "2024-12-31"}),
    ("result = [0.1] * 10", "sums_to", {"value": 1}),
    ("result = sales.groupby('region').qty.sum().reset_index()", "sums_to", {"of": "sales.qty"}),
]
FAILS: list[tuple[str, Property, dict[str, object], str]] = [
    (TABLE, "sorted", {"column": ("n",)}, "row 2 is not in ascending order: 2 after 3"),
    (TABLE, "sorted", {"column": ("x",)}, "nulls are between other values"),
    (TABLE, "sorted", {"column": ("m",)}, 'the result has no column "m"'),
    (TABLE, "sorted", {}, "the result has 3 columns"),
    (TABLE, "unique", {"column": ("n",)}, "2 appears more than once"),
    (TABLE, "rows", {"value": 4}, "the result has 3 rows"),
    (TABLE, "rows", {"max": 2}, "the result has 3 rows"),
    (TABLE, "columns", {"names": ("n", "name")}, 'a further column "x"'),
    (TABLE, "columns", {"names": ("n", "name", "xx")}, 'no column "xx". Did you mean "x"?'),
    (TABLE, "no_nulls", {}, 'the column "x" has nulls'),
    (TABLE, "range", {"column": ("x",), "min": 1}, "0.5 is below 1"),
    (TABLE, "range", {"column": ("name",), "min": 1}, "have no order"),
    (TABLE, "sums_to", {"column": ("n",), "value": 8}, "the sum is 7, not 8"),
    (TABLE, "sums_to", {"column": ("name",), "value": 8}, "something other than numbers"),
    (TABLE, "subset_of", {"column": ("x",), "values": (0.5, 1.5)}, "None is not one of"),
    ("result = pd.concat([sales, sales], axis=1)", "unique", {}, 'two columns of the result have the name "region"'),
    ("result = pd.to_datetime(pd.Series(['2024-02-01']))", "range", {"max": "2024-01-31"}, "is above 2024-01-31"),
]


@pytest.mark.parametrize(("code", "name", "stated"), HOLDS)
def test_a_property_that_holds(code: str, name: Property, stated: dict[str, object]) -> None:
    assert held(code, name, **stated) == ""


@pytest.mark.parametrize(("code", "name", "stated", "told"), FAILS)
def test_a_property_that_does_not_hold(code: str, name: Property, stated: dict[str, object], told: str) -> None:
    assert told in held(code, name, **stated)


# -- what code cannot do ----------------------------------------------------------------------------------------------

LYING = """
class Liar(dict):
    def __eq__(self, other): return True
    def __getitem__(self, key): return 19
    def __len__(self): return 3
result = Liar({'North': 1})
"""
LIAR = """
class Same:
    __eq__ = __sub__ = __abs__ = __lt__ = lambda *_: True
result = {'North': Same()}
"""
PATCHED = "import builtins\nbuiltins.abs = lambda _: 0\nbuiltins.bool = lambda _: True\nresult = {'North': 1}"
PANDAS = """
pd.Series.__getitem__ = lambda *_: 19
pd.Series.__eq__ = lambda *_: True
pd.DataFrame.sum = pd.Series.sum = lambda *_: 19
import ast, json
json.loads = lambda *_: {'North': 19}
ast.parse = lambda *_: None
result = pd.Series({'North': 1})
"""


@pytest.mark.parametrize("code", [LYING, LIAR, PATCHED, PANDAS], ids=["dict", "cells", "builtins", "pandas"])
def test_code_that_lies_about_its_result_fails_the_assert(code: str) -> None:
    found = judged(code, NORTH, task=BARE)
    assert (states(found), found.correctness.passed) == (["failed"], False)
    assert states(judged(RIGHT, NORTH, task=BARE)) == ["held"]  # and nothing of it is left for the next one


HOSTILE = {
    "never ends": "while True: pass\nassert result",
    "opens a file": "assert open('/etc/passwd').read() and len(result)",
    "opens a socket": "import socket\nsocket.create_connection(('127.0.0.1', 80), 1)\nassert len(result)",
    "starts a process": "import subprocess\nassert subprocess.run(['true']).returncode == 0 and len(result)",
    "ends the process": "import os\nos._exit(0)\nassert len(result)",
    "exits": "import sys\nsys.exit(0)\nassert len(result)",
    "kills itself": "import os\nos.kill(os.getpid(), 9)\nassert len(result)",
    "takes all memory": "assert len(result) and bytearray(10**11)",
    "answers for itself": (
        "import __main__\n__main__.result = {'held': True, 'error': ''}\nimport sys\nsys.exit(0)\nassert result"
    ),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_assert_does_not_hold_and_is_left_out_beside_a_reference(text: str) -> None:
    task = msgspec.structs.replace(BARE, timeout=1.0)
    alone = judged(RIGHT, HiddenTest(text), task=task)
    assert (states(alone), alone.correctness.passed) == (["failed"], False), alone.tests
    beside = judged(RIGHT, HiddenTest(text), NORTH, task=msgspec.structs.replace(BY_REGION, timeout=1.0))
    assert (states(beside), beside.correctness.passed) == (["error", "held"], True)
