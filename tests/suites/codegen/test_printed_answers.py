"""Code that prints its answer in place of leaving it is told so; code that draws runs without a screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from karat.sandbox import Limits, Outcome, Sandbox
from karat.suites.codegen.comparison import Comparison, judged
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Expected, TableSource, Task, Unfinished
from karat.suites.codegen.repair.prompt import repair_prompt
from karat.suites.codegen.running.references import schema_of
from tests.suites.codegen.problems import BODY, problem

TASK = Task(tables={"df": TableSource(columns={"price": [1, 2, 4]})}, expected=Expected(value=7))
ADVICE = "the answer was printed, not returned: assign it to `result`"
DRAW = "import matplotlib.pyplot as plt\nplt.bar(['a', 'b'], [1, 2])\nplt.savefig('a.png')\nplt.show()\n"


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        yield opened


def tried(box: Sandbox, code: str, task: Task = TASK) -> Comparison:
    return judged("What is the total price?", task, [code], Options(performance=False), box)


@pytest.mark.parametrize(
    "code",
    ["print(df.price.sum())", "total = df.price.sum()\nprint(f'The total is "
                              "{total}')", "for x in [df.price.sum()]:\n    print(x)",
     "def f():\n    print(df.price.sum())\nf()", "import sys\nsys.stdout.write(str(df.price.sum()))\nx = 1",
     "import sys\nsys.stdout.write(str(df.price.sum()))"],
)  # fmt: skip
def test_a_printed_answer_is_told(box: Sandbox, code: str) -> None:
    found = tried(box, code)
    assert (found.last.ran, found.last.error, found.last.printed) == (False, ADVICE, True)
    assert (found.correctness.score, found.correctness.reason) == (0.0, "printed_not_returned")
    assert found.correctness.evidence["problem"] == ADVICE
    assert ADVICE in repair_prompt("What?", TASK, schema_of(box, TASK)[0], found.last, Outcome("no_result"))


@pytest.mark.parametrize(
    "code",
    [
        "print(df.price.sum())\nresult = df.price.sum()",
        "print('on the way')\ndf.price.sum()",
        "result = df.price.sum()\nprint(result)",
    ],
)
def test_printing_beside_an_answer_is_free(box: Sandbox, code: str) -> None:
    found = tried(box, code)
    assert (found.correctness.passed, found.last.printed) == (True, False)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("x = 7", "left no result"),
        ("raise ValueError(3)", "ValueError: 3"),
        ("print(1)\nresult = x", "NameError: name 'x' is not defined"),
    ],
)
def test_other_ends_are_told_as_before(box: Sandbox, code: str, error: str) -> None:
    found = tried(box, code)
    assert (found.last.error, found.last.printed, found.correctness.reason) == (error, False, "did_not_run")


def test_a_wrong_result_beside_output_is_wrong_and_nothing_else(box: Sandbox) -> None:
    found = tried(box, "print(7)\nresult = 3")
    assert (found.last.ran, found.last.printed, found.correctness.passed) == (True, False, False)
    assert found.correctness.reason != "printed_not_returned"


def test_another_name_for_the_answer(box: Sandbox) -> None:
    task = Task(
        reference="kept = df[df.n > 0]", setup="import pandas as pd\ndf = pd.DataFrame({'n': [1, 0]})", answer="kept"
    )
    found = tried(box, "print(df[df.n > 0])", task)
    assert found.last.error == "the answer was printed, not returned: assign it to `kept`"
    assert tried(box, "x = 1", task).last.error == "left no result: it does not set `kept`"


def test_functions_that_print(box: Sandbox) -> None:
    head = "def twice(n):\n"
    calls = Task(
        reference=f"{head}    return 2 * n",
        template="[insert]\nresult = [twice(1), twice(2)]",
        unfinished=Unfinished("", head, "twice"),
    )
    own_tests = problem(BODY, '    return frame[frame["a"] > least]')
    for task, code in ((calls, f"{head}    print(2 * n)"), (own_tests, "print(frame[frame.a > least])")):
        found = tried(box, code, task)
        assert (found.last.ran, found.correctness.reason) == (True, "printed_not_returned")
        assert found.correctness.evidence["problem"] == "the answer was printed, not returned: return it"


def test_printed_figures_are_an_answer_where_figures_are_asked_for(box: Sandbox) -> None:
    task = Task(tables=TASK.tables, expected=Expected(named={"total": "7"}))
    for code in ("print('@total[7]')", "print('@total[7]')\nx = 1", "import sys\nsys.stdout.write('@total[7]')"):
        assert tried(box, code, task).correctness.passed
    found = tried(box, "print('the total is 7')", task)
    assert (found.correctness.passed, found.correctness.reason) == (False, "printed_not_returned")


def test_code_that_draws_runs_without_a_screen(box: Sandbox) -> None:
    pytest.importorskip("matplotlib")
    for code in (
        f"{DRAW}result = df.price.sum()",
        "ax = df.price.plot(kind='bar')\nax.figure.canvas.draw()\nresult = int(df.price.sum())",
        "import importlib\nplots = importlib.import_module('mat' 'plotlib.py' "
        "'plot')\nplots.figure()\nplots.show()\nresult = df.price.sum()",
    ):
        found = tried(box, code)
        assert found.correctness.passed, (code, found.last)
    left = box.run(f"{DRAW}import os\nresult = [sorted(os.listdir('.')), plt.get_backend()]")
    assert left.result == [["a.png"], "Agg"]
    fresh = box.run("import os\nresult = [os.listdir('.'), os.listdir('..')]")
    assert fresh.result == [[], ["here"]]  # no fonts, no settings, no pictures of others


def test_the_font_cache_of_code_that_hides_that_it_draws_is_its_own() -> None:
    pytest.importorskip("matplotlib")
    with Sandbox() as fresh:
        hidden = (
            "p = __import__('mat' 'plotlib.py' 'plot', fromlist=['x'])\np.figure()\nimport os\nresult = os.listdir('.')"
        )
        assert fresh.run(hidden, limits=Limits(wall=60)).result == []
        assert fresh.run("import os\nresult = os.listdir('..')").result == ["here"]
