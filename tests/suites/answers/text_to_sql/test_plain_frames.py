"""defog's verdicts by looking at rows are those of pandas, wherever they are given without it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.suites.answers.text_to_sql.official import defog
from karat.suites.answers.text_to_sql.official.defog import Frame

CELLS: list[st.SearchStrategy[object]] = [
    st.integers(0, 2),
    st.sampled_from([0.0, 1.0, 1.5]),
    st.sampled_from(["x", "y", "Z"]),
    st.sampled_from([None, 1, 2]),
    st.just(None),
    st.sampled_from(["x", "y", None]),
    st.sampled_from(["x", 1]),
]
TEXTS = st.sampled_from(
    ["SELECT 1", "SELECT 1 ORDER BY a", "SELECT 1 ORDER BY b DESC, a", "SELECT x ORDER BY t.c ASC LIMIT 3"]
)


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    height = draw(st.integers(0, 4))
    names = tuple(draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True)))
    columns = [
        draw(st.lists(draw(st.sampled_from(CELLS)), min_size=height, max_size=height)) for _ in range(len(names))
    ]
    return Frame(names, tuple(zip(*columns, strict=True)), draw(TEXTS))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Frame, Frame]:
    """Two results, most often nearly the same."""
    gold = draw(frames())
    if draw(st.booleans()) and draw(st.booleans()):
        return gold, draw(frames())
    shuffled = draw(st.permutations(gold.rows))
    rows = list(shuffled if draw(st.booleans()) else gold.rows)
    if len(rows) > 0 and draw(st.booleans()):
        rows.append(rows[0])
    order = draw(st.permutations(range(len(gold.names))))
    names = gold.names
    if draw(st.booleans()):
        rows = [tuple(row[place] for place in order) for row in rows]
        names = tuple(gold.names[place] for place in order) if draw(st.booleans()) else names
    if draw(st.booleans()):
        rows, names = [(*row, 1) for row in rows], (*names, "e")
    return gold, Frame(names, tuple(rows), draw(TEXTS))


def verdict(judge: Callable[[Frame, Frame, bool], bool], gold: Frame, given: Frame, asked: bool) -> bool | str:
    try:
        return judge(gold, given, asked)
    except (TypeError, ValueError, KeyError):
        return "error"


@settings(max_examples=250, deadline=None, derandomize=True)
@given(pairs(), st.booleans())
def test_both_ways_agree(pair: tuple[Frame, Frame], asked: bool) -> None:
    gold, answer = pair
    assert verdict(defog._is_exact, gold, answer, asked) == verdict(defog._exact_by_pandas, gold, answer, asked)
    if gold.rows:
        assert verdict(defog._is_subset, gold, answer, asked) == verdict(defog._subset_by_pandas, gold, answer, asked)


@pytest.mark.parametrize(
    ("gold", "answer", "question"),
    [
        (((1,),), ((1,), (1,), (1,)), "How many?"),
        ((), (), "How many?"),
        (((None,),), ((None,),), "Which?"),
        (((2, "x"), (1, "y")), ((2, "x"), (1, "y")), "Sort them."),
        (((1, None), (2, 3)), ((2, 3), (1, None)), "Which?"),
    ],
)
def test_pandas_is_not_asked(
    gold: tuple[tuple[object, ...], ...],
    answer: tuple[tuple[object, ...], ...],
    question: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(*_: object) -> bool:
        raise AssertionError("pandas was asked")

    monkeypatch.setattr(defog, "_exact_by_pandas", never)
    names = ("a", "b")[: len((*gold, *answer, ("",))[0])]
    assert defog.verdicts([Frame(names, gold, "")], Frame(names, answer, ""), question, "") == (True, True)
