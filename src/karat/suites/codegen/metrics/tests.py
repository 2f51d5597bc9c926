"""``tests``: entries of the task's ``tests`` that hold / entries.

An entry that the task's own reference fails is wrong itself and is left out. Code that did not run fails all entries. A
task without tests: not applicable.

By hand: three entries, the reference fails the first, the answer fails the second: 1 of 2, so 0.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.metric import Metric
from karat.core.problems import count_of
from karat.core.scores import Score, not_applicable
from karat.suites.codegen.hidden_tests.records import share

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison


def score(comparison: Comparison) -> Score:
    tests = comparison.tests
    stated_errors = [entry for entry in tests.left_out if entry.decides]
    held = share(tests.counted)
    told = [f"{entry.name}: {entry.reason}" for entry in tests.failed[:1]]
    if stated_errors:
        first = stated_errors[0]
        told.append(f"{count_of(len(stated_errors), 'test')} left out: {first.name}: {first.reason}")
    if held is None:
        return not_applicable("; ".join(told) or "the task has no tests")
    return Score(held, "scored", "; ".join(told))


metric = Metric("tests", "tests", "entries of the task's tests that hold / entries", score, zero_on_error=False)
