"""Every entry of a task's ``tests`` for one answer.

An entry that the task's own reference fails is an error of that entry: it is left out, and says so. What the reference
gives is found out once a task and kept with the sandbox.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from weakref import WeakKeyDictionary

import msgspec

from karat.core.suite import NotApplicable
from karat.sandbox import Outcome, Plain, Sandbox
from karat.suites.codegen.hidden_tests.asserts import assert_problem
from karat.suites.codegen.hidden_tests.other_tables import OtherTables
from karat.suites.codegen.hidden_tests.properties import property_problem
from karat.suites.codegen.hidden_tests.records import TestResult, TestResults
from karat.suites.codegen.hidden_tests.relations import REASONS, RelationCheck
from karat.suites.codegen.metrics.correctness import gold_of, judge
from karat.suites.codegen.options import Options
from karat.suites.codegen.plots.correctness import plot_correctness
from karat.suites.codegen.plots.plot_runs import expects_plot
from karat.suites.codegen.plots.records import PlotGold
from karat.suites.codegen.question.records import Asked
from karat.suites.codegen.records import HiddenTest, Task
from karat.suites.codegen.running.execution import run_code
from karat.suites.codegen.running.references import digest, plain_tables, reference_outcome

KEPT = 64


def hidden_tests_of(
    box: Sandbox, task: Task, code: str, outcome: Outcome, *, asked: Asked, options: Options
) -> TestResults:
    """What the stated entries say of an answer. Code that did not run fails all of them."""
    run = _Run(box, task, asked, options)
    errors = _reference_problems(run)
    entries = []
    for number, test in enumerate(task.tests, start=1):
        name = f"test {number} ({described(test)})"
        if errors[number - 1]:
            entries.append(_entry(test, name, "error", errors[number - 1]))
        elif not outcome.ok:
            entries.append(_entry(test, name, "failed", "the code did not run"))
        elif test.relation:
            entries.append(_related(run, test, name, code, outcome.result))
        else:
            problem = run.problem(test, code, outcome.result)
            entries.append(_entry(test, name, "failed" if problem else "held", problem))
    return TestResults(tuple(entries))


def described(test: HiddenTest) -> str:
    """An entry in few words."""
    if test.assertion:
        first = test.assertion.strip().splitlines()[0]
        return f"assert {first[:80]}" if not first.startswith("assert ") else first[:80]
    if test.property:
        return f"property {test.property}"
    if test.relation:
        return f"relation {test.relation}"
    return f"other tables: {', '.join(test.tables)}"


def _entry(test: HiddenTest, name: str, state: str, problem: str) -> TestResult:
    return msgspec.convert(
        {"name": name, "state": state, "reason": problem, "relation": test.relation or "", "line": test.line},
        TestResult,
    )


def _related(run: _Run, test: HiddenTest, name: str, code: str, result: Plain) -> TestResult:
    found = run.relations.tried(test, code, result)
    if found.cannot:
        return _entry(test, name, "error", found.cannot)
    reason = REASONS.get(test.relation or "", "")
    told = f"{reason}: {found.problem}" if reason and found.problem else found.problem
    entry = _entry(test, name, "failed" if found.problem else "held", told)
    return msgspec.structs.replace(entry, smallest=found.smallest)


class _Run:
    """One task with its tests."""

    def __init__(self, box: Sandbox, task: Task, asked: Asked, options: Options) -> None:
        self.box = box
        self.task = task
        self.asked = asked
        self.options = options
        self.relations = RelationCheck(box, task, asked, options)

    def problem(self, test: HiddenTest, code: str, result: Plain) -> str:
        """Why an entry does not hold for this code; empty when it does."""
        task = self.task
        if not test.tables:
            return self._on(task, test, result)
        with OtherTables(task, test.tables) as other:
            plot = test.expected.plot if test.expected is not None else None
            if plot is not None:
                return self._drawn(msgspec.structs.replace(other.task, expected=test.expected), plot, code)
            attempt, ran = other.run(self.box, code)
            if not ran.ok:
                return f"the code did not run on these tables: {attempt.error}"
            return self._on(other.task, test, ran.result)

    def _drawn(self, task: Task, plot: PlotGold, code: str) -> str:
        """Why the plot of an entry is not the expected one on its tables."""
        attempt, ran = run_code(self.box, task, code)
        if not ran.ok:
            return f"the code did not run on these tables: {attempt.error}"
        found = plot_correctness(self.box, task, plot, ran, self.options.compare_options())
        return "" if found.passed else str(found.evidence.get("problem") or found.reason)

    def _on(self, task: Task, test: HiddenTest, result: Plain) -> str:
        if test.assertion:
            return assert_problem(self.box, task, test.assertion, result)
        if test.property:
            tables = plain_tables(self.box, task) if test.of else None
            return property_problem(test, result, tables, self.options.compare_options())
        if test.expected is not None or not expects_plot(task):
            task = msgspec.structs.replace(task, expected=test.expected)
        gold = gold_of(self.box, task)
        found = judge(gold, result, ordered=self.asked.ordered, options=self.options)
        return "" if found.passed else str(found.evidence.get("problem") or found.reason).replace("_", " ")


_kept: WeakKeyDictionary[Sandbox, OrderedDict[object, list[str]]] = WeakKeyDictionary()


def _reference_problems(run: _Run) -> list[str]:
    """For each entry, why it cannot be used; empty where it can."""
    task = run.task
    kept = _kept.setdefault(run.box, OrderedDict())
    key = (digest(task, task.reference), task.expected, task.tests, run.asked.ordered, run.options)
    text = repr(key)
    if text not in kept:
        kept[text] = [_unusable(run, test) for test in task.tests]
        while len(kept) > KEPT:
            kept.popitem(last=False)
    return kept[text]


def _unusable(run: _Run, test: HiddenTest) -> str:
    """The reference is held to an entry like an answer."""
    task = run.task
    if not task.reference:
        return _problem_of(lambda: _gold_problem(run, test))
    result = reference_outcome(run.box, task).result
    if test.relation:
        related = run.relations.tried(test, task.reference, result)
        return related.cannot or (f"the reference fails it: {related.problem}" if related.problem else "")
    problem = _problem_of(lambda: run.problem(test, task.reference, result))
    return f"the reference fails it: {problem}" if problem else ""


def _gold_problem(run: _Run, test: HiddenTest) -> str:
    """Without a reference only a right result that cannot be read is found out."""
    if test.expected is not None and test.expected.plot is None:
        gold_of(run.box, msgspec.structs.replace(run.task, expected=test.expected))
    return ""


def _problem_of(look: Callable[[], str]) -> str:
    try:
        return look()
    except NotApplicable as error:
        return str(error)
