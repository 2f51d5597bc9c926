"""Published sets, told by their fields. The files here are written for these tests in the published form."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from karat.core.records import Case, Prediction, join_attempts
from karat.core.suite import NotApplicable
from karat.sandbox import Column, Outcome, Table
from karat.suites.codegen.benchmarks.dacode_plots import plot_gold
from karat.suites.codegen.cases import load_cases, recognises
from karat.suites.codegen.comparison import Comparison
from karat.suites.codegen.harness.unit_tests import count_tests
from karat.suites.codegen.options import Options
from karat.suites.codegen.plots.records import Figure, Panel, PlotGold, Series
from karat.suites.codegen.plots.score import verdict_of
from karat.suites.codegen.published import dabstep, dacode, kramabench
from karat.suites.codegen.published.judging import choice_or_number, judged_as_published
from karat.suites.codegen.records import Published, Task
from karat.suites.codegen.steps.compare import compare
from karat.suites.codegen.tasks.check import check_cases

SHARED = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "codegen2"
QUICK = Options(performance=False, perturb="no", relations="no")


def written(file: Path, *rows: dict[str, Any]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def answered(case: Case[Task], code: str) -> Comparison:
    return compare(case, 0, Prediction(case.id, response=code.encode()), QUICK)


# -- BigCodeBench -----------------------------------------------------------------------------------------------------

BIG: dict[str, Any] = {
    "task_id": "BigCodeBench/9001",
    "complete_prompt": 'import math\n\ndef task_func(numbers):\n    """The mean of numbers."""\n',
    "instruct_prompt": "Write a function that gives the mean of numbers, and nan for none.",
    "canonical_solution": "    return sum(numbers) / len(numbers) if numbers else math.nan\n",
    "test": "import unittest\nimport math\nclass TestCases(unittest.TestCase):\n"
    "    def test_two(self):\n        self.assertEqual(task_func([1, 3]), 2)\n"
    "    def test_none(self):\n        self.assertTrue(math.isnan(task_func([])))\n"
    "class More(TestCases):\n    def test_one(self):\n        self.assertEqual(task_func([5]), 5)\n",
    "entry_point": "task_func",
    "libs": "['math', 'no_such_module']",
}


@pytest.fixture
def big(tmp_path: Path) -> Case[Task]:
    [case] = load_cases(written(tmp_path / "big.jsonl", BIG)).cases
    return case


def test_bigcodebench_is_judged_by_all_its_tests(big: Case[Task]) -> None:
    assert count_tests(BIG["test"]) == 5  # two, and these two again with one more in the class that inherits them
    right = answered(big, BIG["complete_prompt"] + BIG["canonical_solution"])
    assert right.correctness.passed
    assert right.correctness.evidence == {"tests": 5, "tests_in": "same_process"}
    continued = answered(big, "    return sum(numbers) / len(numbers) if numbers else math.nan")
    assert continued.correctness.passed
    wrong = answered(big, "def task_func(numbers):\n    return 2")
    assert (wrong.correctness.score, wrong.correctness.reason) == (0.5 * 2 / 5, "test_failed")
    assert "test_none" in wrong.correctness.evidence["problem"]
    broken = answered(big, "def task_func(numbers):\n    return (")
    assert broken.correctness.score == 0.0


CHEATS = {
    "no test fails": "import unittest\nunittest.TestCase.assertEqual = lambda *a, **k: None\n"
    "unittest.TestCase.assertTrue = lambda *a, **k: None\n",
    "no test runs": "import unittest\nunittest.TestLoader.loadTestsFromTestCase = lambda *a: unittest.TestSuite()\n",
    "failures forgotten": "import unittest\nunittest.TestResult.addFailure = lambda *a: None\n",
    "tests are skipped": "import unittest\nunittest.TestCase.run = lambda self, result: result.addSkip(self, '')\n",
    "leaves early": "import sys\nsys.exit(0)\n",
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_an_answer_that_patches_the_tests_does_not_pass(big: Case[Task], cheat: str) -> None:
    found = answered(big, CHEATS[cheat] + "def task_func(numbers):\n    return 2\n")
    assert not found.correctness.passed, found.correctness
    assert (found.correctness.score or 0.0) == 0.0


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"libs": "5"}, "libs is not a list of modules: 5"),
        ({"libs": "'math'"}, "libs is not a list of modules: 'math'"),
        ({"libs": "['math', "}, "libs is not a list of modules"),
        ({"entry_point": "other"}, "its prompt has no function other"),
    ],
)
def test_a_bigcodebench_task_in_another_form_is_a_problem(tmp_path: Path, changed: dict[str, str], said: str) -> None:
    loaded = load_cases(written(tmp_path / "big.jsonl", {**BIG, **changed}))
    assert not loaded.cases and said in loaded.problems[0].message


BY_ITSELF = {
    "always": "class V:\n    def __eq__(self, other): return True\n    __hash__ = None\n",
    "whatever it is": "class V:\n    def __eq__(self, other): return isinstance(other, int)\n"
    "    __float__ = lambda s: NAN\n",
    "no difference": "class V:\n    def __sub__(self, other): return 0\n    __float__ = lambda s: NAN\n",
    "a class of its own": "V = type('int', (int,), {'__eq__': lambda a, b: True, '__float__': lambda s: NAN})\n",
    "another module": "names = {'__name__': 'numpy'}\nexec('class V:\\n def __eq__(s, o): return True', names)\n"
    "V = names['V']\n",
    "a type as its method": "class V:\n    __eq__ = bool\n    __float__ = lambda s: NAN\n",
    "any": "from unittest.mock import ANY\nV = lambda: ANY\n",
    "in a list": "class W:\n    def __eq__(self, other): return True\nV = lambda: [W()]\n",
    "in an array": "import numpy\nclass W:\n    def __eq__(self, other): return True\n"
    "V = lambda: numpy.array([W()], dtype=object)\n",
}
COMPARED = """import unittest
class TestCases(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(task_func([1, 3]), 2)
    def test_operator(self):
        self.assertTrue(2 == task_func([1, 3]))
    def test_almost(self):
        self.assertAlmostEqual(task_func([1, 2]), 1.5)
    def test_within(self):
        assert task_func([4]) in [4, 5], "no"
"""


@pytest.mark.parametrize("own", BY_ITSELF)
def test_an_object_that_says_itself_what_it_equals_passes_no_test(tmp_path: Path, own: str) -> None:
    [case] = load_cases(written(tmp_path / "big.jsonl", {**BIG, "test": COMPARED, "libs": "[]"})).cases
    found = answered(case, f"NAN = float('nan')\n{BY_ITSELF[own]}def task_func(numbers):\n    return V()\n").correctness
    assert (found.score, found.reason, len(found.evidence["failed"])) == (0.0, "test_failed", 4), found


def test_two_tasks_with_one_reference_and_other_tests_are_told_apart(tmp_path: Path) -> None:
    other = {**BIG, "task_id": "BigCodeBench/2", "test": COMPARED.replace("[4, 5]", "[5, 6]")}
    first, second = load_cases(written(tmp_path / "big.jsonl", BIG, other)).cases
    code = BIG["complete_prompt"] + BIG["canonical_solution"]
    assert answered(first, code).correctness.passed
    with pytest.raises(NotApplicable, match="its own tests reject the reference here: test_within: AssertionError: no"):
        answered(second, code)


def test_classes_of_libraries_and_of_the_tests_compare_as_they_say(tmp_path: Path) -> None:
    test = """import unittest, collections, dataclasses, datetime, pathlib, decimal
import numpy as np, pandas as pd
from unittest.mock import ANY, MagicMock, call
class Near:
    def __init__(self, value): self.value = value
    def __eq__(self, other): return abs(other - self.value) < 0.1
class TestCases(unittest.TestCase):
    def test_all(self):
        echo, seen = task_func, MagicMock()
        for value in (decimal.Decimal(2), datetime.date(2024, 1, 1), pathlib.Path("a"), collections.Counter("aab")):
            self.assertEqual(echo(value), value)
        self.assertEqual(echo(1.95), Near(2))
        frame = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
        self.assertTrue(echo(frame).equals(frame) and (echo(frame.a) == frame.a).all() and 0 < echo(1) <= 1)
        pd.testing.assert_frame_equal(echo(frame), frame)
        np.testing.assert_array_equal(echo(np.array([[1, 2]])), [[1, 2]])
        seen(1, "x")
        seen.assert_called_once_with(ANY, "x")
        self.assertEqual(seen.call_args, call(1, "x"))
        self.assertEqual(task_func.pair(1), task_func.pair(1))
        self.assertEqual(task_func.named(1, 2), (1, 2))
"""
    solution = """    return numbers
import dataclasses, collections
task_func.pair = dataclasses.make_dataclass("Pair", ["low"])
task_func.named = collections.namedtuple("Named", "low high")
"""
    row = {**BIG, "test": test, "libs": "[]", "canonical_solution": solution}
    [case] = load_cases(written(tmp_path / "big.jsonl", row)).cases
    assert answered(case, BIG["complete_prompt"] + solution).correctness.passed


def test_a_reference_that_fails_is_left_out_and_missing_modules_are_named(tmp_path: Path) -> None:
    row = {**BIG, "canonical_solution": "    import no_such_module\n    return 1\n"}
    loaded = load_cases(written(tmp_path / "big.jsonl", row, {**BIG, "task_id": "BigCodeBench/2", "libs": "[]"}))
    with pytest.raises(NotApplicable, match="gold_error"):
        answered(loaded.cases[0], "def task_func(numbers):\n    return 1")
    told = [problem.message for problem in check_cases(loaded.cases, (), QUICK).problems]
    assert told == ["1 task cannot run here, because modules are not installed (no_such_module 1): BigCodeBench/9001"]


def test_what_a_file_does_when_it_is_run_itself_does_not_happen(tmp_path: Path) -> None:
    tests = BIG["test"] + "if __name__ == '__main__':\n    unittest.main()\n"
    row = {**BIG, "test": tests.replace("\n", "\r\n"), "libs": None, "doc_struct": None}
    [case] = load_cases(written(tmp_path / "main.jsonl", row)).cases
    answer = BIG["complete_prompt"] + BIG["canonical_solution"] + "\nif __name__ == '__main__':\n    raise ValueError\n"
    assert answered(case, answer).correctness.passed
    assert not answered(case, "def task_func(numbers):\n    return 2").correctness.passed


def test_parquet_and_json_are_read_like_lines(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.Table.from_pylist([BIG]), tmp_path / "big.parquet")
    (tmp_path / "big.json").write_text(json.dumps([BIG]))
    for name in ("big.parquet", "big.json"):
        assert recognises(tmp_path / name)
        assert [case.id for case in load_cases(tmp_path / name).cases] == ["BigCodeBench/9001"]
    (tmp_path / "bad.parquet").write_bytes(b"no parquet")
    assert "Parquet" in load_cases(tmp_path / "bad.parquet").problems[0].message


# -- EvalPlus ---------------------------------------------------------------------------------------------------------


def test_evalplus_calls_the_function_with_every_input(tmp_path: Path) -> None:
    row = {
        "task_id": "HumanEval/900",
        "prompt": 'def double(n: int) -> int:\n    """Twice n."""\n',
        "entry_point": "double",
        "canonical_solution": "    return 2 * n\n",
        "base_input": [[1]],
        "plus_input": [[0], [-3], [10**20]],
    }
    [case] = load_cases(written(tmp_path / "plus.jsonl", row)).cases
    assert answered(case, "    return n + n").correctness.passed
    assert answered(case, "def double(n):\n    return n * 2").correctness.passed
    assert not answered(case, "def double(n):\n    return abs(n) * 2").correctness.passed
    assert not answered(case, "def double(n):\n    return 2 * n if n > -3 else 1 / 0").correctness.passed
    failing = {**row, "canonical_solution": "    raise ValueError(n)\n"}
    [case] = load_cases(written(tmp_path / "failing.jsonl", failing)).cases
    with pytest.raises(NotApplicable, match="the reference fails here"):
        answered(case, "def double(n):\n    raise ValueError(n)")
    short = "Double a number.\nassert double(2) == 4\n"
    mbpp = {**row, "task_id": "Mbpp/3", "prompt": f'"""\n{short}"""\n', "base_input": None}
    mbpp["canonical_solution"] = "\ndef double(n):\n    return 2 * n\n"
    loaded = load_cases(written(tmp_path / "mbpp.jsonl", mbpp, {**mbpp, "task_id": "Mbpp/2"}))
    assert answered(loaded.cases[0], "def double(n):\n    return n + n").correctness.passed
    assert not answered(loaded.cases[0], "def double(n):\n    return n * n").correctness.passed
    assert "types that JSON does not have (Mbpp/2)" in loaded.problems[0].message


# -- DABstep ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "answer", "official", "strict"),
    [
        ("5", "5", True, True),
        ("-5", "5", True, False),
        ("12%", "12", True, False),
        ("NL", "the answer is NL", True, False),
        ("b, a", "a, b", True, False),
        ("a, b", "a, b", True, True),
        ("[1, 2]", "1, 2", True, True),
        ("12.345", "12.35", True, True),
        ("12.36", "12.35", False, False),
        ("12.351", "12.35", True, True),
        ("1,234.5", "1234.5", True, True),
        ("Not Applicable", "not applicable", True, True),
        ("GlobalCard", "TransactPlus", False, False),
        ("a, b", "a", False, False),
        ("0.00012", "0.00019", True, False),
    ],
)
def test_dabstep_official_and_strict(given: str, answer: str, official: bool, strict: bool) -> None:
    assert (dabstep.official(given, answer), dabstep.strict(given, answer)) == (official, strict)


def _dabstep(folder: Path) -> Path:
    (folder / "context").mkdir()
    (folder / "context" / "payments.csv").write_text("country,eur\nNL,1.5\nBE,2.5\n")
    (folder / "context" / "fees.json").write_text('[{"id": 1, "rate": 5}]')
    row = {"task_id": 5, "question": "Which country?", "guidelines": "A code.", "level": "easy", "answer": "BE"}
    return written(folder / "dev.jsonl", row, {**row, "task_id": 6, "answer": ""})


def test_files_that_are_no_tables_are_files(tmp_path: Path) -> None:
    (tmp_path / "context").mkdir()
    contents = {
        "good.csv": b"\xef\xbb\xbfa,b\r\n1,2\r\n3,4\r\n",
        "index.csv": b"a,b\nx,1,2\ny,3,4\n",
        "short.csv": b'a,b\n1\n"x\ny",2\n',
        "ragged.csv": b"a,b\n1,2\n3,4,5,6\n",
        "empty.csv": b"",
        "latin.csv": b"town\nM\xfcnchen\n",
        ".DS_Store": b"\0",
        "._good.csv": b"\0",
        "x" * 220 + ".csv": b"a\n1\n",
    }
    for name, content in contents.items():
        (tmp_path / "context" / name).write_bytes(content)
    row = {"task_id": 5, "question": "Which?", "guidelines": "", "level": "easy", "answer": "4"}
    [case] = load_cases(written(tmp_path / "dev.jsonl", row)).cases
    task = case.conversation[1].target
    assert task is not None and sorted(task.tables) == ["good", "index", "short"]
    assert [Path(file).name for file in task.files] == ["empty.csv", "latin.csv", "ragged.csv"]
    read = "result = int(good.b.iloc[-1]) if open('latin.csv', 'rb').read()[:4] == b'town' and len(index) == 2 else 0"
    assert answered(case, read).correctness.passed


def test_dabstep_runs_over_its_context(tmp_path: Path) -> None:
    first, second = load_cases(_dabstep(tmp_path)).cases
    assert (first.id, second.id, second.tags) == ("5", "6", ("easy", "no gold"))
    code = "import json\nfees = json.load(open('fees.json'))\nresult = payments.set_index('country').eur.idxmax()"
    right = answered(first, code)
    assert (right.correctness.score, right.correctness.evidence) == (1.0, {"official": 1.0})
    loose = answered(first, "result = 'it is be'")
    assert (loose.correctness.passed, loose.correctness.evidence["official"]) == (False, 1.0)
    assert answered(second, code).correctness.score is None
    (tmp_path / "context").rename(tmp_path / "elsewhere")
    [problem] = load_cases(tmp_path / "dev.jsonl").problems
    assert (
        problem.message == ("DABstep: 2 tasks left out: there is no folder context/ beside the questions (5, 6)")
        and problem.severity == "warning"
    )


# -- KramaBench, DSBench ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "answer", "result", "share", "right"),
    [
        ("numeric_exact", 375, 375.0, 1.0, True),
        ("numeric_exact", 375, 375.1, 0.0, False),
        ("numeric_approximate", 100, 90, 0.9, False),
        ("numeric_approximate", 100, 100.5, 0.995, True),
        ("string_exact", "Ames  Pond", "ames pond", 1.0, True),
        ("list_exact", ["a", "b", "c"], ["c", "a"], 0.8, False),
        ("list_exact", [1, 2], [2.0, 1], 1.0, True),
    ],
)
def test_kramabench_by_the_type_of_the_answer(
    kind: str, answer: object, result: object, share: float, right: bool
) -> None:
    found = kramabench.share(kind, answer, result)
    assert found[0] == pytest.approx(share)
    assert found[1] is right


def test_kramabench_finds_its_data_and_leaves_out_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "data" / "environment" / "input").mkdir(parents=True)
    (tmp_path / "data" / "environment" / "input" / "water.csv").write_text("beach,n\na,1\nb,2\n")
    row = {
        "id": "e-1",
        "query": "How many?",
        "answer": 3,
        "answer_type": "numeric_exact",
        "data_sources": ["water.csv"],
    }
    other = {**row, "id": "e-2", "data_sources": ["air.csv"]}
    free = {**row, "id": "e-3", "answer": "in words", "answer_type": "string_approximate"}
    odd = {**row, "id": "e-4", "answer_type": "numeric_exakt"}
    (tmp_path / "workload.json").write_text(json.dumps([row, other, free, odd]))
    loaded = load_cases(tmp_path / "workload.json")
    assert [case.id for case in loaded.cases] == ["e-1", "e-3"]
    assert [problem.severity for problem in loaded.problems] == ["error", "warning"]
    assert "numeric_exact" in loaded.problems[0].hint
    assert answered(loaded.cases[0], "result = water.n.sum()").correctness.passed
    review = answered(loaded.cases[1], "result = 'words'").correctness
    assert review.score is None and review.reason.startswith("needs review")


def test_kramabench_knows_folders_patterns_and_other_answers(tmp_path: Path) -> None:
    for name in (
        "space/input/days/a 2015.csv",
        "space/input/days/b 2015.csv",
        "space/input/days/c.csv",
        "law/input/c.csv",
    ):
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / name).write_text("n\n1\n")
    (tmp_path / "data/space/input/days/.DS_Store").write_bytes(b"\0")
    (tmp_path / "data/space/input/old.csv").write_bytes(b"town\nM\xfcnchen\n")
    (tmp_path / "data/space/input/days/more").mkdir()
    (tmp_path / "data/space/input/days/more/old.csv").write_text("n\n2\n")
    asked = {
        "space-1": ["days/"],
        "space-2": ["days/*2015*.csv"],
        "space-3": ["c.csv", "old.csv"],
        "space-4": ["old.csv", "days/more/old.csv"],
        "space-5": ["../law/input/c.csv"],
        "space-6": ["nights/*"],
    }
    row = {"query": "How many?", "answer": 3, "answer_type": "numeric_exact", "accepted_answers": [4, "5"], "x": None}
    rows = [{"id": name, **row, "data_sources": sources} for name, sources in asked.items()]
    (tmp_path / "workload").mkdir()
    (tmp_path / "workload" / "space.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(rows).encode())
    loaded = load_cases(tmp_path / "workload" / "space.json")
    given = {case.id: task for case in loaded.cases if (task := case.conversation[1].target) is not None}
    assert {name: (sorted(task.tables), len(task.files)) for name, task in given.items()} == {
        "space-1": (["a 2015", "b 2015", "c"], 0),
        "space-2": (["a 2015", "b 2015"], 0),
        "space-3": (["c"], 1),
    }
    said = " ".join(problem.message for problem in loaded.problems)
    assert "space-4" in said and "space-5, space-6" in said
    published = Published("kramabench", 3, "numeric_exact", options={"accepted": [4, "5"]})
    verdicts = [judged_as_published(published, Outcome("ok", value)).passed for value in (3, 4.0, 5, 6)]
    assert verdicts == [True, True, True, False]


@pytest.mark.parametrize(
    ("answer", "result", "right"),
    [("B", "B", True), ("B", "b) 12", True), ("B", "Because", False), ("12.5", 12.5, True), ("12.5", 12.56, False),
     ("1,200", "$1200", True), ("$1,200", 1200, True), ("$1,200", "€1,200", False),
     ("-$5", -5, True), ("$5", -5, False),
     ("12%", 0.12, True), ("12%", 12, True), ("12%", "12.0 %", True), ("12%", "0.12%", False), ("12%", 0.13, False),
     ("12.5%", 0.1254, True), ("12.5%", 0.126, False), ("12", "12%", True), ("$", "$", True),
     ("Paris", " paris ", True)],
)  # fmt: skip
def test_dsbench_choices_and_numbers(answer: str, result: object, right: bool) -> None:
    assert choice_or_number(answer, result) is right


def test_null_in_a_field_of_dabench_is_none(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "My Table.csv").write_text("price\n1\n3\n")
    row = {"id": 0, "question": "Mean?", "format": "@mean[x]", "file_name": "My Table.csv"}
    [case] = load_cases(written(tmp_path / "questions.jsonl", {**row, "concepts": None, "constraints": None})).cases
    assert (case.id, case.tags) == ("0", ())


def test_dsbench_has_a_case_for_each_question(tmp_path: Path) -> None:
    (tmp_path / "data" / "00000001").mkdir(parents=True)
    folder = tmp_path / "data" / "00000001"
    (folder / "question1.txt").write_text("How many rows?")
    (folder / "introduction.txt").write_text("A workbook.")
    (folder / "rows.csv").write_text("a\n1\n2\n")
    row = {"id": "00000001", "name": "x", "questions": ["question1", "question2"], "answers": ["2", "A"]}
    (tmp_path / "data.json").write_text(f"{row!r}\n")
    loaded = load_cases(tmp_path / "data.json")
    assert [case.id for case in loaded.cases] == ["00000001/question1"]
    assert "00000001/question2" in loaded.problems[0].message
    assert answered(loaded.cases[0], "result = len(rows)").correctness.passed


# -- DA-Code ----------------------------------------------------------------------------------------------------------


def _dacode(folder: Path) -> Path:
    (folder / "gold" / "dm-csv-901").mkdir(parents=True)
    (folder / "gold" / "dm-csv-901" / "result.csv").write_text("name,total\nb,2\na,5\n")
    for name in ("dm-csv-901", "di-text-901"):
        (folder / "source" / name).mkdir(parents=True)
        (folder / "source" / name / "sales.csv").write_text("name,n\na,2\na,3\nb,2\n")
    base = {"type": "Data", "instruction": "Write result.csv.", "hardness": "Easy", "post_process": []}
    written(
        folder / "eval_all.jsonl",
        {"id": "dm-csv-901", "func": ["compare_csv"], "result": [{"file": ["result.csv"]}],
         "options": [{"ignore_order": True}]},
        {"id": "di-text-901", "func": ["compare_text"], "options": [{}],
         "result": [{"number": [{"best": ["a", "b"], "p": [1e-40]}]}]},
        {"id": "plot-bar-901", "func": ["compare_image"], "result": [{"file": ["p.png"]}], "options": [{}]},
    )  # fmt: skip
    ids = ("dm-csv-901", "di-text-901", "plot-bar-901", "dm-csv-902")
    return written(folder / "task_all.jsonl", *({"id": one, **base} for one in ids))


def test_dacode_tables_and_texts_with_the_official_figure_beside(tmp_path: Path) -> None:
    loaded = load_cases(_dacode(tmp_path))
    assert [case.id for case in loaded.cases] == ["dm-csv-901", "di-text-901"]
    assert {problem.message.partition(": ")[2] for problem in loaded.problems} == {
        "1 task left out: its gold is not in this copy (plot-bar-901)",
        "1 task left out: no list beside the tasks says how it is judged (dm-csv-902)",
    }
    code = "out = sales.groupby('name', as_index=False).n.sum()\nout.to_csv('result.csv', index=False)"
    right = answered(loaded.cases[0], code)
    assert right.correctness.passed and right.correctness.evidence["official"] == 1.0
    crossed = answered(
        loaded.cases[0], "pd.DataFrame({'x': ['a', 'b'], 'y': [2, 5]}).to_csv('result.csv', index=False)"
    )
    assert (crossed.correctness.passed, crossed.correctness.evidence["official"]) == (False, 1.0)
    nothing = answered(loaded.cases[0], "x = 1")
    assert (nothing.correctness.score, nothing.correctness.evidence["official"]) == (0.0, 0.0)
    assert answered(loaded.cases[1], "result = {'best': ['a', 'b'], 'p': [1.0001e-40]}").correctness.passed
    half = answered(loaded.cases[1], "result = {'best': ['A', 'c'], 'p': [0.0]}").correctness
    assert (half.score, half.evidence["official"]) == (0.0, 1.0)  # the official rule looks at first items only
    other = answered(loaded.cases[1], "result = {'best': ['a', 'b'], 'p': [0.5]}").correctness
    assert (other.score, other.evidence["official"]) == (0.25, 0.0)


@pytest.mark.parametrize(
    ("gold", "given", "official"),
    [
        (["12:30", "01:00"], ["12:30", "01:00"], 1.0),
        (["2020-01-01T00:00:00", "2020-05-01"], ["2020-01-01T00:00:00", "2020-05-01"], 1.0),
        (["None", "x"], [None, "x"], 1.0),
        (["007", "010"], [7, 10], 1.0),
        (["1e3", ""], [1000.0, None], 1.0),
        (["True", ""], [True, None], 1.0),
        (["5", "x"], [5, "x"], 0.0),
        (["12%", "1,000"], ["12%", "1,000"], 1.0),
    ],
)
def test_gold_files_are_read_as_pandas_reads_the_answers(
    tmp_path: Path, gold: list[str], given: list[Any], official: float
) -> None:
    (tmp_path / "gold.csv").write_text("a,a,\n" + "".join(f'"{text}",1,2\n' for text in gold), encoding="utf-8-sig")
    names = [column.name for column in dacode.gold_columns(str(tmp_path / "gold.csv"), {})]
    assert names == ["a", "a.1", "Unnamed: 2"]
    columns = (Column("a", "", given), Column("a.1", "", [1, 1]), Column("Unnamed: 2", "", [2, 2]))
    published = Published("dacode_csv", files=(str(tmp_path / "gold.csv"),))
    found = judged_as_published(published, Outcome("ok", Table(2, columns)))
    assert found.evidence["official"] == pytest.approx((2 + official) / 3)
    assert found.passed or not official


def test_dacode_databases_are_as_right_as_their_worst_table(tmp_path: Path) -> None:
    gold = tmp_path / "gold" / "w-901" / "out.db"
    gold.parent.mkdir(parents=True)
    with closing(sqlite3.connect(gold)) as database:
        database.executescript(
            "CREATE TABLE a (x INTEGER, y TEXT); INSERT INTO a VALUES (1, 'p'), (2, 'q');"
            "CREATE TABLE b (z REAL); INSERT INTO b VALUES (0.5);"
        )
    (tmp_path / "source" / "w-901").mkdir(parents=True)
    (tmp_path / "source" / "w-901" / "in.csv").write_text("x,y\n2,q\n1,p\n")
    options = {"condition_tabs": ["a", "b"], "condition_cols": [[], []], "ignore_order": [True, True]}
    rule = {"id": "w-901", "func": ["compare_sqlite"], "result": [{"file": ["out.db"]}], "options": [options]}
    written(tmp_path / "eval.jsonl", rule)
    task = {"id": "w-901", "type": "Data", "instruction": "Write out.db.", "hardness": "Easy", "post_process": []}
    [case] = load_cases(written(tmp_path / "tasks.jsonl", task)).cases
    code = "import sqlite3\nd = sqlite3.connect('out.db')\npd.read_csv('in.csv').to_sql('a', d, index=False)\n"
    code += "pd.DataFrame({'z': [0.5]}).to_sql('b', d, index=False)\nd.commit()\nd.close()"
    right = answered(case, code).correctness
    assert (right.passed, right.evidence["official"]) == (True, 1.0), right
    wrong = answered(case, code.replace("[0.5]", "[0.7]")).correctness
    assert (wrong.passed, wrong.evidence["official"]) == (False, 0.0)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not here")
def test_every_gold_table_of_dacode_is_right_by_both_rules() -> None:
    rules = [json.loads(line) for line in (SHARED / "da_code" / "eval_all.jsonl").read_text().splitlines()]
    tried = 0
    for rule in rules:
        if rule["func"] != ["compare_csv"] or len(rule["result"]) > 1:
            continue
        gold = SHARED / "da_code" / "gold" / rule["id"] / rule["result"][0]["file"][0]
        if not gold.is_file():
            continue
        options = rule["options"][0]
        columns = dacode.gold_columns(str(gold), {})
        published = Published("dacode_csv", files=(str(gold),), options=options)
        found = judged_as_published(published, Outcome("ok", result=Table(len(columns[0].values), tuple(columns))))
        assert (found.passed, found.evidence["official"]) == (True, 1.0), rule["id"]
        tried += 1
    assert tried == 18


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not here")
def test_check_counts_what_of_dacode_cannot_run_here() -> None:
    loaded = load_cases(SHARED / "da_code" / "task_all.jsonl")
    counts = [problem.message.split(":")[1].split()[0] for problem in loaded.problems]
    assert sum(map(int, counts)) + len(loaded.cases) == 500
    assert {problem.message.partition("left out: ")[2].partition(" (")[0] for problem in loaded.problems} == {
        "its gold is not in this copy",
        "its source tables are not here",
    }


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not here")
def test_every_gold_plot_of_dacode_against_itself_is_right() -> None:
    folders = sorted((SHARED / "da_code" / "gold").glob("plot-*"))
    assert len(folders) == 10
    for folder in folders:
        gold = plot_gold(folder, ["graph_title", "x_label", "y_label", "labels"])
        assert isinstance(gold, PlotGold), folder.name
        [panel] = gold.panels
        drawn = Panel(
            tuple(Series(panel.type[0], one.points, one.name) for one in panel.series),
            title=panel.title.equal[0] if panel.title else "",
            x_label=panel.x_label.equal[0] if panel.x_label else "",
            y_label=panel.y_label.equal[0] if panel.y_label else "",
            legend=panel.legend if isinstance(panel.legend, tuple) else None,
        )
        verdict = verdict_of(gold, [Figure("matplotlib", (drawn,))], Options().compare_options())
        assert verdict.score == 1.0, (folder.name, verdict)
        wrong = msgspec.structs.replace(drawn, series=tuple(_worse(one) for one in drawn.series))
        assert verdict_of(gold, [Figure("matplotlib", (wrong,))], Options().compare_options()).score < 1.0


def _worse(series: Series) -> Series:
    """The values at other places."""
    values = [point[1:] for point in series.points]
    moved = [*values[1:], values[0]]
    points = tuple((point[0], *value) for point, value in zip(series.points, moved, strict=True))
    return msgspec.structs.replace(series, points=points)


def test_a_plot_of_dacode_is_drawn_and_judged(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    pytest.importorskip("matplotlib")
    file = _dacode(tmp_path)
    folder = tmp_path / "gold" / "plot-bar-901"
    folder.mkdir()
    about = {"type": "bar", "graph_title": "Sales", "x_label": "name", "xtick_labels": ["a", "b"], "ytick_labels": []}
    (folder / "plot.json").write_text(json.dumps(about))
    numpy.save(folder / "result.npy", numpy.array([[5.0, 2.0]]))
    (tmp_path / "source" / "plot-bar-901").mkdir()
    (tmp_path / "source" / "plot-bar-901" / "sales.csv").write_text("name,n\na,2\na,3\nb,2\n")
    case = next(one for one in load_cases(file).cases if one.id == "plot-bar-901")
    code = (
        "import matplotlib.pyplot as plt\ns = sales.groupby('name').n.sum()\nplt.bar(s.index, s)\nplt.savefig('p.png')"
    )
    assert answered(case, code).correctness.passed
    swapped = answered(case, code.replace("plt.bar(s.index, s)", "plt.bar(s.index, s[::-1])")).correctness
    assert (swapped.passed, swapped.reason) == (False, "plot_data")


def test_pandasplotbench_is_held_against_what_its_own_code_draws(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    row = {
        "id": 7,
        "code_data": 'import pandas as pd\ndf = pd.read_csv("data.csv")\n',
        "code_plot": "import matplotlib.pyplot as plt\nplt.bar(df['name'], df['n'])\nplt.show()\n",
        "data_csv": "name,n\na,5\nb,2\n",
        "task__plot_description": "Plot Description: A bar for each name.",
        "task__plot_style": "Plot Style Description: Plain.",
        "plots_gt": [],
    }
    [case] = load_cases(written(tmp_path / "plots.jsonl", row)).cases
    assert case.id == "7"
    right = answered(
        case, "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.bar(df.name, df.n, color='red')"
    )
    assert right.correctness.passed, right.correctness
    line = answered(case, "import matplotlib.pyplot as plt\nplt.plot(df.name, df.n)").correctness
    assert (line.passed, line.reason) == (False, "plot_type")
    none = answered(case, "x = df.n.sum()").correctness
    assert (none.passed, none.reason) == (False, "no_plot")


def test_viseval_has_a_case_for_each_question_and_checks_type_data_and_order(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "databases" / "shop").mkdir(parents=True)
    (tmp_path / "databases" / "shop" / "sales.csv").write_text("name,n\na,2\nb,5\n")
    shown = {"chart": "bar", "x_name": "name", "y_name": "n", "x_data": [["b", "a"]], "y_data": [[5, 2]]}
    entry = {
        "chart": "Bar",
        "hardness": "Easy",
        "db_id": "shop",
        "vis_obj": {**shown, "classify": [], "describe": "", "sort": {"channel": "y", "order": "descending"}},
        "nl_queries": ["Bars of n for each name, from high to low.", "Draw n by name, descending."],
    }
    other = {**entry, "db_id": "elsewhere"}
    (tmp_path / "visEval.json").write_text(json.dumps({"8": entry, "9": other}))
    loaded = load_cases(tmp_path / "visEval.json")
    assert [case.id for case in loaded.cases] == ["8/1", "8/2"]
    assert "1 task left out: its database is not here" in loaded.problems[0].message
    code = "import matplotlib.pyplot as plt\ns = sales.sort_values('n', ascending=False)\nplt.bar(s.name, s.n)"
    assert answered(loaded.cases[0], code).correctness.passed
    unsorted = answered(loaded.cases[0], code.replace(", ascending=False", "")).correctness
    assert (unsorted.passed, unsorted.reason) == (False, "plot_order")


@pytest.mark.parametrize(
    ("x", "sort", "order", "places"),
    [
        (["b", "a", "c"], None, None, ["b", "a", "c"]),
        (["b", "a", "c"], {"channel": "y", "order": "descending"}, "descending", ["b", "a", "c"]),
        (["b", "a", "c"], {"channel": "x", "order": "ascending"}, "x", ["b", "a", "c"]),
        (["b", "a", "c"], {"channel": "x", "order": "descending"}, "given", ["c", "b", "a"]),
        (
            ["Tue", "Sun", "Mon"],
            {"channel": "x", "order": ["Mon", "Tue", "Wed", "Sun"]},
            "given",
            ["Mon", "Tue", "Sun"],
        ),
        (["Tue", "Sun", "Mon"], {"channel": "x", "order": ["Mon", "Tue"]}, None, ["Tue", "Sun", "Mon"]),
        ([3, 1, 2], {"channel": "x", "order": "descending"}, None, [3, 1, 2]),
    ],
)
def test_orders_of_viseval(tmp_path: Path, x: list[Any], sort: Any, order: str | None, places: list[Any]) -> None:
    (tmp_path / "databases" / "d").mkdir(parents=True)
    (tmp_path / "databases" / "d" / "t.csv").write_text("day,n\nMon,1\n")
    shown = {"chart": "bar", "x_data": [x], "y_data": [[1, 2, 3]], "classify": [], "sort": sort}
    meta = [{"channel_specified": ["x"]}, {"channel_specified": [], "stacked_bar": True}]
    entry = {"nl_queries": ["One.", "Two."], "query_meta": meta, "db_id": "d", "chart": "Bar", "vis_obj": shown}
    (tmp_path / "visEval.json").write_text(json.dumps({"8@y_name@ASC": {**entry, "hardness": "Easy"}}))
    cases = load_cases(tmp_path / "visEval.json").cases
    assert [case.id for case in cases] == ["8@y_name@ASC/1", "8@y_name@ASC/2"]
    plots = [case.conversation[1].target.expected.plot for case in cases]  # type: ignore[union-attr]  # all have one
    panels = [plot.panels[0] for plot in plots if plot is not None]
    assert [panel.stacked for panel in panels] == [None, True]
    assert {panel.order for panel in panels} == {order}
    assert [point[0] for point in panels[0].series[0].points] == places


def test_a_published_answer_survives_storing() -> None:
    task = Task(files=("a",), expected=None, libs=("x",))
    assert msgspec.json.decode(msgspec.json.encode(task), type=Task) == task


def test_subtasks_of_kramabench_are_steps_and_the_question_is_the_last(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "water.csv").write_text("beach,n\na,1\nb,2\n")
    (tmp_path / "data" / "notes.txt").write_text("b is closed\n")
    row = {
        "id": "e-1",
        "query": "How many in all?",
        "answer": 3,
        "answer_type": "numeric_exact",
        "data_sources": ["water.csv", "notes.txt"],
        "subtasks": [
            {"id": "e-1-1", "query": "Which beaches?", "answer": ["a", "b"], "answer_type": "list_exact"},
            {"id": "e-1-2", "query": "Which is closed?", "answer": "b", "answer_type": "string_exact"},
        ],
    }
    [case] = load_cases(written(tmp_path / "tasks.jsonl", row)).cases
    codes = ["names = list(water.beach)\nresult = names", "result = open('notes.txt').read()[0]", "result = 4"]
    response = join_attempts([code.encode() for code in codes])
    found = compare(case, 0, Prediction(case.id, response=response), QUICK)
    assert found.session is not None
    assert [step.state for step in found.session.steps] == ["right", "right", "wrong"]
    assert not found.correctness.passed
    whole = answered(case, "result = water.n.sum()")
    assert whole.correctness.passed
