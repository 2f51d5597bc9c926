"""The page as text: what it carries, how large it may be, that nothing in it can be more than text."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from karat.core.report import Column
from karat.core.results.result import CaseResult
from karat.reports.full_report import whole_report
from karat.reports.html.cases import MOST_CASES
from karat.reports.html.report import LICENCES, SCRIPTS, asset, digest, html_report
from karat.reports.html.text import cell_words, cut, embedded_json, fitting, shortened
from karat.stats.intervals.estimates import estimate
from tests.reports.html_samples import PAYLOADS, UNICODE, a_case, page_of, page_of_text
from tests.reports.reviewed_sample import REVIEWED, SUITE, TRIED
from tests.reports.sample_results import METRICS

LIMIT = 3_000_000


class Parsed(HTMLParser):
    """The elements of a page with the names of their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def data_of(page: str) -> dict[str, Any]:
    """What the script of the page works with."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    read = json.loads(found[1])
    assert isinstance(read, dict)
    return read


def size_of(page: str) -> int:
    return len(page.encode())


# -- what stands on the page ------------------------------------------------------------------------------------------


def test_a_run_has_its_figures_its_cases_and_its_plots() -> None:
    page = page_of([a_case(number) for number in range(20)] + [a_case(20, "error")])
    data = data_of(page)
    text = " ".join(Parsed(page).text)
    ids = [case["id"] for case in data["cases"]]
    assert ids[0] == "case_20", "the one that failed comes first"
    recalls = [case["values"][0] for case in data["cases"][1:]]
    assert sorted(ids) == sorted(f"case_{number}" for number in range(21)) and recalls[0] == 0.0 and recalls[-1] == 1.0
    assert "0.500" in text  # macro recall: 4 × (0 + ¼ + ½ + ¾ + 1) / 20
    assert "3: nothing was selected" in text  # cases 0, 7 and 14
    assert "20 scored" in text.replace("\n", "")
    assert len(data["plots"]) == 4  # spread, by tag, recall against precision, and the suite's chart
    third = data["cases"][ids.index("case_3")]
    assert third["facts"] == [["why", "because of case_3"]]
    assert third["details"]["dimensions"][0]["dimension"] == "INDICATOR"
    assert "Cases; Enter on an id opens its details" in text


@pytest.mark.parametrize(
    "cases",
    [
        [],
        [a_case(1)],
        [a_case(number, "error") for number in range(5)],
        [a_case(number, "missing") for number in range(5)],
        [CaseResult(str(number), "not_applicable", {}) for number in range(3)],
    ],
    ids=["none", "one", "all errors", "all missing", "all null"],
)
def test_a_run_of_any_shape_has_a_page(cases: list[CaseResult]) -> None:
    page = page_of(cases)
    assert len(data_of(page)["cases"]) == len(cases)
    assert ("This run has no cases" in page) == (not cases)
    assert "nan" not in " ".join(Parsed(page).text).lower().split()


def test_a_case_of_the_suites_tables_is_found_with_the_case() -> None:
    data = data_of(page_of_text("word"))
    (table,) = data["tables"]
    assert table["rows"]["word b"] == [["1", "0.50", "word"]]
    assert [column["kind"] for column in table["columns"]] == ["number", "score", "wrapped code"]


def test_reviews_stand_under_the_figure_and_with_their_cases() -> None:
    page = html_report(REVIEWED, whole_report(REVIEWED, SUITE), METRICS, estimate)
    data, text = data_of(page), " ".join(" ".join(Parsed(page).text).split())
    assert "fully right 0.200 with errors as 0 with reviews 0.250 · 0.046 – 0.699 · 4 cases 0.250" in text
    assert "3 cases reviewed: 1 wrong, 1 gold is wrong, 1 accept this too. A verdict replaces" in text
    reviews = {case["id"]: case["review"] for case in data["cases"] if "review" in case}
    assert reviews == {
        "all_right": {"verdict": "gold is wrong", "who": "Bo", "when": "2026-11-15 09:51"},
        "imports_vietnam": {
            "verdict": "accept this too",
            "who": "Ada",
            "why": "Both codes are in use.\nSee 2024.",
            "when": "2026-11-15 09:50",
        },
        "late": {"verdict": "wrong", "when": "2026-11-15 10:00"},
    }
    assert data["tables"] == []  # the sheet of reviews is not said twice


def test_several_tries_are_among_the_statistics() -> None:
    page = html_report(TRIED, whole_report(TRIED, SUITE), METRICS, estimate)
    text = " ".join(" ".join(Parsed(page).text).split())
    assert "fully right 3 0.667 0.208 0.939 0.333 0.061 0.792 3 3" in text
    assert "with reviews" not in text
    assert all("review" not in case for case in data_of(page)["cases"])


# -- how large it is --------------------------------------------------------------------------------------------------


def test_a_thousand_cases_take_less_than_three_megabytes_with_all_their_details() -> None:
    page = page_of([a_case(number) for number in range(1_000)])
    cases = data_of(page)["cases"]
    assert size_of(page) < LIMIT
    assert len(cases) == 1_000
    assert all("details" in case and "cut" not in case for case in cases)


@pytest.mark.parametrize("text", ["<" * 30_000, "漢" * 30_000, "word " * 6_000])
def test_a_thousand_cases_of_long_texts_do_too_and_say_what_was_cut(text: str) -> None:
    scores = a_case(1).scores
    cases = [
        CaseResult(f"c{n}", "scored", scores, {"answer": text, "rows": [text] * 5}, "", (text,), f"{n} {text}", text)
        for n in range(1_000)
    ]
    page = page_of(cases)
    kept = data_of(page)["cases"]
    assert size_of(page) < LIMIT
    assert len(kept) == 1_000
    assert all(case["cut"] for case in kept)
    assert kept[0]["question"].endswith("more characters)")


def test_of_a_hundred_thousand_cases_the_worst_are_there_and_the_page_says_so() -> None:
    one = a_case(1)
    cases = [CaseResult(f"case_{n}", "scored", one.scores, one.details, "", one.tags, "?") for n in range(100_000)]
    cases[-1] = CaseResult("the last", "error", {}, error="no answer")
    cases[77_777] = CaseResult("hidden", "scored", a_case(0).scores, one.details, "", one.tags, "?")
    page = page_of(cases)
    assert size_of(page) < LIMIT
    assert len(data_of(page)["cases"]) == MOST_CASES
    assert [case["id"] for case in data_of(page)["cases"][:3]] == ["the last", "hidden", "case_0"]
    assert "The worst 5,000 of 100,000 cases are in this file and 95,000 are left out" in page


# -- that data stays data ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [*PAYLOADS, UNICODE], ids=lambda text: ascii(text)[:30])
def test_no_text_changes_the_elements_of_the_page(text: str) -> None:
    """The same page with a plain word has the same elements with the same attributes; only what is written from
    right to left is isolated from the rest of its sentence."""
    page = page_of_text(text)
    found = [element for element in Parsed(page).elements if element != ("bdi", ())]
    assert found == Parsed(page_of_text("word")).elements
    assert data_of(page)["cases"][0]["question"] == cut(text, 1_000)
    assert "\x00" not in page


def test_every_script_and_style_is_one_that_the_policy_names() -> None:
    page = page_of([a_case(1)])
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    allowed = policy[1].replace("&#39;", "'")
    assert "default-src 'none'" in allowed
    assert "unsafe" not in allowed
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert [digest(script) in allowed for script in scripts] == [True] * len(SCRIPTS)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert digest(style) in allowed
    assert not re.search(r"<[a-z]+ [^>]*\b(style|on\w+)=", page.partition("<script")[0])


@pytest.mark.parametrize("name", [*SCRIPTS, "report.css"])
def test_what_the_page_carries_cannot_end_its_element(name: str) -> None:
    text = asset(name)
    assert not re.search(r"</(script|style)|<!--|\r|\x00|sourceMappingURL", text, re.IGNORECASE)


def test_bars_of_the_page_and_bars_of_a_case_do_not_meet() -> None:
    """The width of a step's bar is an attribute, which any rule for its class would replace."""
    assert not re.search(r"(^|[\s,}])\.bar\s*[,{]", asset("report.css"))


