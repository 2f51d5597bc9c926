"""``karat check`` reports every mistake of a case at once: its shape, its target, and its codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.core.case_files.loaded import LoadedCases
from karat.suites.data_query import suite
from karat.suites.data_query.cases import cases_from, load_cases
from karat.verbs.check import check_cases

CASE = """\
- id: one
  tag: [x]
  conversation:
  - role: user
    content: q
    target:
      period: {start: 2020-13}
      outcome: no_dta
      indicator_selection:
      - dataset_id: KRT:FLOW_A
        dimensions:
        - dimension_name: INDICATOR
          values: [{name: nothing}, {id: GDPP, label: x}, {id: CPI, name: Wrong}]
        - dimension_name: CONTRY
          values: [{id: MEX}]
        - dimension_name: COUNTRY
          operator: inn
          values: [{id: NO, name: Norway, Kingdom of}]
      - dataset_id: KRT:FLOW_B
- id: two
  conversation:
  - role: user
    content: q
    target:
      indicator_selection:
      - dataset_id: KRT:FLOW_A
        dimensions:
        - {dimension_name: INDICATOR, operator: gt, values: [{id: GDP, name: n}]}
- id: three
  conversation:
  - role: user
    content: q
    target: {indicator_selection: [{dataset_id: KRT:FLOW_A, dimensions: [
      {dimension_name: INDICATOR, values: [{id: GDP, name: n}]}]}]}
"""


@pytest.mark.shared_data
def test_every_mistake_is_reported_in_one_go(shared: Path, tmp_path: Path) -> None:
    file = tmp_path / "cases.yaml"
    file.write_text(CASE)
    structures = [shared / "data/sdmx2/made/constraints_21.xml"]
    found = check_cases(suite, file, suite.options(), structures=structures)
    assert [case.id for case in found.loaded.cases] == ["three"]
    told = [(one.line, one.column, one.severity, one.message) for one in found.problems]
    assert [one[:3] for one in told] == [
        (2, 3, "error"), (13, 20, "error"), (13, 48, "error"), (18, 43, "error"),
        (8, 16, "error"), (7, 23, "error"), (17, 21, "error"), (28, 49, "error"),
        (34, 60, "warning"),
        (14, 27, "error"), (18, 25, "warning"), (13, 42, "error"), (13, 75, "warning"), (18, 35, "warning"),
        (19, 21, "error"),
        (28, 78, "warning"),
    ]  # fmt: skip
    said = " ".join(message for *_, message in told)
    for part in (
        'unknown key "tag"', 'without "id"', 'unknown outcome "no_dta"', '"2020-13" is no period', 'operator "inn"',
        'the operator "gt" compares periods', 'no dimension "CONTRY"', 'unknown id "GDPP"', "label drift: CPI",
        '"KRT:FLOW_B" is not in', "NO in COUNTRY is not in",
    ):  # fmt: skip
        assert said.count(part) == 1, part


@pytest.mark.shared_data
def test_names_are_not_written_into_a_case_with_other_mistakes(shared: Path, tmp_path: Path) -> None:
    file = tmp_path / "cases.yaml"
    file.write_text(CASE)
    structures = [shared / "data/sdmx2/made/constraints_21.xml"]
    found = check_cases(suite, file, suite.options(), structures=structures, fix_names=True)
    assert found.fixed == {str(file): 1}
    assert file.read_text() == "name: Name of GDP}".join(CASE.rsplit("name: n}", 1))


def test_a_second_case_with_an_id_is_checked_too(tmp_path: Path) -> None:
    row = {
        "id": "a",
        "conversation": [{"role": "user", "content": "q", "target": {"indicator_selection": [{"dataset_id": "X:D"}]}}],
    }
    loaded = cases_from([row, row], tmp_path)
    assert (len(loaded.cases), len(loaded.problems), len(loaded.flawed)) == (1, 1, 1)
    file = tmp_path / "c.jsonl"
    file.write_text('{"id": "a", "conversation": 3}\n{"id": ["b"]}\n7\n')
    found: LoadedCases = load_cases(file)
    assert (found.cases, len(found.problems)) == ((), 4)
