"""Scorings in and out of their tables. Each time that a run is scored adds one; earlier ones stay."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, func, insert, select

from karat.core.gc_pause import no_collecting
from karat.core.json_types import JsonObject
from karat.core.problems import UserError
from karat.core.results.result import CaseResult, MetricSummary, RunInfo, RunResult
from karat.store.case_lines import line_row
from karat.store.codec import pack, to_json, unpack
from karat.store.records import ScoringRow, run_name
from karat.store.schema import lines, scores, scorings, summaries

_FIGURES = [summaries.c[name] for name in MetricSummary.__struct_fields__]


def insert_scoring(connection: Connection, run_id: int, result: RunResult, now: str) -> int:
    """A new scoring of the run; its id. The result's reviews are not written: they belong to the run's answers, not to
    a scoring."""
    info = result.run
    row = {
        "run_id": run_id,
        "created": now,
        "karat": info.karat,
        "truth_set": info.truth_set,
        "options": to_json(info.options).decode(),
        "info": to_json(info).decode(),
    }
    key = connection.execute(insert(scorings), row).inserted_primary_key
    assert key is not None  # noqa: S101 (an insert of one row has its key)
    scoring = int(key[0])
    if result.summary:
        figures = [msgspec.structs.asdict(item) for item in result.summary]
        rows = [{"scoring_id": scoring, "position": position, **item} for position, item in enumerate(figures)]
        connection.execute(insert(summaries), rows)
    if result.cases:
        connection.execute(
            insert(scores), [_row(scoring, position, case) for position, case in enumerate(result.cases)]
        )
        metrics = [item.metric for item in result.summary]
        connection.execute(
            insert(lines),
            [line_row(scoring, position, info.suite, case, metrics) for position, case in enumerate(result.cases)],
        )
    return scoring


def _row(scoring: int, position: int, case: CaseResult) -> JsonObject:
    codec, data = pack(to_json(case))
    named = {"case_id": case.id, "status": case.status, "codec": codec, "data": data}
    return {"scoring_id": scoring, "position": position, **named}


def read_result(connection: Connection, run_id: int, scoring: int | None) -> RunResult:
    """One scoring of a run, the newest by default, as it was."""
    number, info, summary = read_head(connection, run_id, scoring)
    decoder = msgspec.json.Decoder(CaseResult)
    stored = select(scores.c.codec, scores.c.data).where(scores.c.scoring_id == number).order_by(scores.c.position)
    with no_collecting():
        cases = tuple(decoder.decode(unpack(codec, data)) for codec, data in connection.execute(stored))
    return RunResult(run=info, summary=summary, cases=cases)


def read_head(
    connection: Connection, run_id: int, scoring: int | None
) -> tuple[int, RunInfo, tuple[MetricSummary, ...]]:
    """(id, run, figures) of one scoring. The run's name is filled in where the scoring had none."""
    query = (
        select(scorings.c.id, scorings.c.info)
        .where(scorings.c.run_id == run_id)
        .order_by(scorings.c.id.desc())
        .limit(1)
    )
    if scoring is not None:
        query = query.where(scorings.c.id == scoring)
    row = connection.execute(query).first()
    if row is None:
        raise _not_scored(connection, run_id, scoring)
    info = msgspec.json.decode(row.info, type=RunInfo)
    if not info.id:
        info = msgspec.structs.replace(info, id=run_name(run_id))
    figures = connection.execute(
        select(*_FIGURES).where(summaries.c.scoring_id == row.id).order_by(summaries.c.position)
    )
    return row.id, info, tuple(MetricSummary(*figure) for figure in figures)


def read_case_result(connection: Connection, scoring: int, position: int) -> CaseResult | None:
    """One case of a scoring; None when it has no such position."""
    query = select(scores.c.codec, scores.c.data).where(scores.c.scoring_id == scoring, scores.c.position == position)
    row = connection.execute(query).first()
    return None if row is None else msgspec.json.decode(unpack(*row), type=CaseResult)


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
    rows = connection.execute(select(*columns).where(scorings.c.run_id == run_id).order_by(scorings.c.id)).mappings()
    return [ScoringRow(**{**row, "options": msgspec.json.decode(row["options"])}) for row in rows]


def newest_summaries(
    connection: Connection, run_ids: Sequence[int]
) -> dict[int, tuple[int, tuple[MetricSummary, ...]]]:
    """Run → (its newest scoring, that scoring's figures), in one query."""
    newest = (
        select(scorings.c.run_id, func.max(scorings.c.id).label("id"))
        .where(scorings.c.run_id.in_(run_ids))
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
