"""Rounded results. What is accepted on the task's own tables is accepted on changed copies in the same decimals.

A float does not show its zeros at the end: ``round(x, 2)`` may give 0.4, which stands for 0.40 and shows one digit
only. By the rule of numbers one digit is too few to stand for 0.3958. But code that shows 0.04 or 0.17 on other tables
rounds to two decimals, and 0.40 is 0.3958 in two decimals. So the decimals of an answer are the most that it shows on
the task's tables and on copies of them.

By hand: expected 0.3958, given 0.4. On copies the code gives 0.31 and 0.5: two decimals, 0.3958 is 0.40: right. Where
it gives 0.3 and 0.5, it rounds to one, and 0.4 is wrong, as it is where no copy can be made.
"""

from __future__ import annotations

import math

import msgspec

from karat.sandbox import Plain, Sandbox, Unordered
from karat.suites.codegen.metrics.correctness import Correctness, Gold, as_gold, gold_of, judge
from karat.suites.codegen.options import Options
from karat.suites.codegen.perturb.change import Hints
from karat.suites.codegen.perturb.copies import Copier
from karat.suites.codegen.perturb.reference_results import hints_of, sampled
from karat.suites.codegen.perturb.runs import on_all
from karat.suites.codegen.question.records import Asked, Ordered
from karat.suites.codegen.records import Task

FEWEST, MOST = 2, 6
"""Decimals that a result may be rounded to in this way."""
_SHOWN_BY = (("resampled", 0), ("numbers", 1), ("resampled", 1), ("smaller", 0), ("values", 0))


def decimals_of(value: Plain) -> int:
    """The most decimals that a number in a result shows."""
    if isinstance(value, float):
        text = repr(value)
        return 0 if not math.isfinite(value) else 17 if "e-" in text else len(text.partition(".")[2].rstrip("0"))
    return max((decimals_of(part) for part in _parts(value)), default=0)


def _parts(value: Plain) -> list[Plain]:
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, msgspec.Struct):
        return [getattr(value, name) for name in value.__struct_fields__]
    return []


def rounded(value: Plain, decimals: int) -> Plain:
    """The same with all its floats rounded."""
    if isinstance(value, float):
        return round(value, decimals) if math.isfinite(value) else value
    if isinstance(value, dict):
        return {key: rounded(one, decimals) for key, one in value.items()}
    if isinstance(value, Unordered):
        return Unordered(rounded(one, decimals) for one in value)
    if isinstance(value, list | tuple):
        return type(value)(rounded(one, decimals) for one in value)
    if isinstance(value, msgspec.Struct):
        parts = {name: rounded(getattr(value, name), decimals) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **parts)
    return value


def forgiven(gold: Gold, result: Plain, decimals: int, *, ordered: Ordered, options: Options) -> Correctness:
    """The word on a result that is rounded to this many decimals."""
    if not FEWEST <= decimals <= MOST or gold.value is None:
        return Correctness(0.0)
    right = as_gold(rounded(gold.value, decimals), calls=gold.several)
    found = judge(right, result, ordered=ordered, options=options)
    names = tuple(sorted({*found.normalised, "rounding"}))
    return msgspec.structs.replace(found, normalised=names) if found.passed else found


def rounded_as_shown(
    box: Sandbox, task: Task, code: str, found: Correctness, result: Plain, *, asked: Asked, options: Options
) -> Correctness:
    """The word on a wrong result once more, if it may be the right one rounded to decimals that it does not show
    here."""
    if (
        found.score is None
        or found.reason == "did_not_run"
        or not options.normalise.rounding
        or (task.expected is not None and task.expected.named)
        or not task.tables
        or task.template
        or task.harness is not None
    ):
        return found
    gold = gold_of(box, task)
    here = decimals_of(result)
    likely = [
        places
        for places in range(max(FEWEST, here + 1), MOST + 1)
        if forgiven(gold, result, places, ordered=asked.ordered, options=options).passed
    ]
    if not likely:
        return found
    tables = sampled(box, task, hints_of(task.reference))
    if isinstance(tables, str):
        return found
    copier = Copier(tables, Hints())
    copies = [copy for kind, seed in _SHOWN_BY if (copy := copier.copy(kind, seed)) is not None]
    shown = max((decimals_of(ran.value) for ran in on_all(box, task, code, copies) if ran.ok), default=0)
    return forgiven(gold, result, shown, ordered=asked.ordered, options=options) if shown in likely else found
