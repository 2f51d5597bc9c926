"""How well code is written: every lost point has its line and reason, and comments change nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.suites.codegen.analysis import analyse, linting
from karat.suites.codegen.analysis.records import CodeFacts
from karat.suites.codegen.metrics import quality
from karat.suites.codegen.metrics.quality import Quality, quality_of
from karat.suites.codegen.records import Schema

SCHEMA = Schema({"df": ("a", "b")})


def looked_at(code: str) -> Quality:
    return quality_of(code, analyse(code, SCHEMA))


def test_plain_code_loses_nothing() -> None:
    found = looked_at('import pandas as pd\n\nresult = df.groupby("a")["b"].mean()')
    assert (found.score, found.lost, found.reason) == (1.0, (), "")
    assert found.checked == ("lint", "pattern", "complexity", "dead", "unused")


@pytest.mark.parametrize(
    ("code", "rule", "line"),
    [
        ("total = 0\nfor _, row in df.iterrows():\n    total += row['a']\nresult = total", "row_loop", 2),
        ("total = 0\nfor i in range(len(df)):\n    total += df.a[i]\nresult = total", "row_loop", 2),
        ("result = df.apply(lambda row: row.a + 1, axis=1)", "row_apply", 1),
        ("df[df.a > 1]['b'] = 0\nresult = df", "chained", 1),
        ("df['b'][df.a > 1] = 0\nresult = df", "chained", 1),
        ("df.loc[df.a > 1]['b'] = 0\nresult = df", "chained", 1),
        ("df.sort_values('a', inplace=True)\nresult = df", "inplace", 1),
        ("x = df[df.a > 1].b.sum()\nresult = x / df[df.a > 1].a.sum()", "repeated", 2),
        ("out = df\nfor i in (1, 2):\n    out = pd.concat([out, df])\nresult = out", "growing", 3),
        ("s = {}\nfor k in df['a'].unique():\n    s[k] = df[df['a'] == k].b.sum()\nresult = s", "key_filter", 3),
        ("result = {k: df.loc[k == df.a, 'b'].sum() for k in sorted(set(df.a))}", "key_filter", 1),
        (
            "ks = df.a.dropna().unique().tolist()\nresult = [df[(df.a == k) & (df.b > 1)].b.max() for k in ks]",
            "key_filter",
            2,
        ),
        ("result = [df[df.a == k].b.sum() for k in df.a.value_counts().index]", "key_filter", 1),
        ("unused = df.a.sum()\nresult = df.b.sum()", "dead", 1),
        ("result = df.a.isnull()", "PD003", 1),
    ],
)
def test_each_habit_costs_points_at_its_line(code: str, rule: str, line: int) -> None:
    found = looked_at(code)
    assert rule in {loss.rule for loss in found.lost}, found.lost
    assert next(loss for loss in found.lost if loss.rule == rule).line == line
    assert found.score == pytest.approx(1 - sum(loss.points for loss in found.lost))
    assert all(loss.reason and loss.points >= 0 for loss in found.lost)


@pytest.mark.parametrize(("names", "score"), [("_, row", 0.8), ("i, row", 0.75)])
def test_by_hand(names: str, score: float) -> None:
    code = f"total = 0\nfor {names} in df.iterrows():\n    total += row['a']\nresult = total"
    assert looked_at(code).score == pytest.approx(score)


@pytest.mark.parametrize(
    "code",
    [
        "result = {k: df[df.a == k].b.sum() for k in ('x', 'y')}",  # two that are asked for
        "result = {k: part.b.sum() for k, part in df.groupby('a')}",
        "result = [str(k) for k in df.a.unique() if k == 1]",
        "result = [df[df.a == 1].b.sum() + k for k in df.b.unique()]",
    ],
)
def test_loops_over_keys_without_a_filter_by_them_cost_nothing(code: str) -> None:
    assert "key_filter" not in {loss.rule for loss in looked_at(code).lost}


@pytest.mark.parametrize("code", ["df['a']['b'] = 1\nresult = df", "for x in [1, 2]:\n    print(x)\nresult = 1"])
def test_what_only_looks_like_one_is_none(code: str) -> None:
    assert not {loss.rule for loss in looked_at(code).lost} & {"chained", "row_loop", "growing"}


def test_many_ways_through() -> None:
    code = (
        "def f(x):\n" + "".join(f"    if x == {n}:\n        return {n}\n" for n in range(14)) + "result = f(df.a.sum())"
    )
    lost = {loss.rule: loss for loss in looked_at(code).lost}["complexity"]
    assert lost.line == 1 and lost.points == pytest.approx(0.1)  # 15 ways, 5 too many
    assert "15 paths" in lost.reason


def test_one_kind_costs_no_more_than_its_bound() -> None:
    code = "\n".join(f"x{n} = df.a.isnull().sum()" for n in range(20)) + "\nresult = x1"
    lint = [loss.points for loss in looked_at(code).lost if loss.rule == "PD003"]
    assert len(lint) == 20 and sum(lint) == pytest.approx(0.3)


@pytest.mark.parametrize("code", ["", "# only words: groupby mean", "if:", "x = 'open\n", "\0"])
def test_what_is_no_code_has_no_quality(code: str) -> None:
    assert quality_of(code).score == 0


@pytest.mark.parametrize("comment", ["  # noqa", "  # noqa: PD003", "  # ruff: noqa", "  # groupby mean"])
def test_comments_change_nothing(comment: str) -> None:
    code = "result = df.a.isnull()"
    assert looked_at(code + comment).score == looked_at(code).score == pytest.approx(0.95)
    assert looked_at(f"# ruff: noqa\n# flake8: noqa\n{code}").score == pytest.approx(0.95)


def test_without_ruff_the_rest_is_scored_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linting, "ruff_command", lambda: "")
    linting.lint.cache_clear()
    found = quality.quality_of("result = df.a.isnull()", CodeFacts())
    linting.lint.cache_clear()
    assert found.score == 1 and "ruff" in found.reason and "lint" not in found.checked


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=200))
def test_any_text_has_a_quality(text: str) -> None:
    found = looked_at(text).score
    assert found is not None and 0 <= found <= 1
