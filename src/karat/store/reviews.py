"""What people say of a case, beside what the rule says and never over it.

A verdict belongs to the run's answer, so it stays when the run is scored again. The newest that was not taken back
counts; every one that was ever given is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import msgspec
from sqlalchemy import Connection, insert, select, update

from karat.core.problems import UserError, did_you_mean
from karat.core.results.result import CaseReview
from karat.store.schema import reviews

Word = Literal["pass", "fail", "gold_wrong", "accept"]
"""``gold_wrong``: the case expects the wrong thing, so it says nothing of the answer. ``accept``: right as well, the
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


_COLUMNS = [reviews.c[name] for name in Review.__struct_fields__]


def insert_review(
    connection: Connection, run_id: int, case_id: str, verdict: str, reviewer: str, comment: str, now: str
) -> int:
    """A new verdict; one that counted before is kept and no longer counts. Its id."""
    if verdict not in WORDS:
        raise UserError(f'"{verdict}" is not a verdict', hint=did_you_mean(verdict, WORDS))
    _retire(connection, run_id, case_id, now)
    given = {"verdict": verdict, "reviewer": reviewer, "comment": comment, "created": now, "undone": ""}
    key = connection.execute(insert(reviews), {"run_id": run_id, "case_id": case_id, **given}).inserted_primary_key
    assert key is not None  # noqa: S101 (an insert of one row has its key)
    return int(key[0])


def undo_review(connection: Connection, run_id: int, case_id: str, now: str) -> bool:
    """Take the verdict back: the rule's word stands again. Whether there was one."""
    return _retire(connection, run_id, case_id, now) > 0


def _retire(connection: Connection, run_id: int, case_id: str, now: str) -> int:
    counting = (reviews.c.run_id == run_id, reviews.c.case_id == case_id, reviews.c.undone == "")
    return connection.execute(update(reviews).where(*counting).values(undone=now)).rowcount


def current_reviews(connection: Connection, run_id: int, case_ids: Sequence[str] | None = None) -> list[Review]:
    """The verdicts that count, oldest first; of these cases alone, when they are named."""
    query = select(*_COLUMNS).where(reviews.c.run_id == run_id, reviews.c.undone == "").order_by(reviews.c.id)
    if case_ids is not None:
        query = query.where(reviews.c.case_id.in_(list(case_ids)))
    return [Review(*row) for row in connection.execute(query)]


def case_reviews(connection: Connection, run_id: int) -> tuple[CaseReview, ...]:
    """The verdicts that count, oldest first, as a run's result holds them."""
    found = current_reviews(connection, run_id)
    return tuple(CaseReview(item.case_id, item.verdict, item.reviewer, item.comment, item.created) for item in found)


def review_history(connection: Connection, run_id: int, case_id: str) -> list[Review]:
    """Every verdict on a case, newest first."""
    query = select(*_COLUMNS).where(reviews.c.run_id == run_id, reviews.c.case_id == case_id)
    return [Review(*row) for row in connection.execute(query.order_by(reviews.c.id.desc()))]
