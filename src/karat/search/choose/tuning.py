"""All that ``karat tune`` says, from ranks: the choice, its held-out figures, the front, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from karat.core.problems import count_of, nearest
from karat.search.choose.choice import Choice, choose
from karat.search.choose.heldout import HeldOut, held_out, stability
from karat.search.choose.limits import Limits
from karat.search.choose.options import found_at, sizes_of
from karat.search.choose.outcome import model_of, mrr_of, outcome_of
from karat.search.choose.pareto import front, more_questions
from karat.search.choose.result import Curve, FieldTuned, Missing, QuestionDetail, Tuning
from karat.search.records import NOT_A_VALUE, FieldRanks

FEW = 10
"""Below this number of questions the figures say little, and the tuning says so."""
HINTED = 50
"""The nearest value is looked up for this many keys that are not among the values; past that it would only take
time."""


def tuning_of(
    questions: Sequence[str],
    ranks: Sequence[FieldRanks],
    *,
    values: dict[str, tuple[str, ...]],
    limits: Limits,
    encoding: str = "o200k_base",
    time_limit: float = 60.0,
) -> Tuning:
    """The whole result from the ranks of every option, see :mod:`karat.search.choose`. ``values`` are those of each
    field, for the nearest to a truth that is none of them; a field may be left out."""
    choice = choose(ranks, limits, time_limit=time_limit)
    honest = held_out(ranks, limits, time_limit=time_limit)
    more = tuple(more_questions(ranks, choice, count, limits, time_limit=time_limit / 4) for count in (1, 2))
    # The front goes on beyond the budget as far as the sentence about more questions does.
    most_tokens = max([limits.budget, *(found.tokens for found in more if found.tokens is not None)])
    swept = front(ranks, msgspec.structs.replace(limits, budget=most_tokens), time_limit=time_limit / 2)
    details = tuple(_details(questions, ranks, choice, values))
    return Tuning(
        fields=tuple(_fields(ranks, choice)),
        passed=choice.passed,
        questions=choice.questions,
        mean_recall=choice.mean_recall,
        tokens=choice.tokens,
        held_out=honest,
        stability=stability(ranks, choice.picks, limits, time_limit=time_limit / 2),
        optimal=choice.optimal,
        gap=choice.gap,
        gap_in=choice.gap_in,
        seconds=choice.seconds,
        budget_tokens=limits.budget,
        max_n=limits.max_n,
        encoding=encoding,
        models=tuple(model.model for model in ranks[0].models),
        more=more,
        pareto=swept.points,
        pareto_complete=swept.complete,
        questions_detail=details,
        curves=tuple(curve_of(field, model.model) for field in ranks for model in field.models),
        warnings=tuple(warnings_of(choice, honest, details)),
    )


def _fields(ranks: Sequence[FieldRanks], choice: Choice) -> list[FieldTuned]:
    recalls = outcome_of(ranks, choice.picks).field_recall
    return [
        FieldTuned(
            field=pick.field,
            n=pick.n,
            model=pick.model,
            tokens=pick.tokens,
            recall=None if np.isnan(recall) else float(recall),
            mrr=mrr_of(model_of(field, pick.model), pick.n),
        )
        for field, pick, recall in zip(ranks, choice.picks, recalls, strict=True)
    ]


def _details(
    questions: Sequence[str], ranks: Sequence[FieldRanks], choice: Choice, values: dict[str, tuple[str, ...]]
) -> list[QuestionDetail]:
    outcome = outcome_of(ranks, choice.picks)
    hints = 0
    details = []
    for index, question in enumerate(questions):
        missing = []
        for field, pick in zip(ranks, choice.picks, strict=True):
            for key, rank in zip(field.truths[index], model_of(field, pick.model).ranks[index].tolist(), strict=True):
                if rank == NOT_A_VALUE:
                    hints += 1
                    close = nearest(key, values.get(field.field, ())) if hints <= HINTED else []
                    missing.append(Missing(field.field, key, None, close[0] if close else ""))
                elif rank > pick.n:
                    missing.append(Missing(field.field, key, rank))
        passed = bool(outcome.passed[index]) if outcome.counts[index] else None
        details.append(QuestionDetail(question, passed, tuple(missing)))
    return details


def curve_of(field: FieldRanks, name: str) -> Curve:
    """Recall at every n that matters, from the ranks of one pass."""
    model = model_of(field, name)
    sizes = sizes_of(model, model.tokens.shape[1])
    expected = np.array([len(truths) for truths in field.truths])
    used = expected > 0
    found = found_at(model, sizes)[:, used] / expected[used]
    recall = found.mean(axis=1) if used.any() else np.zeros(len(sizes))
    tokens = model.tokens[:, sizes - 1].max(axis=0)
    return Curve(field.field, name, tuple(sizes.tolist()), tuple(recall.tolist()), tuple(tokens.tolist()))


def warnings_of(choice: Choice, honest: HeldOut | None, details: Sequence[QuestionDetail]) -> list[str]:
    """What to know before a choice and its held-out figures are trusted."""
    warnings = []
    asked = count_of(choice.questions, "question")
    if choice.questions < FEW or honest is None:
        warnings.append(f"{asked}: too few to trust the choice; the figures become meaningful with {FEW} or more")
    elif honest.passed_high - honest.passed_low > honest.questions / 2:
        warnings.append(
            f"{asked}: too few to trust the choice; between {honest.passed_low:.1f} and {honest.passed_high:.1f} may "
            "pass"
        )
    lacking = sum(gone.rank is None for detail in details for gone in detail.missing)
    if lacking:
        which = ("is", "it") if lacking == 1 else ("are", "them")
        warnings.append(f"{count_of(lacking, 'truth')} {which[0]} not among the values: no n finds {which[1]}")
    without = sum(detail.passed is None for detail in details)
    if without:
        warnings.append(f"{count_of(without, 'question')} without truths: not counted")
    if honest is not None and honest.over_budget:
        warnings.append(f"{count_of(honest.over_budget, 'held-out question')} went over the budget")
    if honest is not None and honest.not_proven:
        warnings.append(
            f"{honest.not_proven:,} of the {honest.folds:,} choices behind the held-out figures are not proven best: "
            "the time limit was reached; with more time the figures may differ"
        )
    return warnings
