"""The ranks of the relevant documents of many questions, from dicts or from coded arrays.

No result list is put in order: what every metric needs is the rank of each relevant document, and that is one more than
the number of results above it. From dicts only the plain scores of a question are sorted, and only its relevant
documents are looked up. From arrays the relevant results are picked out with a small table of flags for a block of
questions, which lets a few others through, and those are then checked one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.core.problems import UserError
from karat.suites.retrieval.bulk.metrics import Hits, Integers
from karat.suites.retrieval.ranking import NotANumber, Scores, as_scores, ranks_by_score

Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Mapping[str, float]]

FLAGS = 12
"""A question has 2 to this power flags: about one false hit per that many results, for each relevant document."""
TOGETHER = 128
"""This many questions at a time: their flags stay in a processor's cache."""
MANY_TIES = 16
"""With more tied hits than this, a question's results are put in order; with fewer, those above each hit are
counted."""


# -- dicts ------------------------------------------------------------------------------------------------------------


def hits_of_dicts(qrels: Qrels, run: Run, level: int, most: int | None) -> tuple[list[str], Hits]:
    """The questions that both sides have, in the order of the run, and their hits."""
    names = [name for name in run if qrels.get(name)]
    ranks: list[Integers] = [np.empty(0, np.int64)]
    gains: list[int] = []
    found: list[int] = []
    judged_gains: list[int] = []
    judged: list[int] = []
    for name in names:
        results = run[name]
        wanted = {key: relevance for key, relevance in qrels[name].items() if relevance > 0}
        keys = [key for key in wanted if key in results]
        if keys:
            scores = as_scores(np.fromiter(results.values(), np.float64, len(results)))
            try:
                ranks.append(ranks_by_score(keys, as_scores([results[key] for key in keys]), results, scores))
            except NotANumber as error:
                raise UserError(f'a score of question "{name}" is not a number') from error
            gains.extend([wanted[key] for key in keys])
        found.append(len(keys))
        judged_gains.extend(wanted.values())
        judged.append(len(wanted))
    numbers = np.arange(len(names))
    hits = _ordered(np.repeat(numbers, found), np.concatenate(ranks), np.array(gains, np.int64), most)
    return names, Hits(
        len(names), level, *hits, *_by_gain(np.repeat(numbers, judged), np.array(judged_gains, np.int64))
    )


def _ordered(
    questions: Integers, ranks: Integers, gains: Integers, most: int | None
) -> tuple[Integers, Integers, Integers]:
    """By question, then rank; those past the first ``most`` results left out."""
    order = _order(questions, ranks)
    if most is not None:
        order = order[ranks[order] <= most]
    return questions[order], ranks[order], gains[order]


def _by_gain(questions: Integers, gains: Integers) -> tuple[Integers, Integers]:
    order = _order(questions, gains.max(initial=0) - gains)
    return questions[order], gains[order]


def _order(first: Integers, second: Integers) -> NDArray[np.intp]:
    """The order by two numbers from 0 on. Sorting one number that encodes both is several times as quick."""
    size = int(second.max(initial=0)) + 1
    if int(first.max(initial=0)) < 2**62 // size:
        return np.argsort(first * size + second)
    return np.lexsort((second, first))


def _distinct(values: NDArray[np.integer]) -> NDArray[np.integer]:
    """The distinct values, rising. ``np.unique`` hashes them, which takes ten times as long."""
    if (values[1:] < values[:-1]).any():
        values = np.sort(values)
    return values[np.r_[True, values[1:] != values[:-1]]] if values.size else values


# -- coded arrays -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CodedQrels:
    """Judgements as three arrays of equal length: question, document, relevance. Codes are whole numbers from 0 on;
    each pair occurs once.

    >>> import numpy as np
    >>> from karat import retrieval
    >>> qrels = retrieval.CodedQrels(np.array([0, 0]), np.array([0, 1]), np.array([1, 0]))
    >>> run = retrieval.CodedRun(np.array([0, 0]), np.array([1, 0]), np.array([0.9, 0.5]))
    >>> retrieval.evaluate(qrels, run, metrics=("rr",)).means
    {'rr': 0.5}
    """

    questions: NDArray[np.integer]
    documents: NDArray[np.integer]
    relevances: NDArray[np.integer]


@dataclass(frozen=True)
class CodedRun:
    """Results as arrays of equal length: question, document, score. The codes are those of the qrels; each pair occurs
    once.

    Among equal scores the greater document code comes first: codes in the order of the documents' names give
    trec_eval's order. Without scores the results of a question are ranked as they are. Questions may be in any
    order; results that are grouped by question and are best first are the quickest.

    >>> import numpy as np
    >>> from karat import retrieval
    >>> len(retrieval.CodedRun(np.array([0, 0]), np.array([1, 0])).documents)
    2
    """

    questions: NDArray[np.integer]
    documents: NDArray[np.integer]
    scores: NDArray[np.floating] | None = None


