"""The text that is sent to the sandbox: one line that builds the modules it needs and calls one of them.

One line, because the line numbers that come back are those of the answer's own program, which has several before the
answer.
"""

from __future__ import annotations

import ast
import re
import secrets
from collections.abc import Sequence
from functools import cache
from importlib import resources

from karat.suites.codegen.records import Harness, UnitTests

INSERT = re.compile(r"^([ \t]*)\[insert\][ \t]*$", re.MULTILINE)
INPUT = "test_input"


def answers_program(harness: Harness, program: str) -> str:
    """Run a program on every input of a problem."""
    call = f"run_answers.answers({harness.inputs!r}, {program!r}, {harness.count}, exact.encode)"
    return f"{_modules('exact', 'run_answers')}; _ = globals().update({call})"


def tests_program(harness: Harness, solution: str, texts: Sequence[str]) -> str:
    """Hold a problem's tests against what an answer gave."""
    call = f"run_tests.judged({harness.context!r}, {solution!r}, {list(texts)!r}, exact.decode)"
    return f"{_modules('exact', 'run_tests')}; result = {call}"


def published_tests_program(harness: Harness, reference: str, idle: Sequence[str]) -> str:
    """Hold the tests, as published, against the reference and against answers that do nothing."""
    call = f"run_tests.published({harness.context!r}, {reference!r}, {list(idle)!r})"
    return f"{_modules('run_tests')}; result = {call}"


def assert_program(code: str, sent: str) -> str:
    """Hold one assert of a task against a result; the tables are those of the process."""
    return f"{_modules('run_assert')}; result = run_assert.held({code!r}, {sent!r}, tables)"


def idle_answers(harness: Harness) -> list[str]:
    """Answers that do nothing: none at all, and nothing or an input as it came for the result."""
    place = INSERT.search(harness.program)
    indent = place[1] if place else ""
    tree = ast.parse(INSERT.sub(r"\1pass", harness.program) if place else "")
    if indent:
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        returned = [argument.arg for function in functions for argument in function.args.args]
        return [f"{indent}pass", *(f"{indent}return {name}" for name in dict.fromkeys(returned))]
    names = [name.id for node in tree.body if is_input(node) for name in ast.walk(node) if isinstance(name, ast.Name)]
    return ["pass", *(f"result = {name}" for name in dict.fromkeys([*names, "None"]))]


def is_input(node: ast.stmt) -> bool:
    """``df, limit = test_input``: a statement that gives names to the input."""
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id == INPUT


def unit_test_program(tests: UnitTests, code: str) -> str:
    """Run the tests of a function beside the function. The name of the test that must fail is new each time."""
    canary = f"canary_{secrets.token_hex(8)}"
    call = f"run_unit_tests.tested({code!r}, {tests.code!r}, {canary!r}, fair_tests.fair)"
    return f"{_modules('fair_tests', 'run_unit_tests')}; _ = globals().update({call})"


def _modules(*names: str) -> str:
    parts = ["import types"]
    for name in names:
        parts.append(f"{name} = types.ModuleType({name!r})")
        parts.append(f"exec(compile({_source(name)!r}, '<{name}>', 'exec'), {name}.__dict__)")
    return "; ".join(parts)


@cache
def _source(name: str) -> str:
    return resources.files("karat.suites.codegen.harness").joinpath(f"{name}.py").read_text(encoding="utf-8")
