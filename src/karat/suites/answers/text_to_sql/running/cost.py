"""What the queries of one case cost: seconds, bytes of the results, and on request rows read and many more runs."""

from __future__ import annotations

from functools import partial

import msgspec

from karat.core.json_types import JsonMapping
from karat.engines.protocol import EngineError
from karat.engines.query.guard import check
from karat.suites.answers.text_to_sql.running.execution import Databases, Ran
from karat.suites.answers.text_to_sql.running.rows_read import TELLING, rows_read
from karat.suites.answers.text_to_sql.running.speed import WRONG, Speed, measured
from karat.suites.answers.text_to_sql.strict.gold_status import same_text


class Cost(msgspec.Struct, frozen=True, omit_defaults=True):
    """Of gold, and of the answer where it gave a result."""

    gold_seconds: float = 0.0
    """Seconds that the gold query took."""
    seconds: float | None = None
    """Seconds that the predicted query took; None if it gave no result."""
    gold_bytes: int = 0
    """The size of gold's result in bytes."""
    answer_bytes: int | None = None
    """The size of the answer's result in bytes."""
    gold_rows_read: int | None = None
    """Rows that the gold query read. Only on request, and only if the engine reports it."""
    rows_read: int | None = None
    """Rows that the predicted query read. Only on request, and only if the engine reports it."""
    speed: Speed | None = None
    """Repeated timings of both queries. Only on request."""
    speed_problem: str = ""
    """Why the timings are missing."""


def cost_of(
    databases: Databases,
    settings: JsonMapping,
    dialect: str,
    gold: tuple[str, Ran],
    given: tuple[str, Ran],
    *,
    runs: int,
    matches: bool,
) -> Cost:
    """``matches``: whether the answer is BIRD's execution match, without which its speed counts for nothing."""
    has_result = given[1].result is not None
    found = Cost(
        gold[1].seconds,
        given[1].seconds if has_result else None,
        gold[1].size,
        given[1].size if has_result else None,
    )
    if not runs:
        return found
    speed: Speed | None = WRONG
    problem = ""
    if has_result and matches:
        clock = partial(databases.timed, settings)
        try:
            same = same_text(gold[0], given[0])
            speed = measured(partial(clock, gold[0]), partial(clock, given[0]), runs, same=same)
        except EngineError as error:  # one of many runs took too long, or the server went away
            speed, problem = None, error.message
    return msgspec.structs.replace(
        found,
        gold_rows_read=_read(databases, settings, dialect, gold[0]),
        rows_read=_read(databases, settings, dialect, given[0]) if has_result else None,
        speed=speed,
        speed_problem=problem,
    )


def _read(databases: Databases, settings: JsonMapping, dialect: str, sql: str) -> int | None:
    if dialect not in TELLING:
        return None
    try:
        checked = check(sql, dialect)
    except EngineError:
        return None
    return rows_read(dialect, partial(databases.explained, settings), checked)
