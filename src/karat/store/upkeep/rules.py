"""What must hold between rows, and what a repair does where it does not.

A figure over a part of the cases looks like a figure over all of them. So what belongs together is kept together: a
scoring with all its rows, the cases of a run with none missing. One entry of :data:`RULES` for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection, Table, delete, exists, func, select, update

from karat.core.problems import count_of
from karat.core.results.result import RunInfo
from karat.store.records import run_name
from karat.store.schema import cases, lines, metadata, predictions, runs, scores, scorings, summaries


class Broken(NamedTuple):
    """One place where a rule does not hold."""

    where: str
    what: str
    key: tuple[object, ...]


class Rule(NamedTuple):
    """A rule over rows: where it is broken, and how a repair makes it hold."""

    table: str
    find: Callable[[Connection], Iterator[Broken]]
    remedy: Callable[[Connection, Broken], None]
    lost: str
    """What the remedy costs, in words."""


def _incomplete_scorings(connection: Connection) -> Iterator[Broken]:
    for scoring, run_id, info in connection.execute(select(scorings.c.id, scorings.c.run_id, scorings.c.info)).all():
        try:
            expected = msgspec.json.decode(info, type=RunInfo).cases
        except msgspec.DecodeError:
            continue  # the row itself is a finding
        where = f"scoring {scoring} of {run_name(run_id)}"
        for table in (scores, lines):
            there = _count(connection, table, table.c.scoring_id == scoring)
            if there != expected:
                yield Broken(where, f"has {there:,} of {count_of(expected, 'row')} of {table.name}", (scoring,))
                break
        else:
            line = select(lines.c.figures).where(lines.c.scoring_id == scoring).limit(1)
            figures = connection.execute(line).scalar()
            metrics = _count(connection, summaries, summaries.c.scoring_id == scoring)
            if figures is not None and _length(figures) not in (metrics, None):
                yield Broken(where, f"has {metrics} of {_length(figures)} rows of summaries", (scoring,))


def _drop_scoring(connection: Connection, broken: Broken) -> None:
    connection.execute(delete(scorings).where(scorings.c.id == broken.key[0]))


def _incomplete_cases(connection: Connection) -> Iterator[Broken]:
    there = func.count(cases.c.position)
    query = select(runs.c.id, runs.c.cases, there).join_from(runs, cases, cases.c.run_id == runs.c.id)
    for run_id, expected, found in connection.execute(query.group_by(runs.c.id, runs.c.cases)).all():
        if found != expected:
            yield Broken(run_name(run_id), f"has {found:,} of {count_of(expected, 'case')}", (run_id,))


def _drop_cases(connection: Connection, broken: Broken) -> None:
    connection.execute(delete(cases).where(cases.c.run_id == broken.key[0]))


_QUESTION = (predictions.c.run_id, predictions.c.case_id, predictions.c.turn, predictions.c.repeat)


def _gaps(connection: Connection) -> Iterator[Broken]:
    last = func.max(predictions.c.attempt)
    query = select(*_QUESTION, func.count(), last).group_by(*_QUESTION).having(func.count() != last + 1)
    for run_id, case_id, turn, repeat, found, newest in connection.execute(query).all():
        where = f"{run_name(run_id)}, case {case_id}, turn {turn}, repeat {repeat}"
        what = f"has {found} of {count_of(newest + 1, 'attempt')}"
        yield Broken(where, what, (run_id, case_id, turn, repeat))


def _renumber(connection: Connection, broken: Broken) -> None:
    own = [column == value for column, value in zip(_QUESTION, broken.key, strict=True)]
    ids = connection.execute(select(predictions.c.id).where(*own).order_by(predictions.c.attempt)).scalars().all()
    for attempt, number in enumerate(ids):
        connection.execute(update(predictions).where(predictions.c.id == number).values(attempt=attempt))


def _orphans(table: Table) -> Callable[[Connection], Iterator[Broken]]:
    def find(connection: Connection) -> Iterator[Broken]:
        for key in table.foreign_keys:
            own, parent = key.parent, key.column
            query = select(own, func.count()).where(~exists().where(parent == own)).group_by(own)
            for value, count in connection.execute(query).all():
                what = f"{count_of(count, 'row')} of {parent.table.name} {value}, which is not there"
                yield Broken(f"{own.name} {value}", what, (value,))

    return find


def _drop_orphans(table: Table) -> Callable[[Connection, Broken], None]:
    def remedy(connection: Connection, broken: Broken) -> None:
        for key in table.foreign_keys:
            connection.execute(
                delete(table).where(key.parent == broken.key[0], ~exists().where(key.column == key.parent))
            )

    return remedy


def _count(connection: Connection, table: Table, where: object) -> int:
    return connection.execute(select(func.count()).select_from(table).where(where)).scalar_one()  # type: ignore[arg-type]


def _length(figures: str) -> int | None:
    try:
        return len(msgspec.json.decode(figures, type=list[float | None]))
    except msgspec.DecodeError:
        return None  # the row itself is a finding


ORPHANS = tuple(
    Rule(str(table.name), _orphans(table), _drop_orphans(table), "left out")
    for table in metadata.sorted_tables
    if table.foreign_keys
)
RULES = (
    *ORPHANS,
    Rule("scorings", _incomplete_scorings, _drop_scoring, "left out as a whole: karat score RUN computes it again"),
    Rule(
        "cases",
        _incomplete_cases,
        _drop_cases,
        "the others are left out too: score it with karat score RUN --cases FILE",
    ),
    Rule("predictions", _gaps, _renumber, "the attempts that are there are kept"),
)
