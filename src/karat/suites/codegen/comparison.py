"""An answer against its task: every attempt is run, the last one is judged, and the six parts make the overall score.

A prediction may hold several attempts: the first try and its repairs. They are run in their order until one runs; later
ones, which nobody asked for, are not looked at.
"""

from __future__ import annotations

import msgspec

from karat.core.problems import count_of
from karat.core.records import Case
from karat.core.suite import NotApplicable
from karat.engines import EngineError
from karat.sandbox import Column, Outcome, Plain, Sandbox, Series
from karat.sandbox import Table as Frame
from karat.suites.codegen.analysis.answer_facts import facts_of
from karat.suites.codegen.analysis.records import CodeFacts
from karat.suites.codegen.analysis.sql_facts import sets_order
from karat.suites.codegen.harness.score import tested
from karat.suites.codegen.harness.unit_score import unit_tested
from karat.suites.codegen.hidden_tests.records import TestResults
from karat.suites.codegen.hidden_tests.run import hidden_tests_of
from karat.suites.codegen.hidden_tests.unstated_relations import with_unstated
from karat.suites.codegen.hidden_tests.verdict import by_tests_alone, with_tests
from karat.suites.codegen.metrics.correctness import Correctness, correctness_of
from karat.suites.codegen.metrics.coverage import RequirementCoverage, coverage_of
from karat.suites.codegen.metrics.overall import Overall, overall_of
from karat.suites.codegen.metrics.performance import Performance, performance_of
from karat.suites.codegen.metrics.quality import NO_QUALITY, Quality, quality_of
from karat.suites.codegen.metrics.recovery import ErrorRecovery, recovery_of
from karat.suites.codegen.metrics.requirements.matching import sorted_by
from karat.suites.codegen.metrics.requirements.met_lines import MetLine, met_lines
from karat.suites.codegen.metrics.understanding import PromptUnderstanding, understanding_of
from karat.suites.codegen.options import Options
from karat.suites.codegen.perturb import perturbed
from karat.suites.codegen.plots.correctness import plot_correctness
from karat.suites.codegen.plots.plot_runs import expects_plot
from karat.suites.codegen.published.judging import judged_as_published
from karat.suites.codegen.question.reading import read_question
from karat.suites.codegen.question.records import Asked
from karat.suites.codegen.question.vocabulary import vocabulary_for
from karat.suites.codegen.records import Answers, Attempt, FileReport, Task
from karat.suites.codegen.repair.records import StrategyResult
from karat.suites.codegen.results.precision import with_asked_digits
from karat.suites.codegen.results.tables import NoTableError, given_table
from karat.suites.codegen.running.answers import run_answer, runnable
from karat.suites.codegen.running.environments import UsedEnvironment, used
from karat.suites.codegen.running.printed_answers import REASON, advice
from karat.suites.codegen.running.references import reference_outcome, schema_of
from karat.suites.codegen.running.sql_programs import in_python, query_in
from karat.suites.codegen.steps.records import SessionResult
from karat.suites.codegen.written_files.judging import with_files
from karat.tables.explain.sample import ROWS, TableSample, sample_of


class Comparison(msgspec.Struct, frozen=True):
    """Everything that was found out about one answer."""

    question: str
    task: Task
    asked: Asked
    attempts: tuple[Attempt, ...]
    facts: CodeFacts
    correctness: Correctness
    quality: Quality
    performance: Performance
    understanding: PromptUnderstanding
    coverage: RequirementCoverage
    recovery: ErrorRecovery
    overall: Overall
    first_passed: bool | None = None
    """Whether the first try gave the right result; None when nothing says what is right."""
    result: str = ""
    """The result as it shows itself, cut."""
    sample: TableSample | None = None
    """The first rows of a result that is more than one value."""
    tests: TestResults = TestResults()
    environment: UsedEnvironment = UsedEnvironment()
    session: SessionResult | None = None
    """The steps, where the task has some; everything else is then about the last step that decides."""
    files: tuple[FileReport, ...] = ()
    """Files that it wrote, and those that it should have written."""
    strategies: tuple[StrategyResult, ...] = ()
    """What came of asking again in several ways, where the first answer was wrong."""
    met: tuple[MetLine, ...] = ()
    """The lines that do what was asked for."""

    @property
    def last(self) -> Attempt:
        return self.attempts[-1]


def asked_in(case: Case[Task], turn: int) -> tuple[str, Task]:
    """The question and the task of a user turn."""
    said = [turn for turn in case.conversation if turn.role == "user"][turn]
    if said.target is None:
        raise NotApplicable("this turn has no task")
    return said.content, said.target


