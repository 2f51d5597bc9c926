"""The queries of many cases run in a few messages, before the first of these cases is judged."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from karat.core.problems import UserError
from karat.core.records import Case, Prediction, default_turn
from karat.core.suite import Unreadable
from karat.suites.answers.options import Options
from karat.suites.answers.records import Answer, Gold, Queries
from karat.suites.answers.text_to_sql.files.sql_answer import sql_answer
from karat.suites.answers.text_to_sql.running.case_engine import (
    Bench,
    bench_for,
    first_queries,
    keep_ready,
    suite_queries,
)
from karat.suites.answers.text_to_sql.running.execution import Place
from karat.suites.answers.text_to_sql.running.runners import Runner

Work = Sequence[tuple[Case[Gold], Sequence[Prediction]]]


def run_ahead(work: Work, options: Options) -> None:
    """What goes wrong here is said when the case itself is judged."""
    if options.transpile:  # what runs then depends on what failed
        return
    found: list[tuple[Queries, Answer, Bench, str]] = []
    looked: set[Place] = set()
    benches: dict[str, Bench] = {}
    """One for all questions on a database: what runs there depends on nothing else of a question."""
    for case, predictions in work:
        turns = [turn for turn in case.conversation if turn.role == "user"]
        for prediction in predictions:
            place = prediction.turn if prediction.turn is not None else default_turn(case)
            gold = turns[place].target if 0 <= place < len(turns) else None
            if gold is None or gold.queries is None or gold.status == "unreadable" or prediction.error is not None:
                continue
            with suppress(UserError, Unreadable):
                answer = sql_answer(prediction)
                name = gold.queries.database
                if name not in benches:
                    benches[name] = bench_for(gold.queries, options, looked)
                found.append((gold.queries, answer, benches[name], gold.as_of or options.as_of))
    keep_ready((queries, options, bench) for queries, _, bench, _ in found)
    with suppress(UserError):
        Runner.run_ahead(one for case in found for one in first_queries(*case))
        Runner.run_ahead(one for queries, answer, bench, _ in found for one in suite_queries(queries, answer, bench))
