"""The SQL of an answer and its dialect, for the expectations of a turn."""

from __future__ import annotations

from karat.core.expect.facts import AnswerFacts
from karat.core.problems import UserError
from karat.core.records import Case, Prediction
from karat.core.suite import Unreadable
from karat.suites.answers.comparison import sql_in
from karat.suites.answers.options import Options
from karat.suites.answers.records import Gold
from karat.suites.answers.text_to_sql.queries.dialects import DIALECTS, NAMES
from karat.suites.answers.text_to_sql.running.case_engine import bench_for


def answer_facts(case: Case[Gold], turn: int, prediction: Prediction, options: Options) -> AnswerFacts:
    """The SQL that the answer is, if it is SQL, in the dialect of the question's database. May raise Unreadable."""
    gold = case.asked(turn).target
    return AnswerFacts(sql=_sql(prediction), dialect=_dialect(case, gold, options))


def _sql(prediction: Prediction) -> tuple[str, ...]:
    try:
        return sql_in(prediction)
    except Unreadable:
        return ()


def _dialect(case: Case[Gold], gold: Gold | None, options: Options) -> str:
    queries = gold.queries if gold is not None else None
    said = str((queries.kind if queries is not None else "") or case.metadata.get("dialect") or "").lower()
    said = NAMES.get(said, said)
    if said in DIALECTS or queries is None:
        return said if said in DIALECTS else ""
    try:
        return bench_for(queries, options).dialect
    except UserError:
        return ""
