"""Relations that nobody stated, tried on right answers: another order of rows, other columns. They are reported and
decide nothing.

``row_order`` is not tried where the question makes the order of rows matter ("the first", "running total"). A relation
that the reference does not keep either says nothing and is named with its reason.
"""

from __future__ import annotations

from collections import OrderedDict
from weakref import WeakKeyDictionary

import msgspec

from karat.sandbox import Plain, Sandbox
from karat.suites.codegen.hidden_tests.records import TestResult, TestResults
from karat.suites.codegen.hidden_tests.relations import REASONS, RelationCheck
from karat.suites.codegen.options import Options
from karat.suites.codegen.question.records import Asked
from karat.suites.codegen.records import HiddenTest, Relation, Task
from karat.suites.codegen.running.references import digest, reference_outcome

TRIED: tuple[Relation, ...] = ("row_order", "columns")
KEPT = 256
_kept: WeakKeyDictionary[Sandbox, OrderedDict[str, str]] = WeakKeyDictionary()


def with_unstated(
    box: Sandbox, task: Task, code: str, result: Plain, tests: TestResults, *, asked: Asked, options: Options
) -> TestResults:
    """The results of a right answer's tests with those of the relations that nobody stated."""
    named = task.expected is not None and task.expected.named is not None
    if options.relations in (False, "no") or any(part.relation for part in tests.parts) or named or not task.tables:
        return tests
    check = RelationCheck(box, task, asked, options)
    parts, not_tried = list(tests.parts), dict(tests.not_tried)
    for relation in TRIED:
        why = _no_reason_to_try(check, relation)
        found = None if why else check.tried(HiddenTest(relation=relation), code, result)
        if found is None or found.cannot:
            not_tried[relation] = why if found is None else found.cannot
            continue
        reason = f"{REASONS[relation]}: {found.problem}" if found.problem else ""
        state = "failed" if found.problem else "held"
        part = {"name": relation, "state": state, "reason": reason, "relation": relation, "decides": False}
        parts.append(msgspec.convert({**part, "smallest": found.smallest}, TestResult))
    return TestResults(tuple(parts), not_tried)


def _no_reason_to_try(check: RelationCheck, relation: Relation) -> str:
    """Why a relation would say nothing about an answer; empty when it may. The reference is asked once a task."""
    task, asked = check.task, check.asked
    if relation == "row_order" and (asked.by_position or asked.keeps_order):
        return "the question makes the order of rows matter"
    if not task.reference:
        return ""
    kept = _kept.setdefault(check.box, OrderedDict())
    key = f"{digest(task, task.reference)} {relation} {asked.ordered} {asked.whole_table} {check.options!r}"
    if key not in kept:
        found = check.tried(HiddenTest(relation=relation), task.reference, reference_outcome(check.box, task).result)
        kept[key] = "the reference depends on it too" if found.problem else found.cannot
        while len(kept) > KEPT:
            kept.popitem(last=False)
    return kept[key]