def judged(
    question: str, task: Task, codes: list[str], options: Options, box: Sandbox, *, live: bool = False
) -> Comparison:
    """The whole judgement of the first try and its repairs.

    Where nothing says what is right, correctness is not known. ``live``: code that did not run at all is wrong even so,
    since its user got nothing.
    """
    written = task
    task = _with_runnable_reference(task)
    tried, outcome = _tried(box, task, codes)
    own = tried[-1].code
    code = runnable(task, own)
    schema, values = schema_of(box, task)
    asked = read_question(question, schema, values=values, words_known=vocabulary_for(options.vocabulary, question))
    query = query_in(task.reference) if task.language == "sql" else None
    by_reference = facts_of(task, task.reference, schema) if task.reference else None
    if query is not None and sets_order(query) and by_reference is not None:
        asked = msgspec.structs.replace(asked, reference_orders=True, order_keys=sorted_by(by_reference))
    facts = facts_of(task, code, schema)
    correctness, tests = full_correctness(
        box, task, code, outcome, asked, facts, with_asked_digits(options, asked, written)
    )
    correctness, files = with_files(task, correctness, outcome, ordered=asked.ordered, options=options)
    if tried[-1].printed and correctness.score is not None and not correctness.passed:
        told = {**correctness.evidence, "problem": advice(task, outcome)}
        correctness = msgspec.structs.replace(correctness, reason=REASON, evidence=told)
    if live and correctness.score is None and not outcome.ok:
        correctness = Correctness(0.0, reason="did_not_run")
    draws = asked.drawing or expects_plot(task)
    quality = quality_of(own, facts, draws=draws) if task.language == "python" else NO_QUALITY
    performance = performance_of(box, task, code, passed=correctness.passed, options=options, ordered=asked.ordered)
    understanding = understanding_of(asked, facts, by_reference)
    coverage = coverage_of(asked, facts, by_reference)
    recovery = recovery_of(tried)
    parts = {
        "correctness": correctness.score,
        "quality": quality.score,
        "performance": performance.score,
        "understanding": understanding.understanding_score,
        "coverage": coverage.coverage_score,
        "recovery": recovery.recovery_score,
    }
    reasons = {
        "correctness": correctness.reason,
        "performance": performance.reason,
        "recovery": "no error to recover from",
    }
    return Comparison(
        question,
        written,
        asked,
        tried,
        facts,
        correctness,
        quality,
        performance,
        understanding,
        coverage,
        recovery,
        overall_of(parts, reasons),
        None if correctness.score is None else correctness.passed and len(tried) == 1,
        shown(outcome.result) if outcome.ok else "",
        sampled(outcome.result) if outcome.ok else None,
        tests,
        used(box),
        files=files,
        met=met_lines(asked, facts, by_reference),
    )


def _with_runnable_reference(task: Task) -> Task:
    try:
        return in_python(task)
    except EngineError as error:
        raise NotApplicable(f"gold_error: the reference is not run: {error.message}") from error


def shown(result: Plain) -> str:
    """Cut; of the results of several inputs the first. A table is its names and first rows, one to a line."""
    found = result.shown if isinstance(result, Answers) else result
    sample = sampled(found) if isinstance(found, Frame | Series) else None
    if sample is None:
        return repr(found)[:2_000]
    rows = [", ".join("null" if cell is None else cell for cell in row) for row in (sample.columns, *sample.rows)]
    left = sample.full_size[0] - len(sample.rows)
    return "\n".join([*rows, *([f"and {count_of(left, 'more row')}"] if left > 0 else [])])[:2_000]


def sampled(result: Plain) -> TableSample | None:
    """None for a single value, and for what is no table. Of a large table only the first rows become texts."""
    found = result.shown if isinstance(result, Answers) else result
    height = found.height if isinstance(found, Frame) else len(found.column.values) if isinstance(found, Series) else 0
    try:
        sample = sample_of(given_table(_first(found)).table)
    except NoTableError:
        return None
    height = max(height, sample.full_size[0])
    few = height * sample.full_size[1] <= 1
    return None if few else msgspec.structs.replace(sample, full_size=(height, sample.full_size[1]))


def _first(result: Plain) -> Plain:
    if isinstance(result, Frame):
        return Frame(min(result.height, ROWS), tuple(map(_cut, result.columns)), tuple(map(_cut, result.index)))
    return Series(_cut(result.column), tuple(map(_cut, result.index))) if isinstance(result, Series) else result


def _cut(column: Column) -> Column:
    return Column(column.name, column.dtype, column.values[:ROWS])


def _tried(box: Sandbox, task: Task, codes: list[str]) -> tuple[tuple[Attempt, ...], Outcome]:
    """Each attempt until one runs, and what the last one gave."""
    tried: list[Attempt] = []
    outcome = Outcome("no_result")
    for code in codes:
        attempt, outcome = run_answer(box, task, code)
        tried.append(attempt)
        if attempt.ran:
            break
    return tuple(tried), outcome


def _found(box: Sandbox, task: Task, outcome: Outcome, asked: Asked, options: Options) -> Correctness:
    """The word on the result, or on the plot where one is expected."""
    plot = task.expected.plot if task.expected is not None else None
    if plot is not None:
        return plot_correctness(box, task, plot, outcome, options.compare_options())
    return correctness_of(box, task, outcome, ordered=asked.ordered, options=options)


def full_correctness(
    box: Sandbox, task: Task, code: str, outcome: Outcome, asked: Asked, facts: CodeFacts, options: Options
) -> tuple[Correctness, TestResults]:
    """Whether a result is right, with the task's tests and on changed tables too."""
    if task.unit_tests is not None:
        reference_outcome(box, task)
        return unit_tested(task.unit_tests, outcome), TestResults()
    if task.expected is not None and task.expected.published is not None:
        return judged_as_published(task.expected.published, outcome), TestResults()
    if task.harness is not None:
        return tested(box, task, task.harness, code, outcome, options), TestResults()
    if task.reference:
        reference_outcome(
            box, task
        )  # a reference that fails here speaks against the task, also beside a written result
    tests = hidden_tests_of(box, task, code, outcome, asked=asked, options=options)
    if task.tests and task.expected is None and not task.reference:
        found = by_tests_alone(tests, ran=outcome.ok)
        if not found.passed:
            return found, tests
    elif task.expected is not None and task.expected.only_files:
        right = Correctness(1.0, passed=True) if outcome.ok else Correctness(0.0, reason="did_not_run")
        return with_tests(right, tests), tests  # the files are looked at afterwards
    else:
        found = _found(box, task, outcome, asked, options)
    found = perturbed(box, task, code, found, outcome.result, asked=asked, facts=facts, options=options)
    found = with_tests(found, tests)
    if found.passed:
        tests = with_unstated(box, task, code, outcome.result, tests, asked=asked, options=options)
    return found, tests
