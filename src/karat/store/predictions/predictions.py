"""Answers in and out of the store. Nothing is overwritten: a new answer to the same question is a new attempt.

An answer is a row of its own from the moment it comes. When some thousand rows are there, and when the run ends, they
are moved into blocks in one transaction; a reader sees each answer once, in the order in which they came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any  # Any: rows of the table of predictions, whose columns SQLAlchemy does not type

import msgspec
from sqlalchemy import Connection, delete, func, select, text

from karat.core.json_types import JsonObject
from karat.core.records import CallError, Prediction, join_trace, with_own_trace
from karat.store.blocks.block import BYTES, ROWS
from karat.store.blocks.tables import block_at, blocks_from, end_of
from karat.store.codec import pack, to_text, unpack
from karat.store.predictions.answer_blocks import (
    KEYS,
    NO_TURN,
    answers_at,
    answers_of,
    append_answers,
    error_at,
    keys_of,
)
from karat.store.predictions.answer_index import CaseIndex, Question, QuestionIndex, question_hashes
from karat.store.records import MAX_ID, Failure, Progress
from karat.store.schema import predictions, run_blocks

# The hot statement: plain text, so that nothing is looked up for each value.
_INSERT = text("""
    INSERT INTO predictions (run_id, case_id, turn, repeat, codec, response,
        error_kind, error_message, error_tries, latency, tokens, cost, created)
    VALUES (:run_id, :case_id, :turn, :repeat, :codec, :response,
        :error_kind, :error_message, :error_tries, :latency, :tokens, :cost, :created)
