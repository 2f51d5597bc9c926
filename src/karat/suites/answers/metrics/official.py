"""What the public evaluators of text-to-SQL say about a predicted query.

``bird_ex``: execution accuracy of the BIRD benchmark. Both results are the same set of rows; repeated rows and the
order of rows do not count.

``bird_f1``: soft F1 of the BIRD benchmark. Rows are compared by their position, and cells within a row by their values.

``spider_exec``: execution match of Spider's evaluator. The rows are the same under some order of the columns.

``spider_suite``: execution match on every database of Spider's test suite, which tells a lucky query from a right one.

``defog_exact``: exact match of defog's evaluator. The data frames are equal, if need be after normalising them.

``defog_correct``: subset match of defog's evaluator. The frames are equal, or the answer contains every gold column.

Only if gold is SQL. A prediction that is missing, fails or is not a query has 0. If gold fails, there is no value.

By hand, for the test suite: on three databases of the suite, gold and the answer agree on two. ``spider_suite`` is 0:
they must agree on all of them.
"""

from __future__ import annotations

from functools import partial

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.suites.answers.comparison import Comparison

FORMULAS = {
    "bird_ex": ("BIRD EX", "the sets of rows are equal, columns in order"),
    "bird_f1": ("BIRD soft F1", "F1 of the cells that row i of gold and of the answer have in common"),
    "spider_exec": ("Spider execution", "the rows are equal under some order of the columns"),
    "spider_suite": ("Spider test suite", "Spider execution on every database of the test suite"),
    "defog_exact": ("defog exact", "the frames are equal, or equal once normalised, for any gold"),
    "defog_correct": ("defog correct", "exact, or each gold column is in the answer, for any gold"),
}


def score(name: str, comparison: Comparison) -> Score:
    if comparison.queries is None:
        return not_applicable("gold is not SQL")
    value: float | None = getattr(comparison.queries.figures, name)
    if value is None:
        return not_applicable(
            "no test suite was given" if name == "spider_suite" else "the gold fails in this evaluator"
        )
    return Score(value)


metrics = tuple(
    Metric(name, title, formula, partial(score, name), kind="share" if name == "bird_f1" else "rate")
    for name, (title, formula) in FORMULAS.items()
)
