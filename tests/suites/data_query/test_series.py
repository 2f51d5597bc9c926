"""Series: the combinations that pooled terms cannot see. Every row of the table can be counted by hand."""

from __future__ import annotations

import itertools
import tracemalloc
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.suites.data_query.selection.selection import DatasetSelection, Dimension, Selection, Target, Term
from karat.suites.data_query.series.boxes import Ids, TooMany, alive, groups, shared
from karat.suites.data_query.series.comparison import TOO_MANY
from tests.suites.data_query.building import compared, score

COUNTRIES = "codelist,id,name\nCL_COUNTRY,MEX,m\nCL_COUNTRY,USA,u\nCL_COUNTRY,NO,n\n"


def entry(text: str, dataset: str = "X:D") -> DatasetSelection:
    """``GDP,CPI/MEX``, ``GDP/all``, ``GDP`` (no country), ``GDP/not MEX``, ``GDP/MEX/S13?`` (a default)."""
    dimensions = []
    for name, part in zip(("INDICATOR", "COUNTRY", "SECTOR"), text.split("/"), strict=False):
        operator = "all" if part == "all" else "not_in" if part.startswith("not ") else "in"
        ids = [] if part in ("all", "") else part.removeprefix("not ").rstrip("?").split(",")
        terms = tuple(Term(one, one) for one in ids)
        dimensions.append(Dimension(name, terms, operator, is_default=part.endswith("?")))
    return DatasetSelection(dataset, tuple(dimensions))


def entries(text: str) -> tuple[DatasetSelection, ...]:
    return tuple(
        entry(one.rpartition("@")[0] or one, one.rpartition("@")[2] if "@" in one else "X:D")
        for one in text.split(" + ")
    )


NONE = None


@pytest.mark.parametrize(
    ("target", "answer", "precision", "recall", "f1", "exact"),
    [
        ("GDP/MEX + CPI/USA", "GDP/USA + CPI/MEX", 0, 0, 0, 0),
        ("GDP/MEX + CPI/USA", "GDP,CPI/MEX,USA", Fraction(1, 2), 1, Fraction(2, 3), 0),
        ("GDP,CPI/MEX,USA", "GDP/MEX,USA + GDP,CPI/MEX", 1, Fraction(3, 4), Fraction(6, 7), 0),
        ("GDP/MEX", "GDP/all", NONE, 1, NONE, 0),
        ("GDP/MEX", "GDP", NONE, 1, NONE, 0),
        ("GDP/all", "GDP/MEX", 1, NONE, NONE, 0),
        ("GDP/MEX", "GDP/MEX/S13", 1, 1, 1, 0),
        ("GDP/MEX", "GDP/MEX/S13?", 1, 1, 1, 1),
        ("GDP/MEX", "GDP/MEX/all", 1, 1, 1, 1),
        ("GDP/MEX", "GDP/MEX + GDP,CPI/MEX,USA@X:E", Fraction(1, 5), 1, Fraction(1, 3), 0),
        ("GDP/all", "GDP/all", 1, 1, 1, 1),
        ("GDP/all", "GDP", 1, 1, 1, 1),
        ("GDP/not MEX", "GDP/not MEX", 1, 1, 1, 1),
        ("GDP/MEX", "GDP/not MEX", 0, 0, 0, 0),
        ("GDP/USA", "GDP/not MEX", NONE, 1, NONE, 0),
        ("GDP/not MEX", "GDP/all", NONE, 1, NONE, 0),
        ("GDP/MEX", "GDP/MEX + GDP/MEX", 1, 1, 1, 1),
        ("GDP/MEX,USA", "GDP/MEX + GDP/USA", 1, 1, 1, 1),
        ("GDP/MEX", "GDP/MEX@Y:Z", 0, 0, 0, 0),
        ("GDP/MEX", "GDP/MEX@X:D(2.0)", 1, 1, 1, 1),
    ],
)
def test_worked_examples(
    target: str, answer: str, precision: float | None, recall: float | None, f1: float | None, exact: int
) -> None:
    expected, found = Target(entries(target)), Selection(entries(answer))
    values = [score(f"series_{name}", expected, found) for name in ("precision", "recall", "f1")]
    for one, wanted in zip(values, (precision, recall, f1), strict=True):
        assert one.value == (None if wanted is None else pytest.approx(float(wanted)))
        assert wanted is not None or one.reason == "everything selected in COUNTRY, no codelist"
    assert score("exact_series", expected, found).value == exact


def test_with_a_codelist_everything_is_its_ids(tmp_path: Path) -> None:
    file = tmp_path / "lists.csv"
    file.write_text(COUNTRIES)

    def figures(target: str, answer: str) -> list[float | None]:
        names = ("series_precision", "series_recall", "series_f1", "exact_series")
        sides = Target(entries(target)), Selection(entries(answer))
        return [score(name, *sides, structures=(str(file),)).value for name in names]

    assert figures("GDP/MEX", "GDP/all") == [pytest.approx(1 / 3), 1.0, 0.5, 0.0]
    assert figures("GDP/MEX,USA,NO", "GDP/all") == [1.0, 1.0, 1.0, 1.0]
    assert figures("GDP/not MEX", "GDP/USA") == [1.0, 0.5, pytest.approx(2 / 3), 0.0]
    assert figures("GDP/QQQ", "GDP/all") == [0.0, 0.0, 0.0, 0.0]  # an id that the list does not have is not in "all"


