"""Small tasks and short words for the tests of this folder."""

from __future__ import annotations

from typing import Any

from karat.core.records import Case, Turn
from karat.suites.codegen.comparison import Comparison, judged
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import TableSource, Task
from karat.suites.codegen.running.sandbox_client import warm_box

SALES: dict[str, list[Any]] = {
    "city": ["Rome", "Oslo", "Rome", "Oslo", "Bonn"],
    "price": [1.5, 2.0, 3.0, 4.0, 5.0],
    "units": [1, 2, 3, 4, 5],
}
MEANS = Task(
    tables={"sales": TableSource(columns=dict(SALES))}, reference='result = df.groupby("city")["price"].mean()'
)
QUESTION = "What is the average price by city?"
QUICK = Options(performance=False, perturb="no")


def judge_code(*codes: str, question: str = QUESTION, task: Task = MEANS, options: Options = QUICK) -> Comparison:
    """The judgement of a first try and its repairs, in the real sandbox."""
    return judged(question, task, list(codes), options, warm_box())


def case_of(task: Task, question: str = QUESTION) -> Case[Task]:
    return Case("one", (Turn("user", question, task),))
