"""The ranks of the truths in recorded runs and in fusions of them.

Nothing is embedded. n goes up to the shallowest list of the runs that a ranker uses, over the judged questions that
they answer; a truth below that is not known to be missing (``DEEPER``). Equal scores are pessimistic. A question that a
run does not list has no results there: nothing is found, and nothing is paid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from karat.core.problems import UserError, nearest
from karat.search.rankers.expand import rankers_of
from karat.search.rankers.formulas import Doubles
from karat.search.rankers.load import cost_of
from karat.search.rankers.order import Order, order
from karat.search.rankers.parse import mistake
from karat.search.rankers.tree import Mmr, Ranker, label_of, models_in, rerankers_in
from karat.search.records import DEEPER, FieldRanks, Integers, ModelRanks
from karat.suites.retrieval.judged.judgements import Judged
from karat.suites.retrieval.judged.runs import Run
from karat.suites.retrieval.records import DOCUMENTS


@dataclass(frozen=True)
class Depth:
    """To which n a ranker is known, and which question of which run says so."""

    label: str
    n: int
    run: str
    question: str


def run_rankers(expressions: Sequence[str], runs: Sequence[Run]) -> dict[str, Ranker]:
    """Label → ranker over the runs; without expressions each run alone. Raises :class:`UserError` with the column of a
    mistake."""
    known = [run.name for run in runs]
    found: dict[str, Ranker] = {}
    for text in expressions or known:
        for ranker in rankers_of(text):
            for named in rerankers_in(ranker):
                raise mistake(text, named.column, "recorded runs have no texts to rerank", "Give a BEIR folder.")
            if isinstance(ranker, Mmr):
                raise mistake(text, ranker.model.column, "recorded runs have no vectors for mmr", "Give a BEIR folder.")
            for named in models_in(ranker):
                if named.name not in known:
                    close = nearest(named.name, known)
                    hint = f'Did you mean "{close[0]}"? ' if close else ""
                    said = f'there is no run "{named.name}"'
                    raise mistake(text, named.column, said, f"{hint}The runs are {', '.join(known)}.")
            found.setdefault(label_of(ranker), ranker)
    return found


def rank_runs(
    judged: Judged,
    runs: Sequence[Run],
    rankers: Mapping[str, Ranker],
    tokens: Mapping[str, int] | None,
    max_depth: int | None = None,
) -> tuple[FieldRanks, list[Depth]]:
    """The ranks of every truth, and how deep each ranker is known. ``tokens`` of each document are what it costs; None:
    1 each."""
    by_name = {run.name: run for run in runs}
    depths = [_depth(label, ranker, by_name, judged) for label, ranker in rankers.items()]
    columns = {depth.label: min(depth.n, max_depth or depth.n) for depth in depths}
    ranks: dict[str, list[Integers]] = {label: [] for label in rankers}
    costs = {label: np.zeros((len(judged.ids), columns[label]), np.int64) for label in rankers}
    for row, (question, truths) in enumerate(zip(judged.ids, judged.truths, strict=True)):
        asked = _Asked(question, by_name)
        known: dict[str, Order] = {}
        for (label, ranker), depth in zip(rankers.items(), depths, strict=True):
            found = order(ranker, asked, known)
            ranks[label].append(
                np.array([_rank(found, asked.places.get(truth), depth.n) for truth in truths], np.int64)
            )
            first = [asked.documents[place] for place in found.first(columns[label]).tolist()]
            paid = np.cumsum([_cost(document, tokens) for document in first], dtype=np.int64)
            costs[label][row, : len(paid)] = paid
            costs[label][row, len(paid) :] = paid[-1] if len(paid) else 0
    prices = {run.name: 1.0 for run in runs}
    options = tuple(
        ModelRanks(label, cost_of(ranker, prices), tuple(ranks[label]), costs[label])
        for label, ranker in rankers.items()
    )
    return FieldRanks(DOCUMENTS, judged.truths, options), depths


def _depth(label: str, ranker: Ranker, runs: Mapping[str, Run], judged: Judged) -> Depth:
    shallowest = [(*runs[named.name].depth(judged.ids), named.name) for named in models_in(ranker)]
    n, question, run = min(shallowest, key=lambda found: found[0])
    if not n:
        raise UserError(f"{run} has no results for any judged question")
    return Depth(label, n, run, question)


def _rank(found: Order, place: int | None, depth: int) -> int:
    rank = int(found.ranks[place]) if place is not None else 0
    return rank if 0 < rank <= depth else DEEPER


def _cost(document: str, tokens: Mapping[str, int] | None) -> int:
    if tokens is None:
        return 1
    if document not in tokens:
        raise UserError(
            f'the corpus has no document "{document}", which a run lists',
            hint="Give the corpus that the runs were made on, or leave it out and count documents.",
        )
    return tokens[document]


class _Asked:
    """One question: every document that any run lists for it, in trec_eval's order of equal scores."""

    def __init__(self, question: str, runs: Mapping[str, Run]) -> None:
        self._question, self._runs = question, runs
        listed = {document for run in runs.values() for document in run.results.get(question, ((), ()))[0]}
        self.documents = sorted(listed, reverse=True)
        self.places = {document: place for place, document in enumerate(self.documents)}

    def scores(self, name: str) -> Doubles:
        scores = np.full(len(self.documents), np.nan)
        found = self._runs[name].results.get(self._question)
        if found is not None:
            scores[[self.places[document] for document in found[0]]] = found[1]
        return scores

    def rerank(self, name: str, positions: Integers) -> Doubles:  # noqa: ARG002 (refused before)
        raise TypeError("recorded runs have no texts to rerank")
