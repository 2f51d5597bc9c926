"""Time and memory of right code beside the reference: the same data, the same server, both by turns, the best of
several runs.

    performance = 0.7 × time + 0.3 × memory
    time   = geometric mean over the scales of min(1, (reference + 2 ms) / (own + 2 ms))
    memory = geometric mean over the scales of min(1, (reference + 4 MB) / (own + 4 MB))

The scales are tables with ×1, ×4, ×16 the rows (see ``scaled_tables``). Two milliseconds and four megabytes are what a
run differs by from itself. Code that does not get through a scale within the task's limits has 0 there, and so has its
score; the same with code whose result differs from the reference's at a larger scale (see ``scaled_results``).

Noise costs nothing. Code that is the reference's own (comments and layout aside) has 1 and is not measured. At a scale
where the code's best run is no slower than the reference's worst, or within a quarter of its best, no difference is
seen: 1; memory likewise. A small difference is measured again with twice the runs before it counts.

Edge cases: code that is not right, or no reference: no score. A scale that the reference does not get through itself is
left out, and so are scales that would take too long or too many cells, and larger tables that cannot be drawn.
``growth`` is the exponent b of time = a × scale^b.

By hand: reference 10, 11, 12 ms, own 20, 22, 30 ms: time = 12 / 22 = 0.55. Own 12, 14, 15 ms: its best is no slower
than the reference's worst: 1.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.core.json_types import JsonMapping
from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.sandbox import Measurement, Plain, Sandbox
from karat.suites.codegen.analysis.syntax_tree import syntax_tree
from karat.suites.codegen.options import Options
from karat.suites.codegen.plots.drawn import expects_plot
from karat.suites.codegen.records import Task
from karat.suites.codegen.running.execution import given_tables, limits_of, snippet_of
from karat.suites.codegen.running.references import plain_tables
from karat.suites.codegen.running.scaled_results import wrong_when_larger
from karat.suites.codegen.running.scaled_tables import scaled
from karat.suites.codegen.running.task_tables import placed

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison

TIME_WEIGHT = 0.7
MEMORY_WEIGHT = 0.3
TIME_FLOOR = 0.002
MEMORY_FLOOR = 4 * 1024**2
LONG = 0.5
"""Seconds of one run after which no larger scale is tried."""
NEAR = 1.25
"""Up to this ratio two times or sizes are the same: so much they differ on a busy machine."""
FAR = 4.0
"""Beyond this ratio no second look is needed."""
SAME_CODE = "the same code as the reference"
WRONG_LATER = "with {} times the rows its result is not the reference's"


class Scale(msgspec.Struct, frozen=True):
    """The best of several runs at one scale, of the code and of the reference: seconds and bytes."""

    scale: int
    seconds: float
    reference_seconds: float
    peak_memory: int
    reference_peak_memory: int
    ran: bool = True
    same_time: bool = False
    """No difference in time is seen."""
    same_memory: bool = False
    wrong: bool = False
    """It ran, and its result is not the reference's there."""

    @property
    def counts(self) -> bool:
        """Whether it got through with the right result."""
        return self.ran and not self.wrong

    @property
    def time(self) -> float:
        if self.same_time and self.counts:
            return 1.0
        return min(1.0, (self.reference_seconds + TIME_FLOOR) / (self.seconds + TIME_FLOOR)) if self.counts else 0.0

    @property
    def memory(self) -> float:
        if self.same_memory and self.counts:
            return 1.0
        ratio = (self.reference_peak_memory + MEMORY_FLOOR) / (self.peak_memory + MEMORY_FLOOR)
        return min(1.0, ratio) if self.counts else 0.0


Measured = tuple[Scale | None, tuple[Plain, Plain]]


class Performance(msgspec.Struct, frozen=True):
    """The score with its parts; None with the reason why there is none."""

    score: float | None
    reason: str = ""
    time: float | None = None
    memory: float | None = None
    scales: tuple[Scale, ...] = ()
    growth: float | None = None
    reference_growth: float | None = None


def performance_of(
    box: Sandbox, task: Task, code: str, *, passed: bool, options: Options, ordered: bool = False
) -> Performance:
    """Measure the code beside the reference. ``ordered``: the order of the result's rows matters."""
    if not options.performance:
        return Performance(None, "switched off (option performance)")
    if task.expected is not None and task.expected.only_files:
        return Performance(None, reason="code that writes files is not measured")
    if task.unit_tests is not None:
        return Performance(None, "tests that share the answer's process are not timed")
    if not task.reference:
        return Performance(None, "no reference to measure against")
    if not passed:
        return Performance(None, "only right code is measured")
    if _same_code(code, task.reference):
        return Performance(1.0, SAME_CODE, 1.0, 1.0)
    found: list[Scale] = []
    for scale in sorted(set(options.scales)):
        if found and (max(found[-1].seconds, found[-1].reference_seconds) > LONG or not found[-1].counts):
            break
        measured = _at_scale(box, task, code, scale, options, ordered=ordered)
        if measured is None:
            break
        found.append(measured)
    if not found:
        return Performance(None, "the reference could not be measured")
    return scored(found, WRONG_LATER.format(found[-1].scale) if found[-1].wrong else "")


