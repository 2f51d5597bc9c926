"""One step of an answer against what is right after it.

Its result is the one that the session gave. What has to run again on other tables (changed copies, tests with tables of
their own) runs as one program: the steps before, then this one; the reference likewise, after the references before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from karat.sandbox import Outcome, Sandbox
from karat.suites.codegen.analysis.answer_facts import facts_of
from karat.suites.codegen.analysis.records import CodeFacts
from karat.suites.codegen.comparison import full_correctness
from karat.suites.codegen.hidden_tests.records import TestResults
from karat.suites.codegen.metrics.correctness import Correctness
from karat.suites.codegen.options import Options
from karat.suites.codegen.question.reading import read_question
from karat.suites.codegen.question.records import Asked
from karat.suites.codegen.question.vocabulary import vocabulary_for
from karat.suites.codegen.records import Schema, Task
from karat.suites.codegen.results.precision import with_asked_digits
from karat.suites.codegen.running.references import schema_of
from karat.suites.codegen.steps.flat import flat_program, names_set
from karat.suites.codegen.steps.records import STATE_MISSING
from karat.suites.codegen.steps.step_task import after, step_task
from karat.suites.codegen.written_files.judging import with_files

_NOT_DEFINED = re.compile(r"name '([^']+)' is not defined")


class Judged(msgspec.Struct, frozen=True):
    """The word on one step, and what it was read from."""

    correctness: Correctness
    tests: TestResults
    asked: Asked
    facts: CodeFacts
    schema: Schema


def judge_step(
    box: Sandbox, task: Task, number: int, before: Sequence[str], code: str, outcome: Outcome, options: Options
) -> Judged:
    """``before``: the code that made the state this step ran in. Raises NotApplicable when the step's gold fails."""
    whole = step_task(task, number)
    schema, values = schema_of(box, after(task, before))
    question = task.steps[number - 1].question
    asked = read_question(question, schema, values=values, words_known=vocabulary_for(options.vocabulary, question))
    program = flat_program(before, code)
    facts = facts_of(whole, program, schema)
    exact = with_asked_digits(options, asked, whole)
    correctness, tests = full_correctness(box, whole, program, outcome, asked, facts, exact)
    correctness, _ = with_files(whole, correctness, outcome, ordered=asked.ordered, options=options)
    return Judged(correctness, tests, asked, facts, schema)


def missing_state(task: Task, number: int, given: Sequence[str], outcome: Outcome) -> str:
    """The name that an earlier step should have set, and that this one did not find; empty when that is not the
    error."""
    raised = outcome.error
    if raised is None or raised.class_ not in ("NameError", "UnboundLocalError"):
        return ""
    found = _NOT_DEFINED.search(raised.message)
    earlier = (*(step.reference for step in task.steps[: number - 1]), *given)
    return found[1] if found and any(found[1] in names_set(code) for code in earlier) else ""


def reason_of(correctness: Correctness, missing: str = "") -> tuple[str, str]:
    """Why a step is not right, as a code and in words."""
    if missing:
        return STATE_MISSING, f"the name {missing} is not there: no earlier step that ran has set it and left it there"
    problem = correctness.evidence.get("problem") or correctness.evidence.get("error") or ""
    return correctness.reason, str(problem or correctness.reason.replace("_", " "))