""")

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


def insert_predictions(connection: Connection, run_id: int, items: Sequence[Prediction], created: str) -> None:
    """Add them in this order, each as the next attempt at its question."""
    connection.execute(_INSERT, [_row(run_id, item, created) for item in items])


class WaitingAnswers:
    """How many answers of each run are rows still, and about how many bytes they have; they go into blocks when there
    are many."""

    def __init__(self) -> None:
        self._runs: dict[int, tuple[int, int]] = {}

    def add(self, connection: Connection, run_id: int, items: Sequence[Prediction]) -> None:
        """These were inserted."""
        rows, size = self._runs.get(run_id) or (count_rows(connection, run_id) - len(items), 0)
        rows, size = rows + len(items), size + sum(len(item.response) for item in items)
        if rows >= 2 * ROWS or size >= 2 * BYTES:
            rows, size = move_into_blocks(connection, run_id, whole=size >= 2 * BYTES), 0
        self._runs[run_id] = rows, size

    def move(self, connection: Connection, run_id: int) -> None:
        """All into blocks: no more will come for a while."""
        move_into_blocks(connection, run_id, whole=True)
        self._runs.pop(run_id, None)


def move_into_blocks(connection: Connection, run_id: int, *, whole: bool = False) -> int:
    """Move the oldest rows of a run, whose row is locked, into blocks; how many are left. Only full blocks are made,
    unless ``whole``."""
    left = count_rows(connection, run_id)
    while left >= (1 if whole else ROWS):
        query = select(_table.id, _table.created, *_COLUMNS).where(_table.run_id == run_id)
        rows = connection.execute(query.order_by(_table.id).limit(ROWS)).all()
        append_answers(connection, run_id, [(_prediction(row[2:]), row[1]) for row in rows])
        connection.execute(delete(predictions).where(_table.run_id == run_id, _table.id <= rows[-1].id))
        left -= len(rows)
    return left


def count_rows(connection: Connection, run_id: int) -> int:
    """How many answers are rows still."""
    return connection.execute(select(func.count()).where(_table.run_id == run_id)).scalar_one()


def waiting_cases(connection: Connection, run_id: int) -> set[str]:
    """The cases that have answers which are rows still."""
    return set(connection.execute(select(_table.case_id).where(_table.run_id == run_id)).scalars())


def count_answers(connection: Connection, run_id: int) -> int:
    """How many answers came in all, every attempt counted."""
    return end_of(connection, run_blocks, run_id, KEYS) + count_rows(connection, run_id)


def all_answers(connection: Connection, run_id: int) -> Iterator[Prediction]:
    """Every attempt at every question, in the order in which they came."""
    for stored in blocks_from(connection, run_blocks, run_id, KEYS):
        yield from answers_of(connection, run_id, stored)
    yield from _rows(connection, run_id)


def latest_predictions(connection: Connection, run_id: int) -> list[Prediction]:
    """The latest attempt at each question, in the order in which they came."""
    return _latest(all_answers(connection, run_id))


def all_attempts(
    connection: Connection, index: CaseIndex, run_id: int, case_id: str, turn: int | None, repeat: int
) -> list[Prediction]:
    """Every attempt at one question, oldest first."""
    found = _of_cases(connection, index, run_id, [case_id])
    return [one for one in found if (one.turn, one.repeat) == (turn, repeat)]


def case_predictions(
    connection: Connection, index: CaseIndex, run_id: int, case_ids: Sequence[str]
) -> list[Prediction]:
    """The latest attempts at the questions of these cases, by case, repeat and turn."""
    found = _latest(_of_cases(connection, index, run_id, case_ids))
    return sorted(found, key=lambda one: (one.case_id, one.repeat, NO_TURN if one.turn is None else one.turn))


def read_answered(connection: Connection, run_id: int) -> dict[Question, bool]:
    """(case, turn, repeat) → whether the latest attempt failed. A turn that was not said is the first."""
    found: dict[Question, bool] = {}
    for stored in blocks_from(connection, run_blocks, run_id, KEYS):
        keys = keys_of(stored)
        for place, (case, turn, repeat) in enumerate(zip(keys.cases, keys.turns, keys.repeats, strict=True)):
            found[case, max(turn, 0), repeat] = place in keys.errors
    for (case, turn, repeat), error in _row_keys(connection, run_id):
        found[case, max(turn, 0), repeat] = error is not None
    return found


def read_progress(connection: Connection, index: QuestionIndex, run_id: int, shown: int) -> Progress:
    """How far a run is. Answers are counted without being read."""
    import numpy as np

    rows = _row_keys(connection, run_id)
    asked, tried = question_hashes([question for question, _ in rows])
    questions = np.concatenate([*index.questions, asked])
    failed = np.concatenate([*index.failed, np.array([error is not None for _, error in rows], bool)])
    _, newest = np.unique(questions[::-1], return_index=True)
    places = np.sort(len(questions) - 1 - newest)
    wrong = places[failed[places]]
    failures: dict[str, CallError | None] = {}
    stored, keys = None, None
    for place in wrong.tolist() if shown else ():
        if place < len(questions) - len(rows):
            if stored is None or keys is None or place >= stored.first + len(keys.cases):
                stored = block_at(connection, run_blocks, run_id, KEYS, place)
                keys = keys_of(stored) if stored is not None else None
            if stored is not None and keys is not None:
                case = keys.cases[place - stored.first]
                failures.setdefault(case, error_at(keys, place - stored.first) if len(failures) < shown else None)
        else:
            (case, _, _), error = rows[place - len(questions)]
            failures.setdefault(case, error)
    first = list(failures.items())[:shown]
    return Progress(
        answered=len(np.unique(np.concatenate([*index.tries, tried]))),
        errors=len(wrong),
        failures=tuple(Failure(case, error.kind, error.message) for case, error in first if error is not None),
        failed_cases=len(failures),
    )


def _latest(answers: Iterable[Prediction]) -> list[Prediction]:
    found: dict[Any, Prediction] = {}
    for one in answers:
        key = (one.case_id, one.turn, one.repeat)
        found.pop(key, None)  # it moves to the end: the order is that of the latest attempts
        found[key] = one
    return list(found.values())


def _of_cases(connection: Connection, index: CaseIndex, run_id: int, case_ids: Sequence[str]) -> list[Prediction]:
    wanted = set(case_ids)
    blocks = (answers_at(connection, run_id, first, wanted) for first in index.blocks_with(wanted))
    found = [one for block in blocks for one in block]
    return [*found, *(one for one in _rows(connection, run_id) if one.case_id in wanted)]


def _rows(connection: Connection, run_id: int) -> Iterator[Prediction]:
    query = select(*_COLUMNS).where(_table.run_id == run_id).order_by(_table.id)
    return map(_prediction, connection.execute(query))


def _row_keys(connection: Connection, run_id: int) -> list[tuple[Question, CallError | None]]:
    errors = (_table.error_kind, _table.error_message, _table.error_tries)
    query = select(_table.case_id, _table.turn, _table.repeat, *errors).where(_table.run_id == run_id)
    return [
        ((case, turn, repeat), None if kind is None else CallError(kind, message, tries))
        for case, turn, repeat, kind, message, tries in connection.execute(query.order_by(_table.id))
    ]


def _row(run_id: int, item: Prediction, created: str) -> JsonObject:
    codec, response = pack(join_trace(item))
    error = item.error
    return {
        "run_id": run_id,
        "case_id": to_text(item.case_id),
        "turn": NO_TURN if item.turn is None else item.turn,
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


def as_stored(item: Prediction) -> Prediction:
    """The answer as it will read back."""
    latency, cost = _number(item.latency), _number(item.cost)
    tokens = None if item.tokens is None else min(item.tokens, MAX_ID)
    return msgspec.structs.replace(item, latency=latency, cost=cost, tokens=tokens)


def _number(value: float | None) -> float | None:
    """SQLite has no NaN; neither database should have one."""
    return None if value is None or value != value else float(value)


def _prediction(row: Any) -> Prediction:
    case_id, turn, repeat, codec, response, kind, message, tries, latency, tokens, cost = row
    error = None if kind is None else CallError(kind, message, tries)
    turn = None if turn == NO_TURN else turn
    return with_own_trace(Prediction(case_id, turn, repeat, unpack(codec, response), error, latency, tokens, cost))