def hits_of_arrays(qrels: CodedQrels, run: CodedRun, level: int, most: int | None) -> tuple[Integers, Hits, int]:
    """The codes of the questions that both sides have, rising, their hits, and how many questions the qrels have."""
    _check(qrels, run)
    results = _grouped(run)
    begins = (
        np.flatnonzero(np.r_[True, results.questions[1:] != results.questions[:-1]])
        if len(results.questions)
        else np.arange(0)
    )
    ends = np.r_[begins[1:], len(results.questions)]
    codes = results.questions[begins].astype(np.int64)
    best_first = _best_first(results.scores, begins)
    asked = _distinct(qrels.questions).astype(np.int64)
    judged, _ = _places(codes, asked)
    codes, begins, ends = codes[judged], begins[judged], ends[judged]
    wanted = _wanted(qrels, codes)
    questions, places, gains = _picked(results.documents, begins, ends, wanted)
    ranks = _ranks(results, best_first, begins, ends, questions, places)
    found = _ordered(questions, ranks, gains, most)
    return codes, Hits(len(codes), level, *found, *_by_gain(wanted.questions, wanted.gains)), len(asked)


def _places(values: Integers, known: Integers) -> tuple[NDArray[np.bool_], Integers]:
    """Which of the values are among the known ones, which rise; and for those that are, where."""
    places = np.searchsorted(known, values)
    found: NDArray[np.bool_] = known.take(places, mode="clip") == values if known.size else np.zeros(len(values), bool)
    return found, places[found]


def _check(qrels: CodedQrels, run: CodedRun) -> None:
    for what, arrays in (("qrels", (qrels.documents, qrels.relevances)), ("run", (run.documents, run.scores))):
        first = qrels.questions if what == "qrels" else run.questions
        if any(array is not None and len(array) != len(first) for array in arrays):
            raise UserError(f"the arrays of the {what} are not of equal length")
    for array in (qrels.questions, qrels.documents, run.questions, run.documents):
        if array.dtype.kind not in "iu":
            raise UserError(f"codes must be whole numbers, not {array.dtype}")
        if array.size and (array.min() < 0 or array.max() >= 2**62):
            raise UserError("a code is below 0 or too large", hint="Number the questions and documents from 0 on.")
    if run.scores is not None and np.isnan(run.scores).any():
        raise UserError("a score is not a number")


@dataclass(frozen=True)
class _Grouped:
    """A run with the results of each question together, in their order, and the scores as they are compared."""

    questions: NDArray[np.integer]
    documents: NDArray[np.integer]
    scores: Scores | None


def _grouped(run: CodedRun) -> _Grouped:
    scores = run.scores
    if scores is not None:
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32, copy=False)
    if not (run.questions[1:] < run.questions[:-1]).any():
        return _Grouped(run.questions, run.documents, scores)
    order = np.argsort(run.questions, kind="stable")
    return _Grouped(run.questions[order], run.documents[order], None if scores is None else scores[order])


@dataclass(frozen=True)
class _Wanted:
    """What is relevant, by question (its place among the codes) and document, and where each question's part of it
    begins."""

    questions: Integers
    documents: Integers
    gains: Integers
    begins: Integers


def _wanted(qrels: CodedQrels, codes: Integers) -> _Wanted:
    kept = np.flatnonzero(qrels.relevances > 0)
    judged, questions = _places(qrels.questions[kept].astype(np.int64), codes)
    kept = kept[judged]
    documents = qrels.documents[kept].astype(np.int64)
    order = _order(questions, documents)
    questions, documents = questions[order], documents[order]
    if ((questions[1:] == questions[:-1]) & (documents[1:] == documents[:-1])).any():
        raise UserError("a document is judged twice for a question")
    gains = qrels.relevances[kept][order].astype(np.int64)
    return _Wanted(questions, documents, gains, np.searchsorted(questions, np.arange(len(codes) + 1)))


def _picked(
    documents: NDArray[np.integer], begins: Integers, ends: Integers, wanted: _Wanted
) -> tuple[Integers, Integers, Integers]:
    """Question, place in the run and gain of every relevant result."""
    mask = (1 << FLAGS) - 1
    candidates: list[Integers] = [np.empty(0, np.int64)]
    for start in range(0, len(begins), TOGETHER):
        stop = min(start + TOGETHER, len(begins))
        flags = np.zeros((stop - start) << FLAGS, np.bool_)
        part = slice(wanted.begins[start], wanted.begins[stop])
        flags[((wanted.questions[part] - start) << FLAGS) | (wanted.documents[part] & mask)] = True
        for first, last, offsets in _stretches(begins[start:stop], ends[start:stop]):
            slots = (documents[first:last] & mask).astype(np.int32, copy=False)
            slots |= offsets
            candidates.append(np.flatnonzero(flags.take(slots)) + first)
    places = np.concatenate(candidates)
    questions = np.searchsorted(begins, places, side="right") - 1
    return _exact(questions, places, documents[places].astype(np.int64), wanted)


