"""A right result once more, on changed copies of the tables, against the reference there.

Right on the task's tables and wrong on a copy is ``only_fits_this_data``: correctness is then half of the cells' F1 on
that copy, and the evidence names the copy. The first difference ends the check. Code that was not done in time on a
copy is not held to it, as a busy machine may be the cause, unless it is quick on the task's tables and stands still
there again. Where the question leaves open whether a limit is included
("between 10 and 20"), a difference right at the limit is only a remark.

A rounded result that was accepted on the task's tables is accepted on the copies too, in as many decimals as the code
shows anywhere.

By hand: ``result = 333`` for a total of 333. On the first copy the total is another one; F1 is 0, and so is
correctness.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from karat.sandbox import Plain, Sandbox
from karat.suites.codegen.analysis.records import CodeFacts
from karat.suites.codegen.metrics.correctness import PART, Correctness, Gold, Perturbed, gold_of, judge
from karat.suites.codegen.options import Options
from karat.suites.codegen.perturb.constant_answers import constant_word
from karat.suites.codegen.perturb.kinds.missing import nothing_is_zero
from karat.suites.codegen.perturb.reference_results import (
    ReferenceResults,
    Right,
    at_limits_of,
    reference_results_of,
    settled,
)
from karat.suites.codegen.perturb.rounding import decimals_of, forgiven, rounded_as_shown
from karat.suites.codegen.perturb.runs import Ran, on_all, on_one, stalls
from karat.suites.codegen.plots.correctness import plot_correctness
from karat.suites.codegen.plots.plot_runs import expects_plot
from karat.suites.codegen.question.records import Asked, Ordered
from karat.suites.codegen.records import Task
from karat.suites.codegen.running.references import reference_outcome

WITH_UNIT = "a result with a unit is only checked for being a constant"
NO_REFERENCE = "there is no reference to compute the right result on changed tables"


def perturbed(
    box: Sandbox,
    task: Task,
    code: str,
    found: Correctness,
    result: Plain,
    *,
    asked: Asked,
    facts: CodeFacts,
    options: Options,
) -> Correctness:
    """The word on a right result after it was compared on the copies; a wrong one stays as it is, unless it is rounded
    (see ``rounding``)."""
    if not found.passed and not expects_plot(task):
        found = rounded_as_shown(box, task, code, found, result, asked=asked, options=options)
    if not found.passed:
        return found
    level = options.perturb_level
    if level == "no" and not facts.tables:
        level = "quick"  # no table reaches the result: it may be right by chance only
    problem = _unusable(box, task, ordered=asked.ordered, options=options, level=level)
    if problem in (NO_REFERENCE, WITH_UNIT) and _plain(task):
        word = constant_word(box, task, code, result, asked=asked, facts=facts)
        if word:
            about = Perturbed(tried=1, copies={"anything else": False}, note=problem)
            return Correctness(0.0, reason="only_fits_this_data", evidence={"problem": word}, perturbed=about)
    if problem:
        return _with(found, Perturbed(note=problem))
    references = reference_results_of(box, task, gold_of(box, task), asked, options)
    if references.problem:
        return _with(found, Perturbed(note=references.problem))
    rights = _first_of_each(references.right) if level == "quick" else references.right
    rights = (*rights, *at_limits_of(box, task, references, facts, asked, options))
    check = _Check(box, task, code, asked, options)
    if "rounding" in found.normalised:
        check.shown = decimals_of(result)
    about, wrong = check.held_against(references, rights)
    if wrong is None:
        return _with(found, about)
    return msgspec.structs.replace(wrong, perturbed=about)


def _plain(task: Task) -> bool:
    """Whether all that an answer gets is tables, and all that it gives is its result."""
    figures = task.expected is not None and task.expected.named is not None
    return bool(task.tables) and not (task.template or task.setup or figures)


def _unusable(box: Sandbox, task: Task, *, ordered: Ordered, options: Options, level: str) -> str:
    """Why no copy can be used; empty when some can."""
    if level == "no":
        return "perturb is off"
    if task.expected is not None and task.expected.unit:
        return WITH_UNIT
    if not task.reference:
        return NO_REFERENCE
    if not task.tables or task.template:
        return "the task creates its inputs in its own code, which is not changed"
    if task.expected is None:
        return ""
    if task.expected.named:
        return "named figures are not checked on changed tables"
    if task.expected.plot is not None:
        drawn = plot_correctness(box, task, task.expected.plot, reference_outcome(box, task), options.compare_options())
        return "" if drawn.passed else "the reference itself does not draw the expected plot"
    own: Gold = gold_of(box, task)
    if judge(own, reference_outcome(box, task).result, ordered=ordered, options=options).passed:
        return ""
    return "the reference itself does not give the expected result"


def _first_of_each(rights: Sequence[Right]) -> tuple[Right, ...]:
    """One copy of each kind."""
    found: dict[str, Right] = {}
    for right in rights:
        found.setdefault(right.kind, right)
    return tuple(found.values())


_FILLS = re.compile(
    r"\b(?:resample|asfreq|date_range|Grouper|upsample|group_by_dynamic|generate_series|datetime_range)\b"
)
"""Code that may make a row of each day between the first and the last."""


class _Check:
    """One answer on the copies of its task."""

    def __init__(self, box: Sandbox, task: Task, code: str, asked: Asked, options: Options) -> None:
        self.box = box
        self.task = task
        self.code = code
        self.asked = asked
        self.options = options
        self.shown: int | None = None
        """The decimals of a result that was accepted as rounded; None when it was not."""
        self.waited = False
        self.remarks_only = {"limits"} if asked.open_limits else set[str]()

    def held_against(
        self, references: ReferenceResults, rights: Sequence[Right]
    ) -> tuple[Perturbed, Correctness | None]:
        """What the copies say, and the word on the first on which the result is wrong."""
        tried = telling = 0
        copies: dict[str, bool] = {}
        left_out = dict(references.left_out)
        remarks: list[str] = []
        wrong: Correctness | None = None
        all_ran = on_all(self.box, self.task, self.code, [right.tables for right in rights])
        if self.shown is not None:
            self.shown = max([self.shown, *(decimals_of(ran.value) for ran in all_ran if ran.ok)])
        for right, ran in zip(rights, all_ran, strict=True):
            there = self._there(right, ran)
            if there is not None and not there.passed:  # alone, and in a process of its own, it must be wrong too
                there = self._there(right, on_one(self.box, self.task, self.code, right.tables))
            if there is None and self._stalls(right):
                there = Correctness(0.0, reason="did_not_run", evidence={"error": "the code did not finish in time"})
            if there is None:
                left_out.setdefault(right.kind, "the code did not finish in time")
                continue
            if right.kind == "gaps" and not there.passed and _FILLS.search(self.code):
                left_out.setdefault(right.kind, "the code fills the days between")
                continue
            if right.kind in self.remarks_only:
                if not there.passed and right.kind not in remarks:
                    remarks.append(right.kind)
                continue
            if not there.passed and not settled(self.box, self.task, references, right, self.asked, self.options):
                left_out.setdefault(right.kind, "it has ties")
                continue
            tried, telling = tried + 1, telling + right.telling
            copies[right.kind] = copies.get(right.kind, True) and there.passed
            if not there.passed:
                wrong = _wrong_on(right.kind, there)
                break
        note = ""
        if not tried:
            note = "no changed copy of the tables could be used"
        elif not telling and wrong is None:
            note = "the right result is the same on every changed copy: a constant would not be detected"
        others = {kind: why for kind, why in left_out.items() if kind not in copies}
        return Perturbed(tried, telling, copies, others, note, tuple(_REMARKS[kind] for kind in remarks)), wrong

    def _stalls(self, right: Right) -> bool:
        """Looked at once: it costs the time limit."""
        if self.waited:
            return False
        self.waited = True
        return stalls(self.box, self.task, self.code, right.tables)

    def _there(self, right: Right, ran: Ran) -> Correctness | None:
        """The word on what the code gave on a copy; None when it was not done in time."""
        if ran.late:
            return None
        if not ran.ok:
            return Correctness(0.0, reason="did_not_run", evidence={"error": ran.error})
        found = judge(right.gold, ran.value, ordered=self.asked.ordered, options=self.options)
        nothing = ran.value is None or ran.value != ran.value
        if not found.passed and (nothing or right.kind in ("nulls", "unseen_nulls")):
            # A sum over nothing is 0 in pandas and null in SQL.
            as_zero = judge(right.gold, nothing_is_zero(ran.value), ordered=self.asked.ordered, options=self.options)
            found = as_zero if as_zero.passed else found
        if found.passed or self.shown is None:
            return found
        again = forgiven(right.gold, ran.value, self.shown, ordered=self.asked.ordered, options=self.options)
        return again if again.passed else found


_REMARKS = {
    "limits": "differs from the reference right at a limit that the question leaves open",
}


def _wrong_on(kind: str, there: Correctness) -> Correctness:
    """Wrong on a copy. What is expected and given is that of the copy, and the evidence says so."""
    where = f"on a changed copy of the tables ({kind})"
    told = there.evidence.get("problem") or there.evidence.get("error") or there.reason
    evidence = {
        **there.evidence,
        "where": where,
        "problem": f"{where}: {told}",
        "wrong_on": kind,
        "wrong_there": there.reason,
    }
    return Correctness(PART * there.cell_f1, reason="only_fits_this_data", evidence=evidence, cell_f1=there.cell_f1)


def _with(found: Correctness, about: Perturbed) -> Correctness:
    return msgspec.structs.replace(found, perturbed=about)
