"""DS-1000 as it is published: prompt, reference code, and a ``code_context`` that tests an answer.

Out of the context come its imports, ``define_test_input`` and the program around the answer (``exec_context``), by the syntax tree. ``generate_ans``, which
makes the expected result, is never taken: the right result comes from the reference, run apart. The first test input counts. Only problems of pandas and
numpy are asked; the others need libraries that the sandbox does not have.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping
from typing import Any

import msgspec

from karat.core.problems import Problem
from karat.core.records import Case, Turn, Where
from karat.suites.codegen.prompting import instructions
from karat.suites.codegen.records import Task

KEYS = frozenset({"prompt", "reference_code", "code_context", "metadata"})
LIBRARIES = ("pandas", "numpy")
INSERT = "[insert]"


class _About(msgspec.Struct, frozen=True):
    problem_id: int | str = ""
    library: str = ""
    perturbation_type: str = ""
    perturbation_origin_id: int | str = ""


class _Row(msgspec.Struct, frozen=True):
    prompt: str
    reference_code: str
    code_context: str
    metadata: _About


def is_problem(row: Mapping[str, Any]) -> bool:
    return set(row) >= KEYS


def other_library(row: Mapping[str, Any]) -> str:
    """The library of a problem that is not asked here; empty when it is."""
    about = row.get("metadata")
    library = str(about.get("library", "")) if isinstance(about, dict) else ""
    return "" if library.lower() in LIBRARIES else library or "unknown"


def read_problem(row: Mapping[str, Any], source: Where) -> Case[Task] | Problem:
    """One problem as a case, or why it cannot be asked."""
    try:
        told = msgspec.convert(row, _Row)
        setup, template = _context(told.code_context)
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
    )
    question, _, given = told.prompt.partition("\nA:\n")
    shown = f"What is there, and where your code begins:\n{given.strip()}" if given else ""
    asked = question.strip().removeprefix("Problem:").strip()
    conversation: tuple[Turn[Task], ...] = (
        Turn(role="system", content=instructions(task, more=(shown,))),
        Turn(role="user", content=asked, target=task),
    )
    tags = tuple(tag for tag in (about.library, about.perturbation_type) if tag)
    return Case(str(about.problem_id or source.line), conversation, tags=tags, source=source)


def _context(code: str) -> tuple[str, str]:
    """Setup and template out of a context: nothing of it is run here."""
    tree = ast.parse(code)
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    inputs = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "define_test_input"]
    template = next(
        (
            node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
            and any(isinstance(target, ast.Name) and target.id == "exec_context" for target in node.targets)
        ),
        "",
    )
    if not inputs or INSERT not in template:
        raise ValueError("its code_context has no define_test_input, or no exec_context with [insert]")
    made = [*imports, inputs[0]]
    call = f"{inputs[0].name}({'test_case_id=1' if inputs[0].args.args else ''})"
    setup = "\n".join(ast.unparse(node) for node in made) + f"\ntest_input = {call}"
    return setup, _indented(template.strip("\n"))


def _indented(template: str) -> str:
    """Answers have no indentation of their own: where the body of a function is asked for, the line for it has it."""
    lines = template.splitlines()
    place = next(number for number, line in enumerate(lines) if line.strip() == INSERT)
    before = next((line for line in reversed(lines[:place]) if line.strip()), "")
    if before.rstrip().endswith(":") and lines[place] == INSERT:
        lines[place] = " " * (len(before) - len(before.lstrip()) + 4) + INSERT
    return "\n".join(lines)
