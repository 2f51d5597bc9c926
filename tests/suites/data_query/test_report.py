"""The report of the suite, from real comparisons, read back from the workbook where that matters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.report import CELL_LIMIT, Report, Sheet, Table, utf16_length
from karat.core.results.result import CaseResult, MetricSummary, RepeatResult, RunInfo, RunResult
from karat.core.results.usage import USAGE
from karat.core.scores import Score, mean_score
from karat.reports.excel.workbook import write_xlsx
from karat.stats.intervals.estimates import estimate
from karat.suites.data_query.comparison import Comparison, compare_selection
from karat.suites.data_query.details import Details, details
from karat.suites.data_query.metrics import METRICS
from karat.suites.data_query.options import Options
from karat.suites.data_query.report import report
from karat.suites.data_query.selection.selection import DatasetSelection, Dimension, Selection, Target, Term
from karat.suites.data_query.summaries.excel_details import LONG_TERM, details_cell

Terms = Mapping[str, Iterable[tuple[str, str]]]
GDP, GDPPC, CONST = (
    ("GDP", "gross domestic product"),
    ("GDPPC", "GDP per capita"),
    ("GDP_CONST", "gross domestic product constant prices"),
)
MEXICO = ("MEX", "Mexico")


def parts(
    terms: Terms, dataset: str, everything: Iterable[str] = (), default: Iterable[str] = ()
) -> tuple[DatasetSelection, ...]:
    dimensions = [
        Dimension(name, tuple(Term(*t) for t in values), is_default=name in default) for name, values in terms.items()
    ]
    dimensions += [Dimension(name, operator="all") for name in everything]
    return (DatasetSelection(dataset, tuple(dimensions)),)


def compared(target: Terms, given_: Terms, *, found: str = "IMF.RES:WEO(9.0.0)", **more: Any) -> Comparison:
    options: Options = msgspec.convert({}, Options)
    return compare_selection(Target(parts(target, "IMF.RES:WEO")), Selection(parts(given_, found, **more)), options)


def scored(case_id: str, *turns: Comparison, tags: tuple[str, ...] = (), latency: float | None = None) -> CaseResult:
    scores = {metric.name: mean_score(metric.score(turn) for turn in turns) for metric in METRICS}
    if latency is not None:
        scores["latency"] = Score(latency)
    stored = msgspec.json.decode(
        msgspec.json.encode(details(list(enumerate(turns))))
    )  # as it comes back from the store
    return CaseResult(case_id, "scored", scores, stored, f"name of {case_id}", tags, f"question of {case_id}?")


def failed(case_id: str, message: str, status: Any = "error") -> CaseResult:
    return CaseResult(case_id, status, {m.name: Score(None, status, message) for m in METRICS}, {}, error=message)


def run_of(*cases: CaseResult, **info: Any) -> RunResult:
    summary = []
    for metric in (*METRICS, *(m for m in USAGE if any(m.name in case.scores for case in cases))):
        values = [s.value for c in cases if (s := c.scores.get(metric.name)) is not None and s.value is not None]
        failures = sum(case.status == "error" for case in cases)
        found = estimate(values, metric.kind)
        zero = sum(values) / (len(values) + failures) if failures and metric.zero_on_error else None
        undefined = sum(c.status == "scored" for c in cases) - len(values)
        summary.append(MetricSummary(metric.name, found.mean, found.n, found.low, found.high, undefined, zero))
    return RunResult(RunInfo("data_query", "r-1", truth_set="3f9c21", **info), tuple(summary), cases)


def sheet(found: Report, title: str) -> Sheet:
    return next(item for item in found.sheets if item.title == title)


def table(found: Report, title: str) -> Table:
    return next(item for item in sheet(found, "Statistics").tables if item.title == title)


def rows(found: Table) -> list[dict[str, Any]]:
    return [dict(zip([column.title for column in found.columns], row, strict=True)) for row in found.rows]


WORKED = compared({"INDICATOR": [GDP, GDPPC]}, {"INDICATOR": [GDP, GDPPC, CONST]})
RIGHT = compared({"INDICATOR": [GDP], "COUNTRY": [MEXICO]}, {"INDICATOR": [GDP], "COUNTRY": [MEXICO]})
WORKED_CELL = """\
INDICATOR
[recall: 1.00, precision: 0.67]
True Positives [2]
  * GDP: gross domestic product
  * GDPPC: GDP per capita
