"""Every metric for many questions at once, from the ranks of their relevant documents. The formulas are those of
``metrics/``, with one field per question.

A name is a metric of the suite (``map``, ``recall``, …) or one with any cutoff (``ndcg_at_10``, ``recall_at_7``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from karat.core.problems import UserError, did_you_mean

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Hits:
    """The retrieved documents with a relevance above 0, of all questions, ordered by question and within it by rank.

    ``judged_questions`` and ``judged_gains`` are all documents with a relevance above 0, retrieved or not, by question,
    the most relevant first.
    """

    count: int
    """How many questions."""
    level: int
    """From which relevance on a document counts as relevant."""
    questions: Integers
    ranks: Integers
    gains: Integers
    judged_questions: Integers
    judged_gains: Integers

    @cached_property
    def relevant(self) -> Integers:
        """For each question the number of relevant documents."""
        return self.per_question(self.judged_questions[self.judged_gains >= self.level])

    @cached_property
    def relevant_hits(self) -> tuple[Integers, Integers]:
        """Question and rank of the relevant ones among the hits."""
        if self.level <= 1:
            return self.questions, self.ranks
        kept = self.gains >= self.level
        return self.questions[kept], self.ranks[kept]

    @cached_property
    def places(self) -> Integers:
        """Which of its question's relevant hits each is: 1 for the first."""
        return place_in_group(self.relevant_hits[0])

    @cached_property
    def ideal_places(self) -> Integers:
        """Which rank each judged document has in the best possible order."""
        return place_in_group(self.judged_questions)

    def per_question(self, questions: Integers) -> Integers:
        """How often each question occurs."""
        return np.bincount(questions, minlength=self.count)

    def total(self, questions: Integers, weights: Reals) -> Reals:
        """The sum of the weights of each question, added in their given order."""
        return np.asarray(np.bincount(questions, weights=weights, minlength=self.count), dtype=np.float64)


def place_in_group(groups: Integers) -> Integers:
    """1, 2, 3, … within each stretch of equal values."""
    if not groups.size:
        return groups
    begins = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
    lengths = np.diff(np.r_[begins, groups.size])
    places: Integers = np.arange(1, groups.size + 1) - np.repeat(begins, lengths)
    return places


def share(part: Integers | Reals, whole: Integers | Reals) -> Reals:
    """part / whole, and 0 where there is no whole: as trec_eval does for a question without a relevant document."""
    return np.divide(part, whole, out=np.zeros(len(whole)), where=np.asarray(whole) != 0)


def found_at(hits: Hits, k: int | None) -> Integers:
    questions, ranks = hits.relevant_hits
    return hits.per_question(questions if k is None else questions[ranks <= k])


def recall(hits: Hits, k: int | None) -> Reals:
    return share(found_at(hits, k), hits.relevant)


def precision(hits: Hits, k: int | None) -> Reals:
    if k is None:
        raise ValueError("precision needs a cutoff")
    return found_at(hits, k) / k


def success(hits: Hits, k: int | None) -> Reals:
    return np.asarray(found_at(hits, k) > 0, dtype=np.float64)


def passed(hits: Hits, k: int | None) -> Reals:
    return np.asarray((found_at(hits, k) == hits.relevant) & (hits.relevant > 0), dtype=np.float64)


def reciprocal_rank(hits: Hits, k: int | None) -> Reals:
    questions, ranks = hits.relevant_hits
    first = hits.places == 1
    if k is not None:
        first &= ranks <= k
    return hits.total(questions[first], 1 / ranks[first])


def sum_of_reciprocals(hits: Hits, _: int | None) -> Reals:
    questions, ranks = hits.relevant_hits
    return hits.total(questions, 1 / ranks)


def average_precision(hits: Hits, k: int | None) -> Reals:
    questions, ranks = hits.relevant_hits
    precisions = hits.places / ranks
    if k is not None:
        kept = ranks <= k
        questions, precisions = questions[kept], precisions[kept]
    return share(hits.total(questions, precisions), hits.relevant)


def r_precision(hits: Hits, _: int | None) -> Reals:
    questions, ranks = hits.relevant_hits
    return share(hits.per_question(questions[ranks <= hits.relevant[questions]]), hits.relevant)


def ndcg(hits: Hits, k: int | None) -> Reals:
    got = _discounted(hits, hits.questions, hits.gains, hits.ranks, k)
    return share(got, _discounted(hits, hits.judged_questions, hits.judged_gains, hits.ideal_places, k))


def _discounted(hits: Hits, questions: Integers, gains: Integers, ranks: Integers, k: int | None) -> Reals:
    if k is not None:
        kept = ranks <= k
        questions, gains, ranks = questions[kept], gains[kept], ranks[kept]
    return hits.total(questions, gains / np.log2(ranks + 1))


Formula = Callable[[Hits, int | None], Reals]

WHOLE: dict[str, Formula] = {
    "passed": passed,
    "recall": recall,
    "rr": reciprocal_rank,
    "map": average_precision,
    "ndcg": ndcg,
    "r_precision": r_precision,
    "mrr_sum": sum_of_reciprocals,
}
AT_CUTOFF: dict[str, Formula] = {
    "recall_at": recall,
    "precision_at": precision,
    "ndcg_at": ndcg,
    "map_at": average_precision,
    "rr_at": reciprocal_rank,
    "success_at": success,
}


def formula(name: str) -> tuple[Formula, int | None]:
    """What computes a metric, and its cutoff. An unknown name is the user's mistake."""
    family, _, cutoff = name.rpartition("_")
    if name in WHOLE:
        return WHOLE[name], None
    if family in AT_CUTOFF and cutoff.isdecimal() and int(cutoff):
        return AT_CUTOFF[family], int(cutoff)
    known = [*WHOLE, *(f"{family}_10" for family in AT_CUTOFF)]
    raise UserError(f'there is no metric "{name}"', hint=did_you_mean(name, known))
