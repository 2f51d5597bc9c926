"""Tables small enough to check by hand: which columns count, several golds, nulls, and why a match fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from karat.suites.answers.records import Answer, Entry, Gold
from karat.suites.answers.spider2 import judge, table_match, tables_match
from tests.suites.answers.spider2 import literal
from tests.suites.answers.spider2.agreeing import assert_tables_agree, literally

Write = Callable[[str, str], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, lines: str) -> str:
        (tmp_path / name).write_text("\n".join(lines.split()) + "\n")
        return str(tmp_path / name)

    return written


GOLD = "city,sales,share a,10,0.5 b,2,0.25"


@pytest.mark.parametrize(
    ("answer", "options", "passes"),
    [
        (GOLD, {}, True),
        ("x,y,z,more a,10,0.5,1 b,2,0.25,2", {}, True),  # names do not matter, more columns are free
        ("z,x,y 0.5,a,10 0.25,b,2", {}, True),
        ("city,sales,share b,2,0.25 a,10,0.5", {}, False),
        ("city,sales,share b,2,0.25 a,10,0.5", {"ignore_order": True}, True),
        ("city,sales,share b,10,0.5 a,2,0.25", {"ignore_order": True}, True),  # rows fall apart, and it passes
        ("city,sales,share b,2,0.25 a,10,0.5", {"ignore_order": [False]}, True),  # a list is not empty
        ("city,sales,share b,2,0.25 a,10,0.5", {"ignore_order": []}, False),
        ("sales 10.009 2", {"condition_cols": [1]}, True),
        ("sales 10.02 2", {"condition_cols": [1]}, False),
        ("sales 10 2", {"condition_cols": [1, 1]}, True),  # one column serves twice
        ("sales 0.5 0.25", {"condition_cols": [-1]}, True),
        ("sales,share 10,0.5", {"condition_cols": [1]}, False),
        ("sales 10 2", {"condition_cols": [3]}, False),
        ("sales 10 2", {"condition_cols": [[1]]}, False),  # nested, for a gold that is not a list
        (GOLD, {"condition_cols": []}, True),
        (GOLD, {"condition_cols": ()}, True),
        (GOLD, {"condition_cols": [[]]}, False),  # only an empty list means all columns of a lone gold
        (GOLD, {"condition_cols": [None]}, False),
        (GOLD, {"condition_cols": None}, False),
        (GOLD, {"condition_cols": 1}, False),
        (GOLD, {"condition_cols": "1"}, False),
        ("sales 10 2", {"condition_cols": [False, True, False]}, True),  # a mask, as pandas takes it
        ("sales 10 2", {"condition_cols": [1.0]}, True),
    ],
)
def test_one_gold(answer: str, options: dict[str, Any], passes: bool, write: Write) -> None:
    result, gold = write("result.csv", answer), write("gold.csv", GOLD)
    assert bool(table_match(result, gold, **options)) is passes
    assert literally(literal.table_match, result, gold, **options) is passes


@pytest.mark.parametrize(
    ("answer", "conditions", "lettered", "passes"),
    [
        ("x,y 1,5", [0, 1], True, True),
        ("x 1", [0], True, False),  # 0 alone is empty, and means all columns
        ("x 1", [0, 1], True, False),
        ("x 5", [1], True, True),
        ("x 5", [1, 0, 7], True, True),  # only the first entry is looked at
        ("x 1", [[0]], True, True),
        ("x 1", [[0], [1]], True, True),
        ("x 1", None, True, False),
        ("x,y 1,5", None, True, True),
        ("x,y 1,5", [None], True, True),
        ("x,y 1,5", [[]], True, True),
        ("x 1", 0, True, False),  # nothing in the first place of a number
        ("x 5", 1, True, False),
        ("x 1", [0], False, True),  # <id>.csv: the list as it is
        ("x 5", [1, 0], False, False),
        ("x 5", 1, False, True),
        ("x,y 1,5", 0, False, True),
        ("x,y 1,5", None, False, True),
        ("x 1", [[0]], False, False),
        ("x,y 1,5", [[]], False, False),
    ],
)
def test_a_lone_gold_of_lite_and_snow(answer: str, conditions: Any, lettered: bool, passes: bool, write: Write) -> None:
    path = write("one_a.csv" if lettered else "one.csv", "p,q 1,5")
    result = write("result.csv", answer)
    gold: Any = [path] if lettered else path
    assert bool(table_match(result, gold, conditions, family="flat")) is passes
    assert literally(literal.table_match, result, gold, conditions, family="flat") is passes
    entry = Entry("table_match", {"condition_cols": conditions, "ignore_order": True}, (path,))
    assert bool(judge(Gold("one", (entry,), family="flat"), Answer("one", "file", paths=(result,)))) is passes


def test_own_gold_gives_a_flat_list_to_a_lone_gold_too(write: Write) -> None:
    gold = [write("a.csv", "p,q 1,5")]
    assert table_match(write("result.csv", "x 1"), gold, [0], family="own")
    assert not table_match(write("result.csv", "x 1"), gold, [0, 1], family="own")
    assert table_match(write("result.csv", "x,y 1,5"), gold[0], None, family="own")


@pytest.mark.parametrize(
    ("answer", "conditions", "flat", "passes"),
    [
        ("x 1", [[0], [0]], False, True),
        ("x 2", [[0], [0]], False, True),
        ("x 3", [[0], [0]], False, False),
        ("x 2", [[0]], False, False),  # no condition for the second gold
        ("x 1", [[0]], False, True),  # the first gold has had its turn
        ("x 2", [[0], [0], [0]], False, True),  # one too many is never looked at
        ("x 2", [0], True, True),
        ("x 2", [0], False, False),
        ("x,y 2,6", [], False, True),
        ("x,y 2,6", [[]], False, True),
        ("x 2", [[], [0]], False, True),
        ("x 2", [1], True, False),
        ("x 2", [5], True, False),
        ("x,y 2,6", None, False, True),
        ("x,y 2,6", [None], False, True),
        ("x,y 2,6", [[], None], False, False),  # null for one of them
        ("x 2", [[0], 0], True, False),  # mixed: the list as it is for each, which pandas refuses
        ("x 2", 0, True, False),
        ("x 2", [[0]], True, False),
    ],
)
def test_several_golds(answer: str, conditions: Any, flat: bool, passes: bool, write: Write) -> None:
    golds = [write("a.csv", "p,q 1,5"), write("b.csv", "p,q 2,6")]
    result = write("result.csv", answer)
    family: Any = "flat" if flat else "contract"
    assert bool(table_match(result, golds, conditions, family=family)) is passes
    assert literally(literal.table_match, result, golds, conditions, family=family) is passes


@pytest.mark.parametrize(
    ("answer", "nulls", "passes"),
    [
        ("a,b 1,0 2,7", "equal", False),
        ("a,b 1,0 2,7", "zero", True),
        ("a,b 1,NA 2,7", "equal", True),
        ("a,b 1,-1 2,7", "zero", False),
    ],
)
def test_nulls(answer: str, nulls: Any, passes: bool, write: Write) -> None:
    result, gold = write("result.csv", answer), write("gold.csv", "a,b 1, 2,7")
    assert bool(table_match(result, gold, nulls=nulls)) is passes
    assert assert_tables_agree(result, gold, nulls=nulls) is passes


def test_booleans_are_numbers(write: Write) -> None:
    assert table_match(write("result.csv", "a 1 0"), write("gold.csv", "a True False"))


def test_integers_that_turn_into_floats_change_their_order(write: Write) -> None:
    """As integers 10000000000000000 comes before 11; as floats 11.0 comes before 1e+16. A float beside them in the
    answer does it."""
    gold = write("gold.csv", "a,b 10000000000000000,x 11,y")
    answer = write("result.csv", "a,b 10000000000000000,0.5 11,1")
    assert not assert_tables_agree(answer, gold, [0], True)
    assert assert_tables_agree(answer, gold, [0], False)


def test_why_a_table_fails(write: Write) -> None:
    gold = write("gold.csv", GOLD)
    rows = table_match(write("rows.csv", "city,sales,share a,10,0.5"), gold)
    assert (rows.reason, rows.evidence["gold_rows"], rows.evidence["rows"]) == ("row_count", 2, 1)
    values = table_match(write("values.csv", "city,sales,share a,11,0.5 b,2,0.25"), gold)
    assert values.reason == "values_differ"
    assert values.evidence["unmatched"] == [{"column": 1, "name": "sales"}]
    assert table_match(write("less.csv", "city,sales a,10 b,2"), gold).reason == "missing_column"
    outside = table_match(gold, gold, [7])
    assert outside.reason == "gold_error"
    assert outside.evidence["error"] == ("IndexError: condition_cols names column 7, but gold has 3 columns (0 to 2)")


def test_of_several_golds_the_nearest_gives_the_reason(write: Write) -> None:
    golds = [write("a.csv", "p,q 8,9"), write("b.csv", "p,q 1,5")]
    assert table_match(write("result.csv", "x,y 1,6"), golds).evidence["unmatched"] == [{"column": 1, "name": "q"}]


def test_tables_match(write: Write) -> None:
    golds = [write("a.csv", "p,q 1,5"), write("b.csv", "p 2 3")]
    found = [write("c.csv", "x,y 1,5"), write("d.csv", "x 3 2")]
    assert tables_match(found, golds, [[], []], [True, True])
    surplus = tables_match([*found, found[0]], golds, None, [False, True])
    assert (surplus.reason, surplus.evidence["error"]) == (
        "shape_differs",
        "3 files for 2 gold tables: there must be as many",
    )
    assert tables_match(found, golds).evidence["table"] == "b.csv"
    assert tables_match(found, golds, [[0]], [True, True]).reason == "gold_error"
    assert tables_match(found, golds, None, [True]).reason == "gold_error"
    assert tables_match(found[:1], golds).reason == "missing_prediction"
    for ignore in (None, [], [True, True], [False, True], [True], [True] * 3, True, "ab"):
        choices: list[Any] = [None, [], [[]], [[], []], [[0], [0]], [[0], None], [[0], 0], [[], [], []], [[0], [1]]]
        for conditions in choices:
            for given in (found, [*found, found[0]], found[:1], []):
                expected = literally(literal.tables_match, given, golds, conditions, ignore)
                verdict = tables_match(given, golds, conditions, ignore)  # type: ignore[arg-type]  # as drawn
                assert bool(verdict) is expected, (given, conditions, ignore, verdict)