def _at_scale(box: Sandbox, task: Task, code: str, scale: int, options: Options, *, ordered: bool) -> Scale | None:
    """None: this scale is not available, or the reference does not get through it."""
    if scale == 1:
        return _measured(box, task, code, given_tables(task), scale, options.repeats_for_timing)[0]
    own = plain_tables(box, task) or {}
    larger = scaled(own, scale)
    if larger is None:
        return None
    with placed(task, larger) as tables:
        measured, results = _measured(box, task, code, tables, scale, options.repeats_for_timing)
    if measured is None or not measured.ran:
        return measured
    wrong = wrong_when_larger(
        box, task, code, larger, results, second=lambda: scaled(own, scale, 1), ordered=ordered, options=options
    )
    return msgspec.structs.replace(measured, wrong=wrong)


def scored(scales: Sequence[Scale], reason: str = "") -> Performance:
    """The formula, over what was measured."""
    time = _geometric([scale.time for scale in scales])
    memory = _geometric([scale.memory for scale in scales])
    ran = [scale for scale in scales if scale.counts]
    return Performance(
        min(1.0, max(0.0, TIME_WEIGHT * time + MEMORY_WEIGHT * memory)),
        reason,
        time,
        memory,
        tuple(scales),
        _exponent([(scale.scale, scale.seconds) for scale in ran]),
        _exponent([(scale.scale, scale.reference_seconds) for scale in scales]),
    )


def _measured(box: Sandbox, task: Task, code: str, tables: JsonMapping, scale: int, repeats: int) -> Measured:
    """What was measured, and the results of the reference and the code. None: the reference does not get through."""
    limits = limits_of(task)
    end = "\nresult = None" if expects_plot(task) else ""  # code that only draws leaves nothing else
    codes = snippet_of(task, task.reference).code + end, snippet_of(task, code).code + end
    reference, own = box.measure_pair(*codes, tables, repeats=repeats, limits=limits)
    if reference.outcome.ok and own.outcome.ok and _doubtful(own, reference):
        again = box.measure_pair(*codes, tables, repeats=2 * repeats, limits=limits)
        if all(one.outcome.ok for one in again):
            reference, own = (_together(one, two) for one, two in zip((reference, own), again, strict=True))
    results = reference.outcome.result, own.outcome.result
    if not reference.outcome.ok:
        return None, results
    if not own.outcome.ok:
        peak = min(own.peaks, default=0)
        found = Scale(scale, own.outcome.wall, min(reference.walls), peak, min(reference.peaks), ran=False)
        return found, results
    found = Scale(
        scale,
        min(own.walls),
        min(reference.walls),
        min(own.peaks),
        min(reference.peaks),
        same_time=no_more(own.walls, reference.walls, TIME_FLOOR),
        same_memory=no_more(own.peaks, reference.peaks, MEMORY_FLOOR),
    )
    return found, results


def _doubtful(own: Measurement, reference: Measurement) -> bool:
    """Whether a difference is seen that is small enough to be a busy machine's: then more runs decide."""
    more = not no_more(own.walls, reference.walls, TIME_FLOOR)
    return more and min(own.walls) < FAR * (min(reference.walls) + TIME_FLOOR)


def _together(one: Measurement, two: Measurement) -> Measurement:
    return msgspec.structs.replace(
        one, walls=one.walls + two.walls, cpus=one.cpus + two.cpus, peaks=one.peaks + two.peaks
    )


def no_more(own: Sequence[float], reference: Sequence[float], floor: float) -> bool:
    """Whether the code is seen to take no more than the reference."""
    return min(own) <= max(reference) or min(own) + floor <= NEAR * (min(reference) + floor)


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


def _exponent(points: Sequence[tuple[int, float]]) -> float | None:
    """The slope of the line through the logarithms, least squares; None with fewer than two scales."""
    pairs = [(math.log(scale), math.log(seconds)) for scale, seconds in points if seconds > 0]
    if len(pairs) < 2:
        return None
    middle = sum(x for x, _ in pairs) / len(pairs)
    level = sum(y for _, y in pairs) / len(pairs)
    spread = sum((x - middle) ** 2 for x, _ in pairs)
    return round(sum((x - middle) * (y - level) for x, y in pairs) / spread, 3) if spread else None


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
