"""What the newest judge of a run says of its cases, for filters: a few words for each case."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, select

from karat.core.results.result import CaseReview
from karat.core.results.verdicts import settled, side_of
from karat.store.schema import judgements
from karat.store.verdicts.judgements import newest_version
from karat.store.verdicts.reviews import case_reviews

JUDGED = {
    "right": "judge: right",
    "wrong": "judge: wrong",
    "abstained": "judge: abstained",
    "suspicious": "judge: suspicious",
    "gold_suspect": "judge: doubts the gold",
    "against_people": "judge against people",
}
"""What cases can be looked for by, and how it is called."""
_VALUES = {"right": 1.0, "wrong": 0.0}


class _Said(msgspec.Struct, frozen=True):
    verdict: str = ""
    why: str = ""
    suspicious: bool = False
    gold_suspect: bool = False


_decoder = msgspec.json.Decoder(_Said)


def judged_cases_of(connection: Connection, run_id: int) -> dict[str, frozenset[str]]:
    """Case → the words of ``JUDGED`` that are true of it. Of several turns all must be right; tries that differ are an
    abstention."""
    version = newest_version(connection, run_id)
    if not version:
        return {}
    own = (judgements.c.run_id == run_id) & (judgements.c.version == version)
    query = select(judgements.c.case_id, judgements.c.repeat, judgements.c.verdict).where(own)
    found: dict[str, dict[int, list[_Said]]] = {}
    for case, repeat, verdict in connection.execute(query):
        found.setdefault(case, {}).setdefault(repeat, []).append(_decoder.decode(verdict))
    people = settled(case_reviews(connection, run_id))
    return {case: _words(tries, people.get(case)) for case, tries in found.items()}


def _words(tries: dict[int, list[_Said]], review: CaseReview | None) -> frozenset[str]:
    said = [one for turns in tries.values() for one in turns]
    values = {min(_VALUES.get(one.verdict, 0.5) for one in turns) for turns in tries.values()}
    verdict = "right" if values == {1.0} else "wrong" if values == {0.0} else "abstained"
    words = {verdict}
    if any(one.suspicious or one.why in ("suspicious", "tampered") for one in said):
        words.add("suspicious")
    if any(one.gold_suspect for one in said):
        words.add("gold_suspect")
    side = side_of(review.verdict) if review is not None else ""
    if side in _VALUES and side != verdict:
        words.add("against_people")
    return frozenset(words)