def test_nothing_on_one_side() -> None:
    target = Target(entries("GDP/MEX"))
    assert score("series_precision", target, Selection()).reason == "nothing was selected"
    assert score("series_recall", target, Selection()).value == 0.0
    assert score("series_f1", target, Selection()).value == 0.0
    assert score("exact_series", target, Selection()).value == 0.0
    bare = Target((DatasetSelection("X:D"),))
    for name in ("series_precision", "series_recall", "series_f1", "exact_series"):
        found = score(name, bare, Selection(entries("GDP/MEX")))
        assert (found.value, found.reason) == (None, "the target names no dimension")


def test_defaults_are_left_out_where_asked() -> None:
    target, answer = Target(entries("GDP/MEX")), Selection(entries("GDP/MEX?"))
    assert score("series_precision", target, answer).value == 1.0
    assert score("series_precision", target, answer, ignore_defaults=True).value is None  # now every country


def test_a_wrong_combination_is_never_fully_right() -> None:
    target, answer = Target(entries("GDP/MEX + CPI/USA")), Selection(entries("GDP/USA + CPI/MEX"))
    assert score("exact_match", target, answer).value == score("macro_recall", target, answer).value == 1.0
    found = score("fully_right", target, answer)
    assert (found.value, found.reason) == (0.0, "the terms are right, and combined into other series")
    assert score("fully_right_by_id", target, answer).value == 0.0


def test_an_alternative_with_the_right_combination_wins() -> None:
    right = Selection(entries("GDP/USA + CPI/MEX"))
    target = Target(entries("GDP/MEX + CPI/USA"), alternatives=(right,))
    assert compared(target, right).alternative == 0
    near = Selection(entries("GDP/MEX + CPI/NO,USA"))
    assert compared(Target(entries("GDP/NO + CPI/USA,MEX"), alternatives=(near,)), near).alternative == 0


# -- large ------------------------------------------------------------------------------------------------------------


def ids(count: int, prefix: str) -> frozenset[str]:
    return frozenset(f"{prefix}{n}" for n in range(count))


def test_thirty_million_series_are_not_listed() -> None:
    big = {"A": Ids(ids(1000, "a")), "B": Ids(ids(300, "b")), "C": Ids(ids(100, "c"))}
    less = {**big, "B": Ids(ids(299, "b"))}
    tracemalloc.start()
    try:
        found = shared([big], [less], ["A", "B", "C"], {})
        assert tracemalloc.get_traced_memory()[1] < 20_000_000  # bytes; listing them takes gigabytes
    finally:
        tracemalloc.stop()
    assert (Fraction(found.both, found.left), Fraction(2 * found.both, found.left + found.right)) == (
        Fraction(299, 300),
        Fraction(598, 599),
    )


def test_fifty_overlapping_boxes_a_side_and_a_bound() -> None:
    def boxes(seed: int) -> list[dict[str, Ids]]:
        return [
            {
                name: Ids(frozenset(str((7 * k + seed * box + 3 * place) % 40) for k in range(15 + box % 16)))
                for place, name in enumerate("ABC")
            }
            for box in range(50)
        ]

    left, right = boxes(3), boxes(5)
    found = shared(left, right, list("ABC"), {})
    assert 0 < found.both <= min(found.left, found.right) <= 40**3
    with pytest.raises(TooMany):
        alive(100, [groups([*left, *right], one, None) for one in "ABC"], most=1000)


def test_too_many_overlaps_are_undefined_with_that_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    from karat.suites.data_query.series import comparison

    def refuse(*_: object) -> None:
        raise TooMany

    monkeypatch.setattr(comparison, "shared", refuse)
    found = score("series_f1", Target(entries("GDP/MEX")), Selection(entries("GDP/MEX")))
    assert (found.value, found.reason) == (None, TOO_MANY)


# -- equal to listing -------------------------------------------------------------------------------------------------

ALPHABET = "abcd"
SOME = st.builds(Ids, st.frozensets(st.sampled_from(ALPHABET), max_size=4), st.booleans())
BOXES = st.lists(st.fixed_dictionaries({}, optional={"X": SOME, "Y": SOME, "Z": SOME}), max_size=4)


def listed(boxes: list[dict[str, Ids]], universe: Mapping[str, set[str]]) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for box in boxes:
        sides = []
        for name in "XYZ":
            chosen = box.get(name, Ids(rest=True))
            sides.append(universe[name] - chosen.ids if chosen.rest else set(chosen.ids))
        found |= set(itertools.product(*sides))
    return found


@given(BOXES, BOXES, st.booleans())
def test_counts_equal_listing(left: list[dict[str, Ids]], right: list[dict[str, Ids]], with_list: bool) -> None:
    if with_list:
        codes = {name: {"a", "b", "e"} for name in "XYZ"}
        universe: dict[str, set[str]] = dict(codes)
    else:
        codes = {}
        universe = {
            name: {code for box in (*left, *right) for code in box.get(name, Ids()).ids} | {"⊥"} for name in "XYZ"
        }
    found = shared(left, right, list("XYZ"), codes)
    ours, theirs = listed(left, universe), listed(right, universe)

    def known(series: set[tuple[str, ...]]) -> int:
        return sum("⊥" not in one for one in series)

    assert (found.left, found.right, found.both) == (known(ours), known(theirs), known(ours & theirs))
    assert found.left_unknown == any("⊥" in one for one in ours)
    assert found.right_unknown == any("⊥" in one for one in theirs)
    assert (found.meet, found.left_beyond, found.right_beyond) == (
        bool(ours & theirs), bool(ours - theirs), bool(theirs - ours),
    )  # fmt: skip
