"""Markdown for a pull request: nothing from a model leaves its cell."""

from __future__ import annotations

import html
import re

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from karat.reports.markdown.comparison import ROOM, comparison_markdown
from karat.reports.markdown.text import markdown_text
from tests.reports.comparison_sample import sample


def test_the_page() -> None:
    page = comparison_markdown([sample()])
    assert page.startswith("### data&#95;query: A r-0001 → B r-0002\n")
    assert "| **macro recall** | 0.625 | 0.750 | +0.125 |" in page
    assert "<summary>Newly wrong: 1 case</summary>" in page
    assert "COUNTRY: ✓ T1 · T 1 → ✗ W1 · W 1, W2 · W 2" in page
    assert page.index("Newly wrong") < page.index("Newly right") < page.index("Only after")
    assert page.count("<details>") == page.count("</details>")


def test_a_metric_that_no_case_of_either_run_has_takes_no_row() -> None:
    found = sample()
    first, second, *rest = found.comparison.metrics
    plain = msgspec.structs.replace(second, headline=False, title="SQL parts", difference=None, only_a=0, only_b=0)
    headline = msgspec.structs.replace(plain, headline=True, title="SQL runs")
    once = msgspec.structs.replace(plain, title="once", only_a=1, undefined="no case has a value in both runs")
    metrics = (first, plain, headline, once, *rest)
    comparison = msgspec.structs.replace(found.comparison, metrics=metrics)
    page = comparison_markdown([msgspec.structs.replace(found, comparison=comparison)])
    assert "SQL parts" not in page
    assert "| once | n/a |" in page
    assert "\nNo case has a value in either run: SQL runs\n" in page


def test_no_row_of_a_table_has_another_number_of_cells_and_nothing_can_act() -> None:
    page = comparison_markdown([sample()])
    columns = 0
    for line in page.splitlines():
        if line.startswith("|"):
            cells = line.count("|")
            assert columns in (0, cells), line
            columns = cells
        else:
            columns = 0
    tags = set(re.findall(r"</?[a-z]+", page))
    assert tags - {"<br"} == {"<details", "</details", "<summary", "</summary"}
    for sign in ("http://", "`code`", "![", "](", "javascript:1"):
        assert sign not in page
    for sign in ("@octocat", "#12", "GH-7", "www.e"):  # what sites look for in the finished page
        assert sign not in html.unescape(page)


@given(st.text())
def test_any_text_is_one_line_of_harmless_characters(text: str) -> None:
    shown = markdown_text(text, 10_000)
    assert "\n" not in shown
    assert not set(shown) & set("|<>`*_[]@!\\~")
    assert not re.search(r"[@#](?!\u200b)", html.unescape(shown))


def test_a_plain_text_stays_readable() -> None:
    assert markdown_text("GDP of Chile, 2024") == "GDP of Chile, 2024"
    assert markdown_text("ask @me") == "ask &#64;&#8203;me"
    assert markdown_text("a\n\nb\t c") == "a b c"
    assert markdown_text("x" * 400).endswith("… (100 more characters)")
    assert markdown_text("\u202eevil") == "&#92;u202eevil"


def test_a_comment_has_a_greatest_length() -> None:
    page = comparison_markdown([sample()] * 60)
    assert len(page) < ROOM + 200
    assert page.count("<details>") == page.count("</details>")
    assert "truncated here" in page
