"""A right result once more, on changed copies of the tables, against the reference.

Right on the data and wrong on a copy is ``only_fits_this_data``: correctness is then half of the mean cell F1 over the copies. A copy that the
reference itself cannot take (it may not expect nulls) tells nothing and is left out.
"""

from __future__ import annotations

import msgspec

from karat.sandbox import Sandbox
from karat.suites.codegen.changed_tables import changed_copies
from karat.suites.codegen.correctness import PART, Correctness, as_gold, judge
from karat.suites.codegen.execution import run_code
from karat.suites.codegen.options import Options
from karat.suites.codegen.placed_tables import placed
from karat.suites.codegen.records import CodeFacts, Task
from karat.suites.codegen.references import plain_tables
from karat.suites.codegen.result_tables import NoTableError


def needs_recheck(task: Task, facts: CodeFacts, found: Correctness, options: Options) -> bool:
    """When the option asks for it, and always when no table reaches a right result: a constant may be right by chance only."""
    return found.passed and bool(task.reference and task.tables) and (options.perturb or not facts.tables)


def rechecked(
    box: Sandbox, task: Task, code: str, found: Correctness, *, ordered: bool, options: Options
) -> Correctness:
    """The word on a right result after it was held against the copies."""
    tables = plain_tables(box, task)
    copies: dict[str, bool] = {}
    shares: list[float] = []
    for kind, changed in changed_copies(tables or {}).items():
        with placed(task, changed) as given:
            gold = run_code(box, task, task.reference, given)[1]
            outcome = run_code(box, task, code, given)[1] if gold.ok else gold
        if not gold.ok:
            continue
        try:
            right = as_gold(gold.result, calls=bool(task.template))
        except NoTableError:
            continue
        there = judge(right, outcome.result, ordered=ordered, options=options) if outcome.ok else Correctness(0.0)
        copies[kind] = there.passed
        shares.append(there.cell_f1)
    if all(copies.values()):
        return msgspec.structs.replace(found, copies=copies)
    share = sum(shares) / len(shares)
    wrong = [kind for kind, right in copies.items() if not right]
    return Correctness(
        PART * share, reason="only_fits_this_data", evidence={"wrong_on": wrong}, copies=copies, cell_f1=share
    )
