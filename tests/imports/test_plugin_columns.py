"""Which columns hold a suite's own fields is said by the suite, so that one of another package can say it too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from karat.core import plugins
from karat.core.case_files.import_rows import ImportColumns, Imported, ImportRow
from karat.core.problems import UserError
from karat.core.suite import Suite
from karat.imports.ambiguity import Unclear
from karat.imports.fields import fields_of
from karat.imports.reading import read_source
from karat.imports.rows import rows_for
from karat.imports.source import Source
from karat.verbs.imports.cases import import_cases


def suite(columns: ImportColumns) -> Suite:
    """A suite of another package, as far as an import looks at it."""
    return replace(plugins.load_suite("data_query"), name="polls", import_columns=columns)


@pytest.fixture
def source(tmp_path: Path) -> Source:
    file = tmp_path / "polls.csv"
    file.write_text("Question,Poll Date,Verdict,Region\nWho won?,2021-04-01,Ann,North\n")
    return read_source(file)


def test_own_fields_by_their_usual_names(source: Source) -> None:
    polls = suite(ImportColumns(own={"date": "date polldate"}, also={"expected": "verdict"}))
    fields = fields_of(source, polls, {})
    assert fields == {"question": ["Question"], "expected": ["Verdict"], "date": ["Poll Date"]}
    (row,), _ = rows_for(source, fields)
    assert (row.expected, dict(row.columns), dict(row.terms)) == ("Ann", {"date": "2021-04-01"}, {})


def test_a_field_in_place_of_the_expected_one(source: Source) -> None:
    polls = suite(ImportColumns(own={"winner": "verdict winner"}, also={"expected": "verdict"}, gold="winner"))
    assert fields_of(source, polls, {}) == {"question": ["Question"], "winner": ["Verdict"]}


def test_a_field_that_is_enough(source: Source) -> None:
    own = {"place": "region"}
    assert fields_of(source, suite(ImportColumns(own=own, enough=("place",))), {})["place"] == ["Region"]
    with pytest.raises(Unclear, match="which column is the expected value"):
        fields_of(source, suite(ImportColumns(own=own)), {})


def test_a_field_that_the_suite_does_not_have(source: Source) -> None:
    for given, near in (({"dte": ["Poll Date"]}, '"date"'), ({"dimension": ["Region"]}, "")):
        with pytest.raises(UserError, match=r"there is no field .* for polls") as found:
            fields_of(source, suite(ImportColumns(own={"date": "date"})), given)
        assert near in found.value.hint


def test_tables_are_for_suites_that_have_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, table = tmp_path / "a.csv", tmp_path / "t.csv"
    file.write_text("question,expected\nHow many?,3\n")
    table.write_text("x\n1\n")
    seen: list[ImportRow] = []

    def keep(rows: Sequence[ImportRow], _folder: Path) -> Imported:
        seen.extend(rows)
        return Imported("cases.yaml")

    columns = ImportColumns(own={"tables": "tables"})
    polls = replace(suite(columns), import_rows=keep)
    monkeypatch.setattr(plugins, "load_suite", lambda _name: polls)
    with pytest.raises(UserError, match="no row"):
        import_cases(file, "polls", tables={"t": table})
    assert seen[0].columns["tables"] == {"t": str(table.absolute())}
