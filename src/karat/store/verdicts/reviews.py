"""What people say of a case, beside what the rule says and never over it.

A verdict belongs to the run's answer, so it stays when the run is scored again. The newest of each person that was not
taken back counts; every one that was ever given is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args  # Any: a row of the database

import msgspec
from sqlalchemy import ColumnElement, Connection, insert, select, update

from karat.core.problems import UserError, did_you_mean
from karat.core.results.result import CaseReview
from karat.store.schema import reviews

Word = Literal["pass", "fail", "gold_wrong", "accept"]
"""``gold_wrong``: the case expects the wrong thing, so it says nothing about the answer. ``accept``: right as well, the
case should say so."""
WORDS: tuple[Word, ...] = get_args(Word)


class Review(msgspec.Struct, frozen=True):
    """One verdict of one person. ``undone`` is the time it was taken back or replaced; empty while it counts."""

    id: int
    run_id: int
    case_id: str
    verdict: Word
    reviewer: str
    comment: str
    created: str
    undone: str = ""
    adjudication: bool = False
    """It settles the case for everybody."""
    blind: bool = False
    """What others and the rule say was hidden when it was given."""


class StaleReview(UserError):
    """A verdict from a page that does not know a newer one."""

    def __init__(self, newer: Review) -> None:
        self.newer = newer
        who = "adjudicated" if newer.adjudication else "given by the same person"
        super().__init__(
            f"there is a newer verdict on this case, {who} after the page was opened, so this one is not saved",
            hint="Look at the newer one, then give yours again if it should replace it.",
        )


_COLUMNS = [reviews.c[name] for name in Review.__struct_fields__]


def insert_review(
    connection: Connection,
    run_id: int,
    given: CaseReview,
    now: str,
    *,
    blind: bool = False,
    seen: int | None = None,
) -> int:
    """A new verdict; its id. The same person's earlier one is kept and no longer counts; an adjudication replaces any
    other. ``seen``: the newest verdict on the case that the person knows of, 0 for none; :class:`StaleReview` where
    there is a newer one of the same person, or a newer adjudication."""
    if given.verdict not in WORDS:
        raise UserError(f'"{given.verdict}" is not a verdict', hint=did_you_mean(given.verdict, WORDS))
    _check_fresh(connection, run_id, given.case, given.reviewer, seen)
    own = reviews.c.adjudication == 1 if given.adjudication else _own(given.reviewer)
    _retire(connection, run_id, given.case, now, own)
    row = {"run_id": run_id, "case_id": given.case, "verdict": given.verdict, "reviewer": given.reviewer}
    row |= {"comment": given.comment, "created": now, "undone": ""}
    row |= {"adjudication": int(given.adjudication), "blind": int(blind)}
    key = connection.execute(insert(reviews), row).inserted_primary_key
    assert key is not None  # noqa: S101 (an insert of one row has its key)
    return int(key[0])


def undo_review(
    connection: Connection, run_id: int, case_id: str, now: str, reviewer: str | None = None, seen: int | None = None
) -> bool:
    """Take a person's verdict back, also an adjudication; without a person, everybody's. Whether there was one."""
    if reviewer is None:
        return _retire(connection, run_id, case_id, now) > 0
    _check_fresh(connection, run_id, case_id, reviewer, seen)
    return _retire(connection, run_id, case_id, now, reviews.c.reviewer == reviewer) > 0


def _own(reviewer: str) -> ColumnElement[bool]:
    return (reviews.c.reviewer == reviewer) & (reviews.c.adjudication == 0)


def _check_fresh(connection: Connection, run_id: int, case_id: str, reviewer: str, seen: int | None) -> None:
    if seen is None:
        return
    query = select(*_COLUMNS).where(*_counting(run_id, case_id), reviews.c.id > seen)
    query = query.where((reviews.c.reviewer == reviewer) | (reviews.c.adjudication == 1))
    if (row := connection.execute(query.order_by(reviews.c.id.desc()).limit(1)).first()) is not None:
        raise StaleReview(_review(row))


def _counting(run_id: int, case_id: str) -> tuple[ColumnElement[bool], ...]:
    return reviews.c.run_id == run_id, reviews.c.case_id == case_id, reviews.c.undone == ""


def _retire(connection: Connection, run_id: int, case_id: str, now: str, *which: ColumnElement[bool]) -> int:
    change = update(reviews).where(*_counting(run_id, case_id), *which).values(undone=now)
    return connection.execute(change).rowcount


def _review(row: Any) -> Review:
    return Review(**{**row._mapping, "adjudication": bool(row.adjudication), "blind": bool(row.blind)})


def current_reviews(connection: Connection, run_id: int, case_ids: Sequence[str] | None = None) -> list[Review]:
    """The verdicts that count, one for each person and case, oldest first; of these cases alone, when they are
    named."""
    query = select(*_COLUMNS).where(reviews.c.run_id == run_id, reviews.c.undone == "").order_by(reviews.c.id)
    if case_ids is not None:
        query = query.where(reviews.c.case_id.in_(list(case_ids)))
    return [_review(row) for row in connection.execute(query)]


def case_review(item: Review) -> CaseReview:
    """A verdict as a run's result holds it."""
    return CaseReview(item.case_id, item.verdict, item.reviewer, item.comment, item.created, item.adjudication)


def case_reviews(connection: Connection, run_id: int, case_ids: Sequence[str] | None = None) -> tuple[CaseReview, ...]:
    """The verdicts that count, oldest first, as a run's result holds them."""
    return tuple(map(case_review, current_reviews(connection, run_id, case_ids)))


def review_history(connection: Connection, run_id: int, case_id: str) -> list[Review]:
    """Every verdict on a case, newest first."""
    query = select(*_COLUMNS).where(reviews.c.run_id == run_id, reviews.c.case_id == case_id)
    return [_review(row) for row in connection.execute(query.order_by(reviews.c.id.desc()))]
