"""Sessions, judged in the real sandbox: the figures by hand, what happens after a failure, budgets, review."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from karat.core.records import Case, Prediction, Turn, join_attempts
from karat.core.suite import NotApplicable, Unreadable
from karat.suites.codegen.cases import load_cases
from karat.suites.codegen.comparison import Comparison
from karat.suites.codegen.details import details
from karat.suites.codegen.explain import explain
from karat.suites.codegen.metrics import METRICS
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Expected, HiddenTest, Step, TableSource, Task
from karat.suites.codegen.steps.compare import compare

QUICK = Options(performance=False, perturb="no", relations="no")
SALES: dict[str, list[Any]] = {"price": [10, 20, None, 30], "region": ["N", "S", "N", "S"]}
TASK = Task(
    tables={"sales": TableSource(columns=SALES)},
    steps=(
        Step("Drop rows without a price.", reference="clean = sales.dropna(subset=['price'])\nresult = clean"),
        Step("Keep prices of at least 20.", reference="high = clean[clean.price >= 20]\nresult = high"),
        Step("What is the total price of those?", reference="total = high.price.sum()\nresult = total"),
        Step("How many are there?", Expected(value=2), reference="len(high)"),
    ),
)
RIGHT = tuple(step.reference for step in TASK.steps)
SECOND_WRONG = (RIGHT[0], "high = clean[clean.price > 20]\nhigh", "result = high.price.sum()", "result = len(high)")


def judge(*codes: str | None, task: Task = TASK, options: Options = QUICK, **figures: Any) -> Comparison:
    response = join_attempts([(code or "").encode() for code in codes])
    answer = msgspec.structs.replace(Prediction("s", response=response), **figures)
    return compare(Case("s", (Turn("user", "first", task),)), 0, answer, options)


def scores(found: Comparison) -> dict[str, float | None]:
    wanted = ("passed", "steps", "steps_alone", "first_wrong_step")
    return {metric.name: metric.score(found).value for metric in METRICS if metric.name in wanted}


def states(found: Comparison) -> list[str]:
    assert found.session is not None
    return [step.state for step in found.session.steps]


def test_by_hand_one_mistake_is_one_mistake_and_not_three() -> None:
    found = judge(*SECOND_WRONG)
    assert scores(found) == {"passed": 0.0, "steps": 0.25, "steps_alone": 0.75, "first_wrong_step": 2.0}
    assert states(found) == ["right", "wrong", "wrong", "wrong"]


def test_all_right() -> None:
    found = judge(*RIGHT)
    assert scores(found) == {"passed": 1.0, "steps": 1.0, "steps_alone": 1.0, "first_wrong_step": None}
    assert found.overall.left_out == {
        "performance": "not measured in a session",
        "recovery": "a session has no repairs",
    }


def test_final_names_the_steps_that_decide() -> None:
    for final, passed in (((1,), 1.0), ((1, 2), 0.0), ((4,), 0.0)):
        task = msgspec.structs.replace(TASK, final=final)
        assert scores(judge(*SECOND_WRONG, task=task))["passed"] == passed, final


def test_a_step_after_a_crash_runs_from_the_last_good_state() -> None:
    found = judge(
        RIGHT[0], "high = clean\n1 / 0", "high = clean[clean.price >= 20]\nresult = high.price.sum()", "len(high)"
    )
    assert states(found) == ["right", "wrong", "right", "right"]
    assert scores(found) == {"passed": 1.0, "steps": 0.75, "steps_alone": 0.75, "first_wrong_step": 2.0}


def test_a_name_that_an_earlier_step_should_have_set() -> None:
    found = judge(RIGHT[0], "1 / 0", "result = high.price.sum()", "result = unheard_of")
    assert found.session is not None
    assert [step.reason for step in found.session.steps] == ["", "did_not_run", "state_missing", "did_not_run"]
    assert found.session.steps[2].trouble.startswith("the name high is not there")
    assert [step.alone for step in found.session.steps] == ["right", "wrong", "right", "wrong"]


def test_steps_that_were_not_answered_are_missing_and_not_wrong() -> None:
    found = judge(RIGHT[0], None, RIGHT[1])
    assert states(found) == ["right", "missing", "wrong", "missing"]
    assert scores(found) == {"passed": 0.0, "steps": 0.25, "steps_alone": 0.25, "first_wrong_step": 3.0}
    assert found.correctness.reason == "missing"


@pytest.mark.parametrize(
    ("options", "figures", "reason"),
    [
        ({"max_calls": 2}, {}, "max_calls"),
        ({"max_tokens": 100}, {"tokens": 120}, "max_tokens"),
        ({"max_cost": 0.5}, {"cost": 0.5}, "max_cost"),
        ({"max_tokens": 100}, {"tokens": 20}, "missing"),
        ({"max_tokens": 100}, {}, "missing"),
    ],
)
def test_the_budget_that_ran_out_is_the_reason(options: dict[str, Any], figures: dict[str, Any], reason: str) -> None:
    found = judge(*RIGHT[:2], options=msgspec.structs.replace(QUICK, **options), **figures)
    assert found.session is not None
    assert [step.reason for step in found.session.steps] == ["", "", reason, reason]
    assert (scores(found)["first_wrong_step"], found.correctness.reason) == (None, reason)


def test_the_time_of_all_steps_together_is_limited() -> None:
    slow = "import time\ntime.sleep(0.6)\n"
    options = msgspec.structs.replace(QUICK, session_timeout=1.0)
    found = judge(slow + RIGHT[0], slow + RIGHT[1], RIGHT[2], RIGHT[3], options=options)
    assert states(found) == ["right", "missing", "missing", "missing"]
    assert found.session is not None and found.session.ran_out == "session_timeout"
    assert scores(found) == {"passed": 0.0, "steps": 0.25, "steps_alone": 0.25, "first_wrong_step": None}


def test_a_step_has_its_own_timeout_which_makes_it_wrong() -> None:
    steps = (msgspec.structs.replace(TASK.steps[0], timeout=0.3), *TASK.steps[1:])
    found = judge("while True: pass", *RIGHT[1:], task=msgspec.structs.replace(TASK, steps=steps))
    assert states(found)[0] == "wrong"
    assert found.session is not None and found.session.ran_out == ""


def test_without_a_reference_for_every_step_nothing_is_known_of_steps_alone() -> None:
    steps = (*TASK.steps[:3], Step("How many are there?", Expected(value=2)))
    found = judge(*SECOND_WRONG, task=msgspec.structs.replace(TASK, steps=steps))
    assert scores(found)["steps"] == 0.25 and scores(found)["steps_alone"] is None


def test_tests_of_a_step_see_its_result() -> None:
    checks = (HiddenTest(assertion="result > 40"), HiddenTest(assertion="result == 50"))
    steps = (*TASK.steps[:2], Step("What is the total price of those?", tests=checks))
    task = msgspec.structs.replace(TASK, steps=steps)
    assert states(judge(*RIGHT[:3], task=task)) == ["right", "right", "right"]
    assert states(judge(*SECOND_WRONG[:3], task=task)) == ["right", "wrong", "wrong"]


def test_code_that_fits_these_tables_only_is_found_in_a_step_too() -> None:
    found = judge(*RIGHT[:2], "result = 50.0", RIGHT[3], options=msgspec.structs.replace(QUICK, perturb="quick"))
    assert states(found) == ["right", "right", "wrong", "right"]
    assert found.session is not None and found.session.steps[2].reason == "only_fits_this_data"


def test_a_replay_with_other_results_needs_review() -> None:
    thread = "import threading, os\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    first = (
        f"{thread}clean = sales.dropna(subset=['price']).sample(frac=1, random_state=os.urandom(1)[0])\nresult = clean"
    )
    found = judge(
        first.replace("result = clean", "print(os.urandom(9))\nresult = clean.assign(x=os.urandom(9).hex())"),
        *RIGHT[1:],
    )
    assert found.session is not None
    assert [step.state for step in found.session.steps][1:] == ["review"] * 3
    assert found.session.steps[1].reason == "not_repeatable" and found.session.steps[1].replayed
    assert scores(found)["steps"] is None and scores(found)["passed"] is None
    assert explain(details([(0, found)]), TASK).outcome == "needs_review"


def test_what_the_setup_makes_is_there_for_every_step() -> None:
    task = Task(
        setup="base = 5", steps=(Step("Double it.", Expected(value=10)), Step("And add one.", Expected(value=11)))
    )
    assert states(judge("x = base * 2\nresult = x", "result = x + base - 4", task=task)) == ["right", "right"]


def test_an_answer_without_code_is_a_wrong_step() -> None:
    found = judge(RIGHT[0], "I am sorry, I cannot help with that.", RIGHT[1], RIGHT[3])
    assert states(found)[:2] == ["right", "wrong"]
    assert found.session is not None and "no code in the response" in found.session.steps[1].error


def test_more_answers_than_steps_cannot_be_read() -> None:
    with pytest.raises(Unreadable, match="5 answers to 4 steps"):
        judge(*RIGHT, "1")


def test_steps_that_cannot_be_put_one_after_the_other_are_tried_on_changed_tables_too() -> None:
    """``from __future__`` must be the first line of a program, and ``exit`` ends it."""
    steps = (
        Step("How many rows have a price?", reference="clean = sales.dropna(subset=['price'])\nresult = len(clean)"),
        Step("What is their total?", reference="from __future__ import annotations\nresult = float(clean.price.sum())"),
    )
    task = msgspec.structs.replace(TASK, steps=steps)
    first = "clean = sales.dropna(subset=['price'])\nresult = len(clean)\nif result:\n    exit()"
    second = "from __future__ import (\n    annotations,\n)\nresult = float(clean.price.sum())"
    options = msgspec.structs.replace(QUICK, perturb="quick")
    found = judge(first, second, task=task, options=options)
    assert states(found) == ["right", "right"]
    assert found.correctness.perturbed is not None and found.correctness.perturbed.telling > 0
    assert states(judge(first, "result = 60.0", task=task, options=options)) == ["right", "wrong"]


def test_a_reference_that_fails_speaks_against_the_task() -> None:
    steps = (TASK.steps[0], Step("Keep some.", reference="result = nowhere"), *TASK.steps[2:])
    with pytest.raises(NotApplicable, match="gold_error"):
        judge(*RIGHT, task=msgspec.structs.replace(TASK, steps=steps))


def test_a_step_can_be_judged_by_its_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "tasks.yaml"
    file.write_text(
        "- id: s\n  tables: {sales: {region: [N, S], price: [5, 3]}}\n  steps:\n"
        "    - {question: Sum by region., reference: 'result = sales.groupby(\"region\").price.sum()'}\n"
        "    - {question: Draw it as bars., plot: {type: bar, series: [{x: [N, S], y: [5, 3]}]}}\n"
    )
    (case,) = load_cases(file).cases
    task: Any = case.conversation[1].target
    first = (
        "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nsums = sales.groupby('region').price.sum()\nresult = sums"
    )
    for second, state in (("plt.bar(sums.index, sums)", "right"), ("plt.bar(sums.index, sums * 2)", "wrong")):
        found = judge(first, second, task=task)
        assert states(found) == ["right", state], found.session


def test_a_step_can_be_judged_by_the_file_that_it_writes(tmp_path: Path) -> None:
    file = tmp_path / "tasks.yaml"
    file.write_text(
        "- id: s\n  tables: {sales: {region: [N, S], price: [5, 3]}}\n  steps:\n"
        "    - {question: Keep those above 4., reference: 'kept = sales[sales.price > 4]; result = kept'}\n"
        "    - {question: Save them as out.csv., expected: {files: {out.csv: {table: {region: [N], price: [5]}}}}}\n"
    )
    (case,) = load_cases(file).cases
    task: Any = case.conversation[1].target
    first = "kept = sales[sales.price > 4]\nresult = kept"
    for second, state in (
        ("kept.to_csv('out.csv', index=False)", "right"),
        ("sales.to_csv('out.csv', index=False)", "wrong"),
        ("kept.to_csv('other.csv')", "wrong"),
    ):
        assert states(judge(first, second, task=task)) == ["right", state], second
