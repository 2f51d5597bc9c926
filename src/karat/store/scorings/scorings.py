"""Scorings in and out of their tables. Each time that a run is scored adds one; earlier ones stay.

A scoring is written a chunk of cases at a time. Until it is finished it names the process that writes it, and nobody
else sees it; what a process left behind that is gone is removed when the next one begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import msgspec
from sqlalchemy import Connection, delete, func, insert, select, update

from karat.core.json_types import JsonObject
from karat.core.problems import UserError
from karat.core.results.result import MetricSummary, RunInfo
from karat.store.codec import to_json
from karat.store.leases.lease_holder import Holder, is_dead, this_process
from karat.store.records import ScoringRow, run_name
from karat.store.schema import scorings, summaries
from karat.store.scorings.figures_copy import keep_figures

ABANDONED = timedelta(days=1)
"""A scoring that a process on another machine began, and added nothing to for so long, is removed."""

_FIGURES = [summaries.c[name] for name in MetricSummary.__struct_fields__]
_FINISHED = scorings.c.writer == ""


def begin_scoring(connection: Connection, run_id: int, info: RunInfo, now: str) -> int:
    """A new scoring of the run that nobody sees yet; its id."""
    _remove_abandoned(connection)
    row = {"run_id": run_id, "created": now, "writer": to_json(this_process()).decode(), **_origin(info)}
    key = connection.execute(insert(scorings), row).inserted_primary_key
    assert key is not None  # noqa: S101 (an insert of one row has its key)
    return int(key[0])


def continue_scoring(connection: Connection, scoring: int, now: str) -> RunInfo:
    """A sign of life of the process that writes a scoring; what it said of the run."""
    query = select(scorings.c.info).where(scorings.c.id == scoring, ~_FINISHED)
    info = connection.execute(query).scalar()
    if info is None:
        hint = "It was finished, or removed with its run, or nothing was added to it for a day. Score the run again."
        raise UserError(f"the scoring {scoring} is not being written", hint=hint)
    connection.execute(update(scorings).where(scorings.c.id == scoring).values(created=now))
    return msgspec.json.decode(info, type=RunInfo)


def finish_scoring(
    connection: Connection, scoring: int, info: RunInfo, summary: Sequence[MetricSummary], now: str
) -> None:
    """Make a scoring visible, with its figures."""
    continue_scoring(connection, scoring, now)
    connection.execute(update(scorings).where(scorings.c.id == scoring).values(writer="", created=now, **_origin(info)))
    if summary:
        figures = [msgspec.structs.asdict(item) for item in summary]
        rows = [{"scoring_id": scoring, "position": position, **item} for position, item in enumerate(figures)]
        connection.execute(insert(summaries), rows)
    keep_figures(connection, scoring)


def drop_scoring(connection: Connection, scoring: int) -> None:
    """Remove a scoring that was not finished."""
    connection.execute(delete(scorings).where(scorings.c.id == scoring, ~_FINISHED))


def run_of(connection: Connection, scoring: int) -> int:
    """The run that a scoring belongs to; 0 when there is no such scoring."""
    return connection.execute(select(scorings.c.run_id).where(scorings.c.id == scoring)).scalar() or 0


def _origin(info: RunInfo) -> JsonObject:
    return {
        "karat": info.karat,
        "truth_set": info.truth_set,
        "options": to_json(info.options).decode(),
        "info": to_json(info).decode(),
    }


def _remove_abandoned(connection: Connection) -> None:
    oldest = (datetime.now(UTC) - ABANDONED).isoformat()
    query = select(scorings.c.id, scorings.c.writer, scorings.c.created).where(~_FINISHED)
    for scoring, writer, created in connection.execute(query).all():
        if created < oldest or is_dead(msgspec.json.decode(writer, type=Holder)):
            drop_scoring(connection, scoring)


def read_scoring(
    connection: Connection, run_id: int, scoring: int | None
) -> tuple[int, RunInfo, tuple[MetricSummary, ...]]:
    """(id, the run, the figures) of one scoring of a run, the newest by default. The run's name is filled in where the
    scoring had none."""
    query = select(scorings.c.id, scorings.c.info).where(scorings.c.run_id == run_id, _FINISHED)
    if scoring is not None:
        query = query.where(scorings.c.id == scoring)
    row = connection.execute(query.order_by(scorings.c.id.desc()).limit(1)).first()
    if row is None:
        raise _not_scored(connection, run_id, scoring)
    info = msgspec.json.decode(row.info, type=RunInfo)
    if not info.id:
        info = msgspec.structs.replace(info, id=run_name(run_id))
    return row.id, info, read_summary(connection, row.id)


def read_summary(connection: Connection, scoring: int) -> tuple[MetricSummary, ...]:
    """The figures of a scoring."""
    query = select(*_FIGURES).where(summaries.c.scoring_id == scoring).order_by(summaries.c.position)
    return tuple(MetricSummary(*figure) for figure in connection.execute(query))


def _not_scored(connection: Connection, run_id: int, scoring: int | None) -> UserError:
    known = ", ".join(str(item.id) for item in list_scorings(connection, run_id))
    if scoring is None or not known:
        return UserError(
            f"the run {run_name(run_id)} has no scores yet", hint=f"Score it: karat score {run_name(run_id)}"
        )
    return UserError(f"the run {run_name(run_id)} has no scoring {scoring}", hint=f"It has {known}.")


def list_scorings(connection: Connection, run_id: int) -> list[ScoringRow]:
    """The scorings of a run, oldest first."""
    columns = [scorings.c[name] for name in ScoringRow.__struct_fields__]
    query = select(*columns).where(scorings.c.run_id == run_id, _FINISHED).order_by(scorings.c.id)
    rows = connection.execute(query).mappings()
    return [ScoringRow(**{**row, "options": msgspec.json.decode(row["options"])}) for row in rows]


def newest_summaries(
    connection: Connection, run_ids: Sequence[int]
) -> dict[int, tuple[int, tuple[MetricSummary, ...]]]:
    """Run → (its newest scoring, that scoring's figures), in one query."""
    newest = (
        select(scorings.c.run_id, func.max(scorings.c.id).label("id"))
        .where(scorings.c.run_id.in_(run_ids), _FINISHED)
        .group_by(scorings.c.run_id)
        .subquery()
    )
    query = select(newest.c.run_id, newest.c.id, *_FIGURES).outerjoin_from(
        newest, summaries, summaries.c.scoring_id == newest.c.id
    )
    found: dict[int, tuple[int, tuple[MetricSummary, ...]]] = {}
    for run_id, scoring, *figure in connection.execute(query.order_by(newest.c.run_id, summaries.c.position)):
        before = found.get(run_id, (scoring, ()))[1]
        found[run_id] = (scoring, before if figure[0] is None else (*before, MetricSummary(*figure)))
    return found


def scoring_infos(connection: Connection, scoring_ids: Sequence[int]) -> dict[int, RunInfo]:
    """Scoring → what it says of its run. A run scored again may be over other cases than it asked."""
    rows = connection.execute(select(scorings.c.id, scorings.c.info).where(scorings.c.id.in_(scoring_ids)))
    return {scoring: msgspec.json.decode(info, type=RunInfo) for scoring, info in rows}
