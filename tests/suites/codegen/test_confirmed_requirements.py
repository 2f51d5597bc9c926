"""The reference is right by definition: what a question seems to ask for beyond it counts against nobody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from karat.suites.codegen import suite
from karat.suites.codegen.analysis.answer_facts import facts_of
from karat.suites.codegen.comparison import Comparison
from karat.suites.codegen.metrics.coverage import coverage_of
from karat.suites.codegen.metrics.requirements.matching import does_nothing
from karat.suites.codegen.metrics.understanding import understanding_of
from karat.suites.codegen.question.reading import read_question
from karat.suites.codegen.records import Schema, TableSource, Task
from karat.suites.codegen.running.references import schema_of
from karat.suites.codegen.running.sandbox_client import warm_box
from tests.suites.codegen.scored import understanding
from tests.suites.codegen.tasks import judge_code

ROOT = Path(__file__).parents[3]
LOANS = TableSource(
    columns={
        "loan": [1, 2, 3, 4, 5, 6],
        "member": ["ana", "bo", "ana", "cy", "bo", "dee"],
        "branch": ["North", "South", "South", "North", "North", "East"],
        "days": [12, 40, 33, 8, 51, 29],
        "fine": [0.0, 3.25, 1.5, 0.0, 6.0, 0.75],
    }
)
STAFF = TableSource(columns={"dept": ["ops", "ops", "it", "it", "hr"], "pay": [3000, 3600, 4100, 3900, 3300]})


def judged(code: str, question: str, reference: str = "", table: str = "loans") -> Comparison:
    source = {"loans": LOANS, "staff": STAFF}[table]
    return judge_code(code, question=question, task=Task(tables={table: source}, reference=reference or code))


def references_in(path: Path) -> Iterator[tuple[str, float, float]]:
    """Each reference that can be read, and what it has for understanding and coverage."""
    for case in suite.load_cases(path).cases:
        for turn in case.conversation:
            task = turn.target
            if task is None or not task.reference:
                continue
            schema, values = schema_of(warm_box(), task)
            asked = read_question(turn.content, schema, values=values)
            facts = facts_of(task, task.reference, schema)
            if not does_nothing(facts):
                understood = understanding_of(asked, facts, facts).understanding_score
                yield case.id, understood, coverage_of(asked, facts, facts).coverage_score


def test_every_reference_of_the_examples_has_all() -> None:
    found = list(references_in(ROOT / "examples" / "codegen" / "tasks.yaml"))
    assert len(found) >= 10 and [one for one in found if one[1:] != pytest.approx((1.0, 1.0))] == []


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("path", "least"), [("codegen2/flawed/tasks.jsonl", 34), ("codegen2/ds1000_pandas_part.jsonl", 117)]
)
def test_every_reference_of_the_shared_sets_has_all(shared: Path, path: str, least: int) -> None:
    found = list(references_in(shared / "data" / path))
    assert len(found) >= least and [one for one in found if one[1:] != pytest.approx((1.0, 1.0))] == []


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("What is the median pay?", "staff.pay.median()", "staff.pay.mean()"),
        ("What is the standard deviation of pay?", "staff.pay.std()", "staff.pay.mean()"),
        ("What is the variance of pay?", "staff.pay.var()", "staff.pay.std()"),
        ("What is the average pay?", "staff.pay.mean()", "staff.pay.median()"),
        ("What is the maximum pay?", "staff.pay.max()", "staff.pay.min()"),
    ],
)
def test_one_statistic_is_no_other(question: str, right: str, wrong: str) -> None:
    reference = f"result = {right}"
    assert judged(reference, question, table="staff").understanding.understanding_score == pytest.approx(1.0)
    found = judged(f"result = {wrong}", question, reference, table="staff").understanding
    assert found.details.statistical_understanding_score == 0
    assert found.understanding_score == pytest.approx(0.7)
    alone = understanding(question, f"result = {wrong}", Schema({"staff": ("dept", "pay")}))
    assert alone.understanding_score == pytest.approx(0.7)


def test_the_name_of_a_table_is_no_column() -> None:
    schema = schema_of(warm_box(), Task(tables={"loans": LOANS}))[0]
    assert read_question("How many loans lasted more than 30 days?", schema).columns == ("days",)
    assert read_question("List each loan and its days", schema).columns == ("loan", "days")
    found = judged("result = int((loans['days'] > 30).sum())", "How many loans lasted more than 30 days?")
    assert found.understanding.understanding_score == pytest.approx(1.0)


@pytest.mark.parametrize("words", ["highest first", "from highest to lowest", "largest total first"])
def test_which_end_comes_first_is_no_maximum(words: str) -> None:
    schema = schema_of(warm_box(), Task(tables={"staff": STAFF}))[0]
    assert read_question(f"What is the total pay by dept, {words}?", schema).statistics == ("sum", "groupby")
    assert "max" in read_question("What is the highest pay?", schema).statistics


def test_rows_as_records_keep_their_columns() -> None:
    code = "result = loans.nlargest(2, 'days')[['loan', 'days']].to_dict('records')"
    reference = "result = loans.nlargest(2, 'days')[['loan', 'days']]"
    found = judged(code, "List the two longest loans with loan number and days, longest first.", reference)
    assert found.facts.columns == ("loan", "days")
    assert found.understanding.understanding_score == pytest.approx(1.0)


def test_columns_that_the_reference_needs_are_never_too_much() -> None:
    code = "result = loans[loans.branch == 'North'].fine.sum()"
    found = judged(code, "How much is due on late returns up there?")
    assert found.understanding.understanding_score == pytest.approx(1.0)
    other = judged("result = loans.days.sum()", "What is the total fine?", "result = loans.fine.sum()")
    assert other.understanding.details.column_extraction_score == 0


def test_what_is_printed_is_looked_at() -> None:
    question = "What is the total fine by branch?"
    reference = "result = loans.groupby('branch').fine.sum()"
    printed = judged("print(loans.groupby('branch').fine.sum())", question, reference)
    assert printed.correctness.reason == "printed_not_returned"
    assert printed.coverage.coverage_score == printed.understanding.understanding_score == pytest.approx(1.0)
    half = judged("t = loans.groupby('branch')\nprint('totals')\nprint(t.fine.mean())", question, reference)
    assert half.coverage.details.groupby_columns_coverage == 1 and half.understanding.understanding_score < 1
    assert judged("print('no')", question, reference).coverage.coverage_score == 0


DRAWN = """import matplotlib.pyplot as plt
t = loans.groupby('branch')['fine'].sum()
fig, ax = plt.subplots()
t.plot.bar(ax=ax)
ax.set_ylabel('fine')
plt.title('Fines')
plt.show()
result = t
"""


def test_code_that_draws_is_not_dead_where_a_picture_is_asked_for() -> None:
    reference = "result = loans.groupby('branch')['fine'].sum()"
    asked = judged(DRAWN, "Plot the total fine by branch as a bar chart and return the totals.", reference)
    assert asked.correctness.passed and [loss for loss in asked.quality.lost if loss.rule in ("dead", "unused")] == []
    unasked = judged(DRAWN, "What is the total fine by branch?", reference)
    assert [loss.line for loss in unasked.quality.lost if loss.rule == "dead"]
    dead = DRAWN.replace("plt.show()", "other = loans.days.sum()")
    found = judged(dead, "Plot the total fine by branch and return the totals.", reference)
    assert [loss.line for loss in found.quality.lost if loss.rule == "dead"] == [7]


def test_a_picture_alone_is_no_table() -> None:
    reference = "result = loans.groupby('branch')['fine'].sum()"
    code = "import matplotlib.pyplot as plt\nax = loans.groupby('branch').fine.sum().plot.bar()\nplt.show()"
    found = judged(code, "Draw a bar chart of the fine by branch.", reference).correctness
    assert (found.passed, found.reason) == (False, "no_table")
