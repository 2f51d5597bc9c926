"""Time and memory of right code, compared with the reference: the same data, the same server, both in turn.

    performance = 0.7 × time + 0.3 × memory
    time   = geometric mean over the scales of min(1, 1 / ratio), 1 where no difference is seen
    memory = geometric mean over the scales of min(1, (reference + 4 MB) / (own + 4 MB))

The ratio of a scale is the median of (own + 2 ms) / (reference + 2 ms) over pairs of runs, net of an empty snippet's
time (see ``timing.pairs``); ``time_ratio`` is the geometric mean of these. The scales are tables with ×1, ×4, ×16 the
rows (see ``scaled_tables``). Two milliseconds and four megabytes are the usual difference between two runs of the same
code. Code that exceeds the task's limits at a scale has 0 there, and then its score is 0. The same holds for code
whose result differs from the reference's at a larger scale (see ``scaled_results``).

Noise costs nothing. Code that is the reference's own (apart from comments and layout) has 1 and is not measured. If
the interval of the ratio at a scale contains 1, no difference is seen. The smallest memory of all runs counts; no
difference is seen if it is at most the reference's largest, or within a quarter of its smallest.

Edge cases: wrong code, or a task without a reference, has no score. A scale is left out if the reference exceeds the
limits there, if it would take too long or too many cells, or if its larger tables cannot be generated.

By hand: 9 pairs with the ratios 1.6, 1.8, 1.9, 2.0, 2.0, 2.1, 2.2, 2.3, 3.0: median 2.0, interval 1.8 – 2.3, so time is
0.5. With 0.9, 0.95, 1.0, 1.0, 1.05, 1.1, 1.1, 1.2, 1.4 the interval is 0.95 – 1.2 and contains 1: time is 1.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.sandbox import Sandbox
from karat.suites.codegen.analysis.reader.syntax_tree import syntax_tree
from karat.suites.codegen.options import Options
from karat.suites.codegen.question.records import Ordered
from karat.suites.codegen.records import Task
from karat.suites.codegen.running.execution import given_tables
from karat.suites.codegen.running.references import plain_tables
from karat.suites.codegen.running.task_tables import placed
from karat.suites.codegen.timing.growth import growth_of
from karat.suites.codegen.timing.records import Clock, Growth, Scale
from karat.suites.codegen.timing.scale_runs import counter_of, measured
from karat.suites.codegen.timing.scaled_results import wrong_when_larger
from karat.suites.codegen.timing.scaled_tables import scaled

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison

TIME_WEIGHT = 0.7
MEMORY_WEIGHT = 0.3
LONG = 0.5
"""Seconds of one run after which no larger scale is tried."""
SAME_CODE = "the same code as the reference"
UNSTEADY = "run several times, its result is not always the reference's"
WRONG_LATER = "with {} times the rows its result is not the reference's"


class Performance(msgspec.Struct, frozen=True):
    """The score with its parts; None with the reason why there is none."""

    score: float | None
    """0.7 × time + 0.3 × memory; None if it was not measured."""
    reason: str = ""
    """Why there is no score."""
    time: float | None = None
    """0 to 1: 1 if the code is as fast as the reference."""
    memory: float | None = None
    """0 to 1: 1 if the code needs no more memory than the reference."""
    scales: tuple[Scale, ...] = ()
    """The measurements, one per size of the tables."""
    growth: float | None = None
    """The exponent with which the code's time grows with the rows (option ``growth``)."""
    reference_growth: float | None = None
    """The same exponent for the reference."""
    time_ratio: float | None = None
    """The code's time / the reference's: the geometric mean over the scales with the right result."""
    timing: Clock | None = None
    """What the ratios come from: a clock, or the processor's instruction counter."""
    curves: Growth | msgspec.UnsetType = msgspec.UNSET
    """The measurements behind ``growth``."""


