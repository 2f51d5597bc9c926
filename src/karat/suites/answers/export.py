"""An instance as the cells of a row: its gold as a text, a number or an ``evaluation``, and what was submitted."""

from __future__ import annotations

from pathlib import Path
from typing import Any  # Any: options that are not used, and expected values of several forms

from karat.core.files.reading import read_text
from karat.core.json_types import JsonObject
from karat.core.records import Case, Prediction
from karat.core.suite import Unreadable
from karat.suites.answers.records import Entry, Gold
from karat.suites.answers.responses import read_answer

MOST_BYTES = 30_000
"""Of a table that still goes into one cell."""


def export_row(case: Case[Gold], _turn: int, answer: Prediction | None, _options: Any) -> JsonObject:
    """A gold that a plain cell cannot say is the ``evaluation`` of the gold file."""
    gold = next((turn.target for turn in case.conversation if turn.target is not None), None)
    row: JsonObject = {"expected": _expected(gold.entries) if gold is not None else None}
    if answer is not None and answer.error is None:
        try:
            given = read_answer(answer.response)
        except Unreadable:
            return row | {"answer": answer.response.decode(errors="replace")}
        table = _table(given.paths[0]) if len(given.paths) == 1 and not given.text else None
        row["answer"] = given.raw or given.text or table or ", ".join(Path(path).name for path in given.paths)
    return row


def _expected(entries: tuple[Entry, ...]) -> Any:
    if len(entries) != 1:
        return [{"func": one.func, "parameters": one.parameters} for one in entries]
    (one,) = entries
    gold = one.parameters.get("gold")
    only = gold[0] if isinstance(gold, list) and len(gold) == 1 else gold
    if one.func in ("string_match", "number_match") and not isinstance(only, list) and set(one.parameters) <= {"gold"}:
        return only
    plain = not one.parameters.get("condition_cols") and one.parameters.get("ignore_order") is True
    if one.func == "table_match" and len(one.gold_files) == 1 and plain and (text := _table(one.gold_files[0])):
        return text
    return {"func": one.func, "parameters": one.parameters}


def _table(path: str) -> str | None:
    """The text of a small CSV file."""
    file = Path(path)
    try:
        return read_text(file) if file.suffix.lower() == ".csv" and file.stat().st_size <= MOST_BYTES else None
    except OSError:
        return None