def _stretches(begins: Integers, ends: Integers) -> list[tuple[int, int, NDArray[np.int32]]]:
    """(first, last, the offset of each result's flags) for results that lie side by side: mostly one stretch."""
    breaks = np.flatnonzero(ends[:-1] != begins[1:]) + 1
    found = []
    for group in np.split(np.arange(len(begins)), breaks):
        offsets = np.repeat(group.astype(np.int32) << FLAGS, ends[group] - begins[group])
        found.append((int(begins[group[0]]), int(ends[group[-1]]), offsets))
    return found


def _exact(
    questions: Integers, places: Integers, documents: Integers, wanted: _Wanted
) -> tuple[Integers, Integers, Integers]:
    """Those of the candidates that are wanted. One number encodes a question with a document."""
    size, wanted_coded = int(wanted.documents.max(initial=0)) + 1, wanted.documents
    inside = documents < size
    if size > 2**31:  # too large to be multiplied: their places among the wanted ones stand for them
        known = _distinct(wanted.documents).astype(np.int64)
        size, (inside, coded) = known.size, _places(documents, known)
        wanted_coded = np.searchsorted(known, wanted.documents)
    else:
        coded = documents[inside]
    questions, places = questions[inside], places[inside]
    right, found = _places(questions * size + coded, wanted.questions * size + wanted_coded)
    if np.bincount(found).max(initial=0) > 1:
        raise UserError("a document appears twice in the results of a question")
    return questions[right], places[right], wanted.gains[found]


def _best_first(scores: Scores | None, begins: Integers) -> bool:
    """Whether the results of every question are in the order of their scores."""
    if scores is None or not scores.size:
        return True
    falling = scores[1:] <= scores[:-1]
    falling[begins[1:] - 1] = True
    return bool(falling.all())


def _ranks(
    run: _Grouped, best_first: bool, begins: Integers, ends: Integers, questions: Integers, places: Integers
) -> Integers:
    """The rank of each of the results at these places. Only questions in which one of them ties are put in order."""
    scores = run.scores
    if scores is None:
        return places - begins[questions] + 1
    ranked = _ranks_in_order if best_first else _ranks_in_disorder
    ranks, tied = ranked(scores, begins, ends, questions, places)
    for question in _distinct(questions[tied]).tolist():
        begin, end = int(begins[question]), int(ends[question])
        low, high = np.searchsorted(questions, [question, question + 1]).tolist()
        part, documents = scores[begin:end], run.documents[begin:end]
        own = places[low:high] - begin
        if np.count_nonzero(tied[low:high]) > MANY_TIES:
            rank_at = np.empty(end - begin, np.int64)
            rank_at[np.lexsort((documents, part))] = np.arange(end - begin, 0, -1)  # the last comes first
            ranks[low:high] = rank_at[own]
            continue
        for hit in np.flatnonzero(tied[low:high]).tolist():
            score, document = part[own[hit]], documents[own[hit]]
            above = np.count_nonzero(part > score) + np.count_nonzero(documents[part == score] > document)
            ranks[low + hit] = above + 1
    return ranks


def _ranks_in_order(
    scores: Scores, begins: Integers, ends: Integers, questions: Integers, places: Integers
) -> tuple[Integers, NDArray[np.bool_]]:
    """Results in order, best first: the position is the rank. And which of them score as much as a neighbour."""
    before = np.maximum(places - 1, begins[questions])
    after = np.minimum(places + 1, ends[questions] - 1)
    own = scores[places]
    tied = ((before < places) & (scores[before] == own)) | ((after > places) & (scores[after] == own))
    return places - begins[questions] + 1, tied


def _ranks_in_disorder(
    scores: Scores, begins: Integers, ends: Integers, questions: Integers, places: Integers
) -> tuple[Integers, NDArray[np.bool_]]:
    """The same for results in any order: one more than the number of scores above."""
    ranks = np.empty(len(places), np.int64)
    tied = np.empty(len(places), np.bool_)
    own = scores[places]
    bounds = np.searchsorted(questions, np.arange(len(begins) + 1)).tolist()
    for index, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
        low, high = bounds[index], bounds[index + 1]
        if low < high:
            ordered = scores[begin:end].copy()
            ordered.sort()
            upto = ordered.searchsorted(own[low:high], side="right")
            ranks[low:high] = end - begin - upto + 1
            tied[low:high] = (upto > 1) & (ordered[upto - 2] == own[low:high])
    return ranks, tied
