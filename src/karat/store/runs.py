"""Runs in and out of their table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any  # Any: a query of SQLAlchemy over columns of several types

import msgspec
from sqlalchemy import Connection, Select, delete, func, insert, select, update

from karat.core.json_types import JsonObject
from karat.core.problems import UserError
from karat.store.codec import to_json
from karat.store.leases.lease_parts import refuse_any_live
from karat.store.leases.leases import WHOLE, lease_columns, lease_of
from karat.store.records import RunRecord, RunRow, Status, run_name
from karat.store.schema import leases, runs
from karat.store.scorings.scorings import newest_summaries, scoring_infos
from karat.store.settings_copy import keep_settings

_JSON = ("options", "config", "tags")
_COMPUTED = ("headline", "scoring", "summary", "prompt", "who")
_LISTED = [*(runs.c[name] for name in RunRow.__struct_fields__ if name not in _COMPUTED), runs.c.config]
_LOCK = select(runs.c.id).with_for_update(key_share=True)


class _Origin(msgspec.Struct, frozen=True):
    """What a list shows of a run's settings."""

    prompt: str = ""
    who: str = ""


_origin = msgspec.json.Decoder(_Origin)


def no_such_run(connection: Connection, run_id: int) -> UserError:
    """There is no such run; the newest one that is."""
    newest = latest_run(connection)
    hint = (
        "The store has no runs."
        if newest is None
        else f"The newest run is {run_name(newest)}; karat runs list shows all runs."
    )
    return UserError(f"there is no run {run_name(run_id)} in the store", hint=hint)


def lock_run(connection: Connection, run_id: int) -> None:
    """Keep other writers away from this run until the transaction ends. SQLite has locked the whole store already."""
    if connection.execute(_LOCK.where(runs.c.id == run_id)).first() is None:
        raise no_such_run(connection, run_id)


def latest_run(connection: Connection) -> int | None:
    """The newest run; None when there is none."""
    return connection.execute(select(func.max(runs.c.id))).scalar()


def insert_run(connection: Connection, record: RunRecord, now: str) -> int:
    """A new run; its id."""
    row: JsonObject = {name: getattr(record, name) for name in RunRecord.__struct_fields__ if name != "id"}
    row |= {name: to_json(row[name]).decode() for name in _JSON}
    row["created"] = record.created or now
    key = connection.execute(insert(runs), row).inserted_primary_key
    assert key is not None  # noqa: S101 (an insert of one row has its key)
    run_id = int(key[0])
    keep_settings(connection, run_id)
    return run_id


def read_run(connection: Connection, run_id: int) -> RunRecord:
    """All of one run."""
    rows = _with_status(connection, select(*runs.c).where(runs.c.id == run_id))
    if not rows:
        raise no_such_run(connection, run_id)
    read = {name: msgspec.json.decode(rows[0][name]) for name in _JSON}
    return msgspec.convert({**rows[0], **read}, RunRecord)


def _with_status(connection: Connection, query: Select[Any]) -> list[JsonObject]:
    """Rows of runs. One that is marked as running, and whose holder is gone, was killed: it is interrupted."""
    held = query.add_columns(*lease_columns(connection)).outerjoin_from(runs, leases, WHOLE)
    columns = [
        str(column.name) for column in query.selected_columns
    ]  # msgspec does not take SQLAlchemy's own kind of text
    found = []
    for row in connection.execute(held).mappings():
        lease = lease_of(row["id"], row)
        killed = row["status"] == "running" and lease is not None and lease.over
        values = {name: row[name] for name in columns}
        found.append({**values, "status": "interrupted"} if killed else values)
    return found


def list_runs(connection: Connection, limit: int, suite: str | None) -> list[RunRow]:
    """The newest runs first, each with the figures of its newest scoring: three queries, however many runs."""
    query = select(*_LISTED).order_by(runs.c.id.desc()).limit(limit)
    if suite is not None:
        query = query.where(runs.c.suite == suite)
    return _rows(connection, query)


def list_one(connection: Connection, run_id: int) -> RunRow:
    """One run as it is in the list."""
    found = _rows(connection, select(*_LISTED).where(runs.c.id == run_id))
    if not found:
        raise no_such_run(connection, run_id)
    return found[0]


def _rows(connection: Connection, query: Select[Any]) -> list[RunRow]:
    rows = _with_status(connection, query)
    found = newest_summaries(connection, [row["id"] for row in rows])
    infos = scoring_infos(connection, [scoring for scoring, _ in found.values()])
    listed = []
    for row in rows:
        scoring, summary = found.get(row["id"], (None, ()))
        own: JsonObject = {"tags": msgspec.json.decode(row["tags"]), **_stored_origin(row.pop("config"))}
        if (info := infos.get(scoring or 0)) is not None:
            own |= {"cases": info.cases, "truth_set": info.truth_set, "headline": info.headline}
        listed.append(msgspec.convert({**row, **own, "scoring": scoring, "summary": summary}, RunRow))
    return listed


def _stored_origin(config: str) -> JsonObject:
    try:
        return msgspec.structs.asdict(_origin.decode(config))
    except msgspec.DecodeError:  # settings of another program's making
        return {}


def count_runs(connection: Connection) -> dict[str, int]:
    """Suite → how many runs it has, the suite with the newest run first."""
    query = select(runs.c.suite, func.count()).group_by(runs.c.suite).order_by(func.max(runs.c.id).desc())
    return {row[0]: row[1] for row in connection.execute(query)}


def update_status(connection: Connection, run_id: int, status: Status, now: str) -> None:
    """A run that goes on has not finished; one that stopped has, now. The first start stays."""
    lock_run(connection, run_id)
    if status == "running":
        values: JsonObject = {"finished": "", "started": func.coalesce(func.nullif(runs.c.started, ""), now)}
    else:
        values = {"finished": now}
    connection.execute(update(runs).where(runs.c.id == run_id).values(status=status, **values))


def update_tags(connection: Connection, run_id: int, added: Sequence[str], removed: Sequence[str]) -> tuple[str, ...]:
    """The tags that the run then has: its own in their order without those removed, then the new ones."""
    lock_run(connection, run_id)
    kept = [tag for tag in read_run(connection, run_id).tags if tag not in removed]
    tags = tuple(dict.fromkeys((*kept, *added)))
    connection.execute(update(runs).where(runs.c.id == run_id).values(tags=to_json(tags).decode()))
    return tags


def remove_run(connection: Connection, run_id: int) -> None:
    """The run and all that belongs to it, unless somebody is working on it."""
    lock_run(connection, run_id)
    refuse_any_live(connection, run_id, "cannot be deleted")
    if connection.execute(delete(runs).where(runs.c.id == run_id)).rowcount == 0:
        raise no_such_run(connection, run_id)
