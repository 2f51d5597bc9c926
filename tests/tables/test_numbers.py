"""One rule for two numbers, in every place that compares numbers.

The rule is written down here once more, with exact decimals, and the random numbers are held to it in each place:
cells, small tables, large tables, files too large to hold, numbers found in a text, results of code and what is nested
in them.
"""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import polars
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from karat.suites.answers.strict.numbers import number_match
from karat.suites.codegen.metrics.correctness import as_gold, judge
from karat.suites.codegen.options import Options
from karat.tables.matching import match_tables
from karat.tables.options import CompareOptions
from karat.tables.outofcore.compare import match_csv_files
from karat.tables.table import Table, table_of
from karat.tables.values.cells import as_gold as gold_cells
from karat.tables.values.cells import equal, parse
from karat.tables.values.numbers import may_be_percent

DEFAULT = CompareOptions()


def by_the_rule(a: str, b: str) -> bool | None:
    """Whether two numbers as they are written are equal; None too near to the edge for floats to tell. ``a`` is
    gold."""
    with localcontext() as context:
        context.prec = 80
        x, y = Decimal(a), Decimal(b)
        if _whole(a) and _whole(b):
            return x == y
        difference, largest = abs(x - y), max(abs(x), abs(y))
        floor = Decimal("1e-9") * (min(Decimal(1), abs(x)) or 1)
        edges = [max(floor, Decimal("1e-4") * largest)]
        decimals = [_decimals(a), _decimals(b)]
        if decimals[0] != decimals[1]:
            shorter, shown = (x, decimals[0]) if decimals[0] < decimals[1] else (y, decimals[1])
            if len(str(int(abs(shorter).scaleb(shown)))) >= 2:
                edges.append(Decimal("0.5").scaleb(-max(0, shown)))
        if any(edge and abs(difference / edge - 1) < Decimal("1e-6") for edge in edges):
            return None
        return any(difference <= edge for edge in edges)


def _whole(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]+(\.0*)?", text) is not None


def _decimals(text: str) -> int:
    digits, _, power = text.lower().partition("e")
    return len(digits.partition(".")[2]) - int(power or 0)


