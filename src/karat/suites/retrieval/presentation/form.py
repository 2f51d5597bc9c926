"""How a question is shown: for each field the ranked list, with the needed keys at their ranks and the cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

from karat.core.case_form import CaseForm, RankCut, RankedKey, RankedList, RankGap
from karat.core.problems import count_of
from karat.core.records import Prediction
from karat.core.suite import Unreadable
from karat.suites.retrieval.details import Details, FieldDetails
from karat.suites.retrieval.predictions import read_response
from karat.suites.retrieval.ranking import Place, all_places
from karat.suites.retrieval.records import Ranked, Truths

FIRST = 10
"""Places that are listed whether or not they are needed."""
UNFOLDED = 40
"""Places of a gap that can be unfolded."""
MOST_NAMED = 3
MOST_LISTED = 200
"""Places of one field that are drawn."""


def form(details: Details, truths: Truths | None, answer: Prediction | None) -> CaseForm:
    """Fields that are not right come first. With one answer of several, the fields of its turn."""
    given = _given(answer)
    if answer is not None:
        details = Details(tuple(one for one in details.fields if one.turn in (None, answer.turn)))
    lists = []
    for field in details.fields:
        own = given.get(field.field)
        lists.append(_list(field, all_places(own) if own is not None else [], truths))
    lists.sort(key=lambda one: one.right)
    return CaseForm(_sentence(details, given), _because(details, given), tuple(lists))


def _given(answer: Prediction | None) -> dict[str, Ranked]:
    if answer is None or answer.error is not None:
        return {}
    try:
        return read_response(answer.response).fields
    except Unreadable:
        return {}


def _list(field: FieldDetails, places: Sequence[Place], truths: Truths | None) -> RankedList:
    title = field.field if field.turn is None else f"turn {field.turn + 1}: {field.field}"
    note = f"{field.relevant:,} needed, {field.found:,} found"
    right = not field.missing_count
    shown = tuple(_drawn(field, places)) if places else tuple(_known(field, truths))
    return RankedList(title, note, shown, right)


def _drawn(field: FieldDetails, places: Sequence[Place]) -> Iterator[RankedKey | RankGap | RankCut]:
    """The first places, then only what is needed, with what lies between counted."""
    best = max((score for _, _, score in places if score is not None and isfinite(score)), default=0.0)
    hits, missing = set(field.ranks), set(field.missing)
    waiting: list[RankedKey] = []
    listed = 0
    for rank, key, score in places:
        below = rank > field.retrieved
        if rank == field.retrieved + 1:
            yield from _gap(waiting)
            waiting = []
            yield RankCut(f"n = {field.retrieved}: the list that counts ends here")
        share = round(100 * score / best) if score is not None and best > 0 and isfinite(score) else 0
        state = "lost" if below and key in missing else "hit" if not below and rank in hits else ""
        one = RankedKey(
            rank, key, "lost" if state == "lost" else "hit" if state else "", score, max(0, min(share, 100))
        )
        if (state and listed < MOST_LISTED) or (not below and rank <= FIRST):
            yield from _gap(waiting)
            waiting = []
            yield one
            listed += 1
        else:
            waiting.append(one)
    yield from _gap(waiting)
    there = {key for rank, key, _ in places if rank > field.retrieved}
    nowhere = [key for key in field.missing if key not in there]
    if nowhere:
        if len(places) <= field.retrieved:
            yield RankCut(f"the list of {count_of(field.retrieved, 'result')} ends here")
        yield from (RankedKey(None, key, "lost") for key in nowhere)
    if field.missing_count > len(field.missing):
        yield RankGap(f"{field.missing_count - len(field.missing):,} more needed keys are not in the list")


def _gap(waiting: Sequence[RankedKey]) -> Iterator[RankGap]:
    if not waiting:
        return
    first, last = waiting[0].rank, waiting[-1].rank
    ranks = f"rank {first}" if first == last else f"ranks {first} – {last}"
    yield RankGap(f"{len(waiting):,} more, none needed · {ranks}", tuple(waiting[:UNFOLDED]))


def _known(field: FieldDetails, truths: Truths | None) -> Iterator[RankedKey | RankGap | RankCut]:
    """Without the answer itself: the ranks of what was found, and what was not."""
    wanted = truths.fields.get(field.field, {}) if truths is not None else {}
    found = [key for key in wanted if key not in field.missing and wanted[key] > 0]
    single = found[0] if len(found) == 1 == field.found else "a needed key"
    yield from (RankedKey(rank, single, "hit") for rank in field.ranks)
    yield RankCut(f"the list of {count_of(field.retrieved, 'result')} ends here")
    yield from (RankedKey(None, key, "lost") for key in field.missing)
    if field.missing_count > len(field.missing):
        yield RankGap(f"{field.missing_count - len(field.missing):,} more needed keys are not in the list")


# -- in words ---------------------------------------------------------------------------------------------------------


def _sentence(details: Details, given: dict[str, Ranked]) -> str:
    needed, found = sum(one.relevant for one in details.fields), sum(one.found for one in details.fields)
    if not needed:
        return "the question has no needed key"
    if found == needed:
        last = max((rank for one in details.fields for rank in one.ranks), default=0)
        which = f"all {needed:,} needed keys" if needed > 1 else "the needed key"
        return f"{which} found, {'the last ' if needed > 1 else ''}at rank {last:,}"
    said = list(_lost(details, given))[:MOST_NAMED]
    below = [f"{key} came at rank {rank:,}" for key, rank in said if rank is not None]
    absent = [key for key, rank in said if rank is None]
    if absent:
        named = absent[0] if len(absent) == 1 else f"{', '.join(absent[:-1])} and {absent[-1]}"
        below.append(f"{named} {'is' if len(absent) == 1 else 'are'} not in the list")
    rest = needed - found - len(said)
    tail = f", and {rest:,} more" if rest > 0 else ""
    return f"{found:,} of {count_of(needed, 'needed key')} found; {', '.join(below)}{tail}"


def _lost(details: Details, given: dict[str, Ranked]) -> Iterator[tuple[str, int | None]]:
    """Each needed key that was not found, and its rank below the cut; None: it is not in the list."""
    for field in details.fields:
        own = given.get(field.field)
        ranks = {key: rank for rank, key, _ in all_places(own)} if own is not None and field.missing else {}
        for key in field.missing[:MOST_NAMED]:
            yield key, ranks.get(key)


def _because(details: Details, given: dict[str, Ranked]) -> str:
    said = []
    for field in details.fields:
        own = given.get(field.field)
        if field.missing_count and own is not None and len(own.keys) > field.retrieved:
            said.append(f"In {field.field} the list that counts ends at n = {field.retrieved:,}.")
    return " ".join(said)
