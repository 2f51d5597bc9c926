"""A question as the cells of a row: relevant ids with their relevance, and what was retrieved."""

from __future__ import annotations

from karat.core.json_types import JsonObject
from karat.core.records import Case, Prediction
from karat.core.suite import Unreadable
from karat.suites.retrieval.predictions import read_response
from karat.suites.retrieval.records import DOCUMENTS, Truths


def export_row(case: Case[Truths], _turn: int, answer: Prediction | None, _options: object) -> JsonObject:
    """Of a sheet with several fields, ``expected`` and ``answer`` are objects by field."""
    truths = next((turn.target.fields for turn in case.conversation if turn.target is not None), {})
    row: JsonObject = {"expected": truths[DOCUMENTS] if set(truths) == {DOCUMENTS} else truths}
    if answer is not None and answer.error is None:
        try:
            found = read_response(answer.response).fields
        except Unreadable:
            return row | {"answer": answer.response.decode(errors="replace")}
        keys = {name: ranked.keys for name, ranked in found.items()}
        row["answer"] = keys[DOCUMENTS] if set(keys) == {DOCUMENTS} else keys
    return row