@st.composite
def written(draw: st.DrawFn) -> str:
    """A number of any size, in one of the ways to write one."""
    kind = draw(st.sampled_from(["whole", "zeros", "float", "decimals", "exponent"]))
    if kind in ("whole", "zeros"):
        size = draw(st.sampled_from([3, 100, 10**6, 2**53, 2**64, 10**30]))
        number = draw(st.integers(-size, size)) + draw(st.sampled_from([0, size]))
        return str(number) + ("." + "0" * draw(st.integers(1, 3)) if kind == "zeros" else "")
    if kind == "float":
        return repr(draw(st.floats(-1e7, 1e7, allow_nan=False)))
    whole, decimals = draw(st.integers(-(10**5), 10**5)), draw(st.integers(1, 6))
    if kind == "decimals":
        return f"{Decimal(whole).scaleb(-decimals):f}"
    return f"{whole / 10**4}e{draw(st.integers(-8, 8))}"


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Two numbers, the second mostly the first moved a little, rounded, or written in another way."""
    first = draw(written())
    exact = Decimal(first)
    change = draw(st.sampled_from(["other", "next", "rounded", "noise", "float", "same"]))
    with localcontext() as context:
        context.prec = 80
        if change == "other":
            second = draw(written())
        elif change == "next":
            moved = int(exact) + draw(st.integers(-2, 2))
            second = str(moved)
        elif change == "rounded":
            second = f"{round(exact, draw(st.integers(0, 4))):f}"
        elif change == "noise":
            second = repr(float(exact) * (1 + draw(st.sampled_from([1e-12, 5e-5, -5e-5, 2e-4, -1e-3]))))
        elif change == "float":
            second = repr(float(exact))
        else:
            second = first + ("0" if "." in first and "e" not in first.lower() else "")
    return (first, second) if draw(st.booleans()) else (second, first)


def plainly(text: str) -> bool:
    """Whether a text is read as a number everywhere: no leading zeros, no minus zero."""
    return re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", text) is not None


def held(columns: list[list[str | None]]) -> Table:
    names = tuple(f"c{index}" for index in range(len(columns)))
    return Table(names, tuple(polars.Series(each, dtype=polars.String) for each in columns), len(columns[0]))


def value(text: str) -> Any:
    """The number as code would leave it; None when that would not be shown as it is written."""
    number = int(text) if re.fullmatch("-?[0-9]+", text) else float(text)
    return number if repr(number) == text else None


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(pairs())
def test_every_place_obeys_the_rule(pair: tuple[str, str]) -> None:
    gold, pred = pair
    assume(plainly(gold) and plainly(pred))
    expected = by_the_rule(gold, pred)
    assume(expected is not None)
    cells = gold_cells([parse(gold, DEFAULT)])[0], parse(pred, DEFAULT)
    assert equal(*cells, DEFAULT) is expected
    for ignore_order in (True, False):
        # A second column of words, so that a row is a row; the rule is the same for one.
        small = match_tables(table_of("ab", [[gold, "x"]]), table_of("pq", [[pred, "x"]]), ignore_order=ignore_order)
        assert small.passed is expected
        large = match_tables(held([[gold], ["x"]]), held([[pred], ["x"]]), ignore_order=ignore_order)
        assert large.passed is expected
    assert (number_match(f"It is {pred}", gold).state == "right") is expected
    one, other = value(gold), value(pred)
    if one is not None and other is not None:
        options = Options()
        assert judge(as_gold(one, calls=False), other, ordered=False, options=options).passed is expected
        nested = judge(
            as_gold([[1, [one]], [2, []]], calls=False), [[2, []], [1, [other]]], ordered=False, options=options
        )
        assert nested.passed is expected


@settings(max_examples=150, deadline=None)
@given(pairs(), pairs())
def test_the_rule_has_no_sides(first: tuple[str, str], second: tuple[str, str]) -> None:
    for a, b in (first, second, (first[0], second[1])):
        one, other = parse(a, DEFAULT), parse(b, DEFAULT)
        assert equal(one, other, DEFAULT) is equal(other, one, DEFAULT)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(pairs(), min_size=20, max_size=40))
def test_files_too_large_to_hold_obey_the_rule(
    tmp_path_factory: pytest.TempPathFactory, found: list[tuple[str, str]]
) -> None:
    """In file order, so that the rows side by side are these pairs; a first row far away keeps the scale of the
    column."""
    used = [(a, b, by_the_rule(a, b)) for a, b in found if plainly(a) and plainly(b) and min(map(_size, (a, b))) >= 1]
    good = [(a, b) for a, b, same in used if same]
    folder = tmp_path_factory.mktemp("numbers")
    assert not good or _in_files(folder, good)
    for a, b, same in used[:6]:
        if same is not None:
            assert _in_files(folder, [*good, (a, b)]) is same


def _size(text: str) -> float:
    return abs(float(text))


def _in_files(folder: Path, rows: list[tuple[str, str]]) -> bool:
    for name, place in (("gold", 0), ("pred", 1)):
        (folder / f"{name}.csv").write_text("k,n\n" + "".join(f"x{i},{row[place]}\n" for i, row in enumerate(rows)))
    return match_csv_files(folder / "gold.csv", folder / "pred.csv").passed


def test_big_whole_numbers_in_a_column_with_blanks() -> None:
    gold: list[list[str | None]] = [["9007199254740993"], [None], ["18446744073709551617"]]
    for place in (0, 2):
        pred = [list(row) for row in gold]
        pred[place][0] = str(int(gold[place][0] or 0) - 1)
        for held_as in (table_of, lambda names, rows: held([list(column) for column in zip(*rows, strict=True)])):
            assert match_tables(held_as(["id"], gold), held_as(["id"], gold[::-1]), ignore_order=True).passed
            match = match_tables(held_as(["id"], gold), held_as(["id"], pred), ignore_order=True)
            assert (match.passed, match.settled) == (False, True)


PERCENT = [
    (["0.4335"], ["43.35%"], True),
    (["0.4335"], ["0.4335%"], False),
    (["43.35%"], ["0.4335"], True),
    (["0.4335%"], ["0.4335"], False),
    (["0.4335%"], ["0.004335"], True),
    (["43.35"], ["43.35%"], True),
    (["43.35%"], ["43.35"], True),
    (["0.4335", "0.12", "0"], ["43.35%", "12%", "0%"], True),
    (["0.4335", "0.12", "0"], ["0.4335%", "0.12%", "0%"], False),
    (["0.5", "12.5", "43.35"], ["0.5%", "12.5%", "43.35%"], True),
    (["0.4335", "0.12", "1.2"], ["0.4335%", "0.12%", "1.2%"], False),
    (["0.4335", "0.12", "1.2"], ["43.35%", "12%", "120%"], True),
]


@pytest.mark.parametrize(("gold", "pred", "passes"), PERCENT)
@pytest.mark.parametrize("ignore_order", [True, False])
def test_percent(gold: list[str | None], pred: list[str | None], passes: bool, ignore_order: bool) -> None:
    small = match_tables(
        table_of(["a"], [[text] for text in gold]),
        table_of(["b"], [[text] for text in pred]),
        ignore_order=ignore_order,
    )
    large = match_tables(held([gold]), held([pred]), ignore_order=ignore_order)
    assert (small.passed, large.passed) == (passes, passes)


def test_what_may_be_meant_in_percent() -> None:
    assert may_be_percent(2, 1)
    assert not may_be_percent(1, 1)
    assert not may_be_percent(0, 0)
