"""All that ``karat tune`` says, from ranks: the choice, its held-out figures, the front, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from karat.core.problems import count_of, nearest
from karat.search.choose.choice import Choice, choose_in
from karat.search.choose.heldout import HeldOut, HeldOutQuestion, held_out, stability
from karat.search.choose.limits import Limits
from karat.search.choose.next_questions import known_to, more_questions
from karat.search.choose.options import found_at, sizes_of
from karat.search.choose.outcome import Pick, model_of, mrr_of, outcome_of
from karat.search.choose.pareto import front
from karat.search.choose.problem import problem_of
from karat.search.choose.reporting.result import Curve, FieldTuned, Missing, QuestionDetail, Tuning
from karat.search.records import DEEPER, NOT_A_VALUE, FieldRanks

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
    field, for the nearest to a truth that is not among them; a field may be left out."""
    problem = problem_of(ranks, limits)
    choice = choose_in(problem, time_limit=time_limit)
    honest = held_out(problem, time_limit=time_limit)
    left = max(1, choice.questions - choice.passed)
    more = tuple(more_questions(problem, choice, count, time_limit=time_limit / 4) for count in (1, 2)[:left])
    # The front goes on beyond the budget as far as the sentence about more questions does, if all is known that far.
    wanted = max([limits.budget, *(found.tokens for found in more if found.tokens is not None)])
    end = max(limits.budget, min(wanted, known_to(problem)))
    swept = front(problem, most_tokens=end, time_limit=time_limit / 2)
    details = tuple(_details(questions, ranks, choice, honest, values, limits.passes))
    return Tuning(
        fields=tuple(_fields(ranks, choice)),
        passed=choice.passed,
        questions=choice.questions,
        mean_recall=choice.mean_recall,
        recall_asked=choice.recall_asked,
        tokens=choice.tokens,
        held_out=honest,
        stability=stability(problem, choice.picks, time_limit=time_limit / 2),
        optimal=choice.optimal,
        gap=choice.gap,
        gap_in=choice.gap_in,
        passed_bound=choice.passed_bound,
        recall_bound=choice.recall_bound,
        seconds=choice.seconds,
        budget_tokens=limits.budget,
        max_n=limits.max_n,
        passes=limits.passes,
        unit=limits.unit,
        required=limits.required,
        encoding=encoding,
        models=tuple(dict.fromkeys(model.model for field in ranks for model in field.models)),
        more=more,
        pareto=swept.points,
        pareto_complete=swept.complete,
        known_to=end,
        questions_detail=details,
        curves=tuple(curve_of(field, model.model) for field in ranks for model in field.models),
        warnings=tuple(warnings_of(choice, honest, details)),
    )


def choice_in(tuning: Tuning) -> Choice:
    """The choice of a finished tuning."""
    return Choice(
        picks=tuple(Pick(one.field, one.n, one.model, one.tokens) for one in tuning.fields),
        passed=tuning.passed,
        questions=tuning.questions,
        mean_recall=tuning.mean_recall,
        recall_asked=tuning.recall_asked,
        tokens=tuning.tokens,
        optimal=tuning.optimal,
        gap=tuning.gap,
        gap_in=tuning.gap_in,
        passed_bound=tuning.passed if tuning.passed_bound is None else tuning.passed_bound,
        recall_bound=tuning.recall_bound,
        seconds=tuning.seconds,
        question_passed=tuple(detail.passed for detail in tuning.questions_detail),
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
            mrr=_mrr(field, pick),
        )
        for field, pick, recall in zip(ranks, choice.picks, recalls, strict=True)
    ]


def _mrr(field: FieldRanks, pick: Pick) -> float | None:
    """0 for a field that is left out although it has truths."""
    return mrr_of(field.models[0], 0) if pick.model is None else mrr_of(model_of(field, pick.model), pick.n)


def _details(
    questions: Sequence[str],
    ranks: Sequence[FieldRanks],
    choice: Choice,
    honest: HeldOut | None,
    values: dict[str, tuple[str, ...]],
    passes: str,
) -> list[QuestionDetail]:
    outcome = outcome_of(ranks, choice.picks, passes)
    hints = 0
    details = []
    for index, question in enumerate(questions):
        missing = []
        for field, pick in zip(ranks, choice.picks, strict=True):
            for key, rank in zip(field.truths[index], _ranks(field, pick, index), strict=True):
                if rank == NOT_A_VALUE:
                    hints += 1
                    close = nearest(key, values.get(field.field, ())) if hints <= HINTED else []
                    missing.append(Missing(field.field, key, None, close[0] if close else ""))
                elif rank == DEEPER:
                    missing.append(Missing(field.field, key, None, deeper=True))
                elif pick.model is None or rank > pick.n:
                    missing.append(Missing(field.field, key, rank))
        passed = bool(outcome.passed[index]) if outcome.counts[index] else None
        out = honest.each[index] if honest is not None else HeldOutQuestion(None, None)
        details.append(QuestionDetail(question, passed, tuple(missing), out.passed, out.recall))
    return details


def _ranks(field: FieldRanks, pick: Pick, question: int) -> list[int]:
    """The ranks of a question's truths with the chosen model; where the field is left out, the best of any model."""
    if pick.model is not None:
        return [int(rank) for rank in model_of(field, pick.model).ranks[question]]
    every = np.stack([model.ranks[question] for model in field.models])
    known = np.where(every >= 1, every, np.iinfo(np.int64).max).min(axis=0)
    return [int(rank) for rank in np.where((every >= 1).any(axis=0), known, every.min(axis=0))]


def curve_of(field: FieldRanks, name: str) -> Curve:
    """Recall at every n that matters, from the ranks of one pass."""
    model = model_of(field, name)
    sizes = np.union1d(sizes_of(model, model.tokens.shape[1]), np.ones(min(1, model.tokens.shape[1]), np.int64))
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
    lacking = sum(gone.rank is None and not gone.deeper for detail in details for gone in detail.missing)
    if lacking:
        which = ("is", "it") if lacking == 1 else ("are", "them")
        warnings.append(f"{count_of(lacking, 'truth')} {which[0]} not among the values: no n finds {which[1]}")
    without = [detail.question for detail in details if detail.passed is None]
    if without:
        named = ", ".join(f'"{question}"' for question in without[:3]) + (", …" if len(without) > 3 else "")
        warnings.append(f"{count_of(len(without), 'question')} without truths: not counted ({named})")
    if honest is not None and honest.over_budget:
        warnings.append(
            f"{count_of(honest.over_budget, 'held-out question')} went over the budget, and did not pass there"
        )
    if honest is not None and honest.questions > 1 and not honest.draws:
        warnings.append("the held-out intervals do not include the choice itself: the time limit was reached")
    if honest is not None and honest.not_proven:
        warnings.append(
            f"{honest.not_proven:,} of the {honest.folds * honest.repeats:,} choices behind the held-out figures are "
            "not proven best: the time limit was reached; with more time the figures may differ"
        )
    return warnings
