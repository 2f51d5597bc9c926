"""Pages of a list of cases: filtered, sorted and cut, from the columns of the list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any  # Any: columns chosen at run time

import msgspec
from sqlalchemy import Connection, Select, select

from karat.core.results.columns.columns import STATES
from karat.core.results.verdicts import disputed, settled
from karat.store.cases.case_list import CaseList, Line
from karat.store.schema import runs, set_cases
from karat.store.verdicts.judged_cases import judged_cases_of
from karat.store.verdicts.reviews import case_reviews

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]
    Positions = NDArray[np.int64]


class CaseQuery(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Which cases to list, in which order. ``metric`` and ``sort`` are positions in the scoring's summary."""

    search: str = ""
    status: str = ""
    tag: str = ""
    review: str = ""
    """``open``: waits for a person. ``wanted``: no rule settles it. ``done``: has a verdict. ``disputed``: people
    disagree. Else what the verdicts come to."""
    judge: str = ""
    """What the newest judge says of it: a word of ``judged_cases.JUDGED``."""
    reason: str = ""
    group: str = ""
    """The key of a failure group. Which cases are in it depends on the run that it was compared with (``against``), so
    ``among`` has to say them."""
    against: str = ""
    among: tuple[int, ...] | None = None
    """The positions of the cases that count; None: all."""
    in_set: str = ""
    """The name of a set of the run's suite."""
    answered: tuple[tuple[int, ...], ...] = ()
    """For each word that is searched for, the positions of the cases whose answer holds it: they match as well."""
    change: str = ""
    """``newly_wrong`` or ``newly_right``, since the run ``against``: ``among`` then has the cases."""
    metric: int | None = None
    at_least: float | None = None
    at_most: float | None = None
    sort: int | str = "position"
    descending: bool = False


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
    connection: Connection, found: CaseList, run_id: int, query: CaseQuery, offset: int, limit: int
) -> tuple[int, list[Line]]:
    """(how many cases the query finds, the lines of one page)."""
    order = read_order(connection, found, run_id, query)
    return len(order), found.lines(connection, order[offset : offset + limit].tolist())


def read_count(connection: Connection, found: CaseList, run_id: int, query: CaseQuery) -> int:
    """How many cases the query finds."""
    return int(_chosen(connection, found, run_id, query).sum())


def read_order(connection: Connection, found: CaseList, run_id: int, query: CaseQuery) -> Positions:
    """The positions of all cases that the query finds, in its order."""
    import numpy as np

    chosen = np.flatnonzero(_chosen(connection, found, run_id, query))
    if isinstance(query.sort, int):
        values = found.figure(query.sort)[chosen]
        order = np.argsort(-values if query.descending else values, kind="stable")  # NaN comes last either way
        return chosen[order]
    if query.sort == "case_id":
        return _by_text(chosen, found.columns.case_ids, query.descending)
    if query.sort == "status":
        return _by_code(chosen, found.columns.statuses, STATES, query.descending)
    if query.sort == "reason":
        return _by_code(chosen, found.reason_codes, found.reasons, query.descending)
    return chosen[::-1] if query.descending else chosen


