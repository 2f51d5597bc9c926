"""Whether code that is right on the task's tables is wrong on larger ones: then it may be quick only because of that.

A difference counts when the reference says clearly what is right: its result is the same with the rows in reverse and
other texts in place of the categories (it has no ties that these decide), the code is wrong on a second drawing of the
larger tables too (a tie would be there once), and on the task's own tables it gives the reference's result.

Plots, named figures, results with a unit and templates are not compared here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from karat.sandbox import Plain, Sandbox
from karat.suites.codegen.metrics.correctness import as_gold, judge
from karat.suites.codegen.options import Options
from karat.suites.codegen.perturb.labels import relabelled, relabelled_tables, relabelling
from karat.suites.codegen.perturb.reference_results import hints_of
from karat.suites.codegen.perturb.rounding import decimals_of, forgiven
from karat.suites.codegen.perturb.runs import on_one
from karat.suites.codegen.plots.plot_runs import expects_plot
from karat.suites.codegen.question.records import Ordered
from karat.suites.codegen.records import Columns, Task
from karat.suites.codegen.results.tables import NoTableError
from karat.suites.codegen.running.execution import run_code
from karat.suites.codegen.running.references import reference_outcome


def wrong_when_larger(
    box: Sandbox,
    task: Task,
    code: str,
    larger: Mapping[str, Columns],
    results: tuple[Plain, Plain],
    *,
    second: Callable[[], Mapping[str, Columns] | None],
    ordered: Ordered,
    options: Options,
) -> bool:
    """Whether the second of the two results, the code's, is wrong beside the first, the reference's. ``second`` makes
    other tables of the same size, on which it must be wrong too."""
    if not _compared(task) or same_result(*results, ordered=ordered, options=options):
        return False
    labels = relabelling(larger, hints_of(task.reference).named)
    turned = {name: {label: values[::-1] for label, values in columns.items()} for name, columns in larger.items()}
    again = on_one(box, task, task.reference, relabelled_tables(turned, labels))
    first = relabelled(results[0], labels) if labels else results[0]
    if not again.ok or not same_result(first, again.value, ordered=ordered, options=options):
        return False
    tables = second()
    if tables is None:
        return False
    other, own = (on_one(box, task, one, tables) for one in (task.reference, code))
    if not other.ok or not own.ok or same_result(other.value, own.value, ordered=ordered, options=options):
        return False
    here = run_code(box, task, code)[1]
    right = reference_outcome(box, task).result
    return here.ok and same_result(right, here.result, ordered=ordered, options=options)


def _compared(task: Task) -> bool:
    expected = task.expected
    special = expected is not None and bool(expected.named or expected.unit or expected.published)
    return not (special or expects_plot(task) or task.template or task.harness is not None)


def same_result(right: Plain, given: Plain, *, ordered: Ordered, options: Options) -> bool:
    """Whether a result is the right one, rounded ones included; what cannot be compared is not held against it."""
    try:
        gold = as_gold(right, calls=False)
    except NoTableError:
        return True
    if judge(gold, given, ordered=ordered, options=options).passed:
        return True
    return forgiven(gold, given, decimals_of(given), ordered=ordered, options=options).passed
