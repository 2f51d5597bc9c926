"""``bird_ex``, ``bird_f1``, ``spider_exec``, ``spider_suite``, ``defog_exact``, ``defog_correct``: what the public
evaluators of text-to-SQL say, from :mod:`karat.suites.answers.text_to_sql.official`.

Only where gold is SQL. A prediction that is missing, fails or is no query has 0; gold that fails has none of them.

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
        return not_applicable("gold is no SQL")
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
