"""What is kept of an answer: three parts in the contract's exact shapes, the others beside them. ``details`` in the
store and in ``--json``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from karat.core.explanation import read_details
from karat.core.results.result import CaseResult, RepeatResult, RunResult
from karat.suites.codegen.comparison import Comparison
from karat.suites.codegen.hidden_tests.records import TestResults
from karat.suites.codegen.metrics.correctness import Correctness
from karat.suites.codegen.metrics.coverage import RequirementCoverage
from karat.suites.codegen.metrics.overall import Overall
from karat.suites.codegen.metrics.performance import Performance
from karat.suites.codegen.metrics.quality import Quality
from karat.suites.codegen.metrics.recovery import ErrorRecovery
from karat.suites.codegen.metrics.requirements.met_lines import MetLine
from karat.suites.codegen.metrics.understanding import PromptUnderstanding
from karat.suites.codegen.question.vocabulary import ENGLISH
from karat.suites.codegen.records import Attempt, ErrorClass, FileReport
from karat.suites.codegen.repair.records import StrategyResult
from karat.suites.codegen.running.environments import UsedEnvironment
from karat.suites.codegen.steps.records import SessionResult
from karat.tables.explain.sample import TableSample

Try = CaseResult | RepeatResult


class Details(msgspec.Struct, frozen=True):
    """Every score with what it is made of."""

    reason: str
    """The error, or why the result is not right; empty if it is."""
    prompt_understanding: PromptUnderstanding
    """How well the code reflects the question."""
    requirement_coverage: RequirementCoverage
    """How much of what the question asks for the code does."""
    error_recovery: ErrorRecovery
    """What the repairs achieved after an error."""
    correctness: Correctness
    """Whether the result is right."""
    quality: Quality
    """How well the code is written."""
    performance: Performance
    """Time and memory beside the reference."""
    overall: Overall
    """All scores, weighted."""
    code: str
    """The last code."""
    result: str
    """The result, as text."""
    error_class: ErrorClass | None
    """The kind of error that ended the last code; null if it ran."""
    error: str | None
    """The error message; null if the code ran."""
    line: int | None
    """The line of the code that failed; null if none did."""
    attempts: tuple[Attempt, ...]
    """Each piece of code, repairs included."""
    sample: TableSample | msgspec.UnsetType = msgspec.UNSET
    """The first rows of a result that is more than one value."""
    tests: TestResults | msgspec.UnsetType = msgspec.UNSET
    """What the task's tests and the relations showed."""
    environment: UsedEnvironment | msgspec.UnsetType = msgspec.UNSET
    """What the code ran with."""
    steps: SessionResult | msgspec.UnsetType = msgspec.UNSET
    """The steps of a session."""
    files: tuple[FileReport, ...] | msgspec.UnsetType = msgspec.UNSET
    """Files that the code wrote, and those that it should have written."""
    vocabulary: str | msgspec.UnsetType = msgspec.UNSET
    """The language that the question was read in, if it is not English: ``de``."""
    strategies: tuple[StrategyResult, ...] | msgspec.UnsetType = msgspec.UNSET
    """What each repair strategy achieved after a wrong first answer."""
    met: tuple[MetLine, ...] | msgspec.UnsetType = msgspec.UNSET
    """Lines of the code that do what the question asks for."""

    @property
    def missing(self) -> tuple[str, ...]:
        """The requirements that the code misses, in words."""
        return self.requirement_coverage.details.missing_requirements


def details(turns: Sequence[tuple[int, Comparison]]) -> Details:
    """What is kept of a case: the comparison of its last scored turn."""
    _, comparison = turns[-1]
    last = comparison.last
    return Details(
        last.error or comparison.correctness.reason,
        comparison.understanding,
        comparison.coverage,
        comparison.recovery,
        comparison.correctness,
        comparison.quality,
        comparison.performance,
        comparison.overall,
        last.code,
        comparison.result,
        last.error_class,
        last.error or None,
        last.line or None,
        comparison.attempts,
        comparison.sample or msgspec.UNSET,
        comparison.tests if comparison.tests.parts else msgspec.UNSET,
        comparison.environment,
        comparison.session or msgspec.UNSET,
        comparison.files or msgspec.UNSET,
        comparison.asked.vocabulary if comparison.asked.vocabulary != ENGLISH else msgspec.UNSET,
        comparison.strategies or msgspec.UNSET,
        comparison.met or msgspec.UNSET,
    )


def details_of(attempt: Try) -> Details | None:
    """The details of a case or of one try at it; None when there is no answer that was judged."""
    return read_details(Details, attempt.details)


def tries(result: RunResult) -> Iterator[tuple[CaseResult, Details]]:
    """Every try at every task that was judged; one a task unless there were repeats."""
    for case in result.cases:
        for attempt in case.repeats or (case,):
            details = details_of(attempt)
            if details is not None:
                yield case, details