def read_tags(found: CaseList, metric: int | None) -> list[TagCount]:
    """How many cases each set of tags has in each state, with the sum of one metric."""
    import numpy as np

    groups = found.tag_codes.astype(np.int64) * len(STATES) + found.columns.statuses
    values = np.full(len(found), np.nan) if metric is None else found.figure(metric)
    known = ~np.isnan(values)
    most = len(found.tags) * len(STATES)
    cases = np.bincount(groups, minlength=most)
    valued = np.bincount(groups[known], minlength=most)
    totals = np.bincount(groups[known], values[known], minlength=most)
    return [
        TagCount(
            found.tags[group // len(STATES)],
            STATES[group % len(STATES)],
            int(cases[group]),
            int(valued[group]),
            float(totals[group]),
        )
        for group in np.flatnonzero(cases).tolist()
    ]


def read_reasons(found: CaseList, most: int) -> list[tuple[str, int]]:
    """The most frequent reasons, each with its number of cases."""
    import numpy as np

    counts = np.bincount(found.reason_codes, minlength=len(found.reasons)).tolist()
    named = [(reason, count) for reason, count in zip(found.reasons, counts, strict=True) if reason]
    return sorted(named, key=lambda item: (-item[1], item[0]))[:most]


def read_upper(found: CaseList, metric: int, place: int) -> float | None:
    """The value at this place, counted from 0, the largest first; None when there are fewer values."""
    import numpy as np

    values = found.figure(metric)
    values = values[~np.isnan(values)]
    if place >= len(values):
        return None
    return float(np.partition(values, len(values) - 1 - place)[len(values) - 1 - place])


def _by_text(chosen: Positions, texts: Any, descending: bool) -> Positions:
    import numpy as np

    return np.array(sorted(chosen.tolist(), key=texts.__getitem__, reverse=descending), np.int64)


def _by_code(chosen: Positions, codes: Any, texts: Any, descending: bool) -> Positions:
    """In the order of the texts that the codes stand for; cases with the same text in the order of their positions."""
    import numpy as np

    ranks = np.empty(len(texts), np.int64)
    ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    own = ranks[codes[chosen]]
    return chosen[np.argsort(-own if descending else own, kind="stable")]


def _chosen(connection: Connection, found: CaseList, run_id: int, query: CaseQuery) -> Flags:
    import numpy as np

    chosen = np.ones(len(found), bool)
    if query.status:
        code = STATES.index(query.status) if query.status in STATES else -1
        chosen &= found.columns.statuses == code
    if query.tag:
        with_tag = np.array([query.tag in tags for tags in found.tags], bool)
        chosen &= with_tag[found.tag_codes] if len(with_tag) else False
    if query.reason:
        code = found.reasons.index(query.reason) if query.reason in found.reasons else -1
        chosen &= found.reason_codes == code
    if query.among is not None:
        inside = np.zeros(len(found), bool)
        inside[np.array(query.among, np.int64)] = True
        chosen &= inside
    if query.in_set:
        suite = select(runs.c.suite).where(runs.c.id == run_id).scalar_subquery()
        members = select(set_cases.c.case_id).where(set_cases.c.suite == suite, set_cases.c.name == query.in_set)
        chosen &= _named(connection, found, members)
    if words := searched_words(query.search):
        texts = found.texts(connection)
        for word, positions in zip(words, query.answered or ((),) * WORDS, strict=False):
            holding = np.zeros(len(found), bool)
            for block in texts:
                holding[list(block.holding(word))] = True
            if positions:
                holding[np.array(positions)] = True
            chosen &= holding
    if query.among is not None:
        own = np.zeros(len(found), bool)
        own[np.array(query.among, np.int64)] = True
        chosen &= own
    if query.metric is not None:
        chosen &= _within(found, query.metric, query)
    if query.review:
        chosen &= _reviewed(connection, found, run_id, query.review)
    if query.judge:
        judged = judged_cases_of(connection, run_id)
        chosen &= found.with_ids({case for case, words in judged.items() if query.judge in words})
    return chosen


def _within(found: CaseList, metric: int, query: CaseQuery) -> Flags:
    import numpy as np

    values = found.figure(metric)
    within: Flags = ~np.isnan(values)
    if query.at_least is not None:
        within &= values >= query.at_least
    if query.at_most is not None:
        within &= values <= query.at_most
    return within


def _reviewed(connection: Connection, found: CaseList, run_id: int, wanted: str) -> Flags:
    if wanted == "wanted":
        return found.wants_review
    given = case_reviews(connection, run_id)
    if wanted in ("open", "done"):
        done = found.with_ids({review.case for review in given})
        waiting: Flags = found.wants_review | (found.columns.statuses == STATES.index("error"))
        return done if wanted == "done" else waiting & ~done
    if wanted == "disputed":
        return found.with_ids(set(disputed(given)))
    return found.with_ids({case for case, review in settled(given).items() if review.verdict == wanted})


def _named(connection: Connection, found: CaseList, ids: Select[Any]) -> Flags:
    """The cases whose ids a query gives."""
    return found.with_ids(set(connection.execute(ids).scalars()))