def test_the_licences_travel_with_the_libraries() -> None:
    text = " ".join(Parsed(page_of([])).text)
    assert all(asset(name).splitlines()[0] in text for name in LICENCES)


# -- small pieces -----------------------------------------------------------------------------------------------------


def test_embedded_json_means_the_same_and_holds_no_markup() -> None:
    value = {"a<b": ["</script>", "\u2028", "&amp;", 1.5, None]}
    text = embedded_json(value)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == value


def test_a_shortened_value_says_what_is_not_there() -> None:
    assert shortened({"a": "x" * 12, "b": [1, 2, 3, 4]}, 10, 3) == {
        "a": "xxxxxxxxxx… (2 more characters)",
        "b": [1, 2, 3, "… 1 more"],
    }
    assert shortened(2**60, 100, 3) == "1152921504606846976"
    assert shortened([float("nan"), True], 5, 5) == [None, True]


def test_what_fits_is_whole_and_what_does_not_is_smaller_than_its_room() -> None:
    assert fitting({"a": [1, 2]}, 100) == ({"a": [1, 2]}, False)
    kept, gone = fitting({"a": "y" * 5_000}, 400)
    assert gone
    assert len(embedded_json(kept)) <= 400
    assert fitting({"a": "y" * 5_000}, 10) == (None, True)


def test_a_value_deeper_than_any_page_needs_is_cut_off() -> None:
    value: Any = "bottom"
    for _ in range(5_000):
        value = [value]
    assert "deeper" in json.dumps(shortened(value, 10, 10))


def test_figures_read_as_people_write_them() -> None:
    assert cell_words(1234567, Column("n", "count")) == "1,234,567"
    assert cell_words(0.5, Column("r", "score")) == "0.50"
    assert cell_words(None, Column("r", "score")) == "n/a"
    assert cell_words(float("inf"), Column("r", "number")) == "n/a"
    assert cell_words(18.0, Column("r", "number")) == "18"
    assert cell_words(0.1234, Column("r", "number", decimals=1)) == "0.1"
