"""The SQL of an answer: as it was read from a file, or as a system gave it."""

from __future__ import annotations

from karat.core.records import Prediction
from karat.core.replies.reply import with_beginning
from karat.core.suite import Unreadable
from karat.suites.answers.records import Answer
from karat.suites.answers.responses import answer_given, as_sql, stored_answer

NO_SQL = 'no SQL in the response. Expected JSON with "sql", a block of sql, or a query.'


def sql_answer(prediction: Prediction) -> Answer:
    """Raises Unreadable where the response holds no SQL."""
    answer = stored_answer(prediction.response, live=prediction.latency is not None)
    if answer is None:
        answer = answer_given(prediction.response)
        if answer.kind != "sql" and not answer.problem:
            query = as_sql(answer)
            if query is None:
                raise Unreadable(with_beginning(NO_SQL, answer.text))
            return query
    return answer
