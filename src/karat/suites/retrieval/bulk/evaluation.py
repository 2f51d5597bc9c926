"""All questions of a run at once: ``karat.retrieval.evaluate``. Values are those of trec_eval, and of the suite's own
metrics case by case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from karat.core.problems import UserError
from karat.suites.retrieval.bulk.metrics import Hits, Integers, Reals, formula
from karat.suites.retrieval.bulk.ranks import (
    CodedQrels,
    CodedRun,
    Qrels,
    Run,
    hits_of_arrays,
    hits_of_dicts,
)

DEFAULT = ("recall_at_10", "recall_at_100", "precision_at_10", "rr", "map", "ndcg", "ndcg_at_10")


@dataclass(frozen=True)
class Evaluation:
    """One value per question for each metric. A question without a relevant document has 0, as in trec_eval;
    ``relevant`` shows which these are.

    >>> from karat import retrieval
    >>> found = retrieval.evaluate({"q1": {"d1": 1}, "q2": {"d2": 1}}, {"q1": {"d1": 0.9}}, metrics=("recall",))
    >>> found.by_question(), found.means_of_all
    ({'q1': {'recall': 1.0}}, {'recall': 0.5})
    """

    questions: tuple[str, ...] | Integers
    """The questions that the run and the qrels both have: their names, or their codes."""
    values: dict[str, Reals]
    relevant: Integers
    """How many relevant documents each question has."""
    without_results: int = 0
    """How many questions of the qrels the run lacks."""

    @property
    def means(self) -> dict[str, float]:
        """Over the questions that both sides have, as trec_eval prints them. Empty when there is none."""
        return {name: float(values.mean()) for name, values in self.values.items() if values.size}

    @property
    def means_of_all(self) -> dict[str, float]:
        """Over all questions of the qrels, 0 for those that the run lacks: ``-c`` of trec_eval."""
        count = len(self.relevant) + self.without_results
        return {name: float(values.sum()) / count for name, values in self.values.items() if count}

    def by_question(self) -> dict[str, dict[str, float]]:
        """Question → metric → value."""
        columns = {name: values.tolist() for name, values in self.values.items()}
        return {
            str(question): {name: column[place] for name, column in columns.items()}
            for place, question in enumerate(self.questions)
        }


def evaluate(
    qrels: Qrels | CodedQrels,
    run: Run | CodedRun,
    metrics: Sequence[str] = DEFAULT,
    *,
    relevance_level: int = 1,
    max_results: int | None = None,
) -> Evaluation:
    """Compute every metric for every question that both sides have; see ``karat.retrieval``.

    >>> from karat import retrieval
    >>> qrels, run = {"q1": {"a": 1, "c": 2}}, {"q1": {"c": 9.5, "x": 7.0, "a": 6.1}}
    >>> round(retrieval.evaluate(qrels, run, metrics=("map",)).means["map"], 3)
    0.833
    """
    if isinstance(metrics, str):
        metrics = (metrics,)
    wanted = {name: formula(name) for name in metrics}
    if relevance_level < 1:
        raise UserError("relevance_level must be at least 1")
    questions: tuple[str, ...] | Integers
    hits: Hits
    if isinstance(qrels, CodedQrels) and isinstance(run, CodedRun):
        questions, hits, asked = hits_of_arrays(qrels, run, relevance_level, max_results)
    elif not isinstance(qrels, CodedQrels) and not isinstance(run, CodedRun):
        names, hits = hits_of_dicts(qrels, run, relevance_level, max_results)
        questions, asked = tuple(names), sum(1 for judged in qrels.values() if judged)
    else:
        raise UserError("qrels and run must both be dicts, or both be coded arrays")
    values = {name: compute(hits, cutoff) for name, (compute, cutoff) in wanted.items()}
    return Evaluation(questions, values, hits.relevant, asked - hits.count)
