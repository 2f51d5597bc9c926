"""What a problem's own tests say of an answer, asked in a sandboxed process that never ran it."""

from __future__ import annotations

import textwrap

import msgspec

from karat.sandbox import Limits, Outcome, Sandbox
from karat.suites.codegen.harness.programs import idle_answers, published_tests_program, tests_program
from karat.suites.codegen.records import Answers, Harness

TRIES = 2
"""A busy machine may end a run; an answer may not get out of its verdict that way."""


class Verdict(msgspec.Struct, frozen=True):
    """The word of the tests."""

    execution: str = ""
    """The error of the tests of its results; empty when they hold."""
    input: int = 0
    """The input at which they ended, counted from 1."""
    string: str = ""
    """The error of the tests of its text."""

    @property
    def passed(self) -> bool:
        return not self.execution and not self.string


class Published(msgspec.Struct, frozen=True):
    """What the tests say, as published, of the reference and of answers that do nothing."""

    reference: str = ""
    idle: tuple[str, ...] = ()


def verdict_of(box: Sandbox, harness: Harness, code: str, answers: Answers, limits: Limits) -> Verdict:
    """The verdict on an answer. Tests that do not come to an end do not hold."""
    outcome = _ended(box, tests_program(harness, code, answers.exact), limits)
    try:
        return msgspec.convert(outcome.result, Verdict)
    except msgspec.ValidationError:
        return Verdict(f"the tests did not finish: {_why(outcome)}")


def published_of(box: Sandbox, harness: Harness, reference: str, limits: Limits) -> Published:
    """The tests as published, over code that is trusted."""
    idle = idle_answers(harness)
    indent = idle[0].removesuffix("pass")
    outcome = _ended(box, published_tests_program(harness, textwrap.indent(reference, indent), idle), limits)
    try:
        return msgspec.convert(outcome.result, Published)
    except msgspec.ValidationError:
        return Published(_why(outcome))


def _ended(box: Sandbox, code: str, limits: Limits) -> Outcome:
    for _ in range(TRIES):
        outcome = box.apart().run(code, limits=limits)
        if outcome.status not in ("timeout", "server_died"):
            break
    return outcome


def _why(outcome: Outcome) -> str:
    raised = outcome.error
    return f"{raised.class_}: {raised.message}" if raised is not None else outcome.detail or outcome.status
