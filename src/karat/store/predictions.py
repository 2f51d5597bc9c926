"""Predictions in and out of their table. Nothing is overwritten: a new answer to the same question is a new attempt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any  # Any: rows of the table of predictions, whose columns SQLAlchemy does not type

from sqlalchemy import Connection, and_, exists, func, select, text

from karat.core.json_types import JsonObject
from karat.core.records import CallError, Prediction
from karat.store.codec import pack, to_text, unpack
from karat.store.records import MAX_ID, Failure, Progress
from karat.store.schema import predictions

_NO_TURN = -1
"""Stands for "the recording did not say"; a NULL would never be equal to another in the unique key."""

# The hot statement: plain text, so that nothing is looked up for each value. The attempt is counted by the database,
# within the write lock, one row after the other, so the same question may stand twice in a batch.
_INSERT = text("""
    INSERT INTO predictions (run_id, case_id, turn, repeat, attempt, codec, response,
        error_kind, error_message, error_tries, latency, tokens, cost, created)
    VALUES (:run_id, :case_id, :turn, :repeat,
        (SELECT coalesce(max(attempt) + 1, 0) FROM predictions
         WHERE run_id = :run_id AND case_id = :case_id AND turn = :turn AND repeat = :repeat),
        :codec, :response, :error_kind, :error_message, :error_tries, :latency, :tokens, :cost, :created)
""")

_newer = predictions.alias("newer")
_table = predictions.c
_COLUMNS = (
    _table.case_id,
    _table.turn,
    _table.repeat,
    _table.codec,
    _table.response,
    _table.error_kind,
    _table.error_message,
    _table.error_tries,
    _table.latency,
    _table.tokens,
    _table.cost,
)
_LATEST = select(_table.id, *_COLUMNS).where(
    ~exists().where(
        and_(
            _newer.c.run_id == _table.run_id,
            _newer.c.case_id == _table.case_id,
            _newer.c.turn == _table.turn,
            _newer.c.repeat == _table.repeat,
            _newer.c.attempt == _table.attempt + 1,
        )
    )
)


def insert_predictions(connection: Connection, run_id: int, items: Sequence[Prediction], created: str) -> None:
    """Add them in this order, each as the next attempt at its question."""
    connection.execute(_INSERT, [_row(run_id, item, created) for item in items])


def latest_predictions(connection: Connection, run_id: int) -> list[Prediction]:
    """The latest attempt at each question, in the order in which they arrived."""
    rows = list(connection.execute(_LATEST.where(_table.run_id == run_id)))
    rows.sort(key=itemgetter(0))  # cheaper here than in the database, where the answers would be sorted along
    return _predictions(row[1:] for row in rows)


def all_attempts(connection: Connection, run_id: int, case_id: str, turn: int | None, repeat: int) -> list[Prediction]:
    """Every attempt at one question, oldest first."""
    query = select(*_COLUMNS).where(
        _table.run_id == run_id,
        _table.case_id == case_id,
        _table.turn == (_NO_TURN if turn is None else turn),
        _table.repeat == repeat,
    )
    return _predictions(connection.execute(query.order_by(_table.attempt)))


def case_predictions(connection: Connection, run_id: int, case_ids: Sequence[str]) -> list[Prediction]:
    """The latest attempts at the questions of these cases, by case, repeat and turn."""
    query = _LATEST.where(_table.run_id == run_id, _table.case_id.in_(list(case_ids)))
    rows = connection.execute(query.order_by(_table.case_id, _table.repeat, _table.turn))
    return _predictions(row[1:] for row in rows)


def read_progress(connection: Connection, run_id: int, shown: int) -> Progress:
    """How far a run is. Answers are counted without being read."""
    latest = _LATEST.where(_table.run_id == run_id).with_only_columns(_table.error_kind, _table.case_id, _table.repeat)
    found = latest.subquery()
    asked = select(found.c.case_id, found.c.repeat).distinct().subquery()
    failed = _LATEST.where(_table.run_id == run_id, _table.error_kind.is_not(None)).with_only_columns(
        _table.case_id, _table.error_kind, _table.error_message
    )
    return Progress(
        answered=connection.execute(select(func.count()).select_from(asked)).scalar_one(),
        errors=connection.execute(select(func.count(found.c.error_kind))).scalar_one(),
        failures=tuple(Failure(*row) for row in connection.execute(failed.order_by(_table.id).limit(shown))),
    )


def _row(run_id: int, item: Prediction, created: str) -> JsonObject:
    codec, response = pack(item.response)
    error = item.error
    return {
        "run_id": run_id,
        "case_id": to_text(item.case_id),
        "turn": _NO_TURN if item.turn is None else item.turn,
        "repeat": item.repeat,
        "codec": codec,
        "response": response,
        "error_kind": None if error is None else to_text(error.kind),
        "error_message": None if error is None else to_text(error.message),
        "error_tries": None if error is None else error.tries,
        "latency": _number(item.latency),
        "tokens": None if item.tokens is None else min(item.tokens, MAX_ID),
        "cost": _number(item.cost),
        "created": created,
    }


def _number(value: float | None) -> float | None:
    """SQLite has no NaN; neither database should have one."""
    return None if value is None or value != value else float(value)


def _predictions(rows: Iterable[Any]) -> list[Prediction]:
    found = []
    for case_id, turn, repeat, codec, response, kind, message, tries, latency, tokens, cost in rows:
        error = None if kind is None else CallError(kind, message, tries)
        turn = None if turn == _NO_TURN else turn
        found.append(Prediction(case_id, turn, repeat, unpack(codec, response), error, latency, tokens, cost))
    return found
