"""Ways of asking again after a wrong first answer, compared from the same first answer with the same number of calls.

    repair         the error of code that did not run, as one conversation
    fresh          the first prompt again
    repair_tests   like repair; for code that ran, the first failing test that is marked ``public``
    restart        repair once, then fresh

A strategy has ``max_recovery_attempts`` calls. It stops before that when its code runs (``repair_tests``: and no public
test fails), or when an answer is one that it has given before (``no_change``). Nothing of the right result decides
when it stops; only whether there is anything to compare: strategies are tried where the first answer is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from karat.core.records import Case, NextCall, attempts, branches_of
from karat.core.suite import NotApplicable, Unreadable
from karat.sandbox import Outcome, Sandbox
from karat.suites.codegen.comparison import asked_in, judged
from karat.suites.codegen.hidden_tests.run import hidden_tests_of
from karat.suites.codegen.options import Options, Strategy
from karat.suites.codegen.question.reading import read_question
from karat.suites.codegen.question.vocabulary import vocabulary_for
from karat.suites.codegen.records import Attempt, Task
from karat.suites.codegen.repair.prompt import failed_test_prompt, failed_test_words, repair_prompt
from karat.suites.codegen.repair.records import End, StrategyResult
from karat.suites.codegen.running.answers import run_to_tell, runnable
from karat.suites.codegen.running.completion import code_for
from karat.suites.codegen.running.environments import box_for
from karat.suites.codegen.running.references import schema_of


class _Look(NamedTuple):
    """One answer, run."""

    code: str
    attempt: Attempt
    outcome: Outcome


class Trial:
    """One task and its first answer, on which strategies are tried."""

    def __init__(self, question: str, task: Task, first: bytes, box: Sandbox, options: Options) -> None:
        self.question, self.task, self.first, self.box, self.options = question, task, first, box, options

    def first_is_wrong(self) -> bool:
        """False also where nothing says what is right, or the answer holds no code."""
        return self.right(self.first) is False

    def right(self, response: bytes) -> bool | None:
        """None: not known."""
        options = msgspec.structs.replace(self.options, performance=False, growth=False, relations="no")
        try:
            code = code_for(self.task, response)
            found = judged(self.question, self.task, [code], options, self.box).correctness
        except (Unreadable, NotApplicable):
            return None
        return None if found.score is None else found.passed

    def end(self, strategy: Strategy, answers: Sequence[bytes]) -> End:
        """Why the strategy stops after these answers, the first one included."""
        codes = [self._code(answer) for answer in answers]
        if codes[-1] is None:
            return "no_code"
        if codes[-1] in codes[:-1]:
            return "no_change"
        calls = len(answers) - 1
        if calls or strategy in ("repair", "repair_tests"):
            look = self._look(codes[-1])
            if look.attempt.ran and not (strategy == "repair_tests" and self._failed_test(look)):
                return "ran"
        return "limit" if calls >= self.options.max_recovery_attempts else ""

    def exchanges(self, strategy: Strategy, answers: Sequence[bytes]) -> tuple[tuple[bytes, str], ...]:
        """The conversation that the next call continues; none for the first prompt again."""
        if strategy == "fresh":
            return ()
        if strategy == "restart":
            look = self._look(self._code(answers[0]) or "")
            return ((answers[0], self._said(strategy, look)),) if len(answers) == 1 and not look.attempt.ran else ()
        return tuple((answer, self._said(strategy, self._look(self._code(answer) or ""))) for answer in answers)

    def _said(self, strategy: Strategy, look: _Look) -> str:
        schema, samples = schema_of(self.box, self.task)[0], self.options.samples
        if look.attempt.ran and strategy == "repair_tests":
            failed = self._failed_test(look)
            return failed_test_prompt(
                self.question, self.task, schema, look.attempt, look.outcome, failed, samples=samples
            )
        return repair_prompt(self.question, self.task, schema, look.attempt, look.outcome, samples=samples)

    def _failed_test(self, look: _Look) -> str:
        """The first public test that fails, in words; empty when none does."""
        public = msgspec.structs.replace(self.task, tests=tuple(test for test in self.task.tests if test.public))
        if not public.tests:
            return ""
        schema, values = schema_of(self.box, self.task)
        known = vocabulary_for(self.options.vocabulary, self.question)
        asked = read_question(self.question, schema, values=values, words_known=known)
        code = runnable(public, look.code)
        found = hidden_tests_of(self.box, public, code, look.outcome, asked=asked, options=self.options)
        for test, result in zip(public.tests, found.parts, strict=True):
            if result.state == "failed":
                return failed_test_words(test, result)
        return ""

    def _look(self, code: str) -> _Look:
        attempt, outcome = run_to_tell(self.box, self.task, code)
        return _Look(code, attempt, outcome)

    def _code(self, answer: bytes) -> str | None:
        try:
            return code_for(self.task, answer).strip()
        except Unreadable:
            return None


def next_call(case: Case[Task], turn: int, response: bytes, options: Options) -> NextCall | None:
    """What to ask next, for the first strategy that has not stopped."""
    if not options.strategies:
        return None
    question, task = asked_in(case, turn)
    first = attempts(response)[0]
    trial = Trial(question, task, first, box_for(task, options), options)
    if task.steps or not trial.first_is_wrong():
        return None
    given = {one.name: [text.encode() for text in one.responses] for one in branches_of(response)}
    for strategy in options.strategies:
        answers = [first, *given.get(strategy, ())]
        if not trial.end(strategy, answers):
            return NextCall(strategy, trial.exchanges(strategy, answers))
    return None


def main_line(response: bytes) -> list[bytes]:
    """The answer that a task is scored by: the first try and its repairs, also where these are a strategy."""
    repairs = [one.responses for one in branches_of(response) if one.name == "repair"]
    return [*attempts(response), *(text.encode() for texts in repairs for text in texts)]


def strategy_results(
    question: str, task: Task, response: bytes, options: Options, box: Sandbox
) -> tuple[StrategyResult, ...]:
    """What came of each strategy of an answer; empty where none was tried. One that was not asked to its end is left
    out; a recording that is scored without the option counts as it is."""
    branches = {one.name: one for one in branches_of(response)}
    first = attempts(response)[0]
    trial = Trial(question, task, first, box, options)
    names = dict.fromkeys((*options.strategies, *branches))
    if not names or not trial.first_is_wrong():
        return ()
    found = []
    for name in names:
        branch = branches.get(name)
        answers = [text.encode() for text in branch.responses] if branch is not None else []
        known: Strategy = msgspec.convert(name, Strategy)  # recordings are read with known names only
        ended = trial.end(known, [first, *answers])
        if not ended and (options.strategies or not answers):
            continue  # a call failed, or the run was stopped: nobody knows what it would have come to
        found.append(
            StrategyResult(
                name,
                bool(answers) and trial.right(answers[-1]) is True,
                len(answers),
                ended,
                *((branch.latency, branch.tokens, branch.cost) if branch is not None else (0.0, 0, 0.0)),
            )
        )
    return tuple(found)
