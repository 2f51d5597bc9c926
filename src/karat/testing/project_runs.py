"""The runs behind the tests: one for each suite of the project, made when the first test needs it.

With several workers (pytest-xdist), the first one that needs a run makes it; the others wait and read it from the
store. So no question is asked twice, however many workers there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from karat.core.explanation import Explanation
from karat.core.metric import Metric
from karat.core.presentation.case_explanation import explanation_of
from karat.core.problems import Problem, UserError, did_you_mean
from karat.core.records import AnyCase
from karat.core.results.result import CaseResult, RunResult
from karat.runs.baseline import find_run
from karat.stats.gates.verdicts import Gate, Verdict, judge, settle
from karat.testing.shared_run import shared_run
from karat.testing.verdicts import CaseVerdict, verdict_on
from karat.verbs.gate import baselines_here
from karat.verbs.inputs.projects import open_store_here, project_here
from karat.verbs.inputs.streamed_inputs import gather_cases
from karat.verbs.inputs.work import Work, choice_of, work_to_do
from karat.verbs.run import plan_work, resume_run, start_run


class CaseOutcome(msgspec.Struct, frozen=True):
    """What became of one case: what the fixture ``karat_case`` returns."""

    suite: str
    case: AnyCase
    result: CaseResult
    explanation: Explanation
    verdict: CaseVerdict
    run: str


class SuiteRun:
    """One suite of the project: its cases now, and its result when that is needed."""

    def __init__(self, work: Work, name: str) -> None:
        self.work, self.name = work, name
        self.selected: set[str] | None = None
        """The only cases that are needed; None: all."""
        gathered = gather_cases(work.suite, work.cases, choice=choice_of(work))
        self.cases: Sequence[AnyCase] = gathered.cases
        self.problems: tuple[Problem, ...] = gathered.problems
        self.done: RunResult | None = None
        self.failed: UserError | None = None
        self.by_id: dict[str, CaseResult] = {}

    @cached_property
    def cases_by_id(self) -> dict[str, AnyCase]:
        return {case.id: case for case in self.cases}


class ProjectRuns:
    """All suites of a project, and how their results are found."""

    def __init__(self, file: Path, run: str, store: str, reuse: str, session: str) -> None:
        self.file, self.run, self.store, self.reuse, self._session = file, run, store, reuse, session
        project = project_here(file)
        self.gates: tuple[Gate, ...] = project.gates if project is not None else ()
        work = work_to_do("run", config=file, suite=None, cases=None)
        if run:
            with open_store_here(store, file) as opened:
                if run != "latest":
                    of = opened.run(find_run(opened, run)).suite
                    known = [one.suite.name for one in work]
                    work = [one for one in work if one.suite.name == of]
                    if not work:
                        raise UserError(f"the run {run} is of the suite {of}", hint=did_you_mean(of, known))
        names = [one.suite.name for one in work]
        self.suites = [
            SuiteRun(one, name if names.count(name) == 1 else f"{name}[{one.cases.name}]")
            for one, name in zip(work, names, strict=True)
        ]

    def result(self, place: int) -> RunResult:
        """The result of a suite. It is run now if that was not done yet."""
        suite = self.suites[place]
        if suite.failed is not None:
            raise suite.failed
        if suite.done is None:
            try:
                suite.done = self._stored(suite) if self.run else self._shared(place)
            except UserError as error:
                suite.failed = error  # every test says so; nothing is tried again for each of them
                raise
            suite.by_id = {case.id: case for case in suite.done.cases}
        return suite.done

    def outcome(self, place: int, case_id: str) -> CaseOutcome:
        """One case of a suite, explained and judged. A case that the run does not have is missing."""
        suite, result = self.suites[place], self.result(place)
        case = suite.by_id.get(case_id)
        if case is None:
            words = f"the run {result.run.id} does not have this case"
            case = CaseResult(case_id, "missing", {}, error=words)
        verdict = verdict_on(result, case)
        explained = explanation_of(result.run.suite, case)
        return CaseOutcome(suite.name, suite.cases_by_id[case_id], case, explained, verdict, result.run.id)

    def verdicts(self, gate: Gate) -> list[Verdict]:
        """The last word on one gate, for every suite that it concerns."""
        found: list[Verdict] = []
        for place, suite in enumerate(self.suites):
            if gate.suite in ("", suite.work.suite.name):
                result = self.result(place)
                metrics = _metrics(suite.work, result)
                baselines = baselines_here(self.store, self.file, result.run.suite, result.run.id)
                found += judge([gate], result, metrics, baselines)
        return settle(found)

    def _stored(self, suite: SuiteRun) -> RunResult:
        with open_store_here(self.store, self.file) as opened:
            name = suite.work.suite.name
            if self.run != "latest":
                return opened.result(find_run(opened, self.run))
            rows = opened.runs(1, name)
            if not rows:
                raise UserError(f"there is no run of {name} in the store", hint="karat run makes one.")
            return opened.result(rows[0].id)

    def _shared(self, place: int) -> RunResult:
        suite = self.suites[place]
        run, made = shared_run(
            self._session, str(self.file), f"{place} {suite.name}", lambda tell, begun: self._make(suite, tell, begun)
        )
        if made is not None:
            return made
        with open_store_here(self.store, self.file) as opened:
            return opened.result(find_run(opened, run))

    def _make(self, suite: SuiteRun, tell: Callable[[str], None], begun: str) -> RunResult:
        """A new run; or, where a worker died in the middle of one, the rest of that."""
        from karat.runs.runner import Interrupted

        with open_store_here(self.store, self.file, create=True) as opened:
            try:
                if begun:
                    return resume_run(opened, begun, reuse=self.reuse)
                chosen = [case.id for case in suite.cases if suite.selected is None or case.id in suite.selected]
                ids = chosen if suite.selected is not None else ()
                job = plan_work(suite.work, case_ids=ids, reuse=self.reuse)
                return start_run(opened, job, on_run=lambda run, _calls: tell(run))
            except Interrupted as stopped:
                raise KeyboardInterrupt(str(stopped)) from None


def _metrics(work: Work, result: RunResult) -> list[Metric]:
    from karat.stats.gates.reasons import reason_metrics

    return [*work.suite.metrics_for(result.run.headline), *reason_metrics(work.suite)]


def open_project(file: Path, *, run: str, store: str, reuse: str, session: str) -> ProjectRuns:
    """The runs of a project file. UsageError for what the user must fix."""
    import pytest

    try:
        return ProjectRuns(file, run, store, reuse, session)
    except UserError as error:
        raise pytest.UsageError(in_words(error)) from error


def in_words(error: UserError) -> str:
    """A mistake of the user as plain text: each problem with its place, and what to do."""
    lines = [error.message, *(_line(problem) for problem in error.problems), error.hint]
    return "\n".join(line for line in lines if line)


def _line(problem: Problem) -> str:
    place = (
        f"{problem.file}:{problem.line}: "
        if problem.file and problem.line
        else f"{problem.file}: "
        if problem.file
        else ""
    )
    return f"  {place}{problem.message}{f' {problem.hint}' if problem.hint else ''}"
