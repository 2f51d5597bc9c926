"""Retrieval metrics for whole runs, without files, cases or a store: the numbers of trec_eval for ten million results
in a moment.

    from karat.retrieval import evaluate

    found = evaluate({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.5, "d2": 0.9}}, metrics=("map", "ndcg_at_10"))
    found.values["map"]        # a numpy array, one value per question of found.questions
    found.means["ndcg_at_10"]  # over the questions that both sides have; means_of_all: over all questions of the qrels

Qrels are ``{question: {document: relevance}}``, a run is ``{question: {document: score}}``. Or both as coded arrays,
which is much faster:

    evaluate(CodedQrels(questions, documents, relevances), CodedRun(questions, documents, scores))

Each is a set of numpy arrays of equal length, one entry per judgement or result; questions and documents are whole
numbers from 0 on, the same on both sides. Where scores are equal, the greater document comes first: by name in dicts,
by code in arrays. Number the documents in the order of their names and both forms, and trec_eval, agree. Without
scores, results are ranked in the given order.

Metrics: ``passed``, ``recall``, ``rr``, ``map``, ``ndcg``, ``r_precision``, ``mrr_sum``; and at any cutoff
``recall_at_10``, ``precision_at_10``, ``ndcg_at_10``, ``map_at_10``, ``rr_at_10``, ``success_at_10``.

``Comparison`` and ``FieldComparison`` are what a metric of the suite is given, for packages that add one.

>>> from karat.retrieval import evaluate
>>> found = evaluate({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.9, "d2": 0.5}}, metrics=("map",))
>>> float(found.means["map"])
1.0
"""

from karat.suites.retrieval.bulk.evaluation import Evaluation, evaluate
from karat.suites.retrieval.bulk.ranks import CodedQrels, CodedRun
from karat.suites.retrieval.comparison import Comparison, FieldComparison

__all__ = ["CodedQrels", "CodedRun", "Comparison", "Evaluation", "FieldComparison", "evaluate"]
