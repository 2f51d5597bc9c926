"""The figures of the public evaluators for one prediction, from the same executions as the strict verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from karat.suites.answers.records import Queries
from karat.suites.answers.text_to_sql.execution import Ran
from karat.suites.answers.text_to_sql.official import bird, defog, spider

Run = Callable[[str], Ran]


class Figures(msgspec.Struct, frozen=True, omit_defaults=True):
    """None: not computed."""

    bird_ex: float | None = None
    bird_f1: float | None = None
    spider_exec: float | None = None
    spider_suite: float | None = None
    defog_exact: float | None = None
    defog_correct: float | None = None


NONE_RIGHT = Figures(0.0, 0.0, 0.0, None, 0.0, 0.0)


def figures(queries: Queries, question: str, sql: str, run: Run, suite: Sequence[Run]) -> Figures:
    """Every figure for one predicted text. ``run`` executes on the question's database, each of ``suite`` on one file
    of its test suite."""
    first = queries.sql[0]
    gold, given = run(first), run(sql)
    spider_exec = _spider(first, sql, (run,))
    spider_suite = _spider(first, sql, suite) if suite else None
    ex = f1 = None
    if gold.result is not None:
        ex, f1 = bird.figures(gold.rows, given.rows) if given.result is not None else (0.0, 0.0)
    exact, correct = _defog(queries, question, sql, given, run)
    return Figures(ex, f1, spider_exec, spider_suite, exact, correct)


def _spider(gold: str, sql: str, suite: Sequence[Run]) -> float | None:
    """All databases must pass. A gold that fails ends that code, so there is no figure then."""
    text, predicted = spider.gold_text(gold), spider.prediction_text(sql)
    ordered = spider.order_matters(text)
    for run in suite:
        expected = run(text)
        if expected.result is None:
            return None
        given = run(predicted)
        if given.result is None or not spider.same_result(expected.rows, given.rows, ordered=ordered):
            return 0.0
    return 1.0


def _defog(queries: Queries, question: str, sql: str, given: Ran, run: Run) -> tuple[float, float] | tuple[None, None]:
    whole = queries.written or ";".join(queries.sql)
    golds = [defog.Frame(ran.names, ran.rows, whole) for one in queries.sql if (ran := run(one)).result is not None]
    if not golds:
        return None, None
    if given.result is None or any(map(bird.has_broken_text, (given.rows, *(gold.rows for gold in golds)))):
        return 0.0, 0.0
    exact, correct = defog.verdicts(golds, defog.Frame(given.names, given.rows, sql), question, queries.category)
    return float(exact), float(correct)
