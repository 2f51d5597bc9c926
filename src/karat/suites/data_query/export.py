"""A scored turn as the cells of a row: what is expected and what was selected, as JSON."""

from __future__ import annotations

import msgspec

from karat.core.json_types import JsonObject
from karat.core.records import Case, Prediction
from karat.core.suite import Unreadable
from karat.suites.data_query.options import Options
from karat.suites.data_query.responses import read_response
from karat.suites.data_query.selection.selection import Selection, Target


def export_row(case: Case[Target], turn: int, answer: Prediction | None, options: Options) -> JsonObject:
    """``expected`` is the target of the turn; ``answer`` the selection, or the response as it is with ``error`` where
    none can be read."""
    target = [message.target for message in case.conversation if message.role == "user"][turn]
    row: JsonObject = {"expected": _plain(target) if target is not None else None}
    if answer is not None and answer.error is None:
        try:
            row["answer"] = _plain(read_response(answer.response, options.today, options.outcome_from))
        except Unreadable as error:
            row |= {"answer": answer.response.decode(errors="replace"), "error": str(error)}
    return row


def _plain(selection: Selection) -> JsonObject:
    """A selection as JSON; one that selects nothing says so."""
    return {"indicator_selection": [], **msgspec.to_builtins(selection)}
