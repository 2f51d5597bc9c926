"""Measuring code beside its reference at one scale."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from weakref import WeakKeyDictionary

from karat.core.json_types import JsonMapping
from karat.sandbox import INSTRUCTIONS, Counter, Outcome, Plain, Sandbox
from karat.suites.codegen.options import Options
from karat.suites.codegen.plots.plot_runs import expects_plot
from karat.suites.codegen.question.records import Ordered
from karat.suites.codegen.records import Task
from karat.suites.codegen.running.execution import limits_of, snippet_of
from karat.suites.codegen.timing.pairs import EMPTY, Pairs, empty_run
from karat.suites.codegen.timing.records import MEMORY_FLOOR, Scale
from karat.suites.codegen.timing.scaled_results import same_result

STARVED = 0.5
"""Of its limit, the share that a run must have had, for the limit to be the code's own doing."""
NEAR = 1.25
"""Up to this ratio two sizes are the same: so much they differ from run to run."""

Measured = tuple[Scale | None, tuple[Plain, Plain]]
"""What was measured, and the results of the reference and the code. None: the reference does not get through."""

_counters: WeakKeyDictionary[Sandbox, Counter | None] = WeakKeyDictionary()


def counter_of(box: Sandbox, options: Options) -> Counter | None:
    """The counter that times are taken by; None: the clock."""
    if options.timing == "paired":
        return None
    if box not in _counters:
        _counters[box] = INSTRUCTIONS if box.over(counter=INSTRUCTIONS)(EMPTY).counted is not None else None
    return _counters[box]


def timed_code(task: Task, code: str) -> str:
    """The snippet as it is measured. Code that only draws leaves nothing else."""
    return snippet_of(task, code).code + ("\nresult = None" if expects_plot(task) else "")


def measured(
    box: Sandbox, task: Task, code: str, tables: JsonMapping, scale: int, options: Options, *, ordered: Ordered
) -> Measured:
    """Both by turns over these tables. Code that gives now this result and now that, where the reference gives always
    the same, is wrong: it may be quick only when it is."""
    counter = counter_of(box, options)
    run = box.over(tables, limits=limits_of(task), counter=counter)
    pairs = Pairs(run, timed_code(task, code), timed_code(task, task.reference), empty_run(run))
    timed = (pairs.by_count() if counter is not None else None) or pairs.by_clock(options.repeats_for_timing)
    own, reference = pairs.runs
    failed, reference_failed = pairs.failed
    results = (reference_failed or reference[0]).result, (failed or own[0]).result
    if reference_failed is not None or (failed is not None and starved(failed, limits_of(task).wall)):
        return None, results
    peaks, reference_peaks = ([outcome.peak_memory for outcome in outcomes] for outcomes in pairs.runs)
    least, reference_least = min(peaks), min(reference_peaks)
    if failed is not None or timed is None:
        wall = failed.wall if failed is not None else 0.0
        return Scale(scale, wall, median(pairs.net(1)), least, reference_least, ran=False), results
    found, seen = timed
    unsteady = varies(own, ordered=ordered, options=options)
    made = Scale(
        scale,
        median(pairs.net(0)),
        median(pairs.net(1)),
        least,
        reference_least,
        same_time=not seen,
        same_memory=no_more(peaks, reference_peaks, MEMORY_FLOOR),
        ratio=found.middle,
        low=found.low,
        high=found.high,
        confidence=found.confidence,
        pairs=len(own),
        wrong=unsteady and not varies(reference, ordered=ordered, options=options),
    )
    return made, results


def starved(outcome: Outcome, limit: float) -> bool:
    """Whether a run was ended by the clock while it waited for a processor most of the time: that says nothing of its
    code. Code that sleeps does not wait."""
    return outcome.status == "timeout" and outcome.busy < STARVED * limit


def varies(outcomes: Sequence[Outcome], *, ordered: Ordered, options: Options) -> bool:
    """Whether runs of one code over the same tables gave different results."""
    first = outcomes[0].result
    others = (outcome.result for outcome in outcomes[1:])
    return any(other != first and not same_result(first, other, ordered=ordered, options=options) for other in others)


def no_more(own: Sequence[float], reference: Sequence[float], floor: float) -> bool:
    """Whether the code is seen to take no more than the reference."""
    return min(own) <= max(reference) or min(own) + floor <= NEAR * (min(reference) + floor)
