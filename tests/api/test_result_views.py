"""A result in Python: its text, its HTML, its chart, its tables, and names that nothing has."""

from __future__ import annotations

import sys
from xml.etree import ElementTree

import msgspec
import pytest

import karat
from karat.core.problems import Problem
from karat.core.results.result import MetricSummary
from tests.reports.sample_results import RESULT

EVIL = '<script>alert("x")</script>\x1b[2J\u202e & more'


def test_the_text_fits_a_screen_and_holds_what_counts() -> None:
    text = repr(RESULT)
    lines = text.splitlines()
    assert lines[0].startswith("RunResult  data_query · r-0142 · ")
    assert lines[1] == "  6 cases: 4 scored, 1 error, 1 missing"
    assert lines[2] == "  macro recall       0.375  0.000 – 0.750      over 4  errors as 0: 0.300"
    assert len(lines) == 5
    assert max(map(len, lines)) <= 110


def test_a_large_result_stays_small_and_texts_do_nothing() -> None:
    many = msgspec.structs.replace(
        RESULT,
        run=msgspec.structs.replace(RESULT.run, name=EVIL * 20, suite="nowhere"),
        cases=tuple(RESULT.cases) * 500,
        summary=tuple(MetricSummary(f"{EVIL}{n}", 0.5, 4, 0.1, 0.9) for n in range(60)),
        problems=(Problem(EVIL),) * 99,
    )
    text = repr(many)
    assert len(text.splitlines()) <= 8
    assert "\x1b" not in text
    assert "99 problems: see .problems" in text
    html = many._repr_html_()
    assert "<script" not in html
    assert "\x1b" not in html
    assert "&lt;script&gt;" in html


def test_the_html_is_well_formed_and_draws_each_interval_where_it_is() -> None:
    html = RESULT._repr_html_()
    tree = ElementTree.fromstring(html)
    (svg,) = (node for node in tree.iter() if node.tag.endswith("svg"))
    circles = [node for node in svg.iter() if node.tag.endswith("circle")]
    assert [node.get("cx") for node in circles] == ["120.5", "208.0", "83.0"]
    thick = [node for node in svg.iter() if node.get("stroke-width") == "3"]
    assert (thick[0].get("x1"), thick[0].get("x2")) == ("8.0", "233.0")
    cells = ["".join(node.itertext()) for node in tree.iter() if node.tag == "td"]
    assert cells[:5] == ["macro recall", "0.375", "0.000 – 0.750", "4", "0.300"]
    assert "src=" not in html
    assert "href=" not in html


def test_nothing_scored_shows_no_invented_number() -> None:
    empty = msgspec.structs.replace(RESULT, cases=(), summary=(MetricSummary("macro_recall", None, 0, None, None),))
    assert "n/a" in repr(empty)
    assert "<svg" not in empty._repr_html_()


def test_a_metric_that_is_not_there_is_a_key_error_with_the_nearest_name() -> None:
    with pytest.raises(KeyError) as raised:
        RESULT.metric("macro_recal")
    assert isinstance(raised.value, karat.UnknownName)
    assert isinstance(raised.value, karat.UserError)
    assert raised.value.nearest == "macro_recall"
    assert str(raised.value) == 'the run has no metric "macro_recal"\nDid you mean "macro_recall"?'


def test_a_suite_that_is_not_there_is_a_key_error_with_the_nearest_name() -> None:
    with pytest.raises(karat.UnknownName, match='there is no suite "data_qery"') as raised:
        karat.score(suite="data_qery", cases=[], predictions=[])
    assert raised.value.nearest == "data_query"
    assert isinstance(raised.value, KeyError)


def test_tables_have_a_row_for_each_case() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    assert list(RESULT.to_pandas()["id"]) == [case.id for case in RESULT.cases]
    assert RESULT.to_polars()["macro_recall"].to_list() == [1.0, 0.0, 0.5, 0.0, None, None]


def test_the_chart_holds_the_figures() -> None:
    spec = RESULT.plot().to_dict()
    values = spec["data"]["values"]
    assert values[0] == {"metric": "macro recall", "mean": 0.375, "low": 0.0, "high": 0.75, "over": 4}
    assert len(values) == 3
    one = RESULT.plot("macro_f1").to_dict()
    assert [row["mean"] for row in one["data"]["values"]] == [0.5]
    with pytest.raises(karat.UnknownName):
        RESULT.plot("macro_f")


def test_without_altair_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from karat.core.installed import extras

    installed = extras._installed
    monkeypatch.setattr(extras, "_installed", lambda module: module != "altair" and installed(module))
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(karat.UserError, match="needs packages that are not installed: altair") as raised:
        RESULT.plot()
    assert "pip install" in raised.value.hint
