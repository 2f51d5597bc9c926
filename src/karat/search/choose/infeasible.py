"""When nothing can be found within the budget: the smallest budget at which something is, or why there is none.

A choice that retrieves nothing is no answer, so it is refused. The smallest budget is that of the cheapest option that
finds any truth, beside one value of each required field.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from karat.core.problems import UserError, count_of
from karat.search.choose.limits import Limits, Unit
from karat.search.records import DEEPER, FieldRanks, ModelRanks

Result = TypeVar("Result")


class NothingFound(UserError):
    """Nothing can be found within the budget. ``depth`` above 0: the smallest budget is known only when values are
    ranked to this depth."""

    depth: int = 0


def nothing_found(fields: Sequence[FieldRanks], limits: Limits) -> NothingFound:
    """The error that says which budget would do."""
    budgets: list[int] = []
    unknown: list[tuple[int, int]] = []  # (at least this budget, depth)
    for field in fields:
        base = sum(_cheapest(other) for other in fields if other is not field and other.field in limits.required)
        for model in field.models:
            first = _first_rank(model, limits.max_n)
            if first is None:
                continue
            if first <= model.tokens.shape[1]:
                budgets.append(base + int(model.tokens[:, first - 1].max()))
            else:
                unknown.append((base + int(model.tokens[:, -1:].max(initial=0)), first))
    depths = [depth for least, depth in unknown if not budgets or least < min(budgets)]
    if budgets or depths:
        return _too_small(min(budgets, default=None), max(depths, default=0), limits)
    deeper = any((ranks == DEEPER).any() for field in fields for model in field.models for ranks in model.ranks)
    if limits.max_n is not None:
        return NothingFound(f"nothing can be found with n up to {limits.max_n:,}", hint="Allow a larger n: --max-n.")
    if deeper:
        return NothingFound("nothing can be found: no ranking is deep enough to reach a truth")
    return NothingFound(
        "nothing can be found at any budget: no truth is a value of its field",
        hint="karat check FILE names the nearest value of each truth.",
    )


def _too_small(least: int | None, depth: int, limits: Limits) -> NothingFound:
    found = f"nothing can be found within a budget of {_amount(limits.budget, limits.unit)}"
    flag = "--budget-tokens" if limits.unit == "tokens" else "--budget-docs"
    if least is None:
        error = NothingFound(found, hint=f"Use a larger {flag}.")
    else:
        error = NothingFound(
            f"{found}: the smallest budget that finds anything is {_amount(least, limits.unit)}",
            hint=f"Use {flag} {least} or more.",
        )
    error.depth = depth
    return error


def _amount(number: int, unit: Unit) -> str:
    return count_of(number, unit.removesuffix("s"))


def _first_rank(model: ModelRanks, max_n: int | None) -> int | None:
    """The least n at which the model finds anything."""
    ranks = np.concatenate([np.empty(0, np.int64), *model.ranks])
    ranks = ranks[ranks >= 1]
    first = int(ranks.min()) if len(ranks) else None
    return None if first is None or (max_n is not None and first > max_n) else first


def _cheapest(field: FieldRanks) -> int:
    """One value of the field, in the worst question."""
    return min((int(model.tokens[:, 0].max(initial=0)) for model in field.models if model.tokens.shape[1]), default=0)


def ranked_deep_enough(
    rank: Callable[[int], Sequence[FieldRanks]], use: Callable[[Sequence[FieldRanks]], Result]
) -> Result:
    """What ``use`` makes of the ranks. Where it finds nothing, and the smallest budget is not known yet, the values are
    ranked once more, so that the error can name it. ``rank`` takes the least depth."""
    try:
        return use(rank(0))
    except NothingFound as error:
        if not error.depth:
            raise
        return use(rank(error.depth))
