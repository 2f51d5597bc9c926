"""What the terminal shows of a run besides its figures: how much was found in all, and the means over all questions
where some have no results."""

from __future__ import annotations

from karat.core.problems import count_of
from karat.core.results.result import CaseResult, RunResult
from karat.suites.retrieval.comparison import NO_TRUTH
from karat.suites.retrieval.details import details_of
from karat.suites.retrieval.metrics import OF_ALL
from karat.suites.retrieval.metrics.fields import NO_RELEVANT
from karat.suites.retrieval.notes import tuning_of

SHOWN = ("passed_of_all", "recall_at_10_of_all", "map_of_all", "ndcg_at_10_of_all")


def highlights(result: RunResult) -> list[str]:
    """The totals of trec_eval (``num_ret``, ``num_rel``, ``num_rel_ret``), then its ``-c`` means."""
    return [
        *_tuned(result),
        *_totals(result),
        *_recall_asked(result),
        *_without_truth(result),
        *_nothing_relevant(result),
        *_of_all(result),
    ]


def _tuned(result: RunResult) -> list[str]:
    """What ``karat tune`` says, when the questions were answered by a sheet's own search."""
    from karat.search.choose.reporting.text import lines_of

    tuning = tuning_of(result)
    return lines_of(tuning) if tuning is not None else []


def _totals(result: RunResult) -> list[str]:
    fields = found = relevant = retrieved = 0
    for case in result.cases:
        for field in kept.fields if (kept := details_of(case)) is not None else ():
            fields += 1
            found += field.found
            relevant += field.relevant
            retrieved += field.retrieved
    if not fields:
        return []
    lines = [f"found {found:,} of {count_of(relevant, 'relevant key')} among {count_of(retrieved, 'result')}"]
    if relevant and retrieved and not found:  # most often the search names its documents in another way than the cases
        lines.append("  → karat show CASE: are the keys of the results written as in the cases?")
    return lines


def _recall_asked(result: RunResult) -> list[str]:
    """Recall without the fields that ask for nothing, where a question has several fields and some are empty."""
    shares: list[float] = []
    fields = cases = 0
    names: set[str] = set()
    for case in result.cases:
        kept = details_of(case)
        cases += kept is not None
        for field in kept.fields if kept is not None else ():
            names.add(field.field)
            fields += 1
            shares += [field.found / field.relevant] if field.relevant else []
    if len(names) < 2 or len(shares) == len(names) * cases or not shares:
        return []
    pairs = count_of(len(shares), "pair")
    return [
        f"recall_asked {sum(shares) / len(shares):.3f} over the {pairs} of a question and a field that have a truth "
        "(recall counts 1 for the others)"
    ]


def _without_truth(result: RunResult) -> list[str]:
    names = [case.id for case in result.cases if case.status == "not_applicable" and NO_TRUTH in _reason(case)]
    if not names:
        return []
    listed = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return [f"{count_of(len(names), 'question')} without any truth, not scored ({NO_TRUTH}): {listed}"]


def _reason(case: CaseResult) -> str:
    score = case.scores.get("passed")
    return case.error or (score.reason if score is not None else "")


def _nothing_relevant(result: RunResult) -> list[str]:
    scores = ((case.id, case.scores["passed"]) for case in result.cases)
    names = [(name, score.value) for name, score in scores if NO_RELEVANT in score.reason]
    if not names:
        return []
    how = "counted 0" if names[0][1] is not None else "left out"
    listed = ", ".join(name for name, _ in names[:3]) + (", …" if len(names) > 3 else "")
    return [f"{count_of(len(names), 'question')} without a relevant key, {how} (option no_relevant): {listed}"]


def _of_all(result: RunResult) -> list[str]:
    counts = result.status_counts()
    if not counts.get("missing", 0) + counts.get("error", 0):
        return []
    means = {item.metric: item.mean for item in result.summary}
    parts = [
        f"{metric.title.removesuffix(', of all')} {mean:.3f}"
        for metric in OF_ALL
        if metric.name in SHOWN and (mean := means.get(metric.name)) is not None
    ]
    return [f"over all {count_of(len(result.cases), 'question')}: {' · '.join(parts)}"]
