"""Where the question asks for a precision, or the reference rounds, the digits must agree: code that does nothing never
passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.suites.codegen.metrics.correctness import Correctness
from karat.suites.codegen.options import Options
from karat.suites.codegen.question.reading import read_question
from karat.suites.codegen.records import Expected, Schema, TableSource, Task
from karat.suites.codegen.results.precision import rounds
from karat.tables.options import Normalise
from tests.suites.codegen.tasks import QUICK, judge_code

SCHEMA = Schema({"df": ("price", "round", "city")})


@pytest.mark.parametrize(
    "question",
    [
        "average price rounded to 2 decimals",
        "the price to two decimal places",
        "mean price to the nearest integer",
        "mean price with 3 significant figures",
        "Give it with one decimal.",
        "prices to the nearest 10",
        "the mean, format as .2f",
        "the price at 2 d.p.",
        "Round the mean price to the nearest thousand",
        "no decimals please",
        "keep 2 digits after the decimal point",
        "do not round",
        "correct to the nearest cent",
        "the share in whole percent",
    ],
)
def test_questions_that_ask_for_a_precision(question: str) -> None:
    assert read_question(question, Schema({"df": ("price", "city")})).precision


@pytest.mark.parametrize(
    "question",
    [
        "the city nearest to Rome",
        "distance to the nearest city",
        "winner of round 2",
        "average price by round",
        "a round trip",
        "Which model has the best precision?",
        "convert the decimal column",
        "top 10% of prices",
    ],
)
def test_questions_that_do_not(question: str) -> None:
    assert not read_question(question, SCHEMA).precision


@pytest.mark.parametrize(
    ("code", "does"),
    [
        ("result = df.x.mean().round(2)", True),
        ("result = round(x, 2)", True),
        ("np.round(df)", True),
        ("df.x.map('{:.2f}'.format)", True),
        ("f'{x:,.1f}'", True),
        ("f'{x:.{n}f}'", True),
        ("'%.3f' % x", True),
        ("format(x, '.2f')", True),
        ("Decimal(x).quantize(Decimal('0.01'))", True),
        ("df.x.apply(np.floor)", True),
        ("df.agg('round')", True),
        ("result = int(df.x.mean())", True),
        ("result = df.x.astype('int64')", True),
        ("n = int(3.2)\nresult = df.head(n)", False),
        ("df.day.dt.round('h')", False),
        ("f'{x:>10}'", False),
        ("f'{day:%Y-%m}'", False),
        ("df.x.mean()", False),
        ("result = (", False),
    ],
)
def test_references_that_round(code: str, does: bool) -> None:
    assert rounds(code) is does


TABLES = {"df": TableSource(columns={"x": [1234.5612, 0.12345, 99.99901], "id": [1, 2, 3]})}


def word(code: str, question: str, task: Task, options: Options = QUICK) -> Correctness:
    return judge_code(code, question=question, task=task, options=options).correctness


def test_code_that_does_nothing_never_passes_a_rounding_task() -> None:
    task = Task(tables=TABLES, reference="result = df.round(2)")
    assert word("result = df.round(2)", "Do it.", task).passed
    idle = word("result = df", "Do it.", task)
    assert (idle.passed, idle.reason) == (False, "rounding")
    assert not word("result = df.round(3)", "Do it.", task).passed
    assert word("result = df", "Do it.", task, Options(performance=False, asked_digits=False)).passed


def test_the_question_decides_too() -> None:
    task = Task(tables=TABLES, expected=Expected(value=1234.56))
    assert word("result = df.x.max()", "What is the largest x?", task).passed
    asked = "What is the largest x, rounded to 2 decimals?"
    assert not word("result = df.x.max()", asked, task).passed
    assert word("result = df.x.max().round(2)", asked, task).passed
    assert word("result = 0.1 + 1234.46 + 0 * df.x.sum()", asked, task).passed  # noise of floats
    figures = Task(tables=TABLES, expected=Expected(named={"largest": "1234.56"}))
    assert word("result = {'largest': df.x.max()}", "What is the largest x?", figures).passed
    assert not word("result = {'largest': df.x.max()}", asked, figures).passed


def test_a_setup_that_the_reference_only_rounds_is_a_task() -> None:
    setup = "df = pd.DataFrame({'a': [1234.5612, 7.25001]})"
    task = Task(setup=setup, reference="df = df.round(2)", answer="df")
    assert word("df = df.round(2)", "Do it.", task).passed
    assert not word("pass", "Do it.", task).passed


@pytest.mark.parametrize(
    ("expected", "code", "passes"),
    [
        (20240128, "result = 20240101", False),
        (30000, "result = 30000.0000001", True),
        (30000, "result = 30000.0", True),
        ("100001", "result = '100002'", False),
        (9007199254740993, "result = 9007199254740992", False),
        (2**70 + 1, "result = 2**70", False),
        (2**70, "result = 2**70", True),
        ([12213, 0.5], "result = [12212, 0.5]", False),
        ([[1, [729999, 0.1234]], [2, []]], "result = [[1, [729999, 0.12]], [2, []]]", True),
        ([[1, [729999, 0.1234]], [2, []]], "result = [[1, [729980, 0.1234]], [2, []]]", False),
        ({"a": {"p": 0.0049}}, "result = {'a': {'p': 0.0}}", False),
        ({"a": {"p": 0.1234}}, "result = {'a': {'p': 0.12}}", True),
        (0.4335, "result = '43.35%'", True),
        (0.4335, "result = '0.4335%'", False),
        ("Zu\u0308rich", "result = 'Z\u00fcrich'", True),
        (["Zu\u0308rich", ["Zu\u0308rich"]], "result = ['Z\u00fcrich', ['Z\u00fcrich']]", True),
    ],
)
def test_the_rules_for_values(expected: object, code: str, passes: bool) -> None:
    task = Task(expected=Expected(value=expected))
    assert word(code, "What is it?", task).passed is passes


def test_big_whole_numbers_beside_blanks_keep_their_digits(tmp_path: Path) -> None:
    ids = [9007199254740993, None, 9007199254740995]
    (tmp_path / "t.csv").write_text("id,x\n9007199254740993,1\n,2\n9007199254740995,3\n")
    for source in (TableSource(path=str(tmp_path / "t.csv")), TableSource(columns={"id": ids, "x": [1, 2, 3]})):
        task = Task(tables={"df": source}, expected=Expected(value=[9007199254740993, 9007199254740995]))
        assert word("result = df.id.dropna()", "Which ids?", task).passed
        assert not word("result = df.id.dropna() - 1", "Which ids?", task).passed


def test_the_rules_are_options() -> None:
    task = Task(expected=Expected(value=20240128))
    loose = Options(performance=False, whole_numbers="tolerance")
    assert word("result = 20240101", "When?", task, loose).passed
    share = Task(expected=Expected(value=0.1234))
    strict = Options(performance=False, normalise=Normalise(rounding=False))
    assert word("result = 0.12", "What?", share).passed
    assert not word("result = 0.12", "What?", share, strict).passed