False Negatives [0]
False Positives [1]
  * GDP_CONST: gross domestic product constant prices"""


# -- the details cell -------------------------------------------------------------------------------------------------


def test_the_worked_example_of_the_contract() -> None:
    assert details_cell(details([(0, WORKED)])) == WORKED_CELL


def test_dimensions_not_in_target_stand_apart() -> None:
    comparison = compared(
        {"INDICATOR": [GDP]}, {"FREQ": [("A", "Annual")], "INDICATOR": [GDP], "UNIT": [("1", "")]}, default=["FREQ"]
    )
    assert details_cell(details([(0, comparison)])) == (
        "INDICATOR\n[recall: 1.00, precision: 1.00]\nTrue Positives [1]\n  * GDP: gross domestic product\n"
        "False Negatives [0]\nFalse Positives [0]\n"
        "\n"
        "dimensions not in target\n"
        "FREQ (filled in by the system)\n[recall: n/a, precision: 0.00]\nTrue Positives [0]\nFalse Negatives [0]\n"
        "False Positives [1]\n  * A: Annual\n"
        "\n"
        "UNIT\n[recall: n/a, precision: 0.00]\nTrue Positives [0]\nFalse Negatives [0]\nFalse Positives [1]\n  * 1"
    )


def test_nothing_selected_has_no_precision() -> None:
    text = details_cell(details([(0, compared({"COUNTRY": [MEXICO]}, {}))]))
    assert text.startswith(
        "COUNTRY\n[recall: 0.00, precision: n/a]\nTrue Positives [0]\nFalse Negatives [1]\n  * MEX: Mexico\n"
    )


def test_everything_selected_is_shown_as_such() -> None:
    comparison = compared({"COUNTRY": [MEXICO]}, {}, everything=["COUNTRY", "SECTOR"])
    assert details_cell(details([(0, comparison)])) == (
        "COUNTRY\n[recall: n/a, precision: n/a]\neverything selected: its terms are not counted\n"
        "\ndimensions not in target\n"
        "SECTOR\n[recall: n/a, precision: n/a]\neverything selected: its terms are not counted"
    )


def test_turns_have_headings_when_there_are_several() -> None:
    nothing = compared({}, {})
    text = details_cell(details([(0, WORKED), (2, nothing)]))
    assert text == f"Turn 1\n{WORKED_CELL}\n\nTurn 3\nnothing was expected and nothing selected"
    assert details_cell(details([(2, WORKED)])) == WORKED_CELL


def test_no_details_no_text() -> None:
    assert details_cell(Details()) == ""


def test_a_name_cannot_look_like_a_heading() -> None:
    comparison = compared({"I\nJ": [("a\r\nb", "x\nFalse Positives [9]\n  * y"), ("=1", "+2, -3, @4")]}, {})
    lines = details_cell(details([(0, comparison)])).split("\n")
    assert lines == [
        "I\\nJ",
        "[recall: 0.00, precision: n/a]",
        "True Positives [0]",
        "False Negatives [2]",
        "  * a\\nb: x\\nFalse Positives [9]\\n  * y",
        "  * =1: +2, -3, @4",
        "False Positives [0]",
    ]


def counted(text: str, heading: str) -> tuple[int, int]:
    """(terms shown, terms said to be left out) under a heading that occurs once."""
    shown = left_out = 0
    for line in text.split(f"{heading} [", 1)[1].split("\n")[1:]:
        more = re.fullmatch(r"  … and (\d+) more, see the HTML report", line)
        if more:
            left_out = int(more[1])
        elif line.startswith("  * "):
            shown += 1
        else:
            break
    return shown, left_out


def test_a_60_000_character_cell_is_cut_list_by_list() -> None:
    many = [(f"ID{number:05d}", "n" * 50) for number in range(500)]
    more = [(f"XX{number:05d}", "é" * 50) for number in range(600)]
    comparison = compared({"INDICATOR": many, "COUNTRY": [MEXICO]}, {"INDICATOR": many[:1] + more, "COUNTRY": [MEXICO]})
    text = details_cell(details([(0, comparison)]))
    assert 30_000 < utf16_length(text) <= CELL_LIMIT
    assert "True Positives [1]\n  * ID00000" in text
    for heading, all_of_them in (("False Negatives", 499), ("False Positives", 600)):
        shown, left_out = counted(text, heading)
        assert f"{heading} [{all_of_them}]" in text
        assert shown + left_out == all_of_them
        assert shown > 0 < left_out
    assert "COUNTRY\n[recall: 1.00, precision: 1.00]\nTrue Positives [1]\n  * MEX: Mexico" in text


def test_one_endless_name_does_not_push_the_others_out() -> None:
    comparison = compared({"INDICATOR": [GDP]}, {"INDICATOR": [GDP, ("LONG", "x" * 60_000), CONST]})
    text = details_cell(details([(0, comparison)]))
    assert len(text) < 2_000
    assert f"… ({60_000 + len('  * LONG: ') - LONG_TERM:,} more characters)" in text
    assert text.endswith("  * GDP_CONST: gross domestic product constant prices")


def test_more_headings_than_fit_are_cut_on_a_line() -> None:
    comparison = compared({f"DIMENSION_{number}": [GDP] for number in range(1_000)}, {})
    text = details_cell(details([(0, comparison)]))
    lines = text.split("\n")
    assert utf16_length(text) <= CELL_LIMIT
    more = re.fullmatch(r"… and (\d+) more, see the HTML report", lines[-1])
    assert more and int(more[1]) > 0
    assert re.fullmatch(
        r"DIMENSION_\d+|\[recall.*\]|(True|False) \w+ \[\d\]||  … and 1 more, see the HTML report", lines[-2]
    )


term = st.tuples(st.text(st.characters(exclude_categories=()), min_size=1, max_size=4), st.text(max_size=300))


@settings(max_examples=40, deadline=None)
@given(st.lists(term, max_size=8), st.lists(term, max_size=8), st.sampled_from([1, 40]))
def test_every_term_is_shown_or_counted(
    target: list[tuple[str, str]], found: list[tuple[str, str]], times: int
) -> None:
    def grown(terms: list[tuple[str, str]]) -> list[tuple[str, str]]:
        return [(f"{code}{number}", name) for code, name in terms for number in range(times)]

    comparison = compared({"D": grown(target)}, {"D": grown(found)})
    text = details_cell(details([(0, comparison)]))
    assert utf16_length(text) <= CELL_LIMIT
    if comparison.dimensions:
        dimension = comparison.dimensions[0]
        for heading, terms in (
            ("True Positives", dimension.true_positives),
            ("False Negatives", dimension.false_negatives),
            ("False Positives", dimension.false_positives),
        ):
            assert f"{heading} [{len(terms)}]" in text
            assert sum(counted(text, heading)) == len(terms)


# -- the sheets -------------------------------------------------------------------------------------------------------


def test_overview_in_the_workbook(tmp_path: Path) -> None:
    result = run_of(
        scored("worked", WORKED, tags=("weo", "a, b"), latency=1.5), scored("right", RIGHT), failed("late", "=timeout")
    )
    write_xlsx(report(result, estimate), tmp_path / "r.xlsx")
    book = openpyxl.load_workbook(tmp_path / "r.xlsx")
    assert book.sheetnames == ["Overview", "Statistics", "Confusions", "Errors", "About"]
    page = book["Overview"]
    heads = [cell.value for cell in page[1]]
    assert heads[:9] == [
        "id",
        "name",
        "tags",
        "question",
        "macro recall",
        "macro precision",
        "status",
        "error",
        "indicator selection details",
    ]
    assert heads[9:] == [m.title for m in METRICS if m.name not in ("macro_recall", "macro_precision")] + ["latency"]
    first = [cell.value for cell in page[2]]
    assert first[:5] == ["worked", "name of worked", "weo, a, b", "question of worked?", 1]
    assert first[5] == pytest.approx(2 / 3)
    assert first[6:9] == ["scored", None, WORKED_CELL]
    assert first[-1] == 1.5
    late = [cell.value for cell in page[4]]
    assert late[4:9] == ["n/a", "n/a", "error", "=timeout", None]
    assert page["H4"].data_type == "s"
    assert page.freeze_panes == "C2"
    assert page.auto_filter.ref is not None


def test_metrics_with_and_without_errors() -> None:
    good = report(run_of(scored("worked", WORKED), scored("nothing", compared({"I": [GDP]}, {}))), estimate)
    found = rows(table(good, "Data Query Metrics"))
    assert list(found[0]) == ["metric", "mean", "n", "low", "high", "undefined"]
    recall, precision = found[0], found[1]
    assert (recall["metric"], recall["mean"], recall["n"], recall["undefined"]) == ("macro recall", 0.5, 2, 0)
    assert (precision["n"], precision["undefined"]) == (1, 1)
    assert precision["mean"] == pytest.approx(2 / 3)
    bad = rows(
        table(report(run_of(scored("worked", WORKED), failed("late", "timeout")), estimate), "Data Query Metrics")
    )
    assert bad[0]["mean with errors as zero"] == 0.5


def test_by_tag_weakest_first_with_untagged_cases() -> None:
    empty = compared({"INDICATOR": [GDP]}, {"INDICATOR": [CONST]})
    result = run_of(
        scored("a", RIGHT, tags=("weo", "good", "weo")),
        scored("b", empty, tags=("weo",)),
        scored("c", RIGHT),
        failed("d", "x"),
    )
    found = table(report(result, estimate), "By tag")
    assert [row[:3] for row in found.rows] == [("weo", 2, 0.5), ("(no tag)", 2, 1.0), ("good", 1, 1.0)]
    assert [column.title for column in found.columns][:6] == ["tag", "cases", "macro recall", "low", "high", "n"]
    assert [row[5] for row in found.rows] == [2, 1, 1]
    statuses = table(report(result, estimate), "Cases by status")
    assert statuses.rows == (("scored", 3), ("error", 1), ("all", 4))


def test_by_dimension_pools_and_averages() -> None:
    # INDICATOR: case 1 has TP 2, FP 1; case 2 has TP 0, FP 1, FN 1, in two turns with recall 0 and 1: mean 0.5.
    missed = compared({"INDICATOR": [GDP]}, {"INDICATOR": [CONST]})
    hit = compared({"INDICATOR": [GDP]}, {"INDICATOR": [GDP], "FREQ": [("A", "Annual")]})
    found = table(report(run_of(scored("one", WORKED), scored("two", missed, hit)), estimate), "By dimension")
    indicator, freq = found.rows
    assert indicator[:9] == ("INDICATOR", 2, 2, 3, 2, 1, 0.75, 0.6, 0.75)
    assert (indicator[11], indicator[15]) == (2, 2)  # n, after the low and high of each mean
    assert indicator[12] == pytest.approx((2 / 3 + 0.5) / 2)
    assert freq[:12] == ("FREQ", 1, 0, 0, 1, 0, None, 0.0, None, None, None, 0)
    assert (freq[12], freq[15]) == (0.0, 1)
    assert [column.title for column in found.columns][:6] == ["dimension", "cases", "in target", "TP", "FP", "FN"]


def test_by_dataset_compares_without_versions_unless_strict() -> None:
    stray = compared({"INDICATOR": [GDP]}, {"INDICATOR": [GDP]}, found="BIS:WS_CBPOL")
    result = run_of(scored("one", WORKED), scored("two", stray))
    found = table(report(result, estimate), "By dataset")
    assert [row[:6] for row in found.rows] == [("IMF.RES:WEO", 2, 1, 1, 0, 1.0), ("BIS:WS_CBPOL", 0, 0, 0, 1, None)]
    versions = [{"turn": 0, "expected": ["A:B(1.0)"], "found": ["A:B(2.0)"], "unexpected": []}]
    case = msgspec.structs.replace(scored("three", RIGHT), details={"dimensions": [], "datasets": versions})
    loose = table(report(run_of(case), estimate), "By dataset")
    strict = table(report(run_of(case, options={"strict_versions": True}), estimate), "By dataset")
    assert [row[:5] for row in loose.rows] == [("A:B", 1, 1, 0, 0)]
    assert [row[:5] for row in strict.rows] == [("A:B(1.0)", 1, 0, 1, 0), ("A:B(2.0)", 0, 0, 0, 1)]


def test_label_drift_and_errors_only_when_there_are_any() -> None:
    drifted = compared({"INDICATOR": [("LP", "Population")]}, {"INDICATOR": [("LP", "Population (Persons)")]})
    found = report(
        run_of(scored("old_name", drifted), failed("late", "timeout"), failed("gone", "no prediction", "missing")),
        estimate,
    )
    assert [item.title for item in found.sheets] == [
        "Overview", "Statistics", "Confusions", "Label drift", "Errors", "About",
    ]  # fmt: skip
    drift = sheet(found, "Label drift").tables[0]
    assert [column.title for column in drift.columns] == ["case", "dimension", "id", "expected name", "found name"]
    assert drift.rows == (("old_name", "INDICATOR", "LP", "Population", "Population (Persons)"),)
    errors = sheet(found, "Errors").tables[0]
    assert [column.title for column in errors.columns] == ["case", "status", "error"]
    assert errors.rows == (("late", "error", "timeout"), ("gone", "missing", "no prediction"))
    assert [item.title for item in report(run_of(scored("right", RIGHT)), estimate).sheets] == [
        "Overview",
        "Statistics",
        "About",
    ]


def test_failed_tries_of_a_scored_case_are_listed() -> None:
    tries = (RepeatResult("scored", {}), RepeatResult("error", {}, {}, "timeout"))
    case = msgspec.structs.replace(scored("flaky", RIGHT), repeats=tries, error="1 of 2 tries failed: timeout")
    assert sheet(report(run_of(case, repeats=2), estimate), "Errors").tables[0].rows == (
        ("flaky", "2 of 2", "error", "timeout"),
    )


def test_about_says_what_compares_and_what_undefined_means() -> None:
    found = report(
        run_of(scored("right", RIGHT), system="assistant", karat="0.1.0", options={"beta": 2.0, "today": ""}), estimate
    )
    about, metrics = sheet(found, "About").tables
    facts = {what: value for what, value in about.rows}  # noqa: C416 (dict() wants pairs, rows have any length)
    assert facts["run"] == "r-1"
    assert facts["system"] == "assistant"
    assert facts["karat version"] == "0.1.0"
    assert facts["cases"] == "1"
    assert facts["truth set"] == "3f9c21"
    assert "are comparable only if" in str(facts["comparing runs"])
    assert "n/a" in str(facts["undefined"])
    assert facts["repeats"] == "1: every case was run once"
    assert facts["option beta"] == "2.0"
    assert [row[0] for row in metrics.rows] == [metric.title for metric in METRICS]


def test_usage_has_its_own_table() -> None:
    found = report(run_of(scored("right", RIGHT, latency=2.0)), estimate)
    assert table(found, "Time and cost of a case").rows == (
        ("latency", 2.0, 1, None, None, 0),
    )  # one case shows no spread
    assert all(row[0] != "latency" for row in table(found, "Data Query Metrics").rows)


@pytest.mark.parametrize(
    "cases",
    [(), (failed("late", "timeout"), failed("gone", "no prediction", "missing")), (scored("right", RIGHT),)],
    ids=["no cases", "all errors", "one case"],
)
def test_small_and_empty_runs_open(tmp_path: Path, cases: tuple[CaseResult, ...]) -> None:
    write_xlsx(report(run_of(*cases), estimate), tmp_path / "r.xlsx")
    book = openpyxl.load_workbook(tmp_path / "r.xlsx")
    assert book["Overview"].max_row == 1 + len(cases)
    assert book["Statistics"]["A1"].value == "Data Query Metrics"


def test_unicode_everywhere(tmp_path: Path) -> None:
    name = "Ünïcödé 漢字 😀 العربية, =x"
    comparison = compared({name: [(name, name)]}, {name: [(name, name)]}, found=name)
    case = msgspec.structs.replace(scored(name, comparison, tags=(name,)), name=name, question=name)
    write_xlsx(report(run_of(case, system=name), estimate), tmp_path / "r.xlsx")
    page = openpyxl.load_workbook(tmp_path / "r.xlsx")["Overview"]
    assert [page.cell(2, i).value for i in (1, 2, 3, 4)] == [name] * 4
    assert f"{name}\n[recall: 1.00, precision: 1.00]\nTrue Positives [1]\n  * {name}: {name}\n" in str(page["I2"].value)


@pytest.mark.shared_data
def test_real_terms_at_the_limit_of_a_cell(shared: Path) -> None:
    """359 World Bank terms nearly fill a cell; 1,000 do not fit, and the cell says how many are missing."""
    lines = (shared / "data/sdmx/wbopendata/wb_indicators_id_name.csv").read_text(encoding="utf-8").splitlines()[1:]
    terms = [(code, name.strip('"')) for code, _, name in (line.partition(",") for line in lines)]
    for count in (200, 1_000):
        chosen = terms[:count]
        text = details_cell(details([(0, compared({"INDICATOR": chosen}, {"INDICATOR": chosen}))]))
        shown, left_out = counted(text, "True Positives")
        assert shown + left_out == count
        assert (left_out == 0) == (count == 200)
        assert utf16_length(text) <= CELL_LIMIT
