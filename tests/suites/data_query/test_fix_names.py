"""``--fix-names`` from end to end: cases loaded, drifted names found, put right in the file, nothing else touched."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

from karat.core.problems import UserError
from karat.core.yaml.edit import apply_fixes
from karat.suites.data_query.cases import load_cases
from karat.suites.data_query.options import Options
from tests.suites.data_query.building import check_codes as check_cases

CODES = (
    'id,name\nLP,"Population: persons, total"\nMEX,Mexico\nCIV,Côte d\'Ivoire\nLONG,"Rate, domestic currency\n'
    ' per dollar"\n'
)


def codes(folder: Path) -> Path:
    path = folder / "CL_D.csv"
    path.write_text(CODES, encoding="utf-8")
    return path


def changed_lines(before: bytes, after: bytes) -> list[str]:
    lines = difflib.unified_diff(before.decode().split("\n"), after.decode().split("\n"), lineterm="", n=0)
    return [line for line in lines if line[0] in "+-" and line[:3] not in ("+++", "---")]


@pytest.mark.shared_data
def test_the_real_cases_are_mended_and_then_clean(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data/sdmx"
    before = (folder / "statgpt_cases/cases.yaml").read_bytes()
    copy = tmp_path / "cases.yaml"
    copy.write_bytes(before)
    structures = [folder / "statgpt-backend", folder / "weo_2510"]

    checked = check_cases(load_cases(copy).cases, structures, Options())
    assert apply_fixes(checked.fixes) == {str(copy): 7}

    after = copy.read_bytes()
    changed = changed_lines(before, after)
    assert len(changed) == 2 * 5  # seven names on five lines
    assert (
        '+        - {dimension_name: INDICATOR, values: [{id: NGDP_D, name: "Gross domestic product (GDP), Price '
        'deflator, Index"}]}' in changed
    )
    assert "+        - {dimension_name: INDEX_TYPE, values: [{id: CPI, name: Consumer price index (CPI)}]}" in changed
    assert before.decode().splitlines()[:5] == after.decode().splitlines()[:5]  # the comments at the top
    again = load_cases(copy)
    assert not again.problems
    second = check_cases(again.cases, structures, Options())
    assert second.fixes == ()
    assert not [problem for problem in second.problems if problem.line and "the dataset" not in problem.message]


@pytest.mark.shared_data
def test_names_of_an_older_edition_drift(shared: Path, tmp_path: Path) -> None:
    """The WEO list of 2015 against cases of 2025: LP was "Population (Persons)" then."""
    folder = shared / "data/sdmx"
    copy = tmp_path / "cases.yaml"
    copy.write_bytes((folder / "statgpt_cases/cases.yaml").read_bytes())
    options = Options(codelists={"INDICATOR": "indicators"})
    checked = check_cases(load_cases(copy).cases, [folder / "datasets_imf-weo/indicators.csv"], options)
    lp = [problem for problem in checked.problems if problem.message.startswith("label drift: LP ")]
    assert [problem.line for problem in lp] == [17, 45]
    assert 'LP is called "Population (Persons)" in indicators' in lp[0].message


def test_layout_comments_and_line_ends_stay(tmp_path: Path) -> None:
    text = """\
# A case with every kind of layout.  😀
id: c1   # stable
conversation:
  - role: user
    content: "q: é"
    target:
      indicator_selection:
        - dataset_id: X:Y
          dimensions:
            - dimension_name: D
              values:
                - id: LP
                  name: Population   # plain
                - {id: MEX, name: 'Mexiko'}  # single
                - id: CIV
                  name: >-
                    Ivory
                    Coast

                - "name": "old rate"
                  "id": LONG
"""
    file = tmp_path / "case.yaml"
    before = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    file.write_bytes(before)
    checked = check_cases(load_cases(file).cases, [codes(tmp_path)], Options())
    assert apply_fixes(checked.fixes) == {str(file): 4}
    assert file.read_bytes() == (
        before.replace(b"name: Population   #", b"name: 'Population: persons, total'   #")
        .replace(b"'Mexiko'", b"'Mexico'")
        .replace(b"Ivory\r\n                    Coast", "Côte d'Ivoire".encode())
        .replace(b'"old rate"', rb'"Rate, domestic currency\n per dollar"')
    )
    assert check_cases(load_cases(file).cases, [codes(tmp_path)], Options()).problems == ()


def test_a_json_case_stays_json(tmp_path: Path) -> None:
    import json

    values = [{"id": "LP", "name": "old"}]
    selection = [{"dataset_id": "X:Y", "dimensions": [{"dimension_name": "D", "values": values}]}]
    turn = {"role": "user", "content": "q", "target": {"indicator_selection": selection}}
    file = tmp_path / "case.json"
    file.write_text(json.dumps({"id": "c", "conversation": [turn]}, indent=1), encoding="utf-8")
    checked = check_cases(load_cases(file).cases, [codes(tmp_path)], Options())
    assert apply_fixes(checked.fixes) == {str(file): 1}
    values[0]["name"] = "Population: persons, total"
    assert json.loads(file.read_text(encoding="utf-8")) == {"id": "c", "conversation": [turn]}


def test_a_term_shared_by_an_alias_is_mended_once(tmp_path: Path) -> None:
    turn = (
        "role: user\n  content: q\n  target:\n    indicator_selection:\n    - dataset_id: X:Y\n"
        "      dimensions:\n      - dimension_name: D\n"
    )
    text = f"id: c\nconversation:\n- {turn}        values: &v [{{id: MEX, name: Mexiko}}]\n- {turn}        values: *v\n"
    file = tmp_path / "case.yaml"
    file.write_text(text, encoding="utf-8")
    checked = check_cases(load_cases(file).cases, [codes(tmp_path)], Options())
    assert len(checked.problems) == 1
    assert len(checked.fixes) == 2
    apply_fixes(checked.fixes)
    assert file.read_text(encoding="utf-8") == text.replace("Mexiko", "Mexico")


def test_a_name_shared_with_something_else_is_left(tmp_path: Path) -> None:
    text = (
        "id: c\nname: &m Mexiko\nconversation:\n- {role: user, content: q, target: {indicator_selection: "
        "[{dataset_id: 'X:Y', dimensions: [{dimension_name: D, values: [{id: MEX, name: *m}]}]}]}}\n"
    )
    file = tmp_path / "case.yaml"
    file.write_text(text, encoding="utf-8")
    checked = check_cases(load_cases(file).cases, [codes(tmp_path)], Options())
    with pytest.raises(UserError, match="through an alias: write it out there first"):
        apply_fixes(checked.fixes)
    assert file.read_text(encoding="utf-8") == text


def test_blanks_at_the_ends_of_a_name_are_found_and_removed(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    text = """\
id: c1
conversation:
  - role: user
    content: q
    target:
      indicator_selection:
        - dataset_id: X:Y
          dimensions:
            - dimension_name: D
              values:
                - {id: MEX, name: "Mexico "}
                - {id: CIV, name: "\u00a0Côte d'Ivoire"}
"""
    file.write_text(text, encoding="utf-8")
    checked = check_cases(load_cases(file).cases, [codes(tmp_path)], Options())
    assert [(problem.line, "with blanks at its ends" in problem.message) for problem in checked.problems] == [
        (11, True),
        (12, True),
    ]
    assert apply_fixes(checked.fixes) == {str(file): 2}
    mended = text.replace("Mexico ", "Mexico").replace("\u00a0", "")
    assert file.read_text(encoding="utf-8") == mended
    assert check_cases(load_cases(file).cases, [codes(tmp_path)], Options()).problems == ()
