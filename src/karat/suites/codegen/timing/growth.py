"""How the time of code grows with the rows of its tables, beside the reference.

The tables get 4 times the rows again and again, from the task's own size, until a run takes 1 s net of an empty
snippet's time, 20 s are spent on runs, or the tables would have more than 4,000,000 cells. The exponent is log₄ of the
last two medians; its interval comes from the repeats: the smallest of the one beside the largest of the other. On small
tables fixed costs hide how code grows, so earlier sizes do not count.

If the next size runs out of time, the exponent is at least what would explain that.

``grows_faster``: the exponent is above 1.5 and above the reference's by more than 0.4.

By hand: medians 0.02, 0.3 and 4.8 s: log₄(4.8 / 0.3) = 2, quadratic; the reference 0.01, 0.04, 0.16 s: 1. Flagged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import median

import msgspec

from karat.sandbox import Outcome, Plain, Sandbox
from karat.suites.codegen.options import Options
from karat.suites.codegen.question.records import Ordered
from karat.suites.codegen.records import Columns, Task
from karat.suites.codegen.running.execution import limits_of
from karat.suites.codegen.running.references import plain_tables
from karat.suites.codegen.running.task_tables import placed
from karat.suites.codegen.timing.pairs import empty_run
from karat.suites.codegen.timing.records import GROWS_FASTER, Curve, Growth, GrowthPoint
from karat.suites.codegen.timing.scale_runs import timed_code
from karat.suites.codegen.timing.scaled_results import wrong_when_larger
from karat.suites.codegen.timing.scaled_tables import scaled

STEP = 4
ENOUGH = 1.0
BUDGET = 20.0
MOST_CELLS = 4_000_000
REPEATS = 5
QUADRATIC, MORE = 1.5, 0.4
SHORTEST = 1e-4
"""Net seconds below which a median says nothing of growth."""


class _Runner:
    """One piece of code on ever larger tables."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.points: list[GrowthPoint] = []
        self.going = True
        self.ran_out = 0.0
        """Seconds after which the last size was stopped."""

    def at(self, run: Callable[[str], Outcome], rows: int, empty: float, budget: float) -> tuple[float, Plain]:
        """Run it a few times; the seconds that took, and the first result."""
        seconds: list[float] = []
        spent, first = 0.0, None
        while len(seconds) < REPEATS and (not seconds or spent + seconds[-1] < budget / 4):
            outcome = run(self.code)
            spent += outcome.wall
            if not outcome.ok:
                self.going = False
                self.ran_out = outcome.busy if outcome.status == "timeout" else 0.0
                return spent, None
            first = outcome.result if not seconds else first
            seconds.append(max(0.0, outcome.busy - empty))
        self.points.append(GrowthPoint(rows, tuple(seconds)))
        self.going = median(seconds) < ENOUGH or len(self.points) < 2
        return spent, first

    def curve(self) -> Curve:
        return curve_of(self.points, self.ran_out)


def growth_of(box: Sandbox, task: Task, code: str, *, ordered: Ordered, options: Options) -> Growth:
    """Both curves. The reference is run on the same tables, and its results are compared there."""
    tables = plain_tables(box, task)
    if not tables:
        return Growth(reason="no tables that can be made larger")
    runners = [_Runner(timed_code(task, code))]
    if task.reference and timed_code(task, task.reference) != runners[0].code:
        runners.append(_Runner(timed_code(task, task.reference)))
    empty = empty_run(box.over()).seconds
    spent, scale, reason, wrong = 0.0, 1, "", False
    while spent < BUDGET and runners[0].going:
        larger = scaled(tables, scale, most=MOST_CELLS) if scale > 1 else dict(tables)
        if larger is None:
            reason = "the tables cannot be made larger" if scale == STEP else ""
            break
        took, results = _at(box, task, larger, runners, empty, BUDGET - spent)
        spent += took
        wrong = len(results) == 2 and _wrong(box, task, code, larger, tables, scale, results, ordered, options)
        if wrong:
            reason = f"with {scale} times the rows its result is not the reference's"
            break
        scale *= STEP
    own = runners[0].curve() if not wrong else Curve(tuple(runners[0].points))
    reference = runners[-1].curve() if task.reference else Curve()
    if own.exponent is None and not reason:
        reason = "too quick to say, also on the largest tables" if len(own.points) > 1 else "it ran at one size only"
    return Growth(own, reference, flag_of(own, reference), reason if own.exponent is None else "")


def _at(
    box: Sandbox,
    task: Task,
    tables: Mapping[str, Columns],
    runners: Sequence[_Runner],
    empty: float,
    budget: float,
) -> tuple[float, list[Plain]]:
    """Everything that still runs, over tables of one size."""
    rows = sum(len(next(iter(columns.values()), [])) for columns in tables.values())
    spent, results = 0.0, []
    with placed(task, tables) as given:
        for runner in runners:
            if runner.going:
                limits = msgspec.structs.replace(limits_of(task), wall=max(ENOUGH, budget - spent))
                took, result = runner.at(box.over(given, limits=limits), rows, empty, budget - spent)
                spent += took
                if runner.points and runner.points[-1].rows == rows:
                    results.append(result)
    return spent, results


def _wrong(
    box: Sandbox,
    task: Task,
    code: str,
    larger: Mapping[str, Columns],
    tables: Mapping[str, Columns],
    scale: int,
    results: Sequence[Plain],
    ordered: Ordered,
    options: Options,
) -> bool:
    own, reference = results
    return scale > 1 and wrong_when_larger(
        box,
        task,
        code,
        larger,
        (reference, own),
        second=lambda: scaled(tables, scale, 1, most=MOST_CELLS),
        ordered=ordered,
        options=options,
    )


def curve_of(points: Sequence[GrowthPoint], ran_out: float = 0.0) -> Curve:
    """The exponent of the last two sizes. ``ran_out``: the seconds after which the size after them was stopped."""
    usable = [point for point in points if median(point.seconds) >= SHORTEST]
    found = Curve(tuple(points))
    if len(usable) >= 2:
        before, last = usable[-2:]
        found = Curve(
            tuple(points),
            _exponent(median(last.seconds), median(before.seconds), last.rows / before.rows),
            _exponent(min(last.seconds), max(before.seconds), last.rows / before.rows),
            _exponent(max(last.seconds), min(before.seconds), last.rows / before.rows),
        )
    if ran_out and usable:
        least = _exponent(ran_out, median(usable[-1].seconds), STEP)
        if found.exponent is None or least > found.exponent:
            low = _exponent(ran_out, max(usable[-1].seconds), STEP)
            found = msgspec.structs.replace(found, exponent=least, low=low, high=None, ran_out_of_time=True)
    return found


def _exponent(later: float, earlier: float, rows: float) -> float:
    return round(math.log(max(later, SHORTEST) / max(earlier, SHORTEST)) / math.log(rows), 3)


def flag_of(own: Curve, reference: Curve) -> str:
    if own.exponent is None or reference.exponent is None:
        return ""
    faster = own.exponent > QUADRATIC and own.exponent > reference.exponent + MORE
    return GROWS_FASTER if faster else ""
