"""What a response selects and does, for the expectations of a turn."""

from __future__ import annotations

from karat.core.expect.facts import AnswerFacts
from karat.core.records import Case, Prediction
from karat.suites.data_query.comparison import selected_datasets
from karat.suites.data_query.options import Options
from karat.suites.data_query.responses import outcome_of, read
from karat.suites.data_query.selection.outcomes import REFUSALS
from karat.suites.data_query.selection.selection import Target

KINDS = {"answer": "data", "clarification": "clarification", **dict.fromkeys(REFUSALS, "refusal")}


def answer_facts(case: Case[Target], turn: int, prediction: Prediction, options: Options) -> AnswerFacts:  # noqa: ARG001 (the shape of Suite.answer_facts)
    """The datasets of the selection, and whether the response answers, refuses or asks back. May raise Unreadable."""
    reading = read(prediction.response, options.today, options.outcome_from)
    outcome, _ = outcome_of(reading)
    return AnswerFacts(kind=KINDS.get(outcome, ""), datasets=tuple(selected_datasets(reading.selection)))
