"""Pages of a list of cases: filtered, sorted and cut by the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any  # Any: columns chosen at run time, and rows straight from the cursor

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Double,
    Select,
    Text,
    and_,
    bindparam,
    cast,
    exists,
    func,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSON

from karat.store.codec import from_text
from karat.store.schema import lines, reviews, runs, set_cases


class CaseQuery(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Which cases to list, in which order. ``metric`` and ``sort`` are positions in the scoring's summary."""

    search: str = ""
    status: str = ""
    tag: str = ""
    review: str = ""
    """``open``: waits for a person. ``wanted``: no rule settles it. ``done``: has a verdict. Else that verdict."""
    reason: str = ""
    in_set: str = ""
    """The name of a set of the run's suite."""
    answered: tuple[tuple[int, ...], ...] = ()
    """For each word that is searched for, the positions of the cases whose answer holds it: they match as well."""
    metric: int | None = None
    at_least: float | None = None
    at_most: float | None = None
    sort: int | str = "position"
    descending: bool = False


class Line(msgspec.Struct, frozen=True, gc=False):
    """A case in a list."""

    position: int
    case_id: str
    status: str
    name: str
    question: str
    reason: str
    tags: tuple[str, ...]
    figures: tuple[float | None, ...]
    wants_review: bool


class Columns(msgspec.Struct, frozen=True):
    """All cases of a scoring, column by column: ids, clusters, and the values of each metric."""

    case_ids: tuple[str, ...]
    clusters: tuple[str, ...]
    figures: tuple[tuple[float | None, ...], ...]
    """One tuple per case, in the order of the scoring's summary."""


class TagCount(msgspec.Struct, frozen=True, gc=False):
    """Cases with one set of tags and one status: how many, and the mean of one metric over those that have it."""

    tags: tuple[str, ...]
    status: str
    cases: int
    valued: int
    total: float


WORDS = 8
"""Words of a search that count."""


def searched_words(text: str) -> list[str]:
    """What is looked for: every word must be somewhere in the case."""
    return text.casefold().split()[:WORDS]


def read_page(
    connection: Connection, run_id: int, scoring: int, query: CaseQuery, offset: int, limit: int
) -> tuple[int, list[Line]]:
    """(how many cases the query finds, the lines of one page)."""
    where = _where(connection, run_id, scoring, query)
    count = connection.execute(select(func.count()).select_from(lines).where(*where)).scalar_one()
    columns = [lines.c[name] for name in Line.__struct_fields__]
    found: Select[Any] = select(*columns).where(*where).order_by(*_order(connection, query))
    return count, [_line(row) for row in connection.execute(found.limit(limit).offset(offset))]


def read_order(connection: Connection, run_id: int, scoring: int, query: CaseQuery) -> list[int]:
    """The positions of all cases that the query finds, in its order."""
    where = _where(connection, run_id, scoring, query)
    return list(
        connection.execute(select(lines.c.position).where(*where).order_by(*_order(connection, query))).scalars()
    )


def read_tags(connection: Connection, scoring: int, metric: int | None) -> list[TagCount]:
    """How many cases each set of tags has in each state, with the sum of one metric: one pass over the lines."""
    value: Any = _figure(connection, metric) if metric is not None else lines.c.position
    query = (
        select(lines.c.tags, lines.c.status, func.count(), func.count(value), func.coalesce(func.sum(value), 0))
        .where(lines.c.scoring_id == scoring)
        .group_by(lines.c.tags, lines.c.status)
    )
    return [
        TagCount(_tags(tags), status, cases, valued, float(total))
        for tags, status, cases, valued, total in connection.execute(query)
    ]


def read_lines(connection: Connection, scoring: int, case_ids: Sequence[str]) -> list[Line]:
    """The lines of these cases."""
    columns = [lines.c[name] for name in Line.__struct_fields__]
    query = select(*columns).where(lines.c.scoring_id == scoring, lines.c.case_id.in_(list(case_ids)))
    return [_line(row) for row in connection.execute(query)]


def read_reasons(connection: Connection, scoring: int, most: int) -> list[tuple[str, int]]:
    """The most frequent reasons, each with its number of cases."""
    count = func.count()
    query = select(lines.c.reason, count).where(lines.c.scoring_id == scoring, lines.c.reason != "")
    found = query.group_by(lines.c.reason).order_by(count.desc(), lines.c.reason).limit(most)
    return [(reason, number) for reason, number in connection.execute(found)]


def read_upper(connection: Connection, scoring: int, metric: int, place: int) -> float | None:
    """The value at this place, from 0, when the largest stands first; None when there are not so many."""
    value = _figure(connection, metric)
    query = select(value).where(lines.c.scoring_id == scoring, value.is_not(None))
    found = connection.execute(query.order_by(value.desc()).limit(1).offset(place)).scalar()
    return None if found is None else float(found)


