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
from karat.store.blocks.kinds import CASE_KINDS, SCORING_KINDS
from karat.store.blocks.tables import block_at
from karat.store.predictions.answer_blocks import ANSWER_WORDS, KEYS, RESPONSES, append_lost
from karat.store.predictions.answer_words import drop_answer_words
from karat.store.records import run_name
from karat.store.schema import metadata, run_blocks, runs, scoring_blocks, scorings, summaries
from karat.store.scorings.figures_copy import changed_figure, restore_figures
from karat.store.settings_copy import changed_setting, restore_settings


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


def _covered(connection: Connection, table: Table, owner: int, kind: str) -> int:
    """How many rows the blocks of a kind hold without a gap."""
    query = select(table.c.first, table.c.rows).where(table.c[0] == owner, table.c.kind == kind)
    end = 0
    for first, rows in connection.execute(query.order_by(table.c.first)):
        if first != end:
            break
        end += rows
    return end


def _incomplete_scorings(connection: Connection) -> Iterator[Broken]:
    finished = select(scorings.c.id, scorings.c.run_id, scorings.c.info).where(scorings.c.writer == "")
    for scoring, run_id, info in connection.execute(finished).all():
        try:
            expected = msgspec.json.decode(info, type=RunInfo).cases
        except msgspec.DecodeError:
            continue  # the row itself is a finding
        where = f"scoring {scoring} of {run_name(run_id)}"
        places = select(summaries.c.position).where(summaries.c.scoring_id == scoring)
        metrics = connection.execute(places).scalars().all()
        for kind in SCORING_KINDS:
            there = _covered(connection, scoring_blocks, scoring, kind)
            if there != expected:
                yield Broken(where, f"has {there:,} of {count_of(expected, 'row')} of {kind}", (scoring,))
                break
        else:
            wanted = max(metrics, default=0) + 1
            if len(metrics) != wanted:
                yield Broken(where, f"has {len(metrics)} of {count_of(wanted, 'row')} of summaries", (scoring,))


def _drop_scoring(connection: Connection, broken: Broken) -> None:
    connection.execute(delete(scorings).where(scorings.c.id == broken.key[0]))


def _changed_figures(connection: Connection) -> Iterator[Broken]:
    finished = select(scorings.c.id, scorings.c.run_id).where(scorings.c.writer == "")
    for scoring, run_id in connection.execute(finished).all():
        if changed := changed_figure(connection, scoring):
            yield Broken(f"scoring {scoring} of {run_name(run_id)}", changed, (scoring,))


def _restore_figures(connection: Connection, broken: Broken) -> None:
    restore_figures(connection, int(str(broken.key[0])))


def _changed_settings(connection: Connection) -> Iterator[Broken]:
    for run_id in connection.execute(select(runs.c.id)).scalars().all():
        if changed := changed_setting(connection, run_id):
            yield Broken(run_name(run_id), changed, (run_id,))


def _restore_settings(connection: Connection, broken: Broken) -> None:
    restore_settings(connection, int(str(broken.key[0])))


def _incomplete_cases(connection: Connection) -> Iterator[Broken]:
    kept = select(run_blocks.c.run_id).where(run_blocks.c.kind.in_(CASE_KINDS))
    for run_id, expected in connection.execute(select(runs.c.id, runs.c.cases).where(runs.c.id.in_(kept))).all():
        found = min(_covered(connection, run_blocks, run_id, kind) for kind in CASE_KINDS)
        if found != expected:
            yield Broken(run_name(run_id), f"has {found:,} of {count_of(expected, 'case')}", (run_id,))


def _drop_cases(connection: Connection, broken: Broken) -> None:
    connection.execute(
        delete(run_blocks).where(run_blocks.c.run_id == broken.key[0], run_blocks.c.kind.in_(CASE_KINDS))
    )


