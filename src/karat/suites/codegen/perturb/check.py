"""A right result once more, on changed copies of the tables, against the reference there.

Right on the task's tables and wrong on a copy is ``only_fits_this_data``: correctness is then half of the cells' F1 on that copy, and the evidence
names the copy. The first difference ends the check. Code that was not done in time on a copy is not held to it: a busy machine may be the cause.

By hand: ``result = 333`` for a total of 333. On the first copy the total is another one; F1 is 0, and so is correctness.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.sandbox import Sandbox
from karat.suites.codegen.correctness import PART, Correctness, Gold, Perturbed, gold_of, judge
from karat.suites.codegen.options import Options
from karat.suites.codegen.perturb.oracle import Oracle, Right, oracle_of
from karat.suites.codegen.perturb.runs import Ran, on_all, on_one
from karat.suites.codegen.records import Asked, CodeFacts, Task
from karat.suites.codegen.references import reference_outcome


def perturbed(
    box: Sandbox, task: Task, code: str, found: Correctness, *, asked: Asked, facts: CodeFacts, options: Options
) -> Correctness:
    """The word on a right result after it was held against the copies; a wrong one stays as it is."""
    if not found.passed:
        return found
    ordered = asked.ordered
    level = options.perturb_level
    if level == "no" and not facts.tables:
        level = "quick"  # no table reaches the result: it may be right by chance only
    problem = _unusable(box, task, ordered=ordered, options=options, level=level)
    if problem:
        return _with(found, Perturbed(note=problem))
    oracle = oracle_of(box, task, gold_of(box, task), asked, options)
    if oracle.problem:
        return _with(found, Perturbed(note=oracle.problem))
    rights = _first_of_each(oracle.right) if level == "quick" else oracle.right
    about, wrong = _held_against(box, task, code, oracle, rights, ordered=asked.ordered, options=options)
    if wrong is None:
        return _with(found, about)
    return msgspec.structs.replace(wrong, perturbed=about)


def _unusable(box: Sandbox, task: Task, *, ordered: bool, options: Options, level: str) -> str:
    """Why no copy can be used; empty when some can."""
    if level == "no":
        return "perturb is off"
    if not task.reference:
        return "there is no reference to compute the right result on changed tables"
    if not task.tables or task.template:
        return "the task creates its inputs in its own code, which is not changed"
    if task.expected is None:
        return ""
    if task.expected.named:
        return "named figures are not checked on changed tables"
    own: Gold = gold_of(box, task)
    if judge(own, reference_outcome(box, task).result, ordered=ordered, options=options).passed:
        return ""
    return "the reference itself does not give the expected result"


def _first_of_each(rights: Sequence[Right]) -> list[Right]:
    """One copy of each kind."""
    found: dict[str, Right] = {}
    for right in rights:
        found.setdefault(right.kind, right)
    return list(found.values())


def _held_against(
    box: Sandbox, task: Task, code: str, oracle: Oracle, rights: Sequence[Right], *, ordered: bool, options: Options
) -> tuple[Perturbed, Correctness | None]:
    """What the copies say, and the word on the first on which the result is wrong."""
    tried = telling = 0
    copies: dict[str, bool] = {}
    left_out = dict(oracle.left_out)
    wrong: Correctness | None = None
    for right, ran in zip(rights, on_all(box, task, code, [right.tables for right in rights]), strict=True):
        there = _there(right, ran, ordered=ordered, options=options)
        if there is not None and not there.passed:  # alone, and in a process of its own, it must be wrong too
            there = _there(right, on_one(box, task, code, right.tables), ordered=ordered, options=options)
        if there is None:
            left_out.setdefault(right.kind, "the code did not finish in time")
            continue
        tried, telling = tried + 1, telling + right.telling
        copies[right.kind] = copies.get(right.kind, True) and there.passed
        if not there.passed:
            evidence = {**there.evidence, "wrong_on": right.kind, "wrong_there": there.reason}
            score = PART * there.cell_f1
            wrong = Correctness(score, reason="only_fits_this_data", evidence=evidence, cell_f1=there.cell_f1)
            break
    note = ""
    if not tried:
        note = "no changed copy of the tables could be used"
    elif not telling and wrong is None:
        note = "the right result is the same on every changed copy: a constant would not be detected"
    others = {kind: why for kind, why in left_out.items() if kind not in copies}
    return Perturbed(tried, telling, copies, others, note), wrong


def _there(right: Right, ran: Ran, *, ordered: bool, options: Options) -> Correctness | None:
    """The word on what the code gave on a copy; None when it was not done in time."""
    if ran.late:
        return None
    if ran.ok:
        return judge(right.gold, ran.value, ordered=ordered, options=options)
    return Correctness(0.0, reason="did_not_run", evidence={"error": ran.error})


def _with(found: Correctness, about: Perturbed) -> Correctness:
    return msgspec.structs.replace(found, perturbed=about)