def performance_of(
    box: Sandbox, task: Task, code: str, *, passed: bool, options: Options, ordered: Ordered = False
) -> Performance:
    """Measure the code beside the reference. ``ordered``: the order of the result's rows matters."""
    if not options.performance:
        return Performance(None, "switched off (option performance)")
    if task.expected is not None and task.expected.only_files:
        return Performance(None, reason="code that writes files is not measured")
    if task.unit_tests is not None:
        return Performance(None, "tests that share the answer's process are not timed")
    if not passed:
        return Performance(None, "only right code is measured")
    found = _beside_reference(box, task, code, options, ordered=ordered)
    if not options.growth:
        return found
    return _with_growth(found, growth_of(box, task, code, ordered=ordered, options=options))


def _beside_reference(box: Sandbox, task: Task, code: str, options: Options, *, ordered: Ordered) -> Performance:
    if not task.reference:
        return Performance(None, "no reference to measure against")
    if _same_code(code, task.reference):
        return Performance(1.0, SAME_CODE, 1.0, 1.0, time_ratio=1.0)
    found: list[Scale] = []
    for scale in sorted(set(options.scales)):
        if found and (max(found[-1].seconds, found[-1].reference_seconds) > LONG or not found[-1].counts):
            break
        at_scale = _at_scale(box, task, code, scale, options, ordered=ordered)
        if at_scale is None:
            break
        found.append(at_scale)
    if not found:
        return Performance(None, "the reference could not be measured, or the machine was too busy to measure the code")
    last = found[-1]
    told = UNSTEADY if last.scale == 1 else WRONG_LATER.format(last.scale)
    scores = scored(found, told if last.wrong else "")
    timing: Clock = "paired" if counter_of(box, options) is None else "instructions"
    return msgspec.structs.replace(scores, timing=timing)


def _with_growth(found: Performance, growth: Growth) -> Performance:
    return msgspec.structs.replace(
        found, growth=growth.own_curve.exponent, reference_growth=growth.reference_curve.exponent, curves=growth
    )


def _at_scale(box: Sandbox, task: Task, code: str, scale: int, options: Options, *, ordered: Ordered) -> Scale | None:
    """None: this scale is not available, or the reference does not get through it."""
    if scale == 1:
        return measured(box, task, code, given_tables(task), scale, options, ordered=ordered)[0]
    own = plain_tables(box, task) or {}
    larger = scaled(own, scale)
    if larger is None:
        return None
    with placed(task, larger) as tables:
        found, results = measured(box, task, code, tables, scale, options, ordered=ordered)
    if found is None or not found.counts:
        return found
    wrong = wrong_when_larger(
        box, task, code, larger, results, second=lambda: scaled(own, scale, 1), ordered=ordered, options=options
    )
    return msgspec.structs.replace(found, wrong=wrong)


def scored(scales: Sequence[Scale], reason: str = "") -> Performance:
    """The formula, over what was measured."""
    time = _geometric([scale.time for scale in scales])
    memory = _geometric([scale.memory for scale in scales])
    ratios = [scale.time_ratio for scale in scales if scale.counts]
    return Performance(
        min(1.0, max(0.0, TIME_WEIGHT * time + MEMORY_WEIGHT * memory)),
        reason,
        time,
        memory,
        tuple(scales),
        time_ratio=_geometric(ratios) if ratios else None,
    )


def _same_code(code: str, reference: str) -> bool:
    """Whether two pieces of code say the same, comments and layout aside, and whether the result has a name."""
    first, second = _form(code), _form(reference)
    return first is not None and first == second


def _form(code: str) -> list[str] | None:
    tree = syntax_tree(code)
    if tree is None or not tree.body:
        return None
    last = tree.body[-1]
    named = isinstance(last, ast.Assign) and [ast.unparse(one) for one in last.targets] == ["result"]
    end = last.value if isinstance(last, ast.Expr) or (isinstance(last, ast.Assign) and named) else last
    return [ast.dump(part) for part in (*tree.body[:-1], end)]


def _geometric(shares: Sequence[float]) -> float:
    if min(shares) <= 0:
        return 0.0
    return math.exp(sum(math.log(share) for share in shares) / len(shares))


def score(comparison: Comparison) -> Score:
    found = comparison.performance
    return not_applicable(found.reason) if found.score is None else Score(found.score)


metric = Metric(
    "performance",
    "performance",
    "0.7 time + 0.3 memory, each min(1, reference / own) over the scales, 1 where no difference is seen; right code "
    "only",
    score,
    zero_on_error=False,
    noise=0.1,
)
