"""The figures of the public evaluators for one prediction, from the same executions as the strict verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from karat.suites.answers.records import Queries
from karat.suites.answers.text_to_sql.official import bird, defog, spider
from karat.suites.answers.text_to_sql.running.execution import Ran

Run = Callable[[str], Ran]
Match = tuple[int, str, str]
"""The id of what ran them, and two texts."""


class Figures(msgspec.Struct, frozen=True, omit_defaults=True):
    """None: not computed."""

    bird_ex: float | None = None
    bird_f1: float | None = None
    spider_exec: float | None = None
    spider_suite: float | None = None
    defog_exact: float | None = None
    defog_correct: float | None = None


NONE_RIGHT = Figures(0.0, 0.0, 0.0, None, 0.0, 0.0)
ALL_RIGHT = Figures(1.0, 1.0, 1.0, None, 1.0, 1.0)


def figures(
    queries: Queries, question: str, sql: str, run: Run, suite: Sequence[Run], same: dict[Match, bool | None]
) -> Figures:
    """Every figure for one predicted text. ``run`` executes on the question's database, each of ``suite`` on one file
    of its test suite. ``same``: what is known of Spider's texts already."""
    first = queries.sql[0]
    gold, given = run(first), run(sql)
    spider_exec = _spider(first, sql, (run,), same)
    spider_suite = _spider(first, sql, suite, same) if suite else None
    ex = f1 = None
    if gold.result is not None:
        readable = given.result is not None and not gold.broken and not given.broken
        ex, f1 = bird.figures(gold.rows, given.rows) if readable else (0.0, 0.0)
    exact, correct = _defog(queries, question, sql, given, run)
    return Figures(ex, f1, spider_exec, spider_suite, exact, correct)


def _spider(gold: str, sql: str, suite: Sequence[Run], same: dict[Match, bool | None]) -> float | None:
    """All databases must pass. A gold that fails ends that code, so there is no figure then."""
    text, predicted = spider.gold_text(gold), spider.prediction_text(sql)
    for run in suite:
        found = spider_match(run, text, predicted, same)
        if not found:
            return None if found is None else 0.0
    return 1.0


def spider_match(run: Run, gold: str, given: str, same: dict[Match, bool | None]) -> bool | None:
    """Whether two texts, as Spider runs them, give the same on one database; None where gold fails there."""
    key = (id(run), gold, given)
    if key not in same:
        expected, found = run(gold), run(given)
        ordered = spider.order_matters(gold)
        match = found.result is not None and spider.same_result(expected.rows, found.rows, ordered=ordered)
        same[key] = match if expected.result is not None else None
    return same[key]


def _defog(queries: Queries, question: str, sql: str, given: Ran, run: Run) -> tuple[float, float] | tuple[None, None]:
    whole = queries.written or ";".join(queries.sql)
    golds = [defog.Frame(ran.names, ran.rows, whole) for one in queries.sql if (ran := run(one)).result is not None]
    if not golds:
        return None, None
    if given.result is None or given.broken or any(run(one).broken for one in queries.sql):
        return 0.0, 0.0
    exact, correct = defog.verdicts(golds, defog.Frame(given.names, given.rows, sql), question, queries.category)
    return float(exact), float(correct)
