"""DS-1000 as it is published: prompt, reference code, and a ``code_context`` that tests an answer.

The context is never run here. It is kept as it is for the process that judges (see ``harness``): all its test inputs
count, and its checks of the code's text. The process that runs an answer gets only what makes the inputs and the
program around the answer (``exec_context``): by the syntax tree, ``generate_ans``, which makes the expected result, is
emptied, and the tests are left out. Only problems of pandas and numpy are asked; the others need libraries that the
sandbox does not have.
"""

from __future__ import annotations

import ast
import textwrap
import warnings

import msgspec

from karat.core.json_types import JsonMapping
from karat.core.problems import Problem
from karat.core.records import Case, Turn, Where
from karat.suites.codegen.harness.programs import INPUT, INSERT, is_input
from karat.suites.codegen.question.default_prompt import instructions
from karat.suites.codegen.records import Harness, Task

KEYS = frozenset({"prompt", "reference_code", "code_context", "metadata"})
LIBRARIES = ("pandas", "numpy")
MARK = "[insert]"
ANSWERS = "generate_ans"
TESTS = ("exec_test", "test_execution", "test_string")
MOST_INPUTS = 100
MADE_FOR = "pandas==1.5"
"""Its references were written for pandas 1.5.3, and some fail on others."""


class _About(msgspec.Struct, frozen=True):
    problem_id: int | str = ""
    library: str = ""
    perturbation_type: str = ""
    perturbation_origin_id: int | str = ""
    test_case_cnt: int = 1


class _Row(msgspec.Struct, frozen=True):
    prompt: str
    reference_code: str
    code_context: str
    metadata: _About


def is_problem(row: JsonMapping) -> bool:
    return set(row) >= KEYS


def other_library(row: JsonMapping) -> str:
    """The library of a problem that is not asked here; empty when it is."""
    about = row.get("metadata")
    library = str(about.get("library", "")) if isinstance(about, dict) else ""
    return "" if library.lower() in LIBRARIES else library or "unknown"


def read_problem(row: JsonMapping, source: Where) -> Case[Task] | Problem:
    """One problem as a case, or why it cannot be asked."""
    try:
        told = msgspec.convert(row, _Row)
        harness = _harness(told)
        setup, template = _read_only(harness)
    except (msgspec.ValidationError, SyntaxError, ValueError) as error:
        message = f"not a DS-1000 problem: {str(error).splitlines()[0]}"
        return Problem(message, file=source.file, line=source.line)
    about = told.metadata
    task = Task(
        reference=textwrap.dedent(told.reference_code).strip("\n"),
        setup=setup,
        template=template,
        cluster=f"{about.library}-{about.perturbation_origin_id}",
        timeout=60.0,
        harness=harness,
        made_for=MADE_FOR,
    )
    question, _, given = told.prompt.partition("\nA:\n")
    shown = f"What is there, and where your code begins:\n{given.strip()}" if given else ""
    asked = question.strip().removeprefix("Problem:").strip()
    conversation: tuple[Turn[Task], ...] = (
        Turn(role="system", content=instructions(task, more=(shown,))),
        Turn(role="user", content=asked, target=task),
    )
    tags = tuple(tag for tag in (about.library, about.perturbation_type) if tag)
    number = about.problem_id if about.problem_id != "" else source.line
    return Case(str(number), conversation, tags=tags, source=source)


def _harness(row: _Row) -> Harness:
    """What runs and what judges, out of a context. Nothing of it is run here."""
    tree = _parsed(row.code_context)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    program = next((text for node in tree.body if (text := _program_in(node))), "")
    test = functions.get("test_execution")
    if "generate_test_case" not in functions or test is None or MARK not in program:
        raise ValueError(
            "its code_context has no generate_test_case, no test_execution, or no exec_context with [insert]"
        )
    if not any(isinstance(node, ast.Name) and node.id == "exec" for node in ast.walk(test)):
        raise ValueError("its test_execution does not run the answer with exec")
    count = _count(test) or row.metadata.test_case_cnt
    if not 1 <= count <= MOST_INPUTS:
        raise ValueError(f"it has {count} test inputs; 1 to {MOST_INPUTS} are possible")
    return Harness(_inputs(tree), _indented(program.strip("\n"), row.reference_code), row.code_context, count)


def _parsed(code: str) -> ast.Module:
    """Without a word about its style, such as escapes that Python would like to see written otherwise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(code)


def _program_in(node: ast.stmt) -> str:
    """The program around an answer, when this statement is the one that says it."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant):
        return ""
    named = any(isinstance(target, ast.Name) and target.id == "exec_context" for target in node.targets)
    return node.value.value if named and isinstance(node.value.value, str) else ""


def _count(test: ast.FunctionDef) -> int:
    """How often the tests go round: ``for i in range(2)``; 0 when they do not say."""
    for node in ast.walk(test):
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and len(node.iter.args) == 1:
            most = node.iter.args[0]
            if isinstance(most, ast.Constant) and isinstance(most.value, int):
                return most.value
    return 0


def _inputs(tree: ast.Module) -> str:
    """The context without its answers and its tests."""
    kept = [
        node
        for node in tree.body
        if not _program_in(node) and not (isinstance(node, ast.FunctionDef) and node.name in TESTS)
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == ANSWERS:
            node.body = [ast.Return(ast.Constant(None))]
    return "\n".join(ast.unparse(ast.fix_missing_locations(node)) for node in kept)


def _read_only(harness: Harness) -> tuple[str, str]:
    """Setup and template as they are read to see what an answer does: names of the input are tables and values that are
    there already."""
    program = INSERT.sub(r"\1pass", harness.program).replace(MARK, "None")
    lines = harness.program.splitlines()
    bindings = []
    for node in _parsed(program).body:
        if is_input(node):
            bindings.append(ast.unparse(node))
            for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                lines[number - 1] = "pass"
    made = [harness.inputs, f"{INPUT} = generate_test_case(1)[0]", *bindings]
    if bindings:
        made.append(f"del {INPUT}")
    return "\n".join(made), "\n".join(lines)


def _indented(program: str, reference: str) -> str:
    """Answers have no indentation of their own: where the body of a function is asked for, the line for it has that of
    the reference, or one."""
    lines = program.splitlines()
    place = next((number for number, line in enumerate(lines) if line.strip() == MARK), None)
    if place is None or lines[place] != MARK:
        return program
    above = next((line for line in reversed(lines[:place]) if line.strip()), "")
    first = next((line for line in reference.splitlines() if line.strip()), "")
    opened = _indent(above) + "    " if above.rstrip().endswith(":") else ""
    lines[place] = (_indent(first) or opened) + MARK
    return "\n".join(lines)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
