"""The files that judging a case reads: its gold, what was submitted, and the database that SQL runs on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karat.core.problems import UserError
from karat.core.records import Case, Prediction
from karat.core.suite import Unreadable
from karat.suites.answers.comparison import database_of
from karat.suites.answers.options import Options
from karat.suites.answers.records import Gold
from karat.suites.answers.responses import stored_answer


def files(case: Case[Gold], predictions: Sequence[Prediction], options: Options) -> Iterator[str]:
    """Their paths, as the case and its answers name them. What a live system says names no files."""
    for gold in (turn.target for turn in case.conversation if turn.target is not None):
        yield from (file for entry in gold.entries for file in entry.gold_files)
        if gold.sql:
            yield gold.sql
    for prediction in predictions:
        try:
            answer = stored_answer(prediction.response, live=prediction.latency is not None)
        except Unreadable:
            continue
        yield from answer.paths if answer is not None and not answer.problem else ()
    if options.runs_sql(case.id) and not any(turn.target and turn.target.queries for turn in case.conversation):
        from karat.suites.answers.sql.execution import database_file

        try:
            yield from database_file(case.id, options, database_of(case))
        except UserError:
            return  # scoring says what is wrong with it
