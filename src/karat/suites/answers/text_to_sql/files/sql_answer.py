"""The SQL of an answer: as it was read from a file, or as a system gave it."""

from __future__ import annotations

from karat.core.records import Prediction
from karat.core.suite import Unreadable
from karat.suites.answers.records import Answer
from karat.suites.answers.responses import answer_given, stored_answer


def sql_answer(prediction: Prediction) -> Answer:
    """Raises Unreadable where the response holds no SQL."""
    answer = stored_answer(prediction.response, live=prediction.latency is not None)
    if answer is None:
        answer = answer_given(prediction.response)
        if answer.kind != "sql" and not answer.problem:
            raise Unreadable("there is no SQL in the response")
    return answer