def read_columns(connection: Connection, scoring: int) -> Columns:
    """Every case's figures, decoded all at once."""
    rows = _all_rows(connection, scoring, lines.c.case_id, lines.c.cluster, lines.c.figures)
    figures = msgspec.json.decode(f"[{','.join(row[2] for row in rows)}]", type=tuple[tuple[float | None, ...], ...])
    return Columns(tuple(from_text(row[0]) for row in rows), tuple(from_text(row[1]) for row in rows), figures)


def read_clustered(connection: Connection, scoring: int) -> bool:
    """Whether a case has a cluster."""
    named = select(lines.c.position).where(lines.c.scoring_id == scoring, lines.c.cluster != "")
    return connection.execute(named.limit(1)).first() is not None


def read_places(connection: Connection, scoring: int) -> dict[str, int]:
    """Case id → its position in the scoring."""
    return {from_text(row[0]): row[1] for row in _all_rows(connection, scoring, lines.c.case_id, lines.c.position)}


def _all_rows(connection: Connection, scoring: int, *columns: ColumnElement[Any]) -> list[Any]:
    """Rows as the driver gives them: a fifth of the time, where there are 100,000."""
    result = connection.execute(select(*columns).where(lines.c.scoring_id == scoring).order_by(lines.c.position))
    cursor: Any = result.cursor
    rows: list[Any] = cursor.fetchall()
    result.close()
    return rows


def _member(run_id: int, name: str) -> ColumnElement[bool]:
    suite = select(runs.c.suite).where(runs.c.id == run_id).scalar_subquery()
    return exists().where(set_cases.c.suite == suite, set_cases.c.name == name, set_cases.c.case_id == lines.c.case_id)


def _among(connection: Connection, positions: Sequence[int]) -> ColumnElement[bool]:
    """One parameter, however many positions there are."""
    if connection.dialect.name == "postgresql":
        return lines.c.position == func.any(bindparam(None, list(positions), type_=ARRAY(BigInteger)))
    return lines.c.position.in_(
        select(
            func.json_each(bindparam(None, msgspec.json.encode(positions).decode(), type_=Text))
            .table_valued("value")
            .c.value
        )
    )


def _where(connection: Connection, run_id: int, scoring: int, query: CaseQuery) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [lines.c.scoring_id == scoring]
    if query.status:
        found.append(lines.c.status == query.status)
    if query.tag:
        found.append(lines.c.tags.contains(f"\n{query.tag}\n", autoescape=True))
    if query.reason:
        found.append(lines.c.reason == query.reason)
    if query.in_set:
        found.append(_member(run_id, query.in_set))
    answered = query.answered or ((),) * WORDS
    for word, positions in zip(searched_words(query.search), answered, strict=False):
        said = lines.c.searched.contains(word, autoescape=True)
        found.append(or_(said, _among(connection, positions)) if positions else said)
    if query.metric is not None:
        value = _figure(connection, query.metric)
        if query.at_least is not None:
            found.append(value >= query.at_least)
        if query.at_most is not None:
            found.append(value <= query.at_most)
        if query.at_least is None and query.at_most is None:
            found.append(value.is_not(None))
    if query.review:
        found.append(_reviewed(run_id, query.review))
    return found


def _reviewed(run_id: int, wanted: str) -> ColumnElement[bool]:
    current = and_(reviews.c.run_id == run_id, reviews.c.case_id == lines.c.case_id, reviews.c.undone == "")
    if wanted == "wanted":
        return lines.c.wants_review == 1
    if wanted == "open":
        return and_(or_(lines.c.wants_review == 1, lines.c.status == "error"), ~exists().where(current))
    if wanted != "done":
        current = and_(current, reviews.c.verdict == wanted)
    return exists().where(current)


def _order(connection: Connection, query: CaseQuery) -> list[ColumnElement[Any]]:
    if isinstance(query.sort, int):
        value = _figure(connection, query.sort)
        return [value.is_(None), value.desc() if query.descending else value, lines.c.position]
    column = lines.c[query.sort] if query.sort in ("case_id", "status", "reason") else lines.c.position
    return [column.desc() if query.descending else column, lines.c.position]


def _figure(connection: Connection, index: int) -> ColumnElement[Any]:
    if connection.dialect.name == "postgresql":
        return cast(cast(lines.c.figures, JSON)[index].astext, Double)
    return func.json_extract(lines.c.figures, f"$[{int(index)}]")


def _tags(text: str) -> tuple[str, ...]:
    return tuple(text.strip("\n").split("\n")) if text else ()


def _line(row: Any) -> Line:
    return Line(
        row.position,
        row.case_id,
        row.status,
        row.name,
        row.question,
        row.reason,
        _tags(row.tags),
        tuple(msgspec.json.decode(row.figures)),
        bool(row.wants_review),
    )
