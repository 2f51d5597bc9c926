"""A case as the cells of a row: what is expected and what was selected, as JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from karat.core.records import Case, Prediction
from karat.core.suite import Unreadable
from karat.suites.data_query.responses import read_response
from karat.suites.data_query.selection import Selection, Target


def export_row(case: Case[Target], answer: Prediction | None) -> dict[str, Any]:
    """``expected`` is the target of the turn that is scored; ``answer`` the selection, or the response where none can be read."""
    target = next((turn.target for turn in reversed(case.conversation) if turn.target is not None), None)
    row: dict[str, Any] = {"expected": _plain(target) if target is not None else None}
    if answer is not None and answer.error is None:
        try:
            row["answer"] = _plain(read_response(answer.response))
        except Unreadable:
            row["answer"] = answer.response.decode(errors="replace")
    return row


def _plain(selection: Selection) -> dict[str, Any]:
    """A selection as JSON; one that selects nothing says so."""
    return {"indicator_selection": [], **msgspec.to_builtins(selection)}
