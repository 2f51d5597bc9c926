"""``relations``: relations that hold / relations tried.

A relation says how the result follows when the tables change in a known way (see ``hidden_tests.relations``). The
relations that the task states count. If it states none, ``row_order`` and ``columns`` are tried on every right answer;
they decide nothing. If no relation was tried, it is not applicable.

By hand: row_order and scaled are stated; the result changes with the order of the rows and scales as stated: 0.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.suites.codegen.hidden_tests.records import share

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison


def score(comparison: Comparison) -> Score:
    tests = comparison.tests
    held = share(tests.relations)
    if held is None:
        why = [f"{name}: {reason}" for name, reason in tests.not_tried.items()]
        why += [f"{part.name}: {part.reason}" for part in tests.left_out if part.relation]
        return not_applicable("; ".join(why) or "no relation was tried")
    failed = [part.reason for part in tests.relations if part.state == "failed"]
    return Score(held, "scored", failed[0] if failed else "")


metric = Metric("relations", "relations", "relations that hold / relations tried", score, zero_on_error=False)
