"""DS-1000, PandasEval, NumpyEval and DABench as published: all of them load; as many references run as pandas 3.1 and
numpy 2.4 let."""

from __future__ import annotations

import ast
import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from karat.core.records import Case
from karat.core.suite import NotApplicable
from karat.sandbox import Sandbox
from karat.suites.codegen.cases import load_cases, recognises
from karat.suites.codegen.harness.verdict import published_of, verdict_of
from karat.suites.codegen.records import Task
from karat.suites.codegen.running.completion import code_for
from karat.suites.codegen.running.execution import limits_of, run_code
from karat.suites.codegen.running.references import reference_outcome, schema_of

pytestmark = pytest.mark.shared_data


@pytest.mark.parametrize(("name", "least"), [("PandasEval", 92), ("NumpyEval", 93)])
def test_all_of_them_load_and_most_references_run(shared: Path, name: str, least: int) -> None:
    file = shared / "data" / "codegen" / "pandaseval" / f"{name}.jsonl.gz"
    assert recognises(file)
    loaded = load_cases(file)
    assert (len(loaded.cases), loaded.problems) == (101, ())
    ran = 0
    with Sandbox() as box:
        for case in loaded.cases:
            task = case.conversation[1].target
            assert task is not None
            ran += run_code(box, task, task.reference)[0].ran
    assert ran >= least, f"{ran} of 101 references run"


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
@pytest.mark.parametrize("name", ["PandasEval", "NumpyEval"])
def test_published_continuations_are_the_references(shared: Path, name: str) -> None:
    """Bare, fenced, and with the program repeated: each gives the code that the reference is."""
    file = shared / "data" / "codegen" / "pandaseval" / f"{name}.jsonl.gz"
    rows = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    for row, case in zip(rows, load_cases(file).cases, strict=True):
        task = case.conversation[1].target
        assert task is not None
        bare = row["canonical_solution"][0]
        for answer in (bare, f"\n```python\n{bare}\n```\n", task.reference, f"{row['prompt']}{bare}"):
            found = code_for(task, answer.encode())
            if answer != f"{row['prompt']}{bare}" or _parses(answer):
                assert ast.dump(ast.parse(found)) == ast.dump(ast.parse(task.reference)), (case.id, answer)


def _parses(code: str) -> bool:
    """A few published prompts and continuations do not fit together: one indentation too many."""
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True


def test_dabench_loads_with_its_labels_and_tables(shared: Path) -> None:
    loaded = load_cases(shared / "data" / "codegen" / "infiagent_dabench")
    assert (len(loaded.cases), loaded.problems) == (257, ())
    for case in loaded.cases:
        task = case.conversation[1].target
        assert task is not None
        assert task.expected is not None
        assert task.expected.named
        assert Path(task.tables["df"].path).is_file()


def ds1000(shared: Path) -> tuple[Case[Task], ...]:
    loaded = load_cases(shared / "data" / "codegen2" / "ds1000_pandas_part.jsonl")
    assert (len(loaded.cases), loaded.problems) == (119, ())
    return loaded.cases


def test_ds1000_judges_its_references_as_its_own_tests_do(shared: Path) -> None:
    """With the pandas that the verdicts are for they must agree; with another one the problem's own tests, run whole,
    have the word."""
    verdicts = json.loads((shared / "data" / "codegen2" / "ds1000_verdicts.json").read_bytes())["problems"]

    def judged(case: Case[Task]) -> bool:
        task = case.conversation[1].target
        assert task is not None
        try:
            reference_outcome(box, task)
        except NotApplicable as error:
            assert "only in the same process" not in str(error), f"{case.id}: {error}"
            assert "does nothing" not in str(error), f"{case.id}: {error}"
            return False
        assert "test_input" not in schema_of(box, task)[0].tables
        return True

    with Sandbox(workers=2) as box, ThreadPoolExecutor(2) as threads:
        cases = ds1000(shared)
        found = {case.id: passed for case, passed in zip(cases, threads.map(judged, cases), strict=True)}
        version = box.versions().pandas
    known = {number: said[version] == "pass" for number, said in verdicts.items() if version in said}
    if known:
        assert found == known


def test_ds1000_passes_nothing_that_does_nothing(shared: Path) -> None:
    def passing(case: Case[Task]) -> list[str]:
        task = case.conversation[1].target
        assert task is not None
        assert task.harness is not None
        found = []
        for code in ("result = df", "result = 42  # words"):  # `pass` is tried with every reference
            outcome = run_code(box, task, code)[1]
            if outcome.ok and not verdict_of(box, task.harness, code, outcome.result, limits_of(task)).execution:
                found.append(f"{case.id}: {code}")
        return found

    with Sandbox(workers=2) as box, ThreadPoolExecutor(2) as threads:
        assert [line for lines in threads.map(passing, ds1000(shared)) for line in lines] == []


CHANGES = (
    "X = X.copy()", "X = X.reset_index()", "X = X.iloc[::-1]", "X = X.convert_dtypes()", "X = X.rename_axis('other')",
    "X = X.astype(str)", "X.index = list(X.index)", "X = X.astype('category')", "X = X.sort_index(axis=1)",
    "X = X.values", "X = X.where(X.notna(), None)",
)  # fmt: skip


def test_ds1000_judges_other_answers_as_its_own_tests_do(shared: Path) -> None:
    """The reference with its result changed at the end: what the split judgement says is what the published tests say
    in one process."""

    def verdicts(numbered: tuple[int, Case[Task]]) -> tuple[str, bool, bool]:
        number, case = numbered
        task = case.conversation[1].target
        assert task is not None
        assert task.harness is not None
        name = "result" if task.harness.program.rstrip().endswith("[insert]") else "df"
        code = f"{task.reference}\n{CHANGES[number % len(CHANGES)].replace('X', name)}"
        outcome = run_code(box, task, code)[1]
        limits = limits_of(task)
        passed = outcome.ok and verdict_of(box, task.harness, code, outcome.result, limits).passed
        return case.id, passed, not published_of(box, task.harness, code, limits).reference

    with Sandbox(workers=2) as box, ThreadPoolExecutor(2) as threads:
        found = list(threads.map(verdicts, enumerate(ds1000(shared)[::3])))
    assert [(number, ours) for number, ours, _ in found] == [(number, theirs) for number, _, theirs in found]
    assert {passed for _, passed, _ in found} == {True, False}