def _answer_blocks(connection: Connection, kind: str) -> dict[tuple[int, int], int]:
    """(run, first) → rows."""
    query = select(run_blocks.c.run_id, run_blocks.c.first, run_blocks.c.rows).where(run_blocks.c.kind == kind)
    ordered = query.order_by(run_blocks.c.run_id, run_blocks.c.first)
    return {(run_id, first): rows for run_id, first, rows in connection.execute(ordered)}


def _lost_answers(connection: Connection) -> Iterator[Broken]:
    keys, answers = _answer_blocks(connection, KEYS), _answer_blocks(connection, RESPONSES)
    for (run_id, first), rows in keys.items():
        if (run_id, first) not in answers:
            yield Broken(run_name(run_id), f"has lost {count_of(rows, 'answer')} from number {first}", (run_id, first))


def _mark_lost(connection: Connection, broken: Broken) -> None:
    """Failed calls in their place: an earlier attempt must not pass for the answer that was lost."""
    run_id, first = (int(str(part)) for part in broken.key)
    stored = block_at(connection, run_blocks, run_id, KEYS, first)
    if stored is None:
        return
    own = [run_blocks.c.run_id == run_id, run_blocks.c.kind == KEYS, run_blocks.c.first == first]
    connection.execute(delete(run_blocks).where(*own))
    append_lost(connection, run_id, stored)
    drop_answer_words(connection, run_id)


def _unnamed_answers(connection: Connection) -> Iterator[Broken]:
    keys, answers = _answer_blocks(connection, KEYS), _answer_blocks(connection, RESPONSES)
    for (run_id, first), rows in answers.items():
        if (run_id, first) not in keys:
            what = f"has {count_of(rows, 'answer')} from number {first} that belong to no question any more"
            yield Broken(run_name(run_id), what, (run_id, first))


def _drop_unnamed(connection: Connection, broken: Broken) -> None:
    own = [run_blocks.c.run_id == broken.key[0], run_blocks.c.first == broken.key[1]]
    connection.execute(delete(run_blocks).where(*own, run_blocks.c.kind.in_((RESPONSES, ANSWER_WORDS))))


def _gaps(connection: Connection) -> Iterator[Broken]:
    ends: dict[int, int] = {}
    for (run_id, first), rows in _answer_blocks(connection, KEYS).items():
        if first != (end := ends.get(run_id, 0)):
            yield Broken(run_name(run_id), f"has no answers from number {end} to {first - 1}", (run_id,))
        ends[run_id] = first + rows


def _close_gaps(connection: Connection, broken: Broken) -> None:
    drop_answer_words(connection, int(str(broken.key[0])))
    for kind in (KEYS, RESPONSES):
        end = 0
        for (run_id, first), rows in _answer_blocks(connection, kind).items():
            if run_id == broken.key[0]:
                own = [run_blocks.c.run_id == run_id, run_blocks.c.kind == kind, run_blocks.c.first == first]
                connection.execute(update(run_blocks).where(*own).values(first=end))
                end += rows


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


ORPHANS = tuple(
    Rule(str(table.name), _orphans(table), _drop_orphans(table), "left out")
    for table in metadata.sorted_tables
    if table.foreign_keys
)
RULES = (
    *ORPHANS,
    Rule("runs", _changed_settings, _restore_settings, "written again as it was"),
    Rule("summaries", _changed_figures, _restore_figures, "written again as they were"),
    Rule("scorings", _incomplete_scorings, _drop_scoring, "left out as a whole: karat score RUN computes it again"),
    Rule(
        "run_blocks",
        _incomplete_cases,
        _drop_cases,
        "the others are left out too: score it with karat score RUN --cases FILE",
    ),
    Rule(
        "run_blocks",
        _lost_answers,
        _mark_lost,
        "kept as failed calls: karat run --resume RUN --retry-errors asks again",
    ),
    Rule("run_blocks", _unnamed_answers, _drop_unnamed, "lost: karat run --resume RUN asks again"),
    Rule(
        "run_blocks",
        _gaps,
        _close_gaps,
        "lost: karat run --resume RUN asks again. Of a call that was tried several times, an earlier try may count now",
    ),
)
