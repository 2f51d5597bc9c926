"""``tests`` in task files: what is read, and what a mistake looks like."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import yaml

from karat.core.records import truth_hash
from karat.suites.codegen.authoring.case_file import case_file
from karat.suites.codegen.cases import load_cases, truth
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Expected, HiddenTest, Task
from karat.suites.codegen.tasks.check import check_cases

HEAD = """\
- id: total
  question: What is the total qty by region?
  tables: {sales: sales.csv}
  reference: result = sales.groupby('region').qty.sum()
  tests:
"""
LINE = HEAD.count("\n") + 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sales.csv").write_text("region,qty\nNorth,12\nSouth,5\n")
    (tmp_path / "other.csv").write_text("region,qty\nNorth,9\n")
    (tmp_path / "short.csv").write_text("region,qyt\nNorth,9\n")
    return tmp_path


def read_from(folder: Path, *entries: str, head: str = HEAD) -> tuple[tuple[HiddenTest, ...], list[str]]:
    (folder / "tasks.yaml").write_text(head + "".join(f"    - {entry}\n" for entry in entries))
    loaded = load_cases(folder / "tasks.yaml")
    found = tuple(test for case in loaded.cases for test in _task(case.conversation[1].target).tests)
    return found, [f"{problem.line}: {problem.message} {problem.hint}".strip() for problem in loaded.problems]


def _task(target: Task | None) -> Task:
    assert target is not None
    return target


ENTRIES = (
    "{assert: \"abs(result['North'] - 19) < 1e-9\"}",
    "{tables: {sales: other.csv}, expected: {value: 9}}",
    "{tables: {sales: {region: [West], qty: [4]}}, reference: true}",
    "{property: sorted, by: qty, ascending: false}",
    "{property: range, column: qty, min: 0}",
    "{property: subset_of, column: region, of: sales.region}",
    "{relation: row_order}",
    "{relation: scaled, column: qty, factor: 8, result: {qty: times, n: same}}",
    "{relation: irrelevant_rows, where: region == 'Mars' and qty > 3}",
)


def test_every_kind_of_entry_is_read(folder: Path) -> None:
    found, problems = read_from(folder, *ENTRIES)
    assert problems == []
    assert [test.line for test in found] == list(range(LINE, LINE + len(ENTRIES)))
    assert found[0].assertion == "abs(result['North'] - 19) < 1e-9"
    assert found[1].expected == Expected(value=9)
    assert Path(found[1].tables["sales"].path) == (folder / "other.csv").resolve()
    assert (found[2].reference, found[2].tables["sales"].columns) == (True, {"region": ["West"], "qty": [4]})
    assert (found[3].property, found[3].column, found[3].ascending) == ("sorted", ("qty",), False)
    assert (found[7].factor, found[7].result) == (8.0, {"qty": "times", "n": "same"})


MISTAKES = {
    "{assrt: result > 3}": 'unknown key "assrt" in a test entry Did you mean "assert"?',
    "{assert: result >}": "the assert is not Python: invalid syntax",
    "{assert: 'found = result'}": "the test has statements and no assert: it cannot fail Write an expression",
    "{assert: 'sales.qty.sum() > 3'}": 'the assert does not use "result"',
    "{assert: \"result == sales['qyt'].sum()\"}": 'the table "sales" has no column "qyt" Did you mean "qty"?',
    "{assert: \"result == df['regio'].max()\"}": 'the table "df" has no column "regio" Did you mean "region"?',
    "{property: sortd}": 'found "sortd" Did you mean "sorted"?',
    "{property: sorted, min: 3}": 'the test "sorted" has no key "min" Its other keys: ascending, by, column, public, '
    "tables.",
    "{property: range, column: qty}": 'the test "range" needs min or max',
    "{property: sums_to, of: sales.qyt}": 'there is no column "sales.qyt" in the tables Did you mean "sales.qty"?',
    "{property: rows, relation: row_order}": "this one has property and relation",
    "{tables: {sales: other.csv}}": "this one has none of them",
    "{tables: {sale: other.csv}, expected: 9}": 'the task has no table "sale" Did you mean "sales"?',
    "{tables: {sales: othr.csv}, expected: 9}": 'there is no file "othr.csv" Did you mean "other.csv"?',
    "{tables: {sales: short.csv}, expected: 9}": 'this test has no column "qty" Did you mean "qyt"?',
    "{expected: 9}": 'a test with "expected" needs "tables"',
    "{relation: scaled, column: qyt, result: times}": 'there is no column "qyt" in the tables Did you mean "qty"?',
    "{relation: scaled, column: qty}": 'the test "relation scaled" needs "result"',
    "{relation: scaled, column: qty, result: tims}": 'Did you mean "times"?',
    "{relation: scaled, column: qty, result: times, factor: 0}": "factor must be a number other than 0 and 1",
    "{relation: irrelevant_rows, where: regin == 'Mars'}": 'there is no column "regin" in the tables',
    "{relation: irrelevant_rows, where: qty.max() > 3}": "the filter is not a comparison of columns with constants",
    "{relation: irrelevant_rows, where: 'qty >'}": "the filter is not Python: invalid syntax",
}


@pytest.mark.parametrize(("entry", "told"), MISTAKES.items(), ids=MISTAKES.keys())
def test_a_mistake_is_found_at_its_line(folder: Path, entry: str, told: str) -> None:
    found, problems = read_from(folder, "{property: unique}", entry)
    assert found == ()  # a task that says something wrong is not used
    assert len(problems) == 1 and problems[0].startswith(f"{LINE + 1}: ") and told in problems[0], problems


def test_a_column_of_the_expected_result(folder: Path) -> None:
    head = HEAD.replace(
        "reference: result = sales.groupby('region').qty.sum()", "expected: {region: [North], total: [9]}"
    )
    _, problems = read_from(folder, "{property: sorted, by: totl}", head=head)
    assert problems == [f'{LINE}: there is no column "totl" in the expected result Did you mean "total"?']
    _, problems = read_from(folder, "{tables: {sales: other.csv}, reference: true}", head=head)
    assert problems[0].startswith(f"{LINE}: the task has no reference")


def test_a_task_with_tests_alone_needs_nothing_else(folder: Path) -> None:
    head = HEAD.replace("  reference: result = sales.groupby('region').qty.sum()\n", "")
    (folder / "tasks.yaml").write_text(f"{head}    - {{assert: len(result) == 2}}\n")
    cases = load_cases(folder / "tasks.yaml").cases
    assert check_cases(cases, (), Options()).problems == ()


def test_the_truth_of_a_case_has_its_tests_and_not_their_lines(folder: Path) -> None:
    def hashed(text: str) -> str:
        (folder / "tasks.yaml").write_text(text)
        return truth_hash(load_cases(folder / "tasks.yaml").cases, truth)

    one = f"{HEAD}    - {{tables: {{sales: other.csv}}, expected: 9}}\n"
    assert hashed(one) == hashed(f"# a remark\n{one}")
    assert len({hashed(one), hashed(one.replace("9}", "8}")), hashed(HEAD.replace("  tests:\n", ""))}) == 3
    before = hashed(one)
    (folder / "other.csv").write_text("region,qty\nNorth,10\n")
    assert hashed(one) != before


def test_no_test_is_shown_to_a_system(folder: Path) -> None:
    read_from(folder, "{assert: \"result['Zanzibar'] == 19\"}")
    (case,) = load_cases(folder / "tasks.yaml").cases
    assert "Zanzibar" not in case.conversation[0].content + case.conversation[1].content


def test_stored_tests_come_back_as_a_file(folder: Path) -> None:
    read_from(folder, *ENTRIES)
    cases = load_cases(folder / "tasks.yaml").cases
    before = [test for case in cases for test in _task(case.conversation[1].target).tests]
    made = case_file([msgspec.to_builtins(case) for case in cases])
    assert made is not None
    (folder / "again.yaml").write_text(made.text)
    again = load_cases(folder / "again.yaml")
    assert again.problems == () and yaml.safe_load(made.text)
    after = [test for case in again.cases for test in _task(case.conversation[1].target).tests]
    assert [msgspec.structs.replace(test, line=0) for test in after] == [
        msgspec.structs.replace(test, line=0) for test in before
    ]
