"""An answer in steps against its task.

    steps         right steps / all steps, each in the state that the answer's own code built
    steps_alone   the same, each step after the references of the steps before it
    passed        the steps named under ``final`` are right; none named: the last one

Everything else that is said of the answer (quality, understanding, coverage) is about the last of those steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.problems import count_of
from karat.core.records import Case, Prediction, attempts
from karat.core.suite import NotApplicable, Unreadable
from karat.sandbox import Outcome, Sandbox, StepRun
from karat.suites.codegen.analysis.answer_facts import facts_of
from karat.suites.codegen.comparison import Comparison, asked_in, judged, sampled, shown
from karat.suites.codegen.metrics.correctness import Correctness
from karat.suites.codegen.metrics.coverage import coverage_of
from karat.suites.codegen.metrics.overall import overall_of
from karat.suites.codegen.metrics.performance import Performance
from karat.suites.codegen.metrics.quality import quality_of
from karat.suites.codegen.metrics.recovery import recovery_of
from karat.suites.codegen.metrics.understanding import understanding_of
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Attempt, Task
from karat.suites.codegen.repair.strategies import main_line, strategy_results
from karat.suites.codegen.running.completion import code_for
from karat.suites.codegen.running.environments import box_for, used
from karat.suites.codegen.running.execution import Snippet, attempt_of
from karat.suites.codegen.steps.budgets import ran_out
from karat.suites.codegen.steps.judge import Judged, judge_step, missing_state, reason_of
from karat.suites.codegen.steps.records import NOT_REPEATABLE, SessionResult, StepResult
from karat.suites.codegen.steps.run import RanSteps, run_alone, run_steps
from karat.suites.codegen.steps.step_task import after

NO_REFERENCES = "not every step has a reference"
NO_REPAIRS = "a session has no repairs"
NOT_MEASURED = "not measured in a session"
MISSING = "missing"
SHOWN = 2_000


def compare(case: Case[Task], turn: int, prediction: Prediction, options: Options) -> Comparison:
    """Run and judge an answer, in one piece or in steps. Raises Unreadable and NotApplicable."""
    question, task = asked_in(case, turn)
    box = box_for(task, options)
    whole = task.expected is not None and len(attempts(prediction.response)) == 1
    if not task.steps or whole:  # a task that also says what is right in the end takes an answer in one piece
        task = msgspec.structs.replace(task, steps=(), final=())
        codes = [code_for(task, response) for response in main_line(prediction.response)]
        found = judged(question, task, codes, options, box)
        strategies = strategy_results(question, task, prediction.response, options, box)
        return msgspec.structs.replace(found, strategies=strategies)
    return session_judged(
        question, task, read_codes(task, prediction), options, box, budget=ran_out(task, prediction, options)
    )


def read_codes(task: Task, prediction: Prediction) -> list[str | None]:
    """The code for each step that was answered; None where a step was left out. Words without code are kept as a
    comment: the step is answered, and wrong."""
    responses = attempts(prediction.response)
    if len(responses) > len(task.steps):
        raise Unreadable(f"{count_of(len(responses), 'answer')} to {count_of(len(task.steps), 'step')}")
    found: list[str | None] = []
    for response in responses:
        try:
            found.append(code_for(task, response) if response.strip() else None)
        except Unreadable as error:
            found.append(f"raise ValueError({str(error)!r})")
    if not any(found):
        raise Unreadable("no step was answered")
    return found


def session_judged(
    question: str, task: Task, codes: Sequence[str | None], options: Options, box: Sandbox, *, budget: str = ""
) -> Comparison:
    """The whole judgement of a session. ``budget``: what ended it before its last step."""
    ran = run_steps(box, task, codes, options.session_timeout)
    judgements, results = _in_own_state(box, task, codes, ran, options)
    reason = ran.ran_out or budget
    results += [
        StepResult(number, step.question, "missing", reason=reason or MISSING)
        for number, step in enumerate(task.steps[len(results) :], start=len(results) + 1)
    ]
    results, no_alone = _with_alone(box, task, codes, ran, results, options)
    session = SessionResult(tuple(results), task.final or (len(task.steps),), reason, no_alone)
    return _as_comparison(box, question, task, session, judgements, ran)


def _in_own_state(
    box: Sandbox, task: Task, codes: Sequence[str | None], ran: RanSteps, options: Options
) -> tuple[dict[int, Judged], list[StepResult]]:
    judgements: dict[int, Judged] = {}
    results: list[StepResult] = []
    good: list[str] = []
    given: list[str] = []
    for number, (code, run) in enumerate(zip(codes, ran.runs, strict=False), start=1):
        if code is None or run is None:
            results.append(StepResult(number, task.steps[number - 1].question, "missing", reason=MISSING))
            continue
        judgements[number] = judge_step(box, task, number, good, code, run.outcome, options)
        missing = missing_state(task, number, given, run.outcome)
        results.append(_result(task, number, code, run, judgements[number], missing))
        given.append(code)
        if run.snapshot is not None:
            good.append(code)
    return judgements, results


def _result(task: Task, number: int, code: str, run: StepRun, found: Judged, missing: str) -> StepResult:
    outcome = run.outcome
    tried = _attempt(task, code, outcome)
    reason, problem = reason_of(found.correctness, missing)
    result = StepResult(
        number,
        task.steps[number - 1].question,
        "right" if found.correctness.passed else "wrong",
        code,
        "" if found.correctness.passed else reason,
        "" if found.correctness.passed else problem,
        tried.ran,
        tried.error,
        tried.line,
        outcome.wall,
        outcome.peak_memory,
        outcome.stdout[:SHOWN],
        shown(outcome.result) if outcome.ok else "",
        {} if found.correctness.passed else found.correctness.evidence,
        run.replayed,
    )
    if not run.repeatable:
        problem = "the steps before it gave other results when they were run again"
        return msgspec.structs.replace(result, state="review", reason=NOT_REPEATABLE, trouble=problem)
    if found.correctness.score is None:
        return msgspec.structs.replace(result, state="review")
    return result


def _attempt(task: Task, code: str, outcome: Outcome) -> Attempt:
    return attempt_of(task, code, Snippet(code, 0, code.count("\n") + 1), outcome)


def _with_alone(
    box: Sandbox,
    task: Task,
    codes: Sequence[str | None],
    ran: RanSteps,
    results: list[StepResult],
    options: Options,
) -> tuple[list[StepResult], str]:
    """Each step after the references. The first one is as it is: nothing comes before it."""
    if not all(step.reference.strip() for step in task.steps):
        return results, NO_REFERENCES
    known = [code if number < len(ran.runs) else None for number, code in enumerate(codes)]
    runs = run_alone(box, task, known)
    found = list(results)
    for place, (code, run) in enumerate(zip(known, runs, strict=False)):
        step = results[place]
        if code is None or run is None:
            found[place] = msgspec.structs.replace(step, alone="missing")
        elif place == 0:
            found[place] = msgspec.structs.replace(step, alone=step.state, alone_trouble=step.trouble)
        else:
            before = [one.reference for one in task.steps[:place]]
            word = judge_step(box, task, place + 1, before, code, run.outcome, options).correctness
            unknown = word.score is None or not run.repeatable
            state = "review" if unknown else "right" if word.passed else "wrong"
            problem = "" if word.passed else reason_of(word)[1]
            found[place] = msgspec.structs.replace(step, alone=state, alone_trouble=problem)
    for place in range(len(runs), len(found)):
        found[place] = msgspec.structs.replace(found[place], alone="missing")
    return found, ""


def _as_comparison(
    box: Sandbox,
    question: str,
    task: Task,
    session: SessionResult,
    judgements: dict[int, Judged],
    ran: RanSteps,
) -> Comparison:
    """The session in the form of every answer: what it says beside the steps is about the last one that decides, or the
    last one that was run."""
    if not judgements:
        raise NotApplicable(f"no step was run: {session.ran_out or MISSING}")
    last = max((number for number in judgements if number <= max(session.final)), default=max(judgements))
    step, run, found = session.steps[last - 1], ran.runs[last - 1], judgements[last]
    outcome = run.outcome if run is not None else Outcome("no_result")
    runs = zip(session.steps[: last - 1], ran.runs, strict=False)
    good = [one.code for one, before in runs if before is not None and before.snapshot is not None]
    facts = facts_of(after(task, good), step.code, found.schema)
    reference = task.steps[last - 1].reference
    by_reference = facts_of(task, reference, found.schema) if reference.strip() else None
    correctness = _decided(session, judgements)
    quality = quality_of(step.code, facts, draws=found.asked.drawing)
    performance = Performance(None, reason=NOT_MEASURED)
    understanding = understanding_of(found.asked, facts, by_reference)
    coverage = coverage_of(found.asked, facts, by_reference)
    recovery = msgspec.structs.replace(recovery_of((_attempt(task, step.code, outcome),)), recovery_score=None)
    parts = {
        "correctness": correctness.score,
        "quality": quality.score,
        "understanding": understanding.understanding_score,
        "coverage": coverage.coverage_score,
    }
    reasons = {"correctness": correctness.reason, "performance": NOT_MEASURED, "recovery": NO_REPAIRS}
    return Comparison(
        question,
        task,
        found.asked,
        (_attempt(task, step.code, outcome),),
        facts,
        correctness,
        quality,
        performance,
        understanding,
        coverage,
        recovery,
        overall_of(parts, reasons),
        None,
        step.result,
        sampled(outcome.result) if outcome.ok else None,
        found.tests,
        used(box),
        session,
    )


def _decided(session: SessionResult, judgements: dict[int, Judged]) -> Correctness:
    """The lowest of the steps that decide; not known while one of them needs review."""
    found: list[Correctness] = []
    for number in session.final:
        step = session.steps[number - 1]
        if step.state == "review":
            return Correctness(None, reason=step.reason, evidence={"problem": f"step {number}: {step.trouble}"})
        if step.state == "missing":
            problem = f"step {number} is missing: {step.reason.replace('_', ' ')}"
            found.append(Correctness(0.0, reason=step.reason, evidence={"problem": problem}))
        else:
            one = judgements[number].correctness
            found.append(one if step.state == "right" else msgspec.structs.replace(one, reason=step.reason))
    return min(found, key=lambda one: one.score or 0.0)
