"""The part of the review queue that a judge asks for: the random sample first, then what says most of the judge."""

from __future__ import annotations

from collections.abc import Sequence

from karat.judge.settings import Bar, JudgeSettings
from karat.store import RunRow
from karat.store.verdicts.judgements import JudgeRecords
from karat.store.verdicts.reviews import Review
from karat.verbs.judge.pools import drawn_again, pool_of
from karat.verbs.judge.review_next import ToReview, queue_of
from karat.web.page import Viewer


def judge_queue(viewer: Viewer, row: RunRow, reviewer: str, given: Sequence[Review]) -> list[ToReview]:
    """The cases that the newest judge of the run waits for, in order; none where no judge was asked."""
    records = JudgeRecords(viewer.store)
    last = records.last_asked(row.id)
    if last is None:
        return []
    pool = viewer.kept(("judge pool", row.scoring, *last), lambda: pool_of(viewer.store, row.id, last[0]))
    pool = drawn_again(viewer.store, pool, given)
    settings: JudgeSettings | None = viewer.judge
    wanted = settings.bar.reviews if settings is not None else Bar().reviews
    return queue_of(pool, given, wanted, overlap=settings.overlap if settings is not None else 0.0, reviewer=reviewer)
