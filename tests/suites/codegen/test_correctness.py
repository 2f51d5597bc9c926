"""Results against the expected one: what means the same, what is half right, what only fits the data."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from karat.core.suite import NotApplicable
from karat.sandbox import Column, Other, Plain, Record, Series, Table, Unordered
from karat.suites.codegen.metrics.correctness import Correctness, as_gold, judge
from karat.suites.codegen.options import Options
from karat.suites.codegen.question.reading import read_question
from karat.suites.codegen.records import Expected, Schema, TableSource, Task
from karat.suites.codegen.results.figures import figures_of
from tests.suites.codegen.tasks import MEANS, QUICK, SALES, judge_code


def word(gold: Plain, result: Plain, *, ordered: bool = False, options: Options = QUICK) -> Correctness:
    return judge(as_gold(gold, calls=False), result, ordered=ordered, options=options)


def frame(index: dict[str, list[Any]] | None = None, **columns: list[Any]) -> Table:
    levels = tuple(Column(name or None, "", values) for name, values in (index or {}).items())
    height = len(next(iter({**(index or {}), **columns}.values())))
    return Table(height, tuple(Column(name, "", values) for name, values in columns.items()), levels)


def series(values: list[Any], index: list[Any] | None = None, name: str | None = None) -> Series:
    levels = (Column("city", "str", index),) if index else ()
    return Series(Column(name, "", values), levels)


MEAN = series([1.0, 2.0], ["a", "b"])


@pytest.mark.parametrize(
    ("gold", "result"),
    [
        (3, 3.0),
        (3.14159265, 3.14159266),
        (True, 1),
        (None, None),
        ([1, 2], series([2.0, 1.0])),
        (MEAN, frame(city=["b", "a"], mean=[2, 1])),
        (MEAN, frame({"": ["a", "b"]}, mean=[1, 2])),
        (MEAN, {"a": 1, "b": 2}),
        (MEAN, {"city": ["a", "b"], "mean": [1, 2]}),
        (MEAN, [["a", 1], ["b", 2]]),
        (MEAN, [{"city": "a", "mean": 1}, {"city": "b", "mean": 2}]),
        (3, Series(Column(None, "", [3]), (Column(None, "", ["price"]),))),
        (Series(Column(None, "", [3]), (Column(None, "", ["price"]),)), 3),
        (frame({"": [4, 7]}, a=[1, 2]), frame(a=[1, 2])),
        (frame(a=[1, 2]), frame(level_0=[4, 7], a=[1, 2])),
        (frame(a=[]), frame(a=[])),
        ([MEAN, 3], [frame(city=["a", "b"], x=[1, 2]), 3.0]),
    ],
)
def test_what_means_the_same_is_equal(gold: Plain, result: Plain) -> None:
    assert word(gold, result).score == 1.0


@pytest.mark.parametrize(
    ("gold", "result", "score"),
    [
        (3, 4, 0.0),
        ([1, 2, 3, 4], [1, 2, 3, 5], 0.375),  # three of four cells: 0.75 / 2
        (MEAN, series([1, 3], ["a", "b"]), 0.375),
        (MEAN, series([2, 1], ["a", "b"]), None),
        (MEAN, [1, 2], None),  # the cities are missing
        (3, frame(a=[1], b=[2], c=[3]), 0.25),  # a frame of guesses: F1 = 2 / (2 + 2)
        (frame(a=[]), frame(b=[], c=[]), 0.0),
        (frame(a=[]), frame(a=[1]), 0.0),
        (3, Other("__main__.Always", "3"), 0.0),
        (MEAN, series([Other("x.Y", ""), 1], ["a", "b"]), 0.0),
        ([MEAN, 3], [MEAN, 4], 0.25),
        ([MEAN, 3], [MEAN], 0.0),
    ],
)
def test_what_differs_is_half_right_at_most(gold: Plain, result: Plain, score: float | None) -> None:
    found = word(gold, result)
    assert not found.passed and found.reason
    assert found.score is not None and 0 <= found.score <= 0.5
    assert score is None or found.score == pytest.approx(score)


ZONED, NAIVE = datetime(2024, 3, 1, 10, tzinfo=UTC), datetime(2024, 3, 1, 10)
LOW_HIGH = Record("Pair", ("low", "high"), (1, 3))
PAIRS = [LOW_HIGH, Record("Pair", ("low", "high"), (2, 4))]
TWO_LEVELS = frame({"city": ["a", "b"], "year": [1, 2]}, n=[5, 6])
RANGE = frame({"city": ["a", "b"]}, min=[1, 2], max=[3, 4])


@pytest.mark.parametrize(
    ("gold", "result"),
    [
        (RANGE, [["a", 1, 3], ["b", 2, 4]]),
        (RANGE, {"a": {"min": 1, "max": 3}, "b": {"max": 4, "min": 2}}),  # to_dict("index")
        (RANGE, {"min": {"a": 1, "b": 2}, "max": {"a": 3, "b": 4}}),  # to_dict()
        ({"a": {"min": 1, "max": 3}, "b": {"min": 2, "max": 4}}, RANGE),
        (TWO_LEVELS, {("a", 1): 5, ("b", 2): 6}),
        (frame(low=[1, 2], high=[3, 4]), series([{"low": 1, "high": 3}, {"low": 2, "high": 4}])),  # structs
        ([[1, 2], [3, 4]], series([[1, 2], [3, 4]])),
        (series([[1, 2], [3, 4]]), frame(x=[[1, 2], [3, 4]])),
        ({"a": LOW_HIGH}, {"a": (1, 3)}),
        ({"a": Unordered([1, 2])}, {"a": [2, 1]}),
        (PAIRS, [(1, 3), (2, 4)]),
        ([(1, 3), (2, 4)], PAIRS),
        ([(1, 3), (2, 4)], frame({"": [5, 7]}, x=[1, 2], y=[3, 4])),
        ([["a", 1], ["b", 2]], frame(n=[1, 2], city=["a", "b"])),  # nothing else can be meant
        (frame(x=["(0, 1]", "(1, 3]"]), frame(x=["(0.0, 1.0]", "(1.0, 3.0]"])),
        ([ZONED, None], [ZONED.astimezone(timezone(timedelta(hours=2))), None]),
        (frame(n=[1, 2]), [Record("Pandas", ("Index", "n"), (0, 1)), Record("Pandas", ("Index", "n"), (1, 2))]),
        ([3 + 0j, 1j], [3, 1j]),
    ],
)
def test_results_of_other_types_that_say_the_same(gold: Plain, result: Plain) -> None:
    found = word(gold, result)
    assert found.passed, found


@pytest.mark.parametrize(
    ("gold", "result"),
    [
        (RANGE, [["a", 3, 1], ["b", 4, 2]]),  # columns without names count by their places
        (RANGE, [[1, "a", 3], [2, "b", 4]]),
        ({"a": 1, "b": 2}, [(1, "a"), (2, "b")]),
        (PAIRS, [(3, 1), (4, 2)]),
        ([(1, 3), (2, 4)], [Record("Pair", ("low", "high"), (3, 1)), Record("Pair", ("low", "high"), (4, 2))]),
        ([(1, 3), (2, 4)], frame(x=[3, 4], y=[1, 2])),
        (RANGE, {"a": {"min": 3, "max": 1}, "b": {"min": 4, "max": 2}}),
        (RANGE, {"min": {"a": 3, "b": 4}, "max": {"a": 1, "b": 2}}),
        (TWO_LEVELS, {("a", 1): 6, ("b", 2): 5}),
        ({"a": LOW_HIGH}, {"a": (3, 1)}),
        ({"a": Unordered([1, 2])}, {"a": [2, 2]}),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        (1 + 2j, (1, 2)),  # no complex number is two numbers
        ((1, 2), 1 + 2j),
        ([1 + 2j, 3], [[1, 2], [3, 0]]),
        ([ZONED, ZONED], [ZONED, NAIVE]),  # the second value has no zone
        ({"a": [ZONED], "b": [1, 2]}, {"a": [NAIVE], "b": [1, 2]}),
        (frame(x=["(0, 1]"]), frame(x=["(0, 1.5]"])),
        ("b'ab'", b"ab"),
    ],
)
def test_results_of_other_types_that_say_something_else(gold: Plain, result: Plain) -> None:
    assert not word(gold, result).passed


def test_extra_columns_can_be_allowed() -> None:
    assert word(3, frame(a=[1], b=[3]), options=Options(extra_columns=True)).passed
    assert word(frame(a=[1, 2]), frame(a=[1, 2], again=[1, 2])).passed  # says the same


def test_order_matters_when_it_is_asked_for_and_not_among_ties() -> None:
    gold = frame(name=["a", "b", "c"], n=[5, 5, 3])
    assert word(gold, frame(name=["c", "b", "a"], n=[3, 5, 5])).passed
    turned = word(gold, frame(name=["c", "b", "a"], n=[3, 5, 5]), ordered=True)
    assert (turned.score, turned.reason) == (0.5, "order_differs")
    tied = word(gold, frame(name=["b", "a", "c"], n=[5, 5, 3]), ordered=True)
    assert tied.passed and "ties" in tied.normalised
    assert not word([1, 2, 3], [2, 1, 3], ordered=True).passed


@pytest.mark.parametrize(
    ("gold", "other", "forgiven"),
    [
        ([5, 5, None], ["b", "a", "c"], True),  # falling, nulls last
        ([None, 5, 5], ["a", "c", "b"], True),
        ([3, None, None], ["a", "c", "b"], True),  # two nulls tie
        ([None, None, 3], ["b", "a", "c"], True),
        ([5, None, 5], ["c", "b", "a"], False),  # in no order
        ([5, 4, None], ["b", "a", "c"], False),  # no tie
        ([None, None, None], ["c", "b", "a"], False),  # in no order that anybody could tell
    ],
)
def test_ties_are_forgiven_where_the_sorted_column_has_nulls(gold: list[Any], other: list[str], forgiven: bool) -> None:
    places = {"a": 0, "b": 1, "c": 2}
    turned = frame(name=other, n=[gold[places[name]] for name in other])
    found = word(frame(name=["a", "b", "c"], n=gold), turned, ordered=True)
    assert found.passed == forgiven
    assert forgiven or found.reason == "order_differs"


@pytest.mark.parametrize(
    ("city", "pay", "passed"),
    [
        (["a", "a", "a", "b", "b"], [7, 4, 4, 9, 5], True),
        (["a", "a", "a", "b", "b"], [4, 7, 4, 9, 5], False),  # sorted by city alone
        (["a", "a", "a", "b", "b"], [4, 4, 7, 5, 9], False),  # the other way
        (["b", "b", "a", "a", "a"], [9, 5, 7, 4, 4], False),
    ],
)
def test_rows_that_tie_in_the_first_column_are_in_the_order_of_the_next(
    city: list[str], pay: list[int], passed: bool
) -> None:
    names = {("a", 7): "u", ("b", 9): "x", ("b", 5): "y"}
    fours = iter("wv")
    given = frame(city=city, pay=pay, name=[names.get(row) or next(fours) for row in zip(city, pay, strict=True)])
    gold = frame(city=["a", "a", "a", "b", "b"], pay=[7, 4, 4, 9, 5], name=["u", "v", "w", "x", "y"])
    asked = read_question("Sort by city, then by pay descending.", Schema({"t": ("city", "pay", "name")}))
    assert asked.ordered == ("city", "pay")
    found = judge(as_gold(gold, calls=False), given, ordered=asked.ordered, options=QUICK)
    assert found.passed == passed and (passed or found.reason == "order_differs")


ENDS = frame({"city": ["a", "b"]}, low=[1, 2], high=[8, 9])


@pytest.mark.parametrize(
    ("result", "passed"),
    [
        (frame(city=["a", "b"], low=[1, 2], high=[8, 9]), True),
        (frame(city=["a", "b"], high=[8, 9], low=[1, 2]), True),  # another order of columns
        (frame(city=["a", "b"], least=[1, 2], most=[8, 9]), True),  # names of its own
        (frame(city=["a", "b"], low=[8, 9], high=[1, 2]), False),
        (frame(city=["a", "b"], LOW=[8, 9], High=[1, 2]), False),
        (frame(city=["a", "b"], low=[8, 9], other=[1, 2]), False),  # "low" holds the high ones
        ([{"city": "a", "low": 8, "high": 1}, {"city": "b", "low": 9, "high": 2}], False),
        ({"city": ["a", "b"], "low": [8, 9], "high": [1, 2]}, False),
    ],
)
def test_labels_must_not_stand_over_another_columns_values(result: Plain, passed: bool) -> None:
    found = word(ENDS, result)
    assert found.passed == passed
    if not passed:
        assert (found.score, found.reason) == (0.5, "labels_swapped")
        assert "low" in found.evidence["swapped_labels"]


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("count", [2, 30, 5_000])
@pytest.mark.parametrize("names", [("high", "low"), ("high", "other"), ("HIGH", "Low")])
def test_swapped_labels_are_wrong_in_any_size_and_order(ordered: bool, count: int, names: tuple[str, str]) -> None:
    """Not left to a person: the code was asked for these columns."""
    places = list(range(count))
    low, high = [n // 2 for n in places], [n // 2 + 10.5 for n in places]
    gold = frame(place=places, low=low, high=high)
    columns: dict[str, list[Any]] = {names[0]: low, names[1]: high}
    found = word(gold, frame(None, place=places, **columns), ordered=ordered)
    assert (found.passed, found.score, found.reason) == (False, 0.5, "labels_swapped")
    assert "high" in [name.casefold() for name in found.evidence["swapped_labels"]]


MEANT = frame(city=["a", "b"], min_pay=[1, 2], max_pay=[8, 9], mean_age=[4.5, 5.5])


@pytest.mark.parametrize(
    ("columns", "passed"),
    [
        ({"Min Pay": [1, 2], "Max Pay": [8, 9]}, True),
        ({"Min Pay": [8, 9], "Max Pay": [1, 2]}, False),
        ({"min": [8, 9], "max": [1, 2]}, False),
        ({"Min Pay": [8, 9], "max": [1, 2]}, False),
        ({"('pay', 'min')": [8, 9], "('pay', 'max')": [1, 2]}, False),
        ({"max": [8, 9], "min": [1, 2]}, True),
        ({"pay": [8, 9], "pay_": [1, 2]}, True),  # may be either
        ({"min": [8, 9], "other": [1, 2]}, True),  # a part of a name, and nothing across from it
    ],
)
def test_labels_in_other_words_must_not_be_crossed(columns: dict[str, list[Any]], passed: bool) -> None:
    found = word(MEANT, frame(None, age=[4.5, 5.5], city=["a", "b"], **columns))
    assert found.passed == passed
    assert passed or (found.score, found.reason) == (0.5, "labels_swapped")


def test_swapped_labels_are_wrong_where_rows_tie() -> None:
    gold = frame(name=["a", "b", "c"], low=[1, 1, 2], high=[5, 6, 7])
    found = word(gold, frame(name=["b", "a", "c"], high=[1, 1, 2], low=[6, 5, 7]), ordered=True)
    assert (found.passed, found.reason) == (False, "labels_swapped")


def test_columns_that_hold_the_same_cannot_be_swapped() -> None:
    assert word(frame(a=[1, 2], b=[2, 1]), frame(a=[2, 1], b=[1, 2])).passed  # the same rows in another order
    assert word(frame(a=[1, 2], b=[1, 2]), frame(b=[1, 2], a=[1, 2])).passed
    assert not word(frame(a=[1, 2], b=[2, 3]), frame(a=[2, 3], b=[1, 2])).passed
    assert not word([["x", 1], ["y", 2]], [[1, "x"], [2, "y"]]).passed  # rows without names have places


def test_expected_results_that_are_written_down(tmp_path: Path) -> None:
    tables = {"sales": TableSource(columns=dict(SALES))}
    (tmp_path / "right.csv").write_text(",city,price\n0,Bonn,5\n1,Oslo,3\n2,Rome,2.25\n")
    for expected in (
        Expected(value={"Bonn": 5, "Oslo": 3, "Rome": 2.25}),
        Expected(table={"city": ["Rome", "Oslo", "Bonn"], "mean": [2.25, 3, 5]}),
        Expected(file=str(tmp_path / "right.csv")),
    ):
        assert judge_code(MEANS.reference, task=Task(tables=tables, expected=expected)).correctness.score == 1
    nothing = judge_code(MEANS.reference, task=Task(tables=tables))
    assert nothing.correctness.score is None and "correctness" in nothing.overall.left_out
    with pytest.raises(NotApplicable, match="gold_error"):
        judge_code("result = 1", task=Task(tables=tables, expected=Expected(file=str(tmp_path / "none.csv"))))


def test_parquet_is_read_too(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table({"n": [1, 2, 3]}), tmp_path / "right.parquet")
    task = Task(expected=Expected(file=str(tmp_path / "right.parquet")))
    assert judge_code("result = [3, 2, 1]", task=task).correctness.passed


FIGURES = {"mean_fare": "34.65", "most": "Rome"}


@pytest.mark.parametrize(
    ("result", "stdout", "share"),
    [
        ({"mean_fare": 34.651, "most": "rome"}, "", 1.0),
        ("@mean_fare[34.65]\n@most[Rome]", "", 1.0),
        (["@mean_fare[34.65]", "@most[Rome]"], "", 1.0),
        (("@mean_fare[34.65]", "@most[Rome]"), "", 1.0),
        (None, "@mean_fare[34.65] @most[Rome]", 1.0),
        (None, "@mean_fare[1] @mean_fare[34.65] @mean_fare[2] @most[Rome]", 0.5),  # the last word counts
        (Series(Column(None, "", [34.65, "Oslo"]), (Column(None, "", ["mean_fare", "most"]),)), "", 0.5),
        (frame(mean_fare=[34.65], most=["Rome"]), "", 1.0),
        (34.65, "", 0.0),  # which of the two is it?
        (Other("a.B", ""), "", 0.0),
    ],
)
def test_named_figures(result: Plain, stdout: str, share: float) -> None:
    assert figures_of(FIGURES, result, stdout, QUICK.compare_options()).share == share


def test_a_single_figure_and_lists() -> None:
    options = QUICK.compare_options()
    assert figures_of({"r": "0.21"}, 0.2148, "", options).all_right
    assert not figures_of({"r": "0.21"}, 0.25, "", options).all_right
    assert figures_of({"r": "[1, 2.5]"}, {"r": [1.0, 2.5]}, "", options).all_right
    task = Task(tables=MEANS.tables, expected=Expected(named={"a": "1", "b": "2"}))
    assert judge_code("result = {'a': 1, 'b': 3}", task=task).correctness.score == 0.25
    assert judge_code("for n, name in enumerate('ab'):\n    print(f'@{name}[{n + 1}]')", task=task).correctness.passed
    assert not judge_code("print('@a[1] @b[2]')\nimport os\nos._exit(0)", task=task).correctness.passed


def test_figures_that_were_printed_after_the_end_of_what_is_kept_are_missing_and_the_reason_says_so() -> None:
    task = Task(tables=MEANS.tables, expected=Expected(named={"a": "1", "b": "2"}))
    cut = "only the first 65,536 characters of the output were read"
    also_set = judge_code("print('x' * 70_000)\nprint('@b[2]')\nresult = {'a': 1}", task=task).correctness
    assert (also_set.score, also_set.reason, also_set.evidence["problem"]) == (0.25, "figures_differ", cut)
    printed = judge_code("print('@a[1]')\nprint('x' * 70_000)\nprint('@b[2]')", task=task).correctness
    assert (printed.score, printed.reason) == (0.25, "printed_not_returned")
    assert printed.evidence["problem"] == f"the answer was printed, not returned: assign it to `result` ({cut})"
    assert "problem" not in judge_code("result = {'a': 1}", task=task).correctness.evidence


def test_names_count_when_they_are_all_there_was_to_do() -> None:
    rename = Task(tables=MEANS.tables, reference='result = df.rename(columns={"price": "cost"})')
    assert judge_code(rename.reference, task=rename).correctness.passed
    same = judge_code("result = df", task=rename).correctness
    assert (same.score, same.reason, same.evidence) == (0.5, "names_differ", {"missing_names": ["cost"]})
    assert judge_code(MEANS.reference + ".rename('m')").correctness.passed  # elsewhere they do not


def test_a_reference_that_changes_nothing_is_a_gold_error() -> None:
    task = Task(setup="df = pd.DataFrame({'a': ['x1']})", reference="df = df.copy()", answer="df")
    with pytest.raises(NotApplicable, match="changes nothing"):
        judge_code("df = df", task=task)


def test_a_function_that_a_template_calls_is_judged_by_its_calls() -> None:
    task = Task(
        template="[insert]\nresult = [f(pd.DataFrame({'a': [1, 2]})), f(pd.DataFrame({'a': [5]}))]",
        reference="def f(df):\n    return df[df['a'] > 1]",
    )
    right = judge_code("def f(df):\n    return df.query('a > 1')", task=task)
    assert right.correctness.passed and right.quality.lost == () and right.coverage.coverage_score > 0
    half = judge_code("def f(df):\n    return df", task=task).correctness
    assert half.evidence["wrong_results"] == [0] and half.score == pytest.approx(0.5 * (2 / 3 + 1) / 2)


def test_this_process_never_imports_pandas() -> None:
    code = (
        "import sys\nfrom tests.suites.codegen.tasks import judge_code\n"
        "assert judge_code('result = df.groupby(\"city\").price.mean()').correctness.passed\n"
        "assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])


class Key:
    """A key that has the hash of all others, and counts how often it is compared."""

    compared = 0

    def __init__(self, name: int) -> None:
        self.name = name

    def __hash__(self) -> int:
        return 7

    def __eq__(self, other: object) -> bool:
        Key.compared += 1
        return isinstance(other, Key) and self.name == other.name


def test_rows_are_not_held_against_each_other_by_the_hash_of_their_keys() -> None:
    rows = [{Key(n): 1} for n in range(500)]
    Key.compared = 0
    assert word([1, 2], rows).score == 0.0
    assert Key.compared <= 2 * len(rows)


HOSTILE: dict[str, Plain] = {
    "integer": 16**1999,
    "small exponent": "1e-" + "9" * 5_000,
    "nought": "0e" + "9" * 5_000,
    "decimals": "1e-" + "9" * 400,
    "digits": "9" * 1_000_000,
    "marks": "a" + "\u0315\u0300\u05ae" * 100_000,
    "figures begun": "@price[" * 5_000,
    "figure in hexadecimal": "@price[0x" + "f" * 9_000 + "]",
    "list in hexadecimal": "@price[[0x" + "f" * 1_000 + ", 1]]",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_values_made_to_hold_the_host_are_wrong_and_no_more(name: str) -> None:
    given = HOSTILE[name]
    assert word(3.5, given).score == 0.0
    assert word("text", given).score == 0.0
    assert not figures_of({"price": "3.5"}, given, "", QUICK.compare_options()).all_right
    assert not figures_of({"price": "3.5"}, None, str(given), QUICK.compare_options()).all_right


def test_more_columns_than_can_be_compared_are_wrong() -> None:
    wide = Table(2, tuple(Column(str(n), "", [1, 2]) for n in range(5_000)))
    found = word(frame(a=[1, 2]), wide)
    assert (found.score, found.reason) == (0.0, "no_table")
    assert "5,000 columns" in found.evidence["problem"]


def test_a_huge_integer_is_wrong_and_counts() -> None:
    """It was an internal error, and left the mean."""
    compared = judge_code("result = 10**5000")
    assert compared.correctness.score == 0.0
    assert "several thousand digits" in compared.last.error
